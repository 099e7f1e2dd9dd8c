# SPDX-License-Identifier: GPL-2.0-or-later
"""What the end-to-end tests share: TAP, a mail archive, a daemon.

Environment, set by meson: MMCI_BUILD (build directory), MMCI_TOP (source).
Taken from the caller: MMCI_CACHE (what is costly and kept between runs,
default /var/cache/mmci), MMCI_SHARED (sample threads, default ../shared).
"""
import fcntl
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

TOP = os.environ["MMCI_TOP"]
BUILD = os.environ["MMCI_BUILD"]
CACHE = os.environ.get("MMCI_CACHE", "/var/cache/mmci")
SHARED = os.environ.get("MMCI_SHARED", os.path.join(TOP, "..", "shared"))
KERNEL = "linux-source-6.12"
TREE = "debian-6.12"
KCONFIG = "tiny"
LIST = "linux-mm@lists.example.org"
SANITIZER_WORDS = ("AddressSanitizer", "LeakSanitizer", "runtime error:")

_spec = importlib.util.spec_from_file_location(
    "make_archive", os.path.join(TOP, "deploy", "make-archive.py"))
make_archive = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make_archive)


class Skip(Exception):
    """Raised by a case that cannot run here; says why"""


def check(ok, what):
    if not ok:
        raise AssertionError(what)


def equal(got, expected, what):
    check(got == expected, f"{what}: {got!r}, expected {expected!r}")


def contains(text, part, what):
    check(part in text, f"{what}: {part!r} is not in {text!r}")


def run_cases(cases, cleanup=None):
    """Run functions in order and print TAP; ends the process.
    MMCI_TEST_CASES, names with spaces between, leaves the others out"""
    chosen = os.environ.get("MMCI_TEST_CASES", "").split()
    cases = [c for c in cases if not chosen or c.__name__ in chosen]
    bad = 0
    print(f"1..{len(cases)}", flush=True)
    try:
        for n, case in enumerate(cases, 1):
            name = case.__name__
            begun = time.monotonic()
            try:
                case()
                print(f"ok {n} - {name}", flush=True)
                if time.monotonic() - begun > 10:
                    note(f"took {time.monotonic() - begun:.0f} s")
            except Skip as e:
                print(f"ok {n} - {name} # SKIP {e}", flush=True)
            except Exception as e:  # a broken case must not end the others
                bad += 1
                print(f"not ok {n} - {name}")
                text = str(e) or type(e).__name__
                if not isinstance(e, AssertionError):
                    text = traceback.format_exc()
                for line in text.splitlines():
                    print("# " + line)
                sys.stdout.flush()
    finally:
        if cleanup:
            cleanup()
    sys.exit(1 if bad else 0)


def note(text):
    print("# " + text, flush=True)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_until(what, condition, timeout_s, step_s=0.2, longest_s=0):
    """Poll until condition() is true and return its value; ever more seldom,
    up to longest_s, for what may take minutes. A busy machine is no failure: it
    is given a minute at least"""
    timeout_s = max(timeout_s, 60)
    end = time.monotonic() + timeout_s
    while True:
        value = condition()
        if value:
            return value
        check(time.monotonic() < end, f"not within {timeout_s} s: {what}")
        time.sleep(step_s)
        if step_s < longest_s:
            step_s *= 1.2


def needs_root():
    if os.geteuid():
        raise Skip("needs root: jobs mount overlays")


def install():
    """The build, installed below a directory; returns its prefix"""
    dest = os.path.join(CACHE, "e2e", "install")
    os.makedirs(dest, exist_ok=True)
    # tests that run side by side are all started from it
    with open(dest + ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        copy_build(dest)
    with open(os.path.join(BUILD, "meson-info", "intro-buildoptions.json"),
              encoding="utf-8") as f:
        prefix = next(o["value"] for o in json.load(f)
                      if o["name"] == "prefix")
    return dest + prefix


def copy_build(dest):
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild",
                    "--only-changed", "--quiet", "--destdir", dest],
                   check=True, stdout=subprocess.DEVNULL)


