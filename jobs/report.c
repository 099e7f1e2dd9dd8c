// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/report.h"

#include <errno.h>
#include <string.h>

#include "jobs/eml.h"
#include "jobs/report-private.h"
#include "jobs/since.h"
#include "lib/clock.h"
#include "lib/hash.h"
#include "lib/json.h"

static void say_base(const json_t *version, struct strbuf *out)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	const char *describe = json_get_str(version, "tree_describe", "");

	strbuf_addf(&text, "Base: %s", json_get_str(version, "tree", "?"));
	if (*describe)
		strbuf_addf(&text, " (%s)", describe);
	strbuf_addf(&text, ", commit %.12s, because %s.",
		    json_get_str(version, "base_commit", ""),
		    json_get_str(version, "base_why", ""));
	report_wrap(out, text.buf, "");
}

static void say_compilers(const json_t *ctx, struct strbuf *out)
{
	const json_t *e;
	size_t i;

	json_array_foreach(json_object_get(ctx, "environments"), i, e) {
		struct strbuf text __free(strbuf) = STRBUF_INIT;

		strbuf_addf(&text, "%s: %s", json_get_str(e, "arch", ""),
			    json_get_str(e, "compiler", ""));
		report_wrap(out, text.buf, "");
	}
}

static void say_untested(const json_t *judgement, struct strbuf *out)
{
	const json_t *u;
	size_t i;

	json_array_foreach(json_object_get(judgement, "untested"), i, u) {
		struct strbuf text __free(strbuf) = STRBUF_INIT;

		strbuf_addf(&text, "Not run: %s (%s).",
			    json_get_str(u, "what", ""),
			    json_get_str(u, "why", ""));
		report_wrap(out, text.buf, "");
	}
}

/* What nobody compiled nobody has tested: one line, where it is so. */
static void say_uncompiled(const json_t *judgement, struct strbuf *out)
{
	const json_t *c = json_object_get(judgement, "coverage"), *s;
	const json_t *list = json_object_get(c, "uncompiled");
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	size_t i;

	if (!json_array_size(list))
		return;
	strbuf_addf(&text, "No config that was used compiles %lld of %lld"
			   " changed lines:",
		    (long long)(json_get_int(c, "lines", 0) -
				json_get_int(c, "compiled", 0)),
		    (long long)json_get_int(c, "lines", 0));
	json_array_foreach((json_t *)list, i, s) {
		if (i < 5)
			strbuf_addf(&text, "%s %s", i ? "," : "",
				    json_string_value(s));
	}
	strbuf_addstr(&text, i > 5 ? ", ..." : ".");
	report_wrap(out, text.buf, "");
}

void report_origin(const json_t *ctx, const json_t *judgement,
		   const struct report_groups *g, struct strbuf *out)
{
	say_base(json_object_get(ctx, "version"), out);
	say_compilers(ctx, out);
	say_untested(judgement, out);
	say_uncompiled(judgement, out);
	if (g->n) {
		strbuf_addch(out, '\n');
		report_repeat(ctx, g->v[0].lead, out);
	}
}

/* The one patch where all findings of the heaviest kind start, or the cover. */
static const json_t *answered_mail(const json_t *ctx,
				   const struct report_groups *g)
{
	const json_t *patches = json_object_get(ctx, "patches"), *p;
	const json_t *cover = json_object_get(ctx, "cover");
	const char *severity = "";
	int64_t number = 0;
	size_t i;

	if (g->n) {
		severity = json_get_str(g->v[0].lead, "severity", "");
		number = json_get_int(g->v[0].lead, "number", 0);
	}
	for (i = 1; i < g->n; i++) {
		if (!strcmp(json_get_str(g->v[i].lead, "severity", ""),
			    severity) &&
		    json_get_int(g->v[i].lead, "number", 0) != number)
			number = 0;
	}
	json_array_foreach(patches, i, p) {
		if (json_get_int(p, "number", 0) == number)
			return p;
	}
	return json_is_object(cover) ? cover : json_array_get(patches, 0);
}

static void message_id(const json_t *ctx, const struct report_groups *g,
		       const char *to, struct strbuf *out)
{
	const json_t *version = json_object_get(ctx, "version");
	const char *from = json_get_str(ctx, "from", "");
	struct strbuf all __free(strbuf) = STRBUF_INIT;
	const char *host = strrchr(from, '@');
	char hex[HASH_HEX_LEN + 1];

	strbuf_addf(&all, "%s\n%lld\n%s\n", json_get_str(version, "key", ""),
		    (long long)json_get_int(version, "version", 1), to);
	for (size_t i = 0; i < g->n; i++)
		strbuf_addf(&all, "%lld %s\n",
			    (long long)json_get_int(g->v[i].lead, "number", 0),
			    json_get_str(g->v[i].lead, "fingerprint", ""));
	hash_hex(all.buf, all.len, hex);
	strbuf_addf(out, "mmci-%.24s@", hex);
	host = host ? host + 1 : "localhost";
	strbuf_add(out, host, strcspn(host, "> \t\r\n"));
}

