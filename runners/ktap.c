/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/ktap.h"

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/json.h"
#include "runners/ktap-line.h"

#define MAX_LINE 16384
#define MAX_ERRORS_LISTED 100
#define MAX_KTAP_LINES 10000

enum status {
	PASSED,
	FAILED,
	CRASHED,
	SKIPPED,
	NO_TESTS,
};

static const char *const status_names[] = {
	[PASSED] = "passed",   [FAILED] = "failed",	[CRASHED] = "crashed",
	[SKIPPED] = "skipped", [NO_TESTS] = "no_tests",
};

/*
 * One test. The order of creation is the order of the result: a parent exists
 * from its header on, its children follow, then its siblings.
 */
struct node {
	size_t parent;
	char *name;
	enum status status;
	unsigned int number;
	const char *directive;
	char *why;
	json_t *output;
	int64_t line;
	bool opened;		/* by a header: must have children */
	bool has_plan;
	unsigned int planned;
	size_t children;
	unsigned int indent;	/* of the header, in columns */
	int64_t counts[4];	/* of the leaves below, by enum status */
};

struct ktap_parser {
	struct node *nodes;
	size_t nr, alloc;
	size_t stack[KTAP_MAX_DEPTH];
	unsigned int depth;	/* open nodes, the root included */
	bool started, ended, truncated;
	bool printk_prefix;
	size_t prefix_len;
	int64_t errors;
	json_t *error_list;
	json_t *ktap_lines;
	json_t *pending;	/* lines since the last result */
	char *cut;
	struct strbuf partial;
	int64_t line_number;
};

struct ktap_parser *ktap_new(void)
{
	struct ktap_parser *k = xcalloc(1, sizeof(*k));

	k->error_list = json_array();
	k->ktap_lines = json_array();
	k->pending = json_array();
	strbuf_init(&k->partial);
	return k;
}

void ktap_free(struct ktap_parser *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->nr; i++) {
		free(k->nodes[i].name);
		free(k->nodes[i].why);
		json_decref(k->nodes[i].output);
	}
	free(k->nodes);
	json_decref(k->error_list);
	json_decref(k->ktap_lines);
	json_decref(k->pending);
	free(k->cut);
	strbuf_release(&k->partial);
	free(k);
}

bool ktap_ended(const struct ktap_parser *k)
{
	return k->ended;
}

static void add_error(struct ktap_parser *k, const char *what, const char *name)
{
	char *text __free(kfree) = NULL;

	k->errors++;
	if (json_array_size(k->error_list) >= MAX_ERRORS_LISTED)
		return;
	text = xasprintf("line %lld: %s%s%s", (long long)k->line_number, what,
			 name && *name ? ": " : "", name ? name : "");
	json_array_append_new(k->error_list, json_text(text));
}

static struct node *top(struct ktap_parser *k)
{
	return &k->nodes[k->stack[k->depth - 1]];
}

/* A new child of the innermost open test; NULL when there are too many. */
static struct node *add_node(struct ktap_parser *k)
{
	struct node *n;

	if (k->nr >= KTAP_MAX_TESTS) {
		k->truncated = true;
		return NULL;
	}
	if (k->nr == k->alloc) {
		k->alloc = k->alloc ? 2 * k->alloc : 64;
		k->nodes = xrealloc_array(k->nodes, k->alloc,
					  sizeof(*k->nodes));
	}
	n = &k->nodes[k->nr++];
	*n = (struct node){ .status = CRASHED };
	if (k->depth) {
		n->parent = k->stack[k->depth - 1];
		top(k)->children++;
	}
	return n;
}

static int64_t total_of(const struct node *n)
{
	return n->counts[PASSED] + n->counts[FAILED] + n->counts[CRASHED] +
	       n->counts[SKIPPED];
}

