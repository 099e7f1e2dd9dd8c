# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers that are slow, busy, wrong or hostile."""
import gzip
import json
import os
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from common import Store, case, equal, fast_import, has, mail, main, scratch

NOW = int(time.time())


class Server:
    """answer(handler, path) writes the answer; asked holds (path, agent)."""

    def __init__(self, answer):
        self.asked = []
        self.running = 0
        self.most = 0
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                with server.lock:
                    server.asked.append((self.path,
                                         self.headers["User-Agent"]))
                    server.running += 1
                    server.most = max(server.most, server.running)
                self.over = False
                try:
                    answer(self, self.path)
                except OSError:
                    pass
                self.ends()

            do_POST = do_GET

            def ends(self):
                """Once, and before the client can know of it."""
                with server.lock:
                    server.running -= not self.over
                self.over = True

            def log_message(self, *args):
                pass

        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.httpd.daemon_threads = True
        threading.Thread(target=self.httpd.serve_forever,
                         daemon=True).start()
        self.url = f"http://127.0.0.1:{self.httpd.server_port}/list"


def reply(handler, status, body=b"", **headers):
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.ends()
    handler.end_headers()
    handler.wfile.write(body)


def manifest(*keys):
    return gzip.compress(json.dumps(
        {k: {"fingerprint": "f" * 40, "modified": NOW} for k in keys}).encode())


def fails(answer, code, *words, **request):
    """-> (store, server) after a pull that must fail and say words"""
    server = Server(answer)
    s = Store(server.url, **request)
    start = time.time()
    s.pull(code)
    if time.time() - start > 20:
        raise AssertionError("took too long")
    for word in words:
        has(s.last["why"], word)
    return s, server


@case
def a_missing_archive_is_said_so():
    fails(lambda h, p: reply(h, 404), 2, "/list/manifest.js.gz: HTTP 404")
    fails(lambda h, p: reply(h, 410), 2, "HTTP 410")
    fails(lambda h, p: reply(h, 403), 2, "HTTP 403")


@case
def retry_after_is_respected():
    s, server = fails(lambda h, p: reply(h, 429, Retry_After="120"), 1,
                      "HTTP 429", "next try in 120 s")
    left = s.state["not_before_s"] - time.time()
    if not 100 < left <= 121:
        raise AssertionError(f"not before {left} s")
    equal(s.last["not_before_s"], s.state["not_before_s"])
    s.pull(1)
    has(s.last["why"], "left alone until")
    equal(len(server.asked), 1)
    # a clock that was set back does not make a pause of years
    s.state["not_before_s"] += 10 ** 8
    s.pull(1)
    equal(len(server.asked), 2)


@case
def pauses_grow_without_retry_after():
    s, server = fails(lambda h, p: reply(h, 503), 1, "HTTP 503",
                      "next try in 60 s")
    for pause in (120, 240, 480, 960, 1920, 3600, 3600):
        s.state["not_before_s"] = 0
        s.pull(1)
        has(s.last["why"], f"next try in {pause} s")


@case
def a_pause_of_years_is_not_believed():
    s, _ = fails(lambda h, p: reply(h, 503, Retry_After="999999999"), 1)
    if s.state["not_before_s"] > time.time() + 86401:
        raise AssertionError("a pause of years")


@case
def after_success_the_pauses_are_forgotten():
    busy = [True]
    path = archive()

    def answer(h, p):
        if busy[0]:
            reply(h, 502)
        else:
            static(h, path, p)

    s, _ = fails(answer, 1, "HTTP 502")
    busy[0] = False
    s.state["not_before_s"] = 0
    s.pull()
    equal(len(s.mails), 5)
    equal("failures" in s.state or "not_before_s" in s.state, False)


def archive():
    path = scratch()
    git = os.path.join(path, "git", "0.git")
    fast_import(git, [(NOW, {"m": mail(n, NOW)}) for n in range(5)])
    subprocess.run(["git", "--git-dir", git, "update-server-info"],
                   check=True)
    return path


def static(h, root, path):
    """An archive as plain files, as a web server without git gives it."""
    if path == "/list/manifest.js.gz":
        reply(h, 200, manifest("/list/git/0.git"))
        return
    name = os.path.join(root, path.split("?")[0].replace("/list/", "", 1))
    if os.path.isfile(name):
        with open(name, "rb") as f:
            reply(h, 200, f.read())
    else:
        reply(h, 404)


