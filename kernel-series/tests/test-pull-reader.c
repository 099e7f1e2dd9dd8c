// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/pull.h"
#include "lib/json.h"

/* What was read, as text that is easy to compare; fails at @stop_at calls. */
struct seen {
	struct strbuf text;
	int calls;
	int stop_at;
};

static int on_mail(const struct pull_mail *mail, void *arg)
{
	struct seen *s = arg;

	strbuf_addf(&s->text, "mail %zu %.*s %s %s %d;", mail->len,
		    (int)min(mail->len, (size_t)8), (const char *)mail->raw,
		    mail->fields ? json_get_str(mail->fields, "title", "-") :
				   "none",
		    mail->refused ? mail->refused : "ok",
		    (int)mail->received_s);
	return ++s->calls == s->stop_at ? 42 : 0;
}

static int on_state(json_t *state, void *arg)
{
	struct seen *s = arg;

	strbuf_addf(&s->text, "state %d;", (int)json_get_int(state, "a", -1));
	return ++s->calls == s->stop_at ? 1 : 0;
}

static const struct pull_ops ops = { on_mail, on_state };

/* Feed @len bytes in pieces of @piece; the result of the first that fails. */
static int feed(const char *data, size_t len, size_t piece, struct seen *seen,
		struct strbuf *why)
{
	struct pull_reader *r __free(pull_reader) = pull_reader_new(&ops, seen);

	for (size_t at = 0; at < len; at += piece) {
		int ret = pull_reader_feed(r, data + at, min(piece, len - at),
					   why);

		if (ret)
			return ret;
	}
	return pull_reader_finish(r, why);
}

static const char good[] =
	"{\"type\":\"mail\",\"size\":5,\"received_s\":7,"
	"\"fields\":{\"title\":\"T\"}}\n"
	"a\nb\nc"
	"{\"type\":\"state\",\"state\":{\"a\":1}}\n"
	"{\"type\":\"mail\",\"size\":0,\"fields\":null,\"refused\":\"bad\"}\n"
	"{\"type\":\"mail\",\"size\":2,\"fields\":{},\"refused\":\"worse\"}\n"
	"xx"
	"{\"type\":\"mail\",\"size\":1}\n"
	"y"
	"{\"type\":\"state\",\"state\":{\"a\":2}}\n"
	"{\"type\":\"end\"}\n";
static const char good_want[] =
	"mail 5 a\nb\nc T ok 7;state 1;mail 0  none bad 0;"
	"mail 2 xx none worse 0;mail 1 y none no parser has read it 0;state 2;";

static void frames_come_whole_however_they_are_cut(void **state)
{
	for (size_t piece = 1; piece <= sizeof(good); piece++) {
		struct seen seen = { .text = STRBUF_INIT };
		struct strbuf why __free(strbuf) = STRBUF_INIT;

		assert_int_equal(feed(good, sizeof(good) - 1, piece, &seen,
				      &why), 0);
		assert_string_equal(seen.text.buf, good_want);
		strbuf_release(&seen.text);
	}
}

static void a_stream_that_stops_is_not_the_end(void **state)
{
	for (size_t len = 0; len < sizeof(good) - 1; len++) {
		struct seen seen = { .text = STRBUF_INIT };
		struct strbuf why __free(strbuf) = STRBUF_INIT;

		assert_int_equal(feed(good, len, 4096, &seen, &why), -EPROTO);
		assert_string_equal(why.buf,
				    "the worker stopped in the middle");
		assert_true(starts_with(good_want, seen.text.buf));
		strbuf_release(&seen.text);
	}
}

static void the_workers_reason_is_told(void **state)
{
	static const char s[] = "{\"type\":\"error\",\"why\":\"no\\nway\"}\n";
	struct seen seen = { .text = STRBUF_INIT };
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	assert_int_equal(feed(s, strlen(s), 9, &seen, &why), PULL_FAILED);
	assert_string_equal(why.buf, "no");
}

static void nonsense_is_refused(void **state)
{
	static const char *const bad[] = {
		"hello\n", "[]\n", "\n", "{}\n", "{\"type\":7}\n",
		"{\"type\":\"mail\"}\n", "{\"type\":\"mail\",\"size\":-1}\n",
		"{\"type\":\"mail\",\"size\":\"1\"}\n",
		"{\"type\":\"mail\",\"size\":8388609}\n",
		"{\"type\":\"mail\",\"size\":99999999999999999999}\n",
		"{\"type\":\"state\"}\n", "{\"type\":\"state\",\"state\":[]}\n",
		"{\"type\":\"end\"}\n{\"type\":\"end\"}\n",
		"{\"type\":\"end\"}\nx", "{\"type\":\"other\"}\n",
		"{\"type\":\"mail\",\"size\":1}\nab{\"type\":\"end\"}\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct seen seen = { .text = STRBUF_INIT };
		struct strbuf why __free(strbuf) = STRBUF_INIT;

		assert_int_equal(feed(bad[i], strlen(bad[i]), 4096, &seen,
				      &why), -EPROTO);
		assert_true(starts_with(why.buf, "the worker's answer is no "));
		strbuf_release(&seen.text);
	}
}

static void sizes_are_bounded(void **state)
{
	struct seen seen = { .text = STRBUF_INIT };
	struct strbuf s __free(strbuf) = STRBUF_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	/* the largest mail */
	strbuf_addf(&s, "{\"type\":\"mail\",\"size\":%zu}\n",
		    PULL_MAX_MAIL_BYTES);
	for (size_t i = 0; i < PULL_MAX_MAIL_BYTES; i++)
		strbuf_addch(&s, '\n');
	strbuf_addstr(&s, "{\"type\":\"end\"}\n");
	assert_int_equal(feed(s.buf, s.len, 100000, &seen, &why), 0);
	assert_int_equal(seen.calls, 1);

	/* a line without end is noticed long before it fills the memory */
	strbuf_reset(&s);
	for (size_t i = 0; i < PULL_MAX_LINE_BYTES + 2; i++)
		strbuf_addch(&s, ' ');
	assert_int_equal(feed(s.buf, s.len, 4096, &seen, &why), -EPROTO);
	assert_non_null(strstr(why.buf, "too long"));
	strbuf_release(&seen.text);
}

static void the_receiver_can_stop(void **state)
{
	for (int at = 1; at <= 6; at++) {
		struct seen seen = { .text = STRBUF_INIT, .stop_at = at };
		struct strbuf why __free(strbuf) = STRBUF_INIT;
		int want = at == 2 || at == 6 ? 1 : 42;

		assert_int_equal(feed(good, sizeof(good) - 1, 4096, &seen,
				      &why), want);
		assert_int_equal(seen.calls, at);
		strbuf_release(&seen.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_come_whole_however_they_are_cut),
		cmocka_unit_test(a_stream_that_stops_is_not_the_end),
		cmocka_unit_test(the_workers_reason_is_told),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(sizes_are_bounded),
		cmocka_unit_test(the_receiver_can_stop),
	};

	return cmocka_run_group_tests_name("pull-reader", tests, NULL, NULL);
}
