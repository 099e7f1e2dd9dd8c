/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_INBOX_H
#define MMCI_KERNEL_SERIES_INBOX_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"

/* A larger mail is given cut to INBOX_CUT_BYTES, its headers are in there. */
#define INBOX_MAX_MAIL_BYTES ((size_t)8 << 20)
#define INBOX_CUT_BYTES ((size_t)64 << 10)

/** INBOX_BACK_OFF - inbox_pull(): the server wants to be left alone for now */
#define INBOX_BACK_OFF 1

/**
 * struct inbox_spec - what to read; everything is borrowed for the call
 * @kind: "public-inbox" or "mbox"
 * @location: directory of a public-inbox v2 archive, http(s) URL of one, or
 *	path of an mbox file
 * @cache_dir: our own directory, made if missing, where epochs are mirrored
 *	that come over HTTP; may be removed at any time, at the price of a new
 *	download
 * @state: what the last inbox_ops.state() said, an empty object at first
 * @since_s: mails committed to the archive before this time are skipped
 *	(seconds since the epoch), 0: none. When it is less than the last time,
 *	everything is read again from there.
 * @batch: mails between two inbox_ops.state(), 0: 200
 * @timeout_s: limit for one exchange with a server, 0: 1800
 * @contact_url: goes into the User-Agent, may be NULL
 */
struct inbox_spec {
	const char *kind;
	const char *location;
	const char *cache_dir;
	const json_t *state;
	int64_t since_s;
	unsigned int batch;
	unsigned int timeout_s;
	const char *contact_url;
};

/**
 * struct inbox_mail - one mail, as it is in the archive
 * @raw: its bytes, valid during the call only
 * @len: bytes in @raw
 * @full_len: bytes it has in the archive, more than @len if it was cut
 * @received_s: when it was committed to the archive, 0 if unknown
 */
struct inbox_mail {
	const void *raw;
	size_t len;
	size_t full_len;
	int64_t received_s;
};

/**
 * struct inbox_ops - where the mails go; not 0 ends inbox_pull() with that code
 * @mail: one mail. It may come again in a later call (a history that was
 *	rewritten, a crash before @state): drop doubles by Message-ID.
 * @state: all mails given so far are covered by @state; store both together.
 *	After a crash inbox_pull() continues from the last state stored: nothing
 *	before it comes again, nothing after it is lost. Borrowed.
 */
struct inbox_ops {
	int (*mail)(const struct inbox_mail *mail, void *arg);
	int (*state)(const json_t *state, void *arg);
};

/**
 * inbox_pull() - give all mails that are new since a state
 * @spec: what to read
 * @ops: where the mails go
 * @arg: for @ops
 * @why: when the result is not 0, one line: what is wrong, and where
 *
 * A public-inbox is read epoch by epoch, oldest mail first in each; at a first
 * import the newest epoch comes first, and epochs older than @spec->since_s are
 * neither read nor downloaded. Deletions and purged mails are passed over. Where
 * a purge has rewritten history, the mails after it come again.
 *
 * Blocks until everything is read. git(1) runs as a child process, without the
 * user's configuration. One process at a time per @spec->cache_dir.
 *
 * Return: 0;
 * %INBOX_BACK_OFF: HTTP 429 or 5xx, now or lately; the state given says until
 * when in "not_before_s" and asking earlier does not touch the network;
 * -ENOENT: no such directory or file, or HTTP 404 or 410;
 * -ENOTDIR: a directory or URL, but not a public-inbox v2 archive;
 * -EINVAL: @spec makes no sense;
 * -EBUSY: another process works in @spec->cache_dir;
 * -ETIMEDOUT: the server was too slow or silent;
 * -EPROTO: the archive or server answers nonsense, or git failed;
 * what net_request(), @ops or system calls gave (-errno).
 * Source: public-inbox-v2-format(5); manifest.js.gz as grokmirror defines it.
 */
int inbox_pull(const struct inbox_spec *spec, const struct inbox_ops *ops,
	       void *arg, struct strbuf *why);

#endif