@case
def plain_files_are_enough_and_requests_are_polite():
    path = archive()

    def slow(h, p):
        time.sleep(0.05)  # long enough for a second request to be seen
        static(h, path, p)

    server = Server(slow)
    s = Store(server.url, contact_url="https://ci.example.org/about")
    s.pull()
    equal(len(s.mails), 5)
    for asked, agent in server.asked:
        if not agent.startswith("mmci/") or \
                not agent.endswith(" (+https://ci.example.org/about)"):
            raise AssertionError(f"{asked}: {agent}")
    equal(server.most, 1)
    n = len(server.asked)
    s.pull()
    # the fingerprint is the same: only the manifest was asked for
    equal(len(server.asked), n + 1)


@case
def a_silent_server_costs_the_deadline():
    stop = threading.Event()
    try:
        fails(lambda h, p: stop.wait(60), 2, "/list/manifest.js.gz: ",
              timeout_s=2)

        def silent_git(h, p):
            if p.endswith("manifest.js.gz"):
                reply(h, 200, manifest("/list/git/0.git"))
            else:
                stop.wait(60)

        fails(silent_git, 2, "/list/git/0.git: git fetch: ", timeout_s=2)
    finally:
        stop.set()


@case
def a_server_that_takes_no_connection():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        s = Store(f"http://127.0.0.1:{sock.getsockname()[1]}/list")
        s.pull(2)
        has(s.last["why"], "/list/manifest.js.gz: ")


@case
def busy_while_git_fetches():
    def answer(h, p):
        if p.endswith("manifest.js.gz"):
            reply(h, 200, manifest("/list/git/0.git"))
        else:
            reply(h, 429)

    s, server = fails(answer, 1, "/list/git/0.git: HTTP 429")
    n = len(server.asked)
    s.pull(1)
    equal(len(server.asked), n)


@case
def gone_while_git_fetches():
    def answer(h, p):
        if p.endswith("manifest.js.gz"):
            reply(h, 200, manifest("/list/git/0.git"))
        else:
            reply(h, 404)

    fails(answer, 2, "/list/git/0.git: HTTP 404")


@case
def manifests_that_make_no_sense():
    def give(body):
        return lambda h, p: reply(h, 200, body)

    fails(give(b"hello"), 2, "not a gzip of a JSON object")
    fails(give(b""), 2, "not a gzip of a JSON object")
    fails(give(gzip.compress(b"[1]")), 2, "not a gzip of a JSON object")
    fails(give(manifest()), 2, "lists no epochs")
    fails(give(manifest("/list")), 2, "lists no epochs")
    fails(give(manifest("/a/git/0.git", "/b/git/0.git")), 2,
          "has several archives")
    fails(give(manifest("/list/git/0.git")[:-10]), 2,
          "not a gzip of a JSON object")
    bomb = gzip.compress(b'{"a":"' + b" " * (200 << 20))
    fails(give(bomb), 2, "not a gzip of a JSON object")
    fails(give(os.urandom(5 << 20)), 2, "larger than 4194304 bytes")


@case
def a_redirection_elsewhere_is_not_followed():
    fails(lambda h, p: reply(h, 302, Location="file:///etc/passwd"), 2,
          "/list/manifest.js.gz: ")

    def answer(h, p):
        if p.endswith("manifest.js.gz"):
            reply(h, 200, manifest("/list/git/0.git"))
        else:
            reply(h, 302, Location="file:///etc/passwd")

    fails(answer, 2, "/list/git/0.git: ")


@case
def a_password_in_the_url_stays_there():
    server = Server(lambda h, p: reply(h, 500 if "git/" in p else 404))
    for location in (server.url, "http://127.0.0.1:1/list"):
        s = Store(location.replace("http://", "http://me:secret@"))
        s.pull(2)
        equal("secret" in s.last["why"], False)

    def answer(h, p):
        if p.endswith("manifest.js.gz"):
            reply(h, 200, manifest("/list/git/0.git"))
        else:
            reply(h, 200, b"no git")

    server = Server(answer)
    s = Store(server.url.replace("http://", "http://me:secret@"))
    s.pull(2)
    equal("secret" in s.last["why"], False)


@case
def two_at_a_time_do_not_share_a_mirror():
    stop = threading.Event()
    server = Server(lambda h, p: stop.wait(30))
    s = Store(server.url, timeout_s=20)
    first = s.start()
    while not server.asked:
        time.sleep(0.02)
    other = Store(server.url, cache=s.request["cache_dir"])
    try:
        other.pull(2)
        has(other.last["why"], "/lock: Device or resource busy")
    finally:
        first.kill()
        first.wait()
        stop.set()


main(needs=("git",))
