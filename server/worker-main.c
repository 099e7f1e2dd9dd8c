// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "worker: " fmt
#include "server/worker-main.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "jobs/command.h"
#include "jobs/hook.h"
#include "jobs/judge.h"
#include "jobs/patchwork.h"
#include "jobs/report.h"
#include "jobs/send.h"
#include "jobs/since.h"
#include "jobs/tidy.h"
#include "kernel-series/base.h"
#include "kernel-series/compare.h"
#include "kernel-series/derive.h"
#include "kernel-series/fixups.h"
#include "kernel-series/integrity.h"
#include "kernel-series/mail.h"
#include "kernel-series/pull.h"
#include "kernel-series/repack.h"
#include "kernel-series/tree.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/log.h"

#define MAX_REQUEST_BYTES (512u << 20)

static int put_answer(json_t *answer)
{
	if (json_dumpf(answer, stdout, JSON_COMPACT) || fflush(stdout)) {
		pr_err("writing the answer: %s\n", strerror(errno));
		return 1;
	}
	return 0;
}

static int answer_or_error(int r, json_t *answer, const struct strbuf *why)
{
	json_t *o __free(json) = answer;

	if (r) {
		json_decref(o);
		o = json_object();
		json_set_text(o, "error", why->len ? why->buf : strerror(-r));
	}
	return put_answer(o);
}

static int do_pull(const json_t *request)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int r = pull_worker(request, fileno(stdout), &why);

	/* it has said so in an "error" frame */
	return r < 0 && !why.len ? 1 : 0;
}

static int do_tree(const json_t *request)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *answer = NULL;
	int r = tree_import(request, &answer, &why);

	return answer_or_error(r, answer, &why);
}

static int do_tidy(const json_t *request)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *answer = NULL;
	int r = tidy_worker(request, &answer, &why);

	return answer_or_error(r, answer, &why);
}

static int do_repack(const json_t *request)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *answer = NULL;
	int r = repack_worker(request, &answer, &why);

	return answer_or_error(r, answer, &why);
}

static int load_mail(const char *path, struct mail **ret)
{
	struct strbuf raw __free(strbuf) = STRBUF_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int r = fs_read_file(path, MAIL_MAX_BYTES, &raw);

	*ret = NULL;
	if (!r)
		r = mail_parse(raw.buf, raw.len, ret, &why);
	return r;
}

/* Mails that cannot be read have been refused before: no remark on them. */
static void load_patches(const json_t *list, struct integrity_patch *v,
			    size_t *nr)
{
	const json_t *p;
	size_t i;

	*nr = 0;
	json_array_foreach(list, i, p) {
		struct mail *mail;

		if (load_mail(json_get_str(p, "path", ""), &mail))
			continue;
		v[*nr].number = (unsigned int)json_get_int(p, "number", 0);
		v[(*nr)++].mail = mail;
	}
}

static void free_patches(struct integrity_patch *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		mail_free((struct mail *)v[i].mail);
	free(v);
}

/* What the series says of itself, held against what it is. */
static json_t *remarks_on(const json_t *request)
{
	const json_t *now = json_object_get(request, "patches");
	const json_t *then = json_object_get(request, "older");
	struct integrity_patch *v = xcalloc(json_array_size(now) + 1,
					    sizeof(*v));
	struct integrity_patch *old = xcalloc(json_array_size(then) + 1,
					      sizeof(*old));
	const char *cover_path = json_get_str(request, "cover", NULL);
	struct mail *cover __free(mail) = NULL;
	size_t nr, nr_old;
	json_t *remarks;

	if (cover_path)
		load_mail(cover_path, &cover);
	load_patches(now, v, &nr);
	load_patches(then, old, &nr_old);
	remarks = integrity_check(cover, v, nr, true, nr_old ? old : NULL,
				  nr_old);
	free_patches(v, nr);
	free_patches(old, nr_old);
	return remarks;
}

static int do_apply(const json_t *request)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *answer = NULL;
	int r = base_and_apply(request, &answer, &why);

	if (!r) {
		json_object_set_new(answer, "remarks", remarks_on(request));
		compare_versions(request, answer);
	}
	return answer_or_error(r, answer, &why);
}

