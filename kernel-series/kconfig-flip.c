// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "kernel-series/kconfig-private.h"
#include "lib/json.h"

#define MAX_ROUNDS 40
#define MAX_DEPTH 8
#define MAX_STEPS 400
#define MAX_SELECTORS 16

/*
 * What a job stands on: another value would be another kernel, or not what its
 * name says.
 */
static const char *const fixed[] = { "64BIT", "MMU", "EXPERT", "WERROR",
				     "COMPILE_TEST", "X86_32", "X86_64",
				     "SMP", "PRINTK", "MODULES" };

/* From @sym's own entries, without what selects it. */
static int own_value(const struct kconfig *k, const struct ksymbol *sym)
{
	for (int i = sym->entries; i >= 0; i = k->entries[i].next) {
		const struct kentry *e = &k->entries[i];
		int dep = kexpr_eval(k, e->depends);

		if (!dep)
			continue;
		if (e->prompt && kexpr_eval(k, e->prompt_if) > 0)
			return sym->answer < 0 ? 0 : min(sym->answer, dep);
		for (int d = e->defaults; d >= 0; d = k->defaults[d].next) {
			const struct kdefault *df = &k->defaults[d];
			int cond = min(dep, kexpr_eval(k, df->cond));

			if (cond)
				return min(cond, kexpr_eval(k, df->value));
		}
	}
	return 0;
}

static int selected_value(const struct kconfig *k, const struct ksymbol *sym)
{
	int v = 0;

	for (int i = sym->selectors; i >= 0; i = k->selects[i].next) {
		const struct kselect *s = &k->selects[i];
		int from = k->symbols[s->from].value;

		if (from) {
			from = min(from, kexpr_eval(k, s->cond));
			v = max(v, from);
		}
	}
	return v;
}

void kconfig_evaluate(struct kconfig *k)
{
	bool changed = true;

	for (size_t i = 0; i < k->n_symbols; i++)
		k->symbols[i].value = 0;
	for (int round = 0; changed && round < MAX_ROUNDS; round++) {
		changed = false;
		for (size_t i = 0; i < k->n_symbols; i++) {
			struct ksymbol *s = &k->symbols[i];
			int v;

			/* other types: only whether they are there counts */
			if (!s->is_bool && !s->is_tristate)
				continue;
			v = max(own_value(k, s), selected_value(k, s));
			if (v == KCONFIG_M && s->is_bool)
				v = KCONFIG_Y;
			changed |= v != s->value;
			s->value = v;
		}
	}
}

/** struct flip - a search; bounded by its steps whatever the tree says */
struct flip {
	struct kconfig *k;
	json_t *answers; /* those that hold */
	const int *original;
	int steps, depth;
};

static bool turn(struct flip *f, int symbol, bool on);

static bool is_fixed(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (!strcmp(fixed[i], name))
			return true;
	}
	return false;
}

static bool has_prompt(const struct kconfig *k, const struct ksymbol *s)
{
	for (int i = s->entries; i >= 0; i = k->entries[i].next) {
		if (k->entries[i].prompt)
			return true;
	}
	return false;
}

static bool set_answer(struct flip *f, int symbol, bool on)
{
	struct ksymbol *s = &f->k->symbols[symbol];
	const char *now = json_get_str(f->answers, s->name, NULL);

	if (now)
		return !strcmp(now, "y") == on;
	json_set_text(f->answers, s->name, on ? "y" : "n");
	s->answer = on ? KCONFIG_Y : KCONFIG_N;
	return true;
}

/* Make an expression true or false. */
static bool want(struct flip *f, int expr, bool on)
{
	const struct kexpr *e;
	bool r = false;

	if (expr < 0)
		return on;
	if ((kexpr_eval(f->k, expr) > 0) == on)
		return true;
	if (f->depth >= MAX_DEPTH * 3 || f->steps++ >= MAX_STEPS)
		return false;
	f->depth++;
	e = &f->k->exprs[expr];
	switch (e->op) {
	case KEXPR_SYMBOL:
		r = turn(f, e->a, on);
		break;
	case KEXPR_NOT:
		r = want(f, e->a, !on);
		break;
	case KEXPR_AND:
	case KEXPR_OR:
		/* every part, or the first one that can be had */
		if ((e->op == KEXPR_AND) == on)
			r = want(f, e->a, on) && want(f, e->b, on);
		else
			r = want(f, e->b, on) || want(f, e->a, on);
		break;
	case KEXPR_CONST:
	case KEXPR_EQUAL:
	case KEXPR_UNEQUAL:
		break;
	}
	f->depth--;
	return r;
}

static bool off_by_defaults(struct flip *f, int symbol)
{
	struct kconfig *k = f->k;

	for (int i = k->symbols[symbol].entries; i >= 0;
	     i = k->entries[i].next) {
		const struct kentry *e = &k->entries[i];

		if (!kexpr_eval(k, e->depends))
			continue;
		for (int d = e->defaults; d >= 0; d = k->defaults[d].next) {
			const struct kdefault *df = &k->defaults[d];

			if (!kexpr_eval(k, df->cond) ||
			    !kexpr_eval(k, df->value))
				continue;
			if (!want(f, df->value, false) &&
			    !want(f, df->cond, false) &&
			    !want(f, e->depends, false))
				return false;
			break;
		}
	}
	return true;
}

