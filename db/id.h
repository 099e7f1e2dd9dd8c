/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_ID_H
#define MMCI_DB_ID_H

#include <stdint.h>

/* One struct per table: swapped ids do not compile. 0 is no row. */
struct source_id { int64_t v; };
struct mail_id { int64_t v; };
struct tree_id { int64_t v; };
struct topic_id { int64_t v; };
struct version_id { int64_t v; };
struct job_id { int64_t v; };
struct attempt_id { int64_t v; };
struct finding_id { int64_t v; };
struct outgoing_id { int64_t v; };
struct token_id { int64_t v; };

#endif
