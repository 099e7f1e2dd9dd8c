#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Find the base of a series in a tree with a long history, and time it.

    tests/tools/measure-base.py BUILD REPO REF [COMMITS]

BUILD is a release build, REPO a bare repository that has the kernel tree REF. On
top of it COMMITS commits (5000) are made, each changing one to five files of
mm/, fs/ and include/linux/. Ten patches against the commit two fifths back are
then given to "mmcid --worker apply", which has to find that very state.
"""

import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 9
ENV = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
       "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
       "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org"}


def git(repo, *args, data=None):
    return subprocess.run(["git", "-C", repo, *args], input=data, check=True,
                          env=ENV, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def bare(path, repo):
    """A repository that borrows the objects of another"""
    subprocess.run(["git", "init", "-q", "--bare", path], check=True, env=ENV)
    with open(os.path.join(path, "objects", "info", "alternates"), "w",
              encoding="ascii") as f:
        f.write(os.path.join(os.path.abspath(repo), "objects") + "\n")
    return path


def history(repo, base, commits, names, rand):
    """Commits of one to five changed files as refs/heads/main"""
    texts = {n: git(repo, "cat-file", "blob", f"{base}:{n}") for n in names}
    p = subprocess.Popen(["git", "-C", repo, "fast-import", "--quiet"],
                         stdin=subprocess.PIPE, env=ENV)
    for n in range(commits):
        message = b"mm: change number %d" % n
        p.stdin.write(b"commit refs/heads/main\ncommitter A <a@example.org>"
                      b" %d +0000\ndata %d\n%s\n"
                      % (1700000000 + n * 60, len(message), message))
        if not n:
            p.stdin.write(b"from %s\n" % base.encode())
        for name in rand.sample(names, rand.randint(1, 5)):
            texts[name] += b"/* change %d */\n" % n
            p.stdin.write(b"M 100644 inline %s\ndata %d\n%s\n"
                          % (name.encode(), len(texts[name]), texts[name]))
    p.stdin.close()
    if p.wait():
        sys.exit("git fast-import failed")


def patches(repo, at, names, rand, scratch):
    """Ten patches to two files each, on top of commit at"""
    parent = at
    for n in range(10):
        git(repo, "read-tree", parent)
        for name in rand.sample(names, 2):
            text = git(repo, "cat-file", "blob", f":{name}")
            lines = text.split(b"\n")
            lines.insert(len(lines) // 2, b"/* patch %d */" % n)
            blob = git(repo, "hash-object", "-w", "--stdin",
                       data=b"\n".join(lines)).decode().strip()
            git(repo, "update-index", "--cacheinfo",
                f"100644,{blob},{name}")
        tree = git(repo, "write-tree").decode().strip()
        parent = git(repo, "commit-tree", tree, "-p", parent, "-m",
                     f"mm: patch {n}\n\nWhy not.").decode().strip()
    out = os.path.join(scratch, "patches")
    git(repo, "format-patch", "-q", "-o", out, f"{at}..{parent}")
    return [os.path.join(out, n) for n in sorted(os.listdir(out))]


def worker(build, name, request):
    """-> wall seconds, peak KiB, answer, log"""
    start = time.monotonic()
    p = subprocess.run(["/usr/bin/time", "-f", "peak %M",
                        os.path.join(build, "server", "mmcid"), "--worker",
                        name], input=json.dumps(request).encode(), env=ENV,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       check=False)
    wall = time.monotonic() - start
    log = p.stderr.decode()
    peak = int(re.search(r"peak (\d+)", log)[1])
    return wall, peak, json.loads(p.stdout), log


def main():
    build, repo, ref = sys.argv[1:4]
    commits = int(sys.argv[4]) if len(sys.argv) > 4 else 5000
    rand = random.Random(1)
    base = git(repo, "rev-parse", ref).decode().strip()
    names = [n for n in git(repo, "ls-tree", "-r", "--name-only", base, "mm/",
                            "fs/", "include/linux/").decode().split("\n")
             if n.endswith((".c", ".h"))]
    rand.shuffle(names)
    names = names[:400]
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as scratch:
        made = bare(os.path.join(scratch, "made.git"), repo)
        history(made, base, commits, names, rand)
        at = git(made, "rev-parse", f"main~{commits * 2 // 5}").decode().strip()
        mails = patches(made, at, names, rand, scratch)
        mine = bare(os.path.join(scratch, "mine.git"), repo)
        wall, peak, answer, log = worker(build, "tree", {
            "repo": mine, "name": "long", "kind": "git", "location": made,
            "branch": "main"})
        if "commit_id" not in answer:
            sys.exit(f"tree: {answer}")
        indexed = re.search(r"history indexed in (\d+) ms", log)
        size = subprocess.run(["du", "-sk", mine], stdout=subprocess.PIPE,
                              check=True).stdout.split()[0].decode()
        files = len(git(mine, "ls-tree", "-r", "--name-only",
                        answer["commit_id"]).split(b"\n")) - 1
        print(f"tree of {files} files, {commits} commits: fetched and indexed"
              f" in {wall:.1f} s, the index in {indexed[1] if indexed else '?'}"
              f" ms, peak {peak / 1024:.0f} MiB, repository {size} KiB")
        request = {"repo": mine, "ref_prefix": "refs/mmci/1", "key": "x",
                   "title": "x", "prefix": "", "cover": None, "older": [],
                   "trees": [{"name": "long", "role": "", "rank": 1,
                              "commit_id": answer["commit_id"]}],
                   "patches": [{"number": i + 1, "path": p}
                               for i, p in enumerate(mails)]}
        # without their index lines nothing votes, and the newest commit is it
        walls, blind = [], []
        for n in range(ROUNDS):
            wall, peak, found, log = worker(build, "apply", request)
            if found.get("tree_commit") != at:
                print(f"not the commit: {found.get('why')}")
            walls.append(wall)
        print(f"base and ten patches: {statistics.median(walls) * 1000:.0f} ms"
              f" (median of {ROUNDS}, first {walls[0] * 1000:.0f}), peak"
              f" {peak / 1024:.0f} MiB: {found.get('outcome')}, "
              f"{found.get('why')}")
        for path in mails:
            with open(path, "rb") as f:
                text = f.read()
            with open(path, "wb") as f:
                f.write(re.sub(rb"(?m)^index .*\n", b"", text))
        for n in range(ROUNDS):
            wall, peak, found, log = worker(build, "apply", request)
            blind.append(wall)
        print(f"the same without index lines: "
              f"{statistics.median(blind) * 1000:.0f} ms: "
              f"{found.get('outcome')}, {found.get('why')}")


if __name__ == "__main__":
    main()
