# SPDX-License-Identifier: GPL-2.0-or-later
"""A warning that one compiler gives with one option off, found unasked.

perm-upgrade-rfc on 7.3: two variables are used by macros alone that expand to
nothing without CONFIG_MMU_NOTIFIER; clang says so, gcc does not. Needs
MMCI_TREES as trees/threads does, and an hour for warm bases, once:
"MMCI_TEST_ARCHES=1 MMCI_TREES=... meson test arches/derived" as root.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["MMCI_TOP"], "tests", "e2e"))
from harness import (Daemon, Skip, check, contains, equal,  # noqa: E402
                     install, needs_root, note, run_cases, scratch,
                     shared_thread, wait_until)

TREES = os.environ.get("MMCI_TREES", "")
KERNEL = "7.3"
MATRIX = """arches = {x86_64}
	kconfigs = {small}
	toolchains = {gcc, clang-19}
	selftests = {map_fixed_noreplace}
	benchmarks = {mprotect.small}"""
ALL_S = 3 * 3600

d = None
v = None


def cleanup():
    if d:
        d.stop()


def borrowed(path, ref):
    """A bare repository with the objects of TREES, the kernel as ref"""
    def git(*args):
        return subprocess.run(["git", "--git-dir", path, *args], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
    git("init", "-q", "--bare")
    with open(os.path.join(path, "objects", "info", "alternates"), "w",
              encoding="utf-8") as f:
        f.write(os.path.join(os.path.abspath(TREES), "objects") + "\n")
    commit = subprocess.run(
        ["git", "--git-dir", TREES, "rev-parse", "--verify", "-q",
         f"refs/trees/{KERNEL}"], stdout=subprocess.PIPE, text=True,
        check=False).stdout.strip()
    if not commit:
        raise Skip(f"{TREES} has no refs/trees/{KERNEL}")
    if ref:
        git("update-ref", ref, commit)
    return path


def the_daemon_has_the_tree():
    global d
    needs_root()
    if not os.environ.get("MMCI_TEST_ARCHES"):
        raise Skip("MMCI_TEST_ARCHES is not set")
    if not TREES:
        raise Skip("MMCI_TREES names no repository with kernel trees")
    source = borrowed(os.path.join(scratch(), "source.git"),
                      "refs/heads/" + KERNEL)
    d = Daemon(install(), "derived", keep=("src", "warm", "ccache"))
    borrowed(os.path.join(d.state, "trees.git"), None)
    d.configure(matrix=MATRIX, top="derived_configs = 4")
    d.start()
    status, _, err = d.mmci("tree", "add", KERNEL, source, "--kind", "git",
                            "--branch", KERNEL)
    equal(status, 0, f"tree add: {err}")
    wait_until("the tree is ready",
               lambda: d.tree_state(KERNEL)["state"] == "ready", 600)


def the_series_is_judged():
    global v
    if not d or not d.process:
        raise Skip("the daemon did not start")
    path = shared_thread("perm-upgrade-rfc.mbox")
    status, out, err = d.mmci("submit", path, token=d.admin_token())
    equal(status, 0, f"submit: {out}{err}")
    key = next(r for r in d.get("/api/v1/series")["items"])["key"]
    v = d.wait_series(key, ALL_S)
    note(f"{v['verdict']}: {v['verdict_why']}")
    for j in v["jobs"]:
        note(f"{j['kind']} {j['arch']} {j['kconfig']} {j['toolchain']}: "
             f"{j['state']}: {j['summary']}")
    for f in v["findings"]:
        note(f"{f['blame']} {f['number']} {f['kconfig']} {f['toolchain']} "
             f"{f['file']}:{f['line']}: {f['message']}")


def judged():
    if not v:
        raise Skip("there is no verdict")


def one_config_is_without_mmu_notifier():
    judged()
    for s in v["derived"]:
        note(f"{s['arch']} {s['symbol']}={s['value']}: config {s['config']}: "
             f"{s['reason']} {s['why'] or ''}")
    check(any((s["symbol"], s["value"]) == ("MMU_NOTIFIER", "n")
              and s["config"] for s in v["derived"]), "no config without it")


def clang_finds_both_variables():
    judged()
    found = [f for f in v["findings"] if f["blame"] == "series"]
    equal({(f["number"], f["toolchain"], f["severity"]) for f in found},
          {(2, "clang-19", "warning")}, "patch, compiler, severity")
    equal({f["file"] for f in found}, {"mm/mprotect.c", "mm/hugetlb.c"},
          "files")
    for f in found:
        contains(f["message"], "mn_flags", "message")


def gcc_was_asked_and_is_silent():
    judged()
    asked = [j for j in v["jobs"] if j["kind"] == "check"
             and j["toolchain"] == "gcc" and "+" in j["kconfig"]]
    check(asked, "no derived config was checked by gcc")
    for j in asked:
        equal(j["state"], "passed", f"{j['kconfig']} by gcc")


def the_reply_says_it():
    judged()
    replies = d.replies()
    equal(len(replies), 1, "replies")
    note(replies[0])
    contains(replies[0], "mn_flags", "reply")
    contains(replies[0], "MMU_NOTIFIER", "reply")


if __name__ == "__main__":
    run_cases([
        the_daemon_has_the_tree,
        the_series_is_judged,
        one_config_is_without_mmu_notifier,
        clang_finds_both_variables,
        gcc_was_asked_and_is_silent,
        the_reply_says_it,
    ], cleanup)
