# SPDX-License-Identifier: GPL-2.0-or-later
"""Live events, live logs and webhooks"""
import hashlib
import hmac
import http.server
import json
import os
import socket
import threading
import time

from service import (JOB, Service, check, contains, equal,
                     note, run_cases, wait_until)

S = Service()
SERIES = S.begin()
VIEWERS = 100


class Stream:
    """A stream of server-sent events, read as far as it has come"""

    def __init__(self, path, last=None, token=None):
        self.s = socket.create_connection(("127.0.0.1", S.port), timeout=30)
        lines = [f"GET {path} HTTP/1.1", "Host: x",
                 "Accept: text/event-stream"]
        if last is not None:
            lines.append(f"Last-Event-ID: {last}")
        if token:
            lines.append("Authorization: Bearer " + token)
        self.s.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.raw = b""
        self.over = False
        self.read_until(lambda: b"\r\n\r\n" in self.raw)
        self.head = self.raw.split(b"\r\n\r\n")[0].decode()

    def status(self):
        return int(self.head.split()[1])

    def more(self):
        data = self.s.recv(65536)
        self.over = self.over or not data
        self.raw += data

    def read_until(self, condition, timeout_s=20):
        end = time.monotonic() + timeout_s
        while not condition() and not self.over:
            check(time.monotonic() < end, f"not within {timeout_s} s: "
                  f"{self.raw[-300:]!r}")
            self.s.settimeout(max(0.1, end - time.monotonic()))
            try:
                self.more()
            except socket.timeout:
                pass

    def text(self):
        """The body without the marks of its chunks"""
        rest, out = self.raw.split(b"\r\n\r\n", 1)[1], b""
        while b"\r\n" in rest:
            size, rest = rest.split(b"\r\n", 1)
            n = int(size, 16)
            if not n:
                self.over = True
                break
            out += rest[:n]
            rest = rest[n + 2:]
        return out.decode()

    def events(self):
        """[(id, name, data)] of what has come whole"""
        found = []
        for block in self.text().split("\n\n")[:-1]:
            fields = {}
            for line in block.split("\n"):
                name, _, value = line.partition(": ")
                fields.setdefault(name, []).append(value)
            if "data" in fields:
                found.append((fields.get("id", [None])[0],
                              fields.get("event", [None])[0],
                              "\n".join(fields["data"])))
        return found

    def wait_events(self, n, timeout_s=20):
        self.read_until(lambda: len(self.events()) >= n, timeout_s)
        return self.events()

    def close(self):
        self.s.close()


def happen(kind="version.running", series=None, job=None, why="x"):
    """One event more, as the daemon would note it -> its number"""
    db = S.database()
    with db:
        n = db.execute("INSERT INTO event (at_s, kind, version_id, job_id,"
                       " detail) VALUES (?, ?, ?, ?, ?)",
                       (int(time.time()), kind, series or SERIES, job,
                        json.dumps({"why": why}))).lastrowid
    db.close()
    return n


def events_come_as_they_happen():
    s = Stream("/api/v1/events")
    equal(s.status(), 200, s.head)
    contains(s.head, "text/event-stream", "type")
    start = time.monotonic()
    n = happen()
    got = s.wait_events(1)
    took = time.monotonic() - start
    equal([int(e[0]) for e in got], [n], "only what is new")
    equal(json.loads(got[0][2])["kind"], "version.running", "kind")
    check(took < 2, f"{took} s")
    s.close()


def a_browser_goes_on_where_it_was():
    first, second = happen(why="first"), happen(why="second\nline")
    s = Stream("/api/v1/events", last=first - 1)
    got = s.wait_events(2)
    equal([int(e[0]) for e in got], [first, second], "both")
    s.close()
    s = Stream("/api/v1/events?after=0", last=first)
    equal([int(e[0]) for e in s.wait_events(1)], [second], "the header counts")
    s.close()
    s = Stream("/api/v1/events", last="x")
    equal(s.status(), 400, "no number")
    s.close()


def streams_can_be_narrowed():
    by_kind = Stream("/api/v1/events?kinds=job,outgoing.held")
    by_job = Stream(f"/api/v1/events?job={JOB}")
    by_series = Stream(f"/api/v1/events?series={SERIES}")
    happen("version.done")
    one = happen("job.running", job=JOB)
    other = happen("jobs.odd")
    held = happen("outgoing.held")
    equal([int(e[0]) for e in by_kind.wait_events(2)], [one, held], "kinds")
    equal([int(e[0]) for e in by_job.wait_events(1)], [one], "job")
    equal(int(by_series.wait_events(4)[2][0]), other, "series")
    equal(Stream("/api/v1/events?series=99").status(), 404, "no series")


