// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/parts.h"

void parts_release(struct parts *p)
{
	strbuf_release(&p->sql);
}

void parts_add(struct parts *p, const char *sql)
{
	strbuf_addstr(&p->sql, sql);
}

static void add_arg(struct parts *p, const char *text, int64_t v)
{
	if (p->n == PARTS_MAX_ARGS) {
		/* a mistake in this program, not in its data */
		fprintf(stderr, "mmci: too many parameters: %s\n", p->sql.buf);
		abort();
	}
	p->args[p->n].text = text;
	p->args[p->n++].v = v;
}

void parts_text(struct parts *p, const char *sql, const char *value)
{
	if (!value)
		return;
	parts_add(p, sql);
	add_arg(p, value, 0);
}

void parts_int(struct parts *p, const char *sql, int64_t value)
{
	parts_add(p, sql);
	add_arg(p, NULL, value);
}

struct stmt *parts_prepare(struct db *db, const struct parts *p)
{
	struct stmt *st = db_prepare(db, p->sql.buf);

	for (size_t i = 0; i < p->n; i++) {
		if (p->args[i].text)
			stmt_bind_text(st, p->args[i].text);
		else
			stmt_bind_int64(st, p->args[i].v);
	}
	return st;
}
