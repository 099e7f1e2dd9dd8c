/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_KVM_PROBE_H
#define MMCI_RUNNERS_KVM_PROBE_H

#include <stdbool.h>

#include "runners/boot.h"

/* A guest that works under KVM is done within one or two seconds. */
#define KVM_PROBE_S 10

/**
 * kvm_cache_path() - malloc()ed path of the file that keeps the answer
 *
 * In XDG_RUNTIME_DIR, or /run, or /tmp: gone when the host starts again.
 */
char *kvm_cache_path(void);
/**
 * kvm_usable() - does a guest really run under KVM on this host?
 * @spec: a guest with an empty plan, of the architecture in question; @kvm and
 *	the limits are set here
 * @cache: file from kvm_cache_path(); it is believed only if we own it, for
 *	this start of the host, this kernel and uid @uid, and a "no" for a day
 * @uid: who runs QEMU
 * @why: one line when the answer is no
 *
 * The device file proves nothing: it may open, create a virtual machine and
 * never run a guest's first instruction. Blocks for at most %KVM_PROBE_S
 * seconds and a few, once.
 */
bool kvm_usable(const struct boot_spec *spec, const char *cache, uid_t uid,
		struct strbuf *why);

#endif
