// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/config-private.h"

#include <errno.h>
#include <string.h>

#define UNSET (-1)

cfg_opt_t config_mail_opts[] = {
	CFG_STR("mode", "outbox", CFGF_NONE),
	CFG_STR("from", "mmci <mmci@localhost>", CFGF_NONE),
	CFG_STR("reply_to", "", CFGF_NONE),
	CFG_STR("spool_dir", "", CFGF_NONE),
	CFG_STR("transport", "", CFGF_NONE),
	CFG_STR("smtp_url", "smtp://localhost:25", CFGF_NONE),
	CFG_STR("smtp_tls", "required", CFGF_NONE),
	CFG_STR("smtp_ca_file", "", CFGF_NONE),
	CFG_STR("smtp_user", "", CFGF_NONE),
	CFG_STR("smtp_password_file", "", CFGF_NONE),
	CFG_STR_LIST("sendmail", "{/usr/sbin/sendmail, -i}", CFGF_NONE),
	CFG_STR("maildir", "", CFGF_NONE),
	CFG_INT("timeout_s", 120, CFGF_NONE),
	CFG_INT("retry_s", 300, CFGF_NONE),
	CFG_INT("give_up_h", 72, CFGF_NONE),
	CFG_STR_LIST("opt_out", "{}", CFGF_NONE),
	CFG_STR_LIST("command_hosts", "{}", CFGF_NONE),
	CFG_STR_LIST("command_people", "{}", CFGF_NONE),
	CFG_STR("patchwork_url", "", CFGF_NONE),
	CFG_STR("patchwork_token_file", "", CFGF_NONE),
	CFG_END()
};

cfg_opt_t config_policy_opts[] = {
	CFG_STR("list", "", CFGF_NONE),
	CFG_STR("tree", "", CFGF_NONE),
	CFG_STR("person", "", CFGF_NONE),
	CFG_STR("send", "", CFGF_NONE),
	CFG_STR("clean", "", CFGF_NONE),
	CFG_STR("quiet_hours", "", CFGF_NONE),
	CFG_INT("embargo_h", UNSET, CFGF_NONE),
	CFG_INT("daily_per_recipient", UNSET, CFGF_NONE),
	CFG_INT("daily_per_list", UNSET, CFGF_NONE),
	CFG_STR_LIST("lists", "{}", CFGF_NONE),
	CFG_END()
};

/* The order is the meaning: what comes first is quieter. */
static const char *const levels[] = {
	"off", "outbox", "moderated", "author", "author+lists",
};

static int one_of(cfg_t *cfg, cfg_opt_t *opt, const char *const *words)
{
	const char *v = cfg_opt_getnstr(opt, cfg_opt_size(opt) - 1);
	struct strbuf all __free(strbuf) = STRBUF_INIT;

	for (size_t i = 0; words[i]; i++) {
		if (!strcmp(words[i], v))
			return 0;
		strbuf_addf(&all, "%s\"%s\"", i ? ", " : "", words[i]);
	}
	cfg_error(cfg, "%s = \"%s\": expected one of %s", cfg_opt_name(opt), v,
		  all.buf);
	return -1;
}

static int known_mode(cfg_t *cfg, cfg_opt_t *opt)
{
	static const char *const words[] = { "off", "outbox", "send", NULL };

	return one_of(cfg, opt, words);
}

static int known_transport(cfg_t *cfg, cfg_opt_t *opt)
{
	static const char *const words[] = { "", "smtp", "sendmail", "maildir",
					     NULL };

	return one_of(cfg, opt, words);
}

static int known_tls(cfg_t *cfg, cfg_opt_t *opt)
{
	static const char *const words[] = { "required", "none", NULL };

	return one_of(cfg, opt, words);
}

static int known_level(cfg_t *cfg, cfg_opt_t *opt)
{
	static const char *const words[] = { "off", "outbox", "moderated",
					     "author", "author+lists", NULL };

	return one_of(cfg, opt, words);
}

