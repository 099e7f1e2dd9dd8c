/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_MAIL_H
#define MMCI_KERNEL_SERIES_MAIL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel-series/diff.h"
#include "kernel-series/subject.h"
#include "kernel-series/trailers.h"
#include "lib/strbuf.h"

/* What is larger is refused, not cut: half a patch is another patch. */
#define MAIL_MAX_BYTES (8 << 20)
#define MAIL_MAX_HEADER_BYTES (64 << 10)

/** MAIL_REFUSED - mail_parse(): nobody can say what this mail is */
#define MAIL_REFUSED 1

enum mail_kind {
	MAIL_OTHER,	   /* on the list, but nothing to do with patches */
	MAIL_PATCH,	   /* a diff that starts something of its own */
	MAIL_COVER,	   /* 0/n */
	MAIL_COMMENT,	   /* an answer to something */
	MAIL_PULL_REQUEST, /* git request-pull */
};

/**
 * struct mail_addr - one mailbox of an address header
 * @name: display name, decoded to UTF-8; "" if none
 * @email: addr-spec as written, "" if none could be read
 */
struct mail_addr {
	char *name;
	char *email;
};

/** struct mail_addrs - the mailboxes of one kind of header, in order */
struct mail_addrs {
	struct mail_addr *v;
	size_t nr;
};

/** struct mail_header - one header field, unfolded, bytes as they came */
struct mail_header {
	char *name;
	char *value;
};

/**
 * struct mail - what one mail says, after transfer decoding
 * @message_id: without angle brackets; NULL if there is none
 * @message_id_raw: the header as written where it is not "<id>", else NULL
 * @in_reply_to: first id of In-Reply-To without brackets, or NULL
 * @references: ids nearest first: In-Reply-To, then References from its end;
 *	without brackets, no doubles
 * @has_date: false if Date is missing or nonsense
 * @date_s: Date, seconds since the epoch
 * @subject: decoded, unfolded, runs of blanks folded to one
 * @subj: @subject taken apart
 * @from: the author of the mail
 * @sender: Sender, @sender.email is NULL if absent
 * @to: To
 * @cc: Cc
 * @list_id: what stands between < and > in List-Id, or NULL
 * @headers: every header field in order, for what is not taken apart here
 * @kind: what this mail is
 * @text: the text parts as bytes of their own charset, LF line ends; for a
 *	patch this is what git would read, so format=flowed is left alone
 * @charset: charset of @text as declared, or NULL
 * @display: @text as valid UTF-8
 * @flowed: sent as format=flowed; @display has its lines joined again
 * @delsp: and the blank at the end of a joined line goes (RFC 3676)
 * @crlf: the text came with CRLF line ends
 * @repeated: a header that must stand once stands twice; the first one counts
 * @html_only: there was no text/plain part, @text is empty
 * @attached: the first attached patch (bytes), empty if none
 * @diff: the diff found in @text or @attached
 * @diff_start: offset of the diff in @text, or @text.len
 * @trailers: of the commit message (patch, cover) or of the whole unquoted
 *	text (comment)
 * @message_len: @text up to the first "---" line, the signature or the diff
 * @diffstat: lines of the diffstat with its summary, trimmed, \n separated
 * @pull_url: repository and ref of a pull request, or NULL
 * @base_commit: 40 hex digits of "base-commit:", or NULL
 * @prerequisites: ids of "prerequisite-patch-id:", \n separated
 * @depends_on: ids or links of Depends-on lines, in order; then links that
 *	the text of a cover or patch says it stands on
 * @based_on: ids of Based-on lines
 * @supersedes: ids of Supersedes lines
 * @change_id: of b4, or NULL
 * @x_stable: X-stable header, or NULL
 * @x_kerneltest_branch: X-KernelTest-Branch header, or NULL
 * @machine: sent by a program (Auto-Submitted, list software, known robots)
 */
struct mail {
	char *message_id, *message_id_raw;
	char *in_reply_to;
	char **references;
	size_t nr_references;
	bool has_date;
	int64_t date_s;
	char *subject;
	struct subject subj;
	struct mail_addr from, sender;
	struct mail_addrs to, cc;
	char *list_id;
	struct mail_header *headers;
	size_t nr_headers;
	enum mail_kind kind;
	struct strbuf text;
	char *charset;
	struct strbuf display;
	bool flowed, delsp, crlf, repeated, html_only;
	struct strbuf attached;
	struct diff diff;
	size_t diff_start, message_len;
	struct trailers trailers;
	char *diffstat;
	char *pull_url;
	char *base_commit;
	char *prerequisites;
	struct trailers depends_on, based_on, supersedes;
	char *change_id;
	char *x_stable, *x_kerneltest_branch;
	bool machine;
};

