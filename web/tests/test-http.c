// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "web/tests/sample.h"
#include "web/web.h"

#define HEADER_TIMEOUT_MS 700
#define MAX_BODY_BYTES 100000

static char state_dir[] = "/tmp/mmci-http-XXXXXX";
static struct web *web;

/* What the fake daemon was last asked. */
static struct {
	char what[64];
	char who[64];
	int64_t id;
	size_t len;
	bool is_private;
	char arch[16];
	bool failed;
	int answer;
} asked;

static int note(const char *what, int64_t id, const char *who, json_t **ret,
		struct strbuf *why)
{
	snprintf(asked.what, sizeof(asked.what), "%s", what);
	snprintf(asked.who, sizeof(asked.who), "%s", who);
	asked.id = id;
	if (asked.answer) {
		strbuf_setf(why, "the daemon says no");
		return asked.answer;
	}
	*ret = json_pack("{s:s}", "did", what);
	return 0;
}

static int rerun_job(void *arg, struct job_id id, const char *who,
		     json_t **ret, struct strbuf *why)
{
	return note("rerun_job", id.v, who, ret, why);
}

static int rerun_version(void *arg, struct version_id id, const char *arch,
			 bool failed, const char *who, json_t **ret,
			 struct strbuf *why)
{
	snprintf(asked.arch, sizeof(asked.arch), "%s", arch ? arch : "");
	asked.failed = failed;
	return note("rerun_version", id.v, who, ret, why);
}

static int cancel_job(void *arg, struct job_id id, const char *who,
		      json_t **ret, struct strbuf *why)
{
	return note("cancel_job", id.v, who, ret, why);
}

static int submit(void *arg, const void *mbox, size_t len, bool is_private,
		  const char *who, json_t **ret, struct strbuf *why)
{
	asked.len = len;
	asked.is_private = is_private;
	return note("submit", 0, who, ret, why);
}

static int token_add(void *arg, const json_t *spec, const char *who,
		     json_t **ret, struct strbuf *why)
{
	return note(json_get_str(spec, "name", ""), 0, who, ret, why);
}

static int tree_fetch(void *arg, const char *name, const char *who,
		      json_t **ret, struct strbuf *why)
{
	return note(name, 0, who, ret, why);
}

/* cancel_version and tree_add are left out on purpose: 501 */
static const struct web_ops ops = {
	.rerun_job = rerun_job,
	.rerun_version = rerun_version,
	.cancel_job = cancel_job,
	.submit = submit,
	.tree_fetch = tree_fetch,
	.token_add = token_add,
};

static int start(void **state)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct web_config cfg = { .header_timeout_ms = HEADER_TIMEOUT_MS,
				  .body_timeout_ms = HEADER_TIMEOUT_MS,
				  .max_body_bytes = MAX_BODY_BYTES,
				  .archive_url = "https://example.org/list/" };
	char *db __free(kfree) = NULL;

	assert_non_null(mkdtemp(state_dir));
	sample_make(state_dir);
	clock_fake(SAMPLE_NOW_S * 1000);
	db = xasprintf("%s/mmci.db", state_dir);
	cfg.db_path = db;
	cfg.state_dir = state_dir;
	assert_int_equal(web_start(&cfg, &ops, NULL, &web, &why), 0);
	return web_port(web) ? 0 : -1;
}

static int stop(void **state)
{
	web_stop(web);
	clock_fake(-1);
	return fs_rm_rf(state_dir);
}

static int dial(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(web_port(web)) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static void put(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0)
			return; /* answered and closed before it was all sent */
		data += n;
		len -= (size_t)n;
	}
}

/* All bytes until the server closes, within ten seconds. */
static void get_all(int fd, struct strbuf *out)
{
	struct timeval tv = { .tv_sec = 10 };
	char buf[8192];
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
		strbuf_add(out, buf, (size_t)n);
}

struct answer {
	int status;
	struct strbuf head;
	struct strbuf body;
};

static void free_answer(struct answer *a)
{
	strbuf_release(&a->head);
	strbuf_release(&a->body);
}
DEFINE_FREE(answer, struct answer, free_answer(&_T))

/* Send bytes as they are; whatever comes back, cut at the empty line. */
static struct answer raw(const char *data, size_t len)
{
	struct answer a = { 0, STRBUF_INIT, STRBUF_INIT };
	struct strbuf all __free(strbuf) = STRBUF_INIT;
	int fd __free(fd) = dial();
	char *end;

	put(fd, data, len);
	get_all(fd, &all);
	end = strstr(all.buf, "\r\n\r\n");
	if (!end)
		return a;
	assert_int_equal(sscanf(all.buf, "HTTP/1.1 %d", &a.status), 1);
	strbuf_add(&a.head, all.buf, (size_t)(end + 2 - all.buf));
	strbuf_add(&a.body, end + 4, all.len - (size_t)(end + 4 - all.buf));
	return a;
}

