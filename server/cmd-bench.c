// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counted benchmarks of kernel images at hand. Nothing of a running daemon is
 * used: a job directory is made, and mmci-run does the rest.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jobs/bench-suite.h"
#include "jobs/judge-bench.h"
#include "lib/child.h"
#include "lib/fs.h"
#include "server/cmd.h"
#include "server/table.h"

#define RESULT_MAX_BYTES (16 << 20)
#define TIMEOUT_S 3600
#define NOBODY 65534

/**
 * struct bench_ask - what to count
 * @arch: of the image
 * @only: names with commas between them, NULL: all there are
 * @libexec: directory with guest/ARCH, NULL: beside mmci-run
 */
struct bench_ask {
	const char *arch;
	const char *only;
	const char *libexec;
};

static json_t *names_of(const char *only)
{
	struct config_strings names = { 0 };
	char *copy __free(kfree) = xstrdup(only ? only : "");
	/* as many as can stand between commas */
	char **v __free(kfree) = xcalloc(strlen(copy) / 2 + 1, sizeof(*v));
	char *save = NULL;

	for (char *s = strtok_r(copy, ",", &save); s;
	     s = strtok_r(NULL, ",", &save))
		v[names.n++] = s;
	names.v = v;
	return bench_suite(&names);
}

/* Directory of this program: mmci-run lies there, built or installed. */
static char *own_dir(void)
{
	char buf[4096];
	ssize_t n = readlink("/proc/self/exe", buf, sizeof(buf) - 1);
	char *slash;

	if (n < 0)
		return NULL;
	buf[n] = '\0';
	slash = strrchr(buf, '/');
	if (slash)
		*slash = '\0';
	return xstrdup(buf);
}

static char *find_libexec(const struct bench_ask *ask, const char *dir)
{
	static const char *const places[] = { "../runners",
					      "../libexec/mmci" };

	if (ask->libexec)
		return xstrdup(ask->libexec);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *path __free(kfree) = xasprintf("%s/%s", dir, places[i]);
		char *guest __free(kfree) = xasprintf("%s/guest", path);

		if (fs_exists(guest))
			return xstrdup(path);
	}
	return xstrdup("/usr/local/libexec/mmci");
}

static int write_job(const struct bench_ask *ask, const char *image,
		     const char *libexec, const char *dir)
{
	char *path __free(kfree) = xasprintf("%s/job.json", dir);
	json_t *o __free(json) = json_object();
	bool root = geteuid() == 0;

	json_set_text(o, "kind", "bench");
	json_set_text(o, "arch", ask->arch);
	json_set_text(o, "kconfig", "given");
	json_set_text(o, "toolchain", "gcc");
	json_set_text(o, "image", image);
	json_set_text(o, "libexec_dir", libexec);
	json_set_int(o, "build_uid", root ? NOBODY : 0);
	json_set_int(o, "build_gid", root ? NOBODY : 0);
	json_set_int(o, "make_jobs", 1);
	json_set_int(o, "timeout_s", TIMEOUT_S);
	json_set_int(o, "memory_mib", 4096);
	json_set_int(o, "disk_mib", 1024);
	json_set_int(o, "output_mib", 64);
	json_set_int(o, "processes", 256);
	json_object_set_new(o, "patches", json_array());
	json_object_set_new(o, "benchmarks", names_of(ask->only));
	return json_write_file(path, o);
}

static int run_job(const char *own, const char *dir)
{
	char *runner __free(kfree) = xasprintf("%s/mmci-run", own);
	const char *const argv[] = { runner, dir, NULL };
	struct child_spec spec = CHILD_SPEC_INIT;
	struct child c;
	int status, r;

	spec.argv = argv;
	r = child_spawn(&spec, &c);
	return r ? r : child_wait(&c, (TIMEOUT_S + 60) * 1000LL, &status);
}

/* In a directory made for it; *ret: what "run --json" prints */
static int count_in(const struct bench_ask *ask, const char *image,
		    const char *dir, json_t **ret, struct strbuf *why)
{
	char *own __free(kfree) = own_dir(), *libexec __free(kfree) = NULL;
	char *path __free(kfree) = xasprintf("%s/result.json", dir);
	json_t *result __free(json) = NULL, *list;
	int r;

	if (!own)
		return -errno;
	libexec = find_libexec(ask, own);
	r = write_job(ask, image, libexec, dir);
	if (!r)
		r = run_job(own, dir);
	if (!r)
		r = json_read_file(path, RESULT_MAX_BYTES, &result, why);
	if (r)
		return r;
	list = json_object_get(result, "benchmarks");
	if (!json_array_size(list)) {
		strbuf_setf(why, "%s", json_get_str(result, "summary",
						    "no result"));
		return -EIO;
	}
	*ret = json_pack("{s:s, s:s, s:O}", "image", image, "arch", ask->arch,
			 "benchmarks", list);
	return 0;
}

/* An image is counted now, a file of "run --json" was before. */
static int counts_of(const struct bench_ask *ask, const char *file,
		     json_t **ret, struct strbuf *why)
{
	const char *tmp = getenv("TMPDIR");
	char *dir __free(kfree) =
		xasprintf("%s/mmci-bench-XXXXXX", tmp ? tmp : "/tmp");
	char *image __free(kfree) = NULL;
	int r;

	if (ends_with(file, ".json"))
		return json_read_file(file, RESULT_MAX_BYTES, ret, why);
	image = realpath(file, NULL);
	/* the guest runs as somebody else, and has to get in */
	if (!image || !mkdtemp(dir) || chmod(dir, 0755)) {
		strbuf_setf(why, "%s: %s", image ? dir : file,
			    strerror(errno));
		return -errno;
	}
	r = count_in(ask, image, dir, ret, why);
	fs_rm_rf(dir);
	return r;
}

