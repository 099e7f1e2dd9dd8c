// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/build-output.h"

#include <errno.h>
#include <string.h>

#include "lib/json.h"
#include "runners/build-log.h"

void build_count_unit(const json_t *unit, struct build_tally *t)
{
	const json_t *list = json_object_get(unit, "diagnostics"), *d;
	size_t i;

	t->units++;
	t->failed += !strcmp(json_get_str(unit, "outcome", ""), "failed");
	json_array_foreach(list, i, d) {
		const char *severity = json_get_str(d, "severity", "");

		t->warnings += !strcmp(severity, "warning");
		t->errors += !strcmp(severity, "error");
	}
}

void build_tally_tell(const struct build_tally *t, const char *done,
		      struct strbuf *sb)
{
	strbuf_add_count(sb, t->units - t->failed, "unit", "units");
	strbuf_addf(sb, " %s, %zu failed, ", done, t->failed);
	strbuf_add_count(sb, t->errors, "error", "errors");
	strbuf_addstr(sb, ", ");
	strbuf_add_count(sb, t->warnings, "warning", "warnings");
}

/* Lines counted from the beginning of make's output, as lines of the log. */
static void shift_lines(json_t *unit, int64_t by)
{
	json_t *list = json_object_get(unit, "diagnostics"), *d;
	size_t i;

	json_array_foreach(list, i, d) {
		int64_t line = json_get_int(d, "log_line", 0);

		if (line)
			json_set_int(d, "log_line", line + by);
	}
}

int build_output_read(struct job *job, struct kbuild_result *res,
		      json_t *patch, struct build_tally *t)
{
	const struct build_log_options o = {
		.src_prefix = WORKSPACE_SRC,
		.obj_prefix = WORKSPACE_BUILD,
		.toolchain = job->toolchain,
	};
	json_t *log __free(json) = build_log_parse(res->out.buf, res->out.len,
						   &o);
	json_t *units = json_object_get(log, "units"), *unit;
	size_t i;

	json_array_foreach(units, i, unit) {
		shift_lines(unit, res->log_line - 1);
		build_count_unit(unit, t);
	}
	json_array_extend(json_object_get(patch, "units"), units);
	/*
	 * make keeps what a target prints in a file until it has ended, and
	 * loses it when that hits a limit.
	 */
	if (res->r == JOB_FAILED && !strstr(res->out.buf, "***")) {
		strbuf_setf(&res->note, "make failed and what it printed is"
			    " lost: a limit of output or disk");
		job_logf(job, "==> %s\n", res->note.buf);
		return -EFBIG;
	}
	if (res->r == JOB_FAILED && json_get_bool(log, "infra_error", false)) {
		strbuf_setf(&res->note, "not the kernel's fault: %s",
			    json_get_str(log, "infra_line", ""));
		job_logf(job, "==> %s\n", res->note.buf);
		return -EIO;
	}
	return res->r;
}

json_t *build_patch_new(int64_t number)
{
	json_t *p = json_object();

	json_set_int(p, "number", number);
	json_set_int(p, "log_line", 0);
	json_set_bool(p, "image", false);
	json_object_set_new(p, "units", json_array());
	return p;
}

void build_patch_end(json_t *patch, int r, double seconds)
{
	json_set_text(patch, "outcome", job_outcome_name(r));
	json_object_set_new(patch, "seconds", json_real(seconds));
}
