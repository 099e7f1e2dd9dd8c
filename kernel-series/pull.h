/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_PULL_H
#define MMCI_KERNEL_SERIES_PULL_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"

#define PULL_MAX_LINE_BYTES ((size_t)1 << 20)
#define PULL_MAX_MAIL_BYTES ((size_t)8 << 20)

/** PULL_FAILED - pull_reader_finish(): the worker said why it stopped */
#define PULL_FAILED 1

/**
 * pull_worker() - read a source of mails and write frames
 * @request: {kind, location, cache_dir, state, since_s, batch} and optionally
 *	timeout_s, contact_url: members of struct inbox_spec
 * @out_fd: receives the frames; may block
 * @why: one line when the result is not 0
 *
 * Frames are one JSON line each; after a line with "size" follow that many
 * bytes and nothing else:
 *
 * {"type":"mail","size":N,"received_s":T,"fields":{...}}: a mail as it came and
 * what mail_to_json() says. "fields" is null and "refused" says why where no
 * parser could make sense of it, or did not survive it.
 * {"type":"state","state":{...}}: store it with the mails before it.
 * {"type":"end","mails":N,"skipped":M}: all read; M were older than since_s.
 * {"type":"error","why":"...","not_before_s":T}: stopped; not_before_s only
 * where the server asked for a pause.
 *
 * The mails are parsed in child processes: one that kills or stalls its parser
 * is refused, and the next is read.
 *
 * Return: 0 when "end" was written; otherwise what inbox_pull() gave, after an
 * "error" frame; or -errno of @out_fd.
 */
int pull_worker(const json_t *request, int out_fd, struct strbuf *why);

/**
 * struct pull_mail - one mail frame, checked for form but not for truth
 * @raw: the mail, valid during the call only
 * @len: bytes in @raw
 * @fields: an object, or NULL when @refused is set; borrowed
 * @refused: why it is not usable as a mail, or NULL
 * @received_s: when the archive got it, 0 if unknown
 */
struct pull_mail {
	const void *raw;
	size_t len;
	json_t *fields;
	const char *refused;
	int64_t received_s;
};

/** struct pull_ops - one call per frame; not 0 ends the reading */
struct pull_ops {
	int (*mail)(const struct pull_mail *mail, void *arg);
	int (*state)(json_t *state, void *arg);
};

struct pull_reader;

/** pull_reader_new() - reads frames as bytes arrive; free with _free() */
struct pull_reader *pull_reader_new(const struct pull_ops *ops, void *arg);
/** pull_reader_free() - NULL is fine */
void pull_reader_free(struct pull_reader *r);
DEFINE_FREE(pull_reader, struct pull_reader *, pull_reader_free(_T))

/**
 * pull_reader_feed() - take the next bytes from the worker
 * @why: one line when the result is not 0
 *
 * Holds at most one frame: %PULL_MAX_LINE_BYTES + %PULL_MAX_MAIL_BYTES.
 *
 * Return: 0; -EPROTO when it is no frame, too large, or follows the last one;
 * what @ops returned. After a result that is not 0, feed no more.
 */
int pull_reader_feed(struct pull_reader *r, const void *data, size_t len,
		     struct strbuf *why);
/**
 * pull_reader_finish() - the worker has closed its end
 * @why: one line when the result is not 0: for %PULL_FAILED its own words
 *
 * Return: 0 after an "end" frame; %PULL_FAILED after an "error" frame;
 * -EPROTO when it stopped in the middle.
 */
int pull_reader_finish(struct pull_reader *r, struct strbuf *why);

#endif
