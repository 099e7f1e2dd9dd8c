/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_WEB_H
#define MMCI_WEB_WEB_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "db/id.h"
#include "lib/strbuf.h"

struct web;

/**
 * struct web_config - where to listen and what to show
 * @address: numeric IPv4 or IPv6 address; NULL means 127.0.0.1
 * @port: TCP port, 0 for any free one (web_port() tells which)
 * @state_dir: logs are read below it
 * @db_path: opened read-only, once per concurrent request
 * @archive_url: prefix to which a Message-ID is appended to link to the mail,
 *	"https://lore.kernel.org/linux-mm/"; NULL: no such links
 * @public_url: how this service is reached from outside, for scripts
 * @threads: HTTP threads, 0 means 4
 * @max_connections: further ones wait to be accepted, 0 means 768
 * @max_viewers: streams of events and logs at a time, 0 means 512
 * @trusted_proxies: addresses, or ADDRESS/BITS, whose X-Forwarded-For and
 *	X-Forwarded-Proto are believed; borrowed until web_stop()
 * @requests_per_min: one address may ask so often, 0: no limit; this machine
 *	itself is not counted
 * @token_requests_per_min: the same for one token
 * @session_s: a browser is logged out after so long, 0 means 12 hours
 * @header_timeout_ms: a request line and its headers must arrive within this,
 *	also the longest pause between two requests; 0 means 15000
 * @body_timeout_ms: a request body must arrive within this; 0 means 60000
 * @send_timeout_ms: a response must be taken within this; 0 means 600000
 * @max_body_bytes: larger uploads get 413; 0 means 16 MiB
 *
 * All strings are copied by web_start().
 */
struct web_config {
	const char *address;
	uint16_t port;
	const char *state_dir;
	const char *db_path;
	const char *archive_url;
	const char *public_url;
	unsigned int threads;
	unsigned int max_connections;
	unsigned int max_viewers;
	const char *const *trusted_proxies;
	size_t n_trusted_proxies;
	unsigned int requests_per_min;
	unsigned int token_requests_per_min;
	int64_t session_s;
	unsigned int header_timeout_ms;
	unsigned int body_timeout_ms;
	unsigned int send_timeout_ms;
	size_t max_body_bytes;
};

/**
 * enum web_act - what &web_ops.act is asked for, and with which members
 * @WEB_SESSION_ADD: {hash: of the cookie, token: its name, expires_s}
 * @WEB_SESSION_END: {hash}
 * @WEB_TOKEN_REVOKE: {name}
 * @WEB_HOOK_ADD: {name, url, events}; the answer has "secret", shown this once
 * @WEB_HOOK_REMOVE: {name}
 */
enum web_act {
	WEB_SESSION_ADD,
	WEB_SESSION_END,
	WEB_TOKEN_REVOKE,
	WEB_HOOK_ADD,
	WEB_HOOK_REMOVE,
};

/**
 * struct web_ops - what the owner of the database does for a request
 *
 * Called on HTTP threads, several at a time: the owner takes them to the thread
 * that may write and waits there. The caller has been authenticated and its
 * scope checked before; @who is the name of its token.
 *
 * On success each gives 0 and may set @ret to a new reference, which becomes
 * the body of the answer. Otherwise -errno and one line in @why, which the
 * client gets to read: -ENOENT becomes 404, -EINVAL 400, -EEXIST and -EALREADY
 * 409, -EFBIG 413, -EPERM 403, -EBUSY, -EAGAIN and -ESHUTDOWN 503, all else 500
 * (then @why is logged and not shown). A member may be NULL: 501.
 */
struct web_ops {
	/* run again; 202 */
	int (*rerun_job)(void *arg, struct job_id id, const char *who,
			 json_t **ret, struct strbuf *why);
	/* only what runs on @arch (NULL: any); @failed: only what did not pass */
	int (*rerun_version)(void *arg, struct version_id id, const char *arch,
			     bool failed, const char *who, json_t **ret,
			     struct strbuf *why);
	/* give up what has not ended yet; 202 */
	int (*cancel_job)(void *arg, struct job_id id, const char *who,
			  json_t **ret, struct strbuf *why);
	int (*cancel_version)(void *arg, struct version_id id, const char *who,
			      json_t **ret, struct strbuf *why);
	/* an mbox of a series; private: not shown without read-private; 202 */
	int (*submit)(void *arg, const void *mbox, size_t len, bool is_private,
		      const char *who, json_t **ret, struct strbuf *why);
	/* {name, kind, location, branch, role, rank}; 201 */
	int (*tree_add)(void *arg, const json_t *tree, const char *who,
			json_t **ret, struct strbuf *why);
	/* look for a new tip now; 202 */
	int (*tree_fetch)(void *arg, const char *name, const char *who,
			  json_t **ret, struct strbuf *why);
	/* {name, scopes, expires_s}; @ret has "token", shown this once; 201 */
	int (*token_add)(void *arg, const json_t *spec, const char *who,
			 json_t **ret, struct strbuf *why);
	/* whatever else is asked for with nothing but a JSON object */
	int (*act)(void *arg, enum web_act act, const json_t *spec,
		   const char *who, json_t **ret, struct strbuf *why);
	/* 0 while the owner of the database is at work, else -errno */
	int (*ready)(void *arg, struct strbuf *why);
	/* let a held reply go, or withdraw one; @reason may be ""; 202 */
	int (*outbox_approve)(void *arg, struct outgoing_id id,
			      const char *who, json_t **ret,
			      struct strbuf *why);
	int (*outbox_reject)(void *arg, struct outgoing_id id,
			     const char *reason, const char *who, json_t **ret,
			     struct strbuf *why);
};

/**
 * web_start() - serve pages and the API until web_stop()
 * @ops, @arg: must stay valid until web_stop() returned
 * @why: on failure, one line saying what and where
 *
 * Starts threads of its own and returns. The database must exist.
 *
 * Return: 0 and @ret; -EADDRINUSE, -EINVAL for a bad address; -errno.
 */
int web_start(const struct web_config *cfg, const struct web_ops *ops,
	      void *arg, struct web **ret, struct strbuf *why);
/** web_port() - the TCP port listened on */
uint16_t web_port(const struct web *web);
/**
 * web_stop() - answer what has begun, then end the threads; NULL is fine
 *
 * Callbacks of web_ops that are waiting must be let go first, or this waits
 * for them.
 */
void web_stop(struct web *web);

#endif
