// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/config.h"

#include <confuse.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

/* libconfuse reports through a callback without an argument */
static struct strbuf *error_sink;

__attribute__((format(printf, 2, 0)))
static void on_error(cfg_t *cfg, const char *fmt, va_list ap)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	if (!error_sink || error_sink->len)
		return; /* the first error is the cause, the rest follow */
	strbuf_vaddf(&text, fmt, ap);
	strbuf_addf(error_sink, "%s:%d: %s",
		    cfg->filename ? cfg->filename : "?", cfg->line, text.buf);
}

static int not_negative(cfg_t *cfg, cfg_opt_t *opt)
{
	long v = cfg_opt_getnint(opt, cfg_opt_size(opt) - 1);

	if (v >= 0)
		return 0;
	cfg_error(cfg, "%s = %ld: must not be negative", cfg_opt_name(opt), v);
	return -1;
}

static int known_mode(cfg_t *cfg, cfg_opt_t *opt)
{
	const char *v = cfg_opt_getnstr(opt, cfg_opt_size(opt) - 1);

	if (!strcmp(v, "off") || !strcmp(v, "outbox"))
		return 0;
	cfg_error(cfg, "mode = \"%s\": expected \"off\" or \"outbox\"", v);
	return -1;
}

static int known_kind(cfg_t *cfg, cfg_opt_t *opt)
{
	const char *v = cfg_opt_getnstr(opt, cfg_opt_size(opt) - 1);

	if (!strcmp(v, "public-inbox") || !strcmp(v, "mbox"))
		return 0;
	cfg_error(cfg, "kind = \"%s\": expected \"public-inbox\" or \"mbox\"",
		  v);
	return -1;
}

static int known_arch(cfg_t *cfg, cfg_opt_t *opt)
{
	const char *v = cfg_opt_getnstr(opt, cfg_opt_size(opt) - 1);

	if (!strcmp(v, "x86_64") || !strcmp(v, "arm64") || !strcmp(v, "s390"))
		return 0;
	cfg_error(cfg, "arches: \"%s\" is none of x86_64, arm64, s390", v);
	return -1;
}

static cfg_opt_t source_opts[] = {
	CFG_STR("kind", "public-inbox", CFGF_NONE),
	CFG_STR("location", NULL, CFGF_NODEFAULT),
	CFG_STR("list", "", CFGF_NONE),
	CFG_INT("poll_s", 60, CFGF_NONE),
	CFG_STR("since", "", CFGF_NONE),
	CFG_INT("silent_s", 172800, CFGF_NONE),
	CFG_END()
};

static cfg_opt_t matrix_opts[] = {
	CFG_STR_LIST("arches", "{x86_64}", CFGF_NONE),
	CFG_STR_LIST("kconfigs", "{small}", CFGF_NONE),
	CFG_STR_LIST("toolchains", "{gcc}", CFGF_NONE),
	CFG_STR_LIST("selftests", "{}", CFGF_NONE),
	CFG_END()
};

static cfg_opt_t mail_opts[] = {
	CFG_STR("mode", "outbox", CFGF_NONE),
	CFG_STR("from", "mmci <mmci@localhost>", CFGF_NONE),
	CFG_STR("spool_dir", "", CFGF_NONE),
	CFG_END()
};

static cfg_opt_t limit_opts[] = {
	CFG_INT("job_timeout_s", 3600, CFGF_NONE),
	CFG_INT("memory_mib", 4096, CFGF_NONE),
	CFG_INT("disk_mib", 8192, CFGF_NONE),
	CFG_INT("warm_mib", 40960, CFGF_NONE),
	CFG_END()
};

