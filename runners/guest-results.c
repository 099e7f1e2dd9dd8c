// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/guest-results.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define RECORD_MAX 512
/* "TYPE NUMBER LENGTH\n" */
#define HEAD_MAX 32
/* "mmci>TYPE NUMBER SUM HEX" */
#define LINE_MAX_BYTES (64 + 2 * RECORD_MAX)

void guest_results_init(struct guest_results *g, size_t n_steps)
{
	memset(g, 0, sizeof(*g));
	g->steps = xcalloc(n_steps, sizeof(*g->steps));
	g->n_steps = n_steps;
	g->current = -1;
	for (size_t i = 0; i < n_steps; i++)
		strbuf_init(&g->steps[i].output);
	strbuf_init(&g->notes);
	strbuf_init(&g->partial);
	strbuf_init(&g->console_line);
}

void guest_results_release(struct guest_results *g)
{
	for (size_t i = 0; i < g->n_steps; i++)
		strbuf_release(&g->steps[i].output);
	free(g->steps);
	free(g->release);
	strbuf_release(&g->notes);
	strbuf_release(&g->partial);
	strbuf_release(&g->console_line);
	g->steps = NULL;
	g->n_steps = 0;
	g->release = NULL;
}

static struct guest_step *step_of(struct guest_results *g, unsigned int n)
{
	return n < g->n_steps ? &g->steps[n] : NULL;
}

static void step_ended(struct guest_results *g, const char *text)
{
	static const struct {
		const char *how;
		enum guest_step_state state;
	} hows[] = {
		{ "exit", GUEST_STEP_EXIT },
		{ "signal", GUEST_STEP_SIGNAL },
		{ "timeout", GUEST_STEP_TIMEOUT },
		{ "error", GUEST_STEP_ERROR },
	};
	struct guest_step *s;
	unsigned int n;
	char how[16];
	long long ms;
	int code, cut;

	if (sscanf(text, "%u %15s %d %lld %d", &n, how, &code, &ms, &cut) != 5)
		return;
	s = step_of(g, n);
	if (!s || s->state != GUEST_STEP_RUNNING)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(hows); i++)
		if (!strcmp(how, hows[i].how))
			s->state = hows[i].state;
	s->code = code;
	s->ms = ms;
	s->cut |= cut != 0;
	g->current = -1;
}

static void step_began(struct guest_results *g, const char *text)
{
	struct guest_step *s;
	unsigned int n;

	if (sscanf(text, "%u", &n) != 1)
		return;
	s = step_of(g, n);
	if (!s || s->state != GUEST_STEP_NOT_RUN)
		return;
	s->state = GUEST_STEP_RUNNING;
	g->current = (int)n;
}

static void step_printed(struct guest_results *g, const char *data, size_t len)
{
	struct guest_step *s = &g->steps[g->current];
	size_t room = GUEST_OUTPUT_BYTES - s->output.len;

	s->cut |= len > room;
	strbuf_add(&s->output, data, min(len, room));
}

static void take_note(struct guest_results *g, const char *text)
{
	if (g->n_notes++ >= GUEST_MAX_NOTES)
		return;
	strbuf_addstr(&g->notes, text);
	strbuf_addch(&g->notes, '\n');
}

/* @data is NUL-terminated. A guest that repeats itself changes nothing. */
static void take(struct guest_results *g, char type, unsigned int number,
		 const char *data, size_t len)
{
	if (number > g->records)
		g->lost += number - g->records;
	g->records = number == UINT32_MAX ? number : number + 1;
	switch (type) {
	case 'H':
		if (!g->release)
			g->release = xstrdup(data);
		g->hello = true;
		break;
	case 'N':
		take_note(g, data);
		break;
	case 'B':
		step_began(g, data);
		break;
	case 'O':
		if (g->current >= 0)
			step_printed(g, data, len);
		break;
	case 'E':
		step_ended(g, data);
		break;
	case 'D':
		g->done = true;
		break;
	}
}

/*
 * Take the record at @p. Return its length, 0 if it is not whole yet, -EPROTO.
 */
static ssize_t port_record(struct guest_results *g, const char *p, size_t left)
{
	const char *nl = memchr(p, '\n', min(left, (size_t)HEAD_MAX));
	char head[HEAD_MAX + 1], data[RECORD_MAX + 1], type;
	unsigned int number, len;
	size_t head_len;

	if (!nl)
		return left < HEAD_MAX ? 0 : -EPROTO;
	head_len = (size_t)(nl - p);
	memcpy(head, p, head_len);
	head[head_len] = '\0';
	if (sscanf(head, "%c %u %u", &type, &number, &len) != 3 ||
	    len > RECORD_MAX)
		return -EPROTO;
	if (left < head_len + 1 + len + 1)
		return 0;
	memcpy(data, nl + 1, len);
	data[len] = '\0';
	if (nl[1 + len] != '\n')
		return -EPROTO;
	take(g, type, number, data, len);
	return (ssize_t)(head_len + 1 + len + 1);
}

int guest_results_port(struct guest_results *g, const void *data, size_t len)
{
	size_t done = 0;
	ssize_t n = 0;

	strbuf_add(&g->partial, data, len);
	while (done < g->partial.len) {
		n = port_record(g, g->partial.buf + done, g->partial.len - done);
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	memmove(g->partial.buf, g->partial.buf + done, g->partial.len - done);
	strbuf_setlen(&g->partial, g->partial.len - done);
	return n < 0 ? (int)n : 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void console_record(struct guest_results *g, const char *line)
{
	unsigned int number, want, sum;
	char data[RECORD_MAX + 1], type;
	const char *hex;
	size_t len = 0;
	int skip = 0;

	if (sscanf(line, "mmci>%c %u %4x %n", &type, &number, &want, &skip) !=
		    3 || !skip)
		return;
	sum = (unsigned char)type;
	for (hex = line + skip; len < RECORD_MAX; hex += 2) {
		int hi = hex_digit(hex[0]);
		int lo = hi < 0 ? -1 : hex_digit(hex[1]);

		if (lo < 0)
			break;
		data[len] = (char)(hi << 4 | lo);
		sum = (sum * 31 + (unsigned char)data[len++]) & 0xffff;
	}
	data[len] = '\0';
	if ((*hex && *hex != '\r') || sum != want)
		return; /* the next number shows that one is missing */
	take(g, type, number, data, len);
}

void guest_results_console(struct guest_results *g, const void *data,
			   size_t len)
{
	struct strbuf *line = &g->console_line;
	const char *p = data, *end = p + len;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl : end) - p);
		size_t room = LINE_MAX_BYTES - min(line->len,
						   (size_t)LINE_MAX_BYTES);

		strbuf_add(line, p, min(n, room));
		if (!nl)
			return;
		if (starts_with(line->buf, "mmci>"))
			console_record(g, line->buf);
		strbuf_reset(line);
		p = nl + 1;
	}
}
