/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_GUEST_TESTS_H
#define MMCI_RUNNERS_GUEST_TESTS_H

/**
 * guest_test_timeout_s() - seconds an mm selftest may take in an emulated guest
 * @program: its file name
 *
 * 180, the suite's own limit (tools/testing/selftests/mm/settings), or more for
 * those known to need it where every instruction is emulated.
 */
unsigned int guest_test_timeout_s(const char *program);

/**
 * guest_tests_default - selftests for every series, NULL after the last
 *
 * Each takes seconds in an emulated guest of 512 MiB and needs no device.
 */
extern const char *const guest_tests_default[];

#endif
