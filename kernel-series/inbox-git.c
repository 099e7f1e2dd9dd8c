// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One epoch of a public-inbox v2 archive: a linear history in which every
 * commit holds one file, "m" with a mail or "d" for a deletion.
 */
#include "kernel-series/inbox-int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "lib/child.h"

#define GIT_BUFFER_BYTES (256 << 10)
#define AGE_LOOK 100
/* An older commit time is a broken clock: there was no such list. */
#define NO_MAIL_BEFORE_S INT64_C(631152000)

/**
 * struct git - a running git and what it prints
 * @child: the process
 * @out: its stdout, NULL when nothing runs
 * @err_fd: file with its stderr
 */
struct git {
	struct child child;
	FILE *out;
	int err_fd;
};

const char *const *inbox_git_env(void)
{
	static const char *const passed_on[] = {
		"PATH", "http_proxy", "https_proxy", "HTTPS_PROXY",
		"all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO",
	};
	static const char *env[ARRAY_SIZE(passed_on) + 16];
	size_t n = 0;

	if (env[0])
		return env;
	for (size_t i = 0; i < ARRAY_SIZE(passed_on); i++) {
		const char *v = getenv(passed_on[i]);

		if (v)
			env[n++] = xasprintf("%s=%s", passed_on[i], v);
	}
	env[n++] = "HOME=/nonexistent";
	env[n++] = "LANG=C.UTF-8";
	env[n++] = "GIT_CONFIG_NOSYSTEM=1";
	env[n++] = "GIT_CONFIG_GLOBAL=/dev/null";
	env[n++] = "GIT_TERMINAL_PROMPT=0";
	env[n++] = "GIT_ASKPASS=/bin/false";
	env[n++] = "GIT_NO_REPLACE_OBJECTS=1";
	env[n++] = "GIT_OPTIONAL_LOCKS=0";
	return env;
}

static int git_start(struct git *g, const char *const *argv, int stdin_fd,
		     struct strbuf *why)
{
	int err __free(fd) = memfd_create("git-stderr", MFD_CLOEXEC);
	int out_r __free(fd) = -1, out_w __free(fd) = -1;
	struct child_spec spec = CHILD_SPEC_INIT;
	int fds[2], r;

	if (err < 0 || pipe2(fds, O_CLOEXEC)) {
		r = -errno;
		strbuf_addf(why, "git: %s", strerror(-r));
		return r;
	}
	out_r = fds[0];
	out_w = fds[1];
	spec.argv = argv;
	spec.envp = inbox_git_env();
	spec.stdin_fd = stdin_fd;
	spec.stdout_fd = out_w;
	spec.stderr_fd = err;
	r = child_spawn(&spec, &g->child);
	if (r) {
		strbuf_addf(why, "git: %s", strerror(-r));
		return r;
	}
	g->out = fdopen(no_free_fd(out_r), "r");
	g->err_fd = no_free_fd(err);
	setvbuf(g->out, NULL, _IOFBF, GIT_BUFFER_BYTES);
	return 0;
}

/* @why gets git's own first words when it failed and @r is still 0. */
static int git_end(struct git *g, const char *git_dir, int r,
		   struct strbuf *why)
{
	struct strbuf err __free(strbuf) = STRBUF_INIT;
	int status = 0;

	if (r)
		child_kill(&g->child);
	fclose(g->out);
	child_wait(&g->child, -1, &status);
	if (!r && status) {
		lseek(g->err_fd, 0, SEEK_SET);
		strbuf_read(&err, g->err_fd, 4096);
		strbuf_addf(why, "%s: git: ", git_dir);
		if (strcspn(err.buf, "\n"))
			strbuf_add_utf8(why, err.buf, strcspn(err.buf, "\n"));
		else
			child_describe(status, why);
		r = -EPROTO;
	}
	close(g->err_fd);
	g->out = NULL;
	return r;
}

int inbox_git_tip(const char *git_dir, char hex[static 65], struct strbuf *why)
{
	/* a ref that does not exist prints nothing, and that is no error */
	const char *argv[] = { "git", "--git-dir", git_dir, "for-each-ref",
			       "--format=%(objectname)", "refs/heads/master",
			       NULL };
	struct git g;
	char *line __free(kfree) = NULL;
	size_t alloc = 0;
	ssize_t n;
	int r;

	hex[0] = '\0';
	r = git_start(&g, argv, -1, why);
	if (r)
		return r;
	n = getline(&line, &alloc, g.out);
	if (n > 0 && n <= 65)
		snprintf(hex, 65, "%.*s", (int)strcspn(line, "\n"), line);
	return git_end(&g, git_dir, 0, why);
}

