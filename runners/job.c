// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/json.h"

/* job.json holds a kconfig fragment and the titles of a series */
#define JOB_JSON_MAX_BYTES (4u << 20)

static const char *const kind_names[] = {
	[JOB_KIND_BASE] = "base", [JOB_KIND_CHECK] = "check",
	[JOB_KIND_BUILD] = "build", [JOB_KIND_BOOT] = "boot",
	[JOB_KIND_TEST] = "test", [JOB_KIND_BENCH] = "bench",
};

/* The values of "arch" and "toolchain" become words of command lines. */
static bool is_word(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz"
			     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");

	return n && n < 64 && !s[n] && s[0] != '-' && s[0] != '.';
}

static bool is_commit(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	return (n == 40 || n == 64) && !s[n];
}

static int bad(struct strbuf *why, const char *dir, const char *what)
{
	strbuf_setf(why, "%s/job.json: %s", dir, what);
	return -EINVAL;
}

static char *get_str(const json_t *o, const char *key)
{
	return xstrdup(json_get_str(o, key, NULL));
}

static int read_kind(struct job *job, struct strbuf *why)
{
	const char *kind = json_get_str(job->request, "kind", "");

	for (size_t i = 0; i < ARRAY_SIZE(kind_names); i++) {
		if (strcmp(kind, kind_names[i]))
			continue;
		job->kind = (enum job_kind)i;
		return 0;
	}
	return bad(why, job->dir,
		   "\"kind\" must be base, check, build, boot, test or bench");
}

static int read_patches(struct job *job, struct strbuf *why)
{
	const json_t *a = json_object_get(job->request, "patches"), *p;
	size_t i;

	job->patches = xcalloc(json_array_size(a), sizeof(*job->patches));
	json_array_foreach(a, i, p) {
		struct job_patch *jp = &job->patches[job->n_patches++];

		jp->number = json_get_int(p, "number", (int64_t)i + 1);
		jp->commit = get_str(p, "commit");
		jp->title = xstrdup(json_get_str(p, "title", ""));
		if (!jp->commit || !is_commit(jp->commit))
			return bad(why, job->dir,
				   "\"patches\": \"commit\" is no commit id");
	}
	return 0;
}

static int read_selftests(struct job *job, struct strbuf *why)
{
	const json_t *a = json_object_get(job->request, "selftests"), *p;
	size_t i;

	job->selftests = xcalloc(json_array_size(a), sizeof(char *));
	json_array_foreach(a, i, p) {
		const char *s = json_string_value(p);

		if (!s || !is_word(s))
			return bad(why, job->dir,
				   "\"selftests\" must be plain file names");
		job->selftests[job->n_selftests++] = xstrdup(s);
	}
	return 0;
}

static int64_t limit_of(const json_t *o, const char *key, int64_t dflt)
{
	int64_t v = json_get_int(o, key, dflt);

	return v > 0 && v < INT32_MAX ? v : dflt;
}

static void read_limits(struct job *job)
{
	const json_t *o = job->request;

	job->make_jobs = limit_of(o, "make_jobs", 1);
	job->limits.timeout_s = limit_of(o, "timeout_s", 7200);
	job->limits.memory_mib = limit_of(o, "memory_mib", 4096);
	job->limits.disk_mib = limit_of(o, "disk_mib", 8192);
	job->limits.output_mib = limit_of(o, "output_mib", 64);
	job->limits.processes = limit_of(o, "processes", 512);
	job->build_uid = (uid_t)json_get_int(o, "build_uid", 0);
	job->build_gid = (gid_t)json_get_int(o, "build_gid", 0);
	job->keep_work = json_get_bool(o, "keep_work", false);
}

/* What the code of a kind relies on is checked here, once. */
static int check_needs(struct job *job, struct strbuf *why)
{
	bool builds = job->kind == JOB_KIND_BASE ||
		      job->kind == JOB_KIND_CHECK ||
		      job->kind == JOB_KIND_BUILD;

	if (!job->arch || !is_word(job->arch))
		return bad(why, job->dir, "\"arch\" must be one word");
	if (builds && (!job->toolchain || !is_word(job->toolchain)))
		return bad(why, job->dir, "\"toolchain\" must be one word");
	if (builds && (!job->base_commit || !is_commit(job->base_commit)))
		return bad(why, job->dir, "\"base_commit\" is no commit id");
	if (builds && (!job->git_dir || !job->src_dir || !job->warm_dir))
		return bad(why, job->dir,
			   "\"git_dir\", \"src_dir\" and \"warm_dir\" are"
			   " needed");
	if (builds && (job->src_dir[0] != '/' || job->warm_dir[0] != '/'))
		return bad(why, job->dir,
			   "\"src_dir\" and \"warm_dir\" must be absolute");
	if (builds && !job->kconfig_text)
		return bad(why, job->dir, "\"kconfig_text\" is needed");
	if (!builds && (!job->image || job->image[0] != '/'))
		return bad(why, job->dir, "\"image\" must be absolute");
	return 0;
}

static int read_request(struct job *job, struct strbuf *why)
{
	const json_t *o = job->request;
	int r;

	job->arch = get_str(o, "arch");
	job->kconfig = get_str(o, "kconfig");
	job->kconfig_text = get_str(o, "kconfig_text");
	job->toolchain = get_str(o, "toolchain");
	job->git_dir = get_str(o, "git_dir");
	job->base_commit = get_str(o, "base_commit");
	job->src_dir = get_str(o, "src_dir");
	job->warm_dir = get_str(o, "warm_dir");
	job->image = get_str(o, "image");
	job->selftests_dir = get_str(o, "selftests_dir");
	job->libexec_dir = get_str(o, "libexec_dir");
	job->benchmarks = json_incref(json_object_get(o, "benchmarks"));
	if (!json_is_array(job->benchmarks)) {
		json_decref(job->benchmarks);
		job->benchmarks = json_array();
	}
	read_limits(job);

	r = read_kind(job, why);
	if (!r)
		r = read_patches(job, why);
	if (!r)
		r = read_selftests(job, why);
	return r ? r : check_needs(job, why);
}

