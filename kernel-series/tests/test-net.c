// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "kernel-series/net.h"
#include "lib/clock.h"

/*
 * A server on loopback that gives answers[i] to the i-th connection and then
 * hangs up. A NULL answer: it reads the request and says nothing.
 */
struct server {
	const char *const *answers;
	struct strbuf asked;
	pthread_t thread;
	int fd;
	int port;
};

static void read_request(struct server *s, int c)
{
	size_t start = s->asked.len;
	size_t want = SIZE_MAX;
	char buf[4096];
	ssize_t n;

	while (s->asked.len - start < want &&
	       (n = read(c, buf, sizeof(buf))) > 0) {
		const char *end, *len;

		strbuf_add(&s->asked, buf, (size_t)n);
		end = strstr(s->asked.buf + start, "\r\n\r\n");
		if (!end)
			continue;
		len = strstr(s->asked.buf + start, "Content-Length: ");
		want = (size_t)(end + 4 - (s->asked.buf + start));
		if (len)
			want += strtoul(len + 16, NULL, 10);
	}
}

static void *serve(void *arg)
{
	struct server *s = arg;
	int silent[8], n_silent = 0;
	int c;

	while ((c = accept(s->fd, NULL, NULL)) >= 0) {
		const char *a = *s->answers;

		read_request(s, c);
		if (!a) {
			silent[n_silent++] = c;
			if (n_silent == (int)ARRAY_SIZE(silent))
				break;
			continue;
		}
		s->answers++;
		(void)!write(c, a, strlen(a));
		close(c);
	}
	while (n_silent)
		close(silent[--n_silent]);
	return NULL;
}

