// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile commands. Each is contained, ends in time and is named. Needs user
 * namespaces: where the host forbids them every case is skipped, by name.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "lib/clock.h"
#include "lib/fs.h"
#include "runners/sandbox.h"

#define MIB (1024 * 1024)

struct fixture {
	char dir[64];
	char *lower;
	char *layer;
	char *other;
	uid_t uid;
	gid_t gid;
	char why[256];
	struct strbuf out;
	struct sandbox_spec spec;
	struct sandbox_result res;
};

static void collect(const char *data, size_t len, void *arg)
{
	strbuf_add(arg, data, len);
}

static char *make_dir(struct fixture *f, const char *name)
{
	char *path = xasprintf("%s/%s", f->dir, name);

	assert_int_equal(mkdir(path, 0755), 0);
	if (!geteuid())
		assert_int_equal(chown(path, f->uid, f->gid), 0);
	return path;
}

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	char *path __free(kfree) = NULL;

	strbuf_init(&f->out);
	f->uid = geteuid() ? geteuid() : 65534;
	f->gid = geteuid() ? getegid() : 65534;
	if (!sandbox_supported(f->uid, f->gid, &why))
		snprintf(f->why, sizeof(f->why), "%s", why.buf);
	strcpy(f->dir, "/tmp/mmci-sandbox.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	chmod(f->dir, 0755);
	f->lower = make_dir(f, "lower");
	f->layer = make_dir(f, "layer");
	f->other = make_dir(f, "other");
	path = xasprintf("%s/file", f->lower);
	assert_int_equal(fs_write_atomic(path, "warm\n", 5), 0);
	assert_int_equal(fs_chown_tree(f->lower, f->uid, f->gid), 0);

	f->spec = (struct sandbox_spec)SANDBOX_SPEC_INIT;
	f->spec.uid = f->uid;
	f->spec.gid = f->gid;
	f->spec.overlays[0] = (struct sandbox_overlay){ f->lower, f->layer,
							"/build" };
	f->spec.cwd = "/build";
	f->spec.output = collect;
	f->spec.output_arg = &f->out;
	f->spec.limits = (struct sandbox_limits){
		.time_ms = 20000, .memory_bytes = 256 * MIB, .processes = 64,
		.output_bytes = MIB, .disk_bytes = 32 * MIB,
	};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	fs_rm_rf(f->dir);
	free(f->lower);
	free(f->layer);
	free(f->other);
	strbuf_release(&f->out);
	free(f);
	return 0;
}

/* Runs a shell script; skips the test where the host cannot contain it. */
static void run(struct fixture *f, const char *script)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", NULL };
	const char *argv[] = { "/bin/sh", "-c", script, NULL };
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int r;

	if (f->why[0]) {
		print_message("skipped: %s\n", f->why);
		skip();
	}
	f->spec.argv = argv;
	f->spec.envp = env;
	r = sandbox_run(&f->spec, &f->res, &why);
	if (r)
		print_error("%s\n", why.buf);
	assert_int_equal(r, 0);
}

static void assert_said(struct fixture *f, const char *what)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	sandbox_describe(&f->spec, &f->res, &sb);
	if (!strstr(sb.buf, what))
		print_error("\"%s\" is not in \"%s\"\n", what, sb.buf);
	assert_non_null(strstr(sb.buf, what));
}

static void assert_exit(struct fixture *f, int status)
{
	if (f->res.end != SANDBOX_EXITED || !WIFEXITED(f->res.status) ||
	    WEXITSTATUS(f->res.status) != status)
		print_error("end %d status 0x%x: %s\n", f->res.end,
			    (unsigned int)f->res.status, f->out.buf);
	assert_int_equal(f->res.end, SANDBOX_EXITED);
	assert_true(WIFEXITED(f->res.status));
	assert_int_equal(WEXITSTATUS(f->res.status), status);
}

static void output_and_status_come_back(void **state)
{
	struct fixture *f = *state;
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	run(f, "echo out; echo err >&2; cat file; exit 7");
	assert_exit(f, 7);
	assert_string_equal(f->out.buf, "out\nerr\nwarm\n");
	assert_false(sandbox_describe(&f->spec, &f->res, &sb));
}

