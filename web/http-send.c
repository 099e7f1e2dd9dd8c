// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "web: " fmt

#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "lib/clock.h"
#include "lib/hash.h"
#include "lib/json.h"
#include "lib/log.h"
#include "web/http-private.h"

/* Below this, headers and time cost more than the bytes saved. */
#define MIN_GZIP_BYTES 1000
#define GZIP_LEVEL 4

static const char *const common_headers[][2] = {
	{ "Content-Security-Policy",
	  "default-src 'none'; style-src 'self'; script-src 'self'; "
	  "img-src 'self'; connect-src 'self'; form-action 'self'; "
	  "base-uri 'none'; frame-ancestors 'none'" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Referrer-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Vary", "Accept, Accept-Encoding, Authorization, Cookie" },
};

/* Is what comes back for this sender alone? */
static bool is_personal(const struct request *rq)
{
	return rq->authorization || *rq->session;
}

/* "gzip", "gzip;q=0.8", "*", but not "gzip;q=0" (RFC 9110 section 12.5.3) */
bool http_takes_gzip(const char *accept)
{
	while (accept && *accept) {
		const char *q;
		size_t len, name;

		accept += strspn(accept, ", \t");
		len = strcspn(accept, ",");
		name = strcspn(accept, ",; \t");
		if ((name == 4 && !strncasecmp(accept, "gzip", 4)) ||
		    (name == 1 && *accept == '*')) {
			q = memmem(accept, len, "q=", 2);
			return !q || strtod(q + 2, NULL) > 0;
		}
		accept += len;
	}
	return false;
}

static bool is_text(const char *type)
{
	return starts_with(type, "text/") || starts_with(type, "application/") ||
	       starts_with(type, "image/svg");
}

/* Replace the body by its gzip (RFC 1952); left alone when that is no gain. */
static void compress_body(struct response *rs)
{
	struct strbuf out = STRBUF_INIT;
	z_stream z = { 0 };
	uLong most;
	int r;

	if (deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	most = deflateBound(&z, rs->body.len);
	strbuf_grow(&out, most);
	z.next_in = (Bytef *)rs->body.buf;
	z.avail_in = (uInt)rs->body.len;
	z.next_out = (Bytef *)out.buf;
	z.avail_out = (uInt)most;
	r = deflate(&z, Z_FINISH);
	if (r == Z_STREAM_END && z.total_out < rs->body.len) {
		out.len = z.total_out;
		out.buf[out.len] = '\0';
		strbuf_release(&rs->body);
		rs->body = out;
		strbuf_init(&out);
		response_header(rs, "Content-Encoding", "gzip");
	}
	deflateEnd(&z);
	strbuf_release(&out);
}

/*
 * One tag for all encodings, hence a weak one. Pages of who is logged in have
 * a secret in their forms: they are neither kept nor compressed, since the
 * length of what was compressed tells of what is in it.
 */
static void finish_body(const struct request *rq, struct response *rs)
{
	char hex[HASH_HEX_LEN + 1], tag[32];

	if (rs->fd >= 0 || rs->stream.kind != STREAM_NONE || *rq->session)
		return;
	if (rs->status == 200 && rs->body.len &&
	    !json_object_get(rs->headers, "ETag")) {
		hash_hex(rs->body.buf, rs->body.len, hex);
		snprintf(tag, sizeof(tag), "W/\"%.20s\"", hex);
		response_header(rs, "ETag", tag);
		if (rq->if_none_match && strstr(rq->if_none_match, tag + 2)) {
			rs->status = 304;
			strbuf_reset(&rs->body);
		}
	}
	if (rs->body.len >= MIN_GZIP_BYTES && is_text(rs->type) &&
	    http_takes_gzip(rq->accept_encoding) &&
	    !json_object_get(rs->headers, "Content-Encoding"))
		compress_body(rs);
}

static struct MHD_Response *make_response(struct web *web,
					  struct MHD_Connection *c,
					  struct exchange *x)
{
	struct response *rs = &x->rs;
	struct MHD_Response *r;
	size_t len = rs->body.len;

	if (rs->stream.kind != STREAM_NONE) {
		r = streams_response(web->streams, c, &rs->stream);
		rs->stream.kind = STREAM_NONE; /* it has been taken */
		return r;
	}
	if (rs->fd < 0)
		return MHD_create_response_from_buffer(
			len, strbuf_detach(&rs->body), MHD_RESPMEM_MUST_FREE);
	r = MHD_create_response_from_fd_at_offset64(
		(uint64_t)rs->length, rs->fd, (uint64_t)rs->offset);
	if (r)
		rs->fd = -1; /* closed with the response */
	return r;
}

static void limit_streams(struct web *web, struct exchange *x)
{
	if (x->rs.stream.kind == STREAM_NONE ||
	    streams_count(web->streams) < web->cfg.max_viewers)
		return;
	stream_release(&x->rs.stream);
	response_problem(&x->rq, &x->rs, 503, "Too many are listening already.");
}

enum MHD_Result http_send(struct web *web, struct MHD_Connection *c,
			  struct exchange *x)
{
	struct MHD_Response *r;
	const char *name;
	enum MHD_Result ret;
	size_t bytes;
	json_t *v;

	limit_streams(web, x);
	finish_body(&x->rq, &x->rs);
	stats_count(&web->stats, x->rs.status,
		    (clock_mono_ms() - x->from_ms) * 1000);
	bytes = x->rs.body.len;
	r = make_response(web, c, x);
	if (!r)
		return MHD_NO;
	for (size_t i = 0; i < ARRAY_SIZE(common_headers); i++)
		MHD_add_response_header(r, common_headers[i][0],
					common_headers[i][1]);
	if (x->rs.type)
		MHD_add_response_header(r, "Content-Type", x->rs.type);
	if (!json_object_get(x->rs.headers, "Cache-Control"))
		MHD_add_response_header(r, "Cache-Control",
					is_personal(&x->rq) ? "no-store" :
							      "no-cache");
	json_object_foreach(x->rs.headers, name, v)
		MHD_add_response_header(r, name, json_string_value(v));
	deadlines_set(web->deadlines, c, web->cfg.send_timeout_ms);
	ret = MHD_queue_response(c, x->rs.status, r);
	if (!http_cache_keep(web->cache, x, r, bytes))
		MHD_destroy_response(r);
	return ret;
}
