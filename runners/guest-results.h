/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_GUEST_RESULTS_H
#define MMCI_RUNNERS_GUEST_RESULTS_H

/*
 * What the guest's init reports (runners/guest/init.c), as a stream of numbered
 * records of at most 512 bytes:
 *
 *	H "RELEASE MACHINE"		it runs
 *	N TEXT				a note, for instance a setting that failed
 *	B "STEP"			a step begins, steps count from 0
 *	O BYTES				output of the step
 *	E "STEP HOW CODE MS CUT"	it ended; HOW: exit signal timeout error
 *	D "RECORDS"			the plan is done
 *
 * On the virtio port a record is "TYPE NUMBER LENGTH\n", the bytes and "\n".
 * Without that port it is a console line "mmci>TYPE NUMBER SUM HEX", where a
 * kernel message may fall into the middle: such a record is dropped and counted.
 */

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"

/* Output kept per step; the guest is told the same limit. */
#define GUEST_OUTPUT_BYTES (1u << 20)
#define GUEST_MAX_NOTES 100

/** enum guest_step_state - how one step of the plan ended */
enum guest_step_state {
	GUEST_STEP_NOT_RUN,
	GUEST_STEP_RUNNING, /* the guest ended before it did */
	GUEST_STEP_EXIT,
	GUEST_STEP_SIGNAL,
	GUEST_STEP_TIMEOUT,
	GUEST_STEP_ERROR, /* could not be started in the guest */
};

/**
 * struct guest_step - result of one step
 * @state: how it ended
 * @code: exit status, signal number or errno of the guest
 * @ms: milliseconds on the guest's clock
 * @cut: it printed more than was kept
 * @output: stdout and stderr
 */
struct guest_step {
	enum guest_step_state state;
	int code;
	int64_t ms;
	bool cut;
	struct strbuf output;
};

/**
 * struct guest_results - everything a guest reported
 * @steps: one per step of the plan, @n_steps of them
 * @hello: the guest's init ran
 * @release: kernel release and machine, may be NULL
 * @done: the plan was worked off
 * @current: step that runs, or -1
 * @notes: one line each
 * @n_notes: lines in @notes
 * @records: records taken
 * @lost: records that did not arrive or were damaged
 * @partial: bytes that are no whole record yet
 * @console_line: start of a console line, cut at the longest possible record
 */
struct guest_results {
	struct guest_step *steps;
	size_t n_steps;
	bool hello;
	char *release;
	bool done;
	int current;
	struct strbuf notes;
	unsigned int n_notes;
	unsigned int records;
	unsigned int lost;
	struct strbuf partial;
	struct strbuf console_line;
};

/** guest_results_init() - expect the results of @n_steps steps */
void guest_results_init(struct guest_results *g, size_t n_steps);
/** guest_results_release() - free what @g holds */
void guest_results_release(struct guest_results *g);
DEFINE_FREE(guest_results, struct guest_results, guest_results_release(&_T))
/**
 * guest_results_port() - bytes from the virtio port, cut anywhere
 *
 * Return: 0; -EPROTO when this is no stream of records, nothing more is taken.
 */
int guest_results_port(struct guest_results *g, const void *data, size_t len);
/** guest_results_console() - bytes of the console, cut anywhere */
void guest_results_console(struct guest_results *g, const void *data,
			   size_t len);

#endif
