// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/send.h"

#include <errno.h>
#include <string.h>
#include <sysexits.h>
#include <sys/wait.h>

#include "jobs/eml.h"
#include "jobs/send-private.h"
#include "kernel-series/net-smtp.h"
#include "lib/child.h"
#include "lib/fs.h"
#include "lib/hash.h"
#include "lib/json.h"

#define MAX_EML_BYTES (8u << 20)
#define MAX_SECRET_BYTES 1000

static void envelope_from(const char *from, struct strbuf *out)
{
	const char *open = strrchr(from, '<');

	from = open ? open + 1 : from;
	strbuf_add(out, from, strcspn(from, "> \t\r\n"));
}

json_t *send_request(const struct config *cfg, const char *eml,
		     const char *message_id, const json_t *recipients,
		     const char *marker)
{
	const struct config_mail *m = &cfg->mail;
	struct strbuf from __free(strbuf) = STRBUF_INIT;
	json_t *q = json_object(), *argv = json_array();

	envelope_from(m->from, &from);
	json_set_text(q, "transport", m->transport);
	json_set_text(q, "url", m->smtp_url);
	json_set_bool(q, "tls", !strcmp(m->smtp_tls, "required"));
	json_set_text(q, "ca_file", m->smtp_ca_file);
	json_set_text(q, "user", m->smtp_user);
	json_set_text(q, "password_file", m->smtp_password_file);
	json_set_text(q, "maildir", m->maildir);
	for (size_t i = 0; i < m->sendmail.n; i++)
		json_array_append_new(argv, json_text(m->sendmail.v[i]));
	json_object_set_new(q, "sendmail", argv);
	json_set_text(q, "from", from.buf);
	json_set_text(q, "eml", eml);
	json_set_text(q, "message_id", message_id);
	json_object_set(q, "recipients", (json_t *)recipients);
	json_set_text(q, "marker", marker);
	json_set_int(q, "timeout_s", m->timeout_s);
	return q;
}

static int mark(const char *marker, const char *stage, json_t *answer)
{
	json_t *o __free(json) = json_object();

	json_set_text(o, "stage", stage);
	if (answer)
		json_object_set(o, "answer", answer);
	return json_write_file(marker, o);
}

int send_recall(const char *marker, json_t **ret)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *o __free(json) = NULL, *answer;
	int r = json_read_file(marker, 1 << 20, &o, &why);

	*ret = NULL;
	if (r == -ENOENT)
		return SEND_NOT_GIVEN;
	answer = json_object_get(o, "answer");
	if (r || !json_is_object(answer))
		return SEND_GIVEN; /* also what cannot be read: be careful */
	*ret = json_incref(answer);
	return 0;
}

static int on_given(void *arg)
{
	return mark(arg, "given", NULL);
}

static void add_recipient(json_t *answer, const char *email, const char *state,
			  const char *text)
{
	json_t *o = json_object();

	json_set_text(o, "email", email);
	json_set_text(o, "state", state);
	json_set_text(o, "answer", text);
	json_array_append_new(json_object_get(answer, "recipients"), o);
}

static const char *const outcomes[] = {
	[SMTP_ACCEPTED] = "accepted",
	[SMTP_DEFERRED] = "deferred",
	[SMTP_REFUSED] = "refused",
	[SMTP_DOUBTFUL] = "doubtful",
};

static void tell_rcpt(json_t *answer, const struct smtp_rcpt *rcpt, int outcome,
		      const char *why)
{
	const char *text = rcpt->answer.len ? rcpt->answer.buf : why;
	const char *state = outcome == SMTP_REFUSED ? "refused" : "deferred";

	if (rcpt->code >= 500)
		state = "refused";
	else if (rcpt->code >= 400)
		state = "deferred";
	else if (outcome == SMTP_ACCEPTED && rcpt->code)
		state = "sent";
	add_recipient(answer, rcpt->email, state,
		      rcpt->code >= 400 ? text : why);
}