static struct answer ask(const char *method, const char *path,
			 const char *token, const char *more, const char *body)
{
	struct strbuf rq __free(strbuf) = STRBUF_INIT;

	strbuf_addf(&rq, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n",
		    method, path);
	if (token)
		strbuf_addf(&rq, "Authorization: Bearer %s\r\n", token);
	if (more)
		strbuf_addf(&rq, "%s\r\n", more);
	if (body)
		strbuf_addf(&rq, "Content-Length: %zu\r\n", strlen(body));
	strbuf_addf(&rq, "\r\n%s", body ? body : "");
	return raw(rq.buf, rq.len);
}

static int status(const char *method, const char *path, const char *token)
{
	struct answer a __free(answer) =
		ask(method, path, token, NULL,
		    strcmp(method, "POST") ? NULL : "");

	return a.status;
}

static bool has(const struct strbuf *sb, const char *text)
{
	return memmem(sb->buf, sb->len, text, strlen(text));
}

static json_t *api(const char *path, const char *token)
{
	struct answer a __free(answer) = ask("GET", path, token, NULL, NULL);
	json_t *v;

	assert_int_equal(a.status, 200);
	assert_true(has(&a.head, "Content-Type: application/json\r\n"));
	v = json_loadb(a.body.buf, a.body.len, 0, NULL);
	assert_non_null(v);
	return v;
}

static const char *const pages[] = {
	"/", "/series", "/series/1", "/series/two-small@example.org",
	"/series/20260429-v2-2@example.org", "/series/3", "/series/4",
	"/job/1", "/job/11", "/job/11?attempt=2", "/job/11?line=1500",
	"/job/21", "/job/22", "/job/41", "/job/42", "/job/43", "/findings",
	"/findings?blame=any", "/findings?series=1", "/outbox", "/outbox/1",
	"/outbox/4", "/trees", "/queue", "/?state=broken", "/?text=mprotect",
	"/?tree=v6.12&author=d@", "/?limit=1", "/ledger", "/ledger?blame=base",
	"/flaky", "/benchmarks", "/benchmarks?arch=x86_64", "/about", "/manual",
};

/* Tags that need an end have one, in order; those that may lack it do. */
static void assert_well_formed(const char *path, const char *s)
{
	static const char *const bare[] = { "meta", "link", "input", "tr", "td",
					    "th", "thead", "tbody", "html",
					    "!DOCTYPE" };
	char open[64][16];
	int depth = 0;

	while ((s = strchr(s, '<'))) {
		bool close = s[1] == '/', skip = false;
		char name[16] = "";

		s += 1 + close;
		sscanf(s, "%15[a-zA-Z0-9!]", name);
		for (size_t i = 0; i < ARRAY_SIZE(bare); i++)
			skip |= !strcmp(name, bare[i]);
		if (!*name)
			fail_msg("%s: a bare < at %.30s", path, s);
		if (skip)
			continue;
		if (!close) {
			assert_true(depth < 64);
			strcpy(open[depth++], name);
			continue;
		}
		if (!depth || strcmp(open[--depth], name))
			fail_msg("%s: </%s> closes %s", path, name,
				 open[depth]);
	}
	if (depth)
		fail_msg("%s: <%s> is not closed", path, open[depth - 1]);
}

static void every_page_is_there_and_well_formed(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		struct answer a __free(answer) =
			ask("GET", pages[i], NULL, NULL, NULL);

		if (a.status != 200)
			fail_msg("%s: %d", pages[i], a.status);
		assert_true(has(&a.head, "Content-Type: text/html; "
					 "charset=utf-8\r\n"));
		assert_well_formed(pages[i], a.body.buf);
		if (a.body.len > 60000)
			fail_msg("%s: %zu bytes", pages[i], a.body.len);
	}
}

static void answers_carry_the_security_headers(void **state)
{
	static const char *const paths[] = { "/", "/nope", "/api/v1/health",
					     "/static/mmci.css",
					     "/api/v1/jobs/11/log" };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct answer a __free(answer) =
			ask("GET", paths[i], NULL, NULL, NULL);

		assert_true(has(&a.head, "Content-Security-Policy: "
					 "default-src 'none'; "));
		assert_false(has(&a.head, "unsafe"));
		assert_true(has(&a.head, "X-Content-Type-Options: nosniff"));
		assert_true(has(&a.head, "Referrer-Policy: "));
	}
}

