// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "mmcid: " fmt
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "db/sqlite.h"
#include "db/token.h"
#include "jobs/engine.h"
#include "lib/config.h"
#include "lib/fs.h"
#include "lib/hash.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "server/asks.h"
#include "server/worker-main.h"
#include "web/web.h"

static void usage(FILE *to)
{
	fprintf(to,
		"usage: mmcid --config FILE [--verbose]\n"
		"       mmcid --worker NAME\n"
		"       mmcid --version\n"
		"\n"
		"The daemon of mmci. Configuration: see mmcid.conf.\n");
}

/* Two daemons on one state directory would both be "the only writer". */
static int lock_state(const char *dir, struct strbuf *why)
{
	char *path __free(kfree) = xasprintf("%s/lock", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int r;

	if (fd < 0) {
		r = -errno;
		strbuf_setf(why, "%s: %s", path, strerror(-r));
		return r;
	}
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		r = -errno;
		close(fd);
		strbuf_setf(why, "%s: another mmcid works here", path);
		return r;
	}
	return fd;
}

static int write_secret(const char *path, const char *token)
{
	char *tmp __free(kfree) = xasprintf("%s.new", path);
	int fd __free(fd) = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				 0600);

	if (fd < 0)
		return -errno;
	if (dprintf(fd, "%s\n", token) < 0 || fsync(fd) || rename(tmp, path))
		return -errno;
	return 0;
}

/* The file is the token's home: a new database gets its hash from there. */
static int ensure_admin_token(struct db *db, const char *dir,
			      struct strbuf *why)
{
	char *path __free(kfree) = xasprintf("%s/admin.token", dir);
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	char hex[HASH_HEX_LEN + 1], token[44];
	int r = fs_read_file(path, 200, &text);

	if (r == -ENOENT) {
		strbuf_addstr(&text, hash_token_new(token));
		r = write_secret(path, text.buf);
	}
	strbuf_rtrim(&text);
	if (!r && text.len < 40)
		r = -EINVAL;
	if (r) {
		strbuf_setf(why, "%s: %s; remove it to get a new one", path,
			    strerror(-r));
		return r;
	}
	return db_token_replace(db, "admin",
				hash_hex(text.buf, text.len, hex), "admin", 0);
}

static int own_path(char buf[static PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", buf, PATH_MAX - 1);

	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return 0;
}

/* Beside the daemon in a build directory, in libexec when installed. */
static char *find_runner(const struct config *cfg, const char *self)
{
	char *beside = xasprintf("%.*s/mmci-run",
				 (int)(strrchr(self, '/') - self), self);

	if (!access(beside, X_OK))
		return beside;
	free(beside);
	return xasprintf("%s/mmci-run", cfg->libexec_dir);
}

static void on_stop(int signo, void *arg)
{
	pr_info("%s: stopping\n", strsignal(signo));
	loop_quit(arg);
}

static int start_web(const struct config *cfg, struct asks *asks,
		     const char *db_path, struct web **ret, struct strbuf *why)
{
	struct web_config wc = {
		.address = cfg->listen_host,
		.port = (uint16_t)cfg->listen_port,
		.state_dir = cfg->state_dir,
		.public_url = cfg->public_url,
		.db_path = db_path,
		.trusted_proxies =
			(const char *const *)cfg->http.trusted_proxies.v,
		.n_trusted_proxies = cfg->http.trusted_proxies.n,
		.requests_per_min = (unsigned int)cfg->http.requests_per_min,
		.token_requests_per_min =
			(unsigned int)cfg->http.token_requests_per_min,
		.session_s = cfg->http.session_h * 3600,
		.max_viewers = (unsigned int)cfg->http.max_viewers,
	};

	return web_start(&wc, &asks_ops, asks, ret, why);
}

static int serve(const struct config *cfg, struct strbuf *why)
{
	char *db_path __free(kfree) = xasprintf("%s/mmci.db", cfg->state_dir);
	struct loop *loop __free(loop) = loop_new();
	struct db *db __free(db) = NULL;
	struct engine *engine = NULL;
	char *runner __free(kfree) = NULL;
	struct asks *asks __free(asks) = NULL;
	struct web *web = NULL;
	char self[PATH_MAX];
	int r;

	if (!loop)
		return -ENOMEM;
	r = own_path(self);
	if (!r)
		r = db_open(db_path, &db, why);
	if (!r)
		r = ensure_admin_token(db, cfg->state_dir, why);
	/* before any thread starts: they inherit the blocked signals */
	if (!r)
		r = loop_add_signal(loop, SIGTERM, on_stop, loop);
	if (!r)
		r = loop_add_signal(loop, SIGINT, on_stop, loop);
	if (r)
		return r;
	runner = find_runner(cfg, self);
	r = engine_new(cfg, db, loop, self, runner, &engine, why);
	if (r)
		return r;
	asks = asks_new(loop, engine);
	r = asks ? start_web(cfg, asks, db_path, &web, why) : -ENOMEM;
	if (!r) {
		pr_info("listening on http://%s:%u\n", cfg->listen_host,
			web_port(web));
		r = loop_run(loop);
	}
	if (asks)
		asks_close(asks);
	engine_free(engine);
	web_stop(web);
	return r;
}

static int run(const char *config_path)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct config *cfg __free(config) = NULL;
	int lock __free(fd) = -1;
	int r = config_load(config_path, &cfg, &why);

	if (!r) {
		r = fs_mkdir_p(cfg->state_dir);
		if (r)
			strbuf_setf(&why, "%s: %s", cfg->state_dir,
				    strerror(-r));
	}
	if (!r) {
		lock = lock_state(cfg->state_dir, &why);
		r = min(lock, 0);
	}
	if (!r)
		r = serve(cfg, &why);
	if (r) {
		pr_err("%s\n", why.len ? why.buf : strerror(-r));
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "worker", required_argument, NULL, 'w' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *config_path = NULL, *worker = NULL;
	int c;

	signal(SIGPIPE, SIG_IGN);
	while ((c = getopt_long(argc, argv, "c:vh", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			config_path = optarg;
			break;
		case 'w':
			worker = optarg;
			break;
		case 'v':
			log_set_level(LOG_LEVEL_DEBUG);
			break;
		case 'V':
			printf("mmcid %s\n", MMCI_VERSION);
			return 0;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (worker)
		return worker_main(worker);
	if (!config_path || optind < argc) {
		usage(stderr);
		return 2;
	}
	return run(config_path);
}
