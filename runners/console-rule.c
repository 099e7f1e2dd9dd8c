/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/console-rule.h"

#include "lib/cleanup.h"

#define END { .first = NULL }

static const char *const skip_hung[] = { "synchronize_net", "console_lock", NULL };
static const char *const skip_kmalloc[] = { "relay_alloc*", NULL };
static const char *const skip_usb[] = {
	"usb_submit_urb", "usb_start_wait_urb", "usb_bulk_msg", NULL
};
static const char *const skip_copy[] = {
	"_copy_to_iter", "simple_copy_to_iter", "copyout", "copy_page_to_iter",
	"copy_folio_to_iter", "iterate_*", "usb_submit_urb", "copyout_iter",
	"copy_to_iter", "usb_*", NULL
};

/* What only allocates for its caller, or takes a reference for it. */
static const char *const skip_leak[] = {
	"__alloc_skb", "alloc_skb*", "dev_alloc_skb", "__netdev_alloc_skb",
	"netdev_alloc_skb*", "__napi_alloc_skb", "__alloc_percpu*", "alloc_percpu*",
	"*_map_alloc", "htab_map_alloc", "array_map_alloc", "__list_lru_init",
	"list_lru_*", "sget_userns", "alloc_*", "*_alloc", "getname*",
	"kobject_*", "device_private_init", "kstrdup*", "__get_user_pages*",
	"audit_alloc*", "prepare_creds", "copy_process", NULL
};