static int yes_or_no(cfg_t *cfg, cfg_opt_t *opt)
{
	static const char *const words[] = { "yes", "no", NULL };

	return one_of(cfg, opt, words);
}

static int not_below_zero(cfg_t *cfg, cfg_opt_t *opt)
{
	long v = cfg_opt_getnint(opt, cfg_opt_size(opt) - 1);

	if (v >= 0 && v <= 100000)
		return 0;
	cfg_error(cfg, "%s = %ld: expected 0 to 100000", cfg_opt_name(opt), v);
	return -1;
}

static int at_least_one(cfg_t *cfg, cfg_opt_t *opt)
{
	long v = cfg_opt_getnint(opt, cfg_opt_size(opt) - 1);

	if (v >= 1 && v <= 100000)
		return 0;
	cfg_error(cfg, "%s = %ld: expected 1 to 100000", cfg_opt_name(opt), v);
	return -1;
}

static int some_text(cfg_t *cfg, cfg_opt_t *opt)
{
	if (*cfg_opt_getnstr(opt, cfg_opt_size(opt) - 1))
		return 0;
	cfg_error(cfg, "%s must not be empty", cfg_opt_name(opt));
	return -1;
}

void config_mail_validators(cfg_t *cfg)
{
	cfg_set_validate_func(cfg, "mail|mode", known_mode);
	cfg_set_validate_func(cfg, "mail|from", some_text);
	cfg_set_validate_func(cfg, "mail|transport", known_transport);
	cfg_set_validate_func(cfg, "mail|smtp_tls", known_tls);
	cfg_set_validate_func(cfg, "mail|timeout_s", at_least_one);
	cfg_set_validate_func(cfg, "mail|retry_s", at_least_one);
	cfg_set_validate_func(cfg, "mail|give_up_h", at_least_one);
	cfg_set_validate_func(cfg, "policy|send", known_level);
	cfg_set_validate_func(cfg, "policy|clean", yes_or_no);
	cfg_set_validate_func(cfg, "policy|embargo_h", not_below_zero);
	cfg_set_validate_func(cfg, "policy|daily_per_recipient",
			      not_below_zero);
	cfg_set_validate_func(cfg, "policy|daily_per_list", not_below_zero);
}

/* "22-7": from 22:00 to 7:00 UTC */
static int take_hours(const char *text, int *from, int *to)
{
	char *end;
	long a, b;

	*from = *to = UNSET;
	if (!*text)
		return 0;
	a = strtol(text, &end, 10);
	if (end == text || *end != '-')
		return -EINVAL;
	text = end + 1;
	b = strtol(text, &end, 10);
	if (end == text || *end || a < 0 || a > 23 || b < 0 || b > 23 || a == b)
		return -EINVAL;
	*from = (int)a;
	*to = (int)b;
	return 0;
}

static int level_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		if (!strcmp(levels[i], word))
			return (int)i;
	}
	return UNSET;
}

const char *config_send_name(int level)
{
	return level >= 0 && level < (int)ARRAY_SIZE(levels) ? levels[level] :
							       "";
}

static int take_policy(cfg_t *sec, struct config_policy *p, struct strbuf *why)
{
	const char *hours = cfg_getstr(sec, "quiet_hours");
	const char *clean = cfg_getstr(sec, "clean");

	p->name = xstrdup(cfg_title(sec));
	p->list = xstrdup(cfg_getstr(sec, "list"));
	p->tree = xstrdup(cfg_getstr(sec, "tree"));
	p->person = xstrdup(cfg_getstr(sec, "person"));
	p->level = level_of(cfg_getstr(sec, "send"));
	p->clean = *clean ? !strcmp(clean, "yes") : UNSET;
	p->embargo_h = cfg_getint(sec, "embargo_h");
	p->daily_per_recipient = cfg_getint(sec, "daily_per_recipient");
	p->daily_per_list = cfg_getint(sec, "daily_per_list");
	config_take_strings(sec, "lists", &p->lists);
	if (!take_hours(hours, &p->quiet_from, &p->quiet_to))
		return 0;
	strbuf_setf(why, "%s:%d: quiet_hours = \"%s\": expected \"FROM-TO\", "
		    "two different hours of UTC from 0 to 23", sec->filename,
		    sec->line, hours);
	return -EINVAL;
}

