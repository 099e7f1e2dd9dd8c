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
	int64_t parallel_jobs;
	int64_t settle_s;
	int64_t incomplete_s;
	int64_t job_timeout_s;
	int64_t memory_mib;
	int64_t disk_mib;
	struct config_strings arches;
	struct config_strings kconfigs;
	struct config_strings toolchains;
	struct config_strings selftests;
	char *mail_mode;
	char *mail_from;
	char *mail_spool_dir;
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
