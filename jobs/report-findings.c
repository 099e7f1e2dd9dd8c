// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "jobs/places.h"
#include "jobs/quote.h"
#include "jobs/report-private.h"
#include "jobs/report.h"
#include "lib/json.h"

static bool is_error(const json_t *f)
{
	return !strcmp(json_get_str(f, "severity", ""), "error");
}

static bool same_fact(const json_t *a, const json_t *b)
{
	return json_get_int(a, "number", 0) == json_get_int(b, "number", 0) &&
	       !strcmp(json_get_str(a, "fingerprint", ""),
		       json_get_str(b, "fingerprint", ""));
}

static void add_place(struct report_group *g, const json_t *f)
{
	static const char *const keys[] = { "arch", "kconfig", "toolchain" };
	json_t *place = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(place, keys[i], json_object_get(f, keys[i]));
	json_array_append_new(g->places, place);
}

static struct report_group *group_of(struct report_groups *g, const json_t *f)
{
	for (size_t i = 0; i < g->n; i++) {
		if (same_fact(g->v[i].lead, f))
			return &g->v[i];
	}
	g->v = xrealloc_array(g->v, g->n + 1, sizeof(*g->v));
	g->v[g->n] = (struct report_group){ .lead = f,
					    .places = json_array(),
					    .order = g->n };
	return &g->v[g->n++];
}

static int64_t count_followers(const json_t *findings, size_t leader)
{
	const json_t *f;
	int64_t n = 0;
	size_t i;

	json_array_foreach(findings, i, f)
		n += json_get_int(f, "leader", -1) == (int64_t)leader;
	return n;
}

static int by_weight(const void *pa, const void *pb)
{
	const struct report_group *a = pa, *b = pb;
	int64_t na = json_get_int(a->lead, "number", 0);
	int64_t nb = json_get_int(b->lead, "number", 0);

	if (is_error(a->lead) != is_error(b->lead))
		return is_error(a->lead) ? -1 : 1;
	if (na != nb)
		return na < nb ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void report_group_findings(const json_t *judgement, struct report_groups *g)
{
	const json_t *findings = json_object_get(judgement, "findings"), *f;
	size_t i;

	json_array_foreach(findings, i, f) {
		struct report_group *group;

		if (strcmp(json_get_str(f, "blame", ""), "series") ||
		    json_get_int(f, "leader", -1) >= 0)
			continue;
		group = group_of(g, f);
		add_place(group, f);
		group->followers = max(group->followers,
				       count_followers(findings, i));
	}
	for (i = 0; i < g->n; i++)
		g->v[i].silent = places_silent(g->v[i].places,
					       json_object_get(judgement,
							       "builds"));
	if (g->n)
		qsort(g->v, g->n, sizeof(*g->v), by_weight);
}

void report_group_release(struct report_group *g)
{
	json_decref(g->places);
	json_decref(g->silent);
}

void report_groups_release(struct report_groups *g)
{
	for (size_t i = 0; i < g->n; i++)
		report_group_release(&g->v[i]);
	free(g->v);
	g->v = NULL;
	g->n = 0;
}

void report_wrap(struct strbuf *out, const char *text, const char *indent)
{
	size_t column = 0;

	while (*text) {
		const char *end = text + strcspn(text, " \n");
		size_t n = (size_t)(end - text);

		if (column && column + 1 + n > REPORT_WIDTH) {
			strbuf_addch(out, '\n');
			column = 0;
		}
		if (n) {
			strbuf_addstr(out, column ? " " : indent);
			strbuf_add(out, text, n);
			column += column ? n + 1 : n + strlen(indent);
		}
		text = *end ? end + 1 : end;
	}
	if (column)
		strbuf_addch(out, '\n');
}

static const json_t *patch_of(const json_t *ctx, int64_t number)
{
	const json_t *p;
	size_t i;

	json_array_foreach(json_object_get(ctx, "patches"), i, p) {
		if (json_get_int(p, "number", 0) == number)
			return p;
	}
	return NULL;
}

static void say_location(const json_t *f, struct strbuf *out)
{
	const char *file = json_get_str(f, "file", "");
	long long line = json_get_int(f, "line", 0);
	long long col = json_get_int(f, "col", 0);

	if (!*file)
		return;
	strbuf_addstr(out, file);
	if (line)
		strbuf_addf(out, ":%lld", line);
	if (line && col)
		strbuf_addf(out, ":%lld", col);
	strbuf_addstr(out, ": ");
}

static void say_diagnostic(const struct report_group *g, struct strbuf *out)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	const char *option = json_get_str(g->lead, "option", "");

	say_location(g->lead, &text);
	strbuf_addf(&text, "%s: %s", json_get_str(g->lead, "severity", ""),
		    json_get_str(g->lead, "message", ""));
	if (*option)
		strbuf_addf(&text, " [%s]", option);
	report_wrap(out, text.buf, "");
}

