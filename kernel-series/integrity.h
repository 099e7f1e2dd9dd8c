/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_INTEGRITY_H
#define MMCI_KERNEL_SERIES_INTEGRITY_H

#include <jansson.h>
#include <stddef.h>

#include "kernel-series/mail.h"

/**
 * struct integrity_patch - one patch of a series
 * @number: its place, from 1
 * @mail: the mail it came in, borrowed
 */
struct integrity_patch {
	unsigned int number;
	const struct mail *mail;
};

/**
 * integrity_check() - does a series say of itself what is true?
 * @cover: its cover, or NULL
 * @patches: all patches in order, @nr of them; a series with gaps gets no
 *	"diffstat" findings if @complete is false
 * @older: patches of the version before, @nr_older of them, or NULL
 *
 * Return: new array of {"kind", "number" (0: the series), "title", "detail"}.
 * Kinds:
 *	"diffstat"	the cover's diffstat is not that of the patches
 *	"unchanged"	the changelog says it changed, it is as it was
 *	"signed-off-by"	there is none
 *	"invisible"	characters that do not show (see invisible_find())
 *	"undone"	lines that an earlier patch added are removed again
 */
json_t *integrity_check(const struct mail *cover,
			const struct integrity_patch *patches, size_t nr,
			bool complete, const struct integrity_patch *older,
			size_t nr_older);

#endif