static const struct con_rule rules_bug[] = {
	{ "BUG: KASAN: double-free or invalid-free in %f", NULL,
	  "KASAN: invalid-free in {F}", "KASAN-INVALID-FREE", "invalid-free",
	  SRC_STACK, NULL, CON_STACK | CON_DUMPED },
	{ "BUG: KASAN: double-free in %f", NULL, "KASAN: double-free in {F}",
	  "KASAN-INVALID-FREE", "invalid-free", SRC_STACK, NULL, CON_STACK | CON_DUMPED },
	{ "BUG: KASAN: invalid-free in %f", NULL, "KASAN: invalid-free in {F}",
	  "KASAN-INVALID-FREE", "invalid-free", SRC_STACK, NULL, CON_STACK | CON_DUMPED },
	{ "BUG: KASAN: %w in %f", "%w of size ", "KASAN: {1} {5} in {F}",
	  "KASAN-", "bad-access", SRC_STACK, NULL, CON_STACK | CON_DUMPED | CON_FROM_LINE },
	{ "BUG: KASAN: %w on address", "%w of size ", "KASAN: {1} {5} in {F}",
	  "KASAN-", "bad-access", SRC_STACK, NULL, CON_STACK | CON_DUMPED | CON_BARE },
	{ "BUG: KASAN: %w in %f", "%w at addr ", "KASAN: {1} {5} in {F}",
	  "KASAN-", "bad-access", SRC_STACK, NULL,
	  CON_STACK | CON_DUMPED | CON_FROM_LINE },
	{ "BUG: KASAN: %w ", NULL, "KASAN: {*}", "KASAN-", NULL, SRC_NONE, NULL,
	  CON_CORRUPTED },
	{ "BUG: KMSAN: uninit-value in %f", NULL,
	  "KMSAN: uninit-value in {F}", "KMSAN-UNINIT-VALUE", "bad-access",
	  SRC_STACK, NULL, CON_STACK },
	{ "BUG: KMSAN: kernel-usb-infoleak in %f", NULL,
	  "KMSAN: kernel-usb-infoleak in {F}", "KMSAN-INFO-LEAK", "KMSAN origin",
	  SRC_STACK, skip_copy, CON_STACK },
	{ "BUG: KMSAN: %w in %f", NULL, "KMSAN: {1} in {F}", "KMSAN-INFO-LEAK",
	  "bad-access", SRC_STACK, skip_copy, CON_STACK },
	{ "BUG: KCSAN: data-race in %f / %f", NULL,
	  "KCSAN: data-race in {1} / {2}", "KCSAN-DATARACE", NULL, SRC_LINE,
	  NULL, CON_STACK },
	{ "BUG: KCSAN: data-race in %f", NULL, "KCSAN: data-race in {F}",
	  "KCSAN-DATARACE", NULL, SRC_LINE, NULL, CON_STACK },
	{ "BUG: KCSAN: assert: race in %f", NULL,
	  "KCSAN: assert: race in {F}", "KCSAN-ASSERT", NULL, SRC_LINE, NULL,
	  CON_STACK },
	{ "BUG: KFENCE: %* in %f", NULL, "KFENCE: {1} in {F}", "KFENCE-",
	  "bad-access", SRC_STACK, NULL, CON_STACK },
	{ "BUG: KFENCE: %*", NULL, "KFENCE: {1} in {F}", "KFENCE-",
	  "bad-access", SRC_STACK, NULL, CON_STACK },
	{ "BUG: unable to handle kernel paging request", NULL,
	  "BUG: unable to handle kernel paging request in {F}",
	  "MEMORY_SAFETY_BUG", "bad-access", SRC_STACK, NULL, CON_STACK },
	{ "BUG: unable to handle page fault for address", NULL,
	  "BUG: unable to handle kernel paging request in {F}",
	  "MEMORY_SAFETY_BUG", "bad-access", SRC_STACK, NULL, CON_STACK },
	{ "BUG: unable to handle kernel NULL pointer dereference", NULL,
	  "BUG: unable to handle kernel NULL pointer dereference in {F}",
	  "NULL-POINTER-DEREFERENCE", "bad-access", SRC_STACK, NULL, CON_STACK },
	{ "BUG: kernel NULL pointer dereference", NULL,
	  "BUG: unable to handle kernel NULL pointer dereference in {F}",
	  "NULL-POINTER-DEREFERENCE", "bad-access", SRC_STACK, NULL, CON_STACK },
	{ "BUG: Unable to handle kernel %* at ", NULL,
	  "BUG: unable to handle kernel access in {F}", "MEMORY_SAFETY_BUG",
	  "bad-access", SRC_STACK, NULL, CON_STACK },
	{ "BUG: spinlock lockup suspected", NULL,
	  "BUG: spinlock lockup suspected in {F}", "LOCKDEP", NULL, SRC_STACK,
	  NULL, CON_STACK },
	{ "BUG: spinlock %* on CPU", NULL, "BUG: spinlock {1} in {F}",
	  "LOCKDEP", NULL, SRC_STACK, NULL, CON_STACK | CON_DUMPED },
	{ "BUG: rwlock %* on CPU", NULL, "BUG: rwlock {1} in {F}", "LOCKDEP",
	  NULL, SRC_STACK, NULL, CON_STACK | CON_DUMPED },
	{ "BUG: soft lockup", NULL, "BUG: soft lockup in {F}", "HANG", "stall",
	  SRC_WORK, NULL, CON_STACK },
	{ "BUG: workqueue leaked lock or atomic", "last function: %f",
	  "BUG: workqueue leaked lock or atomic in {F}", "UNKNOWN", NULL,
	  SRC_NEAR, NULL, 0 },
	{ "BUG: workqueue leaked", "last function: %f",
	  "BUG: workqueue leaked atomic, lock or RCU in {F}", "UNKNOWN", NULL,
	  SRC_NEAR, NULL, 0 },
	{ "BUG: workqueue lockup", NULL, "BUG: workqueue lockup", "HANG", NULL,
	  SRC_NONE, NULL, 0 },
	{ "BUG: using %w in preemptible", NULL,
	  "BUG: using {1} in preemptible code in {F}", "LOCKDEP", NULL,
	  SRC_STACK, NULL, CON_STACK | CON_DUMPED },
	{ "BUG: bad unlock balance detected", NULL,
	  "BUG: bad unlock balance in {F}", "LOCKDEP", NULL, SRC_STACK, NULL,
	  CON_STACK | CON_DUMPED },
	{ "BUG: held lock freed", NULL, "BUG: held lock freed in {F}",
	  "LOCKDEP", NULL, SRC_STACK, NULL, CON_STACK },
	{ "BUG: lock held when returning to user space", " at: %f",
	  "BUG: lock held when returning to user space in {F}", "UNKNOWN",
	  NULL, SRC_NEAR, NULL, 0 },
	{ "BUG: Invalid wait context", NULL, "WARNING: locking bug in {F}",
	  "LOCKDEP", NULL, SRC_STACK, NULL, CON_STACK | CON_DUMPED },
	{ "BUG: %w still has locks held", " at: %f",
	  "BUG: still has locks held in {F}", "LOCKDEP", NULL, SRC_NEAR, NULL,
	  CON_STACK },
	{ "BUG: Bad rss-counter state", NULL, "BUG: Bad rss-counter state",
	  "UNKNOWN", NULL, SRC_NONE, NULL, 0 },
	{ "BUG: non-zero pgtables_bytes on freeing mm", NULL,
	  "BUG: non-zero pgtables_bytes on freeing mm", "UNKNOWN", NULL,
	  SRC_NONE, NULL, 0 },
	{ "BUG: Bad page map", "Call %*race:",
	  "BUG: Bad page map in {F}", "UNKNOWN", NULL, SRC_STACK, NULL,
	  CON_STACK },
	{ "BUG: Bad page map", NULL, "BUG: Bad page map", "UNKNOWN", NULL,
	  SRC_NONE, NULL, CON_CORRUPTED },
	{ "BUG: Bad page state", NULL, "BUG: Bad page state in {F}", "UNKNOWN",
	  NULL, SRC_ALLOC, NULL, 0 },
	{ "BUG: Bad page cache", NULL, "BUG: Bad page cache in {F}", "UNKNOWN",
	  NULL, SRC_STACK, NULL, CON_STACK },
	{ "BUG: sleeping function called from invalid context", NULL,
	  "BUG: sleeping function called from invalid context in {F}",
	  "ATOMIC_SLEEP", NULL, SRC_STACK, NULL, CON_STACK | CON_DUMPED },
	{ "BUG: scheduling while atomic", NULL,
	  "BUG: scheduling while atomic in {F}", "ATOMIC_SLEEP", NULL,
	  SRC_STACK, NULL, CON_STACK | CON_DUMPED },
	{ "BUG: stack guard page was hit", NULL,
	  "BUG: stack guard page was hit in {F}", "UNKNOWN", "stack-overflow",
	  SRC_WORK, NULL, CON_STACK },
	{ "BUG: %w stack guard page was hit", NULL,
	  "BUG: stack guard page was hit in {F}", "UNKNOWN", "stack-overflow",
	  SRC_WORK, NULL, CON_STACK },
	{ "BUG: Dentry %* still in use (%d) [unmount of ", NULL,
	  "BUG: Dentry still in use in unmount", "UNKNOWN", NULL, SRC_NONE,
	  NULL, CON_ALT_LINE },
	{ "BUG: unable to handle", NULL, "BUG: unable to handle {F}",
	  "UNKNOWN", NULL, SRC_STACK, NULL, CON_STACK },
	{ "BUG: memory leak", "unreferenced object", "memory leak in {F}",
	  "LEAK", NULL, SRC_STACK, skip_leak, 0 },
	{ "BUG: %w", NULL, "BUG: {*}", "UNKNOWN", NULL, SRC_NONE, NULL, 0 },
	END
};