static int read_secret(const char *path, struct strbuf *out, struct strbuf *why)
{
	int r = *path ? fs_read_file(path, MAX_SECRET_BYTES, out) : 0;

	if (r)
		strbuf_setf(why, "%s: %s", path, strerror(-r));
	strbuf_rtrim(out);
	return r;
}

static int by_smtp(const json_t *q, const struct strbuf *crlf, json_t *answer,
		   struct strbuf *why)
{
	const json_t *to = json_object_get(q, "recipients");
	size_t n = json_array_size(to);
	struct smtp_rcpt *rcpts = xcalloc(n, sizeof(*rcpts));
	struct strbuf secret __free(strbuf) = STRBUF_INIT;
	struct smtp_spec spec = {
		.url = json_get_str(q, "url", ""),
		.tls = json_get_bool(q, "tls", true),
		.ca_file = json_get_str(q, "ca_file", ""),
		.user = json_get_str(q, "user", ""),
		.from = json_get_str(q, "from", ""),
		.rcpts = rcpts, .n_rcpts = n,
		.mail = crlf->buf, .len = crlf->len,
		.timeout_s = (unsigned int)json_get_int(q, "timeout_s", 120),
		.given = on_given,
		.arg = (void *)json_get_str(q, "marker", ""),
	};
	int r = read_secret(json_get_str(q, "password_file", ""), &secret, why);

	for (size_t i = 0; i < n; i++) {
		rcpts[i].email = json_string_value(json_array_get(to, i));
		strbuf_init(&rcpts[i].answer);
	}
	spec.password = secret.buf;
	if (!r)
		r = smtp_send(&spec, why);
	for (size_t i = 0; i < n; i++) {
		if (r >= 0)
			tell_rcpt(answer, &rcpts[i], r, why->buf);
		strbuf_release(&rcpts[i].answer);
	}
	free(rcpts);
	return r;
}

/* sysexits: only EX_TEMPFAIL is worth another try; a killed one may have sent */
static int sendmail_result(int status, struct strbuf *why)
{
	strbuf_addstr(why, "sendmail ended with ");
	child_describe(status, why);
	if (!WIFEXITED(status))
		return SMTP_DOUBTFUL;
	if (!WEXITSTATUS(status))
		return SMTP_ACCEPTED;
	return WEXITSTATUS(status) == EX_TEMPFAIL ? SMTP_DEFERRED :
						     SMTP_REFUSED;
}

static int by_sendmail(const json_t *q, const struct strbuf *lf, json_t *answer,
		       struct strbuf *why)
{
	const json_t *argv = json_object_get(q, "sendmail");
	const json_t *to = json_object_get(q, "recipients"), *v;
	size_t n = json_array_size(argv), i, k = 0;
	const char **args = xcalloc(n + json_array_size(to) + 4,
				    sizeof(*args));
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct child_spec spec = CHILD_SPEC_INIT;
	int status = 0, r;

	json_array_foreach(argv, i, v)
		args[k++] = json_string_value(v);
	args[k++] = "-f";
	args[k++] = json_get_str(q, "from", "");
	args[k++] = "--";
	json_array_foreach(to, i, v)
		args[k++] = json_string_value(v);
	spec.argv = args;
	r = on_given((void *)json_get_str(q, "marker", ""));
	if (!r)
		r = child_run(&spec, lf->buf, lf->len, &out, 1 << 16,
			      json_get_int(q, "timeout_s", 120) * 1000,
			      &status);
	free(args);
	if (r == -ETIMEDOUT || r == -EFBIG) {
		strbuf_setf(why, "sendmail was stopped: %s", strerror(-r));
		r = SMTP_DOUBTFUL;
	} else if (!r) {
		r = sendmail_result(status, why);
	}
	json_array_foreach(to, i, v) {
		if (r >= 0)
			add_recipient(answer, json_string_value(v),
				      r == SMTP_ACCEPTED ? "sent" :
				      r == SMTP_REFUSED ? "refused" :
							  "deferred",
				      why->buf);
	}
	return r;
}