/* What the leaves say together: the worst that happened. */
static enum status status_of_counts(const struct node *n)
{
	if (!total_of(n))
		return NO_TESTS;
	if (n->counts[CRASHED])
		return CRASHED;
	if (n->counts[FAILED])
		return FAILED;
	if (n->counts[PASSED])
		return PASSED;
	return SKIPPED;
}

/* @n is complete: settle its status and add its leaves to its parent's. */
static void settle(struct ktap_parser *k, struct node *n)
{
	struct node *parent = &k->nodes[n->parent];

	if (n->opened && !n->children &&
	    (n->status == CRASHED || n->status == PASSED)) {
		n->status = NO_TESTS;
		add_error(k, "no tests run", n->name);
	}
	if (!total_of(n)) {
		if (n->status != NO_TESTS)
			n->counts[n->status]++;
	} else if (n->status == CRASHED) {
		n->status = status_of_counts(n);
	}
	if (parent == n)
		return;
	for (int i = 0; i < 4; i++)
		parent->counts[i] += n->counts[i];
}

/* Planned tests that never came: crashed, without a name. */
static void add_missing(struct ktap_parser *k)
{
	size_t missing, listed;

	if (!top(k)->has_plan || top(k)->children >= top(k)->planned)
		return;
	missing = top(k)->planned - top(k)->children;
	listed = min(missing, (size_t)KTAP_MAX_MISSING);
	for (size_t i = 0; i < listed; i++) {
		struct node *n;

		add_error(k, "a planned test never came", top(k)->name);
		n = add_node(k);
		if (n)
			settle(k, n);
	}
	top(k)->counts[CRASHED] += (int64_t)(missing - listed);
	k->errors += (int64_t)(missing - listed);
	k->truncated |= missing > listed;
}

static void take_output(struct ktap_parser *k, struct node *n)
{
	if (!json_array_size(k->pending))
		return;
	n->output = k->pending;
	k->pending = json_array();
}

/* The innermost test ends without a result line of its own. */
static void abandon_top(struct ktap_parser *k)
{
	struct node *n;

	add_missing(k);
	n = top(k);
	if (k->depth > 1 && n->name)
		add_error(k, "no result line", n->name);
	take_output(k, n);
	k->depth--;
	settle(k, n);
}

static void apply_result(struct ktap_parser *k, struct node *n,
			 const struct ktap_line *l)
{
	if (!n->name || !n->opened) {
		free(n->name);
		n->name = xstrndup(l->name.p, l->name.n);
	}
	n->number = l->number;
	n->line = k->line_number;
	n->directive = l->directive;
	if (l->why.n)
		n->why = xstrndup(l->why.p, l->why.n);
	n->status = l->ok ? PASSED : FAILED;
	if (l->directive && !strcmp(l->directive, "SKIP"))
		n->status = SKIPPED;
	/* known not to work: TAP 14 counts it as passed */
	else if (l->directive && (!strcmp(l->directive, "TODO") ||
				  !strcmp(l->directive, "XFAIL")))
		n->status = PASSED;
	take_output(k, n);
}

static void check_number(struct ktap_parser *k, const struct node *n,
			 const struct node *parent)
{
	if (n->number != parent->children)
		add_error(k, "unexpected test number", n->name);
}

/* --- deciding where a line belongs --------------------------------------- */

static bool plan_done(const struct node *n)
{
	return n->has_plan && n->children >= n->planned;
}

/*
 * Does this result line end the innermost open test, or is it one of its
 * children? The name decides first, then the plan, then the indentation, which
 * interleaved output may have damaged.
 */
static bool closes_top(struct ktap_parser *k, const struct ktap_line *l)
{
	const struct node *n = top(k);
	const struct node *above;
	bool nested;

	if (k->depth < 2)
		return false;
	above = &k->nodes[k->stack[k->depth - 2]];
	nested = n->indent > above->indent && l->indent >= n->indent;
	if (n->name && l->name.n == strlen(n->name) &&
	    !memcmp(l->name.p, n->name, l->name.n))
		return !(nested && n->has_plan && !plan_done(n));
	if (plan_done(n))
		return !nested && !n->name;
	return !n->name && n->indent > above->indent && l->indent < n->indent;
}