static const struct con_rule rules_kernel_bug[] = {
	{ "BUG at mm/usercopy.c", NULL, "BUG: bad usercopy in {F}",
	  "BUG", NULL, SRC_STACK, NULL, CON_STACK },
	{ "BUG at lib/list_debug.c", NULL,
	  "BUG: corrupted list in {F}", "MEMORY_SAFETY_BUG", "bad-access",
	  SRC_STACK, NULL, CON_STACK },
	{ "BUG at ", NULL, "kernel BUG in {F}", "BUG", NULL, SRC_STACK,
	  NULL, CON_STACK },
	{ "BUG in ", NULL, "kernel BUG in {F}", "BUG", NULL, SRC_STACK,
	  NULL, CON_STACK },
	{ "BUG %w (%*): kasan: bad access", NULL, "", "", NULL, SRC_NONE, NULL,
	  CON_NO_REPORT },
	{ "BUG %w (%*): %*", NULL, "BUG: {3}", "DoS", NULL, SRC_NONE, NULL,
	  CON_CORRUPTED },
	END
};

static const struct con_rule rules_warning[] = {
	{ "WARNING: kernel stack regs at %x in %*has bad '%*' value", NULL,
	  "WARNING: kernel stack regs has bad '{2}' value", "UNKNOWN", NULL,
	  SRC_NONE, NULL, 0 },
	{ "WARNING: kernel stack regs %*has bad ", NULL,
	  "WARNING: kernel stack regs has bad value", "UNKNOWN", NULL,
	  SRC_NONE, NULL, 0 },
	{ "WARNING: kernel stack frame pointer %*has bad value", NULL,
	  "WARNING: kernel stack frame pointer has bad value", "UNKNOWN",
	  NULL, SRC_NONE, NULL, 0 },
	{ "WARNING: %*lib/refcount.c:", NULL, "WARNING: refcount bug in {F}",
	  "REFCOUNT_WARNING", NULL, SRC_STACK, NULL, CON_STACK },
	{ "WARNING: %*kernel/locking/lockdep.c:", NULL,
	  "WARNING: locking bug in {F}", "LOCKDEP", NULL, SRC_STACK, NULL,
	  CON_STACK },
	{ "WARNING: %*lib/debugobjects.c:", NULL, "WARNING: ODEBUG bug in {F}",
	  "WARNING", NULL, SRC_STACK, NULL, CON_STACK },
	{ "WARNING: %*mm/slab_common.c:%d kmalloc_slab", NULL,
	  "WARNING: kmalloc bug in {F}", "WARNING", NULL, SRC_STACK,
	  skip_kmalloc, CON_STACK },
	{ "WARNING: %*mm/util.c:%d kvmalloc_node", NULL,
	  "WARNING: kmalloc bug in {F}", "WARNING", NULL, SRC_STACK,
	  skip_kmalloc, CON_STACK },
	{ "WARNING: %*mm/vmalloc.c:%d __vmalloc_node", NULL,
	  "WARNING: zero-size vmalloc in {F}", "WARNING", NULL, SRC_STACK,
	  NULL, CON_STACK },
	{ "WARNING: %*drivers/usb/core/urb.c:%d usb_submit_urb", NULL,
	  "WARNING in {F}/usb_submit_urb", "WARNING", NULL, SRC_STACK,
	  skip_usb, CON_STACK },
	{ "WARNING: CPU: ", NULL, "WARNING in {F}", "WARNING", NULL, SRC_STACK,
	  NULL, CON_STACK },
	{ "WARNING: %*.c:%d at ", NULL, "WARNING in {F}", "WARNING", NULL,
	  SRC_STACK, NULL, CON_STACK },
	{ "WARNING: %*.h:%d at ", NULL, "WARNING in {F}", "WARNING", NULL,
	  SRC_STACK, NULL, CON_STACK },
	{ "WARNING: at ", NULL, "WARNING in {F}", "WARNING", NULL, SRC_STACK,
	  NULL, CON_STACK },
	{ "WARNING: possible circular locking dependency detected",
	  "trying to acquire lock", "possible deadlock in {F}", "LOCKDEP", NULL,
	  SRC_NEAR, NULL, CON_STACK },
	{ "WARNING: possible recursive locking detected",
	  "trying to acquire lock", "possible deadlock in {F}", "LOCKDEP", NULL,
	  SRC_NEAR, NULL, CON_STACK },
	{ "WARNING: possible irq lock inversion dependency detected", NULL,
	  "possible deadlock in {F}", "LOCKDEP", NULL, SRC_STACK, NULL,
	  CON_STACK | CON_DUMPED },
	{ "WARNING: %*-safe -> %*-unsafe lock order detected",
	  "which became %*-safe at:", "possible deadlock in {F}",
	  "LOCKDEP", NULL, SRC_AFTER, NULL, CON_STACK },
	{ "INFO: %*-safe -> %*-unsafe lock order detected",
	  "which became %*-safe at:", "possible deadlock in {F}",
	  "LOCKDEP", NULL, SRC_AFTER, NULL, CON_STACK },
	{ "WARNING: inconsistent lock state", NULL,
	  "inconsistent lock state in {F}", "LOCKDEP", NULL, SRC_STACK, NULL,
	  CON_STACK | CON_DUMPED },
	{ "WARNING: suspicious RCU usage", "stack backtrace",
	  "WARNING: suspicious RCU usage in {F}", "LOCKDEP", NULL, SRC_STACK,
	  NULL, CON_STACK | CON_DUMPED | CON_HEADED },
	{ "WARNING: suspicious RCU usage", NULL,
	  "WARNING: suspicious RCU usage", "WARNING", NULL, SRC_NONE, NULL,
	  CON_CORRUPTED | CON_DUMPED },
	{ "WARNING: held lock freed", " at: %f",
	  "WARNING: held lock freed in {F}", "LOCKDEP", NULL, SRC_NEAR, NULL,
	  CON_STACK },
	{ "WARNING: %w still has locks held", " at: %f",
	  "WARNING: still has locks held in {F}", "LOCKDEP", NULL, SRC_NEAR,
	  NULL, CON_STACK },
	{ "WARNING: bad unlock balance detected", NULL,
	  "WARNING: bad unlock balance in {F}", "LOCKDEP", NULL, SRC_STACK,
	  NULL, CON_STACK | CON_DUMPED },
	{ "WARNING: Nested lock was not taken", NULL,
	  "WARNING: nested lock was not taken in {F}", "LOCKDEP", NULL,
	  SRC_STACK, NULL, CON_STACK | CON_DUMPED },
	{ "WARNING: lock held when returning to user space", " at: %f",
	  "WARNING: lock held when returning to user space in {F}", "LOCKDEP",
	  NULL, SRC_NEAR, NULL, 0 },
	{ "WARNING: possible %w", NULL, "WARNING: {*}", "WARNING", NULL,
	  SRC_NONE, NULL, CON_CORRUPTED },
	/* strings of a program file that somebody printed */
	{ "WARNING: Unsupported flag value(s) of ", NULL, "", "UNKNOWN", NULL,
	  SRC_NONE, NULL, 0 },
	{ "WARNING: /etc/ssh/moduli", NULL, "", "", NULL, SRC_NONE, NULL,
	  CON_NO_REPORT },
	{ "WARNING: The mand mount option", NULL, "", "", NULL, SRC_NONE, NULL,
	  CON_NO_REPORT },
	{ "WARNING: Unprivileged eBPF", NULL, "", "", NULL, SRC_NONE, NULL,
	  CON_NO_REPORT },
	{ "WARNING: Reset corrupted AGFL", NULL, "", "", NULL, SRC_NONE, NULL,
	  CON_NO_REPORT },
	{ "WARNING: %w", NULL, "WARNING: {*}", "WARNING", NULL, SRC_NONE, NULL,
	  0 },
	END
};