static void nothing_a_stranger_wrote_becomes_markup(void **state)
{
	static const char *const where[] = { "/", "/series/4", "/job/41",
					     "/job/42", "/job/43", "/findings",
					     "/outbox", "/outbox/4", "/trees",
					     "/ledger?blame=any",
					     "/queue",
					     "/?text=%3Cscript%3Ealert(1)%3C"
					     "/script%3E\"'", };

	for (size_t i = 0; i < ARRAY_SIZE(where); i++) {
		struct answer a __free(answer) =
			ask("GET", where[i], NULL, NULL, NULL);

		assert_int_equal(a.status, 200);
		if (has(&a.body, "<script>") || has(&a.body, "<img") ||
		    has(&a.body, "\"'"))
			fail_msg("%s: unescaped", where[i]);
		if (!has(&a.body, "&lt;script&gt;alert(1)&lt;/script&gt;"))
			fail_msg("%s: the text is not shown", where[i]);
	}
}

static void the_log_shows_controls_harmlessly(void **state)
{
	struct answer a __free(answer) =
		ask("GET", "/job/41", NULL, NULL, NULL);

	assert_false(has(&a.body, "\033"));
	assert_false(has(&a.body, "\a"));
	assert_true(has(&a.body, "[U+202E]reversed"));
}

static void the_series_page_says_what_is_wrong(void **state)
{
	struct answer a __free(answer) =
		ask("GET", "/series/1", NULL, NULL, NULL);

	assert_true(has(&a.body, "does not build on x86_64: patch 2/2"));
	assert_true(has(&a.body, "include/linux/pgtable.h:873:15: error: "));
	assert_true(has(&a.body, "2 more follow from it"));
	assert_true(has(&a.body, "2\u00a0errors, 1\u00a0warning</a>"));
	assert_true(has(&a.body, "<span class=\"add\">&gt; +\tpte = ptep_modify"
				 "_prot_start(vma, addr, ptep);</span>"));
	assert_true(has(&a.body, "b4 shazam 20260429-v2-0@example.org"));
	assert_true(has(&a.body, "1 of the base hidden"));
	assert_false(has(&a.body, "an old one"));
	assert_true(has(&a.body, "+3.0 (+1.7 %)"));
	assert_true(has(&a.body, "0 fixed, 1 still there, 1 not tested, 1 "
				 "new"));
	assert_true(has(&a.body, "build on s390/mm/gcc was not run"));
	assert_true(has(&a.body, "Range-diff against <a href=\"/series/6\">v1"));
	assert_true(has(&a.body, "old &lt;b&gt;"));
	assert_true(has(&a.body, "&lt;</b> dropped<td>mm: gone"));
	assert_true(has(&a.body, "<a href=\"/series/2\">mm/mprotect: two "
				 "small changes</a> v1"));
	assert_true(has(&a.body, "<code>never@example.org</code>: no mail"));
	/* what a private series is called is its own affair */
	assert_false(has(&a.body, "secret work"));
	assert_true(has(&a.body, "https://example.org/list/"
				 "20260429-v2-0@example.org/"));
}

static void the_job_page_opens_at_the_error(void **state)
{
	struct answer a __free(answer) =
		ask("GET", "/job/11", NULL, NULL, NULL);

	assert_true(has(&a.body, "<span id=\"L873\" class=\"l-error\"><a "
				 "href=\"#L873\">873</a><span class=\"\">"
				 "include/linux/pgtable.h:873:15: </span>"
				 "<span class=\"a-b a-1\">error: </span>"
				 "<span class=\"\">implicit"));
	assert_false(has(&a.body, "id=\"L1\""));
	assert_true(has(&a.body, "rerun by operator"));
	assert_true(has(&a.body, "the runner died"));
}

static void the_api_lists_and_shows(void **state)
{
	json_t *list __free(json) = api("/api/v1/series", NULL);
	json_t *one __free(json) = api("/api/v1/series/1", NULL);
	json_t *job __free(json) = api("/api/v1/jobs/11", NULL);
	json_t *items = json_object_get(list, "items"), *cell;

	assert_int_equal(json_array_size(items), 5);
	assert_int_equal(json_get_int(json_array_get(items, 0), "id", 0), 2);
	assert_true(json_is_null(json_object_get(list, "next")));
	assert_string_equal(json_get_str(one, "status", ""), "broken");
	assert_int_equal(json_array_size(json_object_get(one, "findings")), 2);
	/* row 2, column 0: patch 2 built for x86_64 */
	cell = json_object_get(json_object_get(one, "grid"), "rows");
	cell = json_object_get(json_array_get(cell, 2), "cells");
	cell = json_array_get(cell, 0);
	assert_string_equal(json_get_str(cell, "state", ""), "broken");
	assert_int_equal(json_get_int(cell, "errors", 0), 2);
	assert_int_equal(json_array_size(json_object_get(job, "attempts_list")),
			 2);
}

