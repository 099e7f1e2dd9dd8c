// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/webhook.h"

#include "db/event.h"
#include "lib/clock.h"
#include "lib/json.h"

int db_webhook_add(struct db *db, const json_t *spec)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT INTO webhook (name, url, secret, events, created_s,"
		    " last_event) VALUES (?, ?, ?, ?, ?,"
		    " (SELECT coalesce(max(id), 0) FROM event))");

	stmt_bind_text(st, json_get_str(spec, "name", ""));
	stmt_bind_text(st, json_get_str(spec, "url", ""));
	stmt_bind_text(st, json_get_str(spec, "secret", ""));
	stmt_bind_text(st, json_get_str(spec, "events", ""));
	stmt_bind_int64(st, clock_now_s());
	return stmt_run(st);
}

int db_webhook_remove(struct db *db, const char *name)
{
	struct stmt *st __free(stmt) =
		db_prepare(db, "DELETE FROM webhook WHERE name = ?");
	int r;

	stmt_bind_text(st, name);
	r = stmt_run(st);
	if (r)
		return r;
	return db_changes(db) ? 0 : DB_NONE;
}

int db_webhooks(struct db *db, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT name, url, events, created_s, last_event, tries,"
		    " next_try_s, last_ok_s, sent, skipped, error FROM webhook"
		    " ORDER BY name");

	return stmt_all_json(st, ret);
}

int db_webhooks_due(struct db *db, int64_t now_s, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT id, name, url, secret, events, tries, last_event"
		    " FROM webhook WHERE next_try_s <= ? AND last_event <"
		    " (SELECT coalesce(max(id), 0) FROM event) ORDER BY id");

	stmt_bind_int64(st, now_s);
	return stmt_all_json(st, ret);
}

int db_webhook_events(struct db *db, const json_t *hook, int limit,
		      json_t **ret, int64_t *last)
{
	struct event_filter filter = {
		.after = json_get_int(hook, "last_event", 0),
		.kinds = json_get_str(hook, "events", ""),
	};

	return db_events(db, &filter, limit, ret, last);
}

int db_webhook_took(struct db *db, int64_t id, int64_t last_event,
		    int64_t sent, int64_t skipped)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE webhook SET last_event = ?2, sent = sent + ?3,"
		    " skipped = skipped + ?4, tries = 0, next_try_s = 0,"
		    " last_ok_s = CASE WHEN ?3 THEN ?5 ELSE last_ok_s END,"
		    " error = CASE WHEN ?4 THEN error ELSE '' END"
		    " WHERE id = ?1");

	stmt_bind_int64(st, id);
	stmt_bind_int64(st, last_event);
	stmt_bind_int64(st, sent);
	stmt_bind_int64(st, skipped);
	stmt_bind_int64(st, clock_now_s());
	return stmt_run(st);
}

int db_webhook_failed(struct db *db, int64_t id, const char *error,
		      int64_t next_s)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE webhook SET tries = tries + 1, error = ?2,"
		    " next_try_s = ?3 WHERE id = ?1");

	stmt_bind_int64(st, id);
	stmt_bind_text(st, error);
	stmt_bind_int64(st, next_s);
	return stmt_run(st);
}
