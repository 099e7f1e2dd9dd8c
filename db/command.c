// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/command.h"

#include <errno.h>
#include <string.h>

#include "db/event.h"
#include "lib/clock.h"
#include "lib/json.h"

#define MAX_COMMANDS 10

static const char sql_add[] =
	"INSERT INTO command (mail_id, seq, command, args, from_email, auth,"
	" machine, date_s, state, at_s)"
	" SELECT m.id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'new', ?9 FROM mail m"
	"  WHERE m.id = ?1 AND m.in_reply_to IS ?10"
	" ON CONFLICT (mail_id, seq) DO UPDATE SET command = excluded.command,"
	"  args = excluded.args, from_email = excluded.from_email,"
	"  auth = excluded.auth, machine = excluded.machine,"
	"  date_s = excluded.date_s, state = 'new', why = ''"
	" WHERE state = 'refused' AND why LIKE 'no proof:%'";

static int add_one(struct db *db, struct mail_id id, int64_t seq,
		   const json_t *command, const json_t *fields)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql_add);
	const char *args = json_get_str(command, "args", "");
	char *auth __free(kfree) = json_dumps(
		json_object_get(fields, "auth_results"), JSON_COMPACT);

	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, seq);
	stmt_bind_text(st, json_get_str(command, "command", ""));
	stmt_bind_text(st, args);
	stmt_bind_text(st, json_get_str(fields, "from_email", ""));
	stmt_bind_text(st, auth ? auth : "[]");
	stmt_bind_int64(st, json_get_bool(fields, "machine", false));
	stmt_bind_int64(st, json_get_int(fields, "date_s", 0));
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_text(st, json_get_str(fields, "in_reply_to", NULL));
	return stmt_run(st);
}

int db_commands_add(struct db *db, struct mail_id id, const json_t *fields)
{
	const json_t *c;
	size_t i;
	int r = 0;

	json_array_foreach(json_object_get(fields, "commands"), i, c) {
		if (!r && i < MAX_COMMANDS)
			r = add_one(db, id, (int64_t)i, c, fields);
	}
	return r;
}

/* By the reply of ours it answers, else by the series it is part of. */
static const char sql_next[] =
	"SELECT c.id, c.command, c.args, c.from_email, c.auth AS auth_json,"
	" c.machine, c.date_s, m.message_id,"
	" coalesce((SELECT o.version_id FROM mail_ref f JOIN outgoing o"
	"   ON o.message_id = f.ref WHERE f.mail_id = m.id"
	"   ORDER BY o.id DESC LIMIT 1),"
	"  (SELECT t.version_id FROM comment t WHERE t.mail_id = m.id),"
	"  (SELECT p.version_id FROM mail_ref f JOIN mail n"
	"   ON n.message_id = f.ref JOIN patch p ON p.mail_id = n.id"
	"   WHERE f.mail_id = m.id ORDER BY p.version_id DESC LIMIT 1),"
	"  (SELECT v.id FROM mail_ref f JOIN mail n ON n.message_id = f.ref"
	"   JOIN version v ON v.cover_mail_id = n.id"
	"   WHERE f.mail_id = m.id ORDER BY v.id DESC LIMIT 1), 0)"
	"  AS version_id"
	" FROM command c JOIN mail m ON m.id = c.mail_id"
	" WHERE c.state = 'new' ORDER BY c.id LIMIT 1";

int db_command_next(struct db *db, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql_next);
	int r = stmt_step(st);

	if (r != DB_ROW)
		return r;
	*ret = stmt_row_json(st);
	return 0;
}

int db_command_set(struct db *db, const json_t *row, const char *state,
		   const char *why)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE command SET state = ?, why = ?, version_id = ?,"
		    " at_s = ? WHERE id = ?");
	struct version_id version = { json_get_int(row, "version_id", 0) };
	char *kind __free(kfree) = xasprintf("command.%s", state);
	char *detail __free(kfree) = xasprintf(
		"%s %s from %s: %s", json_get_str(row, "command", ""),
		json_get_str(row, "args", ""),
		json_get_str(row, "from_email", ""), why);
	int r;

	stmt_bind_text(st, state);
	stmt_bind_text(st, why);
	stmt_bind_id(st, version.v);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, json_get_int(row, "id", 0));
	r = stmt_run(st);
	return r ? r : db_event(db, kind, version, (struct job_id){ 0 },
				detail);
}

int db_command_count(struct db *db, struct version_id id, int64_t since_s,
		     int64_t *ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT count(*) AS n FROM command WHERE version_id = ?"
		    " AND state = 'done' AND at_s > ?");
	int r;

	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, since_s);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r < 0 ? r : -EIO;
	*ret = stmt_int64(st, "n");
	return 0;
}

int db_version_files(struct db *db, struct version_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT DISTINCT j.value AS file FROM patch p"
		    " JOIN mail m ON m.id = p.mail_id,"
		    " json_each(m.fields, '$.files') j"
		    " WHERE p.version_id = ? AND j.type = 'text' LIMIT 1000");
	json_t *list __free(json) = json_array();
	int r;

	stmt_bind_int64(st, id.v);
	while ((r = stmt_step(st)) == DB_ROW)
		json_array_append_new(list, json_text(stmt_text(st, "file")));
	if (r != DB_NONE)
		return r;
	*ret = no_free_ptr(list);
	return 0;
}

int db_version_want_tree(struct db *db, struct version_id id, const char *tree)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE version SET wanted_tree = ? WHERE id = ?");

	stmt_bind_text(st, tree);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}