static void lists_are_paged(void **state)
{
	static const int order[] = { 2, 1, 3, 4, 6 };
	char *path __free(kfree) = xstrdup("/api/v1/series?limit=2");
	size_t seen = 0;

	while (path) {
		json_t *v __free(json) = api(path, NULL);
		json_t *items = json_object_get(v, "items"), *item;
		const char *next = json_get_str(v, "next", NULL);
		size_t i;

		json_array_foreach(items, i, item) {
			assert_true(seen < ARRAY_SIZE(order));
			assert_int_equal(json_get_int(item, "id", 0),
					 order[seen++]);
		}
		free(path);
		path = next ? xasprintf("/api/v1/series?limit=2&cursor=%s",
					next) : NULL;
	}
	assert_int_equal(seen, ARRAY_SIZE(order));
	assert_int_equal(status("GET", "/api/v1/series?cursor=x", NULL), 400);
	assert_int_equal(status("GET", "/api/v1/series?limit=0", NULL), 400);
	assert_int_equal(status("GET", "/api/v1/series?limit=501", NULL), 400);
	assert_int_equal(status("GET", "/?limit=x", NULL), 400);
}

static void errors_are_problem_json(void **state)
{
	struct answer a __free(answer) =
		ask("GET", "/api/v1/jobs/999", NULL, NULL, NULL);
	json_t *v __free(json) = json_loadb(a.body.buf, a.body.len, 0, NULL);

	assert_int_equal(a.status, 404);
	assert_true(has(&a.head, "Content-Type: application/problem+json"));
	assert_int_equal(json_get_int(v, "status", 0), 404);
	assert_string_equal(json_get_str(v, "title", ""), "Not Found");
	assert_string_equal(json_get_str(v, "detail", ""),
			    "There is no job with this number.");
}

static void unknown_things_are_404(void **state)
{
	static const char *const paths[] = {
		"/nope", "/series/77", "/series/none@example.org", "/job/77",
		"/job/x", "/job/-1", "/job/11?attempt=9", "/outbox/77",
		"/static/nope", "/static/..%2Fhttp.c", "/api/v1/nope",
		"/api/v1/series/77", "/api/v1/jobs/99999999999999999999",
		"/api/v1/outbox/77.eml", "/api/v1/jobs/1/log",
		"/api/v1/jobs/11/log?attempt=7", "/api/v1/jobs?series=77",
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		if (status("GET", paths[i], NULL) != 404)
			fail_msg("%s is no 404", paths[i]);
	}
}

static void a_path_leads_nowhere_else(void **state)
{
	static const char *const paths[] = {
		"/../../etc/passwd", "/static/../../etc/passwd",
		"/static/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
		"/static//etc/passwd", "/api/v1/jobs/../../etc/passwd",
		"/api/v1/jobs/42/log", /* its directory is ../../../etc */
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct answer a __free(answer) =
			ask("GET", paths[i], NULL, NULL, NULL);

		assert_int_equal(a.status, 404);
		assert_false(has(&a.body, "root:"));
	}
	assert_int_equal(status("GET", "/series/%00", NULL), 400);
	assert_int_equal(status("GET", "/series/%zz", NULL), 400);
	assert_int_equal(status("GET", "/?text=%00", NULL), 400);
}

static void methods_that_fit_not_are_405(void **state)
{
	struct answer a __free(answer) = ask("DELETE", "/api/v1/series",
					     SAMPLE_TOKEN_ADMIN, NULL, NULL);

	assert_int_equal(a.status, 405);
	assert_true(has(&a.head, "Allow: GET, HEAD, POST\r\n"));
	assert_int_equal(status("PUT", "/", NULL), 405);
	assert_int_equal(status("POST", "/", NULL), 405);
	assert_int_equal(status("GET", "/api/v1/jobs/11/rerun",
				SAMPLE_TOKEN_RERUN), 405);
	assert_int_equal(status("HEAD", "/", NULL), 200);
}