/* Named tests whose end never came are left when the text goes on outside. */
static void leave_finished(struct ktap_parser *k, unsigned int indent)
{
	while (k->depth > 1) {
		const struct node *n = top(k);
		const struct node *above = &k->nodes[k->stack[k->depth - 2]];
		bool nested = n->indent > above->indent &&
			      indent >= n->indent;
		bool outside = n->indent > above->indent &&
			       indent <= above->indent;

		if (!(plan_done(n) && !nested) && !outside)
			return;
		abandon_top(k);
	}
}

static bool named_above(struct ktap_parser *k, struct span name)
{
	for (unsigned int i = 1; i + 1 < k->depth; i++) {
		const char *s = k->nodes[k->stack[i]].name;

		if (s && strlen(s) == name.n && !memcmp(s, name.p, name.n))
			return true;
	}
	return false;
}

static void on_result(struct ktap_parser *k, const struct ktap_line *l)
{
	struct node *n;

	/* the end of an outer test ends the inner ones, if they stand inside */
	while (k->depth > 2 && !closes_top(k, l) &&
	       l->indent < top(k)->indent && named_above(k, l->name))
		abandon_top(k);
	if (!closes_top(k, l))
		leave_finished(k, l->indent);
	if (closes_top(k, l)) {
		add_missing(k);
		n = top(k);
		apply_result(k, n, l);
		k->depth--;
		check_number(k, n, top(k));
		settle(k, n);
		return;
	}
	if (plan_done(top(k)) && k->depth > 1)
		add_error(k, "more tests than planned", top(k)->name);
	n = add_node(k);
	if (!n)
		return;
	apply_result(k, n, l);
	check_number(k, n, top(k));
	settle(k, n);
}

static bool is_fresh(const struct node *n)
{
	return !n->name && !n->has_plan && !n->children;
}

static void open_test(struct ktap_parser *k, const struct ktap_line *l)
{
	struct node *n;

	if (k->depth >= KTAP_MAX_DEPTH) {
		k->truncated = true;
		return;
	}
	n = add_node(k);
	if (!n)
		return;
	n->opened = true;
	n->indent = l->indent;
	if (l->name.n)
		n->name = xstrndup(l->name.p, l->name.n);
	k->stack[k->depth++] = (size_t)(n - k->nodes);
}

/* Two headers on one level: the first of them never ended. */
static void leave_siblings(struct ktap_parser *k, unsigned int indent)
{
	leave_finished(k, indent);
	while (k->depth > 1 && !is_fresh(top(k)) && indent <= top(k)->indent &&
	       top(k)->indent > k->nodes[k->stack[k->depth - 2]].indent)
		abandon_top(k);
}

static void on_version(struct ktap_parser *k, const struct ktap_line *l)
{
	struct node *root;

	if (l->indent <= k->nodes[k->stack[0]].indent) {
		/* the next program's output: number and plan start anew */
		while (k->depth > 1)
			abandon_top(k);
		root = top(k);
		if (!root->children && !root->has_plan)
			return;
		/* the missing ones are nodes too: the array may move */
		add_missing(k);
		root = top(k);
		root->has_plan = false;
		root->children = 0;
		root->planned = 0;
		return;
	}
	leave_siblings(k, l->indent);
	open_test(k, l);
}

static void on_subtest(struct ktap_parser *k, const struct ktap_line *l)
{
	struct node *n = top(k);

	if (k->depth > 1 && is_fresh(n) && l->indent >= n->indent) {
		n->name = xstrndup(l->name.p, l->name.n);
		return;
	}
	leave_siblings(k, l->indent);
	open_test(k, l);
}

