// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/mail.h"

#include <ctype.h>
#include <errno.h>
#include <gmime/gmime.h>
#include <string.h>
#include <strings.h>

/*
 * Headers are split and addresses read here, in loops: that is quick, and
 * no nesting of a stranger's choice reaches a parser that recurses. GMime does
 * what is hard: encoded words, charsets, transfer encodings and multiparts.
 */

#define MAX_HEADER_BLOCK (512 << 10)
#define MAX_HEADERS 4000
#define MAX_REFERENCES 1000
/* Reply chains are long, ids are not. */
#define MAX_ID_LEN 996

static void init_once(void)
{
	static bool done;

	if (done)
		return;
	g_mime_init();
	done = true;
}

static void unfold(struct strbuf *sb, const char *p, size_t len)
{
	size_t from = sb->len;

	strbuf_add(sb, p, len);
	/* NUL would end the string, a control byte garble a page */
	for (char *q = sb->buf + from; q < sb->buf + sb->len; q++)
		if ((unsigned char)*q < ' ' || *q == 127)
			*q = ' ';
}

static void add_header(struct mail *m, const char *name, size_t name_len,
		       struct strbuf *value)
{
	struct mail_header h;
	const char *v = value->buf;

	if (m->nr_headers >= MAX_HEADERS) {
		strbuf_reset(value);
		return;
	}
	strbuf_rtrim(value);
	v += strspn(v, " ");
	h.name = xstrndup(name, name_len);
	h.value = xstrdup(v);
	strbuf_reset(value);
	if (!(m->nr_headers & (m->nr_headers - 1)))
		m->headers = xrealloc_array(
			m->headers, m->nr_headers ? m->nr_headers * 2 : 8,
			sizeof(*m->headers));
	m->headers[m->nr_headers++] = h;
}

/* Length of a field name at the beginning of a line, 0 if there is none. */
static size_t field_name(const char *p, size_t len)
{
	size_t n = 0, blanks;

	while (n < len && (unsigned char)p[n] > ' ' && p[n] != ':' &&
	       p[n] != 127)
		n++;
	for (blanks = n; blanks < len && p[blanks] == ' '; blanks++)
		;
	return n && blanks < len && p[blanks] == ':' ? n : 0;
}

/*
 * Split the header block. Lines that are no header are skipped, as "From " and
 * ">From " lines are: a mail is not lost for one bad line. Gives the offset of
 * the body in @body.
 */
static int split_headers(struct mail *m, const char *raw, size_t len,
			 size_t *body, struct strbuf *why)
{
	struct strbuf value __free(strbuf) = STRBUF_INIT;
	const char *name = NULL;
	size_t name_len = 0, at = 0;

	while (at < len) {
		const char *p = raw + at;
		const char *nl = memchr(p, '\n', len - at);
		size_t n = nl ? (size_t)(nl - p) : len - at, colon;

		at += n + (nl ? 1 : 0);
		if (n && p[n - 1] == '\r')
			n--;
		if (!n)
			break;
		if (name && (*p == ' ' || *p == '\t')) {
			unfold(&value, p, n);
		} else {
			if (name)
				add_header(m, name, name_len, &value);
			name = NULL;
			name_len = field_name(p, n);
			if (!name_len)
				continue;
			name = p;
			colon = (size_t)((const char *)memchr(p, ':', n) - p);
			unfold(&value, p + colon + 1, n - colon - 1);
		}
		if (value.len > MAIL_MAX_HEADER_BYTES ||
		    at > MAX_HEADER_BLOCK) {
			strbuf_setf(why, "a header of more than %d KiB",
				    MAIL_MAX_HEADER_BYTES >> 10);
			return MAIL_REFUSED;
		}
	}
	if (name)
		add_header(m, name, name_len, &value);
	*body = at;
	return 0;
}

const char *mail_header(const struct mail *m, const char *name)
{
	/* the first letter settles most: mails have dozens of headers */
	for (size_t i = 0; i < m->nr_headers; i++)
		if ((m->headers[i].name[0] | 0x20) == (*name | 0x20) &&
		    !strcasecmp(m->headers[i].name, name))
			return m->headers[i].value;
	return NULL;
}

