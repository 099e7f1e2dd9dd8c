// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/json.h"
#include "web/handlers.h"
#include "web/words.h"

static void add_escaped(struct strbuf *out, const char *s)
{
	template_escape(out, s, strlen(s));
}

static void element(struct strbuf *out, const char *name, const char *text)
{
	strbuf_addf(out, "<%s>", name);
	add_escaped(out, text);
	strbuf_addf(out, "</%s>\n", name);
}

/* Where the service is, as others reach it: a feed has whole addresses. */
static char *base_url(const struct request *rq)
{
	const char *url = rq->site->public_url;
	struct strbuf sb = STRBUF_INIT;

	if (url && *url)
		strbuf_addstr(&sb, url);
	else
		strbuf_addf(&sb, "%s://%s", rq->https ? "https" : "http",
			    rq->host ? rq->host : "localhost");
	while (sb.len && sb.buf[sb.len - 1] == '/')
		strbuf_setlen(&sb, sb.len - 1);
	return strbuf_detach(&sb);
}

static void entry(struct strbuf *out, const json_t *item, const char *base)
{
	const char *key = json_get_str(item, "key", "");
	const char *status = json_get_str(item, "status", "");
	const char *why = json_get_str(item, "verdict_why", "");
	char *title __free(kfree) = NULL;
	char when[32];

	title = xasprintf("%s: %s%s", words_state(status),
			  json_get_str(item, "title", ""),
			  json_get_int(item, "so_far", 0) ? " (so far)" : "");
	strbuf_addstr(out, "<entry>\n");
	element(out, "title", title);
	/* one entry a version and verdict: a reader shows each change once */
	strbuf_addstr(out, "<id>");
	add_escaped(out, base);
	strbuf_addstr(out, "/series/");
	template_escape_url(out, key, strlen(key));
	strbuf_addf(out, "#%s</id>\n<link href=\"", status);
	add_escaped(out, base);
	strbuf_addstr(out, "/series/");
	template_escape_url(out, key, strlen(key));
	strbuf_addstr(out, "\"/>\n");
	element(out, "updated",
		clock_rfc3339(json_get_int(item, "changed_s", 0), when));
	strbuf_addstr(out, "<author>");
	element(out, "name", json_get_str(item, "author_name", "?"));
	strbuf_addstr(out, "</author>\n");
	element(out, "summary", *why ? why : words_state(status));
	strbuf_addstr(out, "</entry>\n");
}

static void feed_head(const struct request *rq, struct strbuf *out,
		      const char *base, int64_t updated_s)
{
	static const char *const filters[] = { "author", "tree", "list",
					       "state", "text" };
	struct strbuf title __free(strbuf) = STRBUF_INIT;
	struct strbuf self __free(strbuf) = STRBUF_INIT;
	char when[32];

	strbuf_addstr(&title, "mmci: series");
	strbuf_addf(&self, "%s/feed.atom", base);
	for (size_t i = 0, n = 0; i < ARRAY_SIZE(filters); i++) {
		const char *v = request_query(rq, filters[i]);

		if (!v)
			continue;
		strbuf_addf(&title, ", %s %s", filters[i], v);
		strbuf_addf(&self, "%s%s=", n++ ? "&" : "?", filters[i]);
		template_escape_url(&self, v, strlen(v));
	}
	strbuf_addstr(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
			   "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n");
	element(out, "title", title.buf);
	element(out, "id", self.buf);
	strbuf_addstr(out, "<link rel=\"self\" href=\"");
	add_escaped(out, self.buf);
	strbuf_addstr(out, "\"/>\n<link href=\"");
	add_escaped(out, base);
	strbuf_addstr(out, "/\"/>\n");
	element(out, "updated", clock_rfc3339(updated_s, when));
}

/* RFC 4287; the same filters as the list of series */
void page_feed(struct request *rq, struct response *rs)
{
	char *base __free(kfree) = base_url(rq);
	json_t *v __free(json) = NULL, *item;
	int64_t updated_s = 0;
	size_t i;

	if (!load_series_list(rq, rs, &v))
		return;
	json_array_foreach(json_object_get(v, "items"), i, item)
		updated_s = max(updated_s, json_get_int(item, "changed_s", 0));
	feed_head(rq, &rs->body, base, updated_s);
	json_array_foreach(json_object_get(v, "items"), i, item) {
		/* what is only waiting is no news */
		if (*json_get_str(item, "verdict", ""))
			entry(&rs->body, item, base);
	}
	strbuf_addstr(&rs->body, "</feed>\n");
	rs->status = 200;
	rs->type = "application/atom+xml; charset=utf-8";
}

static const char *colour(const char *status)
{
	static const char *const of[][2] = {
		{ "clean", "#1a7f37" }, { "warns", "#9a6700" },
		{ "broken", "#b42318" }, { "conflict", "#b42318" },
		{ "no-base", "#b42318" }, { "running", "#0b5cad" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		if (!strcmp(of[i][0], status))
			return of[i][1];
	}
	return "#57606a";
}

/* Six pixels and a half a character is what the font needs at 11 px. */
void page_badge(struct request *rq, struct response *rs)
{
	const char *status, *word;
	json_t *v __free(json) = NULL;
	struct version_id id;
	size_t width;

	if (!args_series(rq, rs, rq->segments[1], &id) ||
	    !args_loaded(rq, rs, view_series(rq->db, id, &v), "No such series."))
		return;
	status = json_get_str(v, "status", "");
	word = words_state(status);
	width = strlen(word) * 13 / 2 + 12;
	strbuf_addf(&rs->body,
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" "
		    "height=\"20\" role=\"img\" aria-label=\"mmci: ",
		    width + 42);
	add_escaped(&rs->body, word);
	strbuf_addf(&rs->body,
		    "\">\n<path fill=\"#24292f\" d=\"M0 0h42v20H0z\"/>\n"
		    "<path fill=\"%s\" d=\"M42 0h%zuv20H42z\"/>\n"
		    "<g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,"
		    "sans-serif\" font-size=\"11\">\n"
		    "<text x=\"6\" y=\"14\">mmci</text>\n"
		    "<text x=\"48\" y=\"14\">", colour(status), width);
	add_escaped(&rs->body, word);
	strbuf_addstr(&rs->body, "</text>\n</g>\n</svg>\n");
	rs->status = 200;
	rs->type = "image/svg+xml";
}
