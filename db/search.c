// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/search.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define MAX_WORDS 16

static const char sql_stale[] =
	"SELECT version_id FROM series_text_stale ORDER BY version_id LIMIT ?";

static const char sql_drop[] = "DELETE FROM series_text WHERE rowid = ?";

/* Long series and long lists of findings are cut: some of it is found. */
static const char sql_insert[] =
	"INSERT INTO series_text (rowid, subject, author, file, finding)"
	" SELECT v.id, v.prefix || ' ' || v.title || char(10) ||"
	"  ifnull((SELECT group_concat(title, char(10)) FROM patch"
	"   WHERE version_id = v.id), ''),"
	" v.author_name || ' ' || v.author_email,"
	" (SELECT group_concat(x, char(10)) FROM (SELECT DISTINCT f.value AS x"
	"  FROM patch p JOIN mail m ON m.id = p.mail_id,"
	"   json_each(CASE WHEN json_valid(m.fields) THEN m.fields"
	"    ELSE '{}' END, '$.files') f"
	"  WHERE p.version_id = v.id AND f.type = 'text' LIMIT 2000)),"
	" (SELECT group_concat(x, char(10)) FROM (SELECT DISTINCT file || ' ' ||"
	"   function || ' ' || message AS x FROM finding"
	"  WHERE version_id = v.id AND blame != 'base' AND leader_id IS NULL"
	"  LIMIT 500))"
	" FROM version v WHERE v.id = ?";

static const char sql_done[] =
	"DELETE FROM series_text_stale WHERE version_id = ?";

static int run_on(struct db *db, const char *sql, int64_t id)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_int64(st, id);
	return stmt_run(st);
}

static int index_one(struct db *db, int64_t id)
{
	int r = run_on(db, sql_drop, id);

	if (!r)
		r = run_on(db, sql_insert, id);
	return r ? r : run_on(db, sql_done, id);
}

int search_refresh(struct db *db, int max)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql_stale);
	int64_t ids[64];
	size_t n = 0;
	int r;

	max = min(max, (int)ARRAY_SIZE(ids) - 1);
	stmt_bind_int64(st, max + 1); /* one more tells that some are left */
	while ((r = stmt_step(st)) == DB_ROW)
		ids[n++] = stmt_int64(st, "version_id");
	if (r != DB_NONE)
		return r;
	stmt_reset(st);
	for (size_t i = 0; i < n && i < (size_t)max; i++) {
		r = index_one(db, ids[i]);
		if (r)
			return r;
	}
	return n > (size_t)max;
}

static bool has_word(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (isalnum((unsigned char)s[i]) || (s[i] & 0x80))
			return true;
	}
	return false;
}

/* In quotes nothing has a meaning but the quote itself, which is doubled. */
static void add_phrase(struct strbuf *expr, const char *column, const char *s,
		       size_t len, bool whole)
{
	if (expr->len)
		strbuf_addstr(expr, " AND ");
	if (column)
		strbuf_addf(expr, "{%s} : ", column);
	strbuf_addch(expr, '"');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			strbuf_addch(expr, '"');
		strbuf_addch(expr, s[i]);
	}
	strbuf_addstr(expr, whole ? "\"" : "\" *");
}

static const struct {
	const char *prefix, *column;
} columns[] = {
	{ "s:", "subject" },
	{ "f:", "author" },
	{ "dfn:", "file" },
	{ "e:", "finding" },
};

/* "s:" and the like before a word; moves behind it */
static const char *take_column(const char **s)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!starts_with(*s, columns[i].prefix))
			continue;
		*s += strlen(columns[i].prefix);
		return columns[i].column;
	}
	return NULL;
}

int search_expr(const char *text, struct strbuf *expr)
{
	int n = 0;

	while (n < MAX_WORDS) {
		const char *column;
		bool quoted;
		size_t len;

		text += strspn(text, " \t\r\n");
		if (!*text)
			break;
		column = take_column(&text);
		quoted = *text == '"';
		text += quoted;
		len = strcspn(text, quoted ? "\"" : " \t\r\n");
		if (has_word(text, len)) {
			add_phrase(expr, column, text, len, quoted);
			n++;
		}
		text += len;
		text += quoted && *text == '"';
	}
	return n ? 0 : DB_NONE;
}

int search_column(const char *column, const char *text, struct strbuf *expr)
{
	if (!has_word(text, strlen(text)))
		return DB_NONE;
	add_phrase(expr, column, text, strlen(text), false);
	return 0;
}

int search_count(struct db *db, const char *expr, int most)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT count(*) AS n FROM (SELECT 1 FROM series_text"
		    " WHERE series_text MATCH ? LIMIT ?)");
	int r;

	stmt_bind_text(st, expr);
	stmt_bind_int64(st, most);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r == DB_NONE ? -EIO : r;
	return (int)stmt_int64(st, "n");
}
