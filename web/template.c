// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/template.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "lib/clock.h"
#include "lib/json.h"

#define MAX_DEPTH 32

enum op_kind {
	OP_TEXT,
	OP_VALUE,
	OP_SECTION,
	OP_INVERTED,
	OP_END,
	OP_PARTIAL,
};

enum filter {
	FILTER_HTML,
	FILTER_URL,
	FILTER_AGE,
	FILTER_TIME,
	FILTER_DATE,
	FILTER_SHORT,
	FILTER_SPAN,
};

static const char *const filter_names[] = {
	[FILTER_URL] = "url",	  [FILTER_AGE] = "age",
	[FILTER_TIME] = "time",	  [FILTER_DATE] = "date",
	[FILTER_SHORT] = "short", [FILTER_SPAN] = "span",
};

/**
 * struct op - one step of a template
 * @text, @len: OP_TEXT: borrowed from the file
 * @name: all others: what the tag names, owned
 * @peer: of a section its OP_END, of a partial the index of its template
 */
struct op {
	enum op_kind kind;
	enum filter filter;
	const char *text;
	size_t len;
	char *name;
	size_t peer;
};

struct template {
	const char *name;
	struct op *ops;
	size_t n;
	size_t alloc;
};

struct template_set {
	struct template *t;
	size_t n;
};

struct compile {
	const struct template_file *file;
	struct template *t;
	size_t open[MAX_DEPTH];
	size_t depth;
	struct strbuf *why;
};

static int fail(struct compile *c, const char *at, const char *what,
		const char *name)
{
	int line = 1;

	for (const char *p = c->file->text; p < at; p++)
		line += *p == '\n';
	strbuf_setf(c->why, "%s.html:%d: %s%s%s", c->file->name, line, what,
		    name ? ": " : "", name ? name : "");
	return -EINVAL;
}

static struct op *add_op(struct template *t, enum op_kind kind)
{
	if (t->n == t->alloc) {
		t->alloc = t->alloc ? t->alloc * 2 : 32;
		t->ops = xrealloc_array(t->ops, t->alloc, sizeof(*t->ops));
	}
	t->ops[t->n] = (struct op){ .kind = kind };
	return &t->ops[t->n++];
}

static void add_text(struct template *t, const char *from, const char *to)
{
	struct op *op;

	if (from >= to)
		return;
	op = add_op(t, OP_TEXT);
	op->text = from;
	op->len = (size_t)(to - from);
}

static int parse_filter(struct compile *c, struct op *op, const char *at)
{
	char *bar = strchr(op->name, '|');

	op->filter = FILTER_HTML;
	if (!bar)
		return 0;
	*bar++ = '\0';
	for (size_t i = FILTER_URL; i < ARRAY_SIZE(filter_names); i++) {
		if (!strcmp(bar, filter_names[i])) {
			op->filter = (enum filter)i;
			return 0;
		}
	}
	return fail(c, at, "no such filter", bar);
}

static int close_section(struct compile *c, const char *name, const char *at)
{
	struct template *t = c->t;
	size_t open;

	if (!c->depth)
		return fail(c, at, "closes what is not open", name);
	open = c->open[--c->depth];
	if (strcmp(t->ops[open].name, name))
		return fail(c, at, "another section is open here", name);
	add_op(t, OP_END);
	t->ops[open].peer = t->n - 1;
	return 0;
}

/* @at: the first byte after "{{"; @len bytes up to "}}" */
static int add_tag(struct compile *c, const char *at, size_t len)
{
	enum op_kind kind = OP_VALUE;
	struct op *op;
	char *name;

	if (*at == '!')
		return 0;
	if (*at == '#')
		kind = OP_SECTION;
	else if (*at == '^')
		kind = OP_INVERTED;
	else if (*at == '>')
		kind = OP_PARTIAL;
	else if (*at == '/')
		kind = OP_END;
	if (kind != OP_VALUE) {
		at++;
		len--;
	}
	name = xstrndup(at, len);
	if (!len || strpbrk(name, " \t\n{}")) {
		free(name);
		return fail(c, at, "a tag without a proper name", NULL);
	}
	if (kind == OP_END) {
		int r = close_section(c, name, at);

		free(name);
		return r;
	}
	op = add_op(c->t, kind);
	op->name = name;
	if (kind == OP_VALUE)
		return parse_filter(c, op, at);
	if (kind == OP_PARTIAL)
		return 0;
	if (c->depth == MAX_DEPTH)
		return fail(c, at, "too many sections in one another", name);
	c->open[c->depth++] = c->t->n - 1;
	return 0;
}

