// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/inbox.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel-series/inbox-int.h"
#include "lib/fs.h"

#define STATE_FORMAT 1
#define DEFAULT_BATCH 200
/* more than lore.kernel.org has for its largest list, far below any limit */
#define MAX_EPOCHS 10000

void inbox_epochs_release(struct inbox_epochs *e)
{
	free(e->v);
	e->v = NULL;
	e->nr = 0;
}

void inbox_epochs_add(struct inbox_epochs *e, unsigned int number)
{
	e->v = xrealloc_array(e->v, e->nr + 1, sizeof(*e->v));
	e->v[e->nr++] = number;
}

static int by_number(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

void inbox_epochs_sort(struct inbox_epochs *e, const json_t *state)
{
	size_t backlog = 0;

	if (!e->nr)
		return;
	qsort(e->v, e->nr, sizeof(*e->v), by_number);
	while (backlog < e->nr && !inbox_epoch_get(state, e->v[backlog]))
		backlog++;

	/* [backlog..nr) is known or newer: move it before the reversed rest */
	for (size_t i = 0; i < backlog / 2; i++) {
		unsigned int t = e->v[i];

		e->v[i] = e->v[backlog - 1 - i];
		e->v[backlog - 1 - i] = t;
	}
	if (backlog && backlog < e->nr) {
		size_t known = e->nr - backlog;
		unsigned int *v = xcalloc(e->nr, sizeof(*v));

		memcpy(v, e->v + backlog, known * sizeof(*v));
		memcpy(v + known, e->v, backlog * sizeof(*v));
		free(e->v);
		e->v = v;
	}
}

long inbox_epoch_number(const char *name)
{
	size_t digits = strspn(name, "0123456789");
	long n;

	if (!digits || digits > 5 || strcmp(name + digits, ".git") ||
	    (name[0] == '0' && digits > 1))
		return -1;
	n = strtol(name, NULL, 10);
	return n < MAX_EPOCHS ? n : -1;
}

json_t *inbox_epoch_get(const json_t *state, unsigned int number)
{
	char key[16];
	json_t *e;

	snprintf(key, sizeof(key), "%u", number);
	e = json_object_get(json_object_get(state, "epochs"), key);
	return json_is_object(e) ? e : NULL;
}

json_t *inbox_epoch_make(json_t *state, unsigned int number)
{
	json_t *epochs = json_object_get(state, "epochs");
	json_t *e = inbox_epoch_get(state, number);
	char key[16];

	if (e)
		return e;
	if (!json_is_object(epochs)) {
		epochs = json_object();
		json_object_set_new(state, "epochs", epochs);
	}
	snprintf(key, sizeof(key), "%u", number);
	e = json_object();
	json_object_set_new(epochs, key, e);
	return e;
}

bool inbox_epoch_wanted(const json_t *state, unsigned int number)
{
	json_t *epochs = json_object_get(state, "epochs");
	const char *key;
	json_t *e;

	if (inbox_epoch_get(state, number))
		return true;
	json_object_foreach(epochs, key, e) {
		if (json_get_bool(e, "past", false) &&
		    strtoul(key, NULL, 10) > number)
			return false;
	}
	return true;
}

int inbox_give(struct inbox_run *run, const void *raw, size_t len,
	       size_t full_len, int64_t received_s)
{
	struct inbox_mail mail = {
		.raw = raw, .len = len, .full_len = full_len,
		.received_s = max(received_s, (int64_t)0),
	};

	if (full_len > INBOX_MAX_MAIL_BYTES)
		mail.len = min(len, INBOX_CUT_BYTES);
	run->in_batch++;
	return run->ops->mail(&mail, run->arg);
}

bool inbox_batch_full(const struct inbox_run *run)
{
	unsigned int batch = run->spec->batch;

	return run->in_batch >= (batch ? batch : DEFAULT_BATCH);
}

int inbox_give_state(struct inbox_run *run)
{
	run->in_batch = 0;
	return run->ops->state(run->state, run->arg);
}

static int find_local_epochs(struct inbox_run *run, struct inbox_epochs *ret)
{
	const char *location = run->spec->location;
	char *path __free(kfree) = xasprintf("%s/git", location);
	DIR *d __free(dir) = NULL;
	struct dirent *de;
	struct stat st;

	if (stat(location, &st)) {
		strbuf_addf(run->why, "%s: %s", location, strerror(errno));
		return -errno;
	}
	if (!S_ISDIR(st.st_mode)) {
		strbuf_addf(run->why, "%s: not a directory", location);
		return -ENOTDIR;
	}
	d = opendir(path);
	if (!d && errno != ENOENT) {
		strbuf_addf(run->why, "%s: %s", path, strerror(errno));
		return -errno;
	}
	while (d && (de = readdir(d))) {
		long n = inbox_epoch_number(de->d_name);

		if (n >= 0)
			inbox_epochs_add(ret, (unsigned int)n);
	}
	if (!ret->nr) {
		strbuf_addf(run->why, "%s: not a public-inbox v2 archive, "
			    "there is no git/0.git in it", location);
		return -ENOTDIR;
	}
	return 0;
}

int inbox_read_local(struct inbox_run *run)
{
	struct inbox_epochs epochs __free(inbox_epochs) = { 0 };
	int r;

	r = find_local_epochs(run, &epochs);
	if (r)
		return r;
	inbox_epochs_sort(&epochs, run->state);
	for (size_t i = 0; i < epochs.nr && !r; i++) {
		char *dir __free(kfree) = xasprintf("%s/git/%u.git",
						    run->spec->location,
						    epochs.v[i]);

		if (!inbox_epoch_wanted(run->state, epochs.v[i]))
			continue;
		r = inbox_git_read(run, dir, epochs.v[i],
				   inbox_epoch_make(run->state, epochs.v[i]));
	}
	return r;
}

static bool is_url(const char *location)
{
	return !strncasecmp(location, "http://", 7) ||
	       !strncasecmp(location, "https://", 8);
}

/*
 * What an older or foreign state says about tips cannot hurt: an unknown commit
 * is read as "nothing known". Another kind of source shares no member with it.
 */
static json_t *state_begin(const struct inbox_spec *spec)
{
	json_t *state = json_is_object(spec->state) ?
			json_deep_copy(spec->state) : json_object();
	int64_t since_s = json_get_int(state, "since_s", spec->since_s);

	if (json_get_int(state, "format", STATE_FORMAT) != STATE_FORMAT ||
	    strcmp(json_get_str(state, "kind", spec->kind), spec->kind))
		json_object_clear(state);
	/* what was passed over then is wanted now */
	if (spec->since_s < since_s)
		json_object_del(state, "epochs");
	json_set_int(state, "format", STATE_FORMAT);
	json_set_text(state, "kind", spec->kind);
	json_set_int(state, "since_s", min(since_s, spec->since_s));
	return state;
}

int inbox_pull(const struct inbox_spec *spec, const struct inbox_ops *ops,
	       void *arg, struct strbuf *why)
{
	struct inbox_run run = {
		.spec = spec, .ops = ops, .arg = arg, .why = why,
	};
	int r;

	if (!spec->location || !*spec->location || !spec->kind) {
		strbuf_addstr(why, "a source needs a kind and a location");
		return -EINVAL;
	}
	run.state = state_begin(spec);
	if (!strcmp(spec->kind, "mbox"))
		r = inbox_read_mbox(&run);
	else if (strcmp(spec->kind, "public-inbox")) {
		strbuf_addf(why, "%s: unknown kind of source: %s",
			    spec->location, spec->kind);
		r = -EINVAL;
	} else if (is_url(spec->location))
		r = inbox_read_http(&run);
	else
		r = inbox_read_local(&run);
	json_decref(run.state);
	return r;
}
