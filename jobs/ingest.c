// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "ingest: " fmt
#include "jobs/ingest.h"

#include <errno.h>
#include <string.h>

#include "db/command.h"
#include "db/mail.h"
#include "db/source.h"
#include "kernel-series/assemble.h"
#include "kernel-series/pull.h"
#include "lib/json.h"
#include "lib/log.h"

/* A batch is at most this; a worker that sends more is not ours. */
#define MAX_BATCH_BYTES ((size_t)256 << 20)

struct held_mail {
	json_t *fields; /* NULL: refused */
	char *refused;
	char *raw;
	size_t len;
};

/*
 * The mails of a batch wait in memory for the state that belongs to them: the
 * loop serves others meanwhile, who have transactions of their own.
 */
struct ingest {
	struct db *db;
	struct version_sync how;
	struct pull_reader *reader;
	struct held_mail *held;
	size_t n_held;
	size_t held_bytes;
	json_t *fresh;	  /* ids of mails new in this batch */
	json_t *versions; /* ids of versions touched, as keys */
	int64_t n_new;
};

static void drop_held(struct ingest *in)
{
	for (size_t i = 0; i < in->n_held; i++) {
		json_decref(in->held[i].fields);
		free(in->held[i].refused);
		free(in->held[i].raw);
	}
	free(in->held);
	in->held = NULL;
	in->n_held = 0;
	in->held_bytes = 0;
}

static int on_mail(const struct pull_mail *mail, void *arg)
{
	struct ingest *in = arg;
	struct held_mail *h;

	in->held_bytes += mail->len;
	if (in->held_bytes > MAX_BATCH_BYTES)
		return -EFBIG;
	in->held = xrealloc_array(in->held, in->n_held + 1, sizeof(*h));
	h = &in->held[in->n_held++];
	h->fields = json_incref(mail->fields);
	h->refused = xstrdup(mail->refused);
	h->raw = xmalloc(mail->len);
	memcpy(h->raw, mail->raw, mail->len);
	h->len = mail->len;
	return 0;
}

static int store_mail(struct ingest *in, const struct held_mail *mail)
{
	struct mail_id id = { 0 };
	int r;

	if (mail->fields)
		r = db_mail_add(in->db, in->how.source, in->how.is_private,
				mail->fields, mail->raw, mail->len, &id);
	else
		r = db_mail_refuse(in->db, in->how.source, mail->refused,
				   mail->raw, mail->len, &id);
	if (r == DB_MAIL_KNOWN) {
		/* a submitted series is assembled again: its answer names it */
		if (!in->how.source.v)
			json_array_append_new(in->fresh, json_integer(id.v));
		r = 0;
		/* this copy may have the proof that the first one lacked */
		if (mail->fields && !in->how.is_private && in->how.source.v)
			r = db_commands_add(in->db, id, mail->fields);
		if (r || in->how.is_private)
			return r;
		return db_mail_publish(in->db, id);
	}
	if (r)
		return r;
	in->n_new++;
	if (mail->fields && !in->how.is_private && in->how.source.v) {
		r = db_commands_add(in->db, id, mail->fields);
		if (r)
			return r;
	}
	if (mail->fields)
		json_array_append_new(in->fresh, json_integer(id.v));
	else
		pr_info("refused a mail: %s\n", mail->refused);
	return 0;
}

static int sync_series(struct ingest *in, const json_t *series)
{
	struct version_id id = { 0 };
	char key[24];
	int r;

	/* pull requests for stable trees are not work on the list */
	if (json_get_bool(series, "stable", false) ||
	    !json_array_size(json_object_get(series, "patches")))
		return 0;
	r = db_version_sync(in->db, &in->how, series, &id);
	if (r)
		return r;
	snprintf(key, sizeof(key), "%lld", (long long)id.v);
	json_set_bool(in->versions, key, true);
	return 0;
}

static void note_seen(json_t *seen, const json_t *mails)
{
	const json_t *m;
	size_t i;

	json_array_foreach(mails, i, m) {
		const char *id = json_get_str(m, "message_id", NULL);

		if (id)
			json_set_bool(seen, id, true);
	}
}