int job_load(const char *dir, struct job **ret, struct strbuf *why)
{
	struct job *job __free(job) = xcalloc(1, sizeof(*job));
	char *path __free(kfree) = NULL, *log __free(kfree) = NULL;
	int r;

	job->log_fd = -1;
	job->dir = realpath(dir, NULL);
	if (!job->dir) {
		r = -errno;
		strbuf_setf(why, "%s: %s", dir, strerror(-r));
		return r;
	}
	path = job_path(job, "job.json");
	r = json_read_file(path, JOB_JSON_MAX_BYTES, &job->request, why);
	if (r)
		return r;
	r = read_request(job, why);
	if (r)
		return r;

	log = job_path(job, "log");
	job->log_fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
					O_NOFOLLOW, 0644);
	if (job->log_fd < 0) {
		r = -errno;
		strbuf_setf(why, "%s: %s", log, strerror(-r));
		return r;
	}
	job->started_s = clock_now_s();
	job->deadline_ms = clock_mono_ms() + job->limits.timeout_s * 1000;
	job->result = json_object();
	json_object_set_new(job->result, "environment", json_object());
	json_object_set_new(job->result, "stages", json_array());
	*ret = no_free_ptr(job);
	return 0;
}

void job_free(struct job *job)
{
	if (!job)
		return;
	for (size_t i = 0; i < job->n_patches; i++) {
		free(job->patches[i].commit);
		free(job->patches[i].title);
	}
	for (size_t i = 0; i < job->n_selftests; i++)
		free(job->selftests[i]);
	free(job->patches);
	free(job->selftests);
	free(job->dir);
	free(job->arch);
	free(job->kconfig);
	free(job->kconfig_text);
	free(job->toolchain);
	free(job->git_dir);
	free(job->base_commit);
	free(job->src_dir);
	free(job->warm_dir);
	free(job->image);
	free(job->selftests_dir);
	free(job->libexec_dir);
	json_decref(job->benchmarks);
	json_decref(job->request);
	json_decref(job->result);
	if (job->log_fd >= 0)
		close(job->log_fd);
	free(job);
}

char *job_path(const struct job *job, const char *name)
{
	return xasprintf("%s/%s", job->dir, name);
}

int64_t job_time_left_ms(const struct job *job)
{
	return max(job->deadline_ms - clock_mono_ms(), (int64_t)0);
}

static void log_raw(struct job *job, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		job->log_lines += p[i] == '\n';
	job->log_bytes += (int64_t)len;
	if (len)
		job->log_mid_line = p[len - 1] != '\n';
	while (len) {
		ssize_t n = write(job->log_fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* a full disk shows up in every other way */
		p += n;
		len -= (size_t)n;
	}
}

void job_log(struct job *job, const void *data, size_t len)
{
	int64_t left = job->limits.output_mib * 1048576 - job->log_bytes;
	char *note __free(kfree) = NULL;

	if (job->log_cut)
		return;
	if ((int64_t)len <= left) {
		log_raw(job, data, len);
		return;
	}
	if (left > 0)
		log_raw(job, data, (size_t)left);
	job->log_cut = true;
	note = xasprintf("\n==> log cut at %" PRId64 " MiB\n",
			 job->limits.output_mib);
	log_raw(job, note, strlen(note));
}

void job_logf(struct job *job, const char *fmt, ...)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	job_log(job, sb.buf, sb.len);
}

int64_t job_log_line(const struct job *job)
{
	return job->log_lines + 1;
}

void job_stage(struct job *job, const char *fmt, ...)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	va_list ap;

	job_stage_end(job, JOB_PASSED);
	if (job->log_mid_line)
		job_log(job, "\n", 1);
	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);

	job->stage = json_object();
	job->stage_ms = clock_mono_ms();
	json_set_text(job->stage, "name", sb.buf);
	json_set_int(job->stage, "log_line", job_log_line(job));
	json_array_append_new(json_object_get(job->result, "stages"),
			      job->stage);
	job_logf(job, "==> %s\n", sb.buf);
}

void job_stage_end(struct job *job, int r)
{
	if (!job->stage)
		return;
	json_set_text(job->stage, "outcome", job_outcome_name(r));
	json_object_set_new(job->stage, "seconds",
			    json_real((double)(clock_mono_ms() -
					       job->stage_ms) / 1000));
	job->stage = NULL;
}

void job_environment(struct job *job, const char *key, const char *text)
{
	json_set_text(json_object_get(job->result, "environment"), key, text);
}

void job_set(struct job *job, const char *key, json_t *value)
{
	json_object_set_new(job->result, key, value);
}

const char *job_outcome_name(int r)
{
	switch (r) {
	case JOB_PASSED:
		return "passed";
	case JOB_FAILED:
		return "failed";
	case JOB_TIMED_OUT:
		return "timed-out";
	}
	return "errored";
}

int job_finish(struct job *job, int r, const char *summary)
{
	char *path __free(kfree) = job_path(job, "result.json");

	job_stage_end(job, r);
	json_set_text(job->result, "outcome", job_outcome_name(r));
	json_set_text(job->result, "summary", summary);
	json_set_int(job->result, "started_s", job->started_s);
	json_set_int(job->result, "ended_s", clock_now_s());
	if (job->log_mid_line)
		job_log(job, "\n", 1);
	job_logf(job, "==> %s: %s\n", job_outcome_name(r), summary);
	return json_write_file(path, job->result);
}
