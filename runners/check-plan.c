// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "runners/check.h"

/* More objects than any kernel configuration has. */
#define MAX_UNITS 50000

enum {
	RANK_TOUCHED, /* the patch changes this very file */
	RANK_PREPARE, /* nothing else is built before these */
	RANK_MM,
	RANK_OTHER,
};

static int by_path(const void *a, const void *b)
{
	return strcmp(a, ((const struct source_file *)b)->path);
}

/* @path as it stands in a .cmd file; git's order is that of strcmp() */
static bool is_touched(const struct source_change *c, const char *path)
{
	static const char prefix[] = WORKSPACE_SRC "/";

	if (!starts_with(path, prefix))
		return false;
	return bsearch(path + strlen(prefix), c->files, c->n,
		       sizeof(*c->files), by_path);
}

/*
 * "cmd_TARGET := COMMAND", since 6.2 "savedcmd_TARGET". Cuts @line apart and
 * leaves the front-end command, still in make's quoting, or NULL.
 */
static char *front_end(char *line, char **target)
{
	char *name = strstr(line, "cmd_"), *command, *output, *end;
	struct strbuf sb = STRBUF_INIT;

	command = strstr(line, " := ");
	if (!name || !command || name > command || name - line > 5)
		return NULL;
	*target = name + strlen("cmd_");
	*command = '\0';
	command += strlen(" := ");

	output = strstr(command, " -c -o ");
	if (!output)
		output = strstr(command, " -S -o ");
	if (!output)
		return NULL;
	end = strchr(output + strlen(" -c -o "), ' ');
	if (!end)
		return NULL;
	/* objtool and others that work on the object follow */
	end[strcspn(end, ";&|")] = '\0';
	strbuf_addf(&sb, "%.*s -fsyntax-only%s", (int)(output - command),
		    command, end);
	return strbuf_detach(&sb);
}

static int rank_of(const char *target, bool source_touched)
{
	if (source_touched)
		return RANK_TOUCHED;
	if (ends_with(target, "/asm-offsets.s") ||
	    ends_with(target, "/bounds.s"))
		return RANK_PREPARE;
	return starts_with(target, "mm/") ? RANK_MM : RANK_OTHER;
}

static void append(struct check_plan *plan, const char *target, char *command,
		   int rank)
{
	if (plan->n == plan->alloc) {
		plan->alloc = max(plan->alloc * 2, (size_t)64);
		plan->units = xrealloc_array(plan->units, plan->alloc,
					     sizeof(*plan->units));
	}
	plan->units[plan->n++] = (struct check_unit){ xstrdup(target), command,
						      rank };
}

void check_plan_add(struct check_plan *plan, char *text,
		    const struct source_change *c)
{
	bool depends = false, source_touched = false;
	char *save = NULL, *first, *target = NULL, *command;

	if (plan->n == MAX_UNITS)
		return;
	first = strtok_r(text, "\n", &save);
	if (!first)
		return;
	for (char *line = strtok_r(NULL, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		bool source = starts_with(line, "source_");
		char *path = source ? strstr(line, " := ") : line;

		if (!path)
			continue;
		path += strspn(path, " :=");
		path[strcspn(path, " \\")] = '\0';
		if (source && !ends_with(path, ".c"))
			return;
		if (!is_touched(c, path))
			continue;
		depends = true;
		source_touched |= source;
	}
	if (!depends)
		return;
	command = front_end(first, &target);
	if (command)
		append(plan, target, command,
		       rank_of(target, source_touched));
}

void check_plan_release(struct check_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		free(plan->units[i].target);
		free(plan->units[i].command);
	}
	free(plan->units);
	memset(plan, 0, sizeof(*plan));
}

static int by_rank(const void *a, const void *b)
{
	const struct check_unit *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank - y->rank;
	return strcmp(x->target, y->target);
}

void check_plan_sort(struct check_plan *plan)
{
	if (plan->n)
		qsort(plan->units, plan->n, sizeof(*plan->units), by_rank);
}

/* Those of rank RANK_MM and below have one goal: their order is enough. */
enum check_goal check_unit_goal(const struct check_unit *u)
{
	switch (u->rank) {
	case RANK_TOUCHED:
		return CHECK_TOUCHED;
	case RANK_PREPARE:
		return CHECK_PREPARE;
	default:
		return CHECK_REST;
	}
}

const char *check_goal_name(enum check_goal goal)
{
	static const char *const names[] = {
		[CHECK_TOUCHED] = "touched", [CHECK_PREPARE] = "prepare",
		[CHECK_REST] = "rest",
	};

	return names[goal];
}

void check_plan_makefile(struct check_plan *plan, struct strbuf *out)
{
	check_plan_sort(plan);
	strbuf_addstr(out, "pound := \\#\n.PHONY: touched prepare rest\n"
			   "touched prepare rest: ;\n");
	for (size_t i = 0; i < plan->n; i++) {
		const struct check_unit *u = &plan->units[i];
		const char *goal = check_goal_name(check_unit_goal(u));

		/* phony: the object itself exists and is up to date */
		strbuf_addf(out,
			    "%s: %s\n.PHONY: %s\n%s:\n"
			    "\t@echo '  CC      %s'; %s\n", goal, u->target,
			    u->target, u->target, u->target, u->command);
	}
}
