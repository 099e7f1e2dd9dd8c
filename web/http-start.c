// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "web: " fmt

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "web/http-private.h"

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int parse_address(const char *text, uint16_t port, union address *a)
{
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, text, &a->v4.sin_addr) == 1) {
		a->v4.sin_family = AF_INET;
		a->v4.sin_port = htons(port);
		return 0;
	}
	if (inet_pton(AF_INET6, text, &a->v6.sin6_addr) == 1) {
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_port = htons(port);
		return 0;
	}
	return -EINVAL;
}

static int open_socket(struct web *web, const char *address, int *ret,
		       struct strbuf *why)
{
	int fd __free(fd) = -1, one = 1, r = 0;
	socklen_t len = sizeof(union address);
	union address a;

	if (parse_address(address, web->cfg.port, &a)) {
		strbuf_setf(why, "%s is no IPv4 or IPv6 address", address);
		return -EINVAL;
	}
	fd = socket(a.any.sa_family,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, &a.any, a.any.sa_family == AF_INET ? sizeof(a.v4) :
							  sizeof(a.v6)) ||
	    listen(fd, 128) || getsockname(fd, &a.any, &len))
		r = -errno;
	if (r) {
		strbuf_setf(why, "cannot listen on %s port %u: %s", address,
			    web->cfg.port, strerror(-r));
		return r;
	}
	/* same place in both kinds of address */
	web->port = ntohs(a.v4.sin_port);
	*ret = no_free_fd(fd);
	return 0;
}

static void set_defaults(struct web *web, const struct web_config *cfg)
{
	struct web_config *c = &web->cfg;

	*c = *cfg;
	/* a pool has at least two */
	c->threads = cfg->threads ? max(cfg->threads, 2U) : 4;
	if (!c->max_connections)
		c->max_connections = 768;
	if (!c->max_viewers)
		c->max_viewers = 512;
	if (!c->header_timeout_ms)
		c->header_timeout_ms = 15000;
	if (!c->body_timeout_ms)
		c->body_timeout_ms = 60000;
	if (!c->send_timeout_ms)
		c->send_timeout_ms = 600000;
	web->site.max_body_bytes = cfg->max_body_bytes ? cfg->max_body_bytes :
							 16 << 20;
	web->site.session_s = cfg->session_s ? cfg->session_s : 12 * 3600;
	web->site.state_dir = xstrdup(cfg->state_dir);
	web->site.archive_url = xstrdup(cfg->archive_url);
	web->site.public_url = xstrdup(cfg->public_url);
	web->site.stats = &web->stats;
	if (cfg->requests_per_min)
		web->by_address = rate_new(cfg->requests_per_min,
					   cfg->requests_per_min);
	if (cfg->token_requests_per_min)
		web->by_token = rate_new(cfg->token_requests_per_min,
					 cfg->token_requests_per_min);
}

static int check_config(const struct web_config *cfg, struct strbuf *why)
{
	const char *url = cfg->archive_url;

	if (url && !starts_with(url, "https://") && !starts_with(url, "http://")) {
		strbuf_setf(why, "archive_url: %s does not start with http:// "
			    "or https://", url);
		return -EINVAL;
	}
	return 0;
}

static int start_all(struct web *web, struct strbuf *why)
{
	const struct web_config *cfg = &web->cfg;
	int fd = -1;
	int r = proxy_nets_parse(cfg->trusted_proxies, cfg->n_trusted_proxies,
				 &web->proxies, why);

	if (!r)
		r = template_set_new(template_files, n_template_files,
				     &web->site.templates, why);
	if (!r)
		r = db_pool_try(web->pool, why);
	if (!r)
		r = http_cache_new(cfg->db_path, &web->cache, why);
	if (!r)
		r = deadlines_start(&web->deadlines);
	if (!r)
		r = streams_start(web, &web->streams);
	if (!r)
		r = open_socket(web, cfg->address ? cfg->address : "127.0.0.1",
				&fd, why);
	if (!r) {
		r = http_start(web, fd, why);
		if (r)
			close(fd);
	}
	return r;
}

int web_start(const struct web_config *cfg, const struct web_ops *ops,
	      void *arg, struct web **ret, struct strbuf *why)
{
	struct web *web;
	int r = check_config(cfg, why);

	if (r)
		return r;
	web = xcalloc(1, sizeof(*web));
	set_defaults(web, cfg);
	web->site.ops = ops;
	web->site.arg = arg;
	web->pool = db_pool_new(cfg->db_path, web->cfg.threads);
	r = start_all(web, why);
	if (r) {
		web_stop(web);
		return r;
	}
	*ret = web;
	return 0;
}

uint16_t web_port(const struct web *web)
{
	return web->port;
}

void web_stop(struct web *web)
{
	if (!web)
		return;
	streams_stop(web->streams);
	if (web->daemon)
		MHD_stop_daemon(web->daemon); /* closes the socket as well */
	streams_free(web->streams);
	deadlines_stop(web->deadlines);
	http_cache_free(web->cache);
	db_pool_free(web->pool);
	template_set_free(web->site.templates);
	proxy_nets_release(&web->proxies);
	rate_free(web->by_address);
	rate_free(web->by_token);
	free(web->site.state_dir);
	free(web->site.archive_url);
	free(web->site.public_url);
	free(web);
}