static void tokens_are_checked_before_anything_else(void **state)
{
	static const char path[] = "/api/v1/jobs/999/rerun";
	struct answer a __free(answer) = ask("POST", path, NULL, NULL, "");
	struct answer b __free(answer) = ask("POST", path, "nope", NULL, "");
	struct answer c __free(answer) =
		ask("POST", path, SAMPLE_TOKEN_SUBMIT, NULL, "");

	assert_int_equal(a.status, 401);
	assert_true(has(&a.head, "WWW-Authenticate: Bearer realm=\"mmci\"\r\n"));
	assert_true(has(&a.body, "Authorization: Bearer TOKEN"));
	assert_int_equal(b.status, 401);
	assert_true(has(&b.head, "error=\"invalid_token\""));
	assert_int_equal(c.status, 403);
	assert_true(has(&c.head, "error=\"insufficient_scope\", "
				 "scope=\"rerun\""));
	assert_true(has(&c.body, "lacks the scope rerun"));
	assert_int_equal(status("POST", path, SAMPLE_TOKEN_EXPIRED), 401);
	assert_int_equal(status("POST", path, SAMPLE_TOKEN_RERUN), 404);
	assert_int_equal(status("POST", path, SAMPLE_TOKEN_ADMIN), 404);
	assert_int_equal(status("GET", "/api/v1/series", "nope"), 401);
}

static void a_token_in_the_address_is_refused(void **state)
{
	struct answer a __free(answer) =
		ask("POST", "/api/v1/jobs/11/rerun?access_token="
		    SAMPLE_TOKEN_ADMIN, NULL, NULL, "");

	assert_int_equal(a.status, 400);
	assert_true(has(&a.body, "A token does not belong in an address"));
	assert_int_equal(status("POST", "/api/v1/jobs/11/rerun?token="
				SAMPLE_TOKEN_ADMIN, NULL), 400);
	/* not even beside a good one: it is known to others now */
	assert_int_equal(status("GET", "/api/v1/series?api_key=x",
				SAMPLE_TOKEN_ADMIN), 400);
	assert_int_equal(status("GET", "/?token=x", NULL), 400);
}

static void other_schemes_are_401(void **state)
{
	struct answer a __free(answer) =
		ask("POST", "/api/v1/jobs/11/rerun", NULL,
		    "Authorization: Basic eDp5", "");

	assert_int_equal(a.status, 401);
	assert_true(has(&a.head, "WWW-Authenticate: Bearer"));
}

static void a_rerun_reaches_the_daemon(void **state)
{
	asked.answer = 0;
	assert_int_equal(status("POST", "/api/v1/jobs/11/rerun",
				SAMPLE_TOKEN_RERUN), 202);
	assert_string_equal(asked.what, "rerun_job");
	assert_string_equal(asked.who, SAMPLE_TOKEN_RERUN);
	assert_int_equal(asked.id, 11);
	assert_int_equal(status("POST", "/api/v1/series/"
				"20260429-v2-0@example.org/rerun",
				SAMPLE_TOKEN_ADMIN), 202);
	assert_string_equal(asked.what, "rerun_version");
	assert_int_equal(asked.id, 1);
	assert_int_equal(status("POST", "/api/v1/jobs/21/cancel",
				SAMPLE_TOKEN_RERUN), 202);
	assert_string_equal(asked.what, "cancel_job");
	assert_int_equal(status("POST", "/api/v1/series/1/cancel",
				SAMPLE_TOKEN_RERUN), 501);
	assert_int_equal(status("POST", "/api/v1/trees/v6.12/fetch",
				SAMPLE_TOKEN_ADMIN), 202);
	assert_string_equal(asked.what, "v6.12");
}

static void what_the_daemon_says_gets_its_status(void **state)
{
	static const struct {
		int r, status;
	} map[] = { { -ENOENT, 404 }, { -EINVAL, 400 }, { -EBUSY, 503 },
		    { -EALREADY, 409 }, { -ESHUTDOWN, 503 }, { -EIO, 500 } };

	for (size_t i = 0; i < ARRAY_SIZE(map); i++) {
		struct answer a;

		asked.answer = map[i].r;
		a = ask("POST", "/api/v1/jobs/11/rerun", SAMPLE_TOKEN_RERUN,
			NULL, "");
		assert_int_equal(a.status, map[i].status);
		/* our own trouble is for the log, not for strangers */
		assert_int_equal(has(&a.body, "the daemon says no"),
				 map[i].status != 500);
		assert_int_equal(has(&a.head, "Retry-After: "),
				 map[i].status == 503);
		free_answer(&a);
	}
	asked.answer = 0;
}

static void a_submission_arrives_whole(void **state)
{
	struct strbuf mbox __free(strbuf) = STRBUF_INIT;
	struct answer a;

	for (int i = 0; i < 5000; i++)
		strbuf_addstr(&mbox, "From x\nSubject: y\n");
	assert_true(mbox.len > 65536 && mbox.len < MAX_BODY_BYTES);
	a = ask("POST", "/api/v1/series?private=1", SAMPLE_TOKEN_SUBMIT, NULL,
		mbox.buf);
	assert_int_equal(a.status, 202);
	free_answer(&a);
	assert_string_equal(asked.what, "submit");
	assert_int_equal(asked.len, mbox.len);
	assert_true(asked.is_private);
	a = ask("POST", "/api/v1/series", SAMPLE_TOKEN_SUBMIT, NULL, "x");
	assert_int_equal(a.status, 202);
	free_answer(&a);
	assert_false(asked.is_private);
	assert_int_equal(status("POST", "/api/v1/series", SAMPLE_TOKEN_SUBMIT),
			 400);
}

