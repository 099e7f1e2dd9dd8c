/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_ASSEMBLE_PRIV_H
#define MMCI_KERNEL_SERIES_ASSEMBLE_PRIV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Shared by assemble.c (what belongs together) and assemble-json.c (output). */

/* More patches in one series are not read by anybody. */
#define MAX_PATCHES 1000

enum role {
	ROLE_OTHER,
	ROLE_COVER,
	ROLE_PATCH,
	ROLE_COMMENT,
	ROLE_PULL,
	ROLE_DUPLICATE,
};

/**
 * struct node - one mail
 * @json: its fields, borrowed
 * @id: Message-ID, "" if none
 * @email: author's address
 * @role: what it turned out to be
 * @version: as given, 0 if none
 * @number: n, 1 for a patch without n/m
 * @total: m, 1 without
 * @queued: on the way of being placed
 * @date_s: Date, 0 if none
 * @parent: index of the nearest mail it refers to that is known, or -1
 * @series: index of the series it belongs to or comments on, or -1
 * @target: for a comment: index of the cover or patch it is about, or -1
 */
struct node {
	const json_t *json;
	const char *id, *email;
	enum role role;
	unsigned int version, number, total;
	bool has_number, queued;
	int64_t date_s;
	int parent, series, target;
};

/**
 * struct aseries - one series while it is put together
 * @version: 0 as long as no member gave one
 * @patches: index of the mail by number, -1 if missing; @nr_patches of them
 * @from: index of the older series that completes this one, or -1
 * @first: index of its first mail
 * @topic: index of a series of the same work, union-find
 */
struct aseries {
	unsigned int version, total;
	int cover;
	int *patches;
	unsigned int nr_patches, nr_present;
	int from;
	int first;
	int64_t last_date_s;
	int topic;
};

struct assembly {
	struct node *nodes;
	int nr_nodes;
	struct aseries *series;
	int nr_series;
	json_t *by_id;	 /* Message-ID -> index of the mail */
	json_t *waiting; /* unknown id that members refer to -> series */
};

/** assemble_patch() - mail of patch @number of @s, also from an older version */
int assemble_patch(const struct assembly *a, const struct aseries *s,
		   unsigned int number);
/** assemble_missing() - has @s gaps in 1..total? */
bool assemble_missing(const struct assembly *a, const struct aseries *s);
/** assemble_first_mail() - the cover, else the lowest patch */
int assemble_first_mail(const struct assembly *a, const struct aseries *s);
/** assemble_output() - series and messages as JSON */
json_t *assemble_output(const struct assembly *a);

#endif