def what_is_private_is_not_told():
    public = Stream("/api/v1/events")
    reader = Stream("/api/v1/events", token=S.token("read-private"))
    db = S.database()
    with db:
        row = db.execute("INSERT INTO version (topic_id, key, total, title,"
                         " date_s, last_mail_s, state, private, created_s,"
                         " changed_s) SELECT topic_id, 'secret', 1, 'secret',"
                         " 1, 1, 'done', 1, 1, 1 FROM version").lastrowid
    db.close()
    secret, seen = happen(series=row), happen()
    equal([int(e[0]) for e in reader.wait_events(2)], [secret, seen], "reader")
    equal([int(e[0]) for e in public.wait_events(1)], [seen], "public")
    # nor who gets tokens
    happen("token.added", why="somebody")
    last = happen()
    equal([int(e[0]) for e in public.wait_events(2)], [seen, last], "tokens")


def a_viewer_costs_no_thread():
    def threads():
        return len(os.listdir(f"/proc/{S.process.pid}/task"))

    before = threads()
    views = [Stream("/api/v1/events") for _ in range(VIEWERS)]
    equal({v.status() for v in views}, {200}, "statuses")
    equal(threads(), before, "threads")
    contains(S.call("GET", "/metrics").text(), "mmci_http_viewers ", "metrics")
    start = time.monotonic()
    n = happen()
    for v in views:
        equal([int(e[0]) for e in v.wait_events(1)], [n], "each viewer")
    note(f"{VIEWERS} viewers had it after {time.monotonic() - start:.2f} s, "
         f"{before} threads")
    for v in views:
        v.close()
    wait_until("it is noticed that they went away", lambda:
               "mmci_http_viewers 0\n" in S.call("GET", "/metrics").text(), 10)


def begin_job(number, text):
    where = f"jobs/{number}/1"
    os.makedirs(os.path.join(S.state, where))
    path = os.path.join(S.state, where, "log")
    with open(path, "wb") as f:
        f.write(text)
    now = int(time.time())
    db = S.database()
    with db:
        db.execute("INSERT INTO job (id, key, version_id, kind, base_commit,"
                   " arch, kconfig, toolchain, state, attempts, created_s,"
                   " changed_s) VALUES (?, ?, ?, 'build', 'c', 'x86_64', 't',"
                   " 'gcc', 'running', 1, ?, ?)",
                   (number, f"k{number}", SERIES, now, now))
        db.execute("INSERT INTO attempt (job_id, number, state, dir,"
                   " started_s) VALUES (?, 1, 'running', ?, ?)",
                   (number, where, now))
    db.close()
    return path


def end_job(number):
    db = S.database()
    with db:
        db.execute("UPDATE attempt SET state = 'passed', ended_s = 1"
                   " WHERE job_id = ?", (number,))
        db.execute("UPDATE job SET state = 'passed' WHERE id = ?", (number,))
    db.close()
    happen("job.passed", job=number)


def a_log_is_followed_to_its_end():
    path = begin_job(801, b"one\ntwo\nthr")
    s = Stream("/api/v1/jobs/801/log/live")
    equal(s.wait_events(1), [("8", None, "one\ntwo")], "whole lines")
    with open(path, "ab") as f:
        f.write(b"ee\nfour \xff\r\n")
    got = s.wait_events(2)
    equal(got[1], ("22", None, "three\nfour \ufffd"), "what came then")
    again = Stream("/api/v1/jobs/801/log/live", last=got[0][0])
    equal(again.wait_events(1), [("22", None, "three\nfour \ufffd")],
          "from where it was")
    with open(path, "ab") as f:
        f.write(b"no line end")
    end_job(801)
    got = s.wait_events(4)
    equal(got[2:], [("33", None, "no line end"),
                    (None, "end", '{"state":"passed"}')], "the end")
    s.read_until(lambda: s.over)
    late = Stream("/api/v1/jobs/801/log/live?offset=22")
    equal(late.wait_events(2), got[2:], "from an offset, afterwards")
    big = Stream("/api/v1/jobs/801/log/live?offset=9999")
    equal(big.status(), 416, "behind the end")


def a_large_log_is_never_held_whole():
    path = begin_job(802, b"")
    with open(path, "wb") as f:
        for i in range(40):
            f.write(b"%07d a line of a log that is long enough\n" % i * 25000)
    size = os.path.getsize(path)
    end_job(802)
    s = Stream("/api/v1/jobs/802/log/live")
    got = 0
    while not s.over:
        s.more()
        got += len(s.raw)
        s.raw = s.raw[-8:]
        s.over = s.over or s.raw.endswith(b"0\r\n\r\n")
    check(got > size, f"{got} of {size} bytes")
    with open(f"/proc/{S.process.pid}/status", encoding="ascii") as f:
        high = next(line for line in f if line.startswith("VmHWM"))
    note(f"{size >> 20} MiB of log, {high.strip()}")


class Receiver:
    """A server that takes events, or answers with a status"""

    def __init__(self, status=204):
        self.status = status
        self.got = []
        me = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                me.got.append((dict(self.headers), body, me.status))
                self.send_response(me.status)
                self.end_headers()

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Handler)
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"

    def kinds(self):
        return [json.loads(b)["kind"] for _, b, status in self.got
                if status < 300]


