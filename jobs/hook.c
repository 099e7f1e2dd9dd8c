// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/hook.h"

#include <errno.h>
#include <string.h>

#include "kernel-series/net.h"
#include "lib/hash.h"
#include "lib/json.h"

#define TIMEOUT_S 10
#define MAX_ANSWER_BYTES 65536

static int post(const json_t *request, const json_t *event, int64_t *retry_s,
		struct strbuf *why)
{
	const char *secret = json_get_str(request, "secret", "");
	const char *url = json_get_str(request, "url", "");
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	char *body __free(kfree) = json_dumps(event, JSON_COMPACT);
	char *signature __free(kfree) = NULL, *kind __free(kfree) = NULL;
	char *number __free(kfree) = NULL;
	char hex[HASH_HEX_LEN + 1];
	const char *headers[] = { "Content-Type: application/json", NULL, NULL,
				  NULL, NULL };
	struct net_spec spec = {
		.method = "POST", .url = url, .headers = headers, .body = body,
		.body_len = strlen(body), .timeout_s = TIMEOUT_S,
		.connect_timeout_s = TIMEOUT_S, .max_bytes = MAX_ANSWER_BYTES,
		.contact_url = json_get_str(request, "contact_url", NULL),
	};
	int r;

	signature = xasprintf("X-Mmci-Signature: sha256=%s",
			      hash_hmac_sha256(secret, strlen(secret), body,
					       strlen(body), hex));
	kind = xasprintf("X-Mmci-Event: %s", json_get_str(event, "kind", ""));
	number = xasprintf("X-Mmci-Delivery: %lld",
			   (long long)json_get_int(event, "id", 0));
	headers[1] = signature;
	headers[2] = kind;
	headers[3] = number;
	r = net_request(&spec, &reply, why);
	if (r)
		return r;
	if (reply.status >= 200 && reply.status < 300)
		return 0;
	*retry_s = reply.retry_after_s;
	strbuf_setf(why, "status %d", reply.status);
	return -EPROTO;
}

int hook_worker(const json_t *request, json_t **ret, struct strbuf *why)
{
	const json_t *events = json_object_get(request, "events"), *event;
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	int64_t sent = 0, retry_s = 0;
	json_t *o = json_object();
	size_t i;

	json_array_foreach(events, i, event) {
		if (post(request, event, &retry_s, &text))
			break;
		sent++;
	}
	json_set_int(o, "sent", sent);
	json_set_text(o, "error", text.len ? text.buf : NULL);
	json_set_int(o, "retry_after_s", retry_s);
	*ret = o;
	return 0;
}
