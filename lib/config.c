// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/config-private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#include "lib/fs.h"

#define MAX_BYTES (1 << 20)

/*
 * libconfuse takes the end of the file for the end of an open section. An
 * option of our own behind the last line is read at top level only if
 * everything before it was closed.
 */
#define END_MARK "end-of-configuration"

/* libconfuse reports through a callback without an argument */
static struct strbuf *error_sink;
static cfg_t *error_root;

__attribute__((format(printf, 2, 0)))
static void on_error(cfg_t *cfg, const char *fmt, va_list ap)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	/* only sections that may be repeated know the name of their file */
	const char *file = cfg->filename ? cfg->filename : error_root->filename;

	if (!error_sink || error_sink->len)
		return; /* the first error is the cause, the rest follow */
	strbuf_vaddf(&text, fmt, ap);
	if (strstr(text.buf, END_MARK))
		strbuf_setf(&text, "section \"%s\" is not closed, expected }",
			    cfg_name(cfg));
	strbuf_addf(error_sink, "%s:%d: %s", file, cfg->line, text.buf);
}

static int not_negative(cfg_t *cfg, cfg_opt_t *opt)
{
	long v = cfg_opt_getnint(opt, cfg_opt_size(opt) - 1);

	if (v >= 0)
		return 0;
	cfg_error(cfg, "%s = %ld: must not be negative", cfg_opt_name(opt), v);
	return -1;
}

static int positive(cfg_t *cfg, cfg_opt_t *opt)
{
	long v = cfg_opt_getnint(opt, cfg_opt_size(opt) - 1);

	if (v > 0)
		return 0;
	cfg_error(cfg, "%s = %ld: must be at least 1", cfg_opt_name(opt), v);
	return -1;
}

static int a_port(cfg_t *cfg, cfg_opt_t *opt)
{
	long v = cfg_opt_getnint(opt, cfg_opt_size(opt) - 1);

	if (v >= 0 && v <= 65535)
		return 0;
	cfg_error(cfg, "%s = %ld: expected 0 to 65535", cfg_opt_name(opt), v);
	return -1;
}

static int not_empty(cfg_t *cfg, cfg_opt_t *opt)
{
	if (*cfg_opt_getnstr(opt, cfg_opt_size(opt) - 1))
		return 0;
	cfg_error(cfg, "%s must not be empty", cfg_opt_name(opt));
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
	CFG_INT("poll_s", 60, CFGF_NONE),
	CFG_STR("since", "", CFGF_NONE),
	CFG_END()
};

static cfg_opt_t matrix_opts[] = {
	CFG_STR_LIST("arches", "{x86_64}", CFGF_NONE),
	CFG_STR_LIST("kconfigs", "{small}", CFGF_NONE),
	CFG_STR_LIST("toolchains", "{gcc}", CFGF_NONE),
	CFG_STR_LIST("selftests", "{}", CFGF_NONE),
	CFG_STR_LIST("benchmarks", "{}", CFGF_NONE),
	CFG_END()
};

static cfg_opt_t limit_opts[] = {
	CFG_INT("job_timeout_s", 3600, CFGF_NONE),
	CFG_INT("memory_mib", 4096, CFGF_NONE),
	CFG_INT("disk_mib", 8192, CFGF_NONE),
	CFG_INT("warm_max_gib", 0, CFGF_NONE),
	CFG_END()
};

static cfg_opt_t http_opts[] = {
	CFG_STR_LIST("trusted_proxies", "{}", CFGF_NONE),
	CFG_INT("requests_per_min", 1200, CFGF_NONE),
	CFG_INT("token_requests_per_min", 6000, CFGF_NONE),
	CFG_INT("session_h", 12, CFGF_NONE),
	CFG_INT("max_viewers", 512, CFGF_NONE),
	CFG_END()
};

static cfg_opt_t top_opts[] = {
	CFG_STR("state_dir", "/var/lib/mmci", CFGF_NONE),
	CFG_STR("listen_host", "127.0.0.1", CFGF_NONE),
	CFG_INT("listen_port", 8070, CFGF_NONE),
	CFG_STR("public_url", "", CFGF_NONE),
	CFG_STR("libexec_dir", "/usr/local/libexec/mmci", CFGF_NONE),
	CFG_STR("kconfig_dir", "/usr/local/share/mmci/kconfig", CFGF_NONE),
	CFG_INT("build_uid", 65534, CFGF_NONE),
	CFG_INT("build_gid", 65534, CFGF_NONE),
	CFG_INT("make_jobs", 2, CFGF_NONE),
	CFG_INT("derived_configs", 0, CFGF_NONE),
	CFG_INT("parallel_jobs", 1, CFGF_NONE),
	CFG_INT("settle_s", 120, CFGF_NONE),
	CFG_INT("incomplete_s", 14400, CFGF_NONE),
	CFG_SEC("matrix", matrix_opts, CFGF_NONE),
	CFG_SEC("http", http_opts, CFGF_NONE),
	CFG_SEC("mail", config_mail_opts, CFGF_NONE),
	CFG_SEC("policy", config_policy_opts, CFGF_MULTI | CFGF_TITLE |
						     CFGF_NO_TITLE_DUPES),
	CFG_SEC("limits", limit_opts, CFGF_NONE),
	CFG_SEC("source", source_opts, CFGF_MULTI | CFGF_TITLE |
					       CFGF_NO_TITLE_DUPES),
	CFG_FUNC("include", &cfg_include),
	CFG_BOOL(END_MARK, cfg_false, CFGF_NONE),
	CFG_END()
};

