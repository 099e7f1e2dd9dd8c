/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_MAILINFO_H
#define MMCI_KERNEL_SERIES_MAILINFO_H

#include "lib/strbuf.h"

/** MAILINFO_ASK_GIT - mailinfo_plain(): this mail is none of the usual ones */
#define MAILINFO_ASK_GIT 1

/**
 * struct mailinfo - what git mailinfo makes of a mail
 * @subject: without its tags; NULL if there is none
 * @author_name: of the From line that counts; NULL if there is none
 * @author_email: likewise
 * @date: as it was written; NULL if there is none
 * @body: the message below the subject
 * @diff: everything from the line on that ends the message
 */
struct mailinfo {
	char *subject;
	char *author_name;
	char *author_email;
	char *date;
	struct strbuf body;
	struct strbuf diff;
};

/** mailinfo_init() - empty; mailinfo_release() may be called from now on */
void mailinfo_init(struct mailinfo *m);
/** mailinfo_release() - free what @m holds, and make it empty */
void mailinfo_release(struct mailinfo *m);

/**
 * mailinfo_plain() - git mailinfo without a process, for mails that are usual
 * @raw: the mail, with LF line ends
 * @len: its bytes
 * @ret: filled when the result is 0, else left empty; was mailinfo_init()ed
 *
 * Usual is a mail of one part of plain text, neither encoded nor flowed, in
 * ASCII or UTF-8, with a From like "Name <address>". In its head may be words
 * in Q encoding, in its text lines "From:", "Subject:" and "Date:" above the
 * message. Whatever else there is decides that git has to read it. For usual
 * mails the answer is that of git mailinfo, which tests/apply-oracle.py
 * proves.
 *
 * Return: 0 or %MAILINFO_ASK_GIT.
 * Source: git-mailinfo(1), RFC 2047 section 4.2, git 2.39 where they are silent.
 */
int mailinfo_plain(const char *raw, size_t len, struct mailinfo *ret);

#endif