static bool turn_off(struct flip *f, int symbol)
{
	struct kconfig *k = f->k;
	struct ksymbol *s = &k->symbols[symbol];

	if (has_prompt(k, s) && !set_answer(f, symbol, false))
		return false;
	kconfig_evaluate(k);
	if (own_value(k, s) && !off_by_defaults(f, symbol))
		return false;
	for (int i = s->selectors; i >= 0; i = k->selects[i].next) {
		const struct kselect *sel = &k->selects[i];

		if (!k->symbols[sel->from].value ||
		    !kexpr_eval(k, sel->cond))
			continue;
		if (!turn(f, sel->from, false) && !want(f, sel->cond, false))
			return false;
	}
	kconfig_evaluate(k);
	return !s->value;
}

static void take_back(struct flip *f, json_t *to)
{
	const char *name;
	json_t *v;

	json_object_foreach(f->answers, name, v) {
		int i = kconfig_find(f->k, name);

		(void)v;
		if (i >= 0 && !json_object_get(to, name))
			f->k->symbols[i].answer = f->original[i];
	}
	json_object_clear(f->answers);
	json_object_update(f->answers, to);
	kconfig_evaluate(f->k);
}

static bool on_by_prompt(struct flip *f, int symbol)
{
	struct kconfig *k = f->k;
	struct ksymbol *s = &k->symbols[symbol];

	for (int i = s->entries; i >= 0; i = k->entries[i].next) {
		const struct kentry *e = &k->entries[i];
		json_t *before __free(json) = NULL;

		if (!e->prompt)
			continue;
		before = json_copy(f->answers);
		if (want(f, e->depends, true) && want(f, e->prompt_if, true) &&
		    set_answer(f, symbol, true)) {
			kconfig_evaluate(k);
			if (s->value)
				return true;
		}
		take_back(f, before);
	}
	return false;
}

static bool on_by_selector(struct flip *f, int symbol)
{
	struct kconfig *k = f->k;
	struct ksymbol *s = &k->symbols[symbol];
	int tried = 0;

	for (int i = s->selectors; i >= 0 && tried < MAX_SELECTORS;
	     i = k->selects[i].next, tried++) {
		const struct kselect *sel = &k->selects[i];
		json_t *before __free(json) = json_copy(f->answers);

		if (want(f, sel->cond, true) && turn(f, sel->from, true) &&
		    s->value)
			return true;
		take_back(f, before);
	}
	return false;
}

/* Without prompt and selected by none: "default y if WHAT_SOMEONE_TURNS_ON". */
static bool on_by_default(struct flip *f, int symbol)
{
	struct kconfig *k = f->k;
	struct ksymbol *s = &k->symbols[symbol];

	for (int i = s->entries; i >= 0; i = k->entries[i].next) {
		const struct kentry *e = &k->entries[i];
		json_t *before __free(json) = NULL;
		int d = e->defaults;

		if (e->prompt || d < 0)
			continue;
		before = json_copy(f->answers);
		if (want(f, e->depends, true) &&
		    want(f, k->defaults[d].cond, true) &&
		    want(f, k->defaults[d].value, true)) {
			kconfig_evaluate(k);
			if (s->value)
				return true;
		}
		take_back(f, before);
	}
	return false;
}

static bool turn(struct flip *f, int symbol, bool on)
{
	const struct ksymbol *s = &f->k->symbols[symbol];
	bool r;

	if (!s->value == !on)
		return true;
	if ((!s->is_bool && !s->is_tristate) || is_fixed(s->name) ||
	    f->depth >= MAX_DEPTH || f->steps++ >= MAX_STEPS)
		return false;
	f->depth++;
	if (!on)
		r = turn_off(f, symbol);
	else
		r = on_by_prompt(f, symbol) || on_by_selector(f, symbol) ||
		    on_by_default(f, symbol);
	f->depth--;
	return r;
}

int kconfig_flip(struct kconfig *k, const char *name, bool on, json_t *answers,
		 struct strbuf *why)
{
	int *saved __free(kfree) = xcalloc(k->n_symbols + 1, sizeof(*saved));
	json_t *mine __free(json) = json_copy(answers);
	struct flip f = { .k = k, .answers = mine, .original = saved };
	int symbol = kconfig_find(k, name);
	const char *key;
	bool ok = false;
	json_t *v;

	if (symbol < 0) {
		strbuf_setf(why, "no Kconfig file of this architecture has it");
		return -ENOENT;
	}
	for (size_t i = 0; i < k->n_symbols; i++)
		saved[i] = k->symbols[i].answer;
	json_object_foreach(answers, key, v) {
		int i = kconfig_find(k, key);

		if (i >= 0)
			k->symbols[i].answer =
				strcmp(json_string_value(v), "y") ? 0 : 2;
	}
	kconfig_evaluate(k);
	ok = turn(&f, symbol, on) && !k->symbols[symbol].value == !on;
	for (size_t i = 0; i < k->n_symbols; i++)
		k->symbols[i].answer = saved[i];
	kconfig_evaluate(k);
	if (!ok) {
		strbuf_setf(why, "%s",
			    is_fixed(name) ? "it is what the job stands on" :
			    on ? "nothing was found that turns it on" :
				 "nothing was found that turns it off");
		return -ENOENT;
	}
	json_object_update(answers, mine);
	return 0;
}
