/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_PATCH_ID_H
#define MMCI_KERNEL_SERIES_PATCH_ID_H

#include <stdbool.h>
#include <stddef.h>

#define PATCH_ID_HEX_LEN 40

/**
 * enum patch_id_kind - whose id
 * @PATCH_ID_MAIL: what git patch-id --stable makes of the mail
 * @PATCH_ID_COMMIT: what git format-patch --base makes of the commit, and
 *	writes as "prerequisite-patch-id:". The same but for renames,
 *	files without text, and what follows a binary file.
 */
enum patch_id_kind { PATCH_ID_MAIL, PATCH_ID_COMMIT };

/**
 * patch_id() - the id that "prerequisite-patch-id:" lines give a patch
 * @text: a mail's text or a diff, LF line ends, @len bytes
 * @hex: receives 40 hex digits and a NUL; untouched when there is no diff
 *
 * What stands in front of the first "diff " line and behind the last hunk does
 * not count, nor do blanks, positions and the order of the files.
 *
 * Return: true if there is a diff.
 * Source: git-patch-id(1), --stable; git-format-patch(1), --base.
 */
bool patch_id(const char *text, size_t len, enum patch_id_kind kind,
	      char hex[static PATCH_ID_HEX_LEN + 1]);

#endif
