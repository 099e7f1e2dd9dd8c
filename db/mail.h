/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_MAIL_H
#define MMCI_DB_MAIL_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/* A fact about the mail: it is there already. */
enum { DB_MAIL_KNOWN = 3 };

/**
 * db_mail_add() - keep a mail
 * @source: where it came from, {0} for a submission
 * @is_private: seen only with a token
 * @fields: what the parser gave, see mail_to_json(); the columns are taken
 *	from it
 * @raw: the mail as it came, @len bytes; kept compressed
 * @ret: its id, also when it was known
 *
 * Return: 0; DB_MAIL_KNOWN when a mail with this Message-ID is there; -errno.
 */
int db_mail_add(struct db *db, struct source_id source, bool is_private,
		const json_t *fields, const void *raw, size_t len,
		struct mail_id *ret);
/**
 * db_mail_refuse() - keep what could not be read as a mail, with the reason
 *
 * Return: as db_mail_add(); its identity is the hash of @raw.
 */
int db_mail_refuse(struct db *db, struct source_id source, const char *why,
		   const void *raw, size_t len, struct mail_id *ret);
/**
 * db_mail_publish() - a private mail has come over a public source
 *
 * It and the version it belongs to become visible. Return: 0 or -errno.
 */
int db_mail_publish(struct db *db, struct mail_id id);
/** db_mail_raw() - append the mail as it came; 0, DB_NONE, or -errno */
int db_mail_raw(struct db *db, struct mail_id id, struct strbuf *out);
/** db_mail_fields() - what the parser gave; 0, DB_NONE, or -errno */
int db_mail_fields(struct db *db, struct mail_id id, json_t **ret);
/** db_mail_find() - look a Message-ID up; 0, DB_NONE, or -errno */
int db_mail_find(struct db *db, const char *message_id, struct mail_id *ret);
/**
 * db_mail_neighbours() - the mails one mail may make a series with
 * @ret: array of the stored fields in order of arrival, at most 4000
 *
 * Its thread, over References and In-Reply-To in both directions and over
 * mails that are not there, and what the same author sent within a day of it
 * without any reference.
 *
 * Return: 0 or -errno.
 */
int db_mail_neighbours(struct db *db, struct mail_id id, json_t **ret);

#endif
