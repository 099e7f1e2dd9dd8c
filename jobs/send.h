/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_SEND_H
#define MMCI_JOBS_SEND_H

#include <jansson.h>

#include "lib/config.h"
#include "lib/strbuf.h"

/**
 * send_request() - what the worker "send" needs for one mail
 * @eml: path of the mail
 * @message_id: without brackets
 * @recipients: array of plain addresses
 * @marker: path of the file that tells how far it came, see send_mail()
 *
 * Return: new reference; @cfg->mail chooses how it travels.
 */
json_t *send_request(const struct config *cfg, const char *eml,
		     const char *message_id, const json_t *recipients,
		     const char *marker);
/**
 * send_mail() - hand one mail over: SMTP, a sendmail command, or a maildir
 * @request: as send_request() makes it
 * @ret: {outcome: "accepted"|"deferred"|"refused"|"doubtful", answer,
 *	recipients: [{email, state: "sent"|"deferred"|"refused", answer}]}
 * @why: on failure one line
 *
 * Before the moment from which the mail may have left, the marker holds
 * {"stage": "given"}; after the answer {"stage": "answered", "answer": @ret}. So
 * whoever finds neither knows that it has not left. A maildir needs no marker:
 * the file's name is made of the Message-ID, and it cannot be there twice.
 *
 * Return: 0; -errno, then nothing has left.
 */
int send_mail(const json_t *request, json_t **ret, struct strbuf *why);
/**
 * send_recall() - what a marker says
 * @ret: the answer of send_mail(), or NULL
 *
 * Return: 0 and @ret; %SEND_NOT_GIVEN; %SEND_GIVEN: nobody knows.
 */
int send_recall(const char *marker, json_t **ret);

/* facts, see send_recall() */
enum { SEND_NOT_GIVEN = 1, SEND_GIVEN = 2 };

#endif
