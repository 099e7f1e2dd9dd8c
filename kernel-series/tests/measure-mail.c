// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kernel-series/mail.h"
#include "kernel-series/mbox.h"
#include "lib/fs.h"

/*
 * measure-mail COUNT MBOX...: read COUNT mails, the same ones again and again,
 * and say what one second of CPU time is worth. With -j also made JSON.
 */
static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t load(char **files, struct strbuf **ret)
{
	size_t nr = 0;

	for (; *files; files++) {
		struct strbuf in __free(strbuf) = STRBUF_INIT;
		struct mbox mb;

		if (fs_read_file(*files, 1 << 30, &in))
			continue;
		mbox_init(&mb, in.buf, in.len);
		for (;;) {
			*ret = xrealloc_array(*ret, nr + 1, sizeof(**ret));
			strbuf_init(&(*ret)[nr]);
			if (!mbox_next(&mb, &(*ret)[nr]))
				break;
			nr++;
		}
	}
	return nr;
}

int main(int argc, char **argv)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct strbuf *mails = NULL;
	bool as_json = argc > 1 && !strcmp(argv[1], "-j");
	long count, refused = 0;
	size_t nr, bytes = 0;
	double s;

	argv += as_json ? 2 : 1;
	if (!*argv || !argv[1])
		return 2;
	count = strtol(*argv, NULL, 10);
	nr = load(argv + 1, &mails);
	if (!nr)
		return 2;
	s = cpu_s();
	for (long i = 0; i < count; i++) {
		const struct strbuf *in = &mails[(size_t)i % nr];
		struct mail *m __free(mail) = NULL;
		json_t *fields;

		bytes += in->len;
		if (mail_parse(in->buf, in->len, &m, &why)) {
			refused++;
		} else if (as_json) {
			fields = mail_to_json(m);
			free(json_dumps(fields, JSON_COMPACT));
			json_decref(fields);
		}
	}
	s = cpu_s() - s;
	printf("%ld mails, %ld refused, %zu distinct, %.1f MB: %.2f s, "
	       "%.0f mails/s\n",
	       count, refused, nr, (double)bytes / 1e6, s, (double)count / s);
	for (size_t i = 0; i < nr; i++)
		strbuf_release(&mails[i]);
	free(mails);
	return 0;
}