static void overlay_leaves_the_lower_directory_alone(void **state)
{
	struct fixture *f = *state;
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	char *path __free(kfree) = xasprintf("%s/file", f->lower);
	char *upper __free(kfree) = xasprintf("%s/upper/file", f->layer);

	run(f, "echo hot >file && chmod 777 . && rm file && echo new >file");
	assert_exit(f, 0);
	assert_int_equal(fs_read_file(path, 100, &sb), 0);
	assert_string_equal(sb.buf, "warm\n");
	strbuf_reset(&sb);
	assert_int_equal(fs_read_file(upper, 100, &sb), 0);
	assert_string_equal(sb.buf, "new\n");
	/* and the next command of the job sees what the first one did */
	run(f, "cat file");
	assert_string_equal(f->out.buf, "new\n");
}

static void deleted_files_stay_deleted(void **state)
{
	struct fixture *f = *state;
	char *path __free(kfree) = xasprintf("%s/file", f->lower);

	run(f, "rm file");
	run(f, "test ! -e file");
	assert_exit(f, 0);
	assert_true(fs_exists(path));
}

static int open_network(void *arg)
{
	int families[] = { AF_INET, AF_INET6, AF_VSOCK, AF_NETLINK, AF_PACKET };

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		if (socket(families[i], SOCK_DGRAM, 0) >= 0)
			return (int)i + 1;
		if (errno != EAFNOSUPPORT)
			return 50;
	}
	return socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ? 0 : 99;
}

static void network_is_absent(void **state)
{
	struct fixture *f = *state;
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	run(f, "cat /proc/net/dev | grep -c :");
	assert_string_equal(f->out.buf, "1\n"); /* lo */
	f->spec.argv = NULL;
	f->spec.fn = open_network;
	assert_int_equal(sandbox_run(&f->spec, &f->res, &why), 0);
	assert_exit(f, 0);
}

static void host_is_out_of_sight(void **state)
{
	struct fixture *f = *state;

	setenv("MMCI_SECRET", "secret", 1);
	run(f, "env | grep -c SECRET; ls -d /home /root /var /sys /etc/shadow"
	       " /.old 2>/dev/null; ls /dev | wc -l; ls /proc | grep -c '^[0-9]'"
	       " | grep -v '^[0-9]$'; cat /proc/1/environ 2>/dev/null;"
	       " ls /proc/1/root/ 2>/dev/null; ls /proc/1/fd 2>/dev/null");
	unsetenv("MMCI_SECRET");
	assert_string_equal(f->out.buf, "0\n10\n");
}

static void system_is_read_only(void **state)
{
	struct fixture *f = *state;

	run(f, "for d in / /usr /usr/bin /etc /etc/alternatives /dev /proc;"
	       " do ( : >$d/evil ) 2>/dev/null && echo $d; done;"
	       " mount -o remount,rw / 2>/dev/null && echo remounted;"
	       " umount /usr 2>/dev/null && echo unmounted; true");
	assert_exit(f, 0);
	assert_string_equal(f->out.buf, "");
}

static void other_jobs_are_out_of_reach(void **state)
{
	struct fixture *f = *state;
	char *script __free(kfree) = xasprintf(
		"ls %s; echo x >%s/evil; echo x >%s/file; ls /build/../..%s",
		f->other, f->other, f->lower, f->other);
	char *evil __free(kfree) = xasprintf("%s/evil", f->other);

	run(f, script);
	assert_null(strstr(f->out.buf, "evil\n"));
	assert_false(fs_exists(evil));
}

static void no_way_to_more_power(void **state)
{
	struct fixture *f = *state;

	run(f, "grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status |"
	       " grep -v '0000000000000000$';"
	       " grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status |"
	       " tr -d '\\t';"
	       " unshare -U true 2>/dev/null && echo unshared;"
	       " unshare -m true 2>/dev/null && echo unshared;"
	       " cat /proc/sys/user/max_user_namespaces; id -u");
	assert_string_equal(f->out.buf, "NoNewPrivs:1\nSeccomp:2\n0\n1000\n");
}

static void fork_bomb_is_limited(void **state)
{
	struct fixture *f = *state;
	int64_t begin = clock_mono_ms();

	f->spec.limits.time_ms = 3000;
	run(f, "b() { b | b & b; }; b 2>/dev/null; sleep 60");
	assert_true(clock_mono_ms() - begin < 15000);
	assert_true(f->res.forks_refused || f->res.end == SANDBOX_TIME ||
		    f->res.leftovers > 0);
}

static void endless_output_is_cut(void **state)
{
	struct fixture *f = *state;

	run(f, "yes");
	assert_int_equal(f->res.end, SANDBOX_OUTPUT);
	assert_int_equal(f->out.len, MIB);
	assert_said(f, "output");
}

