// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/form.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "lib/json.h"
#include "lib/strbuf.h"
#include "web/request.h"

#define MAX_FIELDS 100

static int unescape(char *s)
{
	for (char *p = s; *p; p++) {
		if (*p == '+')
			*p = ' ';
	}
	return request_unescape(s);
}

int form_urlencoded(const char *body, size_t len, json_t **ret)
{
	json_t *o __free(json) = json_object();
	const char *pos = body, *end = body + len;
	int n = 0;

	if (len && memchr(body, '\0', len))
		return -EINVAL;
	while (pos < end) {
		const char *stop = memchr(pos, '&', (size_t)(end - pos));
		size_t n_bytes = (size_t)((stop ? stop : end) - pos);
		char *name __free(kfree) = xstrndup(pos, n_bytes);
		char *value = strchr(name, '=');

		if (value)
			*value++ = '\0';
		if (unescape(name) || (value && unescape(value)))
			return -EINVAL;
		if (++n > MAX_FIELDS)
			return -E2BIG;
		/* a JSON key must be UTF-8: what is not has no name we know */
		if (n_bytes && *name) {
			json_t *key __free(json) = json_text(name);

			json_set_text(o, json_string_value(key),
				      value ? value : "");
		}
		pos += n_bytes + 1;
	}
	*ret = no_free_ptr(o);
	return 0;
}

/* A parameter of a header's value, "name=value" or "name=\"value\"". */
static bool parameter(const char *header, size_t len, const char *name,
		      char *out, size_t size)
{
	const char *pos = header, *end = header + len;
	size_t want = strlen(name);

	while ((pos = memchr(pos, ';', (size_t)(end - pos)))) {
		const char *stop;
		size_t n;

		pos++;
		while (pos < end && (*pos == ' ' || *pos == '\t'))
			pos++;
		if ((size_t)(end - pos) <= want ||
		    strncasecmp(pos, name, want) || pos[want] != '=')
			continue;
		pos += want + 1;
		if (pos < end && *pos == '"') {
			pos++;
			stop = memchr(pos, '"', (size_t)(end - pos));
			if (!stop)
				return false;
		} else {
			for (stop = pos; stop < end && !strchr("; \t\r", *stop);)
				stop++;
		}
		n = (size_t)(stop - pos);
		if (!n || n >= size)
			return false;
		memcpy(out, pos, n);
		out[n] = '\0';
		return true;
	}
	return false;
}

/* Is this the field asked for? @head: the lines of the part's headers */
static bool is_field(const char *head, size_t len, const char *name)
{
	static const char field[] = "content-disposition:";
	const char *pos = head, *end = head + len;
	char found[64];

	while (pos < end) {
		const char *eol = memmem(pos, (size_t)(end - pos), "\r\n", 2);
		size_t n = (size_t)((eol ? eol : end) - pos);

		if (n > strlen(field) &&
		    !strncasecmp(pos, field, strlen(field)) &&
		    parameter(pos, n, "name", found, sizeof(found)) &&
		    !strcmp(found, name))
			return true;
		pos += n + 2;
	}
	return false;
}

int form_multipart(const char *type, const char *body, size_t len,
		   const char *name, const char **part, size_t *part_len)
{
	const char *end = body + len, *pos;
	char boundary[80], mark[90];
	size_t n;

	/* RFC 2046: at most 70 characters */
	if (!parameter(type, strlen(type), "boundary", boundary,
		       sizeof(boundary)))
		return -EINVAL;
	n = (size_t)snprintf(mark, sizeof(mark), "\r\n--%s", boundary);
	/* the first one may stand at the very beginning */
	if (len >= n - 2 && !memcmp(body, mark + 2, n - 2)) {
		pos = body + n - 2;
	} else {
		pos = memmem(body, len, mark, n);
		pos = pos ? pos + n : NULL;
	}
	while (pos) {
		const char *head, *content, *next;

		if (end - pos >= 2 && !memcmp(pos, "--", 2))
			return -ENOENT;
		head = memmem(pos, (size_t)(end - pos), "\r\n", 2);
		content = !head ? NULL :
			  memmem(head, (size_t)(end - head), "\r\n\r\n", 4);
		if (!content)
			return -EINVAL;
		content += 4;
		next = memmem(content, (size_t)(end - content), mark, n);
		if (!next)
			return -EINVAL;
		if (is_field(head + 2, (size_t)(content - head - 4), name)) {
			*part = content;
			*part_len = (size_t)(next - content);
			return 0;
		}
		pos = next + n;
	}
	return -EINVAL;
}

void form_cookie(const char *header, const char *name, char *value,
		 size_t size)
{
	size_t want = strlen(name);

	*value = '\0';
	while (header && *header) {
		size_t len;

		header += strspn(header, "; \t");
		len = strcspn(header, ";");
		if (len > want && !strncmp(header, name, want) &&
		    header[want] == '=' && len - want - 1 < size) {
			memcpy(value, header + want + 1, len - want - 1);
			value[len - want - 1] = '\0';
			return;
		}
		header += len;
	}
}
