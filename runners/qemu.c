// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/qemu.h"

#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"

/*
 * @console: how the console hangs on the character device "con"
 * @bus: how the results port's bus does
 * @disk: the device of a virtio disk
 * @numa: the machine knows NUMA nodes
 * @append: consoles, the early one too: a kernel may die before the other is up
 */
struct machine {
	const char *arch;
	const char *program;
	const char *machine;
	const char *console[2];
	const char *bus;
	const char *disk;
	bool numa;
	const char *append;
};

static const struct machine machines[] = {
	{ "x86_64", "qemu-system-x86_64", "pc",
	  { "-serial", "chardev:con" }, "virtio-serial-pci",
	  "virtio-blk-pci", true,
	  /* on a busy host the timer ticks too late for the kernel's check */
	  "no_timer_check earlycon=uart8250,io,0x3f8,115200n8 console=ttyS0" },
	{ "arm64", "qemu-system-aarch64", "virt",
	  { "-serial", "chardev:con" }, "virtio-serial-pci",
	  "virtio-blk-pci", true, "earlycon console=ttyAMA0" },
	{ "s390", "qemu-system-s390x", "s390-ccw-virtio",
	  { "-device", "sclpconsole,chardev=con" }, "virtio-serial-ccw",
	  "virtio-blk-ccw", false,
	  "earlyprintk console=ttyS0 console=ttysclp0" },
};

static const struct machine *machine_of(const char *arch)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (!strcmp(machines[i].arch, arch))
			return &machines[i];
	return NULL;
}

bool qemu_arch_known(const char *arch)
{
	return machine_of(arch) != NULL;
}

const char *qemu_program(const char *arch)
{
	const struct machine *m = machine_of(arch);

	return m ? m->program : NULL;
}

void qemu_args_release(struct qemu_args *a)
{
	for (size_t i = 0; i < a->argc; i++)
		free(a->argv[i]);
	memset(a, 0, sizeof(*a));
}

/* Takes @arg over; %QEMU_MAX_ARGS is more than all calls below together. */
static void add(struct qemu_args *a, char *arg)
{
	a->argv[a->argc++] = arg;
}

static void add2(struct qemu_args *a, const char *option, char *value)
{
	add(a, xstrdup(option));
	add(a, value);
}

static void add_accel(struct qemu_args *a, const struct qemu_spec *s)
{
	add2(a, "-accel", xstrdup(s->kvm ? "kvm" : "tcg"));
	add2(a, "-cpu", xstrdup(s->kvm ? "host" : "max"));
	if (!s->icount)
		return;
	add2(a, "-icount", xstrdup("shift=0,sleep=off"));
	/* nor may the time of day or random numbers differ between two boots */
	add2(a, "-rtc", xstrdup("base=2024-01-01T00:00:00,clock=vm"));
	add2(a, "-seed", xstrdup("1"));
}

static void add_memory(struct qemu_args *a, const struct qemu_spec *s,
		       const struct machine *m)
{
	unsigned int cpus = s->icount ? 1 : s->cpus;
	unsigned int nodes = m->numa && s->nodes > 1 ? min(s->nodes, cpus) : 0;
	unsigned int each = nodes ? s->memory_mib / nodes : 0;

	add2(a, "-m", xasprintf("%u", nodes ? each * nodes : s->memory_mib));
	add2(a, "-smp", xasprintf("%u", cpus));
	for (unsigned int i = 0; i < nodes; i++) {
		unsigned int first = i * cpus / nodes;
		unsigned int last = (i + 1) * cpus / nodes - 1;

		add2(a, "-object", xasprintf("memory-backend-ram,id=m%u,"
					     "size=%uM", i, each));
		add2(a, "-numa", xasprintf("node,nodeid=%u,memdev=m%u,"
					   "cpus=%u-%u", i, i, first, last));
	}
}