static bool is_object_id(const char *s, size_t len)
{
	return (len == 40 || len == 64) && strspn(s, "0123456789abcdef") >= len;
}

/**
 * struct commit_line - one line of rev-list --timestamp
 * @time_s: commit time
 * @id: object id, NUL-terminated
 */
struct commit_line {
	int64_t time_s;
	const char *id;
};

static int parse_commit_line(char *line, struct commit_line *ret)
{
	char *end;

	ret->time_s = strtoll(line, &end, 10);
	if (end == line || *end != ' ')
		return -EPROTO;
	ret->id = end + 1;
	end[1 + strcspn(end + 1, "\n")] = '\0';
	return is_object_id(ret->id, strlen(ret->id)) ? 0 : -EPROTO;
}

/*
 * Call @fn for each commit that is reachable from @tip and not from @old,
 * oldest first. @old may be unknown to the repository: a purge or a new mirror.
 */
static int for_each_commit(const char *git_dir, const char *tip,
			   const char *old,
			   int (*fn)(const struct commit_line *c, void *arg),
			   void *arg, struct strbuf *why)
{
	char *not_old __free(kfree) = xasprintf("^%s", old);
	const char *argv[] = { "git", "--git-dir", git_dir, "rev-list",
			       "--reverse", "--first-parent", "--timestamp",
			       "--ignore-missing", tip, *old ? not_old : NULL,
			       NULL };
	char *line __free(kfree) = NULL;
	size_t alloc = 0;
	struct git g;
	int r;

	r = git_start(&g, argv, -1, why);
	if (r)
		return r;
	while (!r && getline(&line, &alloc, g.out) > 0) {
		struct commit_line c;

		r = parse_commit_line(line, &c);
		if (r)
			strbuf_addf(why, "%s: git rev-list: no commit id",
				    git_dir);
		else
			r = fn(&c, arg);
	}
	/* more than enough was seen */
	if (r > 0) {
		git_end(&g, git_dir, r, why);
		return 0;
	}
	return git_end(&g, git_dir, r, why);
}

static bool is_old(int64_t time_s, int64_t since_s)
{
	return time_s < since_s && time_s >= NO_MAIL_BEFORE_S;
}

struct age_arg {
	struct inbox_age *age;
	int64_t since_s;
	unsigned int look;
};

static int look_at_age(const struct commit_line *c, void *arg)
{
	struct age_arg *a = arg;

	a->age->looked++;
	a->age->old += is_old(c->time_s, a->since_s);
	return a->age->looked >= a->look;
}

int inbox_git_age(const char *git_dir, int64_t since_s, unsigned int look,
		  struct inbox_age *ret, struct strbuf *why)
{
	struct age_arg arg = { .age = ret, .since_s = since_s, .look = look };
	char tip[65];
	int r;

	memset(ret, 0, sizeof(*ret));
	r = inbox_git_tip(git_dir, tip, why);
	if (r || !*tip)
		return r;
	return for_each_commit(git_dir, tip, "", look_at_age, &arg, why);
}

/**
 * struct listing - the commits to read, as input for git cat-file
 * @f: file with one line per commit: what to print, commit, commit time
 * @since_s: older ones stay out
 * @age: of the whole list
 */
struct listing {
	FILE *f;
	int64_t since_s;
	struct inbox_age age;
};

static int list_commit(const struct commit_line *c, void *arg)
{
	struct listing *l = arg;
	bool old = is_old(c->time_s, l->since_s);

	if (l->age.looked < AGE_LOOK) {
		l->age.looked++;
		l->age.old += old;
	}
	/* the commit is repeated, because git cat-file prints the blob's id */
	if (!old && fprintf(l->f, "%s:m %s %" PRId64 "\n", c->id, c->id,
			    c->time_s) < 0)
		return -EIO;
	return 0;
}

/**
 * struct blob_line - one line of git cat-file --batch
 * @size: bytes that follow
 * @is_mail: a blob; everything else is passed over
 * @commit: object id of the commit that brought it
 * @time_s: commit time
 */
struct blob_line {
	size_t size;
	bool is_mail;
	char commit[65];
	int64_t time_s;
};

