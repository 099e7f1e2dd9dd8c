// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "jobs/command.h"
#include "lib/json.h"

#define MAX_VALUE_BYTES 8192

/* Without comments and quotes; an open comment hides all that follows. */
static char *without_comments(const char *value)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	unsigned int depth = 0;
	bool quoted = false;

	for (size_t n = 0; *value && n < MAX_VALUE_BYTES; value++, n++) {
		if (*value == '\\' && value[1]) {
			value++;
			continue;
		}
		if (*value == '"' && !depth)
			quoted = !quoted;
		else if (*value == '(' && !quoted)
			depth++;
		else if (*value == ')' && !quoted && depth)
			depth--;
		else if (!depth && !quoted)
			strbuf_addch(&out, isspace((unsigned char)*value) ?
						   ' ' : *value);
	}
	return strbuf_detach(&out);
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " ");
}

/* Value of "name=value" in one result, up to a blank. */
static bool property(const char *result, const char *name, char *buf,
		     size_t size)
{
	size_t n = strlen(name);

	for (const char *p = result; (p = strcasestr(p, name)); p += n) {
		const char *v = skip_blanks(p + n);
		size_t len;

		if ((p > result && p[-1] != ' ') || *v != '=')
			continue;
		v = skip_blanks(v + 1);
		len = strcspn(v, " ");
		if (len >= size)
			return false;
		memcpy(buf, v, len);
		buf[len] = '\0';
		return true;
	}
	return false;
}

/* Is @domain the domain of the sender, or (@above) one above it? */
static bool covers(const char *domain, const char *of, bool above)
{
	size_t n, m = strlen(of);

	if (*domain == '@')
		domain++;
	n = strlen(domain);
	if (!strcasecmp(domain, of))
		return true;
	/* two labels at least: nobody speaks for a whole top-level domain */
	return above && strchr(domain, '.') && m > n + 1 &&
	       of[m - n - 1] == '.' && !strcasecmp(of + m - n, domain);
}

static bool result_proves(const char *result, const char *domain)
{
	char verdict[32], value[256];

	result = skip_blanks(result);
	if (property(result, "dmarc", verdict, sizeof(verdict)) &&
	    result == strcasestr(result, "dmarc") &&
	    !strcasecmp(verdict, "pass"))
		return property(result, "header.from", value, sizeof(value)) &&
		       covers(value, domain, false);
	if (property(result, "dkim", verdict, sizeof(verdict)) &&
	    result == strcasestr(result, "dkim") &&
	    !strcasecmp(verdict, "pass"))
		return property(result, "header.d", value, sizeof(value)) &&
		       covers(value, domain, true);
	return false;
}

static bool is_host(const char *value, const struct config_strings *hosts)
{
	size_t n;

	value = skip_blanks(value);
	n = strcspn(value, " ;");
	for (size_t i = 0; i < hosts->n; i++) {
		if (strlen(hosts->v[i]) == n &&
		    !strncasecmp(hosts->v[i], value, n))
			return true;
	}
	return false;
}

bool command_is_proved(const json_t *results,
		       const struct config_strings *hosts, const char *from,
		       struct strbuf *why)
{
	const char *at = strrchr(from, '@');
	const json_t *v;
	size_t i;

	if (!hosts->n) {
		strbuf_setf(why, "mail.command_hosts names no server");
		return false;
	}
	json_array_foreach(results, i, v) {
		char *text __free(kfree) = NULL;
		char *save = NULL;

		if (!json_is_string(v) || !at)
			continue;
		text = without_comments(json_string_value(v));
		if (!is_host(text, hosts))
			continue;
		strtok_r(text, ";", &save);
		for (char *r = strtok_r(NULL, ";", &save); r;
		     r = strtok_r(NULL, ";", &save)) {
			if (result_proves(r, at + 1))
				return true;
		}
		strbuf_setf(why, "the server does not vouch for %s", at + 1);
		return false;
	}
	strbuf_setf(why, "no server that we believe says who sent it");
	return false;
}
