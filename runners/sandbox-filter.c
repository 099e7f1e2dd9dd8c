// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/sandbox-inside.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/*
 * What neither a compiler nor an emulator needs and what is, or has been, a way
 * to more power than a process has. Names that the library does not know yet
 * are skipped, so this may run ahead of the distribution.
 */
static const char *const denied[] = {
	"_sysctl", "acct", "add_key", "adjtimex", "bpf", "chroot",
	"clock_adjtime", "clock_settime", "create_module", "delete_module",
	"fanotify_init", "finit_module", "fsconfig", "fsmount", "fsopen",
	"fspick", "get_kernel_syms", "init_module", "io_uring_enter",
	"io_uring_register", "io_uring_setup", "ioperm", "iopl", "kcmp",
	"kexec_file_load", "kexec_load", "keyctl", "lookup_dcookie", "mount",
	"mount_setattr", "move_mount", "move_pages", "name_to_handle_at",
	"nfsservctl", "open_by_handle_at", "open_tree", "perf_event_open",
	"pidfd_getfd", "pivot_root", "process_madvise", "process_vm_readv",
	"process_vm_writev", "ptrace", "query_module", "quotactl",
	"quotactl_fd", "reboot", "request_key", "setdomainname", "sethostname",
	"setns", "settimeofday", "swapoff", "swapon", "sysfs", "syslog",
	"umount", "umount2", "unshare", "userfaultfd", "uselib", "ustat",
	"vhangup",
};

static int deny_names(scmp_filter_ctx ctx)
{
	for (size_t i = 0; i < ARRAY_SIZE(denied); i++) {
		int nr = seccomp_syscall_resolve_name(denied[i]);
		int r;

		if (nr == __NR_SCMP_ERROR)
			continue;
		r = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), nr, 0);
		if (r && r != -EDOM)
			return r;
	}
	return 0;
}

/* clone() with any namespace flag; s390 has the flags second. */
static int deny_namespaces(scmp_filter_ctx ctx)
{
	static const unsigned long flags[] = {
		CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,    CLONE_NEWNET,
		CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP,
	};
#ifdef __s390x__
	const unsigned int arg = 1;
#else
	const unsigned int arg = 0;
#endif

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		int r = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM),
					 SCMP_SYS(clone), 1,
					 SCMP_CMP(arg, SCMP_CMP_MASKED_EQ,
						  flags[i], flags[i]));
		if (r)
			return r;
	}
	/* its flags lie in memory, out of reach: glibc falls back to clone */
	return seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3),
				0);
}

/*
 * The network namespace is empty, but not every family lives in it: vsock
 * reaches the machine that hosts us.
 */
static int deny_sockets(scmp_filter_ctx ctx)
{
	int r = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EAFNOSUPPORT),
				 SCMP_SYS(socket), 1,
				 SCMP_A0(SCMP_CMP_NE, AF_UNIX));
	if (r)
		return r;
	/* typing into the terminal of whoever started us */
	return seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
				SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu,
					TIOCSTI));
}

int sandbox_filter(void)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int r;

	if (!ctx)
		return -ENOMEM;
	r = deny_names(ctx);
	if (!r)
		r = deny_namespaces(ctx);
	if (!r)
		r = deny_sockets(ctx);
	if (!r)
		r = seccomp_load(ctx);
	seccomp_release(ctx);
	return r;
}
