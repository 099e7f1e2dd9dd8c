// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/git-program.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "lib/child.h"

#define MAX_ARGS 64
#define ERR_BYTES 65536
#define DEFAULT_OUT_BYTES ((size_t)64 << 20)
#define DEFAULT_TIMEOUT_MS (600 * 1000)

/*
 * No configuration of the machine or of a user: an alias, a filter or a
 * signing key there would change results. The committer is fixed so that
 * commit ids repeat.
 */
static const char *const base_env[] = {
	"PATH=/usr/local/bin:/usr/bin:/bin",
	"HOME=/nonexistent",
	"LANG=C.UTF-8",
	"TZ=UTC",
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=/bin/false",
	"GIT_SSH_COMMAND=ssh -o BatchMode=yes",
	"GIT_ALLOW_PROTOCOL=file:git:http:https:ssh",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_LITERAL_PATHSPECS=1",
	"GIT_AUTHOR_NAME=mmci",
	"GIT_AUTHOR_EMAIL=mmci@localhost",
	"GIT_COMMITTER_NAME=mmci",
	"GIT_COMMITTER_EMAIL=mmci@localhost",
};

const char **git_program_env(const char *const *more)
{
	size_t n = ARRAY_SIZE(base_env), extra = 0;
	const char **env;

	while (more && more[extra])
		extra++;
	env = xcalloc(n + extra + 1, sizeof(*env));
	memcpy(env, base_env, sizeof(base_env));
	if (extra)
		memcpy(env + n, more, extra * sizeof(*env));
	return env;
}

static int build_argv(const struct git_program *g, const char *repo_arg,
		      const char *argv[MAX_ARGS])
{
	static const char *const fixed[] = {
		"git", "-c", "core.hooksPath=/dev/null", "-c",
		"commit.gpgSign=false", "-c", "gc.auto=0", "-c",
		"maintenance.auto=false", "-c", "safe.directory=*", "-c",
		"core.fsync=none",
	};
	size_t n = ARRAY_SIZE(fixed), i;

	memcpy(argv, fixed, sizeof(fixed));
	if (repo_arg)
		argv[n++] = repo_arg;
	for (i = 0; g->argv[i]; i++) {
		if (n + 1 >= MAX_ARGS)
			return -E2BIG;
		argv[n++] = g->argv[i];
	}
	argv[n] = NULL;
	return 0;
}

static void collect_stderr(int fd, struct strbuf *err)
{
	char buf[4096];
	size_t got = 0;
	ssize_t n;

	if (!err || lseek(fd, 0, SEEK_SET))
		return;
	while (got < ERR_BYTES && (n = read(fd, buf, sizeof(buf))) > 0) {
		strbuf_add(err, buf, (size_t)n);
		got += (size_t)n;
	}
}

int git_program_run(const struct git_program *g, struct strbuf *out,
		    struct strbuf *err, int *exit_code)
{
	const char **env __free(kfree) = git_program_env(g->env);
	char *repo_arg __free(kfree) = NULL;
	int err_fd __free(fd) = memfd_create("git-stderr", MFD_CLOEXEC);
	struct strbuf drop __free(strbuf) = STRBUF_INIT;
	struct child_spec spec = CHILD_SPEC_INIT;
	const char *argv[MAX_ARGS];
	int status = 0, r;

	if (err_fd < 0)
		return -errno;
	if (g->repo)
		repo_arg = xasprintf("--git-dir=%s", g->repo);
	r = build_argv(g, repo_arg, argv);
	if (r)
		return r;
	spec.argv = argv;
	spec.envp = env;
	spec.cwd = g->cwd;
	spec.stderr_fd = err_fd;
	spec.limits.file_bytes = (uint64_t)64 << 30;
	r = child_run(&spec, g->input, g->input_len, out ? out : &drop,
		      g->max_bytes ? g->max_bytes : DEFAULT_OUT_BYTES,
		      g->timeout_ms ? g->timeout_ms : DEFAULT_TIMEOUT_MS,
		      &status);
	collect_stderr(err_fd, err);
	if (r)
		return r;
	*exit_code = WIFEXITED(status) ? WEXITSTATUS(status) :
					 128 + WTERMSIG(status);
	return 0;
}

static void last_line(const struct strbuf *err, struct strbuf *ret)
{
	size_t end = err->len, start;

	while (end && (err->buf[end - 1] == '\n' || err->buf[end - 1] == ' '))
		end--;
	for (start = end; start && err->buf[start - 1] != '\n'; start--)
		;
	strbuf_add_utf8(ret, err->buf + start, min(end - start, (size_t)400));
}

int git_program_ok(const struct git_program *g, struct strbuf *out,
		   struct strbuf *why)
{
	struct strbuf err __free(strbuf) = STRBUF_INIT;
	int code = 0, r;

	r = git_program_run(g, out, &err, &code);
	if (!r && !code)
		return 0;
	strbuf_addf(why, "git %s: ", g->argv[0]);
	if (r == -ETIMEDOUT)
		strbuf_addstr(why, "no end before the deadline");
	else if (r)
		strbuf_addstr(why, strerror(-r));
	else if (err.len)
		last_line(&err, why);
	else
		strbuf_addf(why, "exit %d", code);
	return r ? r : -EIO;
}