static void set_validators(cfg_t *cfg)
{
	static const char *const numbers[] = {
		"build_uid", "build_gid", "settle_s", "incomplete_s",
		"derived_configs",
		"limits|warm_max_gib", "http|requests_per_min",
		"http|token_requests_per_min",
	};
	static const char *const counts[] = {
		"make_jobs", "parallel_jobs", "limits|job_timeout_s",
		"limits|memory_mib", "limits|disk_mib", "source|poll_s",
		"http|session_h", "http|max_viewers",
	};
	static const char *const names[] = {
		"state_dir", "listen_host", "libexec_dir", "kconfig_dir",
		"source|location",
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		cfg_set_validate_func(cfg, numbers[i], not_negative);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		cfg_set_validate_func(cfg, counts[i], positive);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		cfg_set_validate_func(cfg, names[i], not_empty);
	cfg_set_validate_func(cfg, "listen_port", a_port);
	config_mail_validators(cfg);
	cfg_set_validate_func(cfg, "source|kind", known_kind);
	cfg_set_validate_func(cfg, "matrix|arches", known_arch);
}

void config_take_strings(cfg_t *cfg, const char *name,
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
	s->poll_s = cfg_getint(sec, "poll_s");
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

static void take_http(cfg_t *sec, struct config_http *h)
{
	config_take_strings(sec, "trusted_proxies", &h->trusted_proxies);
	h->requests_per_min = cfg_getint(sec, "requests_per_min");
	h->token_requests_per_min = cfg_getint(sec, "token_requests_per_min");
	h->session_h = cfg_getint(sec, "session_h");
	h->max_viewers = cfg_getint(sec, "max_viewers");
}

static int take_all(cfg_t *cfg, struct config *c, struct strbuf *why)
{
	cfg_t *matrix = cfg_getsec(cfg, "matrix");
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
	c->build_uid = cfg_getint(cfg, "build_uid");
	c->build_gid = cfg_getint(cfg, "build_gid");
	c->make_jobs = cfg_getint(cfg, "make_jobs");
	c->derived_configs = cfg_getint(cfg, "derived_configs");
	c->parallel_jobs = cfg_getint(cfg, "parallel_jobs");
	c->settle_s = cfg_getint(cfg, "settle_s");
	c->incomplete_s = cfg_getint(cfg, "incomplete_s");
	c->job_timeout_s = cfg_getint(limits, "job_timeout_s");
	c->memory_mib = cfg_getint(limits, "memory_mib");
	c->disk_mib = cfg_getint(limits, "disk_mib");
	c->warm_max_gib = cfg_getint(limits, "warm_max_gib");
	take_http(cfg_getsec(cfg, "http"), &c->http);
	config_take_strings(matrix, "arches", &c->arches);
	config_take_strings(matrix, "kconfigs", &c->kconfigs);
	config_take_strings(matrix, "toolchains", &c->toolchains);
	config_take_strings(matrix, "selftests", &c->selftests);
	config_take_strings(matrix, "benchmarks", &c->benchmarks);
	if (!c->arches.n || !c->kconfigs.n || !c->toolchains.n) {
		strbuf_setf(why, "%s:%d: matrix: arches, kconfigs and "
			    "toolchains each need at least one entry",
			    cfg->filename, matrix->line);
		r = -EINVAL;
	}
	if (!r)
		r = config_mail_take(cfg, c, why);

	c->n_sources = cfg_size(cfg, "source");
	c->sources = xcalloc(c->n_sources, sizeof(*c->sources));
	for (unsigned int i = 0; i < c->n_sources && !r; i++)
		r = take_source(cfg_getnsec(cfg, "source", i), &c->sources[i],
				why);
	return r;
}

static int parse(cfg_t *cfg, struct strbuf *text, struct strbuf *why)
{
	FILE *f __free(file) = NULL;
	int r;

	strbuf_addstr(text, "\n" END_MARK " = true\n");
	f = fmemopen(text->buf, text->len, "r");
	if (!f)
		return -errno;
	error_sink = why;
	error_root = cfg;
	r = cfg_parse_fp(cfg, f);
	error_sink = NULL;
	error_root = NULL;
	if (r == CFG_SUCCESS && cfg_getbool(cfg, END_MARK))
		return 0;
	if (!why->len)
		strbuf_setf(why, "%s:%d: %s", cfg->filename, cfg->line,
			    r == CFG_SUCCESS ? "a comment is not closed" :
			    "syntax error");
	return -EINVAL;
}

int config_load(const char *path, struct config **ret, struct strbuf *why)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct config *c __free(config) = NULL;
	cfg_t *cfg;
	int r;

	strbuf_reset(why);
	r = fs_read_file(path, MAX_BYTES, &text);
	if (r) {
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

	r = parse(cfg, &text, why);
	c = xcalloc(1, sizeof(*c));
	if (!r)
		r = take_all(cfg, c, why);
	cfg_free(cfg);
	if (!r)
		*ret = no_free_ptr(c);
	return r;
}

void config_free_strings(struct config_strings *s)
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
	config_mail_free(c);
	config_free_strings(&c->http.trusted_proxies);
	config_free_strings(&c->arches);
	config_free_strings(&c->kconfigs);
	config_free_strings(&c->toolchains);
	config_free_strings(&c->selftests);
	config_free_strings(&c->benchmarks);
	for (size_t i = 0; i < c->n_sources; i++) {
		free(c->sources[i].name);
		free(c->sources[i].kind);
		free(c->sources[i].location);
	}
	free(c->sources);
	free(c);
}
