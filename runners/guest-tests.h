/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_GUEST_TESTS_H
#define MMCI_RUNNERS_GUEST_TESTS_H

#define GUEST_TEST_MAX_ARGS 4
#define GUEST_TEST_TIMEOUT_S 60

/**
 * struct guest_test - an mm selftest that needs more than its name
 * @name: program
 * @timeout_s: seconds it may take in an emulated guest
 * @args: arguments as tools/testing/selftests/mm/run_vmtests.sh gives them,
 *	NULL after the last
 */
struct guest_test {
	const char *name;
	unsigned int timeout_s;
	const char *args[GUEST_TEST_MAX_ARGS];
};

/** guest_test_find() - what is known about a selftest, NULL for nothing */
const struct guest_test *guest_test_find(const char *name);

/**
 * guest_tests_default - selftests for every series, NULL after the last
 *
 * Each takes seconds in an emulated guest of 512 MiB and needs no device.
 */
extern const char *const guest_tests_default[];

#endif
