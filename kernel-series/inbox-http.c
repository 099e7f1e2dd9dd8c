// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A public-inbox v2 archive over HTTP: its manifest says which epochs have
 * changed, git fetches those into a mirror, the mirror is read like a directory.
 */
#include "kernel-series/inbox-int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <zlib.h>

#include "kernel-series/inbox-mirror.h"
#include "kernel-series/net.h"
#include "lib/clock.h"
#include "lib/fs.h"

#define MAX_MANIFEST_BYTES ((size_t)4 << 20)
#define DEFAULT_TIMEOUT_S 1800
#define FIRST_PAUSE_S 60
#define MAX_PAUSE_S 3600
#define MAX_RETRY_AFTER_S 86400
#define GZIP_WBITS (16 + MAX_WBITS)

/* The longer it lasts, the longer the pause; what the server asks for counts. */
static int back_off(struct inbox_run *run, int64_t retry_after_s)
{
	int64_t failures = json_get_int(run->state, "failures", 0);
	int64_t pause_s = retry_after_s;
	int r;

	if (pause_s <= 0) {
		pause_s = FIRST_PAUSE_S;
		for (int64_t i = 0; i < failures && pause_s < MAX_PAUSE_S; i++)
			pause_s *= 2;
		pause_s = min(pause_s, (int64_t)MAX_PAUSE_S);
	}
	pause_s = min(pause_s, (int64_t)MAX_RETRY_AFTER_S);
	json_set_int(run->state, "failures", failures + 1);
	json_set_int(run->state, "not_before_s", clock_now_s() + pause_s);
	strbuf_addf(run->why, ", next try in %" PRId64 " s", pause_s);
	r = inbox_give_state(run);
	return r ? r : INBOX_BACK_OFF;
}

static int still_backing_off(struct inbox_run *run)
{
	int64_t until_s = json_get_int(run->state, "not_before_s", 0);
	int64_t now_s = clock_now_s();
	char at[32];

	/* a clock that was set back must not stop a source for years */
	if (until_s <= now_s || until_s > now_s + MAX_RETRY_AFTER_S)
		return 0;
	net_add_url_public(run->why, run->spec->location);
	strbuf_addf(run->why, ": left alone until %s as its server asked",
		    clock_rfc3339(until_s, at));
	return INBOX_BACK_OFF;
}

static int http_problem(struct inbox_run *run, const char *url, int status,
			int64_t retry_after_s)
{
	net_add_url_public(run->why, url);
	strbuf_addf(run->why, ": HTTP %d", status);
	if (status == 429 || status / 100 == 5)
		return back_off(run, retry_after_s);
	if (status == 404 || status == 410) {
		strbuf_addstr(run->why,
			      ", no public-inbox v2 archive is there");
		return -ENOENT;
	}
	return status == 401 || status == 403 ? -EACCES : -EPROTO;
}

static int gunzip(const struct strbuf *in, struct strbuf *out)
{
	z_stream z = { 0 };
	int r = Z_OK;

	/* some servers unpack what is called .gz on the way */
	if (in->len && in->buf[0] == '{') {
		strbuf_addbuf(out, in);
		return 0;
	}
	if (inflateInit2(&z, GZIP_WBITS) != Z_OK)
		return -ENOMEM;
	z.next_in = (unsigned char *)in->buf;
	z.avail_in = (unsigned int)in->len;
	while (r == Z_OK && out->len < MAX_MANIFEST_BYTES) {
		strbuf_grow(out, 65536);
		z.next_out = (unsigned char *)out->buf + out->len;
		z.avail_out = 65536;
		r = inflate(&z, Z_NO_FLUSH);
		out->len += 65536 - z.avail_out;
		out->buf[out->len] = '\0';
	}
	inflateEnd(&z);
	return r == Z_STREAM_END ? 0 : -EPROTO;
}

static int get_manifest(struct inbox_run *run, const char *url, json_t **ret)
{
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	unsigned int timeout_s = run->spec->timeout_s;
	struct net_spec spec = {
		.url = url, .contact_url = run->spec->contact_url,
		.timeout_s = min(timeout_s ? timeout_s : 60u, 60u),
		.max_bytes = MAX_MANIFEST_BYTES,
	};
	int r;

	r = net_request(&spec, &reply, run->why);
	if (r)
		return r;
	if (reply.status != 200)
		return http_problem(run, url, reply.status,
				    reply.retry_after_s);
	r = gunzip(&reply.body, &text);
	if (!r)
		*ret = json_loadb(text.buf, text.len, JSON_REJECT_DUPLICATES,
				  NULL);
	if (r || !json_is_object(*ret)) {
		net_add_url_public(run->why, url);
		strbuf_addstr(run->why, ": not a gzip of a JSON object");
		json_decref(*ret);
		*ret = NULL;
		return -EPROTO;
	}
	return 0;
}

/* "/linux-mm/git/12.git": number and what stands before "/git/" */
static long split_key(const char *key, size_t *prefix_len)
{
	const char *slash = strrchr(key, '/');

	if (!slash || slash - key < 4 || strncmp(slash - 4, "/git", 4))
		return -1;
	*prefix_len = (size_t)(slash - 4 - key);
	return inbox_epoch_number(slash + 1);
}

