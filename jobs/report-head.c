// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "jobs/eml.h"
#include "jobs/report-private.h"
#include "lib/clock.h"
#include "lib/json.h"

#define MAX_REFERENCES 20

static bool id_is_plain(const char *id)
{
	return *id && strlen(id) < 500 &&
	       strcspn(id, " \t\r\n<>") == strlen(id);
}

/* The thread from its first mail on, the answered one last (RFC 5322 3.6.4). */
static void references(const json_t *ctx, const json_t *answered,
		       struct strbuf *out)
{
	const json_t *refs = json_object_get(answered, "references"), *v;
	const char *top = json_get_str(json_object_get(ctx, "cover"),
				       "message_id", "");
	const char *irt = json_get_str(answered, "message_id", "");
	size_t n = json_array_size(refs), i;

	if (!n && *top && strcmp(top, irt) && id_is_plain(top))
		strbuf_addf(out, "<%s> ", top);
	/* nearest first, as struct mail has them */
	for (i = min(n, (size_t)MAX_REFERENCES); i--; ) {
		v = json_array_get(refs, i);
		if (json_is_string(v) && id_is_plain(json_string_value(v)))
			strbuf_addf(out, "<%s> ", json_string_value(v));
	}
	strbuf_addf(out, "<%s>", irt);
}

static void own_headers(const json_t *ctx, const json_t *judgement,
			struct strbuf *out)
{
	const json_t *version = json_object_get(ctx, "version");
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	/* RFC 3834: nobody's vacation program is to answer */
	eml_header(out, "Auto-Submitted", "auto-generated");
	eml_header(out, "Precedence", "bulk");
	strbuf_setf(&text, "%lld", (long long)json_get_int(version, "id", 0));
	eml_header(out, "X-Mmci-Series", text.buf);
	strbuf_setf(&text, "%lld",
		    (long long)json_get_int(version, "version", 1));
	eml_header(out, "X-Mmci-Series-Version", text.buf);
	eml_header(out, "X-Mmci-Verdict",
		   json_get_str(judgement, "verdict", ""));
	eml_header(out, "X-Mmci-Version", MMCI_VERSION);
}

void report_eml(const json_t *ctx, const json_t *judgement,
		const json_t *answered, const json_t *mail, const char *to,
		struct strbuf *out)
{
	const json_t *version = json_object_get(ctx, "version");
	const char *reply_to = json_get_str(ctx, "reply_to", "");
	const char *irt = json_get_str(mail, "in_reply_to", "");
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	char date[48];

	eml_header(out, "From", json_get_str(ctx, "from", ""));
	if (*reply_to)
		eml_header(out, "Reply-To", reply_to);
	strbuf_addstr(out, "To: ");
	eml_address(out, json_get_str(version, "author_name", ""), to);
	strbuf_addch(out, '\n');
	eml_header(out, "Subject", json_get_str(mail, "subject", ""));
	eml_header(out, "Date", clock_rfc5322(json_get_int(ctx, "date_s", 0),
					      date));
	strbuf_setf(&text, "<%s>", json_get_str(mail, "message_id", ""));
	eml_header(out, "Message-ID", text.buf);
	strbuf_setf(&text, "<%s>", irt);
	eml_header(out, "In-Reply-To", text.buf);
	strbuf_reset(&text);
	references(ctx, answered, &text);
	eml_header(out, "References", text.buf);
	own_headers(ctx, judgement, out);
	eml_body(out, json_get_str(mail, "body", ""));
}
