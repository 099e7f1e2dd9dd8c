// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/base-search.h"

#include <string.h>

#include "lib/json.h"

/* More bases than this are counted, not listed, in the one line of why. */
#define MAX_LISTED 4

size_t base_own_count(const struct base_search *s, const struct base_try *t,
		      enum apply_state state)
{
	size_t i, n = 0;

	for (i = s->first; i < t->result.nr; i++)
		n += t->result.steps[i].state == state;
	return n;
}

struct git_id base_head(const struct base_search *s, const struct base_try *t)
{
	size_t i;

	for (i = s->first; i && i <= t->result.nr; i--)
		if (t->result.steps[i - 1].state == APPLY_APPLIED)
			return t->result.steps[i - 1].commit;
	return t->commit;
}

static size_t own(const struct base_search *s)
{
	return s->series.nr - s->first;
}

static void number_list(const struct base_search *s, const struct base_try *t,
			enum apply_state state, struct strbuf *sb)
{
	size_t total = base_own_count(s, t, state), i, n = 0;

	for (i = s->first; i < t->result.nr; i++) {
		if (t->result.steps[i].state != state)
			continue;
		if (n++)
			strbuf_addstr(sb, n == total ? " and " : ", ");
		strbuf_addf(sb, "%u/%zu", s->series.v[i].number, own(s));
	}
}

static void describe_conflict(const struct base_search *s, size_t i,
			      const struct apply_step *step, struct strbuf *sb)
{
	if (i < s->first)
		strbuf_addf(sb, "what it depends on does not apply: ");
	else
		strbuf_addf(sb, "%u/%zu does not apply: ",
			    s->series.v[i].number, own(s));
	strbuf_add(sb, step->why.buf, strcspn(step->why.buf, "\n"));
}

/* "1/4 and 2/4 are already there, 3/4 does not apply: ..." */
static void describe(const struct base_search *s, const struct base_try *t,
		     struct strbuf *sb)
{
	size_t there = base_own_count(s, t, APPLY_UPSTREAM);
	size_t good = base_own_count(s, t, APPLY_APPLIED);
	const char *sep = "";
	size_t i;

	if (there) {
		number_list(s, t, APPLY_UPSTREAM, sb);
		strbuf_addstr(sb, there > 1 ? " are already there" :
					      " is already there");
		sep = ", ";
	}
	if (good && good < own(s)) {
		strbuf_addstr(sb, sep);
		number_list(s, t, APPLY_APPLIED, sb);
		strbuf_addstr(sb, good > 1 ? " apply" : " applies");
		sep = ", ";
	}
	for (i = 0; i < t->result.nr; i++) {
		if (t->result.steps[i].state != APPLY_CONFLICT)
			continue;
		strbuf_addstr(sb, sep);
		describe_conflict(s, i, &t->result.steps[i], sb);
	}
}

static json_t *try_json(const struct base_search *s, const struct base_try *t)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	struct strbuf more __free(strbuf) = STRBUF_INIT;
	char hex[GIT_HEX_LEN + 1];
	json_t *o = json_object();

	strbuf_addstr(&sb, t->reason);
	describe(s, t, &more);
	if (more.len)
		strbuf_addf(&sb, "; %s", more.buf);
	json_set_text(o, "tree", t->tree);
	json_set_text(o, "commit_id", strcmp(t->outcome, "unknown") ?
			      git_id_hex(&t->commit, hex) :
			      s->signals.base_commit);
	json_set_text(o, "signal", t->signal);
	json_set_text(o, "outcome", t->outcome);
	json_set_text(o, "why", sb.buf);
	return o;
}

/* patches that went on as they are, or need no more: what a base is worth */
static size_t exact_count(const struct base_search *s, const struct base_try *t)
{
	size_t i, n = 0;

	for (i = s->first; i < t->result.nr; i++) {
		const struct apply_step *step = &t->result.steps[i];

		n += step->state == APPLY_APPLIED ||
		     (step->state == APPLY_UPSTREAM && !step->changed_form);
	}
	return n;
}

/*
 * The try to show when none was good. What a tree has in a changed form counts
 * against it: it has moved on further than the others.
 */
static const struct base_try *nearest(const struct base_search *s)
{
	const struct base_try *best = NULL;
	size_t i;

	if (s->done)
		return &s->tries[s->nr_tries - 1];
	for (i = 0; i < s->nr_tries; i++) {
		const struct base_try *t = &s->tries[i];
		size_t a, b;

		if (!t->result.nr)
			continue;
		if (base_own_count(s, t, APPLY_UPSTREAM) == own(s))
			return t;
		if (!best) {
			best = t;
			continue;
		}
		a = exact_count(s, t);
		b = exact_count(s, best);
		if (a > b || (a == b &&
			      base_own_count(s, t, APPLY_UPSTREAM) <
			      base_own_count(s, best, APPLY_UPSTREAM)))
			best = t;
	}
	return best;
}