static cfg_opt_t top_opts[] = {
	CFG_STR("state_dir", "/var/lib/mmci", CFGF_NONE),
	CFG_STR("listen_host", "127.0.0.1", CFGF_NONE),
	CFG_INT("listen_port", 8070, CFGF_NONE),
	CFG_STR("public_url", "", CFGF_NONE),
	CFG_STR("libexec_dir", "/usr/local/libexec/mmci", CFGF_NONE),
	CFG_STR("kconfig_dir", "/usr/local/share/mmci/kconfig", CFGF_NONE),
	CFG_STR("template_dir", "/usr/local/share/mmci/web", CFGF_NONE),
	CFG_INT("build_uid", 65534, CFGF_NONE),
	CFG_INT("build_gid", 65534, CFGF_NONE),
	CFG_INT("make_jobs", 2, CFGF_NONE),
	CFG_INT("parallel_jobs", 1, CFGF_NONE),
	CFG_INT("settle_s", 120, CFGF_NONE),
	CFG_INT("incomplete_s", 14400, CFGF_NONE),
	CFG_SEC("matrix", matrix_opts, CFGF_NONE),
	CFG_SEC("mail", mail_opts, CFGF_NONE),
	CFG_SEC("limits", limit_opts, CFGF_NONE),
	CFG_SEC("source", source_opts, CFGF_MULTI | CFGF_TITLE |
					       CFGF_NO_TITLE_DUPES),
	CFG_FUNC("include", &cfg_include),
	CFG_END()
};

