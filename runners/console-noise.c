/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/cleanup.h"
#include "runners/console-rule.h"

/*
 * Functions that are in a stack because something was noticed, not because
 * they did it. A name that ends in "*" stands for all that begin so.
 */
static const char *const noise[] = {
	/* printing and stopping */
	"dump_stack*", "show_stack*", "dump_backtrace*", "panic", "__warn*",
	"warn_slowpath*", "report_bug", "fixup_bug", "do_error_trap", "do_trap*",
	"do_invalid_op", "invalid_op", "handle_bug", "exc_invalid_op",
	"asm_exc_invalid_op", "bug_handler", "call_break_hook", "brk_handler",
	"do_debug_exception", "el1_dbg", "el1h_64_sync*", "el1_sync*",
	"unwind_backtrace", "__die", "die", "oops_end", "oops_begin",
	"show_regs*", "__show_regs", "bad_area*", "__bad_area*", "no_context",
	"page_fault", "do_page_fault", "__do_page_fault", "async_page_fault",
	"exc_page_fault", "asm_exc_page_fault", "do_user_addr_fault",
	"do_kern_addr_fault", "do_tag_*", "do_mem_abort", "do_translation_fault",
	"__do_kernel_fault", "die_kernel_fault", "do_sp_pc_abort",
	"general_protection", "do_general_protection",
	"exc_general_protection", "asm_exc_general_protection",
	"double_fault", "__do_user_fault", "do_DataAbort", 
	"do_undefinstr", "__und_svc", "printk", "_printk", "vprintk*",
	"do_report_trap", "trap_show_stack", "show_trace*", "do_trap_break",
	"handle_exception", "el1_abort", "el1_brk64", "el1_bug", "spin_dump",
	"spin_bug", "__schedule_bug", "bad_page", "early_brk64",
	"free_pages_check_bad", "free_page_is_bad", "print_bad_pte",
	"dump_page", "__dump_page", "restore_all", "illegal_instruction",
	"do_el1_undef", "die_if_kernel", "trace_bug", "dev_driver_string",
	"kernel_exc*", "monitor_event_call", "do_bad_area", "el1_abort",
	"el1h_64_irq*", "bad_page_list", "free_page_is_bad*", "assertfail",
	"__phys_addr*", "printk_*", "__printk_*", "_printk*", "el0_irq*",
	"check_panic_on_warn", "__x86_indirect_*", "__x86_return_*",
	/* sanitizers */
	"kasan_*", "__kasan_*", "__asan_*", "check_memory_region*",
	"check_region_inline", "print_address_description*", "print_report*",
	"describe_*", "kmsan_*", "__kmsan_*", "__msan_*", "kcsan_*",
	"__tsan_*", "ubsan_*", "__ubsan_*", "handle_overflow", "val_to_string",
	"__sanitizer_*", "kfence_*", "__kfence_*", "handle_*_overflow",
	"report_double_free", "__hwasan_*", "hwasan_*", "save_stack*",
	"stack_trace_*", "set_track", "end_report", "__stack_chk_fail",
	"asan_*", "memcpy", "memset", "memmove", "__memcpy", "__memset",
	"memcmp", "__memmove", "strlen", "strnlen", "strcmp", "strncmp", "strcpy",
	"strncpy", "strlcpy", "strscpy", "strcat", "strlcat", "strchr",
	"strstr", "strncasecmp", "strcasecmp", "kstrdup", "memchr",
	"memscan", "memchr_inv", "sized_strscpy",
	"copy_from_user*", "_copy_from_user", "copy_to_user*",
	"_copy_to_user", "__copy_user*", "copy_user_*", "__might_fault",
	"might_fault", "instrument_*", "kmemleak_*", "create_object",
	"debug_*", "__debug_*", "check_preemption_disabled",
	"__this_cpu_preempt_check", "check_flags",
	/* atomics and bit operations */
	"atomic*", "arch_atomic*", "raw_atomic*", "test_bit", "_test_bit",
	"test_and_set_bit*", "test_and_clear_bit*", "set_bit", "clear_bit",
	"generic_test_bit", "_find_first_bit", "_find_next_bit",
	"refcount_*", "__refcount_*", "kref_*", "__read_once*", "__write_once*",
	"__lse_*", "__xchg*", "xchg", "cmpxchg*", "virt_to_*", "READ_ONCE*",
	"constant_test_bit", "variable_test_bit", "const_test_bit",
	/* locks and waiting */
	"lock_acquire*", "__lock_acquire*", "lock_release*", "__lock_release",
	"lock_downgrade", "validate_chain", "check_prev*", "check_noncircular",
	"print_circular_bug*", "print_deadlock_bug*", "print_usage_bug*",
	"print_irq_inversion*", "print_unlock_imbalance*", "print_bad_irq*",
	"mark_lock*", "mark_held_locks", "mark_usage", "check_wait_context",
	"lockdep_*", "lock_is_held*", "register_lock_class",
	"assign_lock_key", "look_up_lock_class", "is_dynamic_key",
	"find_held_lock", "trace_hardirqs_*", "trace_softirqs_*",
	"_raw_spin_*", "_raw_read_*", "_raw_write_*", "__raw_spin_*",
	"__raw_read_*", "__raw_write_*", "do_raw_*", "spin_lock*",
	"spin_unlock*", "raw_spin_*", "read_lock*", "write_lock*",
	"read_unlock*", "write_unlock*", "rwlock_bug", "queued_*",
	"native_queued_*", "pv_queued_*", "arch_spin_*", "__pv_queued_*",
	"mutex_lock*", "__mutex_*", "mutex_unlock*", "mutex_trylock*",
	"ww_mutex_*", "mutex_spin_on_owner", "mutex_optimistic_spin",
	"down_read*", "down_write*", "down", "down_trylock", "__down*",
	"__down_common", "down_interruptible", "down_timeout", "up",
	"up_read", "up_write", "__up_*", "rwsem_*", "rt_mutex_*", "__rt_mutex*",
	"call_rwsem_*", "down_killable", "osq_lock", "percpu_down_*",
	"__percpu_*", "percpu_rwsem_*", "__might_sleep", "___might_sleep",
	"__might_resched", "might_sleep", "__cant_migrate", "local_bh_*",
	"__local_bh_*", "rcu_read_*", "rcu_lock_*", "rcu_note_context_switch",
	"rcu_is_watching", "seqcount_*", "do_raw", "lock_torture*",
	"schedule", "__schedule", "schedule_*", "preempt_schedule*",
	"___preempt_schedule", "__cond_resched", "_cond_resched",
	"__switch_to*", "context_switch", "finish_task_switch", "io_schedule*",
	"wait_for_*", "__wait_for_*", "do_wait_for_*", "wait_on_*",
	"__wait_on_*", "out_of_line_wait_*", "__wait_rcu_gp", "bit_wait*",
	"complete", "complete_all", "prepare_to_wait*", "__flush_work",
	"flush_work", "__cancel_work*", "autoremove_*", "swait_*",
	"completion_done", "__down_interruptible", "lock_timer_base",
	"io_wait*", "folio_wait_*", "__folio_lock*",
	/* memory allocation */
	"kmalloc*", "__kmalloc*", "kzalloc*", "kcalloc*", "kmem_cache_*",
	"__kmem_cache_*", "kfree", "__kfree", "kvfree*", "kvmalloc*",
	"kfree_rcu*", "kzfree", "kfree_sensitive", "slab_*", "__slab_*",
	"___slab_*", "___kmalloc*", "alloc_pages_bulk*", "__page_pool_alloc*",
	"page_pool_alloc*", "new_slab", "allocate_slab", "alloc_slab_page",
	"cache_grow*", "cache_alloc*", "____cache_*", "__cache_*",
	"fallback_alloc", "alloc_pages*", "__alloc_pages*", "__get_free_pages",
	"get_page_from_freelist", "post_alloc_hook", "prep_new_page",
	"get_zeroed_page", "folio_alloc*", "__folio_alloc*", "vma_alloc_folio*",
	"filemap_alloc_folio*", "__filemap_get_folio", "pagecache_get_page",
	"find_or_create_page", "read_cache_page*", "do_read_cache_*",
	"__page_cache_alloc", "page_frag_alloc*", "__page_frag_*",
	"__alloc_frozen_pages*", "alloc_frozen_pages*", "__rmqueue*",
	"rmqueue*", "free_unref_*", "__free_pages*", "free_pages*",
	"free_the_page", "__put_page", "__folio_put*", "put_page",
	"free_pcp*", "__free_one_page", "free_one_page", "free_pcppages_bulk",
	"vmalloc*", "vzalloc*", "__vmalloc*", "vfree", "__vunmap", "krealloc*",
	"__do_krealloc", "__do_kmalloc*", "krealloc_*", "memdup_user*",
	"kmemdup*", "__pcpu_*", "pcpu_*", 
	"put_cpu_partial", "do_slab_free", "qlink_free", "alloc_debug_*",
	"free_debug_*", "check_slab*", "check_object*", "object_err*",
	"print_trailer", "slab_err*", "___cache_free", "__do_cache_alloc",
	"kasan", "__mempool_*", "mempool_*",
	"usercopy_abort", "__check_object_size*", "check_heap_object",
	"check_stack_object", "__check_heap_object", "__copy_overflow",
	/* lists and trees that only hold what others put in */
	"__list_add*", "__list_del*", "list_add*", "list_del*", "list_move*",
	"list_splice*", "__list_splice*", "list_empty*", "hlist_*", "__hlist_*",
	"rb_insert*", "rb_erase*", "rb_next", "rb_first", "rb_prev",
	"__rb_*", "rb_link_node", "klist_put", "___rb*",
	/* entering and leaving the kernel and interrupts */
	"entry_*", "do_syscall_*", "ret_from_*", "apic_timer_interrupt",
	"smp_apic_timer_interrupt", "asm_sysvec_*", "sysvec_*",
	"__sysvec_*", "hrtimer_interrupt", "__hrtimer_run_queues",
	"nmi_*", "arch_trigger_*", "trigger_*", "rcu_dump_*", "rcu_check_*",
	"rcu_sched_clock_irq*", "print_cpu_stall*", "print_other_cpu_stall*",
	"check_cpu_stall*", "sched_show_task*", "update_process_times",
	"tick_sched_*", "tick_nohz_*", "watchdog*", "rcu_core*", "rcu_pending",
	"irqentry_*", "irq_exit*", "irq_enter*", "irq_work_*", "call_on_*",
	"reschedule_interrupt", "retint_*", "error_entry", "paranoid_*",
	"el0_*", "el0t_*", "el1_irq", "gic_handle_irq", "handle_IRQ",
	"__irq_svc", "handle_domain_irq", "__handle_domain_irq",
	"do_softirq_own_stack", "do_IRQ", "common_interrupt",
	"unwind_*", "arch_stack_walk*", "walk_stackframe*",
	"__save_stack_trace", "is_bpf_text_address", "__kernel_text_address",
	"kernel_text_address", "return_address", "depot_*", "__orc_find",
	"orc_find", "bpf_ksym_find", "preempt_count_*", "preempt_latency_*",
	"trace_event_buffer*", "trace_preempt*", "ftrace_*", "kthread*",
	"__request_module", "invoke_syscall", "x64_sys_call",
	"get_signal", "fortify_panic", "__fortify_panic", "fortify_*",
	"native_*", "pv_*", "__raw_callee*", "arch_local_*", "delay_*",
	"__const_udelay", "__delay", "__udelay", "udelay", "cpu_relax",
	"prb_*", "console_unlock", "console_trylock*", "console_emit*",
	"csd_lock*", "__synchronize_hardirq", "security_*",
	"call_int_hook", "nf_hook*", "static_key*", "jump_label_*",
	"__jump_label_*", "text_poke*", "on_each_cpu*", "idr_get_free",
	"work_is_*", "work_busy",
};