static void add_disk(struct qemu_args *a, const struct qemu_spec *s,
		     const struct machine *m)
{
	if (!s->disk)
		return;
	add2(a, "-drive", xasprintf("file=%s,format=raw,if=none,id=disk,"
				    "cache=unsafe", s->disk));
	add2(a, "-device", xasprintf("%s,drive=disk", m->disk));
}

static void add_channels(struct qemu_args *a, const struct qemu_spec *s,
			 const struct machine *m)
{
	add2(a, "-chardev", xasprintf("socket,id=con,fd=%d", s->console_fd));
	add2(a, m->console[0], xstrdup(m->console[1]));
	add2(a, "-chardev", xasprintf("socket,id=res,fd=%d", s->results_fd));
	add2(a, "-device", xstrdup(m->bus));
	add2(a, "-device",
	     xstrdup("virtserialport,chardev=res,name=" QEMU_RESULTS_PORT));
	add2(a, "-chardev", xasprintf("socket,id=qmp,fd=%d", s->monitor_fd));
	add2(a, "-mon", xstrdup("chardev=qmp,mode=control"));
}

/*
 * An emulated kernel on a busy host is not stuck when its timers come late: its
 * watchdogs, of 20 and 21 seconds, would report lockups and stalls that nobody
 * caused. A guest that does hang is ended by the limits of the boot.
 */
#define EMULATED_WATCHDOGS " watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120"

int qemu_args_build(const struct qemu_spec *spec, struct qemu_args *ret)
{
	const struct machine *m = machine_of(spec->arch);

	memset(ret, 0, sizeof(*ret));
	if (!m)
		return -EINVAL;
	add(ret, xstrdup(m->program));
	add2(ret, "-M", xstrdup(m->machine));
	add_accel(ret, spec);
	add_memory(ret, spec, m);
	/* no network card, no screen: less for the guest to find */
	add(ret, xstrdup("-nodefaults"));
	add2(ret, "-display", xstrdup("none"));
	add(ret, xstrdup("-no-reboot"));
	add_channels(ret, spec, m);
	add_disk(ret, spec, m);
	add2(ret, "-kernel", xstrdup(spec->image));
	add2(ret, "-initrd", xstrdup(spec->initrd));
	/*
	 * An oops ends the guest, so that it is charged to the test that ran;
	 * warnings are shown on the console (level 4 is below 5). The task
	 * dump of a hanging guest is asked for by sysrq.
	 */
	add2(ret, "-append",
	     xasprintf("%s panic=-1 oops=panic loglevel=5"
		       " sysrq_always_enabled rdinit=/init%s%s%s%s",
		       m->append, spec->kvm ? "" : EMULATED_WATCHDOGS,
		       spec->icount ? " nokaslr norandmaps" : "",
		       spec->append ? " " : "",
		       spec->append ? spec->append : ""));
	return 0;
}

void qemu_recipe(const char *arch, const char *image, const char *fold,
		 struct strbuf *out)
{
	const struct machine *m = machine_of(arch);

	if (!m)
		return;
	strbuf_addf(out, "%s -M %s -accel tcg -cpu max -m 512%s"
			 "-nographic -no-reboot%s"
			 "-kernel %s -initrd ROOTFS%s"
			 "-append \"%s panic=-1\"",
		    m->program, m->machine, fold, fold, image, fold, m->append);
}

void qemu_args_text(const struct qemu_args *a, struct strbuf *out)
{
	for (size_t i = 0; i < a->argc; i++) {
		const char *arg = a->argv[i];
		bool plain = arg[0] && !strpbrk(arg, " \t\n\"'\\$`|&;<>()*?#~");

		strbuf_addstr(out, i ? " " : "");
		if (plain) {
			strbuf_addstr(out, arg);
			continue;
		}
		strbuf_addch(out, '\'');
		for (; *arg; arg++) {
			if (*arg == '\'')
				strbuf_addstr(out, "'\\''");
			else
				strbuf_addch(out, *arg);
		}
		strbuf_addch(out, '\'');
	}
}
