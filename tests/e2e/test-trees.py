# SPDX-License-Identifier: GPL-2.0-or-later
"""Real threads, each against the kernel tree that it was written for.

MMCI_TREES names a bare git repository with the sources of three kernels as
refs/trees/6.1, 6.12 and 7.3 (import Debian's packages of them with "mmci tree
add"); the threads are below MMCI_SHARED. The daemon gets all three trees at
once and has to choose by itself. Nothing is built: the one config of the
matrix does not exist, so planning ends before the first job.
"""
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (Daemon, Skip, check, contains, equal,  # noqa: E402
                     install, note, run_cases, scratch, shared_thread,
                     wait_until)

TREES = os.environ.get("MMCI_TREES", "")
NAMES = ("6.1", "6.12", "7.3")
THREADS = ("mprotect-batching-v2", "perm-upgrade-rfc", "hugetlb-madv-v7",
           "mprotect-tlb-v6-incomplete")
d = None
begun_s = 0


def cleanup():
    if d:
        d.stop()


def git(repo, *args):
    return subprocess.run(["git", "--git-dir", repo, *args],
                          stdout=subprocess.PIPE, check=True,
                          env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent",
                               "GIT_CONFIG_NOSYSTEM": "1"}).stdout.decode()


def borrow(path, prefix):
    """A bare repository that has the objects of TREES without copying them"""
    git(path, "init", "-q", "--bare")
    with open(os.path.join(path, "objects", "info", "alternates"), "w",
              encoding="utf-8") as f:
        f.write(os.path.join(os.path.abspath(TREES), "objects") + "\n")
    for name in NAMES if prefix else ():
        git(path, "update-ref", prefix + name,
            git(TREES, "rev-parse", "--verify", f"refs/trees/{name}").strip())
    return path


def the_daemon_has_three_trees():
    global d, begun_s
    if not TREES:
        raise Skip("MMCI_TREES names no repository with kernel trees")
    for name in NAMES:
        p = subprocess.run(["git", "--git-dir", TREES, "rev-parse", "-q",
                            "--verify", f"refs/trees/{name}"],
                           stdout=subprocess.DEVNULL, check=False)
        if p.returncode:
            raise Skip(f"{TREES} has no refs/trees/{name}")
    for thread in THREADS:
        shared_thread(thread + ".mbox")
    prefix = install()
    source = borrow(os.path.join(scratch(), "source.git"), "refs/heads/")
    mbox = os.path.join(scratch(), "list.mbox")
    with open(mbox, "wb"):
        pass
    d = Daemon(prefix, "trees", keep=())
    borrow(os.path.join(d.state, "trees.git"), None)
    d.configure(f"""
source list {{
	kind = "mbox"
	location = "{mbox}"
	poll_s = 1
}}
""", matrix="kconfigs = {not-there}", top="incomplete_s = 20")
    d.start()
    for name in NAMES:
        status, _, err = d.mmci("tree", "add", name, source, "--kind", "git",
                                "--branch", name)
        equal(status, 0, f"tree add {name}: {err}")
    for name in NAMES:
        wait_until(f"{name} is ready",
                   lambda n=name: d.tree_state(n)["state"] == "ready", 600)
    begun_s = time.monotonic()
    with open(mbox, "ab") as out:
        for thread in THREADS:
            with open(shared_thread(thread + ".mbox"), "rb") as f:
                out.write(f.read().rstrip(b"\n") + b"\n\n")


def series(part, states, timeout_s=300):
    if not d or not d.process:
        raise Skip("the daemon did not start")

    def there():
        check(d.process.poll() is None, "mmcid ended")
        for row in d.get("/api/v1/series")["items"]:
            if part in row["title"] and row["state"] in states:
                return d.get(f"/api/v1/series/{row['id']}")
        return None
    v = wait_until(f"{part} in {states}", there, timeout_s, 0.5)
    note(f"{part}: after {time.monotonic() - begun_s:.1f} s")
    for t in v["tries"]:
        note(f"  {t['tree']} ({t['signal']}): {t['outcome']}: {t['why']}")
    return v


def states(v):
    return [p["state"] for p in v["patches"]]


def mprotect_batching_goes_to_6_12():
    v = series("mprotect for large folios", ("applied", "done"))
    equal((v["tree"], states(v)), ("6.12", ["applied"] * 2), "base, patches")


def perm_upgrade_goes_to_7_3():
    v = series("secondary MMU on permission upgrade", ("applied", "done"))
    equal((v["tree"], states(v)), ("7.3", ["applied"] * 4), "base, patches")


def hugetlb_madv_is_partly_merged():
    v = series("hugetlbfs: close race", ("conflict",))
    equal((v["version"], v["verdict"], v["tree"]), (7, "no-base", None),
          "version, verdict, base")
    equal(states(v)[:2], ["upstream", "upstream"], "1/4 and 2/4")
    for p in v["patches"][:2]:
        contains(p["state_why"], "already in 6.1", f"{p['number']}/4")
    contains(v["verdict_why"], "does not apply", "the verdict")
    contains(v["verdict_why"], "6.1: 1/4 and 2/4 are already there",
             "the verdict")
    equal(sorted({t["tree"] for t in v["tries"]}), sorted(NAMES),
          "trees that were tried")


def mprotect_tlb_is_incomplete():
    v = series("avoid unnecessary TLB flushes", ("done",))
    equal((v["version"], v["verdict"], v["verdict_why"]),
          (6, "incomplete", "incomplete, 2/3 and 3/3 missing"), "verdict")
    check(not v["tries"], "it was tried on a tree")


def it_ends_without_a_sanitizer_report():
    if not d or not d.process:
        raise Skip("the daemon did not start")
    equal(d.stop(), 0, "exit status after SIGTERM")
    equal(d.sanitizer_reports(), [], "reports")


CASES = [
    the_daemon_has_three_trees,
    mprotect_batching_goes_to_6_12,
    perm_upgrade_goes_to_7_3,
    hugetlb_madv_is_partly_merged,
    mprotect_tlb_is_incomplete,
    it_ends_without_a_sanitizer_report,
]

if __name__ == "__main__":
    run_cases(CASES, cleanup)