static int do_fixups(const json_t *request)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *answer = NULL;
	int r = fixups_apply(request, &answer, &why);

	return answer_or_error(r, answer, &why);
}

static int do_derive(const json_t *request)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *answer = NULL;
	int r = derive_configs(request, &answer, &why);

	return answer_or_error(r, answer, &why);
}

/* The texts to quote from are read here, not in the daemon. */
static int load_text(json_t *patch)
{
	struct mail *mail __free(mail) = NULL;
	int r = load_mail(json_get_str(patch, "path", ""), &mail);

	if (r < 0)
		return r;
	if (mail && mail->nr_references) {
		json_t *refs = json_array();

		for (size_t i = 0; i < mail->nr_references; i++)
			json_array_append_new(refs,
					      json_text(mail->references[i]));
		json_object_set_new(patch, "references", refs);
	}
	json_set_text(patch, "text",
		      !mail ? "" : mail->attached.len ? mail->attached.buf :
						       mail->display.buf);
	return 0;
}

/* What became of the findings of the version before, if that was judged. */
static void add_since(const json_t *request, json_t *judgement)
{
	const json_t *input = json_object_get(request, "judge");
	const json_t *older = json_object_get(request, "older");

	if (json_is_object(older))
		json_object_set_new(
			judgement, "since",
			json_pack("{s:O, s:o}", "version",
				  json_object_get(older, "version"), "fates",
				  since_fates(json_object_get(older,
							      "findings"),
					      judgement,
					      json_object_get(input,
							      "runs"))));
}

static int do_report(const json_t *request)
{
	json_t *ctx = json_object_get(request, "context"), *p;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *judgement = NULL, *mail = NULL;
	size_t i;
	int r = 0;

	json_array_foreach(json_object_get(ctx, "patches"), i, p) {
		if (!r)
			r = load_text(p);
	}
	p = json_object_get(ctx, "cover");
	if (!r && json_is_object(p))
		r = load_text(p);
	if (r)
		return answer_or_error(r, NULL, &why);
	judge(json_object_get(request, "judge"), &judgement);
	add_since(request, judgement);
	report_quotes(ctx, judgement);
	r = report_reply(ctx, judgement, &mail);
	if (r) {
		json_decref(judgement);
		return answer_or_error(r, NULL, &why);
	}
	return answer_or_error(0, json_pack("{s:o, s:o}", "judgement",
					    judgement, "mail", mail), &why);
}

static int do_maintainers(const json_t *request)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *answer = NULL;
	int r = command_maintainers(request, &answer, &why);

	return answer_or_error(r, answer, &why);
}

static int do_patchwork(const json_t *request)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *answer = NULL;
	int r = patchwork_post(request, &answer, &why);

	return answer_or_error(r, answer, &why);
}

static int do_send(const json_t *request)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *answer = NULL;
	int r = send_mail(request, &answer, &why);

	return answer_or_error(r, answer, &why);
}

static int do_hook(const json_t *request)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *answer = NULL;
	int r = hook_worker(request, &answer, &why);

	return answer_or_error(r, answer, &why);
}

static const struct {
	const char *name;
	int (*fn)(const json_t *request);
} workers[] = {
	{ "pull", do_pull },
	{ "tidy", do_tidy }, { "tree", do_tree },
	{ "apply", do_apply },
	{ "derive", do_derive },
	{ "repack", do_repack },
	{ "fixups", do_fixups },
	{ "report", do_report },
	{ "maintainers", do_maintainers },
	{ "patchwork", do_patchwork },
	{ "send", do_send },
	{ "hook", do_hook },
};

int worker_main(const char *name)
{
	static const struct rlimit no_core = { 0, 0 };
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	json_t *request __free(json) = NULL;
	json_error_t err;

	setrlimit(RLIMIT_CORE, &no_core);
	if (strbuf_read(&text, fileno(stdin), MAX_REQUEST_BYTES)) {
		pr_err("%s: the request cannot be read\n", name);
		return 2;
	}
	request = json_loadb(text.buf, text.len, 0, &err);
	if (!request) {
		pr_err("%s: the request is no JSON: %s\n", name, err.text);
		return 2;
	}
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		if (!strcmp(workers[i].name, name))
			return workers[i].fn(request);
	}
	pr_err("there is no worker \"%s\"\n", name);
	return 2;
}