static void server_start(struct server *s, const char *const *answers)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);

	memset(s, 0, sizeof(*s));
	strbuf_init(&s->asked);
	s->answers = answers;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(s->fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(s->fd, 8), 0);
	getsockname(s->fd, (struct sockaddr *)&a, &len);
	s->port = ntohs(a.sin_port);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void server_stop(struct server *s)
{
	shutdown(s->fd, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	close(s->fd);
	strbuf_release(&s->asked);
}

static int ask(struct server *s, struct net_spec *spec, const char *path,
	       struct net_reply *ret, struct strbuf *why)
{
	char *url __free(kfree) = xasprintf("http://u:secret@127.0.0.1:%d%s",
					    s->port, path);

	spec->url = url;
	spec->direct = true;
	return net_request(spec, ret, why);
}

static void an_answer_comes_with_its_headers(void **state)
{
	static const char *const answers[] = {
		"HTTP/1.1 429 Too Many\r\nRetry-After: 17\r\n"
		"ETag: \"abc\"\r\ncontent-type: text/plain\r\n"
		"Content-Length: 5\r\n\r\nhello"
	};
	static const char *const headers[] = { "Accept: text/plain", NULL };
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct net_spec spec = { .contact_url = "https://ci.example.org/",
				 .headers = headers };
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct server s;

	server_start(&s, answers);
	assert_int_equal(ask(&s, &spec, "/a?b=c", &reply, &why), 0);
	assert_int_equal(reply.status, 429);
	assert_int_equal(reply.retry_after_s, 17);
	assert_string_equal(reply.etag, "\"abc\"");
	assert_string_equal(reply.content_type, "text/plain");
	assert_string_equal(reply.body.buf, "hello");
	assert_non_null(strstr(s.asked.buf, "GET /a?b=c HTTP/1.1\r\n"));
	assert_non_null(strstr(s.asked.buf, "User-Agent: mmci/" MMCI_VERSION
			       " (+https://ci.example.org/)\r\n"));
	assert_non_null(strstr(s.asked.buf, "Accept: text/plain\r\n"));
	assert_int_equal(why.len, 0);
	server_stop(&s);
}

static void a_body_is_sent_with_the_type_it_was_given(void **state)
{
	static const char *const answers[] = {
		"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 204 No Content\r\n\r\n",
	};
	static const char *const headers[] = {
		"Content-Type: application/mbox", NULL
	};
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct net_spec spec = { .method = "POST", .headers = headers,
				 .body = "a\0b", .body_len = 3 };
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct net_spec bare = { .method = "POST" };
	const char *body;
	struct server s;

	server_start(&s, answers);
	assert_int_equal(ask(&s, &spec, "/", &reply, &why), 0);
	assert_int_equal(reply.status, 201);
	body = strstr(s.asked.buf, "\r\n\r\n");
	assert_memory_equal(body + 4, "a\0b", 3);
	assert_non_null(strstr(s.asked.buf, "POST / HTTP/1.1\r\n"));
	assert_non_null(strstr(s.asked.buf,
			       "Content-Type: application/mbox\r\n"));
	assert_null(strstr(s.asked.buf, "x-www-form-urlencoded"));

	strbuf_reset(&s.asked);
	assert_int_equal(ask(&s, &bare, "/x", &reply, &why), 0);
	assert_int_equal(reply.status, 204);
	assert_non_null(strstr(s.asked.buf, "POST /x HTTP/1.1\r\n"));
	assert_null(strstr(s.asked.buf, "Content-Type"));
	server_stop(&s);
}

static int collect(const void *data, size_t len, void *arg)
{
	struct strbuf *sb = arg;

	strbuf_add(sb, data, len);
	return sb->len > 8;
}

static void a_stream_goes_to_the_callback(void **state)
{
	static const char *const answers[] = {
		"HTTP/1.1 200 OK\r\n\r\n1234567",
		"HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\ngone",
		"HTTP/1.1 200 OK\r\n\r\n123456789",
	};
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct strbuf got __free(strbuf) = STRBUF_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct net_spec spec = { .chunk = collect, .arg = &got };
	struct server s;

	server_start(&s, answers);
	assert_int_equal(ask(&s, &spec, "/", &reply, &why), 0);
	assert_string_equal(got.buf, "1234567");
	assert_int_equal(reply.body.len, 0);

	/* the text of an error is not part of the log that was asked for */
	strbuf_reset(&got);
	assert_int_equal(ask(&s, &spec, "/", &reply, &why), 0);
	assert_int_equal(reply.status, 404);
	assert_int_equal(got.len, 0);
	assert_string_equal(reply.body.buf, "gone");

	assert_int_equal(ask(&s, &spec, "/", &reply, &why), -ECANCELED);
	assert_non_null(strstr(why.buf, "stopped by the receiver"));
	server_stop(&s);
}

static void too_large_an_answer_is_refused(void **state)
{
	static const char *const answers[] = {
		"HTTP/1.1 200 OK\r\n\r\n1234",
		"HTTP/1.1 200 OK\r\n\r\n12345",
	};
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct net_spec spec = { .max_bytes = 4 };
	struct server s;

	server_start(&s, answers);
	assert_int_equal(ask(&s, &spec, "/", &reply, &why), 0);
	assert_int_equal(ask(&s, &spec, "/", &reply, &why), -EFBIG);
	assert_non_null(strstr(why.buf, "larger than 4 bytes"));
	assert_null(strstr(why.buf, "secret"));
	server_stop(&s);
}

static void a_silent_server_costs_the_time_allowed(void **state)
{
	static const char *const answers[] = { NULL };
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct net_spec spec = { .timeout_s = 1 };
	int64_t start = clock_mono_ms();
	struct server s;

	server_start(&s, answers);
	assert_int_equal(ask(&s, &spec, "/", &reply, &why), -ETIMEDOUT);
	assert_int_equal(reply.status, 0);
	spec.timeout_s = 0;
	spec.stall_timeout_s = 1;
	assert_int_equal(ask(&s, &spec, "/", &reply, &why), -ETIMEDOUT);
	assert_true(clock_mono_ms() - start < 20000);
	server_stop(&s);
}

static void redirections_stay_on_http(void **state)
{
	static const char *const answers[] = {
		"HTTP/1.1 302 Found\r\nLocation: /two\r\n"
		"Content-Length: 3\r\n\r\nabc",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n",
		"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n\r\n",
	};
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct net_spec post = { .method = "POST" };
	struct net_spec spec = { 0 };
	struct server s;

	server_start(&s, answers);
	assert_int_equal(ask(&s, &spec, "/one", &reply, &why), 0);
	assert_string_equal(reply.body.buf, "ok");
	assert_non_null(strstr(s.asked.buf, "GET /two "));
	assert_int_equal(ask(&s, &spec, "/", &reply, &why), -ELOOP);
	assert_int_equal(reply.body.len, 0);
	assert_int_equal(ask(&s, &post, "/", &reply, &why), 0);
	assert_int_equal(reply.status, 302);
	server_stop(&s);
}

static void what_is_no_http_is_an_error(void **state)
{
	static const char *const answers[] = {
		"220 mail.example.org ESMTP\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
		"",
	};
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct net_spec spec = { 0 };
	struct server s;

	server_start(&s, answers);
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		strbuf_reset(&why);
		assert_int_equal(ask(&s, &spec, "/", &reply, &why), -EPROTO);
		assert_true(why.len > 0);
		assert_null(strchr(why.buf, '\n'));
	}
	server_stop(&s);
}

