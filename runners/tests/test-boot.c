// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Real guests of the architecture named as argument. Needs
 * MMCI_TEST_IMAGE_X86_64, _ARM64 or _S390 (a kernel image) and MMCI_GUEST_DIR,
 * where guest/ARCH/ was built; skipped without.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/fs.h"
#include "runners/boot.h"
#include "runners/guest-plan.h"
#include "runners/initramfs.h"

static const char *arch, *image, *guest_dir;
static char dir[] = "/tmp/mmci-boot-XXXXXX";

struct guest {
	struct guest_plan plan;
	struct initramfs *fs;
	struct boot_spec spec;
	struct boot_result result;
	char *initrd;
};

static int setup(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	return fs_rm_rf(dir);
}

static void add_program(struct guest *g, const char *to, const char *name)
{
	char *from __free(kfree) = xasprintf("%s/guest/%s/%s",
					     guest_dir, arch, name);

	assert_int_equal(initramfs_add_file(g->fs, to, 0755, from), 0);
}

static void guest_init(struct guest *g)
{
	memset(g, 0, sizeof(*g));
	guest_plan_init(&g->plan);
	g->fs = initramfs_new();
	add_program(g, "/init", "init");
	add_program(g, "/misbehave", "misbehave");
	g->spec.arch = arch;
	g->spec.image = image;
	g->spec.memory_mib = 512;
	g->spec.cpus = 1;
	g->spec.timeout_s = 60;
	g->spec.idle_s = 30;
	g->spec.console_max_bytes = 1 << 20;
}

static void guest_step(struct guest *g, unsigned int timeout_s,
		       const char *what)
{
	const char *argv[] = { "/misbehave", what, NULL };

	assert_int_equal(guest_plan_step(&g->plan, timeout_s, argv), 0);
}

static int guest_boot(struct guest *g)
{
	int r;

	g->initrd = xasprintf("%s/rd.cpio", dir);
	assert_int_equal(initramfs_add(g->fs, "/plan", 0644, g->plan.text.buf,
				       g->plan.text.len), 0);
	assert_int_equal(initramfs_write(g->fs, g->initrd), 0);
	g->spec.initrd = g->initrd;
	g->spec.step_timeouts_s = g->plan.timeouts_s;
	g->spec.n_steps = g->plan.n_steps;
	boot_result_init(&g->result, g->plan.n_steps);
	r = boot_run(&g->spec, &g->result);
	print_message("# %s: %s: %s; init after %.2f s, end after %.2f s\n",
		      arch, boot_outcome_name(g->result.outcome),
		      g->result.why.buf, g->result.seconds,
		      g->result.total_seconds);
	if (getenv("MMCI_TEST_VERBOSE"))
		print_message("%s\n%s\n", g->result.command.buf,
			      g->result.console.buf);
	return r;
}

static void guest_release(struct guest *g)
{
	guest_plan_release(&g->plan);
	initramfs_free(g->fs);
	boot_result_release(&g->result);
	free(g->initrd);
}

static void boots(void **state)
{
	struct guest g;

	guest_init(&g);
	guest_step(&g, 10, "nothing");
	guest_step(&g, 10, "segv");
	guest_step(&g, 1, "hang");
	assert_int_equal(guest_boot(&g), 0);
	assert_int_equal(g.result.outcome, BOOT_OK);
	assert_int_equal(g.result.guest.lost, 0);
	assert_int_equal(g.result.guest.steps[0].state, GUEST_STEP_EXIT);
	assert_int_equal(g.result.guest.steps[0].code, 3);
	assert_string_equal(g.result.guest.steps[0].output.buf,
			    "misbehaving: nothing\n");
	assert_int_equal(g.result.guest.steps[1].state, GUEST_STEP_SIGNAL);
	assert_int_equal(g.result.guest.steps[1].code, 6);
	assert_int_equal(g.result.guest.steps[2].state, GUEST_STEP_TIMEOUT);
	assert_in_range(g.result.guest.steps[2].ms, 1000, 5000);
	guest_release(&g);
}

