#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The first bad news of a series, against the same by hand.

usage: measure-verdict.py BUILD CACHE REPO REF MBOX WORD [TOOLCHAIN]

BUILD is a build directory (release), CACHE where its daemon keeps its warm
bases, REPO a repository with the kernel that the series of MBOX is written
against as branch REF. On one machine, one after the other, three times each:

* mmcid, base ready: from the moment the series is complete to the first
  verdict with a finding that has WORD in it;
* by hand: git am, a clean object directory, the config, make -j W=1, until a
  line of its output has WORD in it.

x86_64, small config, TOOLCHAIN gcc if not given. Needs root.
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ROUNDS = 3


def until(what, condition, timeout_s=7200, step_s=0.01):
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(step_s)
    sys.exit(f"not within {timeout_s} s: {what}")


def patches_of(mbox):
    """The patches alone, as git am wants them -> path"""
    with open(mbox, "rb") as f:
        mails = re.split(rb"(?m)^From (?=mboxrd@|[^ ]+ )", f.read())[1:]
    wanted = [m for m in mails
              if re.search(rb"(?mi)^subject: \[[^]]*\b[1-9][0-9]*/", m)]
    path = os.path.join(tempfile.mkdtemp(prefix="mmci-e2e-"), "patches.mbox")
    with open(path, "wb") as f:
        f.write(b"".join(b"From " + m for m in wanted))
    return path


def by_hand(repo, ref, mbox, word, toolchain):
    top = tempfile.mkdtemp(prefix="mmci-e2e-", dir=os.environ.get("TMPDIR"))
    tree, out = os.path.join(top, "tree"), os.path.join(top, "out")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(git + ["clone", "-q", "--shared", "--branch", ref, repo,
                          tree], check=True)
    os.mkdir(out)
    fragment = os.path.join(TOP, "deploy", "kconfig", "small-x86_64.config")
    llvm = [f"LLVM={toolchain[5:]}"] if toolchain.startswith("clang") else []
    make = ["make", "-C", tree, f"O={out}", "ARCH=x86_64", *llvm]
    begun = time.monotonic()
    subprocess.run(git + ["-C", tree, "am", "-q", mbox], check=True)
    subprocess.run(make + [f"KCONFIG_ALLCONFIG={fragment}", "tinyconfig"],
                   check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    p = subprocess.Popen(make + [f"-j{os.cpu_count()}", "W=1"], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         start_new_session=True)
    seen = any(word in line for line in p.stdout)
    took = time.monotonic() - begun
    os.killpg(p.pid, 15)
    p.wait()
    shutil.rmtree(top)
    if not seen:
        sys.exit(f"by hand: nothing said {word}")
    return took


def start(repo, ref, toolchain):
    from harness import Daemon, install
    d = Daemon(install(), "verdict-" + ref, keep=("trees.git", "src", "warm",
                                                  "ccache"))
    d.configure(matrix=f"""arches = {{x86_64}}
	kconfigs = {{small}}
	toolchains = {{{toolchain}}}""")
    d.start()
    status, _, err = d.mmci("tree", "add", ref, repo, "--kind", "git",
                            "--branch", ref)
    if status:
        sys.exit(f"tree add: {err}")
    until("the tree is ready",
          lambda: d.tree_state(ref)["state"] == "ready", step_s=0.5)
    return d


def copy_of(mbox, n):
    """The same series from somebody else -> path"""
    with open(mbox, "rb") as f:
        data = f.read()
    data = re.sub(rb"<([^<>@\s]+)@example\.org>", rb"<r%d.\1@example.org>" % n,
                  data)
    path = os.path.join(tempfile.mkdtemp(prefix="mmci-e2e-"), "copy.mbox")
    with open(path, "wb") as f:
        f.write(data)
    return path


def keys(d):
    return {v["key"] for v in d.get("/api/v1/series?limit=100")["items"]}


def submit(d, mbox):
    before = keys(d)
    status, out, err = d.mmci("submit", mbox, token=d.admin_token())
    if status:
        sys.exit(f"submit: {out}{err}")
    return until("the series is there", lambda: keys(d) - before).pop()


def told(d, key, word):
    v = d.series(key)
    return v["verdict"] and any(word in f["message"] for f in v["findings"])


def cancel(d, key):
    status, out, err = d.mmci("series", "cancel", key, token=d.admin_token())
    if status:
        sys.exit(f"cancel: {out}{err}")
    until("nothing runs", lambda: not any(
        j["state"] in ("running", "queued")
        for j in d.get("/api/v1/jobs?limit=100")["items"]), step_s=0.5)


def by_mmcid(d, mbox, word):
    """From complete to told, in seconds; the base is ready, nothing else runs"""
    key = submit(d, mbox)
    until("the series is complete",
          lambda: d.series(key)["state"] != "assembling")
    begun = time.monotonic()
    until(f"a finding with {word}", lambda: told(d, key, word))
    took = time.monotonic() - begun
    cancel(d, key)
    return took


def main():
    if len(sys.argv) not in (7, 8):
        sys.exit(__doc__)
    build, cache, repo, ref, mbox, word = sys.argv[1:7]
    toolchain = sys.argv[7] if len(sys.argv) > 7 else "gcc"
    os.environ.update(MMCI_BUILD=os.path.abspath(build), MMCI_TOP=TOP,
                      MMCI_CACHE=os.path.abspath(cache))
    sys.path.insert(0, os.path.join(TOP, "tests", "e2e"))
    patches = patches_of(mbox)
    ours, hand = [], []
    d = start(repo, ref, toolchain)
    try:
        by_mmcid(d, copy_of(mbox, 0), word)  # has the base built
        for n in range(1, ROUNDS + 1):
            ours.append(by_mmcid(d, copy_of(mbox, n), word))
            hand.append(by_hand(repo, ref, patches, word, toolchain))
            print(f"mmcid {ours[-1]:.2f} s, by hand {hand[-1]:.2f} s",
                  flush=True)
    finally:
        d.stop()
    a, b = statistics.median(ours), statistics.median(hand)
    print(f"{os.path.basename(mbox)}, {toolchain}: {a:.2f} s against "
          f"{b:.2f} s by hand, {b / a:.1f} times sooner")


if __name__ == "__main__":
    main()
