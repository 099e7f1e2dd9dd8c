# SPDX-License-Identifier: GPL-2.0-or-later
"""The daemon and what comes in over the network, without a kernel build.

The tree is a directory with two files, so a series is assembled, gets its base
and is applied; its jobs are not waited for.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (TOP, Archive, Daemon, Skip, check, contains,  # noqa: E402
                     curl, equal, install, run_cases, scratch, source,
                     wait_until)

FILE = "one\ntwo\nthree\nfour\n"
d = archive = None


def cleanup():
    if d:
        d.stop()
    if archive:
        archive.stop()


def started():
    if not d or not d.process:
        raise Skip("the daemon did not start")


def blob(text):
    return subprocess.run(["git", "hash-object", "--stdin"],
                          input=text.encode(), stdout=subprocess.PIPE,
                          check=True).stdout.decode()[:12]


def patch_mail(ident, title, path, old, new):
    """A patch that replaces line two of a file that held old"""
    was, becomes = old.split("\n")[1], new.split("\n")[1]
    return f"""\
From: Nora Null <nora@example.org>
To: linux-mm@lists.example.org
Subject: [PATCH] {title}
Date: Wed, 04 Nov 2026 10:00:00 +0000
Message-ID: <{ident}>

Text.

Signed-off-by: Nora Null <nora@example.org>
---
 {path} | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/{path} b/{path}
index {blob(old)}..{blob(new)} 100644
--- a/{path}
+++ b/{path}
@@ -1,4 +1,4 @@
 one
-{was}
+{becomes}
 three
 four
