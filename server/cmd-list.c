// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/show.h"

/* Lists that have nothing beside them. */

static const struct column finding_columns[] = {
	{ "ID", "id", COL_NUMBER },	{ "SERIES", "series_id", COL_NUMBER },
	{ "PATCH", "number", COL_NUMBER }, { "WHAT", "severity" },
	{ "BLAME", "blame" },		{ "ARCH", "arch" },
	{ "FILE", "file" },		{ "LINE", "line", COL_NUMBER },
	{ "MESSAGE", "message", COL_WRAP }, { NULL },
};
static const char *const finding_params[] = {
	"series", "blame", "severity", "stage", "arch", "tool", "file", "text",
	NULL,
};

static int findings(struct client *c, int argc, char **argv)
{
	static const struct list_spec spec = {
		"finding list", "/api/v1/findings", finding_columns,
		finding_params,
	};

	return list_run(c, &spec, argc, argv);
}

const struct cmd cmds_finding[] = {
	{ "list", findings,
	  "[--series ID] [--blame B] [--severity S] [--arch A] [--file PATH]"
	  " [--text T] [--stage S] [--tool T] [--limit N] [--cursor C]",
	  "what was found, the newest first; --blame any: the base's as well" },
	{ 0 },
};

static const struct column source_columns[] = {
	{ "NAME", "name" },
	{ "KIND", "kind" },
	{ "LAST MAIL", "last_mail_s", COL_AGE },
	{ "LAST LOOK", "last_ok_s", COL_AGE },
	{ "FROM", "location", COL_WRAP },
	{ "ERROR", "error" },
	{ NULL },
};

static int sources(struct client *c, int argc, char **argv)
{
	static const struct list_spec spec = {
		"source list", "/api/v1/sources", source_columns, NULL,
	};

	return list_run(c, &spec, argc, argv);
}

const struct cmd cmds_source[] = {
	{ "list", sources, "", "where mails come from, and how that goes" },
	{ 0 },
};

static const struct column queue_columns[] = {
	{ "ID", "id", COL_NUMBER },	{ "KIND", "kind" },
	{ "ARCH", "arch" },		{ "CONFIG", "kconfig" },
	{ "TOOLCHAIN", "toolchain" },	{ "SINCE", "started_s", COL_AGE,
					  "created_s" },
	{ "SERIES", "series_title", COL_WRAP }, { NULL },
};

static void print_queue(const json_t *v)
{
	static const char *const states[] = { "running", "queued", "waiting" };
	const json_t *counts = json_object_get(v, "counts");

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		const json_t *rows = json_object_get(v, states[i]);

		print_text("%s: %lld\n", states[i],
			   (long long)json_get_int(counts, states[i], 0));
		if (json_array_size(rows))
			table_print(rows, queue_columns);
	}
}

static int queue(struct client *c, int argc, char **argv)
{
	if (argc)
		return cmd_usage("queue takes no %s", argv[0]);
	return show_run(c, "/api/v1/queue", print_queue, NULL);
}

const struct cmd cmds_queue[] = {
	{ NULL, queue, "", "what runs, and what waits for what" },
	{ 0 },
};

static void print_health(const json_t *v)
{
	const json_t *jobs = json_object_get(v, "jobs"), *n;
	const char *key;

	json_object_foreach((json_t *)v, key, n) {
		char date[32];

		if (json_is_integer(n) && ends_with(key, "_s")) {
			print_age(json_integer_value(n), date);
			print_text("%-16s %s\n", key, date);
		} else if (json_is_integer(n))
			print_text("%-16s %lld\n", key,
				   (long long)json_integer_value(n));
		else if (json_is_string(n))
			print_text("%-16s %s\n", key, json_string_value(n));
	}
	json_object_foreach((json_t *)jobs, key, n)
		print_text("jobs %-11s %lld\n", key,
			   (long long)json_integer_value(n));
}

static int health(struct client *c, int argc, char **argv)
{
	if (argc)
		return cmd_usage("health takes no %s", argv[0]);
	return show_run(c, "/api/v1/health", print_health, NULL);
}

const struct cmd cmds_health[] = {
	{ NULL, health, "", "is the daemon well, and what fails" },
	{ 0 },
};
