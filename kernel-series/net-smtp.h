/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_NET_SMTP_H
#define MMCI_KERNEL_SERIES_NET_SMTP_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

/**
 * struct smtp_rcpt - one recipient and what became of it
 * @email: plain address, checked by the caller
 * @code: SMTP code of the answer to RCPT, 0: it was not asked
 * @answer: the server's line, at most 500 bytes; release it
 */
struct smtp_rcpt {
	const char *email;
	int code;
	struct strbuf answer;
};

/**
 * struct smtp_spec - one mail to one server; everything is borrowed
 * @url: smtp://HOST:PORT or smtps://HOST:PORT
 * @tls: refuse to go on without TLS and a good certificate
 * @ca_file: certificates to trust, NULL or "": the system's
 * @user, @password: log in, unless @user is NULL or ""
 * @from: envelope sender, a plain address
 * @rcpts: @n_rcpts recipients
 * @mail: @len bytes with CRLF line ends
 * @timeout_s: for everything together
 * @given: called before the end of the mail is told to the server: from then on
 *	it may take the mail without us getting to know. Not 0 ends the try.
 * @arg: for @given
 */
struct smtp_spec {
	const char *url;
	bool tls;
	const char *ca_file;
	const char *user;
	const char *password;
	const char *from;
	struct smtp_rcpt *rcpts;
	size_t n_rcpts;
	const char *mail;
	size_t len;
	unsigned int timeout_s;
	int (*given)(void *arg);
	void *arg;
};

/** enum smtp_result - whose turn it is */
enum smtp_result {
	SMTP_ACCEPTED = 0, /* for the recipients with a code of 2xx */
	SMTP_DEFERRED = 1, /* nothing was taken: try again later */
	SMTP_REFUSED = 2,  /* nothing was taken: trying again is of no use */
	SMTP_DOUBTFUL = 3, /* it was given to the server, who did not answer */
};

/**
 * smtp_send() - hand one mail to a server
 * @why: the server's last words or what went wrong, in any case
 *
 * A failure before MAIL FROM (no connection, no TLS, wrong password) is
 * %SMTP_DEFERRED: it is a matter of our configuration, not of the mail.
 *
 * Return: an enum smtp_result, or -EINVAL for an URL that is none of smtp;
 * -ENOMEM.
 * Source: RFC 5321 section 4.2.1, libcurl-errors(3).
 */
int smtp_send(struct smtp_spec *spec, struct strbuf *why);

#endif