static int maildir_put(const char *dir, const char *name,
		       const struct strbuf *lf)
{
	char *tmp __free(kfree) = xasprintf("%s/tmp/%s", dir, name);
	char *path __free(kfree) = xasprintf("%s/new/%s", dir, name);
	char *seen __free(kfree) = xasprintf("%s/cur/%s:2,S", dir, name);
	char *cur __free(kfree) = xasprintf("%s/cur", dir);
	int r = fs_mkdir_parent(tmp);

	if (!r)
		r = fs_mkdir_parent(path);
	if (!r)
		r = fs_mkdir_p(cur);
	if (r || fs_exists(seen) || fs_exists(path))
		return r;
	r = fs_write_atomic(tmp, lf->buf, lf->len);
	if (!r && link(tmp, path) && errno != EEXIST)
		r = -errno;
	unlink(tmp);
	return r;
}

static int by_maildir(const json_t *q, const struct strbuf *lf, json_t *answer,
		      struct strbuf *why)
{
	const char *id = json_get_str(q, "message_id", "");
	const json_t *v;
	char hex[HASH_HEX_LEN + 1];
	size_t i;
	int r;

	hash_hex(id, strlen(id), hex);
	r = maildir_put(json_get_str(q, "maildir", ""), hex, lf);
	strbuf_setf(why, "%s", r ? strerror(-r) : "put into the maildir");
	json_array_foreach(json_object_get(q, "recipients"), i, v)
		add_recipient(answer, json_string_value(v),
			      r ? "deferred" : "sent", why->buf);
	return r ? SMTP_DEFERRED : SMTP_ACCEPTED;
}

void send_crlf(const struct strbuf *lf, struct strbuf *out)
{
	for (size_t i = 0; i < lf->len; i++) {
		if (lf->buf[i] == '\r')
			continue;
		if (lf->buf[i] == '\n')
			strbuf_addch(out, '\r');
		strbuf_addch(out, lf->buf[i]);
	}
	if (!ends_with(out->buf, "\r\n"))
		strbuf_addstr(out, "\r\n");
}

static int check(const json_t *q, struct strbuf *why)
{
	const json_t *to = json_object_get(q, "recipients"), *v;
	size_t i;

	json_array_foreach(to, i, v) {
		if (!json_is_string(v) ||
		    !eml_email_is_safe(json_string_value(v))) {
			strbuf_setf(why, "recipient %zu is no plain address",
				    i + 1);
			return -EINVAL;
		}
	}
	if (json_array_size(to) &&
	    eml_email_is_safe(json_get_str(q, "from", "")))
		return 0;
	strbuf_setf(why, "mail.from has no plain address, or nobody is to get "
			 "the mail");
	return -EINVAL;
}

int send_mail(const json_t *request, json_t **ret, struct strbuf *why)
{
	const char *transport = json_get_str(request, "transport", "");
	const char *path = json_get_str(request, "eml", "");
	struct strbuf lf __free(strbuf) = STRBUF_INIT;
	struct strbuf crlf __free(strbuf) = STRBUF_INIT;
	json_t *answer __free(json) = json_object();
	int r = check(request, why);

	if (r)
		return r;
	json_object_set_new(answer, "recipients", json_array());
	r = fs_read_file(path, MAX_EML_BYTES, &lf);
	if (r) {
		strbuf_setf(why, "%s: %s", path, strerror(-r));
		return r;
	}
	if (!strcmp(transport, "smtp")) {
		send_crlf(&lf, &crlf);
		r = by_smtp(request, &crlf, answer, why);
	} else if (!strcmp(transport, "sendmail")) {
		r = by_sendmail(request, &lf, answer, why);
	} else if (!strcmp(transport, "maildir")) {
		r = by_maildir(request, &lf, answer, why);
	} else {
		strbuf_setf(why, "there is no transport \"%s\"", transport);
		r = -EINVAL;
	}
	if (r < 0)
		return r;
	json_set_text(answer, "outcome", outcomes[r]);
	json_set_text(answer, "answer", why->buf);
	/* without it the marker still says "given", which is careful enough */
	mark(json_get_str(request, "marker", ""), "answered", answer);
	*ret = no_free_ptr(answer);
	return 0;
}