static void bodies_are_limited(void **state)
{
	static const char too_big[] =
		"POST /api/v1/series HTTP/1.1\r\nHost: x\r\n"
		"Authorization: Bearer " SAMPLE_TOKEN_SUBMIT "\r\n"
		"Content-Length: 999999999999\r\n\r\nabc";
	static const char chunked[] =
		"POST /api/v1/series HTTP/1.1\r\nHost: x\r\n"
		"Authorization: Bearer " SAMPLE_TOKEN_SUBMIT "\r\n"
		"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
	struct answer a __free(answer) = raw(too_big, strlen(too_big));
	struct answer b __free(answer) = raw(chunked, strlen(chunked));
	struct answer c __free(answer) =
		ask("GET", "/", NULL, NULL, "a body nobody asked for");

	assert_int_equal(a.status, 413);
	assert_true(has(&a.body, "at most 100000 bytes"));
	assert_int_equal(b.status, 411);
	assert_int_equal(c.status, 413);
}

static void bodies_must_be_one_object(void **state)
{
	static const char *const bad[] = { "", "x", "[]", "{", "{}{}",
					   "{\"a\":1,\"a\":2}" };
	struct answer a;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		a = ask("POST", "/api/v1/tokens", SAMPLE_TOKEN_ADMIN, NULL,
			bad[i]);
		assert_int_equal(a.status, 400);
		free_answer(&a);
	}
	a = ask("POST", "/api/v1/tokens", SAMPLE_TOKEN_ADMIN, NULL,
		"{\"name\":\"ci\"}");
	assert_int_equal(a.status, 201);
	assert_string_equal(asked.what, "ci");
	free_answer(&a);
	assert_int_equal(status("POST", "/api/v1/tokens", SAMPLE_TOKEN_RERUN),
			 403);
}

static void long_addresses_and_headers_are_refused(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	struct answer a;

	strbuf_addch(&sb, '/');
	for (int i = 0; i < 5000; i++)
		strbuf_addch(&sb, 'a');
	assert_int_equal(status("GET", sb.buf, NULL), 414);
	for (int i = 0; i < 50000; i++)
		strbuf_addch(&sb, 'a');
	assert_int_equal(status("GET", sb.buf, NULL), 414);
	strbuf_setf(&sb, "X-Long: ");
	for (int i = 0; i < 50000; i++)
		strbuf_addch(&sb, 'a');
	a = ask("GET", "/", NULL, sb.buf, NULL);
	assert_int_equal(a.status, 431);
	free_answer(&a);
}

/* Does the server hang up within @ms although a byte trickles in now and then? */
static bool is_cut_off(const char *start, int ms)
{
	int fd __free(fd) = dial();
	int64_t until = clock_mono_ms() + ms;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buf[4096];

	put(fd, start, strlen(start));
	while (clock_mono_ms() < until) {
		put(fd, "x", 1);
		if (poll(&p, 1, 100) > 0 && recv(fd, buf, sizeof(buf), 0) <= 0)
			return true;
	}
	return false;
}

static void slow_clients_are_cut_off(void **state)
{
	int64_t from = clock_mono_ms();

	assert_true(is_cut_off("GET / HTTP/1.1\r\nX-Slow: ", 10000));
	assert_true(is_cut_off("POST /api/v1/series HTTP/1.1\r\nHost: x\r\n"
			       "Authorization: Bearer " SAMPLE_TOKEN_SUBMIT
			       "\r\nContent-Length: 90000\r\n\r\n", 10000));
	assert_true(clock_mono_ms() - from >= 2 * HEADER_TIMEOUT_MS - 100);
	/* and nobody else suffers */
	assert_int_equal(status("GET", "/api/v1/health", NULL), 200);
}