-- 
2.39.5
""".encode()


def a_configuration_with_a_typo_is_refused():
    prefix = install()
    path = os.path.join(scratch(), "typo.conf")
    with open(path, "w", encoding="ascii") as f:
        f.write('state_dir = "/nonexistent"\nlisten_prot = 1\n')
    p = subprocess.run([os.path.join(prefix, "bin", "mmcid"), "--config",
                        path], stdin=subprocess.DEVNULL, timeout=60,
                       stderr=subprocess.PIPE)
    equal(p.returncode, 1, "exit status")
    equal(p.stderr.decode(), f"mmcid: {path}:2: no such option "
          "'listen_prot'\n", "the message")


def the_daemon_starts_and_takes_a_tree():
    global d, archive
    prefix = install()
    archive = Archive(scratch())
    archive.serve()
    tree = scratch()
    os.mkdir(os.path.join(tree, "mm"))
    for name, text in (("mm/there.c", FILE),
                       ("Makefile", "VERSION = 6\nPATCHLEVEL = 12\n"
                        "SUBLEVEL = 0\nEXTRAVERSION =\nNAME = Small\n")):
        with open(os.path.join(tree, name), "w", encoding="ascii") as f:
            f.write(text)
    d = Daemon(prefix, "service", keep=())
    d.configure(source(archive.url) + source(tree + "/none", "gone"))
    d.start()
    status, _, err = d.mmci("tree", "add", "small", tree, "--kind",
                            "source-dir")
    equal(status, 0, f"tree add: {err}")

    def ready():
        t = d.tree_state("small")
        check(t["state"] != "failed", f"tree: {t['error']}")
        return t["state"] == "ready"
    wait_until("the tree is ready", ready, 60)
    mode = os.stat(os.path.join(d.state, "admin.token")).st_mode & 0o777
    equal(oct(mode), "0o600", "mode of admin.token")


def an_archive_that_is_not_there_is_named():
    started()

    def failing():
        return next((s for s in d.get("/api/v1/sources")["items"]
                     if s["name"] == "gone" and s["error"]), None)
    s = wait_until("the source fails", failing, 60)
    contains(s["error"], "/none", "the error names the place")
    equal(s["error"].count("\n"), 0, "lines")


def a_tree_that_is_not_there_is_named():
    started()
    status, _, err = d.mmci("tree", "add", "gone", "/nonexistent/linux",
                            "--kind", "source-dir")
    equal(status, 0, f"tree add: {err}")
    t = wait_until("the tree fails", lambda: d.tree_state("gone")["error"] and
                   d.tree_state("gone"), 60)
    contains(t["error"], "/nonexistent/linux", "the error names the place")
    status, _, err = d.mmci("tree", "add", "../bad", "/x", "--kind", "git")
    equal((status, err.count("\n")), (1, 1), f"a bad name: {err}")


def a_series_is_applied():
    started()
    archive.add([patch_mail("fine@example.org", "mm/there: change it",
                            "mm/there.c", FILE, FILE.replace("two", "2"))])
    v = d.wait_series("fine@example.org", 120, ("planned", "running", "done"))
    equal((v["tree"], [p["state"] for p in v["patches"]]),
          ("small", ["applied"]), "base and patch")
    check(v["jobs"], "no jobs")


def broken_input_gives_a_reason_and_the_daemon_goes_on():
    started()
    archive.add([
        b"\x00\xff\xfe no mail at all \x80\n" * 20,
        # a file with the content of mm/there.c would be taken for it, renamed
        patch_mail("nowhere@example.org", "mm/nowhere: not there",
                   "mm/nowhere.c", FILE.replace("two", "deux"),
                   FILE.replace("two", "2")),
        patch_mail("other@example.org", "mm/there: against another tree",
                   "mm/there.c", FILE.replace("two", "zwei"),
                   FILE.replace("two", "2"))])
    for key, name in (("nowhere@example.org", "mm/nowhere.c"),
                      ("other@example.org", "mm/there.c")):
        v = d.wait_series(key, 120)
        check(v["verdict"] in ("no-base", "conflict"),
              f"{key}: verdict {v['verdict']}")
        reasons = [v["verdict_why"], v["state_why"], v["base_why"]]
        reasons += [t["why"] for t in v["tries"]]
        reasons += [p["state_why"] for p in v["patches"]]
        contains(" ".join(reasons), name, "the reason names the file")
    equal(d.get("/api/v1/health")["status"], "ok", "health")


def changes_need_the_right_token():
    started()
    v = d.series("fine@example.org")
    url = f"{d.url}/api/v1/jobs/{v['jobs'][0]['id']}/cancel"

    def token(name, scope):
        status, out, err = d.mmci("token", "add", name, "--scope", scope)
        equal(status, 0, f"token add: {err}")
        return out.strip()

    def post(address, value=None):
        header = ["-H", f"Authorization: Bearer {value}"] if value else []
        return curl("-X", "POST", *header, address)

    submit, rerun = token("submitter", "submit"), token("rerunner", "rerun")
    for suffix in ("", "-wal"):
        with open(os.path.join(d.state, "mmci.db" + suffix), "rb") as f:
            check(rerun.encode() not in f.read(),
                  "the token is in the database")
    status, body = post(url)
    equal(status, 401, "without a token")
    check(json.loads(body)["title"], "problem JSON")
    equal(post(url, "A" * 43)[0], 401, "with an unknown token")
    equal(post(url, submit)[0], 403, "with a token that lacks the scope")
    equal(post(f"{d.url}/api/v1/jobs/999999/rerun", rerun)[0], 404,
          "for an unknown job")
    equal(post(f"{d.url}/api/v1/series/999999/rerun", rerun)[0], 404,
          "for an unknown series")


def a_file_is_submitted():
    started()
    path = os.path.join(scratch(), "one.mbox")
    with open(path, "wb") as f:
        f.write(b"From mboxrd@z Thu Jan  1 00:00:00 1970\n")
        f.write(patch_mail("submitted@example.org", "mm/there: change more",
                           "mm/there.c", FILE, FILE.replace("two", "II")))
    status, _, err = d.mmci("submit", path)
    equal(status, 0, f"submit: {err}")
    d.wait_series("submitted@example.org", 120, ("planned", "running", "done"))
    status, _, err = d.mmci("submit", "/dev/null")
    equal((status, err.count("\n")), (1, 1), f"submit of nothing: {err}")
    status, _, err = d.mmci("submit", os.path.join(TOP, "LICENSE"))
    equal((status, err.count("\n")), (1, 1), f"submit of no mail: {err}")


def pages_and_client_show_it():
    started()
    ident = str(d.series("fine@example.org")["id"])
    for path in ("/", f"/series/{ident}", "/outbox", "/trees", "/queue",
                 "/findings"):
        status, text = d.request("GET", path)
        equal(status, 200, f"GET {path}")
        contains(text, "<html", path)
    contains(d.request("GET", f"/series/{ident}")[1], "mm/there: change it",
             "the page of the series")
    equal(d.request("GET", "/series/999999")[0], 404, "a series of no number")
    status, out, err = d.mmci("series", "list")
    equal(status, 0, f"series list: {err}")
    contains(out, "mm/there: change it", "series list")
    status, out, err = d.mmci("series", "show", "fine@example.org")
    equal(status, 0, f"series show: {err}")
    contains(out, "base   small", "series show")
    equal(d.mmci("series", "show", "999999")[0], 1, "series show of none")
    equal(d.mmci("tree", "list")[0], 0, "tree list")


def mails_are_taken_once_over_a_kill():
    started()
    before = len(d.get("/api/v1/series")["items"])
    d.kill()
    d.start()

    def looked():
        s = d.get("/api/v1/sources")["items"][0]
        return s["last_ok_s"] >= looked.since and s
    looked.since = d.get("/api/v1/sources")["items"][0]["last_ok_s"] + 1
    wait_until("the archive was read again", looked, 60)
    equal(len(d.get("/api/v1/series")["items"]), before, "series")


def it_ends_when_told_without_a_sanitizer_report():
    started()
    equal(d.stop(), 0, "exit status after SIGTERM")
    equal(d.sanitizer_reports(), [], "reports")


CASES = [
    a_configuration_with_a_typo_is_refused,
    the_daemon_starts_and_takes_a_tree,
    an_archive_that_is_not_there_is_named,
    a_tree_that_is_not_there_is_named,
    a_series_is_applied,
    broken_input_gives_a_reason_and_the_daemon_goes_on,
    changes_need_the_right_token,
    a_file_is_submitted,
    pages_and_client_show_it,
    mails_are_taken_once_over_a_kill,
    it_ends_when_told_without_a_sanitizer_report,
]

if __name__ == "__main__":
    run_cases(CASES, cleanup)
