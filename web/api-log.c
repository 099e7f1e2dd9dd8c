// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "db/view-job.h"
#include "lib/json.h"
#include "web/handlers.h"
#include "web/log.h"

/*
 * A single byte range as in RFC 9110 section 14.1.2. Returns 0 with the part
 * to send, -ERANGE when it lies outside, -EINVAL when it is to be ignored.
 */
static int parse_range(const char *s, off_t size, off_t *from, off_t *len)
{
	long long a = -1, b = -1;
	int end = 0;

	if (!starts_with(s, "bytes=") || strchr(s, ',') || strpbrk(s, "+ \t"))
		return -EINVAL;
	s += strlen("bytes=");
	if (sscanf(s, "-%18lld%n", &b, &end) == 1 && !s[end] && b >= 0) {
		if (!b || !size)
			return -ERANGE;
		*len = min((off_t)b, size);
		*from = size - *len;
		return 0;
	}
	if (*s < '0' || *s > '9')
		return -EINVAL;
	end = 0;
	if (sscanf(s, "%18lld-%n", &a, &end) != 1 || !end)
		return -EINVAL;
	s += end;
	end = 0;
	if (*s && (*s < '0' || *s > '9' ||
		   sscanf(s, "%18lld%n", &b, &end) != 1 || s[end] || b < a))
		return -EINVAL;
	if (a >= size)
		return -ERANGE;
	*from = (off_t)a;
	*len = (*s ? min((off_t)b + 1, size) : size) - *from;
	return 0;
}

static void send_log(struct request *rq, struct response *rs, int fd)
{
	char *range __free(kfree) = NULL;
	off_t from = 0, len;
	struct stat sb;
	int r = -EINVAL;

	rs->fd = fd;
	if (fstat(fd, &sb)) {
		response_errno(rq, rs, -errno, "log");
		return;
	}
	len = sb.st_size;
	if (rq->range)
		r = parse_range(rq->range, sb.st_size, &from, &len);
	response_header(rs, "Accept-Ranges", "bytes");
	if (r == -ERANGE) {
		close(rs->fd);
		rs->fd = -1;
		response_problem(rq, rs, 416, "The log is not that long.");
		range = xasprintf("bytes */%lld", (long long)sb.st_size);
		response_header(rs, "Content-Range", range);
		return;
	}
	rs->status = r ? 200 : 206;
	rs->type = "text/plain; charset=utf-8";
	rs->offset = from;
	rs->length = len;
	if (!r) {
		range = xasprintf("bytes %lld-%lld/%lld", (long long)from,
				  (long long)(from + len - 1),
				  (long long)sb.st_size);
		response_header(rs, "Content-Range", range);
	}
}

void api_job_log(struct request *rq, struct response *rs)
{
	struct strbuf dir __free(strbuf) = STRBUF_INIT;
	struct job_id id = { args_id(rq->segments[3]) };
	const char *attempt = request_query(rq, "attempt");
	int64_t number = attempt ? args_id(attempt) : 0;
	int r;

	if (attempt && (number < 1 || number > INT32_MAX)) {
		response_problem(rq, rs, 400, "attempt is a number from 1.");
		return;
	}
	r = view_attempt_dir(rq->db, id, (int)number, request_sees_private(rq),
			     &dir);
	if (r) {
		response_errno(rq, rs, r, r == DB_NONE ?
			       "There is no such attempt of a job." :
			       db_error(rq->db));
		return;
	}
	r = log_open(rq->site->state_dir, dir.buf);
	if (r < 0)
		response_errno(rq, rs, r, r == -ENOENT ?
			       "This attempt left no log." : dir.buf);
	else
		send_log(rq, rs, r);
}
