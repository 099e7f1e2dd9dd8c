// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/subject.h"
#include "lib/strbuf.h"

/* "title|tokens|version|n/m|flags": r reply, p patch, g pull */
static void expect(const char *text, const char *want)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	struct subject s;

	subject_parse(text, &s);
	strbuf_addf(&sb, "%s|", s.title);
	for (size_t i = 0; s.tokens[i]; i++)
		strbuf_addf(&sb, "%s%s", i ? "," : "", s.tokens[i]);
	strbuf_addf(&sb, "|%u|", s.version);
	if (s.has_number)
		strbuf_addf(&sb, "%u/%u", s.number, s.total);
	strbuf_addf(&sb, "|%s%s%s", s.is_reply ? "r" : "",
		    s.is_patch ? "p" : "", s.is_pull ? "g" : "");
	subject_release(&s);
	assert_string_equal(sb.buf, want);
}

static void prefixes_in_any_order(void **state)
{
	expect("[PATCH v3 02/10] mm: x", "mm: x|v3,02/10|3|2/10|p");
	expect("[RFC PATCH mm-unstable v2 0/3] y",
	       "y|RFC,mm-unstable,v2,0/3|2|0/3|p");
	expect("[PATCH RESEND v2] y", "y|RESEND,v2|2||p");
	expect("[RESEND][PATCH -next] y", "y|RESEND,-next|0||p");
	expect("[v4,net,1/2] y", "y|v4,net,1/2|4|1/2|p");
	expect("[PATCHv5 1/1] y", "y|v5,1/1|5|1/1|p");
	expect("[RFC/PATCH 1/2] y", "y|RFC,1/2|0|1/2|p");
	expect("[RFCv3 1/2] y", "y|RFC,v3,1/2|3|1/2|p");
	expect("[PATCHSET v2 0/4] y", "y|v2,0/4|2|0/4|p");
	expect("[PATCH 2 of 5] y", "y|2/5|0|2/5|p");
	expect("[v2.3PATCH1/4] y", "y|v2.3,1/4|2|1/4|p");
	expect("[PATCH 3/2] y", "y|3/2|0|3/2|p");
}

static void replies_and_others(void **state)
{
	expect("Re: [PATCH v2 1/3] x", "x|v2,1/3|2|1/3|rp");
	expect("RE: Re[2]: Fwd: x", "x||0||r");
	expect("AW: [PATCH] x", "x||0||rp");
	expect("re-read the page tables", "re-read the page tables||0||");
	expect("[GIT PULL] mm for 7.4", "mm for 7.4|GIT,PULL|0||g");
	expect("[syzbot] WARNING in x", "WARNING in x|syzbot|0||");
	expect("[Patchew-devel] [PATCH] x", "x|Patchew-devel|0||p");
	expect("[PATCH] rewrite [a-z] (v9)", "rewrite [a-z] (v9)||9||p");
}

static void hostile_subjects_end(void **state)
{
	char *s __free(kfree) = xcalloc(1, 40001);
	struct subject ret;

	memset(s, '[', 40000);
	expect("[PATCH 99999999999/3] x", "x|99999999999/3|0||p");
	expect("[PATCH v0] x", "x|v0|0||p");
	expect("[unclosed", "[unclosed||0||");
	expect("", "||0||");
	subject_parse(s, &ret);
	assert_int_equal(strlen(ret.title), 40000);
	subject_release(&ret);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefixes_in_any_order),
		cmocka_unit_test(replies_and_others),
		cmocka_unit_test(hostile_subjects_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
