// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/fixups.h"

#include <errno.h>
#include <string.h>

#include "kernel-series/apply.h"
#include "kernel-series/mail.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/json.h"

struct work {
	struct git_repo *repo;
	struct git_id head;
	const char *ref_prefix;
	char *scratch;
	int64_t number;
	struct strbuf *why;
};

/* A header value of one line; git mailinfo reads what we write here. */
static void add_plain(struct strbuf *out, const char *text)
{
	for (; *text; text++)
		strbuf_addch(out, (unsigned char)*text < 0x20 ? ' ' : *text);
}

static int write_patch(const struct work *w, const struct mail *mail,
		       const struct strbuf *diff, const char *path)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	char date[48];

	strbuf_addstr(&out, "From: ");
	add_plain(&out, *mail->from.name ? mail->from.name : mail->from.email);
	strbuf_addf(&out, " <");
	add_plain(&out, mail->from.email);
	strbuf_addf(&out, ">\nDate: %s\nSubject: [PATCH] fix-up: ",
		    clock_rfc5322(mail->date_s, date));
	add_plain(&out, mail->subject);
	strbuf_addstr(&out, "\nContent-Type: text/plain; charset=UTF-8\n\n"
			    "Proposed in ");
	add_plain(&out, mail->message_id);
	strbuf_addstr(&out, "\n---\n");
	strbuf_addbuf(&out, diff);
	return fs_write_atomic(path, out.buf, out.len);
}

/* Returns 0, or 1 with @text when the reply carries nothing usable. */
static int read_fixup(const struct work *w, const char *path, const char *to,
		      struct strbuf *text)
{
	struct strbuf raw __free(strbuf) = STRBUF_INIT;
	struct strbuf diff __free(strbuf) = STRBUF_INIT;
	struct mail *mail __free(mail) = NULL;
	int r = fs_read_file(path, MAIL_MAX_BYTES, &raw);

	if (r)
		return r;
	r = mail_parse(raw.buf, raw.len, &mail, text);
	if (r)
		return r;
	r = fixup_diff(mail->text.buf, mail->text.len, &diff);
	if (r == -ENODATA) {
		strbuf_setf(text, "there is no diff in it");
		return 1;
	}
	if (r == -EBADMSG) {
		strbuf_setf(text, "its diff does not add up, a mailer may have "
				  "damaged it");
		return 1;
	}
	return r ? r : write_patch(w, mail, &diff, to);
}

static int take_applied(struct work *w, const struct git_id *commit,
			json_t *out)
{
	char *ref __free(kfree) = xasprintf("%s/%lld", w->ref_prefix,
					    (long long)w->number);
	char hex[GIT_HEX_LEN + 1];
	int r = repo_ref_set(w->repo, ref, commit, w->why);

	if (r)
		return r;
	w->head = *commit;
	json_set_text(out, "state", "applied");
	json_set_text(out, "commit_id", git_id_hex(commit, hex));
	json_set_text(out, "why", "");
	return 0;
}

static int apply_file(struct work *w, const char *path, json_t *out)
{
	json_t *list __free(json) = json_pack("[{s:I,s:s}]", "number",
					      (json_int_t)w->number, "path",
					      path);
	struct apply_series series;
	struct apply_result res;
	int r = apply_series_load(list, w->scratch, &series, w->why);

	if (r) {
		apply_series_release(&series);
		return r;
	}
	r = apply_series_on(w->repo, &series, &w->head, APPLY_ANY, &res,
			    w->why);
	if (!r && res.applied) {
		r = take_applied(w, &res.steps[0].commit, out);
	} else if (r >= 0) {
		json_set_text(out, "state",
			      apply_state_name(res.steps[0].state));
		json_set_text(out, "why", res.steps[0].why.buf);
		r = 0;
	}
	apply_result_release(&res);
	apply_series_release(&series);
	return r;
}

static int one_fixup(struct work *w, const json_t *fixup, json_t *out)
{
	char *path __free(kfree) = xasprintf("%s/%lld.eml", w->scratch,
					     (long long)w->number);
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	int r;

	json_object_set(out, "message_id",
			json_object_get(fixup, "message_id"));
	json_set_int(out, "number", w->number);
	r = read_fixup(w, json_get_str(fixup, "path", ""), path, &text);
	if (r > 0) {
		json_set_text(out, "state", "unreadable");
		json_set_text(out, "why", text.buf);
		return 0;
	}
	return r ? r : apply_file(w, path, out);
}

static int all_fixups(struct work *w, const json_t *request, json_t *list)
{
	const json_t *f;
	size_t i;
	int r;

	json_array_foreach(json_object_get(request, "fixups"), i, f) {
		json_t *out = json_object();

		json_array_append_new(list, out);
		r = one_fixup(w, f, out);
		if (r)
			return r;
		w->number++;
	}
	return 0;
}

int fixups_apply(const json_t *request, json_t **ret, struct strbuf *why)
{
	const char *repo = json_get_str(request, "repo", "");
	char *scratch __free(kfree) = xasprintf("%s.fixup-XXXXXX", repo);
	struct work w = { .ref_prefix = json_get_str(request, "ref_prefix", ""),
			  .number = json_get_int(request, "total", 0) + 1,
			  .scratch = scratch, .why = why };
	json_t *list = NULL;
	int r;

	if (git_id_parse(json_get_str(request, "head", ""), &w.head) ||
	    !starts_with(w.ref_prefix, "refs/")) {
		strbuf_setf(why, "the request has no head or ref_prefix");
		return -EINVAL;
	}
	r = repo_open(repo, &w.repo, why);
	if (r)
		return r;
	if (!mkdtemp(scratch)) {
		r = -errno;
		strbuf_setf(why, "%s: %s", scratch, strerror(-r));
		repo_free(w.repo);
		return r;
	}
	list = json_array();
	r = all_fixups(&w, request, list);
	fs_rm_rf(scratch);
	repo_free(w.repo);
	if (r) {
		json_decref(list);
		return r;
	}
	*ret = json_pack("{s:o}", "fixups", list);
	return 0;
}