static void say_cure(const json_t *ctx, long long until, struct strbuf *text)
{
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(ctx, "fixups"), i, f) {
		if (json_get_int(f, "number", 0) != until)
			continue;
		strbuf_addf(text, "; the fix-up by %s in <%s> cures it",
			    json_get_str(f, "from_name", ""),
			    json_get_str(f, "message_id", ""));
		return;
	}
	strbuf_addf(text, "; patch %lld of this series removes it", until);
}

static void say_places(const json_t *ctx, const struct report_group *g,
		       struct strbuf *out)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	const char *function = json_get_str(g->lead, "function", "");
	long long until = json_get_int(g->lead, "until_number", 0);
	const json_t *p;
	size_t i;

	if (*function)
		strbuf_addf(&text, "In %s(), on ", function);
	else
		strbuf_addstr(&text, "On ");
	places_say(g->places, &text);
	json_array_foreach(g->silent, i, p)
		strbuf_addf(&text, "; %s: silent", json_string_value(p));
	if (g->followers)
		strbuf_addf(&text, "; %lld more follow%s from it",
			    (long long)g->followers,
			    g->followers == 1 ? "s" : "");
	if (until)
		say_cure(ctx, until, &text);
	strbuf_addch(&text, '.');
	report_wrap(out, text.buf, "  ");
}

/* What a guest printed stands as it came, it cannot be quoted from the patch. */
static void say_detail(const json_t *f, struct strbuf *out)
{
	const char *detail = json_get_str(f, "detail", "");

	unsigned int lines = 0;

	if (!strcmp(json_get_str(f, "stage", ""), "build") || !*detail)
		return;
	while (*detail && lines++ < REPORT_MAX_LOG_LINES) {
		const char *end = strchrnul(detail, '\n');

		strbuf_addstr(out, "    ");
		strbuf_add(out, detail, (size_t)(end - detail));
		strbuf_addch(out, '\n');
		detail = *end ? end + 1 : end;
	}
	if (*detail)
		strbuf_addstr(out, "    [ the rest is in the log ]\n");
}

static void say_group(const json_t *ctx, const struct report_group *g,
		      const json_t *answered, struct strbuf *out)
{
	const json_t *patch = patch_of(ctx, json_get_int(g->lead, "number", 0));
	const char *file = json_get_str(g->lead, "file", "");

	if (patch && patch != answered)
		strbuf_addf(out, "In patch %lld/%zu, \"%s\":\n\n",
			    (long long)json_get_int(patch, "number", 0),
			    json_array_size(json_object_get(ctx, "patches")),
			    json_get_str(patch, "title", ""));
	if (patch && *file &&
	    quote_line(json_get_str(patch, "text", ""), file,
		       json_get_int(g->lead, "line", 0), 5, out))
		strbuf_addch(out, '\n');
	say_diagnostic(g, out);
	say_places(ctx, g, out);
	say_detail(g->lead, out);
	strbuf_addch(out, '\n');
}

void report_findings(const json_t *ctx, const struct report_groups *g,
		     const json_t *answered, struct strbuf *out)
{
	for (size_t i = 0; i < g->n && i < REPORT_MAX_FINDINGS; i++)
		say_group(ctx, &g->v[i], answered, out);
	if (g->n > REPORT_MAX_FINDINGS)
		strbuf_addf(out, "%zu more: %s/series/%lld\n\n",
			    g->n - REPORT_MAX_FINDINGS,
			    json_get_str(ctx, "url", ""),
			    (long long)json_get_int(
				    json_object_get(ctx, "version"), "id", 0));
}

/* No more than a page can use; the patches are a stranger's. */
#define MAX_QUOTES 200
#define MAX_QUOTE_BYTES 4000
#define QUOTE_CONTEXT 3

void report_quotes(const json_t *ctx, json_t *judgement)
{
	size_t i, n = 0;
	json_t *f;

	json_array_foreach(json_object_get(judgement, "findings"), i, f) {
		struct strbuf text __free(strbuf) = STRBUF_INIT;
		const json_t *patch = patch_of(ctx, json_get_int(f, "number", 0));
		const char *file = json_get_str(f, "file", "");

		if (n == MAX_QUOTES || !patch || !*file ||
		    json_get_int(f, "leader", -1) >= 0 ||
		    strcmp(json_get_str(f, "blame", ""), "series"))
			continue;
		if (!quote_line(json_get_str(patch, "text", ""), file,
				json_get_int(f, "line", 0), QUOTE_CONTEXT,
				&text))
			continue;
		n++;
		json_object_set_new(f, "quote", json_textn(
			text.buf, min(text.len, (size_t)MAX_QUOTE_BYTES)));
	}
}