static void set_validators(cfg_t *cfg)
{
	static const char *const numbers[] = {
		"listen_port", "build_uid", "build_gid", "make_jobs",
		"parallel_jobs", "settle_s", "incomplete_s",
		"limits|job_timeout_s", "limits|memory_mib",
		"limits|disk_mib", "limits|warm_mib", "source|poll_s",
		"source|silent_s",
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		cfg_set_validate_func(cfg, numbers[i], not_negative);
	cfg_set_validate_func(cfg, "mail|mode", known_mode);
	cfg_set_validate_func(cfg, "source|kind", known_kind);
	cfg_set_validate_func(cfg, "matrix|arches", known_arch);
}

static void take_strings(cfg_t *cfg, const char *name,
			 struct config_strings *out)
{
	out->n = cfg_size(cfg, name);
	out->v = xcalloc(out->n, sizeof(*out->v));
	for (unsigned int i = 0; i < out->n; i++)
		out->v[i] = xstrdup(cfg_getnstr(cfg, name, i));
}

static int take_date(const char *text, int64_t *ret)
{
	struct tm tm = { 0 };
	const char *end;

	*ret = 0;
	if (!*text)
		return 0;
	end = strptime(text, "%Y-%m-%d", &tm);
	if (!end || *end)
		return -EINVAL;
	*ret = timegm(&tm);
	return 0;
}

static int take_source(cfg_t *sec, struct config_source *s, struct strbuf *why)
{
	const char *location = cfg_getstr(sec, "location");

	s->name = xstrdup(cfg_title(sec));
	s->kind = xstrdup(cfg_getstr(sec, "kind"));
	s->location = xstrdup(location);
	s->list = xstrdup(cfg_getstr(sec, "list"));
	s->poll_s = cfg_getint(sec, "poll_s");
	s->silent_s = cfg_getint(sec, "silent_s");
	if (!location || !*location) {
		strbuf_setf(why, "%s:%d: source \"%s\" has no location",
			    sec->filename, sec->line, s->name);
		return -EINVAL;
	}
	if (take_date(cfg_getstr(sec, "since"), &s->since_s)) {
		strbuf_setf(why,
			    "%s:%d: since = \"%s\": expected YYYY-MM-DD",
			    sec->filename, sec->line, cfg_getstr(sec, "since"));
		return -EINVAL;
	}
	return 0;
}

static int take_all(cfg_t *cfg, struct config *c, struct strbuf *why)
{
	cfg_t *matrix = cfg_getsec(cfg, "matrix");
	cfg_t *mail = cfg_getsec(cfg, "mail");
	cfg_t *limits = cfg_getsec(cfg, "limits");
	int r = 0;

	c->state_dir = xstrdup(cfg_getstr(cfg, "state_dir"));
	c->listen_host = xstrdup(cfg_getstr(cfg, "listen_host"));
	c->listen_port = cfg_getint(cfg, "listen_port");
	c->public_url = *cfg_getstr(cfg, "public_url") ?
		xstrdup(cfg_getstr(cfg, "public_url")) :
		xasprintf("http://%s:%lld", c->listen_host,
			  (long long)c->listen_port);
	c->libexec_dir = xstrdup(cfg_getstr(cfg, "libexec_dir"));
	c->kconfig_dir = xstrdup(cfg_getstr(cfg, "kconfig_dir"));
	c->template_dir = xstrdup(cfg_getstr(cfg, "template_dir"));
	c->build_uid = cfg_getint(cfg, "build_uid");
	c->build_gid = cfg_getint(cfg, "build_gid");
	c->make_jobs = cfg_getint(cfg, "make_jobs");
	c->parallel_jobs = cfg_getint(cfg, "parallel_jobs");
	c->settle_s = cfg_getint(cfg, "settle_s");
	c->incomplete_s = cfg_getint(cfg, "incomplete_s");
	c->job_timeout_s = cfg_getint(limits, "job_timeout_s");
	c->memory_mib = cfg_getint(limits, "memory_mib");
	c->disk_mib = cfg_getint(limits, "disk_mib");
	c->warm_limit_mib = cfg_getint(limits, "warm_mib");
	take_strings(matrix, "arches", &c->arches);
	take_strings(matrix, "kconfigs", &c->kconfigs);
	take_strings(matrix, "toolchains", &c->toolchains);
	take_strings(matrix, "selftests", &c->selftests);
	c->mail_mode = xstrdup(cfg_getstr(mail, "mode"));
	c->mail_from = xstrdup(cfg_getstr(mail, "from"));
	c->mail_spool_dir = *cfg_getstr(mail, "spool_dir") ?
		xstrdup(cfg_getstr(mail, "spool_dir")) :
		xasprintf("%s/outbox", c->state_dir);

	c->n_sources = cfg_size(cfg, "source");
	c->sources = xcalloc(c->n_sources, sizeof(*c->sources));
	for (unsigned int i = 0; i < c->n_sources && !r; i++)
		r = take_source(cfg_getnsec(cfg, "source", i), &c->sources[i],
				why);
	return r;
}

int config_load(const char *path, struct config **ret, struct strbuf *why)
{
	FILE *f __free(file) = fopen(path, "re");
	struct config *c __free(config) = NULL;
	cfg_t *cfg;
	int r;

	strbuf_reset(why);
	if (!f) {
		r = -errno;
		strbuf_setf(why, "%s: %s", path, strerror(-r));
		return r;
	}
	cfg = cfg_init(top_opts, CFGF_NONE);
	if (!cfg)
		return -ENOMEM;
	free(cfg->filename);
	cfg->filename = xstrdup(path);
	cfg_set_error_function(cfg, on_error);
	set_validators(cfg);

	error_sink = why;
	r = cfg_parse_fp(cfg, f) == CFG_SUCCESS ? 0 : -EINVAL;
	error_sink = NULL;
	if (r && !why->len)
		strbuf_setf(why, "%s:%d: syntax error", path, cfg->line);

	c = xcalloc(1, sizeof(*c));
	if (!r)
		r = take_all(cfg, c, why);
	cfg_free(cfg);
	if (!r)
		*ret = no_free_ptr(c);
	return r;
}

static void free_strings(struct config_strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
}

void config_free(struct config *c)
{
	if (!c)
		return;
	free(c->state_dir);
	free(c->listen_host);
	free(c->public_url);
	free(c->libexec_dir);
	free(c->kconfig_dir);
	free(c->template_dir);
	free(c->mail_mode);
	free(c->mail_from);
	free(c->mail_spool_dir);
	free_strings(&c->arches);
	free_strings(&c->kconfigs);
	free_strings(&c->toolchains);
	free_strings(&c->selftests);
	for (size_t i = 0; i < c->n_sources; i++) {
		free(c->sources[i].name);
		free(c->sources[i].kind);
		free(c->sources[i].location);
		free(c->sources[i].list);
	}
	free(c->sources);
	free(c);
}