static bool is_repeated(const struct mail *m, const char *name)
{
	int n = 0;

	for (size_t i = 0; i < m->nr_headers; i++)
		n += (m->headers[i].name[0] | 0x20) == (*name | 0x20) &&
		     !strcasecmp(m->headers[i].name, name);
	return n > 1;
}

char *mail_decode_words(const char *value)
{
	struct strbuf sb = STRBUF_INIT;
	char *words;

	if (!strstr(value, "=?")) {
		strbuf_add_utf8(&sb, value, strlen(value));
		return strbuf_detach(&sb);
	}
	init_once();
	words = g_mime_utils_header_decode_text(NULL, value);
	if (words)
		strbuf_add_utf8(&sb, words, strlen(words));
	g_free(words);
	return strbuf_detach(&sb);
}

/* Decoded, with runs of blanks as one: what a person sees as the subject. */
static char *read_subject(const char *value)
{
	char *s = mail_decode_words(value), *out = s;

	for (char *in = s; *in; in++) {
		char c = (unsigned char)*in <= ' ' || *in == 127 ? ' ' : *in;

		if (c == ' ' && (out == s || out[-1] == ' '))
			continue;
		*out++ = c;
	}
	if (out > s && out[-1] == ' ')
		out--;
	*out = '\0';
	return s;
}

/* Ids are compared and shown: no blanks, no brackets, valid UTF-8. */
static char *clean_id(const char *p, size_t len)
{
	struct strbuf sb = STRBUF_INIT;
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < len && sb.len < MAX_ID_LEN; i++)
		if (!isspace((unsigned char)p[i]) && p[i] != '<' &&
		    p[i] != '>')
			strbuf_addch(&sb, p[i]);
	strbuf_add_utf8(&out, sb.buf, sb.len);
	strbuf_release(&sb);
	return strbuf_detach(&out);
}

/* The next "<...>" from *@p on; NULL if there is none. */
static char *next_id(const char **p)
{
	const char *open = strchr(*p, '<'), *close;
	char *id;

	while (open) {
		close = strchr(open, '>');
		if (!close)
			return NULL;
		*p = close + 1;
		id = clean_id(open + 1, (size_t)(close - open - 1));
		if (*id)
			return id;
		free(id);
		open = strchr(*p, '<');
	}
	return NULL;
}

static void read_message_id(struct mail *m)
{
	const char *v = mail_header(m, "Message-ID"), *p = v;

	if (!v)
		return;
	m->message_id = next_id(&p);
	if (m->message_id)
		return;
	/* not of the form <id>: better an odd key than a lost mail */
	m->message_id = clean_id(v, strcspn(v, " \t"));
	if (!*m->message_id) {
		free(m->message_id);
		m->message_id = NULL;
		return;
	}
	m->message_id_raw = xstrndup(v, strcspn(v, " \t"));
}

static void add_reference(struct mail *m, char *id)
{
	for (size_t i = 0; i < m->nr_references; i++) {
		if (!strcmp(m->references[i], id)) {
			free(id);
			return;
		}
	}
	m->references[m->nr_references++] = id;
}

static size_t count_ids(const char *value)
{
	size_t n = 0;

	for (; value && (value = strchr(value, '<')); value++)
		n++;
	return min(n, (size_t)MAX_REFERENCES);
}

static void read_references(struct mail *m)
{
	const char *reply = mail_header(m, "In-Reply-To");
	const char *refs = mail_header(m, "References");
	size_t max = count_ids(refs), nr = 0;
	char **ids = xcalloc(max + 1, sizeof(*ids));
	char *id;

	m->references = xcalloc(max + 2, sizeof(*m->references));
	if (reply) {
		id = next_id(&reply);
		if (id) {
			m->in_reply_to = xstrdup(id);
			add_reference(m, id);
		}
	}
	while (refs && nr < max && (id = next_id(&refs)))
		ids[nr++] = id;
	while (nr)
		add_reference(m, ids[--nr]);
	free(ids);
	if (!m->in_reply_to && m->nr_references)
		m->in_reply_to = xstrdup(m->references[0]);
}

static int two_digits(const char **p)
{
	int v = 0, n = 0;

	while (isdigit((unsigned char)**p) && n < 2) {
		v = v * 10 + (**p - '0');
		(*p)++;
		n++;
	}
	return n ? v : -1;
}