def add_hook(name, url, events=""):
    a = S.call("POST", "/api/v1/webhooks", token=S.admin_token(),
               body=json.dumps({"name": name, "url": url, "events": events}))
    equal(a.status, 201, a.text())
    return a.json()["secret"]


def hook(name):
    rows = S.call("GET", "/api/v1/webhooks", token=S.admin_token()).json()
    return next(r for r in rows["items"] if r["name"] == name)


def a_webhook_gets_what_it_asked_for_signed():
    r = Receiver()
    secret = add_hook("good", r.url, "version")
    happen("job.running", job=JOB)
    n = happen("version.done", why="verdict")
    wait_until("it was told", lambda: r.got, 20)
    headers, body, _ = r.got[0]
    equal(r.kinds(), ["version.done"], "kinds")
    equal(headers["X-Mmci-Signature"], "sha256=" + hmac.new(
        secret.encode(), body, hashlib.sha256).hexdigest(), "signature")
    equal((headers["X-Mmci-Event"], headers["X-Mmci-Delivery"]),
          ("version.done", str(n)), "headers")
    equal(json.loads(body)["detail"], {"why": "verdict"}, "body")
    wait_until("it is noted", lambda: hook("good")["sent"] == 1, 10)
    equal(S.mmci("webhook", "remove", "good")[0], 0, "remove")
    happen("version.done")
    time.sleep(2)
    equal(len(r.got), 1, "after it was removed")


def what_is_not_taken_is_sent_again_in_order():
    r = Receiver(500)
    code, out, err = S.mmci("webhook", "add", "sick", r.url, "--events",
                            "version,job.passed")
    equal((code, len(out.strip())), (0, 43), err)
    for kind in ("version.a", "version.b", "version.c"):
        happen(kind)
    wait_until("it was tried", lambda: len(r.got) == 1, 20)
    wait_until("it is noted", lambda: hook("sick")["error"] == "status 500", 9)
    r.status = 200
    wait_until("all came", lambda: len(r.kinds()) == 3, 30)
    equal(r.kinds(), ["version.a", "version.b", "version.c"], "order")
    equal(r.got[0][0]["X-Mmci-Delivery"], r.got[1][0]["X-Mmci-Delivery"],
          "the same number again")


def a_dead_receiver_holds_nobody_up():
    with socket.socket() as silent:  # takes connections, never answers
        silent.bind(("127.0.0.1", 0))
        silent.listen(5)
        add_hook("silent", f"http://127.0.0.1:{silent.getsockname()[1]}/")
        r = Receiver()
        add_hook("alive", r.url, "version")
        happen("version.done")
        start = time.monotonic()
        wait_until("the other was told", lambda: r.got, 8)
        equal(S.call("GET", "/readyz").status, 200, "readyz")
        a = S.call("POST", "/api/v1/series", open(
            os.path.join(os.environ["MMCI_TOP"], "deploy", "sample",
                         "mprotect-sample.mbox"), "rb").read(),
                   S.token("submit"))
        equal(a.status, 202, a.text())
        note(f"others went on, {time.monotonic() - start:.1f} s")
        wait_until("it is noted", lambda: hook("silent")["tries"] >= 1, 30)
    equal(S.mmci("webhook", "remove", "silent")[0], 0, "remove")


def bad_webhooks_are_refused():
    for spec in ({"name": "", "url": "http://x/"}, {"name": "a b", "url":
                 "http://x/"}, {"name": "x", "url": "file:///etc/passwd"},
                 {"name": "x", "url": "http://x/\r\nY: z"}, {"name": "x"},
                 {"name": "x", "url": "http://x/", "events": "DROP TABLE"},
                 {"name": "alive", "url": "http://x/"}):
        a = S.call("POST", "/api/v1/webhooks", token=S.admin_token(),
                   body=json.dumps(spec))
        equal(a.status, 409 if spec["name"] == "alive" else 400, spec)


def a_stop_ends_the_streams():
    views = [Stream("/api/v1/events") for _ in range(10)]
    start = time.monotonic()
    equal(S.stop(), 0, "exit status")
    check(time.monotonic() - start < 10, "slow")
    for v in views:
        v.read_until(lambda v=v: v.over)


run_cases([
    events_come_as_they_happen,
    a_browser_goes_on_where_it_was,
    streams_can_be_narrowed,
    what_is_private_is_not_told,
    a_viewer_costs_no_thread,
    a_log_is_followed_to_its_end,
    a_large_log_is_never_held_whole,
    a_webhook_gets_what_it_asked_for_signed,
    what_is_not_taken_is_sent_again_in_order,
    a_dead_receiver_holds_nobody_up,
    bad_webhooks_are_refused,
    a_stop_ends_the_streams,
], S.clear)