/*
 * Functions that did what they were told: the caller is the better name, but
 * if a stack holds nothing else, one of these is.
 */
static const char *const helpers[] = {
	/* text */
	"string", "string_*", "hex_string", "pointer", "vsnprintf", "vscnprintf",
	"snprintf", "sprintf", "vsprintf", "va_format", "dev_vprintk_emit",
	"dev_printk*", "__dev_printk*", "_dev_*", "kstrdup_const",
	"kvasprintf*", "kasprintf", "kobject_set_name*", "vprintk_store",
	"symbol_string", "ip_addr_string", "number", "widen_string",
	/* checksums and ciphers */
	"crc32*", "crc_*", "crc16*", "__crc*", "aes_*", "aesti_*", "__aes*",
	"crypto_*", "xts_*", "cbc_*", "ecb_*", "shash_*", "sha1_*", "sha256_*",
	"sha512_*", "__sha256*", "skcipher_*", "siphash_*", "__siphash*",
	"hsiphash_*", "jhash*", "md5_*", "xxh64*", "full_name_hash",
	/* objects and devices */
	"kobject_*", "__kobject_*", "add_uevent_var", "sysfs_*", "dpm_sysfs_*",
	"device_add*", "device_del", "device_unregister", "device_destroy",
	"device_remove_*", "device_create_*", "get_device*", "put_device",
	"device_register", "device_initialize", "klist_*", "kset_*",
	"tty_unregister_device", "i2c_del_adapter", "kernfs_*",
	"bus_probe_device", "bus_remove_device", "device_release_driver*",
	"__device_release_driver", "driver_attach", "ref_tracker_*",
	"usb_kill_*", "usb_poison_*", "usb_unlink_urb", "usb_free_urb",
	"usb_start_wait_urb", "usb_bulk_msg", "usb_control_msg*",
	"usb_interrupt_msg", "hwrng_unregister", "input_register_handle",
	/* work and timers */
	"__queue_work", "queue_work*", "__queue_delayed_work",
	"queue_delayed_work*", "mod_delayed_work*", "cancel_work*",
	"cancel_delayed_work*", "drain_workqueue", "destroy_workqueue",
	"try_to_grab_pending", "del_timer*", "mod_timer*", "__mod_timer",
	"timer_delete*", "__timer_delete*", "__try_to_del_timer*",
	"try_to_del_timer*", "timer_is_static_object", "sk_stop_timer*",
	"detach_timer", "detach_if_pending", "add_timer*", "timer_shutdown*",
	"hrtimer_start*", "hrtimer_cancel", "hrtimer_try_to_cancel",
	"cleanup_srcu_struct", "rcu_barrier", "call_rcu*", "__call_rcu*",
	"kthread_stop", "wake_up_process", "__wake_up*", "wake_up_q", "wake_up_state", "tty_ldisc_lock*", 
	"try_to_wake_up", "ttwu_*", "add_wait_queue", "task_rq_lock",
	"__task_rq_lock", "perf_trace_lock*", "mutex_remove_waiter",
	"ldsem_*", "__ldsem_*", "reiserfs_write_lock*",
	"unlock_page", "folio_unlock", "__lock_page*", "lock_page*",
	"iput", "dput", "fast_dput", "drop_nlink", "inc_nlink", "clear_nlink",
	"__seqprop_*", "should_fail*", "__should_fail*",
	/* packets */
	"skb_panic", "skb_over_panic", "skb_under_panic", "skb_put", "skb_push",
	"skb_pull", "__skb_put", "__skb_pull", "kfree_skb_list*", "skb_dequeue*",
	"skb_queue_*", "__skb_queue_*", "skb_unlink",
};