static int month_of(const char *p)
{
	static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";

	for (int i = 0; i < 12; i++)
		if (!strncasecmp(p, names + 3 * i, 3))
			return i;
	return -1;
}

/* "+0200", or a name, which counts as UTC: nobody agrees what EST is. */
static long zone_seconds(const char *p)
{
	long v;
	char *end;

	if (*p != '+' && *p != '-')
		return 0;
	v = strtol(p + 1, &end, 10);
	if (end - p != 5 || v > 1400 || v % 100 >= 60)
		return 0;
	v = (v / 100) * 3600 + (v % 100) * 60;
	return *p == '-' ? -v : v;
}

bool mail_parse_date(const char *value, int64_t *ret_s)
{
	const char *p = value + strspn(value, " \t");
	struct tm tm = { 0 };
	long year;
	char *end;

	if (isalpha((unsigned char)*p)) {
		p += strcspn(p, ", \t");
		p += strspn(p, ", \t");
	}
	tm.tm_mday = two_digits(&p);
	p += strspn(p, " \t-");
	tm.tm_mon = month_of(p);
	if (tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_mon < 0)
		return false;
	p += strcspn(p, " \t-");
	p += strspn(p, " \t-");
	year = strtol(p, &end, 10);
	if (end == p || year < 0)
		return false;
	if (end - p <= 3)
		year += year < 50 ? 2000 : 1900;
	/* a mail from before mail, or from after its readers, has no date */
	if (year < 1970 || year > 2200)
		return false;
	tm.tm_year = (int)year - 1900;
	p = end + strspn(end, " \t");
	tm.tm_hour = two_digits(&p);
	if (tm.tm_hour < 0 || tm.tm_hour > 23 || *p++ != ':')
		return false;
	tm.tm_min = two_digits(&p);
	if (tm.tm_min < 0 || tm.tm_min > 59)
		return false;
	if (*p == ':') {
		p++;
		tm.tm_sec = two_digits(&p);
		if (tm.tm_sec < 0 || tm.tm_sec > 60)
			return false;
	}
	p += strspn(p, " \t");
	*ret_s = timegm(&tm) - zone_seconds(p);
	return *ret_s >= 0;
}

/* Parameter @name of a Content-Type or -Disposition value, or NULL. */
static char *mime_param(const char *value, const char *name)
{
	size_t n = strlen(name);
	const char *p = value;

	while ((p = strchr(p, ';'))) {
		p += 1 + strspn(p + 1, " \t");
		if (strncasecmp(p, name, n))
			continue;
		p += n + strspn(p + n, " \t");
		if (*p != '=')
			continue;
		p += 1 + strspn(p + 1, " \t");
		if (*p == '"')
			return xstrndup(p + 1, strcspn(p + 1, "\""));
		return xstrndup(p, strcspn(p, "; \t"));
	}
	return NULL;
}

/* Append @len bytes with CRLF made LF, as git does with a mail's lines. */
static void add_lf(struct strbuf *sb, const char *p, size_t len, bool *crlf)
{
	while (len) {
		const char *cr = memchr(p, '\r', len);
		size_t n = cr ? (size_t)(cr - p) : len;

		strbuf_add(sb, p, n);
		p += n;
		len -= n;
		if (!len)
			break;
		if (len > 1 && p[1] == '\n')
			*crlf = true;
		else
			strbuf_addch(sb, '\r');
		p++;
		len--;
	}
}

static void decode_transfer(struct strbuf *out, const char *p, size_t len,
			    const char *encoding)
{
	GMimeContentEncoding type = GMIME_CONTENT_ENCODING_DEFAULT;
	GMimeEncoding state;
	size_t n;

	if (encoding && strcasestr(encoding, "quoted-printable"))
		type = GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE;
	else if (encoding && strcasestr(encoding, "base64"))
		type = GMIME_CONTENT_ENCODING_BASE64;
	if (type == GMIME_CONTENT_ENCODING_DEFAULT) {
		strbuf_add(out, p, len);
		return;
	}
	init_once();
	g_mime_encoding_init_decode(&state, type);
	strbuf_grow(out, g_mime_encoding_outlen(&state, len) + 1);
	n = g_mime_encoding_step(&state, p, len, out->buf + out->len);
	out->len += n;
	out->buf[out->len] = '\0';
}

