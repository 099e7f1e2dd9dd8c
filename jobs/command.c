// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/command.h"

#include <string.h>
#include <strings.h>

#include "lib/json.h"

#define MAX_AGE_S (7 * 86400)
#define MAX_PER_DAY 10

static bool is_own(const struct config *cfg, const char *from)
{
	const char *own[] = { cfg->mail.from, cfg->mail.reply_to };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		const char *open = strrchr(own[i], '<');
		const char *email = open ? open + 1 : own[i];
		size_t n = strcspn(email, "> ");

		if (n && strlen(from) == n && !strncasecmp(email, from, n))
			return true;
	}
	return false;
}

static bool in_list(const struct config_strings *s, const char *email)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!strcasecmp(s->v[i], email))
			return true;
	}
	return false;
}

static bool is_known_command(const json_t *row)
{
	const char *command = json_get_str(row, "command", "");
	const char *args = json_get_str(row, "args", "");

	if (!strcmp(command, "not"))
		return !strcmp(args, "mine");
	if (!strcmp(command, "stop"))
		return !*args || !strcmp(args, "all");
	return !strcmp(command, "rerun") ||
	       (!strcmp(command, "base") && *args);
}

static enum command_verdict refuse(struct strbuf *why, const char *text)
{
	strbuf_setf(why, "%s", text);
	return COMMAND_REFUSE;
}

static enum command_verdict judge_sender(const struct config *cfg,
					 const json_t *row, const char *author,
					 struct strbuf *why)
{
	const char *from = json_get_str(row, "from_email", "");

	if (!strcmp(json_get_str(row, "command", ""), "stop")) {
		strbuf_setf(why, "about mails to the sender");
		return COMMAND_OBEY;
	}
	if (!strcasecmp(author, from)) {
		strbuf_setf(why, "from the author");
		return COMMAND_OBEY;
	}
	if (in_list(&cfg->mail.command_people, from)) {
		strbuf_setf(why, "mail.command_people names the sender");
		return COMMAND_OBEY;
	}
	strbuf_setf(why, "from a maintainer of the files");
	return COMMAND_ASK_MAINTAINERS;
}

enum command_verdict command_judge(const struct config *cfg,
				   const json_t *row, const char *author,
				   int64_t done_today, int64_t now_s,
				   struct strbuf *why)
{
	const char *from = json_get_str(row, "from_email", "");
	struct strbuf proof __free(strbuf) = STRBUF_INIT;
	bool all = !strcmp(json_get_str(row, "command", ""), "stop") &&
		   !strcmp(json_get_str(row, "args", ""), "all");

	if (json_get_int(row, "machine", 0))
		return refuse(why, "sent by a machine");
	if (is_own(cfg, from))
		return refuse(why, "our own mail");
	if (json_get_int(row, "date_s", 0) < now_s - MAX_AGE_S)
		return refuse(why, "older than a week");
	if (!is_known_command(row))
		return refuse(why, "no command of ours");
	if (!json_get_int(row, "version_id", 0) && !all)
		return refuse(why, "it answers no series we know");
	if (!command_is_proved(json_object_get(row, "auth"),
			       &cfg->mail.command_hosts, from, &proof)) {
		strbuf_setf(why, "no proof: %s", proof.buf);
		return COMMAND_REFUSE;
	}
	if (done_today >= MAX_PER_DAY)
		return refuse(why, "ten commands a day are enough");
	return judge_sender(cfg, row, author, why);
}