static const struct con_rule rules_info[] = {
	{ "INFO: possible circular locking dependency detected",
	  "trying to acquire lock", "possible deadlock in {F}", "LOCKDEP", NULL,
	  SRC_NEAR, NULL, CON_STACK },
	{ "INFO: possible recursive locking detected",
	  "trying to acquire lock", "possible deadlock in {F}", "LOCKDEP", NULL,
	  SRC_NEAR, NULL, CON_STACK },
	{ "INFO: possible irq lock inversion", NULL,
	  "possible deadlock in {F}", "LOCKDEP", NULL, SRC_STACK, NULL,
	  CON_STACK },
	{ "INFO: inconsistent lock state", NULL,
	  "inconsistent lock state in {F}", "LOCKDEP", NULL, SRC_STACK, NULL,
	  CON_STACK | CON_DUMPED },
	{ "INFO: %w detected%* stall", NULL, "INFO: rcu detected stall in {F}",
	  "HANG", "stall", SRC_WORK, NULL, CON_STACK | CON_TIMER },
	{ "INFO: %w self-detected stall", NULL,
	  "INFO: rcu detected stall in {F}", "HANG", "stall", SRC_WORK, NULL,
	  CON_STACK | CON_TIMER },
	{ "INFO: task %* can't die in ", NULL, "INFO: task can't die in {F}",
	  "HANG", "hang", SRC_STACK, NULL, CON_STACK },
	{ "INFO: task %* can't die for", NULL, "INFO: task can't die in {F}",
	  "HANG", "hang", SRC_STACK, NULL, CON_STACK },
	{ "INFO: task %* blocked for more than", NULL,
	  "INFO: task hung in {F}", "HANG", "hang", SRC_STACK, skip_hung,
	  CON_STACK },
	{ "INFO: task %* blocked in I/O wait for more than", NULL,
	  "INFO: task hung in {F}", "HANG", "hang", SRC_STACK, skip_hung,
	  CON_STACK },
	{ "INFO: suspicious RCU usage", "stack backtrace",
	  "WARNING: suspicious RCU usage in {F}", "LOCKDEP", NULL, SRC_STACK,
	  NULL, CON_STACK | CON_DUMPED | CON_HEADED },
	{ "INFO: suspicious RCU usage", NULL, "WARNING: suspicious RCU usage",
	  "WARNING", NULL, SRC_NONE, NULL, CON_CORRUPTED | CON_DUMPED },
	{ "INFO: trying to register non-static key", NULL,
	  "INFO: trying to register non-static key in {F}", "UNKNOWN", NULL,
	  SRC_STACK, NULL, CON_STACK | CON_DUMPED },
	{ "INFO: lockdep is turned off", NULL, "", "", NULL, SRC_NONE, NULL,
	  CON_NO_REPORT },
	{ "INFO: Stall ended before", NULL, "", "", NULL, SRC_NONE, NULL,
	  CON_NO_REPORT },
	{ "INFO: NMI handler", NULL, "", "", NULL, SRC_NONE, NULL,
	  CON_NO_REPORT },
	{ "INFO: Allocated in %f", NULL, "INFO: {*}", "UNKNOWN", NULL, SRC_NONE,
	  NULL, CON_CORRUPTED },
	{ "INFO: Freed in %f", NULL, "INFO: {*}", "UNKNOWN", NULL, SRC_NONE,
	  NULL, CON_CORRUPTED },
	{ "INFO: Slab 0x", NULL, "", "", NULL, SRC_NONE, NULL, CON_NO_REPORT },
	{ "INFO: Object 0x", NULL, "", "", NULL, SRC_NONE, NULL,
	  CON_NO_REPORT },
	{ "INFO: recovery required", NULL, "", "", NULL, SRC_NONE, NULL,
	  CON_NO_REPORT },
	END
};

