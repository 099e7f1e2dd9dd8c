// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/assemble.h"
#include "kernel-series/mail.h"
#include "kernel-series/parse.h"
#include "kernel-series/tests/corpora.h"
#include "lib/json.h"

/* One mail: id, id it answers or "", subject; with a diff if it is a patch. */
struct in {
	const char *id, *to, *subject, *body;
	int minute;
	const char *from;
};

#define DIFF "--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n"

static json_t *fields_of(const struct in *in)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	struct mail *m __free(mail) = NULL;

	strbuf_addf(&sb, "From: %s\nMessage-ID: <%s>\nSubject: %s\n",
		    in->from ? in->from : "A Uthor <a@example.org>", in->id,
		    in->subject);
	strbuf_addf(&sb, "Date: Mon, 30 Nov 2026 10:%02d:00 +0000\n",
		    in->minute);
	if (*in->to)
		strbuf_addf(&sb, "In-Reply-To: <%s>\n", in->to);
	strbuf_addf(&sb, "\n%s", in->body ? in->body : DIFF);
	assert_int_equal(mail_parse(sb.buf, sb.len, &m, &why), 0);
	return mail_to_json(m);
}

/*
 * Every series as "vV/T cover:number=id ... [missing]"; in the order given
 * and then in reverse, where the same patches must come together.
 */
static char *describe(const struct in *in, size_t nr, bool reverse)
{
	json_t *mails __free(json) = json_array();
	json_t *ret __free(json) = NULL;
	struct strbuf sb = STRBUF_INIT;
	size_t i, k;
	json_t *s, *p;

	for (i = 0; i < nr; i++)
		json_array_append_new(
			mails, fields_of(&in[reverse ? nr - 1 - i : i]));
	assert_int_equal(assemble_json(mails, &ret), 0);
	json_array_foreach(json_object_get(ret, "series"), i, s) {
		strbuf_addf(&sb, "v%d/%d %s:",
			    (int)json_get_int(s, "version", 0),
			    (int)json_get_int(s, "total", 0),
			    json_get_str(s, "cover", "-"));
		json_array_foreach(json_object_get(s, "patches"), k, p)
			strbuf_addf(&sb, " %d=%s",
				    (int)json_get_int(p, "number", 0),
				    json_get_str(p, "message_id", ""));
		json_array_foreach(json_object_get(s, "missing"), k, p)
			strbuf_addf(&sb, " !%d", (int)json_integer_value(p));
		json_array_foreach(json_object_get(s, "comments"), k, p)
			strbuf_addf(&sb, " (%d %s)",
				    (int)json_get_int(p, "number", 0),
				    json_get_str(p, "message_id", ""));
		strbuf_addstr(&sb, "; ");
	}
	return strbuf_detach(&sb);
}

static void expect(const struct in *in, size_t nr, const char *want)
{
	char *have __free(kfree) = describe(in, nr, false);

	assert_string_equal(have, want);
}

static void expect_any_order(const struct in *in, size_t nr, const char *want)
{
	char *have __free(kfree) = describe(in, nr, true);

	expect(in, nr, want);
	assert_string_equal(have, want);
}

static void cover_early_late_never(void **state)
{
	static const struct in in[] = {
		{ "c", "", "[PATCH v2 0/2] w", "text\n", 0, NULL },
		{ "1", "c", "[PATCH v2 1/2] x", NULL, 1, NULL },
		{ "2", "c", "[PATCH v2 2/2] y", NULL, 2, NULL },
	};
	static const struct in chain[] = {
		{ "1", "", "[PATCH 1/3] x", NULL, 0, NULL },
		{ "2", "1", "[PATCH 2/3] y", NULL, 1, NULL },
		{ "3", "2", "[PATCH 3/3] z", NULL, 2, NULL },
	};

	expect_any_order(in, 3, "v2/2 c: 1=1 2=2; ");
	/* the cover never comes: siblings below the same unknown mail */
	expect_any_order(in + 1, 2, "v2/2 -: 1=1 2=2; ");
	expect_any_order(chain, 3, "v1/3 -: 1=1 2=2 3=3; ");
	expect(in, 2, "v2/2 c: 1=1 !2; ");
}

static void cover_may_name_the_version_alone(void **state)
{
	static const struct in in[] = {
		{ "c", "", "[PATCH v7 0/2] w", "text\n", 0, NULL },
		{ "1", "c", "[PATCH 1/2] x", NULL, 1, NULL },
		{ "2", "c", "[PATCH 2/2] y", NULL, 2, NULL },
	};

	expect_any_order(in, 3, "v7/2 c: 1=1 2=2; ");
}

static void versions_in_one_thread(void **state)
{
	static const struct in in[] = {
		{ "c", "", "[PATCH 0/1] w", "text\n", 0, NULL },
		{ "1", "c", "[PATCH 1/1] x", NULL, 1, NULL },
		{ "c2", "c", "[PATCH v2 0/1] w", "text\n", 9, NULL },
		{ "21", "c2", "[PATCH v2 1/1] x", NULL, 9, NULL },
		{ "r", "21", "Re: [PATCH v2 1/1] x", "good\n", 10, NULL },
		{ "rr", "r", "Re: [PATCH v2 1/1] x", "yes\n", 11, NULL },
	};

	expect(in, 6, "v1/1 c: 1=1; v2/1 c2: 1=21 (1 r) (1 rr); ");
}