static bool is_patch_name(const char *name)
{
	return name && (ends_with(name, ".patch") || ends_with(name, ".diff"));
}

static bool is_patch_type(const char *type)
{
	return strcasestr(type, "x-patch") || strcasestr(type, "x-diff") ||
	       strcasestr(type, "text/patch");
}

/* One leaf of the mail, decoded; @type is "text/plain" and the like. */
static void add_part(struct mail *m, const char *type, const char *charset,
		     const char *filename, bool attachment,
		     const struct strbuf *bytes)
{
	bool patch = is_patch_type(type) ||
		     (is_patch_name(filename) &&
		      (attachment || strncasecmp(type, "text/plain", 10)));

	if (!strncasecmp(type, "text/html", 9)) {
		m->html_only = !m->text.len;
		return;
	}
	if (patch) {
		if (!m->attached.len)
			add_lf(&m->attached, bytes->buf, bytes->len,
			       &m->crlf);
		return;
	}
	if (strncasecmp(type, "text/", 5))
		return;
	if (attachment && m->text.len)
		return;
	m->html_only = false;
	if (!m->charset && charset)
		m->charset = xstrdup(charset);
	if (m->text.len && m->text.buf[m->text.len - 1] != '\n')
		strbuf_addch(&m->text, '\n');
	add_lf(&m->text, bytes->buf, bytes->len, &m->crlf);
}

static void add_gmime_part(GMimeObject *parent, GMimeObject *part,
			   gpointer data)
{
	struct strbuf bytes __free(strbuf) = STRBUF_INIT;
	GMimeContentType *ct = g_mime_object_get_content_type(part);
	GMimeDataWrapper *content;
	GMimeStream *mem;
	GByteArray *array;
	const char *disposition, *format, *filename;
	struct mail *m = data;
	char *type;

	if (!GMIME_IS_PART(part) || !ct)
		return;
	content = g_mime_part_get_content(GMIME_PART(part));
	if (!content)
		return;
	type = g_mime_content_type_get_mime_type(ct);
	mem = g_mime_stream_mem_new();
	g_mime_data_wrapper_write_to_stream(content, mem);
	array = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(mem));
	strbuf_add(&bytes, array->data, array->len);
	g_object_unref(mem);
	disposition = g_mime_object_get_disposition(part);
	format = g_mime_content_type_get_parameter(ct, "format");
	filename = g_mime_part_get_filename(GMIME_PART(part));
	if (format && !strcasecmp(format, "flowed") && !m->text.len) {
		m->flowed = true;
		format = g_mime_content_type_get_parameter(ct, "delsp");
		m->delsp = format && !strcasecmp(format, "yes");
	}
	add_part(m, type, g_mime_content_type_get_parameter(ct, "charset"),
		 filename, disposition && !strcasecmp(disposition, "attachment"),
		 &bytes);
	g_free(type);
}

/* GMime stops at a depth of 1024 parts; forwarded mails stay closed. */
static void read_multipart(struct mail *m, const char *raw, size_t len)
{
	GMimeStream *stream;
	GMimeParser *parser;
	GMimeMessage *msg;

	init_once();
	stream = g_mime_stream_mem_new_with_buffer(raw, len);
	parser = g_mime_parser_new_with_stream(stream);
	g_mime_parser_set_format(parser, GMIME_FORMAT_MESSAGE);
	msg = g_mime_parser_construct_message(parser, NULL);
	if (msg) {
		g_mime_message_foreach(msg, add_gmime_part, m);
		g_object_unref(msg);
	}
	g_object_unref(parser);
	g_object_unref(stream);
}

/* RFC 3676: one blank of stuffing goes, lines that end in a blank go on. */
void mail_unflow(const struct strbuf *in, bool delsp, struct strbuf *out)
{
	size_t at = 0;

	while (at < in->len) {
		const char *p = in->buf + at;
		const char *nl = memchr(p, '\n', in->len - at);
		size_t n = nl ? (size_t)(nl - p) : in->len - at;
		bool quoted = n && *p == '>';
		bool sig = n == 3 && !memcmp(p, "-- ", 3);

		at += n + (nl ? 1 : 0);
		if (!quoted && n && *p == ' ') {
			p++;
			n--;
		}
		/* quotes are left as they are: nobody reads them for data */
		if (!nl || quoted || sig || !n || p[n - 1] != ' ') {
			strbuf_add(out, p, n);
			if (nl)
				strbuf_addch(out, '\n');
		} else {
			strbuf_add(out, p, n - delsp);
		}
	}
}

