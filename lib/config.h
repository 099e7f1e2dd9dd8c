/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_LIB_CONFIG_H
#define MMCI_LIB_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"

/**
 * struct config_source - one place mails come from
 * @name: the list's short name, "linux-mm"
 * @kind: "public-inbox" (directory or URL) or "mbox"
 * @location: path or http(s) URL
 * @poll_s: seconds between two looks
 * @since_s: ignore mails older than this (seconds since the epoch), 0: none
 */
struct config_source {
	char *name;
	char *kind;
	char *location;
	int64_t poll_s;
	int64_t since_s;
};

/** struct config_strings - a list of strings */
struct config_strings {
	char **v;
	size_t n;
};

/**
 * struct config_http - who may ask how often
 * @trusted_proxies: addresses or ADDRESS/BITS whose X-Forwarded-For is believed
 * @requests_per_min: of one address, 0: no limit
 * @token_requests_per_min: of one token, 0: no limit
 * @session_h: hours after which a browser is logged out
 * @max_viewers: streams of events and logs at a time
 */
struct config_http {
	struct config_strings trusted_proxies;
	int64_t requests_per_min;
	int64_t token_requests_per_min;
	int64_t session_h;
	int64_t max_viewers;
};

/**
 * struct config_mail - how replies leave and commands come in
 * @mode: "off", "outbox" or "send"; only with the last anything leaves
 * @transport: "smtp", "sendmail", "maildir", or "" where nothing is sent
 * @smtp_tls: "required" or "none"
 * @sendmail: program and arguments, the recipients are appended
 * @timeout_s: for one try
 * @retry_s: pause after the first failed try, doubled each time up to 4 hours
 * @give_up_h: hours after which a mail that was put off is given up
 * @opt_out: addresses that never get a mail
 * @command_hosts: authserv-id of the servers whose Authentication-Results
 *	are believed
 * @command_people: who may give commands for every series
 */
struct config_mail {
	char *mode;
	char *from;
	char *reply_to;
	char *spool_dir;
	char *transport;
	char *smtp_url;
	char *smtp_tls;
	char *smtp_ca_file;
	char *smtp_user;
	char *smtp_password_file;
	struct config_strings sendmail;
	char *maildir;
	int64_t timeout_s;
	int64_t retry_s;
	int64_t give_up_h;
	struct config_strings opt_out;
	struct config_strings command_hosts;
	struct config_strings command_people;
	char *patchwork_url;
	char *patchwork_token_file;
};

/**
 * struct config_policy - one rule about mails, see jobs/policy.h
 * @list: name of a source or address of a list, "": every
 * @tree: name of the tree a series was applied to, "": every
 * @person: an address, "": everybody
 * @level: index for config_send_name(), -1: the rule does not say
 * @clean: 1, 0, or -1: the rule does not say
 * @embargo_h: hours between writing and sending, or -1
 * @quiet_from: hour of UTC at which the quiet hours begin, or -1
 * @quiet_to: hour of UTC at which they are over
 * @daily_per_recipient: mails to one person in 24 hours, or -1
 * @daily_per_list: mails to one list in 24 hours, or -1
 * @lists: lists that may get a copy; none named: the rule does not say
 */
struct config_policy {
	char *name;
	char *list;
	char *tree;
	char *person;
	int level;
	int clean;
	int64_t embargo_h;
	int quiet_from;
	int quiet_to;
	int64_t daily_per_recipient;
	int64_t daily_per_list;
	struct config_strings lists;
};

/** config_send_name() - "off", "outbox", "moderated", "author", "author+lists" */
const char *config_send_name(int level);

/**
 * struct config - the daemon's configuration, see docs/operators.md
 *
 * Every field is documented beside its default in deploy/mmcid.conf.
 */
struct config {
	char *state_dir;
	char *listen_host;
	int64_t listen_port;
	char *public_url;
	char *libexec_dir;
	char *kconfig_dir;
	int64_t build_uid;
	int64_t build_gid;
	int64_t make_jobs;
	int64_t derived_configs;
	int64_t parallel_jobs;
	int64_t settle_s;
	int64_t incomplete_s;
	int64_t job_timeout_s;
	int64_t memory_mib;
	int64_t disk_mib;
	int64_t warm_max_gib;
	struct config_strings arches;
	struct config_strings kconfigs;
	struct config_strings toolchains;
	struct config_strings selftests;
	struct config_strings benchmarks;
	struct config_http http;
	struct config_mail mail;
	struct config_policy *policies;
	size_t n_policies;
	struct config_source *sources;
	size_t n_sources;
};

/**
 * config_load() - read a configuration file
 * @path: the file
 * @ret: on success a complete configuration, config_free() releases it
 * @why: on failure one line "FILE:LINE: what is wrong and what was expected"
 *
 * Return: 0; -EINVAL for a mistake in the file; -errno when it cannot be read.
 */
int config_load(const char *path, struct config **ret, struct strbuf *why);
/** config_free() - release a configuration; NULL is fine */
void config_free(struct config *c);
DEFINE_FREE(config, struct config *, config_free(_T))

#endif
