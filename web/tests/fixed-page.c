// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the HTTP library alone can do: it answers every request with the same
 * page, set up as web/http.c sets it up. The measure of load compares with it.
 *
 *	fixed-page PORT BYTES THREADS
 */
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct MHD_Response *page;

static enum MHD_Result answer(void *arg, struct MHD_Connection *c,
			      const char *url, const char *method,
			      const char *version, const char *upload_data,
			      size_t *upload_len, void **req)
{
	return MHD_queue_response(c, 200, page);
}

int main(int argc, char **argv)
{
	struct MHD_Daemon *d;
	sigset_t set;
	size_t len;
	char *text;
	int sig;

	if (argc != 4) {
		fprintf(stderr, "usage: fixed-page PORT BYTES THREADS\n");
		return 2;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	len = strtoul(argv[2], NULL, 10);
	text = malloc(len + 1);
	if (!text)
		return 1;
	memset(text, 'x', len);
	page = MHD_create_response_from_buffer(len, text,
					       MHD_RESPMEM_PERSISTENT);
	MHD_add_response_header(page, "Content-Type",
				"text/html; charset=utf-8");
	d = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD,
			     (uint16_t)atoi(argv[1]), NULL, NULL, answer, NULL,
			     MHD_OPTION_THREAD_POOL_SIZE,
			     (unsigned int)atoi(argv[3]),
			     MHD_OPTION_CONNECTION_LIMIT, 768U,
			     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768,
			     MHD_OPTION_END);
	if (!d) {
		perror("fixed-page");
		return 1;
	}
	sigwait(&set, &sig);
	MHD_stop_daemon(d);
	MHD_destroy_response(page);
	free(text);
	return 0;
}