/*
 * A tag that puts nothing out itself and is alone on its line takes the line
 * along: returns where the text before it ends and moves @after.
 */
static const char *trim_alone(const char *start, const char *tag,
			      const char **after)
{
	const char *from = tag, *to = *after;

	if (!strchr("#^/!>", tag[2]))
		return tag;
	while (from > start && (from[-1] == ' ' || from[-1] == '\t'))
		from--;
	if (from > start && from[-1] != '\n')
		return tag;
	while (*to == ' ' || *to == '\t')
		to++;
	if (*to == '\n')
		to++;
	else if (*to)
		return tag;
	*after = to;
	return from;
}

static int compile(struct compile *c)
{
	const char *file = c->file->text, *pos = file;

	for (;;) {
		const char *tag = strstr(pos, "{{"), *end, *after, *text_end;
		int r;

		if (!tag)
			break;
		end = strstr(tag, "}}");
		if (!end)
			return fail(c, tag, "a tag that does not end", NULL);
		after = end + 2;
		/* start of the file, as @pos is past an earlier tag's line */
		text_end = trim_alone(file, tag, &after);
		add_text(c->t, pos, max(pos, text_end));
		r = add_tag(c, tag + 2, (size_t)(end - tag - 2));
		if (r)
			return r;
		pos = after;
	}
	add_text(c->t, pos, pos + strlen(pos));
	if (c->depth)
		return fail(c, pos, "a section that is not closed",
			    c->t->ops[c->open[c->depth - 1]].name);
	return 0;
}

static const struct template *find(const struct template_set *set,
				   const char *name)
{
	for (size_t i = 0; i < set->n; i++) {
		if (!strcmp(set->t[i].name, name))
			return &set->t[i];
	}
	return NULL;
}

static int link_partials(struct template_set *set, struct strbuf *why)
{
	for (size_t i = 0; i < set->n; i++) {
		struct template *t = &set->t[i];

		for (size_t k = 0; k < t->n; k++) {
			const struct template *other;

			if (t->ops[k].kind != OP_PARTIAL)
				continue;
			other = find(set, t->ops[k].name);
			if (!other) {
				strbuf_setf(why, "%s.html: no such template: %s",
					    t->name, t->ops[k].name);
				return -EINVAL;
			}
			t->ops[k].peer = (size_t)(other - set->t);
		}
	}
	return 0;
}

int template_set_new(const struct template_file *files, size_t n,
		     struct template_set **ret, struct strbuf *why)
{
	struct template_set *set __free(template_set) =
		xcalloc(1, sizeof(*set));
	int r;

	set->t = xcalloc(n ? n : 1, sizeof(*set->t));
	set->n = n;
	for (size_t i = 0; i < n; i++) {
		struct compile c = { .file = &files[i],
				     .t = &set->t[i],
				     .why = why };

		set->t[i].name = files[i].name;
		r = compile(&c);
		if (r)
			return r;
	}
	r = link_partials(set, why);
	if (r)
		return r;
	*ret = no_free_ptr(set);
	return 0;
}

void template_set_free(struct template_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->n; i++) {
		for (size_t k = 0; k < set->t[i].n; k++)
			free(set->t[i].ops[k].name);
		free(set->t[i].ops);
	}
	free(set->t);
	free(set);
}

struct render {
	const struct template_set *set;
	struct strbuf *out;
	const json_t *stack[MAX_DEPTH + 1];
	size_t depth;
	int calls;
};

static const json_t *member(const json_t *v, const char *name, size_t len)
{
	return json_is_object(v) ? json_object_getn(v, name, len) : NULL;
}

static const json_t *lookup(const struct render *r, const char *name)
{
	size_t len = strcspn(name, ".");
	const json_t *v = NULL;

	if (!strcmp(name, "."))
		return r->stack[r->depth];
	for (size_t i = r->depth + 1; i-- > 0 && !v;)
		v = member(r->stack[i], name, len);
	while (v && name[len]) {
		name += len + 1;
		len = strcspn(name, ".");
		v = member(v, name, len);
	}
	return v;
}

static bool is_shown(const json_t *v)
{
	if (!v)
		return false;
	switch (json_typeof(v)) {
	case JSON_NULL:
	case JSON_FALSE:
		return false;
	case JSON_TRUE:
		return true;
	case JSON_STRING:
		return json_string_length(v) > 0;
	case JSON_INTEGER:
		return json_integer_value(v) != 0;
	case JSON_REAL:
		return json_real_value(v) != 0;
	case JSON_ARRAY:
		return json_array_size(v) > 0;
	case JSON_OBJECT:
		return json_object_size(v) > 0;
	}
	return false;
}