static void on_plan(struct ktap_parser *k, const struct ktap_line *l)
{
	struct node *n = top(k);

	if (n->has_plan)
		return;
	/* TAP allows the plan at the end: then only of the level it stands on */
	if (n->children && (k->depth > 1 || l->indent != n->indent))
		return;
	n->has_plan = true;
	n->planned = l->number;
	if (!n->planned && l->directive && k->depth == 1) {
		n->status = SKIPPED;
		n->directive = l->directive;
		n->why = xstrndup(l->why.p, l->why.n);
	}
}

/* --- lines --------------------------------------------------------------- */

static const char *const last_lines[] = {
	"List of all partitions:",
	"Kernel panic - not syncing: VFS:",
	"reboot: System halted",
};

static void keep_line(struct ktap_parser *k, struct span s)
{
	if (json_array_size(k->ktap_lines) < MAX_KTAP_LINES)
		json_array_append_new(k->ktap_lines, json_textn(s.p, s.n));
}

static void keep_output(struct ktap_parser *k, struct span s)
{
	/* the last lines before a failure say most */
	if (json_array_size(k->pending) >= KTAP_MAX_OUTPUT_LINES)
		json_array_remove(k->pending, 0);
	s = span_rtrim(span_to(s, 1024));
	json_array_append_new(k->pending, json_textn(s.p, s.n));
}

static void start(struct ktap_parser *k, struct span line)
{
	size_t at;

	if (!ktap_find_version(line, &at))
		return;
	k->started = true;
	k->prefix_len = at;
	k->printk_prefix = at && ktap_printk_prefix(line) == at;
	k->stack[0] = 0;
	add_node(k)->opened = true;
	k->depth = 1;
	keep_line(k, span_from(line, at));
}

static struct span without_prefix(const struct ktap_parser *k, struct span s)
{
	if (!k->prefix_len)
		return s;
	if (k->printk_prefix)
		return span_from(s, min(ktap_printk_prefix(s), s.n));
	return span_from(s, k->prefix_len);
}

static bool ends_output(struct ktap_parser *k, struct span line)
{
	for (size_t i = 0; i < ARRAY_SIZE(last_lines); i++) {
		if (span_find(line, last_lines[i]) < 0)
			continue;
		k->ended = true;
		k->cut = k->cut ? k->cut : xstrndup(line.p, line.n);
		return true;
	}
	if (!k->cut && span_find(line, "Kernel panic - not syncing") >= 0)
		k->cut = xstrndup(line.p, line.n);
	return false;
}

static void one_line(struct ktap_parser *k, struct span line)
{
	struct ktap_line l;
	struct span s;

	k->line_number++;
	if (k->ended)
		return;
	if (!k->started) {
		start(k, line);
		return;
	}
	if (ends_output(k, line))
		return;
	s = without_prefix(k, line);
	if (!ktap_read_line(s, &l)) {
		keep_output(k, s);
		return;
	}
	keep_line(k, s);
	switch (l.kind) {
	case KTAP_VERSION:
		on_version(k, &l);
		break;
	case KTAP_SUBTEST:
		on_subtest(k, &l);
		break;
	case KTAP_PLAN:
		on_plan(k, &l);
		break;
	case KTAP_RESULT:
		on_result(k, &l);
		break;
	}
}

static void flush_partial(struct ktap_parser *k)
{
	struct span s = { k->partial.buf, k->partial.len };

	if (s.n && s.p[s.n - 1] == '\r')
		s.n--;
	one_line(k, s);
	strbuf_reset(&k->partial);
}

void ktap_feed(struct ktap_parser *k, const void *data, size_t len)
{
	struct span text = { data, len };

	while (text.n) {
		const char *nl = memchr(text.p, '\n', text.n);
		size_t n = nl ? (size_t)(nl - text.p) : text.n;
		size_t room = MAX_LINE - k->partial.len;

		strbuf_add(&k->partial, text.p, min(n, room));
		text = span_from(text, nl ? n + 1 : n);
		if (nl)
			flush_partial(k);
	}
}

