# SPDX-License-Identifier: GPL-2.0-or-later
"""Read a real public-inbox, in its directory and over HTTP."""
import os
import subprocess
import time

from common import (PublicInbox, Store, case, equal, fast_import, has, mail,
                    main, scratch, tip)

DAY = 86400
NOW = int(time.time())
inbox = None        # made by the first case, so that a skip makes nothing
by_path = by_url = None
first = [mail(n, NOW - 50 * DAY + n * DAY) for n in range(1, 9)]


def both(code=0):
    by_path.pull(code)
    by_url.pull(code)


def both_new(n):
    both()
    equal((by_path.new, by_url.new), (n, n))


@case
def an_archive_without_mails_is_empty():
    global inbox, by_path, by_url
    inbox = PublicInbox()
    by_path = Store(inbox.path, batch=3)
    by_path.pull()
    equal(by_path.seen, 0)
    inbox.serve()


@case
def all_mails_come_with_their_bytes():
    global by_url
    inbox.add(*first)
    by_url = Store(inbox.url + "/", batch=3)
    both_new(8)
    equal(by_path.mails, by_url.mails)
    for n, raw in enumerate(first, 1):
        # public-inbox-mda adds a List-Id header of its own
        got = by_path.mails[f"{n}@example.org"]
        has(got, b"Subject: mail %d\n" % n)
        has(got, raw.split(b"\n\n")[1])


@case
def nothing_new_is_nothing():
    both_new(0)
    equal((by_path.seen, by_url.seen), (0, 0))


@case
def only_what_is_new_comes():
    inbox.add(mail(20, NOW - 5), mail(21, NOW - 4))
    both_new(2)
    equal((by_path.seen, by_url.seen), (2, 2))


@case
def a_deletion_brings_nothing():
    inbox.remove(first[2])
    both_new(0)
    inbox.add(mail(22, NOW - 3))
    both_new(1)


@case
def a_purge_brings_back_only_what_is_known():
    inbox.purge(first[4])
    both_new(0)
    inbox.add(mail(23, NOW - 2))
    both_new(1)
    equal(by_path.seen, 1)
    equal(by_url.seen, 1)
    # who comes now does not see the purged mail, and no empty one for it
    late = Store(inbox.path)
    late.pull()
    equal("5@example.org" in late.mails, False)
    equal(late.refused, [])


@case
def a_second_epoch_is_found():
    fast_import(inbox.epoch(1), [(NOW - 1, {"m": mail(30, NOW - 1)})])
    inbox.index()
    both_new(1)
    inbox.add(mail(31, NOW))
    both_new(1)
    equal(sorted(by_path.state["epochs"]), ["0", "1"])
    equal(by_path.mails, by_url.mails)


@case
def mda_continues_in_the_second_epoch():
    out = subprocess.run(["git", "--git-dir", inbox.epoch(1), "rev-list",
                          "--count", "master"], check=True,
                         stdout=subprocess.PIPE).stdout
    equal(out.strip(), b"2")


@case
def since_leaves_out_older_mails_and_epochs():
    for location in (inbox.path, inbox.url):
        late = Store(location, since_s=NOW - 100)
        late.pull()
        equal(sorted(late.mails), [f"{n}@example.org"
                                   for n in (20, 21, 22, 23, 30, 31)])


@case
def an_earlier_since_brings_what_was_left_out():
    for location in (inbox.path, inbox.url):
        s = Store(location, since_s=NOW - 100)
        s.pull()
        s.request["since_s"] = NOW - 45 * DAY
        s.pull()
        # 1 to 4 are older, 3 was deleted and 5 purged
        equal(set(s.mails), {f"{n}@example.org" for n in
                             (6, 7, 8, 20, 21, 22, 23, 30, 31)})
        s.request["since_s"] = 0
        s.pull()
        # a mail that was deleted is in the history; the purged one is not
        equal(set(s.mails), {f"{n}@example.org" for n in
                             (1, 2, 3, 4, 6, 7, 8, 20, 21, 22, 23, 30, 31)})


@case
def a_lost_mirror_is_fetched_again():
    s = Store(inbox.url, since_s=NOW - 100)
    s.pull()
    s.request["cache_dir"] = scratch()
    inbox.add(mail(40, NOW))
    s.pull()
    equal(s.new, 1)


@case
def a_damaged_mirror_is_made_anew():
    s = Store(inbox.url)
    s.pull()
    inbox.add(mail(41, NOW))
    mirror = os.path.join(s.request["cache_dir"], "git", "1.git")
    for top, _, names in os.walk(os.path.join(mirror, "objects")):
        for name in names:
            os.chmod(os.path.join(top, name), 0o644)
            with open(os.path.join(top, name), "wb") as f:
                f.write(b"garbage")
    s.pull(code=2)
    has(s.last["why"], "damaged")
    s.pull()
    equal("41@example.org" in s.mails, True)


