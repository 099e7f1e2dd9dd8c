// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/kbuild.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/fs.h"
#include "lib/json.h"

#define VERSION_MAX_BYTES 65536
#define VERSION_TIMEOUT_MS 60000

static const struct kbuild_arch arches[] = {
	{ "x86_64", "", "bzImage", "arch/x86/boot/bzImage" },
	{ "arm64", "aarch64-linux-gnu-", "Image", "arch/arm64/boot/Image" },
	{ "s390", "s390x-linux-gnu-", "bzImage", "arch/s390/boot/bzImage" },
};

const struct kbuild_arch *kbuild_arch(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(arches); i++) {
		if (!strcmp(arches[i].name, name))
			return &arches[i];
	}
	return NULL;
}

/* What LLVM= takes: the Makefile's list. "clang-19" means "ld.lld-19" too. */
static const char *const llvm_tools[] = {
	"clang", "ld.lld", "llvm-ar", "llvm-nm", "llvm-objcopy",
	"llvm-objdump", "llvm-readelf", "llvm-strip",
};

static bool is_clang(const struct job *job)
{
	return starts_with(job->toolchain, "clang");
}

/* Without it nothing builds, which says nothing of the kernel. */
static int check_tool(const struct job *job, const char *tool,
		      struct strbuf *why)
{
	if (!access(tool, X_OK))
		return 0;
	strbuf_setf(why, "%s: %s; install the tools that \"%s\" for %s needs,"
			 " or take it out of the matrix",
		    tool, strerror(errno), job->toolchain, job->arch);
	return -ENOENT;
}

static char *compiler_path(const struct job *job,
			   const struct kbuild_arch *arch)
{
	return xasprintf("/usr/bin/%s%s", is_clang(job) ? "" : arch->cross,
			 job->toolchain);
}

int kbuild_check_tools(const struct job *job, struct strbuf *why)
{
	const struct kbuild_arch *arch = kbuild_arch(job->arch);

	if (!arch) {
		strbuf_setf(why, "unknown architecture %s", job->arch);
		return -EINVAL;
	}
	if (!is_clang(job)) {
		char *gcc __free(kfree) = compiler_path(job, arch);

		return check_tool(job, gcc, why);
	}
	for (size_t i = 0; i < ARRAY_SIZE(llvm_tools); i++) {
		char *tool __free(kfree) =
			xasprintf("/usr/bin/%s%s", llvm_tools[i],
				  job->toolchain + strlen("clang"));

		if (check_tool(job, tool, why))
			return -ENOENT;
	}
	return 0;
}

void kbuild_result_release(struct kbuild_result *res)
{
	strbuf_release(&res->out);
	strbuf_release(&res->note);
}

#define MAX_WORDS 320

/** struct words - a command line in the making; owns its strings */
struct words {
	char *v[MAX_WORDS + 1];
	size_t n;
};

__attribute__((format(printf, 2, 3)))
static void word(struct words *w, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	if (w->n == MAX_WORDS)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	w->v[w->n++] = strbuf_detach(&sb);
}

static void words_release(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	w->n = 0;
}
DEFINE_FREE(words, struct words, words_release(&_T))

static void tool_words(struct words *w, const struct job *job)
{
	const struct kbuild_arch *arch = kbuild_arch(job->arch);

	word(w, "ARCH=%s", job->arch);
	if (arch && *arch->cross)
		word(w, "CROSS_COMPILE=%s", arch->cross);
	/* "clang-19" is LLVM=-19: Documentation/kbuild/llvm.rst */
	if (starts_with(job->toolchain, "clang-"))
		word(w, "LLVM=%s", job->toolchain + strlen("clang"));
	else if (!strcmp(job->toolchain, "clang"))
		word(w, "LLVM=1");
}

struct capture {
	struct job *job;
	struct strbuf *out;
};

static void to_both(const char *data, size_t len, void *arg)
{
	struct capture *c = arg;

	job_log(c->job, data, len);
	strbuf_add(c->out, data, len);
}

static void to_strbuf(const char *data, size_t len, void *arg)
{
	strbuf_add(arg, data, len);
}

/* Whether an end is a fact about the kernel, or a limit's or our doing. */
static int classify(const struct sandbox_result *res)
{
	switch (res->end) {
	case SANDBOX_EXITED:
		break;
	case SANDBOX_TIME:
		return JOB_TIMED_OUT;
	case SANDBOX_MEMORY:
		return -ENOMEM;
	case SANDBOX_OUTPUT:
		return -EFBIG;
	case SANDBOX_DISK:
		return -ENOSPC;
	}
	if (WIFEXITED(res->status) && !WEXITSTATUS(res->status))
		return JOB_PASSED;
	if (res->oom_kills)
		return -ENOMEM;
	if (res->forks_refused)
		return -EAGAIN;
	return WIFEXITED(res->status) ? JOB_FAILED : -EINTR;
}

static int run_make(struct workspace *ws, const struct words *w,
		    struct kbuild_result *res, struct strbuf *why)
{
	struct capture capture = { ws->job, &res->out };
	struct sandbox_spec spec;
	struct sandbox_result sr;
	int r;