static void add_date(struct strbuf *out, int64_t at_s)
{
	time_t t = (time_t)at_s;
	char buf[64];
	struct tm tm;

	if (gmtime_r(&t, &tm) && strftime(buf, sizeof(buf), "%-d %b %Y", &tm))
		strbuf_addstr(out, buf);
}

static void add_time(struct strbuf *out, const json_t *v, enum filter filter)
{
	char buf[32];
	int64_t at_s;

	/* null: has not happened */
	if (!json_is_integer(v))
		return;
	at_s = json_integer_value(v);
	if (filter == FILTER_SPAN)
		template_age(out, at_s);
	else if (!at_s)
		strbuf_addstr(out, "never");
	else if (filter == FILTER_AGE)
		template_age(out, clock_now_s() - at_s);
	else if (filter == FILTER_DATE)
		add_date(out, at_s);
	else
		strbuf_addstr(out, clock_rfc3339(at_s, buf));
}

static void add_value(struct strbuf *out, const json_t *v, enum filter filter)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	const char *s;
	size_t len;

	if (!v)
		return;
	if (filter == FILTER_AGE || filter == FILTER_TIME ||
	    filter == FILTER_DATE || filter == FILTER_SPAN) {
		add_time(out, v, filter);
		return;
	}
	if (json_is_integer(v))
		strbuf_addf(&text, "%lld", (long long)json_integer_value(v));
	else if (json_is_real(v))
		strbuf_addf(&text, "%.6g", json_real_value(v));
	else if (json_is_boolean(v))
		strbuf_addstr(&text, json_is_true(v) ? "true" : "false");
	s = json_is_string(v) ? json_string_value(v) : text.buf;
	len = json_is_string(v) ? json_string_length(v) : text.len;
	if (filter == FILTER_SHORT)
		len = min(len, (size_t)12);
	if (filter == FILTER_URL)
		template_escape_url(out, s, len);
	else
		template_escape(out, s, len);
}

static int run(struct render *r, const struct template *t, size_t from,
	       size_t to);

static int run_item(struct render *r, const struct template *t, size_t from,
		    size_t to, const json_t *item)
{
	int ret;

	if (r->depth == MAX_DEPTH)
		return -ELOOP;
	r->stack[++r->depth] = item;
	ret = run(r, t, from, to);
	r->depth--;
	return ret;
}

static int run_section(struct render *r, const struct template *t, size_t at,
		       const json_t *v)
{
	size_t to = t->ops[at].peer, i;
	json_t *item;
	int ret;

	if (!json_is_array(v))
		return run_item(r, t, at + 1, to,
				json_is_object(v) ? v : r->stack[r->depth]);
	json_array_foreach((json_t *)v, i, item) {
		ret = run_item(r, t, at + 1, to, item);
		if (ret)
			return ret;
	}
	return 0;
}

static int run_op(struct render *r, const struct template *t, size_t *at)
{
	const struct op *op = &t->ops[*at];
	const json_t *v;

	switch (op->kind) {
	case OP_TEXT:
		strbuf_add(r->out, op->text, op->len);
		return 0;
	case OP_VALUE:
		add_value(r->out, lookup(r, op->name), op->filter);
		return 0;
	case OP_PARTIAL:
		t = &r->set->t[op->peer];
		return run(r, t, 0, t->n);
	case OP_SECTION:
	case OP_INVERTED:
		v = lookup(r, op->name);
		if (is_shown(v) == (op->kind == OP_SECTION)) {
			int ret = run_section(r, t, *at,
					      op->kind == OP_SECTION ? v : NULL);

			if (ret)
				return ret;
		}
		*at = op->peer;
		return 0;
	case OP_END:
		return 0;
	}
	return 0;
}

static int run(struct render *r, const struct template *t, size_t from,
	       size_t to)
{
	int ret = 0;

	/* partials may include themselves, for trees; not for ever */
	if (++r->calls > 2 * MAX_DEPTH)
		return -ELOOP;
	for (size_t at = from; at < to && !ret; at++)
		ret = run_op(r, t, &at);
	r->calls--;
	return ret;
}

int template_render(const struct template_set *set, const char *name,
		    const json_t *value, struct strbuf *out)
{
	const struct template *t = find(set, name);
	struct render r = { .set = set, .out = out, .stack = { value } };

	if (!t)
		return -ENOENT;
	return run(&r, t, 0, t->n);
}
