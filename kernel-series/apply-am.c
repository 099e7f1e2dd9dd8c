// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/apply-am.h"

#include <errno.h>
#include <string.h>

#include "kernel-series/git-program.h"
#include "lib/fs.h"

#define AM_TIMEOUT_MS 120000

/**
 * struct am - a small repository of our own that borrows the objects
 * @work: its work tree
 * @objects: GIT_OBJECT_DIRECTORY=...
 * @env: @objects and NULL
 */
struct am {
	char *work;
	char *objects;
	const char *env[2];
};

static int am_git(const struct am *am, const char *const *argv,
		  const struct strbuf *input, struct strbuf *out,
		  struct strbuf *err, int *code)
{
	struct git_program g = { .cwd = am->work, .env = am->env, .argv = argv,
				 .timeout_ms = AM_TIMEOUT_MS };

	if (input) {
		g.input = input->buf;
		g.input_len = input->len;
	}
	return git_program_run(&g, out, err, code);
}

static int am_git_ok(const struct am *am, const char *const *argv,
		     struct strbuf *out, struct strbuf *why)
{
	struct git_program g = { .cwd = am->work, .env = am->env, .argv = argv,
				 .timeout_ms = AM_TIMEOUT_MS };

	return git_program_ok(&g, out, why);
}

static int write_file(const struct am *am, const char *name, const char *text)
{
	char *path __free(kfree) = xasprintf("%s/.git/%s", am->work, name);
	int r = fs_mkdir_parent(path);

	return r ? r : fs_write_atomic(path, text, strlen(text));
}

/* gitignore(5): a pattern that matches this one path and nothing else */
static void add_pattern(struct strbuf *sb, const char *path)
{
	strbuf_addch(sb, '/');
	for (; *path; path++) {
		if (strchr("*?[\\ !#", *path))
			strbuf_addch(sb, '\\');
		strbuf_addch(sb, *path);
	}
	strbuf_addch(sb, '\n');
}

/*
 * The index knows all 90,000 files, the work tree holds only those that the
 * patch names: git am needs no more.
 */
static int am_checkout(const struct am *am, const struct git_id *commit,
		       const char *const *paths, struct strbuf *why)
{
	char hex[GIT_HEX_LEN + 1];
	const char *init[] = { "init", "-q", "--initial-branch=none", ".",
			       NULL };
	const char *read[] = { "read-tree", "-m", "-u", hex, NULL };
	struct strbuf sparse __free(strbuf) = STRBUF_INIT;
	char *head __free(kfree) = NULL;
	int r = am_git_ok(am, init, NULL, why);

	if (r)
		return r;
	head = xasprintf("%s\n", git_id_hex(commit, hex));
	for (; *paths; paths++)
		add_pattern(&sparse, *paths);
	if (!sparse.len)
		strbuf_addstr(&sparse, "!/*\n");
	r = write_file(am, "HEAD", head);
	if (!r)
		r = write_file(am, "info/sparse-checkout", sparse.buf);
	if (!r)
		r = write_file(am, "config",
			       "[core]\n\trepositoryformatversion = 0\n"
			       "\tbare = false\n\tfilemode = true\n"
			       "\tsparseCheckout = true\n"
			       "\tlogAllRefUpdates = false\n"
			       "[am]\n\tthreeWay = true\n");
	if (r) {
		strbuf_addf(why, "%s: %s", am->work, strerror(-r));
		return r;
	}
	return am_git_ok(am, read, NULL, why);
}

static int am_result(const struct am *am, const struct git_id *before,
		     struct git_id *tree, struct strbuf *why)
{
	const char *argv[] = { "rev-parse", "HEAD", "HEAD^{tree}", NULL };
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct git_id head;
	int r = am_git_ok(am, argv, &out, why);

	if (r)
		return r;
	if (out.len < 2 * GIT_HEX_LEN + 1)
		return -EIO;
	out.buf[GIT_HEX_LEN] = '\0';
	out.buf[2 * GIT_HEX_LEN + 1] = '\0';
	if (git_id_parse(out.buf, &head) ||
	    git_id_parse(out.buf + GIT_HEX_LEN + 1, tree))
		return -EIO;
	return git_id_equal(&head, before) ? AM_NO_CHANGE : 0;
}

/* The first "error:" line says most; the advice below it is for people. */
static void am_why(const struct strbuf *out, const struct strbuf *err,
		   struct strbuf *why)
{
	const char *p = strstr(err->buf, "error: "), *end;

	if (p)
		p += strlen("error: ");
	else
		p = strstr(out->buf, "CONFLICT");
	if (!p)
		p = strstr(err->buf, "fatal: ");
	if (!p)
		p = "git am refuses it";
	end = strchrnul(p, '\n');
	strbuf_add_utf8(why, p, min((size_t)(end - p), (size_t)400));
}

static int am_apply(const struct am *am, const struct strbuf *mail,
		    struct strbuf *why)
{
	const char *argv[] = { "am", "-3", "-q", "--no-gpg-sign", NULL };
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct strbuf err __free(strbuf) = STRBUF_INIT;
	int code = 0, r;

	r = am_git(am, argv, mail, &out, &err, &code);
	if (r) {
		strbuf_addf(why, "git am: %s", strerror(-r));
		return r;
	}
	if (!code)
		return 0;
	am_why(&out, &err, why);
	return AM_REFUSED;
}

int apply_am(struct git_repo *repo, const struct git_id *commit,
	     const struct strbuf *mail, const char *const *paths,
	     const char *scratch, struct git_id *tree, struct strbuf *why)
{
	struct am am = { .work = xasprintf("%s/am-work", scratch) };
	int r;

	am.objects = xasprintf("GIT_OBJECT_DIRECTORY=%s/objects",
			       repo_path(repo));
	am.env[0] = am.objects;
	fs_rm_rf(am.work);
	r = fs_mkdir_p(am.work);
	if (!r)
		r = am_checkout(&am, commit, paths, why);
	if (!r)
		r = am_apply(&am, mail, why);
	if (!r)
		r = am_result(&am, commit, tree, why);
	fs_rm_rf(am.work);
	free(am.work);
	free(am.objects);
	return r;
}