/* What these call is the work somebody asked for. */
static const char *const entries[] = {
	"do_syscall_*", "entry_SYS*", "do_fast_syscall*", "__do_fast_syscall*",
	"do_int80_syscall*", "el0_svc*", "invoke_syscall", "x64_sys_call",
	"ia32_sys_call", "__invoke_syscall", "ret_fast_syscall",
	"do_el0_svc", "system_call*", "__do_syscall",
	"do_vfs_ioctl", "vfs_ioctl", "ksys_ioctl", "__se_sys_ioctl",
	"__x64_sys_ioctl", "__ia32_compat_sys_ioctl", "__do_sys_ioctl",
	"__fput", "__vfs_write", "__vfs_read", "vfs_write", "vfs_read",
	"new_sync_write", "new_sync_read", "call_write_iter", "call_read_iter",
	"do_iter_readv_writev", "do_iter_read", "do_iter_write",
	"do_loop_readv_writev", "vfs_iter_write", "vfs_iter_read",
	"sock_sendmsg*", "__sock_sendmsg", "sock_recvmsg*", "____sys_sendmsg",
	"____sys_recvmsg", "__sys_setsockopt", "__sys_getsockopt",
	"__sys_bind", "__sys_connect", "__sys_accept4*", "__sys_listen",
	"__netif_receive_skb_core", "__netif_receive_skb_one_core",
	"nfnetlink_rcv_msg", "nfnetlink_rcv_batch", "rtnetlink_rcv_msg",
	"genl_rcv_msg", "genl_family_rcv_msg*", "netlink_dump",
	"genl_lock_dumpit", "genl_dumpit", "netlink_rcv_skb",
	"xfrm_user_rcv_msg", "tcf_action_init_1", "ip_set_ad_caller",
	"call_timer_fn", "expire_timers", "process_one_work",
	"process_scheduled_works", "task_work_run", "tasklet_action*",
	"mmap_region", "call_mmap", "do_mmap", "vfs_get_tree",
	"mount_fs", "do_splice_to", "do_splice_from", "vfs_open",
	"do_dentry_open", "vfs_fallocate", "vfs_fsync_range", 
	"notify_change", "iterate_dir",
	"platform_drv_probe", "usb_probe_interface", "usb_unbind_interface",
	"do_one_initcall", "kernel_init_freeable", "handle_irq_event_percpu",
	"__handle_irq_event_percpu", 
	"kthread_work_fn", "rcu_do_batch", "dev_hard_start_xmit",
};