static int take_ask(int *argc, char **argv, struct bench_ask *ask)
{
	const struct option_arg opts[] = {
		{ "--arch", &ask->arch }, { "--only", &ask->only },
		{ "--libexec", &ask->libexec }, { NULL },
	};

	return cmd_options(argc, argv, opts);
}

static json_t *row_of(const json_t *counts, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(counts, "benchmarks"), i, row) {
		if (!strcmp(json_get_str(row, "name", ""), name))
			return row;
	}
	return NULL;
}

static bool is_counted(const json_t *row)
{
	return json_is_integer(json_object_get(row, "value"));
}

static void add_count(json_t *to, const char *key, const json_t *row)
{
	char *text __free(kfree) = NULL;

	if (is_counted(row))
		text = xasprintf("%lld",
				 (long long)json_get_int(row, "value", 0));
	json_set_text(to, key, text);
}

static int list(struct client *c, int argc, char **argv)
{
	static const struct column cols[] = { { "BENCHMARK", "name" }, { 0 } };
	json_t *all __free(json) = names_of(NULL);

	if (argc)
		return cmd_usage("bench list takes nothing");
	if (c->json)
		return print_json(all);
	table_print(all, cols);
	return CMD_YES;
}

static int run(struct client *c, int argc, char **argv)
{
	static const struct column cols[] = {
		{ "BENCHMARK", "name" },
		{ "INSTRUCTIONS", "count", COL_NUMBER },
		{ "PER", "work", COL_NUMBER },
		{ "WHY NOT", "why", COL_WRAP },
		{ 0 },
	};
	struct bench_ask ask = { .arch = "x86_64" };
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *counts __free(json) = NULL, *row;
	size_t i;
	int r = take_ask(&argc, argv, &ask);

	if (r)
		return r;
	if (argc != 1)
		return cmd_usage("bench run needs a kernel image");
	r = counts_of(&ask, argv[0], &counts, &why);
	if (r)
		return cmd_fail("%s: %s", argv[0],
				why.len ? why.buf : strerror(-r));
	if (c->json)
		return print_json(counts);
	json_array_foreach(json_object_get(counts, "benchmarks"), i, row)
		add_count(row, "count", row);
	table_print(json_object_get(counts, "benchmarks"), cols);
	return CMD_YES;
}

static json_t *difference(const json_t *before, const json_t *after)
{
	json_t *o = json_object();
	int64_t a = json_get_int(before, "value", 0);
	int64_t b = json_get_int(after, "value", 0);
	const char *why = after ? json_get_str(after, "why", "") :
				  "not counted the second time";
	char *text __free(kfree) = NULL;

	json_set_text(o, "name", json_get_str(before, "name", ""));
	json_object_set(o, "work", json_object_get(before, "work"));
	add_count(o, "before", before);
	add_count(o, "after", after);
	if (!is_counted(before) || !is_counted(after)) {
		text = xasprintf("? %s", *why ? why :
				 json_get_str(before, "why", ""));
	} else if (bench_is_change(before, after)) {
		json_set_bool(o, "changed", true);
		text = xasprintf("%+lld (%+.2f %%)", (long long)(b - a),
				 a ? 100.0 * (double)(b - a) / (double)a : 0);
	}
	json_set_text(o, "difference", text ? text : "same");
	return o;
}

static json_t *differences(const json_t *before, const json_t *after,
			   bool *changed)
{
	json_t *rows = json_array(), *row, *o;
	size_t i;

	json_array_foreach(json_object_get(before, "benchmarks"), i, row) {
		o = difference(row, row_of(after, json_get_str(row, "name",
							       "")));
		*changed |= json_get_bool(o, "changed", false);
		json_array_append_new(rows, o);
	}
	return rows;
}

static int compare(struct client *c, int argc, char **argv)
{
	static const struct column cols[] = {
		{ "BENCHMARK", "name" },
		{ "PER", "work", COL_NUMBER },
		{ "BEFORE", "before", COL_NUMBER, "-" },
		{ "AFTER", "after", COL_NUMBER, "-" },
		{ "DIFFERENCE", "difference", COL_WRAP },
		{ 0 },
	};
	struct bench_ask ask = { .arch = "x86_64" };
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *counts[2] = { NULL }, *rows __free(json) = NULL;
	bool changed = false;
	int r = take_ask(&argc, argv, &ask);

	if (r)
		return r;
	if (argc != 2)
		return cmd_usage("bench compare needs two kernel images, or "
				 "files that bench run --json wrote");
	for (int i = 0; i < 2 && !r; i++) {
		r = counts_of(&ask, argv[i], &counts[i], &why);
		if (r)
			cmd_fail("%s: %s", argv[i],
				 why.len ? why.buf : strerror(-r));
	}
	if (!r)
		rows = differences(counts[0], counts[1], &changed);
	json_decref(counts[0]);
	json_decref(counts[1]);
	if (r)
		return CMD_NO;
	if (c->json)
		print_json(rows);
	else
		table_print(rows, cols);
	return changed ? CMD_NO : CMD_YES;
}

const struct cmd cmds_bench[] = {
	{ "list", list, "", "the counted benchmarks; no daemon needed" },
	{ "run", run, "IMAGE [--arch A] [--only NAME,...] [--libexec DIR]",
	  "count them on a kernel image, in instructions; no daemon needed" },
	{ "compare", compare,
	  "BEFORE AFTER [--arch A] [--only NAME,...] [--libexec DIR]",
	  "two images, or files of \"bench run --json\": 0 the same, 1 not; "
	  "no daemon needed" },
	{ 0 },
};
