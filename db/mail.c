// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/mail.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "lib/clock.h"
#include "lib/hash.h"
#include "lib/json.h"

/* Mails are small: level 3 halves them and costs less than the disk write. */
static int compress(const void *raw, size_t len, struct strbuf *out)
{
	size_t bound = ZSTD_compressBound(len), n;

	strbuf_grow(out, bound);
	n = ZSTD_compress(out->buf, bound, raw, len, 3);
	if (ZSTD_isError(n))
		return -EIO;
	out->len = n;
	return 0;
}

static int decompress(const void *data, size_t len, struct strbuf *out)
{
	unsigned long long size = ZSTD_getFrameContentSize(data, len);
	size_t n;

	if (size > 64u << 20)
		return -EIO; /* also the two error values */
	strbuf_grow(out, (size_t)size);
	n = ZSTD_decompress(out->buf + out->len, (size_t)size, data, len);
	if (ZSTD_isError(n) || n != size)
		return -EIO;
	out->len += n;
	out->buf[out->len] = '\0';
	return 0;
}

int db_mail_find(struct db *db, const char *message_id, struct mail_id *ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT id FROM mail WHERE message_id = ?");
	int r;

	stmt_bind_text(st, message_id);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	ret->v = stmt_int64(st, "id");
	return 0;
}

static void bind_opt_int(struct stmt *st, const json_t *fields,
			 const char *key)
{
	const json_t *v = json_object_get(fields, key);

	if (json_is_integer(v))
		stmt_bind_int64(st, json_integer_value(v));
	else
		stmt_bind_null(st);
}

static int add_ref(struct db *db, int64_t mail, const char *ref)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT OR IGNORE INTO mail_ref (mail_id, ref)"
		    " VALUES (?, ?)");

	stmt_bind_int64(st, mail);
	stmt_bind_text(st, ref);
	return stmt_run(st);
}

static int add_refs(struct db *db, int64_t mail, const json_t *fields)
{
	const char *irt = json_get_str(fields, "in_reply_to", NULL);
	const json_t *refs = json_object_get(fields, "references");
	const json_t *v;
	size_t i;
	int r = 0;

	if (irt && *irt)
		r = add_ref(db, mail, irt);
	json_array_foreach(refs, i, v) {
		if (!r && json_is_string(v))
			r = add_ref(db, mail, json_string_value(v));
	}
	return r;
}

static int add_patch_id(struct db *db, int64_t mail, const char *patch_id)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT INTO patch_id (patch_id, mail_id) VALUES (?, ?)");

	if (!patch_id)
		return 0;
	stmt_bind_text(st, patch_id);
	stmt_bind_int64(st, mail);
	return stmt_run(st);
}

static int insert(struct db *db, struct source_id source, bool is_private,
		  const json_t *fields, const char *message_id,
		  const char *refused, const void *raw, size_t len,
		  struct mail_id *ret)
{
	static const char sql[] =
		"INSERT INTO mail (message_id, source_id, received_s, date_s,"
		" kind, subject, title, from_name, from_email, in_reply_to,"
		" version, number, total, fields, refused, private, raw)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	struct strbuf packed __free(strbuf) = STRBUF_INIT;
	char *text __free(kfree) = json_dumps(fields, JSON_COMPACT);
	int r;

	r = compress(raw, len, &packed);
	if (r)
		return r;
	stmt_bind_text(st, message_id);
	stmt_bind_id(st, source.v);
	stmt_bind_int64(st, clock_now_s());
	bind_opt_int(st, fields, "date_s");
	stmt_bind_text(st, refused ? "refused" :
				     json_get_str(fields, "kind", "other"));
	stmt_bind_text(st, json_get_str(fields, "subject", ""));
	stmt_bind_text(st, json_get_str(fields, "title", ""));
	stmt_bind_text(st, json_get_str(fields, "from_name", ""));
	stmt_bind_text(st, json_get_str(fields, "from_email", ""));
	stmt_bind_text(st, json_get_str(fields, "in_reply_to", NULL));
	bind_opt_int(st, fields, "version");
	bind_opt_int(st, fields, "number");
	bind_opt_int(st, fields, "total");
	stmt_bind_text(st, text);
	stmt_bind_text(st, refused);
	stmt_bind_int64(st, is_private);
	stmt_bind_blob(st, packed.buf, packed.len);
	r = stmt_run(st);
	if (r)
		return r;
	ret->v = db_last_id(db);
	r = add_patch_id(db, ret->v, json_get_str(fields, "patch_id", NULL));
	if (!r)
		r = add_patch_id(db, ret->v,
				 json_get_str(fields, "commit_patch_id", NULL));
	return r ? r : add_refs(db, ret->v, fields);
}