static void private_series_are_not_there(void **state)
{
	static const char *const paths[] = {
		"/series/5", "/series/private@example.org", "/job/51",
		"/outbox/5", "/api/v1/series/5", "/api/v1/jobs/51",
		"/api/v1/jobs/51/log", "/api/v1/outbox/5",
		"/api/v1/outbox/5.eml", "/api/v1/findings?series=5",
	};
	static const char *const lists[] = {
		"/", "/findings", "/outbox", "/queue", "/api/v1/series",
		"/api/v1/jobs?limit=500", "/api/v1/findings?blame=any",
		"/api/v1/outbox", "/?text=secret",
	};
	struct answer a;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		assert_int_equal(status("GET", paths[i], NULL), 404);
		assert_int_equal(status("GET", paths[i], SAMPLE_TOKEN_RERUN),
				 404);
		if (status("GET", paths[i], SAMPLE_TOKEN_READ) != 200)
			fail_msg("%s is not shown to read-private", paths[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		a = ask("GET", lists[i], SAMPLE_TOKEN_RERUN, NULL, NULL);
		assert_int_equal(a.status, 200);
		if (has(&a.body, "secret work") || has(&a.body, "\"id\": 51,"))
			fail_msg("%s gives a private series away", lists[i]);
		free_answer(&a);
	}
	assert_int_equal(status("POST", "/api/v1/jobs/51/rerun",
				SAMPLE_TOKEN_RERUN), 404);
	assert_int_equal(status("POST", "/api/v1/series/5/rerun",
				SAMPLE_TOKEN_RERUN), 404);
	assert_int_equal(status("POST", "/api/v1/jobs/51/rerun",
				SAMPLE_TOKEN_READ), 202);
	a = ask("GET", "/api/v1/series", SAMPLE_TOKEN_READ, NULL, NULL);
	assert_true(has(&a.body, "secret work"));
	assert_true(has(&a.head, "Cache-Control: no-store"));
	free_answer(&a);
}

static void ranged(const char *range, int want, const char *content_range,
		   size_t len)
{
	char *header __free(kfree) = xasprintf("Range: %s", range);
	struct answer a __free(answer) =
		ask("GET", "/api/v1/jobs/21/log", NULL, header, NULL);

	assert_int_equal(a.status, want);
	if (content_range)
		assert_true(has(&a.head, content_range));
	else
		assert_false(has(&a.head, "Content-Range"));
	if (want != 416)
		assert_int_equal(a.body.len, len);
}

static void logs_come_in_ranges(void **state)
{
	struct answer a __free(answer) =
		ask("GET", "/api/v1/jobs/21/log", NULL, NULL, NULL);

	assert_int_equal(a.status, 200);
	assert_true(has(&a.head, "Content-Type: text/plain; charset=utf-8"));
	assert_true(has(&a.head, "Accept-Ranges: bytes"));
	assert_string_equal(a.body.buf, "==> patch 1\n  CC      "
					"mm/mprotect.o\n");
	ranged("bytes=0-3", 206, "Content-Range: bytes 0-3/36\r\n", 4);
	ranged("bytes=30-", 206, "Content-Range: bytes 30-35/36\r\n", 6);
	ranged("bytes=-5", 206, "Content-Range: bytes 31-35/36\r\n", 5);
	ranged("bytes=-500", 206, "Content-Range: bytes 0-35/36\r\n", 36);
	ranged("bytes=30-999", 206, "Content-Range: bytes 30-35/36\r\n", 6);
	ranged("bytes=36-", 416, "Content-Range: bytes */36\r\n", 0);
	ranged("bytes=-0", 416, "Content-Range: bytes */36\r\n", 0);
	/* what makes no sense is as if it had not been sent */
	ranged("bytes=5-2", 200, NULL, 36);
	ranged("bytes=a-b", 200, NULL, 36);
	ranged("bytes=0-1,3-4", 200, NULL, 36);
	ranged("lines=0-1", 200, NULL, 36);
	ranged("bytes=--5", 200, NULL, 36);
}

static void static_files_are_not_sent_twice(void **state)
{
	struct answer a __free(answer) =
		ask("GET", "/static/mmci.css", NULL, NULL, NULL);
	char etag[64] = "", header[128];
	struct answer b;

	assert_int_equal(sscanf(strstr(a.head.buf, "ETag: "), "ETag: %63s",
				etag), 1);
	snprintf(header, sizeof(header), "If-None-Match: %s", etag);
	b = ask("GET", "/static/mmci.css", NULL, header, NULL);
	assert_int_equal(b.status, 304);
	assert_int_equal(b.body.len, 0);
	free_answer(&b);
}

/* A page names them with their hash, and that address is for ever. */
static void static_files_are_kept_by_their_hash(void **state)
{
	struct answer page __free(answer) = ask("GET", "/", NULL, NULL, NULL);
	struct answer a __free(answer), b __free(answer);
	const char *at = strstr(page.body.buf, "/static/mmci.js?v=");
	char path[64];

	assert_non_null(at);
	assert_int_equal(sscanf(at, "%63[^\"]", path), 1);
	a = ask("GET", path, NULL, NULL, NULL);
	assert_int_equal(a.status, 200);
	assert_true(has(&a.head, "immutable"));
	b = ask("GET", "/static/mmci.js?v=0", NULL, NULL, NULL);
	assert_int_equal(b.status, 200);
	assert_false(has(&b.head, "immutable"));
}

static void filters_stay_in_the_address(void **state)
{
	struct answer a __free(answer) =
		ask("GET", "/?state=broken&tree=v6.12&author=d%40", NULL, NULL,
		    NULL);

	assert_true(has(&a.body, "<option selected>v6.12</option>"));
	assert_true(has(&a.body, "name=\"state\" value=\"broken\""));
	assert_true(has(&a.body, "name=\"author\" value=\"d@\""));
	assert_true(has(&a.body, "href=\"/?tree=v6.12&amp;author=d@&amp;"
				 "state=clean\""));
	/* "all" is this without the state */
	assert_true(has(&a.body, "href=\"/?tree=v6.12&amp;author=d@\""));
}

static void garbage_is_answered_or_dropped(void **state)
{
	static const char *const bad[] = {
		"\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
		"\x16\x03\x01\x02\x01\x01\xfc\x03\x03",
		"GET / HTTP/1.1\r\n\r\n",
		"GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /api/v1/series HTTP/1.1\r\nHost: x\r\n"
		"Content-Length: -1\r\n\r\n",
		"POST /api/v1/series HTTP/1.1\r\nHost: x\r\n"
		"Authorization: Bearer " SAMPLE_TOKEN_SUBMIT "\r\n"
		"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct answer a __free(answer) = raw(bad[i], strlen(bad[i]));

		assert_true(a.status == 0 || a.status >= 400);
	}
	assert_int_equal(status("GET", "/", NULL), 200);
}

static void a_bad_setup_says_what_and_where(void **state)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	char *db __free(kfree) = xasprintf("%s/mmci.db", state_dir);
	struct web_config cfg = { .state_dir = state_dir, .db_path = db };
	struct web *other = NULL;

	cfg.address = "localhost";
	assert_int_equal(web_start(&cfg, &ops, NULL, &other, &why), -EINVAL);
	assert_string_equal(why.buf, "localhost is no IPv4 or IPv6 address");
	cfg.address = NULL;
	cfg.port = web_port(web);
	assert_int_equal(web_start(&cfg, &ops, NULL, &other, &why),
			 -EADDRINUSE);
	assert_non_null(strstr(why.buf, "cannot listen on 127.0.0.1 port "));
	cfg.port = 0;
	cfg.archive_url = "javascript:alert(1)//";
	assert_int_equal(web_start(&cfg, &ops, NULL, &other, &why), -EINVAL);
	cfg.archive_url = NULL;
	cfg.db_path = "/nonexistent/mmci.db";
	assert_int_equal(web_start(&cfg, &ops, NULL, &other, &why), -ENOENT);
	assert_non_null(strstr(why.buf, "/nonexistent/mmci.db"));
	assert_null(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_page_is_there_and_well_formed),
		cmocka_unit_test(answers_carry_the_security_headers),
		cmocka_unit_test(nothing_a_stranger_wrote_becomes_markup),
		cmocka_unit_test(the_log_shows_controls_harmlessly),
		cmocka_unit_test(the_series_page_says_what_is_wrong),
		cmocka_unit_test(the_job_page_opens_at_the_error),
		cmocka_unit_test(the_api_lists_and_shows),
		cmocka_unit_test(lists_are_paged),
		cmocka_unit_test(errors_are_problem_json),
		cmocka_unit_test(unknown_things_are_404),
		cmocka_unit_test(a_path_leads_nowhere_else),
		cmocka_unit_test(methods_that_fit_not_are_405),
		cmocka_unit_test(tokens_are_checked_before_anything_else),
		cmocka_unit_test(a_token_in_the_address_is_refused),
		cmocka_unit_test(other_schemes_are_401),
		cmocka_unit_test(a_rerun_reaches_the_daemon),
		cmocka_unit_test(what_the_daemon_says_gets_its_status),
		cmocka_unit_test(a_submission_arrives_whole),
		cmocka_unit_test(bodies_are_limited),
		cmocka_unit_test(bodies_must_be_one_object),
		cmocka_unit_test(long_addresses_and_headers_are_refused),
		cmocka_unit_test(slow_clients_are_cut_off),
		cmocka_unit_test(private_series_are_not_there),
		cmocka_unit_test(logs_come_in_ranges),
		cmocka_unit_test(static_files_are_not_sent_twice),
		cmocka_unit_test(static_files_are_kept_by_their_hash),
		cmocka_unit_test(filters_stay_in_the_address),
		cmocka_unit_test(garbage_is_answered_or_dropped),
		cmocka_unit_test(a_bad_setup_says_what_and_where),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