/* Keys of the other versions that were put together with this one. */
static json_t *same_work(const json_t *all, const json_t *series)
{
	json_t *keys = json_array();
	const json_t *o;
	size_t i;

	json_array_foreach((json_t *)all, i, o) {
		if (o != series && json_get_int(o, "topic", -1) ==
					   json_get_int(series, "topic", -2))
			json_array_append(keys, json_object_get(o, "key"));
	}
	return keys;
}

static int assemble_around(struct ingest *in, int64_t mail, json_t *seen)
{
	json_t *mails __free(json) = NULL, *out __free(json) = NULL;
	json_t *all, *s;
	size_t i;
	int r;

	r = db_mail_neighbours(in->db, (struct mail_id){ mail }, &mails);
	if (r)
		return r;
	note_seen(seen, mails);
	r = assemble_json(mails, &out);
	all = json_object_get(out, "series");
	json_array_foreach(all, i, s) {
		json_object_set_new(s, "same_work", same_work(all, s));
		if (!r)
			r = sync_series(in, s);
	}
	return r;
}

/* A thread that arrives in one batch is put together once. */
static int assemble_batch(struct ingest *in)
{
	json_t *seen __free(json) = json_object(), *v;
	size_t i;
	int r = 0;

	json_array_foreach(in->fresh, i, v) {
		json_t *one __free(json) = NULL;
		struct mail_id id = { json_integer_value(v) };
		const char *message_id;

		r = db_mail_fields(in->db, id, &one);
		if (r)
			return r < 0 ? r : -ENOENT;
		message_id = json_get_str(one, "message_id", "");
		if (json_object_get(seen, message_id))
			continue;
		r = assemble_around(in, id.v, seen);
		if (r)
			return r;
	}
	return 0;
}

static int store_batch(struct ingest *in, const json_t *state)
{
	int r = db_begin(in->db);

	for (size_t i = 0; i < in->n_held && !r; i++)
		r = store_mail(in, &in->held[i]);
	if (!r)
		r = assemble_batch(in);
	if (!r && in->how.source.v)
		r = db_source_store(in->db, in->how.source, state);
	if (!r)
		r = db_commit(in->db);
	if (r)
		db_rollback(in->db);
	return r;
}

static int on_state(json_t *state, void *arg)
{
	struct ingest *in = arg;
	int r = store_batch(in, state);

	drop_held(in);
	json_array_clear(in->fresh);
	return r;
}

struct ingest *ingest_new(struct db *db, const struct version_sync *how)
{
	static const struct pull_ops ops = { .mail = on_mail,
					     .state = on_state };
	struct ingest *in = xcalloc(1, sizeof(*in));

	in->db = db;
	in->how = *how;
	in->reader = pull_reader_new(&ops, in);
	in->fresh = json_array();
	in->versions = json_object();
	return in;
}

void ingest_free(struct ingest *in)
{
	if (!in)
		return;
	drop_held(in);
	pull_reader_free(in->reader);
	json_decref(in->fresh);
	json_decref(in->versions);
	free(in);
}

int ingest_feed(struct ingest *in, const void *data, size_t len,
		struct strbuf *why)
{
	int r = pull_reader_feed(in->reader, data, len, why);

	if (r && !why->len)
		strbuf_setf(why, "storing mails: %s (%s)", strerror(-r),
			    db_error(in->db));
	return r;
}

int ingest_finish(struct ingest *in, json_t **versions, struct strbuf *why)
{
	json_t *ids = json_array(), *v;
	const char *key;
	int r = pull_reader_finish(in->reader, why);

	/* mails without a state after them come again: nothing is lost */
	drop_held(in);
	json_object_foreach(in->versions, key, v)
		json_array_append_new(ids, json_integer(atoll(key)));
	*versions = ids;
	return r;
}

int64_t ingest_count(const struct ingest *in)
{
	return in->n_new;
}