int db_mail_add(struct db *db, struct source_id source, bool is_private,
		const json_t *fields, const void *raw, size_t len,
		struct mail_id *ret)
{
	const char *id = json_get_str(fields, "message_id", NULL);
	int r;

	if (!id || !*id)
		return db_mail_refuse(db, source, "no Message-ID", raw, len,
				      ret);
	r = db_mail_find(db, id, ret);
	if (!r)
		return DB_MAIL_KNOWN;
	if (r != DB_NONE)
		return r;
	return insert(db, source, is_private, fields, id, NULL, raw, len, ret);
}

int db_mail_refuse(struct db *db, struct source_id source, const char *why,
		   const void *raw, size_t len, struct mail_id *ret)
{
	json_t *fields __free(json) = json_object();
	char hex[HASH_HEX_LEN + 1];
	char *id __free(kfree) = NULL;
	int r;

	id = xasprintf("refused:%s", hash_hex(raw, len, hex));
	r = db_mail_find(db, id, ret);
	if (!r)
		return DB_MAIL_KNOWN;
	if (r != DB_NONE)
		return r;
	return insert(db, source, false, fields, id, why, raw, len, ret);
}

int db_mail_publish(struct db *db, struct mail_id id)
{
	static const char sql_version[] =
		"UPDATE version SET private = 0 WHERE private = 1 AND id IN"
		" (SELECT version_id FROM patch WHERE mail_id = ?)";
	struct stmt *mail __free(stmt) = db_prepare(
		db, "UPDATE mail SET private = 0 WHERE private = 1"
		    " AND id = ?");
	struct stmt *version __free(stmt) = db_prepare(db, sql_version);
	int r;

	stmt_bind_int64(mail, id.v);
	r = stmt_run(mail);
	if (r || !db_changes(db))
		return r;
	stmt_bind_int64(version, id.v);
	return stmt_run(version);
}

int db_mail_raw(struct db *db, struct mail_id id, struct strbuf *out)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT raw FROM mail WHERE id = ?");
	const void *data;
	size_t len;
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	data = stmt_blob(st, "raw", &len);
	return decompress(data, len, out);
}

int db_mail_fields(struct db *db, struct mail_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT fields AS fields_json FROM mail WHERE id = ?");
	json_t *row __free(json) = NULL;
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	row = stmt_row_json(st);
	*ret = json_incref(json_object_get(row, "fields"));
	return 0;
}

int db_mail_neighbours(struct db *db, struct mail_id id, json_t **ret)
{
	static const char sql[] =
		"WITH RECURSIVE t(mid) AS ("
		"  SELECT message_id FROM mail WHERE id = ?1"
		"  UNION SELECT r.ref FROM t"
		"   JOIN mail m ON m.message_id = t.mid"
		"   JOIN mail_ref r ON r.mail_id = m.id"
		"  UNION SELECT m.message_id FROM t"
		"   JOIN mail_ref r ON r.ref = t.mid"
		"   JOIN mail m ON m.id = r.mail_id"
		"  LIMIT 8000)"
		" SELECT fields AS fields_json FROM mail WHERE id IN ("
		"  SELECT m.id FROM t JOIN mail m ON m.message_id = t.mid"
		"  UNION SELECT o.id FROM mail me"
		"   JOIN mail o ON o.from_email = me.from_email"
		"    AND o.date_s BETWEEN me.date_s - 86400"
		"     AND me.date_s + 86400"
		"   WHERE me.id = ?1 AND me.kind IN ('patch', 'cover')"
		"    AND o.kind IN ('patch', 'cover'))"
		" AND kind <> 'refused' ORDER BY id LIMIT 4000";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	json_t *all __free(json) = json_array();
	int r;

	stmt_bind_int64(st, id.v);
	while ((r = stmt_step(st)) == DB_ROW) {
		json_t *row __free(json) = stmt_row_json(st);

		json_array_append(all, json_object_get(row, "fields"));
	}
	if (r != DB_NONE)
		return r;
	*ret = no_free_ptr(all);
	return 0;
}
