/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_APPLY_MAIL_H
#define MMCI_KERNEL_SERIES_APPLY_MAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"

/**
 * APPLY_MAIL_EMPTY - apply_mail_read(): there is no patch in the mail, or no
 * author, or git mailinfo cannot read it
 */
#define APPLY_MAIL_EMPTY 1

/**
 * struct apply_mail - one patch as git am understands its mail
 * @raw: the mail that git was given, for git am
 * @author_name: author, also when a From: line in the body names another
 * @author_email: likewise
 * @date_s: author date, 0 if there is none that makes sense
 * @tz_min: time zone of the date, minutes east of UTC
 * @message: the commit message: subject, empty line, body
 * @diff: the patch
 * @by_git: the mail is none of the usual ones, git(1) has read it
 */
struct apply_mail {
	struct strbuf raw;
	char *author_name;
	char *author_email;
	int64_t date_s;
	int tz_min;
	struct strbuf message;
	struct strbuf diff;
	bool by_git;
};

/**
 * apply_mail_read() - read a patch as git mailinfo does
 * @path: file with one raw mail
 * @scratch: directory for two files of git
 * @ret: filled; give it to apply_mail_release() in any case
 * @why: one line when the result is not 0
 *
 * What the message is and what the patch is comes out as git am has it: usual
 * mails are read by mailinfo_plain(), for all others git itself decides.
 *
 * Return: 0; %APPLY_MAIL_EMPTY; -errno.
 * Source: git-mailinfo(1).
 */
int apply_mail_read(const char *path, const char *scratch,
		    struct apply_mail *ret, struct strbuf *why);
/** apply_mail_release() - free what @m holds */
void apply_mail_release(struct apply_mail *m);

#endif