static const struct con_rule rules_panic[] = {
	{ "Kernel panic - not syncing: stack-protector: %*corrupted in: %f",
	  NULL, "kernel panic: stack is corrupted in {2}", "DoS", NULL,
	  SRC_NONE, NULL, CON_PANIC },
	{ "Kernel panic - not syncing: stack-protector: ", NULL,
	  "kernel panic: stack is corrupted in {F}", "DoS", NULL, SRC_STACK,
	  NULL, CON_PANIC },
	{ "Kernel panic - not syncing: corrupted stack end", NULL,
	  "kernel panic: corrupted stack end in {F}", "DoS", "stack-overflow",
	  SRC_WORK, NULL, CON_PANIC | CON_STACK },
	{ "Kernel panic - not syncing: Attempted to kill init!", NULL,
	  "kernel panic: Attempted to kill init!", "DoS", NULL, SRC_NONE, NULL,
	  CON_PANIC },
	{ "Kernel panic - not syncing: Couldn't open N_TTY ldisc", NULL,
	  "kernel panic: Couldn't open N_TTY ldisc", "DoS", NULL, SRC_NONE,
	  NULL, CON_PANIC | CON_STACK },
	{ "Kernel panic - not syncing: panic_on_warn set", NULL,
	  "kernel panic: panic_on_warn set", "DoS", NULL, SRC_NONE, NULL,
	  CON_PANIC | CON_CORRUPTED },
	{ "Kernel panic - not syncing: %*", NULL, "kernel panic: {*}", "DoS",
	  NULL, SRC_NONE, NULL, CON_PANIC },
	END
};

