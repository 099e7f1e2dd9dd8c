/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_INBOX_INT_H
#define MMCI_KERNEL_SERIES_INBOX_INT_H

/* Shared by inbox*.c only. */

#include <stdbool.h>

#include "kernel-series/inbox.h"
#include "lib/json.h"

/**
 * struct inbox_run - one call of inbox_pull()
 * @spec: from the caller
 * @ops: from the caller
 * @arg: from the caller
 * @state: the state as of now, owned by the run
 * @in_batch: mails given since the last inbox_ops.state()
 * @why: from the caller
 */
struct inbox_run {
	const struct inbox_spec *spec;
	const struct inbox_ops *ops;
	void *arg;
	json_t *state;
	unsigned int in_batch;
	struct strbuf *why;
};

/** struct inbox_epochs - numbers of the epochs of an archive, ascending */
struct inbox_epochs {
	unsigned int *v;
	size_t nr;
};

void inbox_epochs_release(struct inbox_epochs *e);
DEFINE_FREE(inbox_epochs, struct inbox_epochs, inbox_epochs_release(&_T))

/** inbox_epochs_add() - append @number; sort when all are in */
void inbox_epochs_add(struct inbox_epochs *e, unsigned int number);
/**
 * inbox_epochs_sort() - put them in the order in which they are to be read
 * @state: of the run; known and newer epochs come first, oldest of them first,
 *	then those older than all known ones, newest first
 *
 * When @state knows none, this is newest first.
 */
void inbox_epochs_sort(struct inbox_epochs *e, const json_t *state);
/**
 * inbox_epoch_number() - read "12.git"
 *
 * Return: the number, or -1 if @name is no epoch.
 */
long inbox_epoch_number(const char *name);
/** inbox_epoch_get() - state of epoch @number, NULL if never read; borrowed */
json_t *inbox_epoch_get(const json_t *state, unsigned int number);
/** inbox_epoch_make() - the same, made empty if never read; borrowed */
json_t *inbox_epoch_make(json_t *state, unsigned int number);
/**
 * inbox_epoch_wanted() - may epoch @number hold mails of interest?
 *
 * False for an epoch never read that is older than one which begins before
 * the time that the caller is interested in.
 */
bool inbox_epoch_wanted(const json_t *state, unsigned int number);

/**
 * inbox_give() - hand on one mail; @raw is cut when it is too large
 *
 * Return: 0 or what inbox_ops.mail() said.
 */
int inbox_give(struct inbox_run *run, const void *raw, size_t len,
	       size_t full_len, int64_t received_s);
/** inbox_batch_full() - is it time for inbox_give_state()? */
bool inbox_batch_full(const struct inbox_run *run);
/** inbox_give_state() - hand on the state; 0 or what inbox_ops.state() said */
int inbox_give_state(struct inbox_run *run);

/**
 * inbox_git_env() - environment of a git child: nobody's configuration, no
 * questions, the proxy settings of this process
 *
 * Return: for child_spec.envp; built once, lives as long as the process.
 */
const char *const *inbox_git_env(void);
/**
 * inbox_git_read() - give what is new in one epoch
 * @git_dir: bare repository
 * @epoch: its state, changed as mails are given
 * @number: for messages
 *
 * Return: 0, -EPROTO when git failed, -errno, or what inbox_ops returned.
 */
int inbox_git_read(struct inbox_run *run, const char *git_dir,
		   unsigned int number, json_t *epoch);
/**
 * struct inbox_age - how old the beginning of an epoch is
 * @looked: commits looked at from the beginning
 * @old: those of them that are older than a given time
 */
struct inbox_age {
	unsigned int looked;
	unsigned int old;
};
/**
 * inbox_git_age() - look at the oldest commits of an epoch
 * @since_s: what counts as old
 * @look: how many at most
 *
 * Return: 0, also without any commit; -EPROTO when git failed; -errno.
 */
int inbox_git_age(const char *git_dir, int64_t since_s, unsigned int look,
		  struct inbox_age *ret, struct strbuf *why);
/** inbox_git_tip() - branch tip into @hex, "" without one; 0 or -errno */
int inbox_git_tip(const char *git_dir, char hex[static 65],
		  struct strbuf *why);

/** inbox_read_local() - inbox_pull() for a directory */
int inbox_read_local(struct inbox_run *run);
/** inbox_read_http() - inbox_pull() for a URL */
int inbox_read_http(struct inbox_run *run);
/** inbox_read_mbox() - inbox_pull() for a file */
int inbox_read_mbox(struct inbox_run *run);

#endif