	strbuf_reset(&res->out);
	strbuf_reset(&res->note);
	workspace_spec(ws, &spec);
	spec.argv = (const char *const *)w->v;
	spec.output = to_both;
	spec.output_arg = &capture;
	job_logf(ws->job, "+");
	for (size_t i = 0; i < w->n; i++)
		job_logf(ws->job, strchr(w->v[i], ' ') ? " '%s'" : " %s",
			 w->v[i]);
	job_logf(ws->job, "\n");
	res->log_line = job_log_line(ws->job);

	r = sandbox_run(&spec, &sr, why);
	if (r)
		return r;
	res->seconds = sr.seconds;
	res->r = classify(&sr);
	if (sandbox_describe(&spec, &sr, &res->note))
		job_logf(ws->job, "==> %s\n", res->note.buf);
	return 0;
}

int kbuild_make(struct workspace *ws, const char *const *words,
		struct kbuild_result *res, struct strbuf *why)
{
	struct words w __free(words) = { .n = 0 };

	word(&w, "/usr/bin/make");
	word(&w, "-C");
	word(&w, WORKSPACE_SRC);
	word(&w, "O=" WORKSPACE_BUILD);
	word(&w, "--no-print-directory");
	word(&w, "-k");
	word(&w, "-Otarget");
	word(&w, "-j%" PRId64, ws->job->make_jobs);
	/*
	 * Recorded in every command: leaving one away once would rebuild the
	 * whole tree.
	 */
	word(&w, "W=1");
	tool_words(&w, ws->job);
	for (; *words; words++)
		word(&w, "%s", *words);
	return run_make(ws, &w, res, why);
}

int kbuild_make_file(struct workspace *ws, const char *file, const char *goal,
		     struct kbuild_result *res, struct strbuf *why)
{
	struct words w __free(words) = { .n = 0 };

	word(&w, "/usr/bin/make");
	word(&w, "-f");
	word(&w, "%s", file);
	word(&w, "--no-print-directory");
	word(&w, "-k");
	word(&w, "-Otarget");
	word(&w, "-j%" PRId64, ws->job->make_jobs);
	word(&w, "%s", goal);
	return run_make(ws, &w, res, why);
}

/* The value of @symbol in @config: a malloc()ed string, "n" if it is not set. */
static char *value_of(const char *config, const char *symbol)
{
	size_t n = strlen(symbol);

	for (const char *p = config; p && *p;
	     p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
		if (!strncmp(p, symbol, n) && p[n] == '=')
			return xstrndup(p + n + 1, strcspn(p + n + 1, "\n"));
	}
	return xstrdup("n");
}

json_t *kbuild_dropped(const char *fragment, const char *config)
{
	char *copy __free(kfree) = xstrdup(fragment);
	json_t *list = json_array();
	char *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char symbol[128], *got __free(kfree) = NULL;
		const char *asked = "n";

		if (sscanf(line, "# %127[A-Za-z0-9_] is not set", symbol) != 1 &&
		    sscanf(line, "%127[A-Za-z0-9_]=", symbol) != 1)
			continue;
		if (!starts_with(symbol, "CONFIG_"))
			continue;
		if (line[0] != '#')
			asked = strchr(line, '=') + 1;
		got = value_of(config, symbol);
		if (strcmp(asked, got)) {
			char *s __free(kfree) = xasprintf(
				"%s: asked %s, got %s", symbol, asked, got);

			json_array_append_new(list, json_text(s));
		}
	}
	return list;
}

int kbuild_configure(struct workspace *ws, struct kbuild_result *res,
		     json_t **dropped, struct strbuf *why)
{
	static const char *const words[] = {
		"KCONFIG_ALLCONFIG=" WORKSPACE_CONFIG, "tinyconfig", NULL
	};
	static const char *const argv[] = { "/bin/cat", ".config", NULL };
	struct strbuf config __free(strbuf) = STRBUF_INIT;
	struct sandbox_spec spec;
	struct sandbox_result sr;
	int r = kbuild_make(ws, words, res, why);

	if (r || res->r)
		return r;
	workspace_spec(ws, &spec);
	spec.argv = argv;
	spec.output = to_strbuf;
	spec.output_arg = &config;
	r = sandbox_run(&spec, &sr, why);
	if (r)
		return r;
	*dropped = kbuild_dropped(ws->job->kconfig_text, config.buf);
	for (size_t i = 0; i < json_array_size(*dropped); i++)
		job_logf(ws->job, "==> not honoured: %s\n",
			 json_string_value(json_array_get(*dropped, i)));
	return 0;
}

struct take {
	const char *from;
	const char *to;
};

static int take_inside(void *arg)
{
	const struct take *t = arg;
	int r = fs_copy_file(t->from, t->to);

	return r ? min(-r, 255) : 0;
}

int kbuild_take(struct workspace *ws, const char *from, const char *to,
		struct strbuf *why)
{
	char *out __free(kfree) = xasprintf(WORKSPACE_OUT "/%s", to);
	struct take t = { from, out };
	struct sandbox_spec spec;
	struct sandbox_result sr;
	int r;

