#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A first import of an archive, against git cat-file and Python's email.

    tests/tools/measure-import.py BUILD ARCHIVE

ARCHIVE is a public-inbox v2 archive, as tests/tools/make-archive.py makes it. In
turns, three times: "git cat-file --batch" reads all its mails, and the reader of
BUILD (a release build) imports them. Then Python's email package
(message_from_bytes with policy.default, the headers and the text that our parser
gives) reads every fifth of the same mails, already in memory, in one process.
"""

import email
import email.policy
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

ROUNDS = 3
EVERY = 5
HEADERS = ("Message-ID", "Subject", "From", "To", "Cc", "Date", "In-Reply-To",
           "References")


def usage():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def timed(run):
    """-> wall seconds, CPU seconds of children"""
    cpu, start = usage(), time.monotonic()
    run()
    return time.monotonic() - start, usage() - cpu


def blobs(git):
    """Object names of the mails of an epoch, oldest first"""
    commits = subprocess.run(["git", "--git-dir", git, "rev-list", "--reverse",
                              "HEAD"], stdout=subprocess.PIPE, check=True)
    ask = b"".join(c + b":m\n" for c in commits.stdout.split())
    out = subprocess.run(["git", "--git-dir", git, "cat-file",
                          "--batch-check=%(objectname)"], input=ask,
                         stdout=subprocess.PIPE, check=True).stdout
    return [x for x in out.split(b"\n") if len(x) == 40]


def cat(epochs):
    for git, names in epochs:
        subprocess.run(["git", "--git-dir", git, "cat-file", "--batch",
                        "--buffer"], input=b"\n".join(names) + b"\n",
                       stdout=subprocess.DEVNULL, check=True)


def ours(build, archive):
    request = json.dumps({"location": archive, "state": {}}).encode()
    subprocess.run([os.path.join(build, "tests", "inbox", "pull-driver")],
                   input=request, stdout=subprocess.DEVNULL, check=True)


def sample(epochs):
    """Every EVERYth mail, in memory"""
    mails = []
    for git, names in epochs:
        with tempfile.TemporaryFile() as f:
            subprocess.run(["git", "--git-dir", git, "cat-file", "--batch",
                            "--buffer"],
                           input=b"\n".join(names[::EVERY]) + b"\n", stdout=f,
                           check=True)
            f.seek(0)
            for _ in names[::EVERY]:
                size = int(f.readline().split()[2])
                mails.append(f.read(size))
                f.read(1)
    return mails


def python(mails):
    for raw in mails:
        m = email.message_from_bytes(raw, policy=email.policy.default)
        for name in HEADERS:
            str(m[name])
        body = m.get_body(("plain",))
        if body:
            body.get_content()


def main():
    build, archive = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    epochs = [(os.path.join(archive, "git", e),
               blobs(os.path.join(archive, "git", e)))
              for e in sorted(os.listdir(os.path.join(archive, "git")))]
    n = sum(len(names) for _, names in epochs)
    best = {}
    for _ in range(ROUNDS):
        for what, run in (("git cat-file", lambda: cat(epochs)),
                          ("import", lambda: ours(build, archive))):
            wall, cpu = timed(run)
            print(f"{what}: {n} mails, wall {wall:.1f} s, CPU {cpu:.1f} s",
                  flush=True)
            if what not in best or wall < best[what][0]:
                best[what] = (wall, cpu)
    mails = sample(epochs)
    start, cpu = time.monotonic(), time.process_time()
    python(mails)
    wall = (time.monotonic() - start) * n / len(mails)
    cpu = (time.process_time() - cpu) * n / len(mails)
    print(f"Python's email: {len(mails)} mails, for {n} wall {wall:.1f} s, CPU"
          f" {cpu:.1f} s")
    a, b = best["git cat-file"], best["import"]
    print(f"import: {n / b[0]:.0f} mails/s; {b[0] / a[0]:.1f} times git"
          f" cat-file's wall time ({b[1] / a[1]:.1f} in CPU time);"
          f" {wall / b[0]:.1f} times faster than Python's email ({cpu / b[1]:.1f}"
          f" in CPU time)")


if __name__ == "__main__":
    main()
