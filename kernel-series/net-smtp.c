// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/net-smtp.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <string.h>

#define CONNECT_TIMEOUT_S 30
#define MAX_ANSWER_BYTES 500

/*
 * libcurl tells the outcome of all recipients as one. Which of them the server
 * took stands in the conversation, which it shows to a debug function.
 */
struct talk {
	struct smtp_spec *spec;
	size_t read;
	struct smtp_rcpt *asked; /* RCPT that is not answered yet */
	bool mail_begun;
	bool given;
	bool quit; /* the answer to QUIT says nothing about the mail */
	int code; /* of the last answer after mail_begun */
	struct strbuf last;
};

static size_t on_read(char *buf, size_t size, size_t n, void *arg)
{
	struct talk *t = arg;
	size_t len = min(size * n, t->spec->len - t->read);

	if (!len && !t->given) {
		if (t->spec->given && t->spec->given(t->spec->arg))
			return CURL_READFUNC_ABORT;
		t->given = true;
		t->code = 0;
	}
	memcpy(buf, t->spec->mail + t->read, len);
	t->read += len;
	return len;
}

static void clean_line(const char *line, size_t len, struct strbuf *out)
{
	strbuf_reset(out);
	for (size_t i = 0; i < len && i < MAX_ANSWER_BYTES; i++)
		strbuf_addch(out, isprint((unsigned char)line[i]) ? line[i] :
								    ' ');
	strbuf_rtrim(out);
}

static void on_command(struct talk *t, const char *line, size_t len)
{
	struct smtp_spec *s = t->spec;

	t->asked = NULL;
	if (len >= 4 && !strncasecmp(line, "QUIT", 4))
		t->quit = true;
	if (len > 10 && !strncasecmp(line, "MAIL FROM:", 10))
		t->mail_begun = true;
	if (len < 9 || strncasecmp(line, "RCPT TO:<", 9))
		return;
	for (size_t i = 0; i < s->n_rcpts; i++) {
		size_t n = strlen(s->rcpts[i].email);

		if (len > 9 + n && !memcmp(line + 9, s->rcpts[i].email, n) &&
		    line[9 + n] == '>')
			t->asked = &s->rcpts[i];
	}
}

static void on_answer(struct talk *t, const char *line, size_t len)
{
	bool is_last = len >= 4 && line[3] == ' ';

	if (t->quit || len < 3 || !isdigit((unsigned char)line[0]) ||
	    !isdigit((unsigned char)line[1]) ||
	    !isdigit((unsigned char)line[2]))
		return;
	clean_line(line, len, &t->last);
	if (t->mail_begun)
		t->code = (line[0] - '0') * 100 + (line[1] - '0') * 10 +
			  (line[2] - '0');
	if (!t->asked)
		return;
	t->asked->code = t->code;
	strbuf_reset(&t->asked->answer);
	strbuf_addbuf(&t->asked->answer, &t->last);
	if (is_last)
		t->asked = NULL;
}

static int on_debug(CURL *curl, curl_infotype type, char *data, size_t len,
		    void *arg)
{
	if (type == CURLINFO_HEADER_OUT)
		on_command(arg, data, len);
	else if (type == CURLINFO_HEADER_IN)
		on_answer(arg, data, len);
	return 0;
}

static void set_up(CURL *curl, struct talk *t, struct curl_slist *to,
		   const char *from, char error[CURL_ERROR_SIZE])
{
	const struct smtp_spec *s = t->spec;

	curl_easy_setopt(curl, CURLOPT_URL, s->url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT,
			 (long)CONNECT_TIMEOUT_S);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)s->timeout_s);
	curl_easy_setopt(curl, CURLOPT_USE_SSL,
			 s->tls ? (long)CURLUSESSL_ALL : (long)CURLUSESSL_NONE);
	if (s->ca_file && *s->ca_file)
		curl_easy_setopt(curl, CURLOPT_CAINFO, s->ca_file);
	if (s->user && *s->user) {
		curl_easy_setopt(curl, CURLOPT_USERNAME, s->user);
		curl_easy_setopt(curl, CURLOPT_PASSWORD,
				 s->password ? s->password : "");
	}
	curl_easy_setopt(curl, CURLOPT_MAIL_FROM, from);
	curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, to);
	curl_easy_setopt(curl, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
	curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(curl, CURLOPT_READFUNCTION, on_read);
	curl_easy_setopt(curl, CURLOPT_READDATA, t);
	curl_easy_setopt(curl, CURLOPT_VERBOSE, 1L);
	curl_easy_setopt(curl, CURLOPT_DEBUGFUNCTION, on_debug);
	curl_easy_setopt(curl, CURLOPT_DEBUGDATA, t);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
}

static int judge(const struct talk *t, CURLcode rc, const char *error,
		 struct strbuf *why)
{
	/* the answer to the mail itself decides, whatever came after it */
	if (t->given && t->code >= 200 && t->code < 300) {
		strbuf_setf(why, "%s", t->last.buf);
		return SMTP_ACCEPTED;
	}
	if (t->given && !t->code) {
		strbuf_setf(why, "the server had the whole mail and did not "
			    "answer: %s", *error ? error :
			    curl_easy_strerror(rc));
		return SMTP_DOUBTFUL;
	}
	if (t->mail_begun && t->code >= 400) {
		strbuf_setf(why, "%s", t->last.buf);
		return t->code >= 500 ? SMTP_REFUSED : SMTP_DEFERRED;
	}
	strbuf_setf(why, "%s", *error ? error : curl_easy_strerror(rc));
	if (t->last.len && rc != CURLE_COULDNT_CONNECT)
		strbuf_addf(why, " (%s)", t->last.buf);
	return SMTP_DEFERRED;
}

int smtp_send(struct smtp_spec *spec, struct strbuf *why)
{
	struct talk t = { .spec = spec, .last = STRBUF_INIT };
	char *from __free(kfree) = xasprintf("<%s>", spec->from);
	struct curl_slist *to = NULL;
	char error[CURL_ERROR_SIZE] = "";
	CURL *curl;
	CURLcode rc;
	int r;

	if (!starts_with(spec->url, "smtp://") &&
	    !starts_with(spec->url, "smtps://")) {
		strbuf_setf(why, "smtp_url: expected smtp:// or smtps://");
		return -EINVAL;
	}
	curl = curl_easy_init();
	if (!curl)
		return -ENOMEM;
	for (size_t i = 0; i < spec->n_rcpts; i++) {
		char *one __free(kfree) =
			xasprintf("<%s>", spec->rcpts[i].email);

		to = curl_slist_append(to, one);
	}
	set_up(curl, &t, to, from, error);
	rc = curl_easy_perform(curl);
	r = judge(&t, rc, error, why);
	curl_easy_cleanup(curl);
	curl_slist_free_all(to);
	strbuf_release(&t.last);
	return r;
}