static const char *try_name(const struct base_try *t)
{
	return t->tree ? t->tree : "the commit named";
}

static void summary_of_failure(const struct base_search *s,
			       const struct base_try *best, struct strbuf *sb)
{
	size_t i, listed = 0, tried = 0;

	for (i = 0; i < s->nr_tries; i++)
		tried += s->tries[i].result.nr > 0;
	strbuf_addf(sb, "does not apply to %s", tried > 1 ? "any base. " : "");
	strbuf_addf(sb, "%s: ", try_name(best));
	describe(s, best, sb);
	for (i = 0; i < s->nr_tries && listed + 1 < MAX_LISTED; i++) {
		const struct base_try *t = &s->tries[i];

		if (t == best || !t->result.nr)
			continue;
		listed++;
		strbuf_addf(sb, "; %s: ", try_name(t));
		describe(s, t, sb);
	}
	if (listed + 1 < tried)
		strbuf_addf(sb, "; and %zu more", tried - listed - 1);
}

static void summary(const struct base_search *s, const struct base_try *best,
		    struct strbuf *sb)
{
	if (!best) {
		strbuf_addstr(sb, "there is no tree to try");
	} else if (s->done) {
		strbuf_addstr(sb, best->reason);
		if (base_own_count(s, best, APPLY_UPSTREAM)) {
			strbuf_addstr(sb, "; ");
			describe(s, best, sb);
		}
	} else if (base_own_count(s, best, APPLY_UPSTREAM) == own(s)) {
		strbuf_addf(sb, "nothing to test, %s has all of it",
			    try_name(best));
	} else {
		summary_of_failure(s, best, sb);
	}
}

/* "already in 6.1 and 7.3, in a changed form in 6.12" */
static void where_upstream(const struct base_search *s, size_t i,
			   struct strbuf *sb)
{
	const char *sep = "already in ";
	size_t k;

	for (k = 0; k < s->nr_tries; k++) {
		const struct base_try *t = &s->tries[k];

		if (!t->result.nr ||
		    t->result.steps[i].state != APPLY_UPSTREAM)
			continue;
		strbuf_addf(sb, "%s%s%s", sep, try_name(t),
			    t->result.steps[i].changed_form ?
				    " (in a changed form)" : "");
		sep = ", ";
	}
}

static json_t *patches_json(const struct base_search *s,
			    const struct base_try *best)
{
	json_t *list = json_array();
	char hex[GIT_HEX_LEN + 1];
	size_t i;

	for (i = s->first; i < s->series.nr; i++) {
		const struct apply_step *step =
			best ? &best->result.steps[i] : NULL;
		enum apply_state st = step ? step->state : APPLY_NOT_TRIED;
		struct strbuf sb __free(strbuf) = STRBUF_INIT;
		json_t *p = json_object();

		if (st == APPLY_UPSTREAM)
			where_upstream(s, i, &sb);
		else if (step)
			strbuf_addbuf(&sb, &step->why);
		json_set_int(p, "number", s->series.v[i].number);
		json_set_text(p, "state", apply_state_name(st));
		json_set_text(p, "commit_id", st == APPLY_APPLIED && s->done ?
				      git_id_hex(&step->commit, hex) : NULL);
		json_set_text(p, "why", sb.buf);
		json_array_append_new(list, p);
	}
	return list;
}

json_t *base_answer(const struct base_search *s)
{
	const struct base_try *best = nearest(s);
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	char hex[GIT_HEX_LEN + 1];
	json_t *a = json_object(), *tries = json_array();
	bool known = s->done;
	struct git_id head;
	size_t i;

	for (i = 0; i < s->nr_tries; i++) {
		json_array_append_new(tries, try_json(s, &s->tries[i]));
		/* it was meant for this one, and does not go there */
		if (!s->done && s->tries[i].strong && !known) {
			best = &s->tries[i];
			known = true;
		}
	}
	summary(s, best, &sb);
	if (known)
		head = base_head(s, best);
	json_set_text(a, "outcome", s->done ? "applied" :
				    known   ? "conflict" : "no-base");
	json_set_text(a, "tree", known ? best->tree : NULL);
	json_set_text(a, "tree_commit", known ?
			      git_id_hex(&best->commit, hex) : NULL);
	json_set_text(a, "base_commit", known ? git_id_hex(&head, hex) : NULL);
	json_set_text(a, "why", sb.buf);
	json_object_set_new(a, "tries", tries);
	json_object_set(a, "dependencies", s->deps);
	json_object_set_new(a, "patches", patches_json(s, best));
	return a;
}