	workspace_spec(ws, &spec);
	spec.fn = take_inside;
	spec.arg = &t;
	r = sandbox_run(&spec, &sr, why);
	if (r)
		return r;
	if (sr.end != SANDBOX_EXITED || !WIFEXITED(sr.status)) {
		strbuf_setf(why, "copying %s: killed", from);
		return -EIO;
	}
	if (WEXITSTATUS(sr.status))
		strbuf_setf(why, "copying %s: %s", from,
			    strerror(WEXITSTATUS(sr.status)));
	return -WEXITSTATUS(sr.status);
}

static void list_programs(struct workspace *ws, json_t *names)
{
	char *path __free(kfree) = xasprintf("%s/selftests", ws->out);
	DIR *d __free(dir) = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct stat st;

		/* what has a dot is a script or a by-product */
		if (strchr(e->d_name, '.') ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISREG(st.st_mode) && st.st_mode & 0111)
			json_array_append_new(names, json_text(e->d_name));
	}
}

/* "vm" until 6.2; the tree itself tells. */
static const char *selftests_dir(const struct job *job)
{
	char *mm __free(kfree) = xasprintf("%s/tools/testing/selftests/mm",
					   job->src_dir);

	return fs_exists(mm) ? "mm" : "vm";
}

/* How the suite runs its programs is part of it, see runners/vmtests.h. */
static int take_script(struct workspace *ws, struct strbuf *why)
{
	char *from __free(kfree) = xasprintf(
		WORKSPACE_SRC "/tools/testing/selftests/%s/run_vmtests.sh",
		selftests_dir(ws->job));
	int r = kbuild_take(ws, from, "selftests/run_vmtests.sh", why);

	return r == -ENOENT ? 0 : r;
}

int kbuild_selftests(struct workspace *ws, json_t **names, struct strbuf *why)
{
	static const char *const headers[] = { "headers", NULL };
	struct kbuild_result res = KBUILD_RESULT_INIT;
	char *dir __free(kfree) = xasprintf("%s/selftests", ws->out);
	struct words w __free(words) = { .n = 0 };
	struct job *job = ws->job;
	const struct kbuild_arch *arch = kbuild_arch(job->arch);
	int r = workspace_own_dir(job, dir, why);

	if (!r)
		r = kbuild_make(ws, headers, &res, why);
	if (r || res.r)
		goto out;

	word(&w, "/usr/bin/make");
	word(&w, "-C");
	word(&w, WORKSPACE_SRC "/tools/testing/selftests/%s",
	     selftests_dir(job));
	word(&w, "--no-print-directory");
	word(&w, "-k");
	word(&w, "-Otarget");
	word(&w, "-j%" PRId64, job->make_jobs);
	word(&w, "ARCH=%s", job->arch);
	word(&w, "CROSS_COMPILE=%s", arch ? arch->cross : "");
	word(&w, "OUTPUT=" WORKSPACE_OUT "/selftests");
	word(&w, "KHDR_INCLUDES=-isystem " WORKSPACE_BUILD "/usr/include");
	word(&w, "USERCFLAGS=-static");
	word(&w, "USERLDFLAGS=-static");
	for (size_t i = 0; i < job->n_selftests; i++)
		word(&w, WORKSPACE_OUT "/selftests/%s", job->selftests[i]);
	r = run_make(ws, &w, &res, why);
	if (!r)
		r = take_script(ws, why);
out:
	*names = json_array();
	if (!r)
		list_programs(ws, *names);
	if (!r && res.r == JOB_TIMED_OUT)
		r = -ETIMEDOUT;
	kbuild_result_release(&res);
	return r;
}

/* The system's own programs, asked for their version, need no sandbox. */
static void version_of(const char *program, struct strbuf *out)
{
	const char *argv[] = { program, "--version", NULL };
	static const char *const envp[] = { "LC_ALL=C", NULL };
	struct child_spec spec = CHILD_SPEC_INIT;
	int status, r;

	spec.argv = argv;
	spec.envp = envp;
	r = child_run(&spec, NULL, 0, out, VERSION_MAX_BYTES,
		      VERSION_TIMEOUT_MS, &status);
	if (r)
		strbuf_setf(out, "%s: %s", program, strerror(-r));
	strbuf_setlen(out, strcspn(out->buf, "\n"));
}

void kbuild_environment(struct workspace *ws)
{
	char *name __free(kfree) =
		compiler_path(ws->job, kbuild_arch(ws->job->arch));
	const char *const what[][2] = { { "compiler", name },
					{ "make", "/usr/bin/make" } };
	struct strbuf limits __free(strbuf) = STRBUF_INIT;
	struct sandbox_spec spec;

	for (size_t i = 0; i < ARRAY_SIZE(what); i++) {
		struct strbuf out __free(strbuf) = STRBUF_INIT;

		version_of(what[i][1], &out);
		job_environment(ws->job, what[i][0], out.buf);
	}
	workspace_spec(ws, &spec);
	sandbox_limits_text(&spec.limits, &limits);
	job_environment(ws->job, "limits", limits.buf);
}
