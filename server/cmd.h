/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_SERVER_CMD_H
#define MMCI_SERVER_CMD_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/json.h"
#include "lib/strbuf.h"

/* exit statuses of mmci */
enum cmd_exit {
	CMD_YES = 0,
	CMD_NO = 1, /* the answer is no: refused, not found, failed */
	CMD_USAGE = 2,
	CMD_UNREACHABLE = 3,
};

/**
 * struct client - what every command of mmci gets
 * @config_path: the daemon's configuration, from which address and token are
 *	taken on the same machine
 * @url: the daemon's address without a slash at the end; NULL until the first
 *	request needs it
 * @token: bearer token or NULL
 * @json: print the answer as JSON
 * @watch: print again when it changes
 */
struct client {
	char *config_path;
	char *url;
	char *token;
	bool json;
	bool watch;
};

/**
 * struct cmd - one verb of a noun
 * @verb: the word, NULL for a noun without verbs
 * @run: gets the arguments behind the verb; the vector ends in NULL
 * @usage: the arguments, for the usage text
 * @help: one line
 */
struct cmd {
	const char *verb;
	int (*run)(struct client *c, int argc, char **argv);
	const char *usage;
	const char *help;
};

/** struct noun - one noun and its verbs; the array ends with no @run */
struct noun {
	const char *name;
	const struct cmd *cmds;
};

extern const struct cmd cmds_bench[];
extern const struct cmd cmds_check[];
extern const struct cmd cmds_check_config[];
extern const struct cmd cmds_export[];
extern const struct cmd cmds_finding[];
extern const struct cmd cmds_health[];
extern const struct cmd cmds_job[];
extern const struct cmd cmds_outbox[];
extern const struct cmd cmds_parse[];
extern const struct cmd cmds_queue[];
extern const struct cmd cmds_repro[];
extern const struct cmd cmds_series[];
extern const struct cmd cmds_source[];
extern const struct cmd cmds_submit[];
extern const struct cmd cmds_token[];
extern const struct cmd cmds_tree[];
extern const struct cmd cmds_webhook[];

/**
 * struct option_arg - an option of a verb that takes a value
 * @name: with its dashes, "--state"
 * @value: set to the argument, or left alone
 */
struct option_arg {
	const char *name;
	const char **value;
};

/**
 * cmd_options() - take "--name VALUE" and "--name=VALUE" out of @argv
 * @argc: in and out; what remains are the operands
 * @opts: ends with a NULL name
 *
 * Return: 0, or %CMD_USAGE after a message for an unknown option or a missing
 * value.
 */
int cmd_options(int *argc, char **argv, const struct option_arg *opts);
/** cmd_usage() - say what is wrong and how to get help; returns %CMD_USAGE */
__attribute__((format(printf, 1, 2)))
int cmd_usage(const char *fmt, ...);
/** cmd_fail() - one line on stderr; returns %CMD_NO */
__attribute__((format(printf, 1, 2)))
int cmd_fail(const char *fmt, ...);

/**
 * api_call() - one request to the daemon
 * @method: "GET", "POST"
 * @path: from "/api/v1/" on, escaped
 * @body: @len bytes of @content_type, or NULL
 * @ret: the JSON answer, a new reference; may be NULL when not wanted
 *
 * Says on stderr what went wrong.
 *
 * Return: %CMD_YES for an answer of 2xx; %CMD_NO for any other; %CMD_USAGE for
 * a URL that is none; %CMD_UNREACHABLE.
 */
int api_call(struct client *c, const char *method, const char *path,
	     const void *body, size_t len, const char *content_type,
	     json_t **ret);
/** api_get() - GET @path; as api_call() */
int api_get(struct client *c, const char *path, json_t **ret);
/**
 * api_get_text() - GET @path and write the body to stdout as it arrives
 *
 * Return: as api_call().
 */
int api_get_text(struct client *c, const char *path);
/**
 * api_get_text_from() - the same for what is behind @offset, which is moved on
 *
 * Return: as api_call(); %CMD_YES also when there is nothing there yet.
 */
int api_get_text_from(struct client *c, const char *path, int64_t *offset);
/**
 * api_act() - POST to "/api/v1/@noun/@id/@verb" and print what was done
 * @done: "runs again", for a person
 */
int api_act(struct client *c, const char *noun, const char *id,
	    const char *verb, const char *done);

/** print_json() - indented, with a line end; returns %CMD_YES */
int print_json(const json_t *v);
/**
 * print_text() - printf() for a terminal
 *
 * Text comes from strangers: bytes that could move the cursor or change the
 * terminal are printed as '?'; line ends and tabs stay.
 */
__attribute__((format(printf, 1, 2)))
void print_text(const char *fmt, ...);
/** print_age() - seconds since the epoch as "2026-11-02 08:14 UTC" or "-" */
void print_age(int64_t at_s, char buf[32]);
/** query_add() - append "?name=value" or "&name=value", unless @value is NULL */
void query_add(struct strbuf *path, const char *name, const char *value);

#endif
