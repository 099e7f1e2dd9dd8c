// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "kernel-series/net.h"
#include "lib/config.h"
#include "lib/fs.h"
#include "server/cmd.h"

#define DEFAULT_URL "http://127.0.0.1:8070"
#define TOKEN_MAX_BYTES 4096

static void take_token(struct client *c, const char *state_dir)
{
	char *path __free(kfree) = xasprintf("%s/admin.token", state_dir);
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	/* not ours to read: then what needs no token still works */
	if (fs_read_file(path, TOKEN_MAX_BYTES, &text))
		return;
	strbuf_rtrim(&text);
	c->token = strbuf_detach(&text);
}

/* 0.0.0.0 and :: are where to listen, not where to go */
static char *local_url(const struct config *cfg)
{
	const char *host = cfg->listen_host;

	if (!strcmp(host, "0.0.0.0"))
		host = "127.0.0.1";
	else if (!strcmp(host, "::"))
		host = "::1";
	return xasprintf(strchr(host, ':') ? "http://[%s]:%lld" :
			 "http://%s:%lld", host,
			 (long long)cfg->listen_port);
}

/* Only a daemon found through its own configuration is given its token. */
static int find_daemon(struct client *c)
{
	struct config *cfg __free(config) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	const char *env = getenv("MMCI_TOKEN");
	int r;

	if (!c->token && env && *env)
		c->token = xstrdup(env);
	if (!c->url && getenv("MMCI_URL"))
		c->url = xstrdup(getenv("MMCI_URL"));
	if (c->url) {
		while (ends_with(c->url, "/"))
			c->url[strlen(c->url) - 1] = '\0';
		return 0;
	}
	r = config_load(c->config_path, &cfg, &why);
	if (r == -ENOENT || r == -EACCES) {
		c->url = xstrdup(DEFAULT_URL);
		return 0;
	}
	if (r)
		return cmd_usage("%s", why.buf);
	c->url = local_url(cfg);
	if (!c->token)
		take_token(c, cfg->state_dir);
	return 0;
}

/* RFC 9457: "detail" says what, "title" is the kind of problem */
static int refused(const struct net_reply *reply, const char *path)
{
	json_t *o __free(json) = json_loadb(reply->body.buf, reply->body.len, 0,
					    NULL);
	const char *what = json_get_str(o, "detail", NULL);

	if (!what)
		what = json_get_str(o, "title", "no reason given");
	return cmd_fail("%s: %s (HTTP %d)", path, what, reply->status);
}

static int request(struct client *c, struct net_spec *spec, const char *path,
		   const char *header, struct net_reply *reply)
{
	char *url __free(kfree) = NULL, *auth __free(kfree) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	const char *headers[3];
	int n = 0, r;

	r = find_daemon(c);
	if (r)
		return r;
	url = xasprintf("%s%s", c->url, path);
	if (c->token) {
		auth = xasprintf("Authorization: Bearer %s", c->token);
		headers[n++] = auth;
	}
	if (header)
		headers[n++] = header;
	headers[n] = NULL;
	spec->url = url;
	spec->headers = headers;
	spec->direct = true;
	r = net_request(spec, reply, &why);
	if (r) {
		cmd_fail("%s", why.buf);
		return r == -EINVAL ? CMD_USAGE : CMD_UNREACHABLE;
	}
	return CMD_YES;
}

static int good(const struct net_reply *reply, const char *path)
{
	if (reply->status < 200 || reply->status > 299)
		return refused(reply, path);
	return CMD_YES;
}

int api_call(struct client *c, const char *method, const char *path,
	     const void *body, size_t len, const char *content_type,
	     json_t **ret)
{
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct net_spec spec = {
		.method = method,
		.body = body,
		.body_len = len,
	};
	char *type __free(kfree) = NULL;
	json_error_t err;
	json_t *o;
	int r;

	if (content_type)
		type = xasprintf("Content-Type: %s", content_type);
	r = request(c, &spec, path, type, &reply);
	if (!r)
		r = good(&reply, path);
	if (r || !ret)
		return r;
	o = json_loadb(reply.body.buf, reply.body.len, JSON_DECODE_ANY, &err);
	if (!o) {
		cmd_fail("%s%s: the answer is no JSON: %s", c->url, path,
			 err.text);
		return CMD_UNREACHABLE; /* somebody else listens there */
	}
	*ret = o;
	return CMD_YES;
}

int api_get(struct client *c, const char *path, json_t **ret)
{
	return api_call(c, "GET", path, NULL, 0, NULL, ret);
}

static int write_out(const void *data, size_t len, void *arg)
{
	return fwrite(data, 1, len, stdout) == len ? 0 : -EIO;
}

/* A log goes to the terminal through print_text(), elsewhere as it is. */
static int write_safe(const void *data, size_t len, void *arg)
{
	const char *p = data, *end = p + len;

	while (p < end) {
		size_t n = strnlen(p, end - p);

		print_text("%.*s", (int)n, p);
		p += n;
		if (p < end)
			p++; /* a NUL byte prints as nothing */
	}
	return 0;
}

int api_get_text(struct client *c, const char *path)
{
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct net_spec spec = {
		.max_bytes = SIZE_MAX,
		.chunk = isatty(1) ? write_safe : write_out,
	};

	int r = request(c, &spec, path, NULL, &reply);

	return r ? r : good(&reply, path);
}

struct counted {
	int (*write)(const void *data, size_t len, void *arg);
	int64_t n;
};

static int write_counted(const void *data, size_t len, void *arg)
{
	struct counted *counted = arg;

	counted->n += (int64_t)len;
	return counted->write(data, len, NULL);
}

int api_get_text_from(struct client *c, const char *path, int64_t *offset)
{
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct counted counted = { isatty(1) ? write_safe : write_out, 0 };
	struct net_spec spec = {
		.max_bytes = SIZE_MAX,
		.chunk = write_counted,
		.arg = &counted,
	};
	char *range __free(kfree) = xasprintf("Range: bytes=%lld-",
					      (long long)*offset);
	int r = request(c, &spec, path, range, &reply);

	*offset += counted.n;
	if (r || reply.status == 416) /* nothing new */
		return r;
	if (reply.status == 200 && *offset > counted.n)
		return cmd_fail("%s: no part of it can be had", path);
	return good(&reply, path);
}

int api_act(struct client *c, const char *noun, const char *id,
	    const char *verb, const char *done)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	json_t *o __free(json) = NULL;
	int r;

	strbuf_addf(&path, "/api/v1/%s/", noun);
	net_add_url_escaped(&path, id);
	strbuf_addf(&path, "/%s", verb);
	r = api_call(c, "POST", path.buf, "", 0, NULL, &o);
	if (r)
		return r;
	if (c->json)
		return print_json(o);
	print_text("%s %s: %s\n", noun, id, done);
	return CMD_YES;
}