static void full_disk_is_noticed(void **state)
{
	struct fixture *f = *state;

	run(f, "i=0; while :; do i=$((i+1)); head -c 4194304 /dev/zero >f$i;"
	       " sleep 0.1; done");
	assert_int_equal(f->res.end, SANDBOX_DISK);
	assert_said(f, "32 MiB of disk");
}

static void one_huge_file_is_refused(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	char *path __free(kfree) = xasprintf("%s/upper/huge", f->layer);

	run(f, "head -c 100000000 /dev/zero >huge");
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size <= 32 * MIB);
}

static void depth_does_not_hide_usage(void **state)
{
	struct fixture *f = *state;

	run(f, "i=0; while [ $i -lt 200 ]; do mkdir d && cd d || exit;"
	       " i=$((i+1)); done; sleep 20");
	assert_int_equal(f->res.end, SANDBOX_DISK);
}

static void memory_is_limited(void **state)
{
	struct fixture *f = *state;

	run(f, "x=$(head -c 1000000000 /dev/zero | tr '\\0' x); echo $x | wc");
	assert_true(f->res.end == SANDBOX_MEMORY || f->res.oom_kills > 0);
	assert_said(f, "256 MiB of memory");
}

static void daemon_dies_with_the_job(void **state)
{
	struct fixture *f = *state;
	char *path __free(kfree) = xasprintf("%s/upper/alive", f->layer);
	struct stat a, b;

	run(f, "setsid sh -c 'while :; do date >alive; sleep 0.05; done'"
	       " >/dev/null 2>&1 & sleep 0.3; exit 0");
	assert_exit(f, 0);
	assert_true(f->res.leftovers > 0);
	assert_said(f, "left behind");
	assert_int_equal(stat(path, &a), 0);
	usleep(200000);
	assert_int_equal(stat(path, &b), 0);
	assert_memory_equal(&a.st_mtim, &b.st_mtim, sizeof(a.st_mtim));
}

static void killing_everything_kills_itself_only(void **state)
{
	struct fixture *f = *state;

	run(f, "kill -9 $PPID 2>/dev/null; kill -9 1; echo alive;"
	       " sh -c 'kill -9 -1'; kill -9 $$");
	assert_non_null(strstr(f->out.buf, "alive"));
	assert_int_equal(f->res.end, SANDBOX_EXITED);
	assert_true(WIFSIGNALED(f->res.status));
	assert_said(f, "signal 9");
}

static void time_is_limited(void **state)
{
	struct fixture *f = *state;
	int64_t begin = clock_mono_ms();

	f->spec.limits.time_ms = 500;
	run(f, "trap '' TERM INT HUP; (trap '' TERM; sleep 60) & sleep 60");
	assert_int_equal(f->res.end, SANDBOX_TIME);
	assert_true(clock_mono_ms() - begin < 5000);
	assert_said(f, "of time");
}

static void missing_program_is_our_fault(void **state)
{
	struct fixture *f = *state;
	const char *argv[] = { "/usr/bin/no-such-program", NULL };
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	if (f->why[0])
		skip();
	f->spec.argv = argv;
	assert_int_equal(sandbox_run(&f->spec, &f->res, &why), -ENOENT);
	assert_non_null(strstr(why.buf, "/usr/bin/no-such-program"));
}

static void binds_are_as_writable_as_asked(void **state)
{
	struct fixture *f = *state;
	char *path __free(kfree) = xasprintf("%s/new", f->other);

	f->spec.binds[0] = (struct sandbox_bind){ f->other, "/out", true,
						  false };
	f->spec.binds[1] = (struct sandbox_bind){ f->lower, "/ro", false,
						  false };
	run(f, "echo x >/out/new; ( echo x >/ro/file ) 2>/dev/null && echo bad;"
	       " cat /ro/file");
	assert_string_equal(f->out.buf, "warm\n");
	assert_true(fs_exists(path));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(output_and_status_come_back),
		CASE(overlay_leaves_the_lower_directory_alone),
		CASE(deleted_files_stay_deleted),
		CASE(network_is_absent),
		CASE(host_is_out_of_sight),
		CASE(system_is_read_only),
		CASE(other_jobs_are_out_of_reach),
		CASE(no_way_to_more_power),
		CASE(fork_bomb_is_limited),
		CASE(endless_output_is_cut),
		CASE(full_disk_is_noticed),
		CASE(one_huge_file_is_refused),
		CASE(depth_does_not_hide_usage),
		CASE(memory_is_limited),
		CASE(daemon_dies_with_the_job),
		CASE(killing_everything_kills_itself_only),
		CASE(time_is_limited),
		CASE(missing_program_is_our_fault),
		CASE(binds_are_as_writable_as_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
