#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Finding the base and applying a series, against git am -3 on the same tree.

    tests/tools/measure-apply.py BUILD REPO REF [MBOX...]

BUILD is a release build, REPO a bare repository that has the kernel tree REF.
Each mbox, and 30 patches to files of mm/ that are made for it, is applied in
turns by git am -3 in a sparse work tree and by "mmcid --worker apply" in a new
repository over the same objects; ours also looks for the base. The commits'
trees must be equal.
"""

import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 7
ENV = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
       "GIT_AUTHOR_NAME": "A. Developer", "GIT_AUTHOR_EMAIL": "a@example.org",
       "GIT_COMMITTER_NAME": "A. Developer", "GIT_COMMITTER_EMAIL": "a@example.org"}


def git(repo, *args, data=None, env=None):
    return subprocess.run(["git", "-C", repo, *args], input=data, check=True,
                          env=env or ENV, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def timed(argv, data=None):
    """-> wall seconds, CPU seconds, output"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    p = subprocess.run(argv, input=data, stdout=subprocess.PIPE, env=ENV,
                       stderr=subprocess.DEVNULL, check=True)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, p.stdout


def thirty(repo, ref, scratch):
    """An mbox of 30 patches, each to a file of its own in mm/"""
    names = [n for n in git(repo, "ls-tree", "--name-only", ref,
                            "mm/").decode().split() if n.endswith(".c")][:30]
    work = os.path.join(scratch, "thirty")
    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", repo,
                    work], check=True, env=ENV)
    parent = git(repo, "rev-parse", ref).decode().strip()
    for n, name in enumerate(names):
        text = git(repo, "cat-file", "blob", f"{ref}:{name}")
        lines = text.split(b"\n")
        at = len(lines) // 2
        lines.insert(at, b"/* one more line, number %d */" % n)
        blob = git(work, "hash-object", "-w", "--stdin",
                   data=b"\n".join(lines)).decode().strip()
        git(work, "read-tree", parent)
        git(work, "update-index", "--cacheinfo", f"100644,{blob},{name}")
        tree = git(work, "write-tree").decode().strip()
        parent = git(work, "commit-tree", tree, "-p", parent, "-m",
                     f"mm: change {name}\n\nWhy not.").decode().strip()
    path = os.path.join(scratch, "thirty.mbox")
    with open(path, "wb") as f:
        f.write(git(work, "format-patch", "--stdout", f"-{len(names)}",
                    parent))
    return path


def split(mbox, scratch):
    """Patch mails of an mbox in their order, one file each; the files touched"""
    with open(mbox, "rb") as f:
        mails = re.split(rb"(?m)^From \S+ .*\d{4}\n", f.read())[1:]
    found, files = {}, set()
    for mail in mails:
        subject = re.search(rb"(?mi)^Subject:((?:.*\n[ \t])*.*)", mail)
        m = re.search(rb"\[[^]]*PATCH[^]]*?(?:(\d+)/(\d+))?\]",
                      subject[1] if subject else b"")
        if not m or b"\ndiff --git " not in mail or \
                subject[1].strip().lower().startswith(b"re:"):
            continue
        n = int(m[1] or 1)
        path = os.path.join(scratch, f"{os.path.basename(mbox)}.{n:02}")
        with open(path, "wb") as f:
            f.write(mail)
        found[n] = path
        files.update(x.decode() for x in
                     re.findall(rb"(?m)^\+\+\+ b/(\S+)", mail))
    return [found[n] for n in sorted(found)], sorted(files)


def one_am(work, commit, patches):
    git(work, "reset", "-q", "--hard", commit)
    wall, cpu, _ = timed(["git", "-C", work, "am", "-q", "-3", *patches])
    return wall, cpu, git(work, "rev-parse", "HEAD^{tree}").decode().strip()


def one_ours(build, repo, commit, patches, scratch, n):
    mine = os.path.join(scratch, f"ours-{n}.git")
    subprocess.run(["git", "clone", "-q", "--bare", "--shared", repo, mine],
                   check=True, env=ENV)
    request = {"repo": mine, "ref_prefix": "refs/mmci/1", "key": "x",
               "title": "x", "prefix": "", "cover": None, "older": [],
               "trees": [{"name": "t", "commit_id": commit, "role": "",
                          "rank": 1}],
               "patches": [{"number": i + 1, "path": p}
                           for i, p in enumerate(patches)]}
    wall, cpu, out = timed([os.path.join(build, "server", "mmcid"), "--worker",
                            "apply"], json.dumps(request).encode())
    answer = json.loads(out)
    if answer.get("outcome") != "applied":
        sys.exit(f"not applied: {answer}")
    head = answer["patches"][-1]["commit_id"]
    return wall, cpu, git(mine, "rev-parse", head + "^{tree}").decode().strip()


def measure(build, repo, ref, mbox, scratch):
    commit = git(repo, "rev-parse", ref).decode().strip()
    patches, files = split(mbox, scratch)
    work = os.path.join(scratch, "work-" + os.path.basename(mbox))
    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", repo,
                    work], check=True, env=ENV)
    git(work, "sparse-checkout", "set", "--no-cone", *("/" + f for f in files))
    git(work, "checkout", "-q", "--detach", commit)
    am, ours = [], []
    for n in range(ROUNDS):
        a = one_am(work, commit, patches)
        o = one_ours(build, repo, commit, patches, scratch,
                     f"{os.path.basename(mbox)}-{n}")
        if a[2] != o[2]:
            sys.exit(f"{mbox}: trees differ: {a[2]} {o[2]}")
        am.append(a)
        ours.append(o)
    for what, k in (("wall", 0), ("CPU", 1)):
        a = statistics.median(x[k] for x in am)
        o = statistics.median(x[k] for x in ours)
        print(f"{os.path.basename(mbox)}, {len(patches)} patches, {what}:"
              f" git am -3 {a:.3f} s, ours {o:.3f} s, ratio {a / o:.1f}"
              f" (medians of {ROUNDS})", flush=True)


def main():
    build, repo, ref = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as scratch:
        for mbox in sys.argv[4:] + [thirty(repo, ref, scratch)]:
            measure(os.path.abspath(build), os.path.abspath(repo), ref, mbox,
                    scratch)


if __name__ == "__main__":
    main()