/* --- the result ---------------------------------------------------------- */

static json_t *path_json(const struct ktap_parser *k, const struct node *n)
{
	json_t *path = json_array();

	for (; n != k->nodes; n = &k->nodes[n->parent])
		json_array_insert_new(path, 0, json_text(n->name ? n->name : ""));
	return path;
}

/* Relative indentation means something, the common part does not. */
static json_t *dedented(const json_t *lines)
{
	json_t *ret = json_array();
	size_t common = SIZE_MAX;
	size_t i;
	json_t *v;

	json_array_foreach(lines, i, v) {
		struct span s = span_of(json_string_value(v));
		size_t blanks = s.n - span_ltrim(s).n;

		if (blanks < s.n)
			common = min(common, blanks);
	}
	json_array_foreach(lines, i, v) {
		struct span s = span_from(span_of(json_string_value(v)), common);

		json_array_append_new(ret, json_textn(s.p, s.n));
	}
	return ret;
}

static json_t *node_json(const struct ktap_parser *k, const struct node *n)
{
	json_t *o = json_object();

	json_object_set_new(o, "path", path_json(k, n));
	json_set_text(o, "status", status_names[n->status]);
	json_set_bool(o, "leaf", !n->children);
	json_set_int(o, "number", n->number);
	json_set_text(o, "directive", n->directive);
	json_set_text(o, "why", n->why);
	json_object_set_new(o, "output", dedented(n->output));
	json_set_int(o, "line", n->line);
	return o;
}

static json_t *counts_json(const struct node *root)
{
	json_t *o = json_object();

	json_set_int(o, "total", root ? total_of(root) : 0);
	json_set_int(o, "passed", root ? root->counts[PASSED] : 0);
	json_set_int(o, "failed", root ? root->counts[FAILED] : 0);
	json_set_int(o, "crashed", root ? root->counts[CRASHED] : 0);
	json_set_int(o, "skipped", root ? root->counts[SKIPPED] : 0);
	return o;
}

static const char *finish_root(struct ktap_parser *k)
{
	struct node *root = k->nodes;

	if (!k->nr) {
		add_error(k, "no KTAP output", NULL);
		return "no_ktap_output";
	}
	if (k->nr == 1 && root->status == SKIPPED) {
		root->counts[SKIPPED] = 1;
		return "skipped";
	}
	if (k->nr == 1) {
		add_error(k, "no tests run", NULL);
		return "no_tests";
	}
	return status_names[status_of_counts(root)];
}

json_t *ktap_finish(struct ktap_parser *k)
{
	json_t *ret = json_object();
	json_t *tests = json_array();
	json_t *names = json_array();
	const char *status;

	if (k->partial.len)
		flush_partial(k);
	while (k->depth > 1)
		abandon_top(k);
	if (k->depth)
		add_missing(k);
	status = finish_root(k);
	for (size_t i = 1; i < k->nr; i++) {
		const struct node *n = &k->nodes[i];

		json_array_append_new(tests, node_json(k, n));
		if (!n->parent)
			json_array_append_new(names,
					      json_text(n->name ? n->name : ""));
	}
	json_set_text(ret, "status", status);
	json_object_set_new(ret, "counts", counts_json(k->nr ? k->nodes : NULL));
	json_set_int(ret, "errors", k->errors);
	json_object_set(ret, "error_list", k->error_list);
	json_object_set_new(ret, "top_level", names);
	json_object_set_new(ret, "tests", tests);
	json_object_set(ret, "ktap_lines", k->ktap_lines);
	json_set_text(ret, "cut", k->cut);
	json_set_bool(ret, "truncated", k->truncated);
	return ret;
}

json_t *ktap_parse(const void *data, size_t len)
{
	struct ktap_parser *k = ktap_new();
	json_t *ret;

	ktap_feed(k, data, len);
	ret = ktap_finish(k);
	ktap_free(k);
	return ret;
}
