// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/show.h"

#include <string.h>

#define POLL_S 2
#define RETRY_S 5
#define RETRIES 12
#define MAX_PARAMS 14

int series_ended(const json_t *v)
{
	static const char *const last[] = { "done", "conflict", "superseded" };
	const char *state = json_get_str(v, "state", "");

	for (size_t i = 0; i < ARRAY_SIZE(last); i++) {
		if (!strcmp(state, last[i]))
			return strcmp(json_get_str(v, "verdict", ""), "clean") ?
			       CMD_NO : CMD_YES;
	}
	return -1;
}

int job_ended(const json_t *v)
{
	static const char *const open[] = { "waiting", "queued", "running" };
	const char *state = json_get_str(v, "state", "");

	for (size_t i = 0; i < ARRAY_SIZE(open); i++) {
		if (!strcmp(state, open[i]))
			return -1;
	}
	return strcmp(state, "passed") ? CMD_NO : CMD_YES;
}

static void print_one(struct client *c, const json_t *v,
		      void (*print)(const json_t *v))
{
	if (c->json && c->watch) {
		json_dumpf(v, stdout, JSON_COMPACT | JSON_ENCODE_ANY);
		putchar('\n');
	} else if (c->json) {
		print_json(v);
	} else {
		if (c->watch && isatty(1))
			printf("\033[H\033[2J"); /* from the top of an empty screen */
		print(v);
	}
	fflush(stdout);
}

static int watch(struct client *c, const char *path,
		 void (*print)(const json_t *v), int (*ended)(const json_t *v))
{
	json_t *last __free(json) = NULL;
	int away = 0;

	for (;;) {
		json_t *now = NULL;
		int r = api_get(c, path, &now);

		if (r == CMD_UNREACHABLE && last && away++ < RETRIES) {
			sleep(RETRY_S); /* a restart must not end it */
			continue;
		}
		if (r)
			return r;
		away = 0;
		/* a terminal also shows how time goes by */
		if (!last || !json_equal(last, now) || isatty(1))
			print_one(c, now, print);
		json_decref(last);
		last = now;
		r = ended ? ended(now) : -1;
		if (r >= 0)
			return r;
		if (ferror(stdout))
			return CMD_NO;
		sleep(POLL_S);
	}
}

int show_run(struct client *c, const char *path, void (*print)(const json_t *v),
	     int (*ended)(const json_t *v))
{
	json_t *v __free(json) = NULL;
	int r;

	if (c->watch)
		return watch(c, path, print, ended);
	r = api_get(c, path, &v);
	if (r)
		return r;
	print_one(c, v, print);
	return CMD_YES;
}

/* print callbacks have no argument of their own: one list per run */
static const struct list_spec *listed;

static void print_list(const json_t *v)
{
	const json_t *items = json_is_array(v) ? v : json_object_get(v, "items");

	if (json_array_size(items))
		table_print(items, listed->cols);
	if (json_get_str(v, "next", NULL))
		print_text("more: --cursor %s\n", json_get_str(v, "next", ""));
}

int list_run(struct client *c, const struct list_spec *spec, int argc,
	     char **argv)
{
	const char *names[MAX_PARAMS], *values[MAX_PARAMS] = { NULL };
	char *options[MAX_PARAMS];
	struct option_arg opts[MAX_PARAMS + 1] = { { NULL } };
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	size_t n = 0;
	int r;

	for (; spec->params && spec->params[n]; n++)
		names[n] = spec->params[n];
	names[n++] = "limit";
	names[n++] = "cursor";
	for (size_t i = 0; i < n; i++) {
		options[i] = xasprintf("--%s", names[i]);
		opts[i] = (struct option_arg){ options[i], &values[i] };
	}
	r = cmd_options(&argc, argv, opts);
	for (size_t i = 0; i < n; i++)
		free(options[i]);
	if (r)
		return r;
	if (argc)
		return cmd_usage("%s takes no %s", spec->name, argv[0]);
	strbuf_addstr(&path, spec->path);
	for (size_t i = 0; i < n; i++)
		query_add(&path, names[i], values[i]);
	listed = spec;
	return show_run(c, path.buf, print_list, NULL);
}