/**
 * mail_parse() - read one mail
 * @raw: the mail with its headers; a leading "From " line is skipped
 * @len: bytes
 * @ret: the mail, free with mail_free(); NULL when the result is not 0
 * @why: one line when the result is not 0
 *
 * Uses no more stack than a fixed amount, but libraries below it read what a
 * stranger wrote: the daemon calls it in a worker process only.
 *
 * Return: 0; %MAIL_REFUSED for a mail without usable From or Message-ID, or
 * beyond %MAIL_MAX_BYTES or %MAIL_MAX_HEADER_BYTES; -errno.
 * Source: RFC 5322, 2045 to 2047, 3676.
 */
int mail_parse(const void *raw, size_t len, struct mail **ret,
	       struct strbuf *why);
/**
 * mail_parse_lenient() - mail_parse() without the wish for From and Message-ID
 *
 * For looking at test data by hand; what it gives must not be stored.
 */
int mail_parse_lenient(const void *raw, size_t len, struct mail **ret,
		       struct strbuf *why);
/** mail_addrs_parse() - append the mailboxes of an address header's @value */
void mail_addrs_parse(const char *value, struct mail_addrs *ret);
/** mail_addrs_release() - free what @a holds */
void mail_addrs_release(struct mail_addrs *a);
/** mail_scan_text() - fill in what stands in @m's text; by mail_parse() */
void mail_scan_text(struct mail *m);
/** mail_scan_links() - add to @depends_on what the prose says, with a link */
void mail_scan_links(struct mail *m);
/** mail_parse_date() - RFC 5322 date to seconds; false if it is none */
bool mail_parse_date(const char *value, int64_t *ret_s);
/** mail_free() - free all of @m; NULL is fine */
void mail_free(struct mail *m);
DEFINE_FREE(mail, struct mail *, mail_free(_T))

/** mail_kind_name() - "patch", "cover", "comment", "pull-request", "other" */
const char *mail_kind_name(enum mail_kind kind);
/** mail_header() - value of the first header @name (any case), or NULL */
const char *mail_header(const struct mail *m, const char *name);
/** mail_decode_words() - a header value with its RFC 2047 words as UTF-8 */
char *mail_decode_words(const char *value);

/**
 * mail_ref_id() - the Message-ID that a tag's value names
 * @value: "<id>", "id", or a link to an archive with the id in its path
 *
 * Return: the id without brackets, or NULL; the caller frees it.
 */
char *mail_ref_id(const char *value);

/**
 * mail_to_json() - all fields but the text, as stored in mail.fields
 *
 * Message ids in it are without angle brackets. Members: message_id,
 * in_reply_to, references, date_s, date, subject, title, prefixes, version,
 * number, total, is_reply, from_name, from_email, to and cc ([{name, email}]),
 * list_id, kind, has_diff, diff ({files, renames, ...}), files, index
 * ([{path, old, new}]), trailers ([{name, value, type, extinfo}]), diffstat,
 * pull_url, base_commit, prerequisites, depends_on, based_on, supersedes,
 * change_id, x_stable, x_kerneltest_branch, machine, flowed, commands
 * and auth_results (Authentication-Results, topmost first) where there are
 * commands for us, change_hash (of
 * the changed lines alone, equal for patches that change the same), patch_id
 * and, where it differs, commit_patch_id (see patch_id(); absent where there is
 * none).
 *
 * Return: a new reference.
 */
json_t *mail_to_json(const struct mail *m);

/**
 * mail_patch_mbox() - the patch as a clean mail for git am
 * @out: appended: From, Date, Subject, Message-Id and the decoded body
 *
 * git must not decode again: no Content-Type but a declared charset, no
 * transfer encoding; lines of format=flowed are joined by git. An attached
 * patch is put below the text.
 *
 * Return: 0, or -ENODATA when the mail has no diff.
 * Source: git-mailinfo(1).
 */
int mail_patch_mbox(const struct mail *m, struct strbuf *out);

/**
 * fixup_diff() - the diff that a reply carries, ready to be applied
 * @text: text of the reply (struct mail's @text), its length in @len
 * @out: the diff is appended; lines that a mailer wrapped are joined again,
 *	guided by the counts of each hunk's header
 *
 * Return: 0; -ENODATA if there is none outside of quotes; -EBADMSG if what is
 * there does not add up to its hunk headers even after joining.
 */
int fixup_diff(const char *text, size_t len, struct strbuf *out);
/**
 * mail_fixup_diff() - fixup_diff() for a mail: its text, or what is attached
 *
 * A text sent as format=flowed is joined first, as git does.
 */
int mail_fixup_diff(const struct mail *m, struct strbuf *out);
/** mail_unflow() - append @in with the lines of format=flowed joined */
void mail_unflow(const struct strbuf *in, bool delsp, struct strbuf *out);

#endif