@case
def locks_of_a_killed_git_are_no_obstacle():
    s = Store(inbox.url, since_s=NOW - 100)
    s.pull()
    inbox.add(mail(42, NOW))
    mirror = os.path.join(s.request["cache_dir"], "git", "1.git")
    for name in ("shallow.lock", "packed-refs.lock", "config.lock",
                 "refs/heads/master.lock", "gc.pid", "HEAD.lock"):
        with open(os.path.join(mirror, name), "w"):
            pass
    s.pull()
    equal(s.new, 1)


@case
def many_small_fetches_do_not_pile_up():
    s = Store(inbox.url, since_s=NOW - 100)
    for n in range(60, 66):
        inbox.add(mail(n, NOW))
        s.pull()
    equal("65@example.org" in s.mails, True)


@case
def a_wrong_clock_does_not_cut_off_the_archive():
    # the commits of mails with a wrong clock carry that clock's time
    path = scratch()
    entries = [(NOW - 30 * DAY + n * 60, {"m": mail(n, NOW)})
               for n in range(600)]
    entries[300] = (NOW - 3000 * DAY, entries[300][1])
    entries[310] = (1000, entries[310][1])
    entries[0:100] = [(NOW - 90 * DAY + n * 60, {"m": mail(n, NOW - 90 * DAY)})
                      for n in range(100)]
    other = PublicInbox()
    os.rename(other.epoch(0), os.path.join(path, "empty"))
    fast_import(other.epoch(0), entries)
    other.index()
    other.serve()
    want = {f"{n}@example.org" for n in range(100, 600) if n != 300}
    for location in (other.path, other.url):
        s = Store(location, since_s=NOW - 31 * DAY)
        s.pull()
        equal(set(s.mails), want)
    # and the beginning was not downloaded: 32 commits behind the cut at most
    out = subprocess.run(
        ["git", "--git-dir", os.path.join(s.request["cache_dir"], "git",
                                          "0.git"),
         "rev-list", "--count", "master"], check=True,
        stdout=subprocess.PIPE).stdout
    if int(out) >= 600:
        raise AssertionError(f"{int(out)} of 600 commits downloaded")


@case
def an_archive_of_old_mails_only_gives_what_comes_then():
    other = PublicInbox()
    fast_import(other.epoch(0) + ".new",
                [(NOW - 900 * DAY + n, {"m": mail(n, NOW - 900 * DAY)})
                 for n in range(300)])
    os.rename(other.epoch(0), other.epoch(0) + ".old")
    os.rename(other.epoch(0) + ".new", other.epoch(0))
    other.index()
    other.serve()
    stores = [Store(location, since_s=NOW - DAY)
              for location in (other.path, other.url)]
    for s in stores:
        s.pull()
        equal(s.seen, 0)
    other.add(mail("new", NOW))
    for s in stores:
        s.pull()
        equal(s.seen, 1)


@case
def odd_commits_are_passed_over():
    path = scratch()
    fast_import(os.path.join(path, "git", "0.git"), [
        (NOW, {"m": mail(1, NOW)}),
        (NOW, {"m/not-a-mail": b"x"}),
        (NOW, {"m": b""}),
        (NOW, {"d": mail(1, NOW)}),
        (NOW, {"other": b"x"}),
        (NOW, {"m": mail(2, NOW, body="x" * (9 << 20))}),
        (NOW, {"m": b"\0\xff\n\nno mail at all"}),
        (NOW, {"m": mail(3, NOW), "d": b"x", "x": b"y"}),
    ])
    os.mkdir(os.path.join(path, "git", "all.git"))
    os.mkdir(os.path.join(path, "git", "7.git.tmp"))
    s = Store(path)
    s.pull()
    equal(sorted(s.mails), ["1@example.org", "3@example.org"])
    equal(len(s.refused), 2)
    has(s.refused[0][0], "larger than 8 MiB")
    equal(len(s.refused[0][1]), 65536)
    equal(s.state["epochs"]["0"]["tip"],
          tip(os.path.join(path, "git", "0.git")))


@case
def a_broken_repository_is_named():
    path = scratch()
    os.makedirs(os.path.join(path, "git", "0.git"))
    s = Store(path)
    s.pull(code=2)
    has(s.last["why"], os.path.join(path, "git", "0.git"))


@case
def what_is_not_there_is_named():
    for location, word in (("/nonexistent/archive", "No such file"),
                           (scratch(), "not a public-inbox v2 archive"),
                           ("/dev/null", "not a directory"),
                           (inbox.url.replace("linux-mm", "nope"),
                            "HTTP 404"),
                           (inbox.url.replace("linux-mm", ""),
                            "HTTP 404")):
        s = Store(location)
        s.pull(code=2)
        has(s.last["why"], location.rstrip("/"))
        has(s.last["why"], word)


main(needs=("public-inbox-init", "public-inbox-httpd", "git"))