static bool is_utf8(const char *charset)
{
	return !charset || !strcasecmp(charset, "utf-8") ||
	       !strcasecmp(charset, "us-ascii") ||
	       !strcasecmp(charset, "utf8") || !strcasecmp(charset, "ascii");
}

static void make_display(struct mail *m)
{
	struct strbuf joined __free(strbuf) = STRBUF_INIT;
	const struct strbuf *from = &m->text;
	char *utf8 = NULL;
	size_t n = 0;

	if (m->flowed) {
		mail_unflow(&m->text, m->delsp, &joined);
		from = &joined;
	}
	if (!is_utf8(m->charset)) {
		utf8 = g_convert_with_fallback(from->buf, (gssize)from->len,
					       "UTF-8", m->charset, "?", NULL,
					       &n, NULL);
	}
	if (utf8)
		strbuf_add_utf8(&m->display, utf8, n);
	else
		strbuf_add_utf8(&m->display, from->buf, from->len);
	g_free(utf8);
}

static void read_single(struct mail *m, const char *type, const char *p,
			size_t len)
{
	struct strbuf bytes __free(strbuf) = STRBUF_INIT;
	char *charset __free(kfree) = mime_param(type, "charset");
	char *format __free(kfree) = mime_param(type, "format");
	char *name __free(kfree) = mime_param(type, "name");
	char *delsp __free(kfree) = mime_param(type, "delsp");

	m->delsp = delsp && !strcasecmp(delsp, "yes");
	m->flowed = format && !strcasecmp(format, "flowed");
	decode_transfer(&bytes, p, len,
			mail_header(m, "Content-Transfer-Encoding"));
	add_part(m, type, charset, name, false, &bytes);
}

static void read_body(struct mail *m, const char *raw, size_t len, size_t at)
{
	const char *type = mail_header(m, "Content-Type");

	if (!type || !strchr(type, '/'))
		type = "text/plain";
	if (!strncasecmp(type, "multipart/", 10))
		read_multipart(m, raw, len);
	else
		read_single(m, type, raw + at, len - at);
	make_display(m);
}

static void read_addrs(struct mail *m, const char *name,
		       struct mail_addrs *ret)
{
	for (size_t i = 0; i < m->nr_headers; i++)
		if (!strcasecmp(m->headers[i].name, name))
			mail_addrs_parse(m->headers[i].value, ret);
}

/* The first mailbox of a header, moved out of the list. */
static void read_one_addr(struct mail *m, const char *name,
			  struct mail_addr *ret)
{
	struct mail_addrs list = { 0 };
	const char *v = mail_header(m, name);

	if (v)
		mail_addrs_parse(v, &list);
	if (list.nr) {
		*ret = list.v[0];
		list.v[0] = (struct mail_addr){ 0 };
	}
	mail_addrs_release(&list);
}

/* Written by a program: never an answer to answer. */
static bool is_machine(const struct mail *m)
{
	const char *v = mail_header(m, "Auto-Submitted");
	const char *name = m->from.name ? m->from.name : "";
	const char *email = m->from.email ? m->from.email : "";
	size_t n = strlen(name);

	if (v && strncasecmp(v, "no", 2))
		return true;
	v = mail_header(m, "Precedence");
	if (v && (!strcasecmp(v, "auto_reply") || !strcasecmp(v, "junk")))
		return true;
	if (!strncasecmp(email, "mailer-daemon@", 14) ||
	    !strncasecmp(email, "noreply", 7) ||
	    !strncasecmp(email, "no-reply", 8) ||
	    !strncasecmp(email, "syzbot", 6) || !strcasecmp(email, "lkp@intel.com"))
		return true;
	if (strcasestr(name, "robot") || strcasestr(name, "syzbot"))
		return true;
	return n > 3 && !strcasecmp(name + n - 3, "bot") &&
	       strchr("-_ .", name[n - 4]);
}

