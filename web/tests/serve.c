// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Look at the pages: serve STATE_DIR, or the sample when that is empty.
 *
 *	web-serve PORT STATE_DIR
 */
#include <signal.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/fs.h"
#include "web/tests/sample.h"
#include "web/web.h"

int main(int argc, char **argv)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	static const struct web_ops ops;
	struct web_config cfg = { 0 };
	char *path __free(kfree) = NULL;
	struct web *web = NULL;
	sigset_t set;
	int sig;

	if (argc != 3) {
		fprintf(stderr, "usage: web-serve PORT STATE_DIR\n");
		return 2;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	path = xasprintf("%s/mmci.db", argv[2]);
	if (!fs_exists(path)) {
		sample_make(argv[2]);
		clock_fake(SAMPLE_NOW_S * 1000);
	}
	cfg.port = (uint16_t)atoi(argv[1]);
	cfg.state_dir = argv[2];
	cfg.db_path = path;
	cfg.archive_url = "https://lore.kernel.org/linux-mm/";
	if (web_start(&cfg, &ops, NULL, &web, &why)) {
		fprintf(stderr, "web-serve: %s\n", why.buf);
		return 1;
	}
	printf("http://127.0.0.1:%u/\n", web_port(web));
	fflush(stdout);
	sigwait(&set, &sig);
	web_stop(web);
	return 0;
}
