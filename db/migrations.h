/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_MIGRATIONS_H
#define MMCI_DB_MIGRATIONS_H

#include <stddef.h>

/** struct db_migration - one file of db/migrations/, made at build time */
struct db_migration {
	const char *name;
	const char *sql;
};

extern const struct db_migration db_migrations[];
extern const size_t db_n_migrations;

#endif