static void say_opening(const json_t *ctx, const json_t *answered,
			struct strbuf *out)
{
	const json_t *version = json_object_get(ctx, "version");
	char date[48];

	strbuf_addf(out, "On %s, %s wrote:\n\n",
		    clock_rfc5322(json_get_int(answered, "date_s", 0), date),
		    json_get_str(version, "author_name", ""));
}

static void say_footer(const json_t *ctx, struct strbuf *out)
{
	const json_t *version = json_object_get(ctx, "version");

	struct strbuf text __free(strbuf) = STRBUF_INIT;
	const char *owner = json_get_str(ctx, "reply_to", "");

	if (!*owner)
		owner = json_get_str(ctx, "from", "");
	if (json_get_bool(ctx, "commands", false))
		strbuf_addstr(&text, "A reply with the line \"mmci: rerun\" "
			      "runs it again; \"mmci: not mine\" takes these "
			      "findings back; \"mmci: stop\" ends mails about "
			      "this work, \"mmci: stop all\" all of them.");
	else
		strbuf_addf(&text, "To run it again, or to get no such mail "
			    "any more, write to %s.", owner);
	strbuf_addch(out, '\n');
	report_wrap(out, text.buf, "");
	strbuf_addf(out, "\n-- \nmmci, a machine that builds and tests mm "
			 "series\n%s/series/%lld\n",
		    json_get_str(ctx, "url", ""),
		    (long long)json_get_int(version, "id", 0));
}

static void reply_subject(const json_t *answered, struct strbuf *out)
{
	const char *subject = json_get_str(answered, "subject", "");

	strbuf_addf(out, "%s%s",
		    strncasecmp(subject, "re:", 3) ? "Re: " : "", subject);
}

static void say_clean(const json_t *ctx, struct strbuf *out)
{
	const json_t *version = json_object_get(ctx, "version");
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	strbuf_addf(&text, "Nothing new was found in \"%s\": it builds and "
		    "runs as its base does, as far as the table goes.",
		    json_get_str(version, "title", ""));
	report_wrap(out, text.buf, "");
	strbuf_addch(out, '\n');
}

static json_t *compose(const json_t *ctx, const json_t *judgement,
		       const struct report_groups *g, const char *to)
{
	const json_t *answered = answered_mail(ctx, g);
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	json_t *mail = json_object(), *list = json_array();

	json_set_text(mail, "in_reply_to",
		      json_get_str(answered, "message_id", ""));
	message_id(ctx, g, to, &text);
	json_set_text(mail, "message_id", text.buf);
	strbuf_reset(&text);
	reply_subject(answered, &text);
	json_set_text(mail, "subject", text.buf);
	json_array_append_new(list, json_text(to));
	json_object_set_new(mail, "recipients", list);

	strbuf_reset(&text);
	if (g->n) {
		say_opening(ctx, answered, &text);
		report_findings(ctx, g, answered, &text);
	} else {
		say_clean(ctx, &text);
	}
	report_table(ctx, judgement, &text);
	if (json_object_get(judgement, "since"))
		strbuf_addch(&text, '\n');
	since_say(json_object_get(judgement, "since"), &text);
	strbuf_addch(&text, '\n');
	report_origin(ctx, judgement, g, &text);
	say_footer(ctx, &text);
	json_set_text(mail, "body", text.buf);

	strbuf_reset(&text);
	report_eml(ctx, judgement, answered, mail, to, &text);
	json_set_text(mail, "eml", text.buf);
	json_set_bool(mail, "clean", !g->n);
	return mail;
}

/* What the author has said is not of this work is not told again. */
static void drop_disowned(const json_t *ctx, struct report_groups *g)
{
	const json_t *not_mine = json_object_get(ctx, "not_mine");
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		if (json_object_get(not_mine,
				    json_get_str(g->v[i].lead, "fingerprint",
						 "")))
			report_group_release(&g->v[i]);
		else
			g->v[n++] = g->v[i];
	}
	g->n = n;
}

static bool is_wanted_clean(const json_t *ctx, const json_t *judgement)
{
	return json_get_bool(ctx, "want_clean", false) &&
	       !strcmp(json_get_str(judgement, "verdict", ""), "clean");
}

int report_reply(const json_t *ctx, const json_t *judgement, json_t **ret)
{
	const json_t *version = json_object_get(ctx, "version");
	const char *to = json_get_str(version, "author_email", "");
	struct report_groups g = { NULL, 0 };

	*ret = json_null();
	if (!json_is_object(version) ||
	    !json_array_size(json_object_get(ctx, "patches")))
		return -EINVAL;
	report_group_findings(judgement, &g);
	drop_disowned(ctx, &g);
	/* an address that cannot be written to: the page has it all the same */
	if ((g.n || is_wanted_clean(ctx, judgement)) && eml_email_is_safe(to))
		*ret = compose(ctx, judgement, &g, to);
	report_groups_release(&g);
	return 0;
}
