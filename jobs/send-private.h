/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_SEND_PRIVATE_H
#define MMCI_JOBS_SEND_PRIVATE_H

#include "lib/strbuf.h"

/** send_crlf() - append @lf with CRLF line ends and one at the end */
void send_crlf(const struct strbuf *lf, struct strbuf *out);

#endif