static void read_fields(struct mail *m)
{
	static const char *const once[] = { "From", "Subject", "Message-ID",
					    "Date" };
	const char *v;

	for (size_t i = 0; i < ARRAY_SIZE(once); i++)
		m->repeated |= is_repeated(m, once[i]);
	read_message_id(m);
	read_references(m);
	v = mail_header(m, "Date");
	m->has_date = v && mail_parse_date(v, &m->date_s);
	v = mail_header(m, "Subject");
	m->subject = read_subject(v ? v : "");
	subject_parse(m->subject, &m->subj);
	read_one_addr(m, "From", &m->from);
	read_one_addr(m, "Sender", &m->sender);
	read_addrs(m, "To", &m->to);
	read_addrs(m, "Cc", &m->cc);
	v = mail_header(m, "List-Id");
	if (v && *v) {
		const char *open = strrchr(v, '<');

		m->list_id = open ? xstrndup(open + 1, strcspn(open + 1, ">")) :
				    xstrdup(v);
	}
	m->x_stable = xstrdup(mail_header(m, "X-stable"));
	m->x_kerneltest_branch = xstrdup(mail_header(m,
						     "X-KernelTest-Branch"));
	m->machine = is_machine(m);
}

/* A leading "From " line is the archive's, not the mail's. */
static void skip_from_line(const char **raw, size_t *len)
{
	const char *nl;

	if (*len < 5 || memcmp(*raw, "From ", 5))
		return;
	nl = memchr(*raw, '\n', *len);
	if (!nl)
		nl = *raw + *len - 1;
	*len -= (size_t)(nl + 1 - *raw);
	*raw = nl + 1;
}

int mail_parse_lenient(const void *raw, size_t len, struct mail **ret,
		       struct strbuf *why)
{
	struct mail *m __free(mail) = xcalloc(1, sizeof(*m));
	const char *p = raw;
	size_t body = 0;
	int r;

	*ret = NULL;
	strbuf_init(&m->text);
	strbuf_init(&m->display);
	strbuf_init(&m->attached);
	strbuf_init(&m->diff.text);
	if (len > MAIL_MAX_BYTES) {
		strbuf_setf(why, "%zu bytes, more than %d MiB", len,
			    MAIL_MAX_BYTES >> 20);
		return MAIL_REFUSED;
	}
	skip_from_line(&p, &len);
	r = split_headers(m, p, len, &body, why);
	if (r)
		return r;
	read_fields(m);
	read_body(m, p, len, body);
	mail_scan_text(m);
	*ret = no_free_ptr(m);
	return 0;
}

int mail_parse(const void *raw, size_t len, struct mail **ret,
	       struct strbuf *why)
{
	int r = mail_parse_lenient(raw, len, ret, why);
	const char *problem = NULL;

	if (r)
		return r;
	if (!mail_header(*ret, "From"))
		problem = "no From header";
	else if (!(*ret)->from.email || !*(*ret)->from.email)
		problem = "From holds no mail address";
	else if (!(*ret)->message_id)
		problem = "no Message-ID";
	if (!problem)
		return 0;
	strbuf_setf(why, "%s", problem);
	mail_free(*ret);
	*ret = NULL;
	return MAIL_REFUSED;
}

static void addr_release(struct mail_addr *a)
{
	free(a->name);
	free(a->email);
}

void mail_free(struct mail *m)
{
	if (!m)
		return;
	free(m->message_id);
	free(m->message_id_raw);
	free(m->in_reply_to);
	for (size_t i = 0; i < m->nr_references; i++)
		free(m->references[i]);
	free(m->references);
	free(m->subject);
	subject_release(&m->subj);
	addr_release(&m->from);
	addr_release(&m->sender);
	mail_addrs_release(&m->to);
	mail_addrs_release(&m->cc);
	free(m->list_id);
	for (size_t i = 0; i < m->nr_headers; i++) {
		free(m->headers[i].name);
		free(m->headers[i].value);
	}
	free(m->headers);
	strbuf_release(&m->text);
	free(m->charset);
	strbuf_release(&m->display);
	strbuf_release(&m->attached);
	diff_release(&m->diff);
	trailers_release(&m->trailers);
	free(m->diffstat);
	free(m->pull_url);
	free(m->base_commit);
	free(m->prerequisites);
	trailers_release(&m->depends_on);
	trailers_release(&m->based_on);
	trailers_release(&m->supersedes);
	free(m->change_id);
	free(m->x_stable);
	free(m->x_kerneltest_branch);
	free(m);
}
