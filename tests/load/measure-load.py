#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure the pages of a large database under load.

usage: measure-load.py BUILD DATABASE_DIR [--seconds N] [--viewers N] [--writes N]

BUILD has web/load-serve and web/fixed-page; DATABASE_DIR an mmci.db as
make-year.py makes it. While N viewers listen to the events and a writer
writes, each page is asked for at the pace of people, then by wrk as fast as it
goes (whose p99 counts what waits behind a slow answer, too); beside it, in
turns, the HTTP library alone answers a fixed page of the same size. What each
page is: front, filtered, searched (a rare and a common word), deep in the list,
one series, one job, findings. Prints a table for docs/measurements.md.
"""
import argparse
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request

CONNECTIONS = 4
THREADS = 4


def start(*args):
    p = subprocess.Popen(args, stdout=subprocess.PIPE, text=True)
    return p


def wait_for(port):
    end = time.monotonic() + 600
    while time.monotonic() < end:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit("port %d does not answer" % port)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def get(port, path):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open("http://127.0.0.1:%d%s" % (port, path)) as f:
        return f.read()


class Viewer(threading.Thread):
    """One who keeps a page open: an event stream"""
    def __init__(self, port):
        super().__init__(daemon=True)
        self.events = 0
        self.s = socket.create_connection(("127.0.0.1", port))
        self.s.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: x\r\n"
                       b"Accept: text/event-stream\r\n\r\n")

    def run(self):
        try:
            while True:
                data = self.s.recv(65536)
                if not data:
                    return
                self.events += data.count(b"\ndata:")
        except OSError:
            return


def view(port, n):
    """In a process of its own: n viewers until stdin is closed"""
    viewers = [Viewer(port) for _ in range(n)]
    for v in viewers:
        v.start()
    print("ready", flush=True)
    sys.stdin.read()
    events = [v.events for v in viewers]
    print("events per viewer: %d to %d" % (min(events), max(events)))


def paced(port, path, n=400, per_s=40):
    """What people do: one request after the other at a pace -> p50, p99 in ms"""
    took = []
    head = ("GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path).encode()
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        f = s.makefile("rb")
        due = time.monotonic()
        for _ in range(n):
            due += 1 / per_s
            time.sleep(max(0, due - time.monotonic()))
            begun = time.monotonic()
            s.sendall(head)
            size = 0
            if b" 200 " not in f.readline():
                sys.exit("%s is not answered by a page" % path)
            for line in iter(f.readline, b"\r\n"):
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            f.read(size)
            took.append((time.monotonic() - begun) * 1000)
    took.sort()
    return took[n // 2], took[n * 99 // 100]


def ms(text):
    m = re.match(r"([\d.]+)(us|ms|s|m)$", text)
    return float(m.group(1)) * {"us": 0.001, "ms": 1, "s": 1000,
                                "m": 60000}[m.group(2)]


def wrk(port, path, seconds):
    out = subprocess.run(
        ["wrk", "-t1", "-c%d" % CONNECTIONS, "-d%ds" % seconds, "--latency",
         "--timeout", "20s", "http://127.0.0.1:%d%s" % (port, path)],
        stdout=subprocess.PIPE, check=True, text=True).stdout
    p = dict(re.findall(r"^\s+(50|75|90|99)%\s+(\S+)$", out, re.M))
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    bad = int(bad.group(1)) if bad else 0
    errors = re.search(r"Socket errors: (.*)", out)
    return rate, ms(p["50"]), ms(p["99"]), bad, errors and errors.group(1)


def pages(path):
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    one = db.execute("SELECT version_id FROM finding WHERE blame = 'series'"
                     " ORDER BY id DESC LIMIT 1 OFFSET 5000").fetchone()[0]
    job = db.execute("SELECT job_id FROM finding WHERE version_id = ? AND"
                     " blame = 'series' LIMIT 1", (one,)).fetchone()[0]
    deep = db.execute("SELECT changed_s, id FROM version ORDER BY changed_s"
                      " DESC, id DESC LIMIT 1 OFFSET 6000").fetchone()
    author = db.execute("SELECT author_email FROM version WHERE id = ?",
                        (one,)).fetchone()[0]
    db.close()
    return [
        ("front page", "/"),
        ("state=broken", "/?state=broken"),
        ("one author", "/?mine=" + author),
        ("search, a rare word", "/?text=page_owner+export"),
        ("search, a common word", "/?text=folios"),
        ("search, file", "/?text=dfn:mm/mprotect.c"),
        ("page 121 of the list", "/?cursor=%d-%d" % deep),
        ("one series", "/series/%d" % one),
        ("one job", "/job/%d" % job),
        ("findings", "/findings"),
        ("findings of a file", "/findings?file=mm/mprotect.c"),
        ("jobs, errored (API)", "/api/v1/jobs?state=errored"),
    ]


def main():
    if sys.argv[1:2] == ["view"]:
        return view(int(sys.argv[2]), int(sys.argv[3]))
    a = argparse.ArgumentParser()
    a.add_argument("build")
    a.add_argument("dir")
    a.add_argument("--seconds", type=int, default=8)
    a.add_argument("--viewers", type=int, default=100)
    a.add_argument("--writes", type=int, default=20)
    a.add_argument("--only", default="")
    args = a.parse_args()
    port = free_port()
    begun = time.monotonic()
    server = start(os.path.join(args.build, "web", "load-serve"), str(port),
                   args.dir, str(args.writes))
    wait_for(port)
    print("server up after %.1f s" % (time.monotonic() - begun))
    viewers = subprocess.Popen(
        [sys.executable, __file__, "view", str(port), str(args.viewers)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    viewers.stdout.readline()
    print("%d viewers, %d writes/s; 400 requests at 40/s, then wrk with %d "
          "connections for %d s" % (args.viewers, args.writes, CONNECTIONS,
                                    args.seconds))
    print("| page | KiB | p50 ms | p99 ms | wrk: requests/s | p50 ms | p99 ms |"
          " fixed page/s | share |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, path in pages(os.path.join(args.dir, "mmci.db")):
        if args.only and args.only not in name:
            continue
        size = len(get(port, path))
        fixed_port = free_port()
        fixed = start(os.path.join(args.build, "web", "fixed-page"),
                      str(fixed_port), str(size), str(THREADS))
        wait_for(fixed_port)
        slow50, slow99 = paced(port, path)
        best = wrk(fixed_port, "/", max(2, args.seconds // 2))
        rate, p50, p99, bad, errors = wrk(port, path, args.seconds)
        fixed.send_signal(signal.SIGTERM)
        fixed.wait()
        print("| %s | %.0f | %.1f | %.1f | %.0f | %.1f | %.1f | %.0f | %.2f |%s"
              % (name, size / 1024, slow50, slow99, rate, p50, p99, best[0], rate / best[0],
                 " bad: %d %s" % (bad, errors) if bad or errors else ""),
              flush=True)
    print(viewers.communicate()[0].strip())
    with open("/proc/%d/status" % server.pid, encoding="ascii") as f:
        print(re.search(r"VmHWM:\s+(.*)", f.read()).group(0))
    server.send_signal(signal.SIGTERM)
    print(server.communicate()[0].splitlines()[-1])


if __name__ == "__main__":
    main()