static void nobody_listens(void **state)
{
	static const char *const answers[] = { NULL };
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct net_spec spec = { 0 };
	struct server s;

	server_start(&s, answers);
	server_stop(&s);
	assert_int_equal(ask(&s, &spec, "/", &reply, &why), -ECONNREFUSED);
	assert_true(starts_with(why.buf, "http://127.0.0.1:"));
}

static void what_could_inject_is_refused(void **state)
{
	static const char *const urls[] = {
		"ftp://example.org/", "file:///etc/passwd", "example.org", "",
		"http://example.org/a\r\nX: y", NULL
	};
	static const char *const header[] = { "A: b\r\nC: d", NULL };
	static const char *const no_colon[] = { "A b", NULL };
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct net_spec spec = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(urls); i++) {
		strbuf_reset(&why);
		spec.url = urls[i];
		assert_int_equal(net_request(&spec, &reply, &why), -EINVAL);
		assert_true(starts_with(why.buf, "not an http"));
		assert_null(strchr(why.buf, '\n'));
	}
	spec.url = "http://127.0.0.1:1/";
	spec.headers = header;
	assert_int_equal(net_request(&spec, &reply, &why), -EINVAL);
	spec.headers = no_colon;
	assert_int_equal(net_request(&spec, &reply, &why), -EINVAL);
	spec.headers = NULL;
	spec.method = "GET /x\r\n";
	assert_int_equal(net_request(&spec, &reply, &why), -EINVAL);
}

static void urls_are_escaped_and_stripped(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	net_add_url_escaped(&sb, "a/b c~%@\xc3\xa4");
	assert_string_equal(sb.buf, "a%2Fb%20c~%25%40%C3%A4");
	strbuf_reset(&sb);
	net_add_url_public(&sb, "https://me:p@ss@example.org/a@b");
	assert_string_equal(sb.buf, "https://example.org/a@b");
	strbuf_reset(&sb);
	net_add_url_public(&sb, "https://example.org");
	assert_string_equal(sb.buf, "https://example.org");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_comes_with_its_headers),
		cmocka_unit_test(a_body_is_sent_with_the_type_it_was_given),
		cmocka_unit_test(a_stream_goes_to_the_callback),
		cmocka_unit_test(too_large_an_answer_is_refused),
		cmocka_unit_test(a_silent_server_costs_the_time_allowed),
		cmocka_unit_test(redirections_stay_on_http),
		cmocka_unit_test(what_is_no_http_is_an_error),
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test(what_could_inject_is_refused),
		cmocka_unit_test(urls_are_escaped_and_stripped),
	};

	return cmocka_run_group_tests_name("net", tests, NULL, NULL);
}