static bool in_list(struct span name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n && list[i]; i++) {
		size_t len = strlen(list[i]);

		if (len && list[i][0] == '*') {
			if (span_ends(name, list[i] + 1))
				return true;
		} else if (len && list[i][len - 1] == '*') {
			if (name.n >= len - 1 &&
			    !memcmp(name.p, list[i], len - 1))
				return true;
		} else if (name.n == len && !memcmp(name.p, list[i], len)) {
			return true;
		}
	}
	return false;
}

bool con_is_noise(struct span name, const char *const *more)
{
	size_t n = 0;

	while (more && more[n])
		n++;
	return in_list(name, more, n) ||
	       in_list(name, noise, ARRAY_SIZE(noise));
}

bool con_is_helper(struct span name)
{
	return in_list(name, helpers, ARRAY_SIZE(helpers));
}

bool con_is_timer_irq(struct span name)
{
	static const char *const irqs[] = {
		"apic_timer_interrupt", "smp_apic_timer_interrupt",
		"asm_sysvec_apic_timer*", "sysvec_apic_timer*",
		"__sysvec_apic_timer*", "gic_handle_irq", "el1_irq*",
		"el1h_64_irq*", "el0_irq*", "el0t_64_irq*", "__irq_svc",
		"do_ext_irq", "ext_int_handler", "do_IRQ", "do_irq",
		"handle_arch_irq", "generic_handle_arch_irq", "timer_interrupt",
		"do_irq_async", "do_ext_interrupt", "riscv_timer_interrupt",
	};

	return in_list(name, irqs, ARRAY_SIZE(irqs));
}

bool con_is_entry(struct span name)
{
	/* the 32-bit way into an ioctl ends in the same function */
	if (span_ends(name, "_compat_ioctl") &&
	    !span_starts(name, "__"))
		return true;
	return in_list(name, entries, ARRAY_SIZE(entries));
}
