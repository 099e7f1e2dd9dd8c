/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_VMTESTS_H
#define MMCI_RUNNERS_VMTESTS_H

/*
 * What the tree's own tools/testing/selftests/mm/run_vmtests.sh runs, with
 * which arguments. The script is read, not executed: a guest of ours has no
 * shell. Its lines have the form
 *
 *	CATEGORY="ksm" run_test ./ksm_tests -M -p 10
 *
 * The script may come from a patch, so it is a stranger's text.
 */

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

#define VMTEST_MAX_ARGS 16

/**
 * struct vmtest - one "run_test" line
 * @category: as given, "" if there is none
 * @title: command as a person reads it, "ksm_tests -M -p 10"
 * @program: file name of what is run, NULL if @skip says why it is not known
 * @argv: its arguments after the program, NULL after the last
 * @as_nobody: the script runs it without privilege, by "sudo -u nobody"
 * @hugepages: what the script writes into nr_hugepages before it, -1: nothing
 * @skip: why it cannot be run in a guest without a shell, NULL if it can
 */
struct vmtest {
	char *category;
	char *title;
	char *program;
	char *argv[VMTEST_MAX_ARGS + 1];
	bool as_nobody;
	long hugepages;
	char *skip;
};

/**
 * struct vmtests - the tests of a script, in its order, each title once
 * @v: the tests, @n of them
 */
struct vmtests {
	struct vmtest *v;
	size_t n;
};

#define VMTESTS_INIT { NULL, 0 }

/**
 * vmtests_parse() - read a run_vmtests.sh
 * @text: the script, @len bytes
 * @ret: initialised; tests are added, at most a few hundred
 *
 * Variables that the script sets to a plain word are replaced by it, and
 * half_ufd_size_MB by a size that fits our guests; the path of an XFS image,
 * which there is not, by nothing. A test that needs another one is listed with
 * @skip set.
 */
void vmtests_parse(const char *text, size_t len, struct vmtests *ret);
/** vmtests_release() - free what @t holds */
void vmtests_release(struct vmtests *t);
DEFINE_FREE(vmtests, struct vmtests, vmtests_release(&_T))

#endif
