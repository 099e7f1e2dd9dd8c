/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_LIB_CONFIG_PRIVATE_H
#define MMCI_LIB_CONFIG_PRIVATE_H

#include <confuse.h>

#include "lib/config.h"

/* The sections "mail" and "policy", see config-mail.c. */
extern cfg_opt_t config_mail_opts[];
extern cfg_opt_t config_policy_opts[];

/** config_mail_validators() - hang the checks of single options into @cfg */
void config_mail_validators(cfg_t *cfg);
/**
 * config_mail_take() - fill @c->mail and @c->policies
 * @why: on failure one line with file and line
 *
 * Return: 0 or -EINVAL.
 */
int config_mail_take(cfg_t *cfg, struct config *c, struct strbuf *why);
/** config_mail_free() - release what config_mail_take() made */
void config_mail_free(struct config *c);

/* shared by the files that read sections */
void config_take_strings(cfg_t *cfg, const char *name,
			 struct config_strings *out);
void config_free_strings(struct config_strings *s);

#endif
