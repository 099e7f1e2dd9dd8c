// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernel-series/mail.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct mail *m __free(mail) = NULL;
	json_t *fields;

	if (mail_parse_lenient(data, size, &m, &why))
		return 0;
	fields = mail_to_json(m);
	json_decref(fields);
	mail_patch_mbox(m, &out);
	strbuf_reset(&out);
	fixup_diff(m->text.buf, m->text.len, &out);
	return 0;
}
