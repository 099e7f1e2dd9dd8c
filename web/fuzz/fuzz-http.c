// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes as a client sends them, over a connection to the server of this
 * process, which looks after the sample: request line, headers, cookies, query,
 * forms, multipart and JSON bodies, and whatever a handler makes of them.
 *
 * A line "@admin" and the like becomes an Authorization header, so that the
 * fuzzer need not guess tokens.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/log.h"
#include "web/tests/sample.h"
#include "web/web.h"

#define MAX_BYTES ((size_t)1 << 17)
/* An answer that has begun must end in this time. */
#define ANSWER_MS 10000
/* Half a request has no answer, a stream no end: how long to look at them. */
#define FIRST_MS 200
#define STREAM_MS 50

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct web *web;
static char state_dir[] = "/tmp/mmci-fuzz-XXXXXX";

/* The daemon says yes to everything, as one that has much to tell. */
static int yes_job(void *arg, struct job_id id, const char *who, json_t **ret,
		   struct strbuf *why)
{
	*ret = json_pack("{s:s}", "did", who);
	return 0;
}

static int yes_version(void *arg, struct version_id id, const char *who,
		       json_t **ret, struct strbuf *why)
{
	*ret = json_pack("{s:s}", "did", who);
	return 0;
}

static int yes_rerun(void *arg, struct version_id id, const char *arch,
		     bool failed, const char *who, json_t **ret,
		     struct strbuf *why)
{
	*ret = json_pack("{s:s?, s:b}", "arch", arch, "failed", failed);
	return 0;
}

/* Nothing is stored: nobody gets logged in. */
static int no_act(void *arg, enum web_act act, const json_t *spec,
		  const char *who, json_t **ret, struct strbuf *why)
{
	strbuf_setf(why, "not now");
	return -EBUSY;
}

static int yes_tree(void *arg, const json_t *tree, const char *who,
		    json_t **ret, struct strbuf *why)
{
	*ret = json_deep_copy(tree);
	return 0;
}

static int yes_fetch(void *arg, const char *name, const char *who,
		     json_t **ret, struct strbuf *why)
{
	strbuf_setf(why, "no tree is called %s", name);
	return -ENOENT;
}

static const struct web_ops ops = {
	.rerun_job = yes_job,
	.cancel_job = yes_job,
	.rerun_version = yes_rerun,
	.act = no_act,
	.cancel_version = yes_version,
	.tree_add = yes_tree,
	.tree_fetch = yes_fetch,
	.token_add = yes_tree,
};

static void stop(void)
{
	web_stop(web);
	fs_rm_rf(state_dir);
}

static void start(void)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct web_config cfg = { .threads = 2, .max_connections = 64 };
	char *db __free(kfree) = NULL;

	if (!mkdtemp(state_dir))
		abort();
	sample_make(state_dir);
	clock_fake(SAMPLE_NOW_S * 1000);
	db = xasprintf("%s/mmci.db", state_dir);
	cfg.db_path = db;
	cfg.state_dir = state_dir;
	cfg.archive_url = "https://example.org/list/";
	if (web_start(&cfg, &ops, NULL, &web, &why)) {
		fprintf(stderr, "%s\n", why.buf);
		abort();
	}
	atexit(stop);
}

/* "@admin" on a line of its own becomes a header. */
static void expand(struct strbuf *out, const char *in, size_t len)
{
	static const char *const names[] = { "admin", "rerun", "submit",
					     "read-private", "expired" };

	while (len) {
		const char *end = memchr(in, '\n', len);
		size_t n = end ? (size_t)(end - in) + 1 : len, i;

		for (i = 0; *in == '@' && i < ARRAY_SIZE(names); i++) {
			size_t k = strlen(names[i]);

			if (n >= k + 1 && !strncmp(in + 1, names[i], k))
				break;
		}
		if (*in == '@' && i < ARRAY_SIZE(names))
			strbuf_addf(out, "Authorization: Bearer sample-%s\r\n",
				    names[i]);
		else
			strbuf_add(out, in, n);
		in += n;
		len -= n;
	}
}

static int dial(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(web_port(web)) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct linger now = { .l_onoff = 1 };

	inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a))) {
		perror("fuzz-http");
		abort();
	}
	/* no port is kept waiting: thousands of connections a second */
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
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

/* Has all of the first answer come? The connection stays open for more. */
static bool complete(const struct strbuf *out, bool head)
{
	char *end = memmem(out->buf, out->len, "\r\n\r\n", 4), *length;

	if (!end)
		return false;
	if (head || starts_with(out->buf, "HTTP/1.1 304"))
		return true;
	length = strstr(out->buf, "Content-Length: ");
	return length && length < end &&
	       out->len >= (size_t)(end + 4 - out->buf) +
			   strtoull(length + 16, NULL, 10);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf in __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct pollfd p = { .events = POLLIN };
	char buf[16384];
	ssize_t n = 1;

	if (!web)
		start();
	if (size > MAX_BYTES)
		return 0;
	expand(&in, (const char *)data, size);
	p.fd = dial();
	put(p.fd, in.buf, in.len);
	while (n > 0 && !complete(&out, starts_with(in.buf, "HEAD"))) {
		bool stream = memmem(out.buf, out.len, "text/event-stream", 17);

		if (poll(&p, 1, !out.len ? FIRST_MS : stream ? STREAM_MS :
			 ANSWER_MS) != 1) {
			if (!out.len || stream)
				break;
			fprintf(stderr, "no end of the answer: %.300s\n",
				out.buf);
			abort();
		}
		n = recv(p.fd, buf, sizeof(buf), 0);
		if (n > 0)
			strbuf_add(&out, buf, (size_t)n);
	}
	close(p.fd);
	if (out.len && !starts_with(out.buf, "HTTP/1.")) {
		fprintf(stderr, "this is no answer: %.300s\n", out.buf);
		abort();
	}
	/* a 500 is a mistake of ours, whatever was asked */
	if (starts_with(out.buf, "HTTP/1.1 500")) {
		fprintf(stderr, "asked: %.*s\n", (int)in.len, in.buf);
		abort();
	}
	return 0;
}
