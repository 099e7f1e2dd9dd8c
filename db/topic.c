// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/topic.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/json.h"

/* Shorter than this a title says nothing. */
#define MIN_KEY_LEN 4

/* Letters and digits only: a comma more is no other piece of work. */
static char *normal(const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || (*text & 0x80))
			strbuf_addch(&sb, (char)tolower((unsigned char)*text));
	}
	return strbuf_detach(&sb);
}

static char *lower(const char *text)
{
	char *s = xstrdup(text);

	for (char *p = s; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return s;
}

static int topic_by_key(struct db *db, const char *email, const char *kind,
			const char *text, int64_t *ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT topic_id FROM topic_key WHERE author_email = ?"
		    " AND kind = ? AND key = ?");
	char *key __free(kfree) = normal(text ? text : "");
	char *who __free(kfree) = lower(email);
	int r;

	if (strlen(key) < MIN_KEY_LEN)
		return DB_NONE;
	stmt_bind_text(st, who);
	stmt_bind_text(st, kind);
	stmt_bind_text(st, key);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	*ret = stmt_int64(st, "topic_id");
	return 0;
}

static int remember(struct db *db, const char *email, const char *kind,
		    const char *text, int64_t topic)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT OR IGNORE INTO topic_key (author_email, kind, key,"
		    " topic_id) VALUES (?, ?, ?, ?)");
	char *key __free(kfree) = normal(text ? text : "");
	char *who __free(kfree) = lower(email);

	if (strlen(key) < MIN_KEY_LEN)
		return 0;
	stmt_bind_text(st, who);
	stmt_bind_text(st, kind);
	stmt_bind_text(st, key);
	stmt_bind_int64(st, topic);
	return stmt_run(st);
}

/* The topic of the version that a mail of the same author belongs to. */
static int topic_by_mail(struct db *db, const char *email, const char *id,
			 int64_t *ret)
{
	static const char sql[] =
		"SELECT v.topic_id FROM version v"
		" WHERE v.author_email = ?2 COLLATE NOCASE AND (v.key = ?1"
		"  OR v.id IN (SELECT p.version_id FROM patch p"
		"   JOIN mail m ON m.id = p.mail_id WHERE m.message_id = ?1)"
		"  OR v.cover_mail_id IN (SELECT id FROM mail"
		"   WHERE message_id = ?1))"
		" ORDER BY v.key = ?1 DESC, v.id LIMIT 1";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	int r;

	stmt_bind_text(st, id);
	stmt_bind_text(st, email);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	*ret = stmt_int64(st, "topic_id");
	return 0;
}

static int move(struct db *db, const char *sql, int64_t from, int64_t to)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_int64(st, to);
	stmt_bind_int64(st, from);
	return stmt_run(st);
}

static int merge(struct db *db, int64_t from, int64_t to)
{
	static const char *const sql[] = {
		"UPDATE version SET topic_id = ? WHERE topic_id = ?",
		"UPDATE topic_key SET topic_id = ? WHERE topic_id = ?",
	};
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sql) && !r; i++)
		r = move(db, sql[i], from, to);
	return r;
}

/* @found of another topic: both are one piece of work. */
static int join(struct db *db, int r, int64_t found, int64_t *topic)
{
	if (r == DB_NONE)
		return 0;
	if (r)
		return r;
	if (*topic && *topic != found)
		return merge(db, found, *topic);
	*topic = found;
	return 0;
}

static int by_mails(struct db *db, const json_t *ids, const char *email,
		    int64_t *topic)
{
	const json_t *v;
	size_t i;
	int r = 0;

	json_array_foreach((json_t *)ids, i, v) {
		int64_t found = 0;

		if (r || !json_is_string(v))
			continue;
		r = topic_by_mail(db, email, json_string_value(v), &found);
		r = join(db, r, found, topic);
	}
	return r;
}

static const char *first_title(const json_t *series)
{
	const json_t *p = json_array_get(json_object_get(series, "patches"), 0);

	if (json_get_int(series, "total", 1) < 2 ||
	    json_get_int(p, "number", 0) != 1)
		return NULL;
	return json_get_str(p, "title", NULL);
}

/* Topics from before there were keys. */
static int topic_by_old_title(struct db *db, const char *email,
			      const char *title, int64_t *ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT id FROM topic WHERE author_email = ?"
		    " AND title = ? COLLATE NOCASE ORDER BY id DESC LIMIT 1");
	int r;

	stmt_bind_text(st, email);
	stmt_bind_text(st, title);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	*ret = stmt_int64(st, "id");
	return 0;
}

static int find(struct db *db, const json_t *series, const char *email,
		int64_t *topic)
{
	const char *title = json_get_str(series, "title", "");
	int64_t found = 0;
	int r;

	r = by_mails(db, json_object_get(series, "same_work"), email, topic);
	if (!r)
		r = by_mails(db, json_object_get(series, "supersedes"), email,
			     topic);
	if (!r) {
		r = topic_by_key(db, email, "change",
				 json_get_str(series, "change_id", NULL),
				 &found);
		r = join(db, r, found, topic);
	}
	if (r || *topic)
		return r;
	r = topic_by_key(db, email, "title", title, topic);
	if (r == DB_NONE)
		r = topic_by_key(db, email, "first", first_title(series),
				 topic);
	if (r == DB_NONE)
		r = topic_by_old_title(db, email, title, topic);
	return r == DB_NONE ? 0 : r;
}

static int create(struct db *db, const char *title, const char *email,
		  int64_t *topic)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT INTO topic (title, author_email, created_s)"
		    " VALUES (?, ?, ?)");
	int r;

	stmt_bind_text(st, title);
	stmt_bind_text(st, email);
	stmt_bind_int64(st, clock_now_s());
	r = stmt_run(st);
	*topic = db_last_id(db);
	return r;
}

int db_topic_of(struct db *db, const json_t *series, const char *email,
		int64_t *topic)
{
	const char *title = json_get_str(series, "title", "");
	int r;

	*topic = 0;
	r = find(db, series, email, topic);
	if (!r && !*topic)
		r = create(db, title, email, topic);
	if (!r)
		r = remember(db, email, "change",
			     json_get_str(series, "change_id", NULL), *topic);
	if (!r)
		r = remember(db, email, "title", title, *topic);
	if (!r)
		r = remember(db, email, "first", first_title(series), *topic);
	return r;
}
