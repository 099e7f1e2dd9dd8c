/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_MBOX_H
#define MMCI_KERNEL_SERIES_MBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

/**
 * struct mbox - reads the mails of one mbox, one after the other
 *
 * Initialise with mbox_init(); the data is borrowed.
 */
struct mbox {
	const char *data;
	size_t len, at;
	bool is_mbox;
};

/** mbox_init() - begin with @data; without a "From " line it is one mail */
void mbox_init(struct mbox *mb, const void *data, size_t len);
/**
 * mbox_next() - the next mail, without its "From " line
 * @mail: replaced; quoted ">From " lines are unescaped (mboxrd)
 *
 * Return: false at the end.
 * Source: mbox(5), "mboxrd".
 */
bool mbox_next(struct mbox *mb, struct strbuf *mail);

#endif
