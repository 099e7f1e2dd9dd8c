// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "lib/config.h"
#include "server/cmd.h"

static json_t *strings(const struct config_strings *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(list, json_text(s->v[i]));
	return list;
}

static json_t *summary(const struct config *cfg)
{
	json_t *o = json_object(), *sources = json_array();

	json_set_text(o, "state_dir", cfg->state_dir);
	json_set_text(o, "public_url", cfg->public_url);
	json_set_text(o, "mail_mode", cfg->mail.mode);
	json_object_set_new(o, "arches", strings(&cfg->arches));
	json_object_set_new(o, "kconfigs", strings(&cfg->kconfigs));
	json_object_set_new(o, "toolchains", strings(&cfg->toolchains));
	for (size_t i = 0; i < cfg->n_sources; i++) {
		json_t *s = json_object();

		json_set_text(s, "name", cfg->sources[i].name);
		json_set_text(s, "kind", cfg->sources[i].kind);
		json_set_text(s, "location", cfg->sources[i].location);
		json_array_append_new(sources, s);
	}
	json_object_set_new(o, "sources", sources);
	return o;
}

static int check(struct client *c, int argc, char **argv)
{
	struct config *cfg __free(config) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *o __free(json) = NULL;
	const char *path = argc ? argv[0] : c->config_path;

	if (argc > 1)
		return cmd_usage("check-config takes one file");
	if (config_load(path, &cfg, &why))
		return cmd_fail("%s", why.buf);
	if (c->json) {
		o = summary(cfg);
		return print_json(o);
	}
	print_text("%s: fine, %zu source%s\n", path, cfg->n_sources,
		   cfg->n_sources == 1 ? "" : "s");
	return CMD_YES;
}

const struct cmd cmds_check_config[] = {
	{ NULL, check, "[FILE]", "read a configuration and say what is wrong" },
	{ 0 },
};