/* Sending needs to know how; a fresh installation does not send. */
static int check_transport(cfg_t *sec, const char *file,
			   const struct config_mail *m, struct strbuf *why)
{
	const char *lacks = NULL;

	if (!strcmp(m->mode, "send") && !*m->transport)
		lacks = "transport";
	else if (!strcmp(m->transport, "maildir") && !*m->maildir)
		lacks = "maildir";
	else if (!strcmp(m->transport, "sendmail") && !m->sendmail.n)
		lacks = "sendmail";
	else if (!strcmp(m->transport, "smtp") && !*m->smtp_url)
		lacks = "smtp_url";
	if (!lacks)
		return 0;
	strbuf_setf(why, "%s:%d: mail: %s is needed", file, sec->line, lacks);
	return -EINVAL;
}

int config_mail_take(cfg_t *cfg, struct config *c, struct strbuf *why)
{
	cfg_t *sec = cfg_getsec(cfg, "mail");
	struct config_mail *m = &c->mail;
	const struct {
		const char *name;
		char **to;
	} texts[] = {
		{ "mode", &m->mode }, { "from", &m->from },
		{ "reply_to", &m->reply_to }, { "transport", &m->transport },
		{ "smtp_url", &m->smtp_url }, { "smtp_tls", &m->smtp_tls },
		{ "smtp_ca_file", &m->smtp_ca_file },
		{ "smtp_user", &m->smtp_user },
		{ "smtp_password_file", &m->smtp_password_file },
		{ "maildir", &m->maildir },
		{ "patchwork_url", &m->patchwork_url },
		{ "patchwork_token_file", &m->patchwork_token_file },
	};
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		*texts[i].to = xstrdup(cfg_getstr(sec, texts[i].name));
	m->spool_dir = *cfg_getstr(sec, "spool_dir") ?
		xstrdup(cfg_getstr(sec, "spool_dir")) :
		xasprintf("%s/outbox", c->state_dir);
	m->timeout_s = cfg_getint(sec, "timeout_s");
	m->retry_s = cfg_getint(sec, "retry_s");
	m->give_up_h = cfg_getint(sec, "give_up_h");
	config_take_strings(sec, "sendmail", &m->sendmail);
	config_take_strings(sec, "opt_out", &m->opt_out);
	config_take_strings(sec, "command_hosts", &m->command_hosts);
	config_take_strings(sec, "command_people", &m->command_people);
	r = check_transport(sec, cfg->filename, m, why);

	c->n_policies = cfg_size(cfg, "policy");
	c->policies = xcalloc(c->n_policies, sizeof(*c->policies));
	for (unsigned int i = 0; i < c->n_policies && !r; i++)
		r = take_policy(cfg_getnsec(cfg, "policy", i), &c->policies[i],
				why);
	return r;
}

void config_mail_free(struct config *c)
{
	struct config_mail *m = &c->mail;
	char *const texts[] = {
		m->mode, m->from, m->reply_to, m->spool_dir, m->transport,
		m->smtp_url, m->smtp_tls, m->smtp_ca_file, m->smtp_user,
		m->smtp_password_file, m->maildir,
		m->patchwork_url, m->patchwork_token_file,
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	config_free_strings(&m->sendmail);
	config_free_strings(&m->opt_out);
	config_free_strings(&m->command_hosts);
	config_free_strings(&m->command_people);
	for (size_t i = 0; i < c->n_policies; i++) {
		free(c->policies[i].name);
		free(c->policies[i].list);
		free(c->policies[i].tree);
		free(c->policies[i].person);
		config_free_strings(&c->policies[i].lists);
	}
	free(c->policies);
}
