/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_STATIC_H
#define MMCI_WEB_STATIC_H

#include <stddef.h>

/** struct static_file - one file of web/static/, made at build time */
struct static_file {
	const char *name;
	const char *type;
	const char *etag;	/* with its quotes */
	size_t len;
	const char *data;
};

extern const struct static_file static_files[];
extern const size_t n_static_files;

#endif
