/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_DIGEST_H
#define MMCI_DB_DIGEST_H

/**
 * DB_DIGEST() - SQL for what the pages of a series show of a result
 * @result: SQL of valid JSON
 *
 * {"boot": outcome, "image_patch": number, "dropped": [symbol], "patches":
 * [{"number", "outcome", "seconds"}]}, null for what the result does not say.
 * Kept in attempt.digest when a result is written.
 */
#define DB_DIGEST(result)                                               \
	"json_object("                                                  \
	" 'boot', json_extract(" result ", '$.boot.outcome'),"          \
	" 'image_patch', json_extract(" result ", "                     \
	"  '$.artefacts.image_patch'),"                                 \
	" 'dropped', json(" result " -> '$.kconfig_dropped'),"          \
	" 'patches', (SELECT json_group_array(json_object("             \
	"   'number', json_extract(p.value, '$.number'),"               \
	"   'outcome', json_extract(p.value, '$.outcome'),"             \
	"   'seconds', json_extract(p.value, '$.seconds')))"            \
	"  FROM json_each(" result ", '$.patches') p"                   \
	"  WHERE p.type = 'object'))"

#endif