static const struct con_rule rules_ubsan[] = {
	{ "UBSAN: Undefined behaviour in", NULL,
	  "UBSAN: undefined-behaviour in {F}", "UBSAN", NULL, SRC_STACK, NULL,
	  CON_STACK | CON_DUMPED },
	{ "UBSAN: %w in ", NULL, "UBSAN: {1} in {F}", "UBSAN", NULL, SRC_STACK,
	  NULL, CON_STACK | CON_DUMPED },
	END
};

/* Traps of processors: the line ends in "[#1]", the rest is common words. */
static const struct con_rule rules_trap[] = {
	{ "general protection fault", NULL, "general protection fault in {F}",
	  "DoS", "bad-access", SRC_STACK, NULL, CON_STACK },
	{ "divide error: ", NULL, "divide error in {F}", "DoS", NULL, SRC_STACK,
	  NULL, CON_STACK },
	{ "divide_error: ", NULL, "divide error in {F}", "DoS", NULL, SRC_STACK,
	  NULL, CON_STACK },
	{ "stack segment: ", NULL, "stack segment fault in {F}", "DoS", NULL,
	  SRC_STACK, NULL, CON_STACK },
	{ "invalid opcode: ", NULL, "invalid opcode in {F}", "DoS", NULL,
	  SRC_STACK, NULL, CON_STACK },
	/* s390: "addressing exception: 0005 ilc:2 [#1] SMP" and its like */
	{ " ilc:", NULL, "program check in {F}", "DoS", "bad-access",
	  SRC_STACK, NULL, CON_STACK },
	{ "kernel stack overflow", NULL, "kernel stack overflow in {F}", "DoS",
	  "stack-overflow", SRC_WORK, NULL, CON_STACK },
	END
};

