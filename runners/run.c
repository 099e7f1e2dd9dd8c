// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "lib/fs.h"
#include "runners/build.h"
#include "runners/check.h"
#include "runners/guest-run.h"
#include "runners/job.h"

static const struct {
	enum job_kind kind;
	int (*run)(struct job *job, struct strbuf *summary);
} kinds[] = {
	{ JOB_KIND_BASE, run_base },
	{ JOB_KIND_CHECK, run_check },
	{ JOB_KIND_BUILD, run_build },
	{ JOB_KIND_BOOT, guest_run },
	{ JOB_KIND_TEST, guest_run },
	{ JOB_KIND_BENCH, guest_run },
};

static int run_kind(struct job *job, struct strbuf *summary)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i].kind == job->kind)
			return kinds[i].run(job, summary);
	}
	strbuf_setf(summary, "this runner does not know the kind of the job");
	return -EOPNOTSUPP;
}

/* Held while we live: whoever finds it free and no result knows we died. */
static int hold_lock(const char *dir, int *ret, struct strbuf *why)
{
	char *path __free(kfree) = xasprintf("%s/lock", dir);
	int fd __free(fd) = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	int r = 0;

	if (fd < 0)
		r = -errno;
	else if (flock(fd, LOCK_EX | LOCK_NB))
		r = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (r) {
		strbuf_setf(why, "%s: %s", path,
			    r == -EBUSY ? "the job is being executed"
					: strerror(-r));
		return r;
	}
	*ret = no_free_fd(fd);
	return 0;
}

int run_job(const char *dir, struct strbuf *why)
{
	struct strbuf summary __free(strbuf) = STRBUF_INIT;
	char *old __free(kfree) = xasprintf("%s/result.json", dir);
	struct job *job __free(job) = NULL;
	int lock __free(fd) = -1;
	int r = hold_lock(dir, &lock, why);

	if (r)
		return r;
	r = job_load(dir, &job, why);
	if (r)
		return r;
	/* a rerun by hand: a result must not outlive the run it describes */
	unlink(old);
	r = run_kind(job, &summary);
	if (r < 0 && !summary.len)
		strbuf_addstr(&summary, strerror(-r));
	r = job_finish(job, r, summary.buf);
	if (r)
		strbuf_setf(why, "%s/result.json: %s", dir, strerror(-r));
	return r;
}
