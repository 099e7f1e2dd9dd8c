# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks on a Patchwork server: pending at once, one final state, no more."""
import http.server
import json
import os
import sys
import threading
import time
import urllib.parse
from email.utils import formatdate

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from post import Outbox, check, equal, run_cases, wait_until  # noqa: E402

posts, refused, down = [], [], [False]
PATCHES = {"1@example.org": 41, "2@example.org": 42}
d = None


class Patchwork(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        ident = urllib.parse.parse_qs(url.query).get("msgid", [""])[0]
        if down[0]:
            self.answer(502, {})
        elif url.path == "/api/1.2/patches/" and ident in PATCHES:
            self.answer(200, [{"id": PATCHES[ident]}])
        else:
            self.answer(200, [])

    def do_POST(self):
        body = json.loads(self.rfile.read(int(
            self.headers["Content-Length"])))
        if self.headers["Authorization"] != "Token secret":
            refused.append(body)
            self.answer(403, {})
            return
        posts.append((int(self.path.split("/")[4]), body["context"],
                      body["state"], body["target_url"]))
        self.answer(201, {"id": len(posts)})

    def log_message(self, *args):
        pass


def cleanup():
    if d:
        d.clear()


def mail(number, total=3):
    return (f"From mboxrd@z Thu Jan  1 00:00:00 1970\n"
            f"From: Nora Null <nora@example.org>\nTo: l@lists.example.org\n"
            f"Subject: [PATCH {number}/{total}] mm: x{number}\n"
            f"Date: {formatdate(time.time() + number)}\n"
            f"Message-ID: <{number}@example.org>\n" +
            ("" if number == 1 else "In-Reply-To: <1@example.org>\n") +
            f"\nText.\n\nSigned-off-by: Nora Null <nora@example.org>\n---\n"
            f"diff --git a/mm/x{number}.c b/mm/x{number}.c\n"
            f"--- a/mm/x{number}.c\n+++ b/mm/x{number}.c\n@@ -1 +1 @@\n"
            "-one\n+two\n\n")


def sql(text, *args):
    import sqlite3
    with sqlite3.connect(os.path.join(d.state, "mmci.db"),
                         timeout=20) as db:
        db.execute(text, args)
    db.close()


def open_checks():
    import sqlite3
    with sqlite3.connect(os.path.join(d.state, "mmci.db"),
                         timeout=20) as db:
        row = db.execute("SELECT count(*) FROM patchwork_check"
                         " WHERE want != posted"
                         " AND posted != 'none'").fetchone()
    db.close()
    return row[0]


def a_series_is_being_tested():
    global d
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Patchwork)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    d = Outbox()
    token = os.path.join(d.dir, "token")
    with open(token, "w", encoding="ascii") as f:
        f.write("secret\n")
    mbox = os.path.join(d.dir, "in.mbox")
    with open(mbox, "w", encoding="utf-8") as f:
        f.write("".join(mail(n) for n in (1, 2, 3)))
    d.set_mail('\ttransport = maildir\n\tmaildir = "/nonexistent"\n'
               f'\tpatchwork_url = "http://127.0.0.1:{server.server_port}"\n'
               f'\tpatchwork_token_file = "{token}"', f"""\
settle_s = 0
source mm {{
	kind = mbox
	location = "{mbox}"
	poll_s = 1
}}
""")
    d.start()
    wait_until("the series", lambda: d.series("1@example.org"), 30)
    d.stop()
    for arch in ("x86_64", "arm64"):
        sql("INSERT INTO job (key, version_id, kind, base_commit, arch,"
            " kconfig, toolchain, state, created_s, changed_s) VALUES"
            " (?, 1, 'build', '', ?, 'small', 'gcc', 'running', 1, 1)",
            arch, arch)
    sql("UPDATE version SET state = 'running', total = 3")


def states():
    return sorted((p, c, s) for p, c, s, _ in posts)


def pending_comes_at_once():
    d.start()
    wait_until("four checks", lambda: len(posts) >= 4, 30)
    equal(states(), sorted((p, f"mmci-{a}", "pending") for p in (41, 42)
                           for a in ("x86_64", "arm64")), "checks")
    check(all(u.endswith("/series/1") for *_, u in posts), posts)


def a_dead_server_is_asked_again_and_blocks_nothing():
    down[0] = True
    d.stop()
    sql("INSERT INTO attempt (job_id, number, state, dir, started_s)"
        " VALUES (1, 1, 'failed', '', 1)")
    sql("INSERT INTO finding (version_id, job_id, attempt_id, number, stage,"
        " blame, tool, severity, message, fingerprint, created_s) VALUES"
        " (1, 1, 1, 2, 'build', 'series', 'gcc', 'error', 'm', 'f', 1)")
    sql("UPDATE job SET state = iif(arch = 'x86_64', 'failed', 'passed')")
    sql("UPDATE version SET state = 'done', verdict = 'broken'")
    d.start()
    wait_until("the failure is in the log",
               lambda: "status 502" in d.log_text(), 30)
    d.get("/api/v1/series")
    equal(len(posts), 4, "checks")


def one_final_state_and_no_more():
    down[0] = False
    d.stop()
    sql("UPDATE patchwork_check SET next_s = 0")
    d.start()
    wait_until("the final checks", lambda: len(posts) >= 8, 30)
    equal(sorted((p, c, s) for p, c, s, _ in posts[4:]),
          [(41, "mmci-arm64", "success"), (41, "mmci-x86_64", "success"),
           (42, "mmci-arm64", "success"), (42, "mmci-x86_64", "fail")],
          "checks")
    # a stop between the server's answer and the record of it would post the
    # same state again, which the server takes as the one state
    wait_until("all are recorded", lambda: open_checks() == 0, 30)
    d.stop()
    d.start()
    time.sleep(3)
    equal(len(posts), 8, "checks after a restart")
    equal(refused, [], "posts without the token")


def nothing_was_reported_by_the_sanitizers():
    equal(d.stop(), 0, "exit status")
    equal(d.sanitizer_reports(), [], "sanitizer reports")


if __name__ == "__main__":
    run_cases([a_series_is_being_tested, pending_comes_at_once,
               a_dead_server_is_asked_again_and_blocks_nothing,
               one_final_state_and_no_more,
               nothing_was_reported_by_the_sanitizers], cleanup)