static const struct con_rule rules_big_panic[] = {
	{ "PANIC: double fault", NULL, "PANIC: double fault in {F}", "DoS",
	  NULL, SRC_STACK, NULL, CON_STACK },
	END
};

static const struct con_rule rules_arm_access[] = {
	{ "Unable to handle kernel NULL pointer dereference", NULL,
	  "BUG: unable to handle kernel NULL pointer dereference in {F}",
	  "NULL-POINTER-DEREFERENCE", "bad-access", SRC_STACK, NULL, CON_STACK },
	{ "Unable to handle kernel pointer dereference", NULL,
	  "BUG: unable to handle kernel pointer dereference in {F}",
	  "MEMORY_SAFETY_BUG", "bad-access", SRC_STACK, NULL, CON_STACK },
	{ "Unable to handle kernel ", NULL,
	  "BUG: unable to handle kernel paging request in {F}",
	  "MEMORY_SAFETY_BUG", "bad-access", SRC_STACK, NULL, CON_STACK },
	END
};

static const struct con_rule rules_unhandled[] = {
	{ "Unhandled fault: ", NULL, "Unhandled fault in {F}", "DoS",
	  "bad-access", SRC_STACK, NULL, CON_STACK },
	END
};

static const struct con_rule rules_alignment[] = {
	{ "Alignment trap: ", NULL, "Alignment trap in {F}", "DoS", NULL,
	  SRC_STACK, NULL, CON_STACK | CON_NO_FRAME },
	END
};

static const struct con_rule rules_internal[] = {
	{ "Internal error: ", NULL, "Internal error in {F}", "DoS",
	  "bad-access", SRC_STACK, NULL, CON_STACK },
	END
};

static const struct con_rule rules_oops[] = {
	{ "Oops: general protection fault", NULL,
	  "general protection fault in {F}", "DoS", "bad-access", SRC_STACK,
	  NULL, CON_STACK },
	{ "Oops: divide error", NULL, "divide error in {F}", "DoS", NULL,
	  SRC_STACK, NULL, CON_STACK },
	{ "Oops: ", NULL, "Oops in {F}", "DoS", "bad-access", SRC_STACK, NULL,
	  CON_STACK },
	{ "Oops [", NULL, "Oops in {F}", "DoS", "bad-access", SRC_STACK, NULL,
	  CON_STACK },
	END
};

static const struct con_rule rules_netdev[] = {
	{ "unregister_netdevice: waiting for", NULL,
	  "unregister_netdevice: waiting for DEV to become free", "DoS", NULL,
	  SRC_NONE, NULL, 0 },
	END
};

static const struct con_rule rules_vfs[] = {
	{ "VFS: Close: file count is", NULL,
	  "VFS: Close: file count is zero (use-after-free)", "DoS", NULL,
	  SRC_NONE, NULL, 0 },
	END
};