/*
 * "TYPE SIZE COMMIT TIME"; or "COMMIT:m missing", a deletion.
 * Return: 1 with a blob to read, 0 for nothing, -EPROTO.
 */
static int parse_blob_line(const char *line, struct blob_line *ret)
{
	char type[16];

	if (ends_with(line, " missing\n"))
		return 0;
	if (sscanf(line, "%15s %zu %64s %" SCNd64, type, &ret->size,
		   ret->commit, &ret->time_s) != 4 ||
	    !is_object_id(ret->commit, strlen(ret->commit)))
		return -EPROTO;
	ret->is_mail = !strcmp(type, "blob");
	return 1;
}

/* Read @size bytes and the line end, but keep no more than a mail may have. */
static int read_blob(FILE *f, size_t size, struct strbuf *raw)
{
	size_t keep = min(size, INBOX_MAX_MAIL_BYTES), left = size - keep;
	char skip[4096];

	strbuf_reset(raw);
	strbuf_grow(raw, keep);
	if (fread(raw->buf, 1, keep, f) != keep)
		return -EPROTO;
	raw->len = keep;
	raw->buf[keep] = '\0';
	while (left) {
		size_t n = fread(skip, 1, min(left, sizeof(skip)), f);

		if (!n)
			return -EPROTO;
		left -= n;
	}
	return getc(f) == '\n' ? 0 : -EPROTO;
}

static int give_blob(struct inbox_run *run, FILE *f, const struct blob_line *b,
		     struct strbuf *raw, json_t *epoch)
{
	int r;

	r = read_blob(f, b->size, raw);
	/* a purge leaves an empty file behind */
	if (r || !b->is_mail || !b->size)
		return r;
	r = inbox_give(run, raw->buf, raw->len, b->size, b->time_s);
	if (r)
		return r;
	json_set_text(epoch, "tip", b->commit);
	return inbox_batch_full(run) ? inbox_give_state(run) : 0;
}

static int give_listed(struct inbox_run *run, const char *git_dir, int list_fd,
		       json_t *epoch)
{
	const char *argv[] = { "git", "--git-dir", git_dir, "cat-file",
			       "--buffer",
			       "--batch=%(objecttype) %(objectsize) %(rest)",
			       NULL };
	struct strbuf raw __free(strbuf) = STRBUF_INIT;
	char *line __free(kfree) = NULL;
	struct blob_line b;
	size_t alloc = 0;
	struct git g;
	int r;

	r = git_start(&g, argv, list_fd, run->why);
	if (r)
		return r;
	while (!r && getline(&line, &alloc, g.out) > 0) {
		r = parse_blob_line(line, &b);
		if (r > 0)
			r = give_blob(run, g.out, &b, &raw, epoch);
		if (r == -EPROTO && !run->why->len) {
			/* it died: its status and words say why */
			if (feof(g.out)) {
				r = 0;
				break;
			}
			strbuf_addf(run->why, "%s: git cat-file: no blob line",
				    git_dir);
		}
	}
	return git_end(&g, git_dir, r, run->why);
}

int inbox_git_read(struct inbox_run *run, const char *git_dir,
		   unsigned int number, json_t *epoch)
{
	char *old __free(kfree) = xstrdup(json_get_str(epoch, "tip", ""));
	struct listing l = { .since_s = run->spec->since_s };
	FILE *f __free(file) = NULL;
	char tip[65];
	int fd, r;

	r = inbox_git_tip(git_dir, tip, run->why);
	if (r || !*tip || !strcmp(tip, old))
		return r;
	if (!is_object_id(old, strlen(old)))
		*old = '\0';

	fd = memfd_create("inbox-list", MFD_CLOEXEC);
	if (fd < 0 || !(f = fdopen(fd, "w+"))) {
		r = -errno;
		strbuf_addf(run->why, "memfd: %s", strerror(-r));
		return r;
	}
	l.f = f;
	r = for_each_commit(git_dir, tip, old, list_commit, &l, run->why);
	if (r)
		return r;
	/* one wrong clock must not cut off the archive: ask the majority */
	if (!*old && l.age.old * 2 > l.age.looked)
		json_set_bool(epoch, "past", true);

	fflush(f);
	lseek(fd, 0, SEEK_SET);
	r = give_listed(run, git_dir, fd, epoch);
	if (r)
		return r;
	json_set_text(epoch, "tip", tip);
	return inbox_give_state(run);
}