class Archive(make_archive.Archive):
    """A public-inbox archive and a server for it on loopback"""

    def __init__(self, top):
        self.port = free_port()
        super().__init__(top, "linux-mm", LIST,
                         f"http://127.0.0.1:{self.port}")
        self.process = None
        self.create()
        self.add_mbox(os.path.join(TOP, "deploy", "sample", "welcome.mbox"))

    def serve(self):
        self.process = subprocess.Popen(
            ["public-inbox-httpd", "-W0", "-l", f"http://127.0.0.1:{self.port}"],
            env=self.env(), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def answers():
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", self.port)) == 0
        wait_until("public-inbox-httpd answers", answers, 20)

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()
            self.process = None

    def add_mbox(self, path, replace=()):
        """Append the mails of an mbox; replace: pairs of bytes"""
        with open(path, "rb") as f:
            data = f.read()
        for old, new in replace:
            check(old in data, f"{path} has no {old!r}")
            data = data.replace(old, new)
        return self.add(make_archive.split_mbox(data))


class Daemon:
    """mmcid of this build on a state directory in the cache

    The state keeps its kernel tree and warm bases from run to run; database,
    jobs, mails and replies are new each time.
    """

    def __init__(self, prefix, name="e2e",
                 keep=("trees.git", "src", "warm", "ccache")):
        self.prefix = prefix
        self.keep = keep
        self.state = os.path.join(CACHE, name, "state")
        self.conf = os.path.join(CACHE, name, "mmcid.conf")
        self.log = os.path.join(CACHE, name, "mmcid.log")
        self.port = free_port()
        self.process = None
        self.url = f"http://127.0.0.1:{self.port}"
        self.forget()

    def forget(self):
        os.makedirs(self.state, exist_ok=True)
        for entry in os.listdir(self.state):
            if entry not in self.keep:
                path = os.path.join(self.state, entry)
                if os.path.isdir(path) and not os.path.islink(path):
                    shutil.rmtree(path)
                else:
                    os.unlink(path)
        if os.path.exists(self.log):
            os.unlink(self.log)

    def configure(self, sources="", matrix="", top=""):
        text = f"""\
state_dir = "{self.state}"
listen_port = {self.port}
libexec_dir = "{self.prefix}/libexec/mmci"
kconfig_dir = "{self.prefix}/share/mmci/kconfig"
make_jobs = {os.cpu_count()}
parallel_jobs = 2
settle_s = 3
{top}
matrix {{
	arches = {{x86_64}}
	kconfigs = {{{KCONFIG}}}
	selftests = {{map_fixed_noreplace, madv_populate}}
	benchmarks = {{mprotect.small, fault.anon}}
	{matrix}
}}
{sources}
"""
        with open(self.conf, "w", encoding="utf-8") as f:
            f.write(text)

    def start(self, wait=True):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [os.path.join(self.prefix, "bin", "mmcid"),
                 "--config", self.conf],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                     "HOME": "/nonexistent",
                     "ASAN_OPTIONS": "detect_leaks=1",
                     "UBSAN_OPTIONS": "print_stacktrace=1"})
        if wait:
            wait_until("mmcid answers", self.answers, 60)

    def answers(self):
        check(self.process.poll() is None,
              f"mmcid ended: {self.log_text()[-2000:]}")
        try:
            return self.get("/api/v1/health") is not None
        except (OSError, AssertionError):
            return False

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process = None

    def stop(self):
        """SIGTERM; returns the exit status"""
        if not self.process:
            return 0
        self.process.terminate()
        try:
            status = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process = None
        return status

    def log_text(self):
        with open(self.log, "r", encoding="utf-8", errors="replace") as f:
            return f.read()

    def sanitizer_reports(self):
        return [line for line in self.log_text().splitlines()
                if any(w in line for w in SANITIZER_WORDS)]

    def admin_token(self):
        with open(os.path.join(self.state, "admin.token"),
                  encoding="ascii") as f:
            return f.read().strip()

    def request(self, method, path, body=None, token=None, content_type=None):
        """-> status, body as text"""
        request = urllib.request.Request(self.url + path, method=method,
                                         data=body)
        if token:
            request.add_header("Authorization", "Bearer " + token)
        if content_type:
            request.add_header("Content-Type", content_type)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=30) as answer:
                return answer.status, answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as e:
            return e.code, e.read().decode("utf-8", "replace")

    def get(self, path):
        status, text = self.request("GET", path)
        equal(status, 200, f"GET {path} {text[:200]}")
        return json.loads(text)

    def mmci(self, *args, token=None, stdin=None):
        """Run the client -> exit status, stdout, stderr"""
        env = {"PATH": "/usr/bin:/bin", "MMCI_CONFIG": self.conf}
        if token is not None:
            env["MMCI_TOKEN"] = token
        p = subprocess.run([os.path.join(self.prefix, "bin", "mmci"), *args],
                           env=env, input=stdin, timeout=120,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return (p.returncode, p.stdout.decode("utf-8", "replace"),
                p.stderr.decode("utf-8", "replace"))

    def tree_state(self, name):
        trees = self.get("/api/v1/trees")
        rows = trees if isinstance(trees, list) else trees["items"]
        return next((t for t in rows if t["name"] == name), None)

    def add_base_tree(self):
        """The kernel tree, imported once into the cache, then fetched"""
        repo = base_repository(self.prefix)
        status, _, err = self.mmci("tree", "add", TREE, repo, "--kind", "git",
                                   "--branch", TREE)
        equal(status, 0, f"tree add: {err}")

        def ready():
            t = self.tree_state(TREE)
            check(t["state"] != "failed", f"tree: {t['error']}")
            return t["state"] == "ready"
        wait_until("the tree is ready", ready, 300)

    def series(self, key):
        status, text = self.request("GET", "/api/v1/series/" + key)
        return json.loads(text) if status == 200 else None

    def wait_series(self, key, timeout_s, states=("done", "conflict")):
        def there():
            check(self.process.poll() is None, "mmcid ended")
            v = self.series(key)
            return v if v and v["state"] in states else None
        return wait_until(f"{key} in {states}", there, timeout_s, 0.5, 3)

    def replies(self):
        directory = os.path.join(self.state, "outbox")
        names = sorted(os.listdir(directory)) if os.path.isdir(directory) \
            else []
        found = []
        for name in names:
            with open(os.path.join(directory, name), encoding="utf-8") as f:
                found.append(f.read())
        return found


def base_repository(prefix):
    """Bare repository with the kernel sources as branch TREE, made once"""
    repo = os.path.join(CACHE, "base.git")
    ref = os.path.join(CACHE, "base.done")
    if os.path.exists(ref):
        return repo
    note(f"importing {KERNEL}, once")
    request = {"repo": repo, "name": TREE, "kind": "source-package",
               "location": KERNEL}
    p = subprocess.run([os.path.join(prefix, "bin", "mmcid"),
                        "--worker", "tree"],
                       input=json.dumps(request).encode(),
                       stdout=subprocess.PIPE, check=False)
    answer = json.loads(p.stdout or "{}")
    check("commit_id" in answer, f"{KERNEL}: {answer}")
    subprocess.run(["git", "-C", repo, "update-ref", f"refs/heads/{TREE}",
                    answer["commit_id"]], check=True)
    with open(ref, "w", encoding="ascii") as f:
        f.write(answer["commit_id"] + "\n")
    return repo


def shared_thread(name):
    path = os.path.join(SHARED, "series", name)
    if not os.path.exists(path):
        raise Skip(f"no {name} in {SHARED}/series")
    return path


def scratch():
    return tempfile.mkdtemp(prefix="mmci-e2e-")


def source(location, name="list", kind="public-inbox"):
    return f"""
source {name} {{
	kind = "{kind}"
	location = "{location}"
	poll_s = 4
}}
"""


def curl(*args):
    """-> status, body"""
    p = subprocess.run(["curl", "-s", "--noproxy", "*", "-w", "\n%{http_code}",
                        *args], stdout=subprocess.PIPE, check=True, timeout=60)
    body, _, status = p.stdout.decode().rpartition("\n")
    return int(status), body