static const struct con_rule rules_watchdog[] = {
	{ "Watchdog detected hard LOCKUP", NULL,
	  "BUG: hard lockup in {F}", "HANG", "stall", SRC_WORK, NULL,
	  CON_STACK },
	{ "Watchdog CPU:%* detected Hard LOCKUP", NULL,
	  "BUG: hard lockup in {F}", "HANG", "stall", SRC_WORK, NULL,
	  CON_STACK },
	{ "Watchdog CPU:%* Hard LOCKUP", NULL, "BUG: hard lockup in {F}",
	  "HANG", "stall", SRC_WORK, NULL, CON_STACK },
	END
};

static const struct con_rule rules_trusty[] = {
	{ "trusty: panic (caller %*): ASSERT FAILED at (%*): %*", NULL,
	  "trusty: ASSERT FAILED: {3}", "DoS", NULL, SRC_NONE, NULL, 0 },
	{ "trusty: panic (caller %*): %*", NULL, "trusty: panic: {2}", "DoS",
	  NULL, SRC_NONE, NULL, 0 },
	{ "trusty: panic", "ASSERT FAILED at (%*): %*",
	  "trusty: ASSERT FAILED: {6}", "DoS", NULL, SRC_NONE, NULL, 0 },
	END
};

static const struct con_rule rules_reboot[] = {
	{ "Booting the kernel", NULL, "unexpected kernel reboot", "REBOOT",
	  NULL, SRC_NONE, NULL, 0 },
	{ "Decompressing Linux", NULL, "unexpected kernel reboot", "REBOOT",
	  NULL, SRC_NONE, NULL, 0 },
	END
};

static const struct con_rule rules_fuzzer[] = {
	{ "SYZFAIL: %*", NULL, "SYZFAIL: {1}", "SYZ_FAILURE", NULL, SRC_NONE,
	  NULL, 0 },
	END
};

static const struct con_rule rules_go[] = {
	{ "fatal error: %*", "runtime stack:", "go runtime error", "DoS", NULL,
	  SRC_NONE, NULL, 0 },
	END
};

static const struct con_rule rules_smashed[] = {
	{ "*** stack smashing detected ***", NULL, "", "UNKNOWN", NULL, SRC_NONE,
	  NULL, CON_NO_REPORT },
	END
};

static const struct con_rule rules_oom[] = {
	{ "Out of memory and no killable processes", NULL,
	  "kernel panic: Out of memory and no killable processes", "DoS", NULL,
	  SRC_NONE, NULL, 0 },
	END
};

static const struct con_rule rules_align_unaligned[] = {
	{ "Kernel unaligned access at", NULL,
	  "kernel unaligned access in {F}", "DoS", NULL, SRC_STACK, NULL, 0 },
	{ "Kernel unaligned instruction access", NULL,
	  "kernel unaligned access in {F}", "DoS", NULL, SRC_STACK, NULL, 0 },
	END
};

const struct con_family con_families[] = {
	{ "BUG: ", rules_bug },
	{ "BUG ", rules_kernel_bug },
	{ "WARNING: ", rules_warning },
	{ "INFO: ", rules_info },
	{ "Kernel panic - not syncing", rules_panic },
	{ "UBSAN: ", rules_ubsan },
	{ " [#1]", rules_trap, true },
	{ " [#2]", rules_trap, true },
	{ "PANIC: double fault", rules_big_panic },
	{ "Unable to handle kernel ", rules_arm_access },
	{ "Unhandled fault: ", rules_unhandled },
	{ "Alignment trap: ", rules_alignment },
	{ "Internal error: ", rules_internal },
	{ "Oops: ", rules_oops },
	{ "Oops [", rules_oops },
	{ "r_netdevice: waiting", rules_netdev, true },
	{ "VFS: Close: file count", rules_vfs },
	{ "Watchdog detected hard", rules_watchdog },
	{ "Watchdog CPU:", rules_watchdog },
	{ "trusty: panic", rules_trusty },
	{ "Booting the kernel", rules_reboot },
	{ "Decompressing Linux", rules_reboot },
	{ "SYZFAIL: ", rules_fuzzer },
	{ "fatal error: ", rules_go },
	{ "*** stack smashing detected", rules_smashed },
	{ "Out of memory and no killable", rules_oom },
	{ "Kernel unaligned", rules_align_unaligned },
};

const size_t con_nr_families = ARRAY_SIZE(con_families);
