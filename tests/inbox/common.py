# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of archive reading share: TAP, frames, a store, archives."""
import atexit
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from email.utils import formatdate

CASES = []
ADDRESS = "linux-mm@example.org"


def case(fn):
    """A function to be run as one TAP case, named after it."""
    CASES.append(fn)
    return fn


def main(needs=()):
    """Run all cases; needs: programs without which all are skipped."""
    missing = [p for p in needs if not shutil.which(p)]
    print(f"1..{len(CASES)}")
    bad = 0
    for n, fn in enumerate(CASES, 1):
        name = fn.__name__.replace("_", " ")
        if missing:
            print(f"ok {n} - {name} # SKIP no {missing[0]}")
            continue
        try:
            fn()
            print(f"ok {n} - {name}")
        except Exception:
            bad += 1
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
            print(f"not ok {n} - {name}")
        sys.stdout.flush()
    sys.exit(bad != 0)


def equal(got, want):
    if got != want:
        raise AssertionError(f"got {got!r}, want {want!r}")


def has(text, part):
    if part not in text:
        raise AssertionError(f"no {part!r} in {text!r}")


def scratch():
    """A directory that is removed at the end."""
    d = tempfile.mkdtemp(prefix="mmci-inbox-")
    atexit.register(shutil.rmtree, d, ignore_errors=True)
    return d


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def frames(stream):
    """Yield (frame, raw) from a file of frames; ends where it is cut."""
    while True:
        line = stream.readline()
        if not line.endswith(b"\n"):
            return
        frame = json.loads(line)
        raw = b""
        if "size" in frame:
            raw = stream.read(frame["size"])
            if len(raw) < frame["size"]:
                return
        yield frame, raw


class Store:
    """What the daemon does with frames: mails and state, stored together."""

    def __init__(self, location, cache=None, **request):
        self.request = dict(request, location=location,
                            cache_dir=cache or scratch())
        self.state = {}
        self.mails = {}      # Message-ID -> raw, committed
        self.open = []       # since the last state
        self.seen = 0        # mail frames of the last pull
        self.new = 0         # of those, not known before
        self.last = None     # its last frame
        self.refused = []

    def start(self):
        request = dict(self.request, state=self.state)
        p = subprocess.Popen([os.environ["PULL_DRIVER"]],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        p.stdin.write(json.dumps(request).encode())
        p.stdin.close()
        return p

    def take(self, frame, raw):
        self.last = frame
        if frame["type"] == "mail":
            self.seen += 1
            fields = frame["fields"]
            if fields is None:
                self.refused.append((frame["refused"], raw))
                return
            self.open.append((fields["message_id"], raw))
        elif frame["type"] == "state":
            self.commit(frame["state"])

    def commit(self, state=None):
        for mid, raw in self.open:
            if mid not in self.mails:
                self.new += 1
                self.mails[mid] = raw
        self.open = []
        if state is not None:
            self.state = state

    def pull(self, code=0):
        self.seen = self.new = 0
        self.open, self.refused = [], []
        p = self.start()
        for frame, raw in frames(p.stdout):
            self.take(frame, raw)
        err = p.stderr.read().decode()
        got = p.wait()
        if got != code:
            raise AssertionError(f"pull: exit {got}, want {code}: {err}")
        if code:
            equal(self.last["type"], "error")
            equal(err, self.last["why"] + "\n")
            if "\n" in self.last["why"]:
                raise AssertionError("more than one line: " + err)
        else:
            equal(self.last["type"], "end")
            equal(err, "")
        return self.last


def mail(n, when, subject=None, body="hello\n"):
    """-> raw mail number n"""
    return (f"From: Ann <ann@example.org>\nTo: {ADDRESS}\n"
            f"Subject: {subject or f'mail {n}'}\n"
            f"Message-ID: <{n}@example.org>\n"
            f"Date: {formatdate(when)}\n\n{body}").encode()


def fast_import(git_dir, entries, old=None):
    """entries: (time, {path: bytes}); old: commit to go on from"""
    env = dict(os.environ, GIT_CONFIG_NOSYSTEM="1",
               GIT_CONFIG_GLOBAL="/dev/null")
    if not os.path.exists(git_dir):
        subprocess.run(["git", "init", "-q", "--bare", "-b", "master",
                        git_dir], check=True, env=env)
    data = []
    for when, files in entries:
        data.append(b"commit refs/heads/master\n"
                    b"author A <a@example.org> %d +0000\n"
                    b"committer A <a@example.org> %d +0000\ndata 0\n"
                    % (when, when))
        if old:
            data.append(b"from %s\n" % old.encode())
            old = None
        data.append(b"deleteall\n")
        for path, raw in files.items():
            data.append(b"M 100644 inline %s\ndata %d\n%s\n"
                        % (path.encode(), len(raw), raw))
    subprocess.run(["git", "--git-dir", git_dir, "fast-import", "--quiet",
                    "--force"], input=b"".join(data), check=True, env=env)


def tip(git_dir):
    return subprocess.run(["git", "--git-dir", git_dir, "rev-parse",
                           "refs/heads/master"], check=True,
                          stdout=subprocess.PIPE).stdout.decode().strip()


class PublicInbox:
    """A real public-inbox in a directory of its own."""

    def __init__(self):
        self.dir = scratch()
        self.path = os.path.join(self.dir, "linux-mm")
        home = os.path.join(self.dir, "home")
        os.mkdir(home)
        self.env = dict(os.environ, HOME=home, PI_DIR=home,
                        PI_CONFIG=os.path.join(home, "config"),
                        PI_EMERGENCY=os.path.join(self.dir, "emergency"),
                        ORIGINAL_RECIPIENT=ADDRESS)
        self.run("git", "config", "--global", "user.name", "Test")
        self.run("git", "config", "--global", "user.email",
                 "test@example.org")
        self.run("public-inbox-init", "-V2", "-L", "basic", "linux-mm",
                 self.path, "http://127.0.0.1/linux-mm", ADDRESS)
        self.run("git", "config", "-f", self.env["PI_CONFIG"],
                 "publicinboxmda.spamcheck", "none")
        self.url = None

    def run(self, *argv, data=b""):
        p = subprocess.run(argv, input=data, env=self.env,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if p.returncode:
            raise AssertionError(f"{argv[0]}: exit {p.returncode}: "
                                 + p.stdout.decode(errors="replace"))

    def add(self, *mails):
        for raw in mails:
            self.run("public-inbox-mda", "--no-precheck", data=raw)

    def remove(self, raw):
        self.run("public-inbox-learn", "rm", data=raw)

    def purge(self, raw):
        self.run("public-inbox-purge", self.path, data=raw)

    def epoch(self, n):
        return os.path.join(self.path, "git", f"{n}.git")

    def index(self):
        self.run("public-inbox-index", self.path)

    def serve(self):
        port = free_port()
        with open(os.path.join(self.dir, "httpd.log"), "wb") as log:
            p = subprocess.Popen(["public-inbox-httpd", "-W0", "-l",
                                  f"http://127.0.0.1:{port}"], env=self.env,
                                 stdin=subprocess.DEVNULL, stdout=log,
                                 stderr=log)
        atexit.register(p.wait)
        atexit.register(p.kill)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        self.url = f"http://127.0.0.1:{port}/linux-mm"