static void no_threading_at_all(void **state)
{
	static const struct in in[] = {
		{ "1", "", "[PATCH 1/2] x", NULL, 0, NULL },
		{ "2", "", "[PATCH 2/2] y", NULL, 1, NULL },
		{ "b1", "", "[PATCH 1/2] p", NULL, 1, "B <b@example.org>" },
		{ "1b", "", "[PATCH 1/2] x", NULL, 30, NULL },
		{ "2b", "", "[PATCH 2/2] y", NULL, 31, NULL },
	};

	expect(in, 5, "v1/2 -: 1=1 2=2; v1/2 -: 1=b1 !2; "
		      "v1/2 -: 1=1b 2=2b; ");
}

static void a_partial_resend_completes_itself(void **state)
{
	static const struct in in[] = {
		{ "c", "", "[PATCH v2 0/2] w", "text\n", 0, NULL },
		{ "1", "c", "[PATCH v2 1/2] x", NULL, 1, NULL },
		{ "2", "c", "[PATCH v2 2/2] y", NULL, 2, NULL },
		{ "32", "2", "[PATCH v3 2/2] y", NULL, 9, NULL },
	};

	expect(in, 4, "v2/2 c: 1=1 2=2; v3/2 c: 1=1 2=32; ");
	/* its forerunner has a gap: nothing is made up */
	expect(in + 2, 2, "v2/2 -: 2=2 !1; v3/2 -: 2=32 !1; ");
}

static void strangers_do_not_fill_gaps(void **state)
{
	static const struct in in[] = {
		{ "1", "", "[PATCH 1/2] x", NULL, 0, NULL },
		{ "m", "1", "[PATCH 2/2] y", NULL, 1, "M <m@example.org>" },
	};

	expect(in, 2, "v1/2 -: 1=1 !2; v1/2 -: 2=m !1; ");
}

static void circles_and_doubles_end(void **state)
{
	static const struct in in[] = {
		{ "a", "b", "Re: x", "text\n", 0, NULL },
		{ "b", "a", "Re: x", "text\n", 0, NULL },
		{ "c", "c", "[PATCH] x", NULL, 0, NULL },
		{ "c", "a", "[PATCH] x", NULL, 0, NULL },
		{ "p", "", "[PATCH 9999/99999] x", NULL, 0, NULL },
	};

	expect(in, 5, "v1/1 -: 1=c; ");
}

static json_t *sample(const char *name)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *ret = NULL;

	if (corpora_read("../series", name, &sb))
		return NULL;
	assert_int_equal(parse_file_json("series", sb.buf, sb.len, NULL, &ret,
					 &why),
			 0);
	assert_int_equal(json_get_int(ret, "series_count", 0), 1);
	return ret;
}

static void check_sample(const char *name, int version, int total,
			 bool complete, size_t patches, size_t comments,
			 size_t fixups)
{
	json_t *o __free(json) = sample(name);
	const json_t *s;

	if (!o) {
		print_message("# %s is absent: not tested\n", name);
		return;
	}
	s = json_array_get(json_object_get(o, "series"), 0);
	assert_int_equal(json_get_int(s, "version", 0), version);
	assert_int_equal(json_get_int(s, "total", 0), total);
	assert_int_equal(json_get_bool(s, "complete", false), complete);
	assert_int_equal(json_array_size(json_object_get(s, "patches")),
			 patches);
	assert_int_equal(json_array_size(json_object_get(s, "comments")),
			 comments);
	assert_int_equal(json_array_size(json_object_get(s, "fixups")),
			 fixups);
	if (fixups)
		assert_non_null(strstr(
			json_get_str(json_array_get(json_object_get(s, "fixups"),
						    0),
				     "diff", ""),
			"wrprotect_ptes(struct mm_struct *mm, unsigned long"));
}

static void sample_threads(void **state)
{
	check_sample("mprotect-batching-v2.mbox", 2, 2, true, 2, 2, 1);
	check_sample("perm-upgrade-rfc.mbox", 1, 4, true, 4, 6, 0);
	check_sample("hugetlb-madv-v7.mbox", 7, 4, true, 4, 3, 0);
	check_sample("mprotect-tlb-v6-incomplete.mbox", 6, 3, false, 1, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cover_early_late_never),
		cmocka_unit_test(cover_may_name_the_version_alone),
		cmocka_unit_test(versions_in_one_thread),
		cmocka_unit_test(no_threading_at_all),
		cmocka_unit_test(a_partial_resend_completes_itself),
		cmocka_unit_test(strangers_do_not_fill_gaps),
		cmocka_unit_test(circles_and_doubles_end),
		cmocka_unit_test(sample_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
