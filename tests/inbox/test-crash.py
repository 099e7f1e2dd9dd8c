# SPDX-License-Identifier: GPL-2.0-or-later
"""Kill the reader between any two mails: nothing is lost, nothing forgotten."""
import os
import subprocess
import time

from common import (Store, case, equal, fast_import, frames, mail, main,
                    scratch)

NOW = int(time.time())
MAILS = 60
archive = None
want = {f"{n}@example.org" for n in range(MAILS)}


def make():
    global archive
    if archive:
        return
    archive = scratch()
    for epoch in range(3):
        fast_import(os.path.join(archive, "git", f"{epoch}.git"),
                    [(NOW - MAILS + n, {"m": mail(n, NOW)})
                     for n in range(epoch * 20, epoch * 20 + 20)])


def children_of(pid):
    out = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)],
                         stdout=subprocess.PIPE).stdout.decode()
    return [int(x) for x in out.split()]


def kill_after(store, n_frames, keep_open):
    """Read n frames, kill -9; keep_open: mails without a state were stored."""
    store.open = []
    p = store.start()
    kids = []
    for i, (frame, raw) in enumerate(frames(p.stdout)):
        if i == 0:
            kids = children_of(p.pid)
        store.take(frame, raw)
        if i + 1 >= n_frames:
            break
    p.kill()
    p.wait()
    p.stdout.close()
    if keep_open:
        store.commit()
    return kids


@case
def killed_anywhere_and_started_again_all_mails_are_there():
    make()
    for n in range(1, MAILS + 12, 7):
        for keep_open in (False, True):
            s = Store(archive, batch=7)
            kill_after(s, n, keep_open)
            had = set(s.mails)
            state = s.state
            s.pull()
            equal(set(s.mails), want)
            # what came again is less than a batch
            if s.seen > MAILS - len(had) + 7:
                raise AssertionError(f"{s.seen} mails after {len(had)}")
            if not keep_open and state:
                equal(s.seen, s.new)


@case
def killed_again_and_again_it_comes_to_an_end():
    make()
    s = Store(archive, batch=5)
    for tries in range(100):
        if len(s.mails) == MAILS:
            break
        kill_after(s, 7, False)
    equal(set(s.mails), want)
    s.pull()
    equal(s.new, 0)


@case
def an_archive_that_grows_meanwhile_is_read_to_its_end():
    path = scratch()
    git = os.path.join(path, "git", "0.git")
    entries = [(NOW + n, {"m": mail(n, NOW)}) for n in range(40)]
    fast_import(git, entries[:20])
    s = Store(path, batch=3)
    kill_after(s, 8, True)
    old = subprocess.run(["git", "--git-dir", git, "rev-parse", "master"],
                         stdout=subprocess.PIPE, check=True).stdout
    fast_import(git, entries[20:], old.decode().strip())
    s.pull()
    equal(len(s.mails), 40)


@case
def rewritten_history_during_an_unfinished_import():
    path = scratch()
    git = os.path.join(path, "git", "0.git")
    entries = [(NOW + n, {"m": mail(n, NOW)}) for n in range(40)]
    fast_import(git, entries[:30])
    s = Store(path, batch=3)
    kill_after(s, 12, True)
    # mail 2 is purged, and the old objects go away at once
    entries[2] = (NOW + 2, {"m": b""})
    subprocess.run(["rm", "-rf", git], check=True)
    fast_import(git, entries)
    s.pull()
    equal(set(s.mails), {f"{n}@example.org" for n in range(40)})
    s.pull()
    equal(s.seen, 0)


@case
def no_process_is_left_behind():
    make()
    s = Store(archive, batch=1)
    kids = kill_after(s, 3, False)
    for _ in range(100):
        if not any(os.path.exists(f"/proc/{k}") and
                   "Z" not in open(f"/proc/{k}/stat").read().split(")")[1][:3]
                   for k in kids):
            break
        time.sleep(0.05)
    else:
        raise AssertionError(f"still there: {kids}")


@case
def a_reader_that_goes_away_ends_the_worker():
    # larger than any pipe, so that the worker notices
    path = scratch()
    fast_import(os.path.join(path, "git", "0.git"),
                [(NOW, {"m": mail(n, NOW, body="x\n" * 50000)})
                 for n in range(20)])
    s = Store(path)
    p = s.start()
    next(frames(p.stdout))
    p.stdout.close()
    equal(p.wait(timeout=30), 2)
    err = p.stderr.read().decode()
    equal(err, "cannot write frames: Broken pipe\n")


main(needs=("git", "ps"))