static void goes_wrong(struct guest *g, const char *how,
		       enum boot_outcome want)
{
	guest_init(g);
	g->spec.console_max_bytes = 128 << 10;
	guest_step(g, 5, "nothing");
	guest_step(g, 40, how);
	guest_step(g, 5, "nothing");
	assert_int_equal(guest_boot(g), 0);
	assert_int_equal(g->result.outcome, want);
	assert_int_equal(g->result.guest.steps[0].state, GUEST_STEP_EXIT);
	assert_int_equal(g->result.guest.steps[1].state, GUEST_STEP_RUNNING);
	assert_int_equal(g->result.guest.steps[2].state, GUEST_STEP_NOT_RUN);
}

static void an_early_power_off_is_seen(void **state)
{
	struct guest g;

	goes_wrong(&g, "poweroff", BOOT_EARLY_EXIT);
	guest_release(&g);
}

static void a_reset_is_seen(void **state)
{
	struct guest g;

	goes_wrong(&g, "reset", BOOT_RESET);
	guest_release(&g);
}

static void output_without_end_is_cut(void **state)
{
	struct guest g;

	goes_wrong(&g, "flood", BOOT_HANG);
	assert_int_equal(g.result.console.len, 128 << 10);
	assert_non_null(strstr(g.result.why.buf, "printed more than 128 KiB"));
	guest_release(&g);
}

/* Process 1 that ends is a panic on every kernel, with or without sysrq. */
static void a_panic_is_seen(void **state)
{
	struct guest g;

	guest_init(&g);
	g.spec.append = "rdinit=/misbehave misbehave=nothing";
	assert_int_equal(guest_boot(&g), 0);
	assert_int_equal(g.result.outcome, BOOT_PANIC);
	assert_non_null(strstr(g.result.why.buf, "Attempted to kill init"));
	guest_release(&g);
}

static void a_hang_shows_where(void **state)
{
	struct guest g;

	guest_init(&g);
	g.spec.append = "rdinit=/misbehave misbehave=hang";
	g.spec.idle_s = 8;
	assert_int_equal(guest_boot(&g), 0);
	assert_int_equal(g.result.outcome, BOOT_HANG);
	assert_non_null(strstr(g.result.why.buf, "no sign of life for 8 s"));
	assert_non_null(strstr(g.result.diagnosis.buf, "CPU#0"));
	assert_in_range((int)g.result.total_seconds, 8, 20);
	guest_release(&g);
}

static void a_file_that_is_no_kernel_does_not_start(void **state)
{
	struct guest g;

	guest_init(&g);
	g.spec.image = "/etc/passwd";
	assert_int_equal(guest_boot(&g), 0);
	assert_int_equal(g.result.outcome, BOOT_NO_START);
	guest_release(&g);
}

static const char *image_of(const char *name)
{
	static const struct {
		const char *arch, *env;
	} images[] = {
		{ "x86_64", "MMCI_TEST_IMAGE_X86_64" },
		{ "arm64", "MMCI_TEST_IMAGE_ARM64" },
		{ "s390", "MMCI_TEST_IMAGE_S390" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(images); i++) {
		if (strcmp(images[i].arch, name))
			continue;
		if (!getenv(images[i].env))
			printf("1..0 # SKIP %s is not set\n", images[i].env);
		return getenv(images[i].env);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boots),
		cmocka_unit_test(an_early_power_off_is_seen),
		cmocka_unit_test(a_reset_is_seen),
		cmocka_unit_test(output_without_end_is_cut),
		cmocka_unit_test(a_panic_is_seen),
		cmocka_unit_test(a_hang_shows_where),
		cmocka_unit_test(a_file_that_is_no_kernel_does_not_start),
	};

	guest_dir = getenv("MMCI_GUEST_DIR");
	if (argc != 2 || !guest_dir) {
		fprintf(stderr, "usage: MMCI_GUEST_DIR=... test-boot ARCH\n");
		return 2;
	}
	arch = argv[1];
	image = image_of(arch);
	if (!image)
		return 0;
	return cmocka_run_group_tests(tests, setup, teardown);
}
