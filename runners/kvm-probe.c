// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/kvm-probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/json.h"

#define CACHE_MAX_BYTES 4096
#define NO_LASTS_S (24 * 3600)

char *kvm_cache_path(void)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");

	if (!dir || dir[0] != '/')
		dir = access("/run", W_OK) ? "/tmp" : "/run";
	return xasprintf("%s/mmci-kvm-%u.json", dir, (unsigned int)geteuid());
}

static bool native(const char *arch)
{
	struct utsname u;

	if (uname(&u))
		return false;
	return !strcmp(u.machine, arch) ||
	       (!strcmp(u.machine, "aarch64") && !strcmp(arch, "arm64")) ||
	       (!strcmp(u.machine, "s390x") && !strcmp(arch, "s390"));
}

/* What must be the same for an old answer to hold. */
static char *host_key(uid_t uid)
{
	struct strbuf id __free(strbuf) = STRBUF_INIT;
	struct utsname u = { .release = "" };

	fs_read_file("/proc/sys/kernel/random/boot_id", 64, &id);
	strbuf_rtrim(&id);
	uname(&u);
	return xasprintf("%s %s %u", id.buf, u.release, (unsigned int)uid);
}

/* -1: unknown. The file may lie in a directory that everybody can write to. */
static int cached(const char *cache, const char *key, struct strbuf *why)
{
	int fd __free(fd) = open(cache, O_RDONLY | O_NOFOLLOW | O_CLOEXEC |
						O_NONBLOCK);
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	json_t *v __free(json) = NULL;
	struct stat st;
	bool yes;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid() || (st.st_mode & 022) ||
	    strbuf_read(&text, fd, CACHE_MAX_BYTES))
		return -1;
	v = json_loadb(text.buf, text.len, 0, NULL);
	if (strcmp(json_get_str(v, "host", ""), key))
		return -1;
	yes = json_get_bool(v, "usable", false);
	if (!yes && clock_now_s() - json_get_int(v, "at_s", 0) > NO_LASTS_S)
		return -1;
	strbuf_addstr(why, json_get_str(v, "why", ""));
	return yes;
}

static void remember(const char *cache, const char *key, bool yes,
		     const char *why)
{
	json_t *v __free(json) = json_object();

	json_set_text(v, "host", key);
	json_set_bool(v, "usable", yes);
	json_set_text(v, "why", why);
	json_set_int(v, "at_s", clock_now_s());
	json_write_file(cache, v); /* else it is tried again next time */
}

/* 1: yes, 0: a guest was started and got nowhere, -errno: none was. */
static int probe(const struct boot_spec *spec, struct strbuf *why)
{
	struct boot_result b __free(boot_result);
	struct boot_spec s = *spec;
	int r;

	s.kvm = true;
	s.icount = false;
	s.timeout_s = KVM_PROBE_S;
	s.idle_s = KVM_PROBE_S;
	s.console_max_bytes = 1 << 20;
	s.n_steps = 0;
	boot_result_init(&b, 0);
	r = boot_run(&s, &b);
	if (!r && b.outcome == BOOT_OK)
		return 1;
	strbuf_addf(why, "a probe guest did not run: %s", b.why.buf);
	return min(r, 0);
}

bool kvm_usable(const struct boot_spec *spec, const char *cache, uid_t uid,
		struct strbuf *why)
{
	char *key __free(kfree) = host_key(uid);
	int known, r;

	strbuf_reset(why);
	if (!native(spec->arch)) {
		strbuf_addstr(why, "another architecture");
		return false;
	}
	if (!fs_exists("/dev/kvm")) {
		strbuf_addstr(why, "no /dev/kvm");
		return false;
	}
	known = cached(cache, key, why);
	if (known >= 0)
		return known;
	r = probe(spec, why);
	if (r >= 0) /* what fails at once is cheap to try again */
		remember(cache, key, r, why->buf);
	return r > 0;
}
