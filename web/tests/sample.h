/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_TESTS_SAMPLE_H
#define MMCI_WEB_TESTS_SAMPLE_H

#include <stdint.h>

/* The moment at which the sample is looked at. */
#define SAMPLE_NOW_S INT64_C(1777500000)

/* Scopes of the tokens: as named; the expired one has all. */
#define SAMPLE_TOKEN_ADMIN "sample-admin"
#define SAMPLE_TOKEN_RERUN "sample-rerun"
#define SAMPLE_TOKEN_SUBMIT "sample-submit"
#define SAMPLE_TOKEN_READ "sample-read-private"
#define SAMPLE_TOKEN_EXPIRED "sample-expired"

/* Ids of what tests look at. */
#define SAMPLE_SERIES_BROKEN 1
#define SAMPLE_SERIES_HOSTILE 4
#define SAMPLE_SERIES_PRIVATE 5
#define SAMPLE_JOB_BUILD 11
#define SAMPLE_JOB_HOSTILE 41
#define SAMPLE_JOB_PRIVATE 51

/* Put this into every place a stranger can fill. */
#define SAMPLE_SCRIPT "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"

/**
 * sample_make() - a state directory with a database and logs, as if mmci had
 * run a few series
 * @dir: must exist and be empty
 */
void sample_make(const char *dir);

#endif