static int find_remote_epochs(struct inbox_run *run, json_t *manifest,
			      struct inbox_epochs *ret)
{
	const char *location = run->spec->location, *first = NULL, *key;
	json_t *value;

	json_object_foreach(manifest, key, value) {
		size_t len = 0, first_len = 0;
		long n = split_key(key, &len);

		if (n < 0)
			continue;
		if (!first)
			first = key;
		split_key(first, &first_len);
		if (len != first_len || memcmp(key, first, len)) {
			net_add_url_public(run->why, location);
			strbuf_addstr(run->why, ": has several archives, add "
				      "the name of one to the URL");
			return -ENOTDIR;
		}
		inbox_epochs_add(ret, (unsigned int)n);
	}
	if (!ret->nr) {
		net_add_url_public(run->why, location);
		strbuf_addstr(run->why, ": its manifest lists no epochs, "
			      "this is not a public-inbox v2 archive");
		return -ENOTDIR;
	}
	return 0;
}

static const char *fingerprint_of(json_t *manifest, unsigned int number)
{
	const char *key;
	json_t *value;
	size_t len;

	json_object_foreach(manifest, key, value) {
		if (split_key(key, &len) == (long)number)
			return json_get_str(value, "fingerprint", "");
	}
	return "";
}

static int read_epoch(struct inbox_run *run, const char *base,
		      unsigned int number, const char *fingerprint)
{
	char *dir __free(kfree) = xasprintf("%s/git/%u.git",
					    run->spec->cache_dir, number);
	char *url __free(kfree) = xasprintf("%s/git/%u.git", base, number);
	json_t *epoch = inbox_epoch_get(run->state, number);
	struct mirror_spec spec = {
		.git_dir = dir, .url = url,
		.contact_url = run->spec->contact_url,
		.since_s = run->spec->since_s,
		.from_start = !*json_get_str(epoch, "tip", ""),
		.timeout_s = run->spec->timeout_s ? run->spec->timeout_s :
						    DEFAULT_TIMEOUT_S,
	};
	bool cut = false;
	int status = 0, r;

	/* without a fingerprint nobody knows: look */
	if (epoch && *fingerprint && fs_exists(dir) &&
	    !strcmp(json_get_str(epoch, "fingerprint", ""), fingerprint))
		return 0;
	r = mirror_fetch(&spec, &cut, &status, run->why);
	if (r == MIRROR_HTTP_STATUS)
		return http_problem(run, url, status, 0);
	if (r)
		return r;

	epoch = inbox_epoch_make(run->state, number);
	if (cut)
		json_set_bool(epoch, "past", true);
	r = inbox_git_read(run, dir, number, epoch);
	if (r)
		return r;
	json_set_text(epoch, "fingerprint", fingerprint);
	return inbox_give_state(run);
}

static int lock_cache(struct inbox_run *run)
{
	const char *dir = run->spec->cache_dir;
	char *path __free(kfree) = NULL;
	int fd, r;

	if (!dir || !*dir) {
		strbuf_addstr(run->why, "an archive that comes over HTTP needs "
			      "a cache directory");
		return -EINVAL;
	}
	path = xasprintf("%s/lock", dir);
	r = fs_mkdir_p(dir);
	if (r) {
		strbuf_addf(run->why, "%s: %s", dir, strerror(-r));
		return r;
	}
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB)) {
		r = errno == EWOULDBLOCK ? -EBUSY : -errno;
		strbuf_addf(run->why, "%s: %s", path, strerror(-r));
		if (fd >= 0)
			close(fd);
		return r;
	}
	return fd;
}

int inbox_read_http(struct inbox_run *run)
{
	struct inbox_epochs epochs __free(inbox_epochs) = { 0 };
	char *base __free(kfree) = xstrdup(run->spec->location);
	char *url __free(kfree) = NULL;
	json_t *manifest __free(json) = NULL;
	int lock __free(fd) = -1;
	int r;

	r = still_backing_off(run);
	if (r)
		return r;
	lock = lock_cache(run);
	if (lock < 0)
		return lock;
	while (ends_with(base, "/"))
		base[strlen(base) - 1] = '\0';
	url = xasprintf("%s/manifest.js.gz", base);
	r = get_manifest(run, url, &manifest);
	if (!r)
		r = find_remote_epochs(run, manifest, &epochs);
	if (r)
		return r;

	inbox_epochs_sort(&epochs, run->state);
	for (size_t i = 0; i < epochs.nr && !r; i++) {
		unsigned int n = epochs.v[i];

		if (inbox_epoch_wanted(run->state, n))
			r = read_epoch(run, base, n,
				       fingerprint_of(manifest, n));
	}
	if (!r && json_get_int(run->state, "failures", 0)) {
		json_object_del(run->state, "failures");
		json_object_del(run->state, "not_before_s");
		r = inbox_give_state(run);
	}
	return r;
}
