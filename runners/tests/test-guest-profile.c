// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "runners/guest-profile.h"
#include "runners/qemu.h"

static int read_profile(const char *text, struct guest_profile *p,
			struct strbuf *why)
{
	json_t *v __free(json) = json_loads(text, 0, NULL);

	return guest_profile_read(v, p, why);
}

static void a_profile_has_defaults(void **state)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct guest_profile p;

	assert_int_equal(guest_profile_read(NULL, &p, &why), 0);
	assert_int_equal(p.memory_mib, 512);
	assert_int_equal(p.cpus, 1);
	assert_int_equal(p.nodes, 1);
	assert_int_equal(p.hugepages, 0);
	assert_int_equal(p.swap_mib, 0);
	assert_int_equal(read_profile("{\"cpus\": 2, \"nodes\": 2}", &p, &why),
			 0);
	assert_int_equal(p.nodes, 2);
}

static void a_profile_that_cannot_be(void **state)
{
	static const char *const bad[] = {
		"[]",
		"{\"memory_mib\": 1}",
		"{\"memory_mib\": \"512\"}",
		"{\"cpus\": 4294967297}",
		"{\"swap_mib\": -1}",
		"{\"nodes\": 2}",
	};
	struct guest_profile p;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct strbuf why __free(strbuf) = STRBUF_INIT;

		assert_int_equal(read_profile(bad[i], &p, &why), -EINVAL);
		assert_non_null(strstr(why.buf, "job.json: \"profile\""));
	}
}

/* What mkswap(8) makes and blkid(8) looks for. */
static void a_swap_area_is_one(void **state)
{
	char dir[] = "/tmp/mmci-test-XXXXXX", page[4096];
	char *path __free(kfree) = NULL;
	uint32_t words[2];
	struct stat st;
	int fd;

	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/swap", dir);
	assert_int_equal(guest_disk_make(path, 64), 0);
	assert_int_equal(guest_disk_make(path, 64), 0);
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, page, sizeof(page)), sizeof(page));
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	assert_int_equal(st.st_size, 64 << 20);
	assert_true(st.st_blocks * 512 <= 65536);
	memcpy(words, page + 1024, sizeof(words));
	assert_int_equal(words[0], 1);
	assert_int_equal(words[1], 64 * 256 - 1);
	assert_memory_equal(page + 4086, "SWAPSPACE2", 10);
	assert_int_equal(fs_rm_rf(dir), 0);
	assert_int_equal(guest_disk_make(path, 64), -ENOENT);
}

static void command(const struct qemu_spec *spec, struct strbuf *out)
{
	struct qemu_args args __free(qemu_args) = { .argc = 0 };

	assert_int_equal(qemu_args_build(spec, &args), 0);
	qemu_args_text(&args, out);
}

static void nodes_share_what_there_is(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct qemu_spec s = { .arch = "x86_64", .image = "/i",
			       .initrd = "/r", .memory_mib = 1024, .cpus = 4,
			       .nodes = 2, .disk = "/d" };

	command(&s, &out);
	assert_non_null(strstr(out.buf, " -m 1024 -smp 4 "
			"-object memory-backend-ram,id=m0,size=512M "
			"-numa node,nodeid=0,memdev=m0,cpus=0-1 "
			"-object memory-backend-ram,id=m1,size=512M "
			"-numa node,nodeid=1,memdev=m1,cpus=2-3 "));
	assert_non_null(strstr(out.buf, "-device virtio-blk-pci,drive=disk"));
}

static void s390_has_no_nodes(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct qemu_spec s = { .arch = "s390", .image = "/i", .initrd = "/r",
			       .memory_mib = 1000, .cpus = 2, .nodes = 2,
			       .disk = "/d" };

	command(&s, &out);
	assert_null(strstr(out.buf, "-numa"));
	assert_non_null(strstr(out.buf, " -m 1000 -smp 2 "));
	assert_non_null(strstr(out.buf, "-device virtio-blk-ccw,drive=disk"));
}

/* A busy host makes an emulated kernel's timers late; KVM's come in time. */
static void emulated_watchdogs_are_patient(void **state)
{
	struct strbuf tcg __free(strbuf) = STRBUF_INIT;
	struct strbuf kvm __free(strbuf) = STRBUF_INIT;
	struct qemu_spec s = { .arch = "x86_64", .image = "/i",
			       .initrd = "/r", .memory_mib = 512, .cpus = 2 };

	command(&s, &tcg);
	assert_non_null(strstr(tcg.buf, " watchdog_thresh=60 "
			       "rcupdate.rcu_cpu_stall_timeout=120"));
	s.kvm = true;
	command(&s, &kvm);
	assert_null(strstr(kvm.buf, "watchdog_thresh"));
	assert_null(strstr(kvm.buf, "rcu_cpu_stall_timeout"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_has_defaults),
		cmocka_unit_test(a_profile_that_cannot_be),
		cmocka_unit_test(a_swap_area_is_one),
		cmocka_unit_test(nodes_share_what_there_is),
		cmocka_unit_test(s390_has_no_nodes),
		cmocka_unit_test(emulated_watchdogs_are_patient),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
