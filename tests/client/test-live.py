# SPDX-License-Identifier: GPL-2.0-or-later
"""The client against a running daemon, and what is installed beside it."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time

TOP = os.environ["MMCI_TOP"]
sys.path.insert(0, os.path.join(TOP, "tests", "e2e"))
from harness import (Daemon, Skip, check, contains, equal,  # noqa: E402
                     install, run_cases, scratch, wait_until)

FILE = "one\ntwo\nthree\nfour\n"
MAKEFILE = ("VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 0\nEXTRAVERSION =\n"
            "NAME = Small\n")
d = prefix = checkout = None


def cleanup():
    if d:
        d.stop()


def started():
    if not d or not d.process:
        raise Skip("the daemon did not start")


def git(*args, cwd=None):
    return subprocess.run(
        ["git", "-C", cwd or checkout, "-c", "user.name=A. Uthor", "-c",
         "user.email=a@example.org", *args], check=True,
        stdout=subprocess.PIPE).stdout.decode().strip()


def commit(title, name, text):
    with open(os.path.join(checkout, name), "w", encoding="ascii") as f:
        f.write(text)
    git("add", name)
    git("commit", "-q", "-s", "-m", title)


def mmci(*args, cwd=None, token=None, timeout=180):
    env = {"PATH": "/usr/bin:/bin", "MMCI_CONFIG": d.conf,
           "HOME": "/nonexistent"}
    if token is not None:
        env["MMCI_TOKEN"] = token
    p = subprocess.run([os.path.join(prefix, "bin", "mmci"), *args], env=env,
                       cwd=cwd, timeout=timeout, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def the_daemon_starts():
    global d, prefix, checkout
    prefix = install()
    checkout = scratch()
    git("init", "-q", "-b", "main")
    os.mkdir(os.path.join(checkout, "mm"))
    commit("the base", "Makefile", MAKEFILE)
    commit("a file", "mm/there.c", FILE)
    d = Daemon(prefix, "client", keep=())
    d.configure()
    d.start()
    status, _, err = mmci("tree", "add", "small", checkout, "--kind", "git",
                          "--branch", "main")
    equal(status, 0, f"tree add: {err}")
    wait_until("the tree is ready",
               lambda: d.tree_state("small")["state"] == "ready", 60)
    commit("mm/there: change a line", "mm/there.c", FILE.replace("two", "2"))
    commit("mm/there: change another", "mm/there.c",
           FILE.replace("two", "2").replace("three", "3"))


def commits_are_submitted_and_followed():
    started()
    # settings of one's own must not change what a patch is
    git("config", "format.coverLetter", "true")
    git("config", "format.attach", "true")
    git("config", "diff.noprefix", "true")
    status, out, err = mmci("submit", "HEAD~2..", cwd=checkout)
    check(status in (0, 1), f"exit status {status}: {err}")
    key = re.search(r"HEAD~2\.\.: http://\S+/series/(\S+)\n", err)
    check(key, f"the series is named: {err}")
    contains(err, "check", "progress")
    contains(out, "mm/there: change a line: ", "the verdict")
    v = json.loads(mmci("series", "show", key.group(1), "--json")[1])
    equal([p["title"] for p in v["patches"]],
          ["mm/there: change a line", "mm/there: change another"], "patches")
    equal([p["state"] for p in v["patches"]], ["applied", "applied"],
          "applied")
    equal((v["private"], v["tree"]), (1, "small"), "private, tree")
    equal(v["base_commit"], git("rev-parse", "HEAD~2"), "base")
    equal(status, 0 if v["verdict"] == "clean" else 1, "exit status")
    status = d.request("GET", "/api/v1/series/" + key.group(1))[0]
    equal(status, 404, "without a token")
    # again: the same commits, other mails, another series
    status, out, err = mmci("submit", "--no-wait", "main~1..main", "--json",
                            cwd=checkout)
    equal(status, 0, f"submit one: {err}")
    number = max(json.loads(out)["series"])  # its neighbour is named as well
    status, out, err = mmci("series", "wait", str(number), "--json")
    v = json.loads(out)
    equal((v["total"], v["title"]), (1, "mm/there: change another"), "series")


def what_names_no_commits_is_refused():
    started()
    for args, words in ((("HEAD..HEAD",), "has no commits"),
                        (("nonsense..",), "no commits of this"),
                        (("--upload-pack=x..",), "needs one"),
                        (("..--exec=x",), "no commits of this")):
        status, out, err = mmci("submit", *args, cwd=checkout)
        check(status in (1, 2), f"{args}: {status}")
        equal(out, "", f"stdout of {args}")
        contains(err, words, f"{args}")
    status, _, err = mmci("submit", "HEAD~1..", cwd="/")
    equal(status, 1, f"outside of a repository: {err}")


def lists_are_filtered():
    started()
    for args, n in (((), 2), (("--text", "change line"), 1),
                    (("--text", "nonsense"), 0), (("--tree", "small"), 1),
                    (("--mine", "a@example.org"), 2),
                    (("--author", "uthor"), 2), (("--arch", "vax"), 0),
                    (("--limit", "1"), 1)):
        status, out, err = mmci("series", "list", "--json", *args)
        equal(status, 0, f"series list {args}: {err}")
        equal(len(json.loads(out)["items"]), n, f"series list {args}")
    status, out, _ = mmci("series", "list", "--limit", "1")
    contains(out, "more: --cursor ", "the next part")
    cursor = out.rsplit(" ", 1)[1].strip()
    status, out, _ = mmci("series", "list", "--limit", "1", "--cursor", cursor)
    equal(status, 0, "the next part")
    check("more:" not in out, "there is no third part")
    jobs = json.loads(mmci("job", "list", "--json", "--kind", "check")[1])
    check(jobs["items"] and all(j["kind"] == "check" for j in jobs["items"]),
          "job list --kind")
    for args in (("finding", "list"), ("queue",), ("health",),
                 ("source", "list"), ("outbox", "list"), ("tree", "list")):
        status, out, err = mmci(*args)
        equal((status, err), (0, ""), f"mmci {args}")


def on_a_terminal(width, *args):
    """-> exit status, what was written to a terminal of that width"""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ,
                struct.pack("HHHH", 24, width, 0, 0))
    p = subprocess.Popen([os.path.join(prefix, "bin", "mmci"), *args],
                         stdin=slave, stdout=slave, stderr=slave,
                         env={"PATH": "/usr/bin:/bin", "MMCI_CONFIG": d.conf})
    os.close(slave)
    text = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(master)
    return p.wait(60), text.decode()


def tables_fit_the_terminal():
    started()
    for width in (40, 60, 80, 200):
        for args in (("series", "list"), ("job", "list"), ("tree", "list")):
            status, text = on_a_terminal(width, *args)
            equal(status, 0, f"mmci {args}")
            for line in text.splitlines():
                check(len(line) <= width, f"{width}: {line!r}")
    contains(on_a_terminal(200, "series", "list")[1],
             "mm/there: change a line", "a wide terminal")


def watching_ends_with_the_job():
    started()
    job = json.loads(mmci("job", "list", "--json", "--kind", "check")[1])
    job = job["items"][0]
    status, out, err = mmci("job", "show", str(job["id"]), "--watch")
    equal(err, "", "stderr")
    equal(status, 0 if job["state"] == "passed" else 1, "exit status")
    contains(out, f"job {job['id']}: {job['state']}", "the job")
    status, log, err = mmci("job", "log", str(job["id"]), "--watch")
    equal(status, 0 if job["state"] == "passed" else 1, f"log: {err}")
    equal(log, mmci("job", "log", str(job["id"]))[1], "the whole log, once")
    status, out, _ = mmci("job", "show", str(job["id"]), "--watch", "--json")
    equal(out.count("\n"), 1, "one line")
    equal(json.loads(out)["id"], job["id"], "JSON")


def watching_shows_what_changes():
    started()
    p = subprocess.Popen([os.path.join(prefix, "bin", "mmci"), "--watch",
                          "--json", "tree", "list"], stdout=subprocess.PIPE,
                         env={"PATH": "/usr/bin:/bin", "MMCI_CONFIG": d.conf})
    first = json.loads(p.stdout.readline())
    equal([t["name"] for t in first["items"]], ["small"], "trees")
    equal(mmci("tree", "add", "gone", "/nonexistent/x", "--kind", "git")[0], 0,
          "tree add")
    begun = time.monotonic()
    second = json.loads(p.stdout.readline())
    check(time.monotonic() - begun < 10, "within ten seconds")
    contains([t["name"] for t in second["items"]], "gone", "trees")
    p.kill()
    p.wait()


def complete(line):
    script = os.path.join(TOP, "deploy", "completion", "mmci")
    p = subprocess.run(
        ["bash", "-c", """
         . "$1"; shift
         COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
         _mmci; printf '%s\\n' "${COMPREPLY[@]}"
         """, "bash", script, os.path.join(prefix, "bin", "mmci"), *line],
        env={"PATH": "/usr/bin:/bin", "MMCI_CONFIG": d.conf},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    equal(p.stderr.decode(), "", f"completion of {line}")
    return p.stdout.decode().split()


def words_are_completed():
    started()
    for line, some, not_any in (
            ([""], ["series", "job", "submit"], ["list", "--json"]),
            (["se"], ["series"], ["job"]),
            (["series", ""], ["list", "show", "wait", "rerun"], ["log"]),
            (["series", "list", "--"], ["--state", "--mine", "--watch"],
             ["--attempt"]),
            (["series", "list", "--state", "b"], ["broken"], ["clean"]),
            (["job", "list", "--state", "f"], ["failed"], ["broken"]),
            (["series", "list", "--tree", "s"], ["small"], ["gone"]),
            (["tree", "fetch", ""], ["small", "gone"], ["NAME"]),
            (["job", "log", "1", "--a"], ["--attempt"], ["--state"]),
            (["--config", d.conf, "job", "l"], ["list", "log"], ["show"]),
            (["submit", "--"], ["--private", "--no-wait"], ["--state"])):
        got = complete(line)
        for word in some:
            check(word in got, f"{line}: {word} is not in {got}")
        for word in not_any:
            check(word not in got, f"{line}: {word} is in {got}")


def manuals():
    names = ("man1/mmci.1", "man1/mmci-run.1", "man8/mmcid.8")
    return [os.path.join(prefix, "share", "man", n) for n in names]


def the_manuals_are_clean():
    for path in manuals():
        check(os.path.exists(path) or os.path.exists(path + ".gz"),
              f"{path} is not installed")
    source = os.path.join(TOP, "docs", "man")
    try:
        p = subprocess.run(["mandoc", "-Tlint", "-Wwarning"] +
                           [os.path.join(source, n)
                            for n in sorted(os.listdir(source))],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except FileNotFoundError:
        raise Skip("mandoc is not installed") from None
    equal(p.stdout.decode(), "", "mandoc -Tlint")


def every_command_is_in_the_manual():
    started()
    with open(os.path.join(TOP, "docs", "man", "mmci.1"),
              encoding="utf-8") as f:
        text = f.read().replace("\\\n", "")
    for line in mmci("--help")[1].splitlines():
        m = re.match(r"  ([a-z][a-z -]*[a-z]|[a-z]+)(?= |$)(.*)", line)
        if not m:
            continue
        check(re.search(r"(?m)(^\.It|,) Ic " + re.escape(m.group(1)) +
                        r"\b", text), f"{m.group(1)} is not in mmci.1")
        entry = re.search(r"(?m)^.*Ic " + re.escape(m.group(1)) + r"\b.*$",
                          text).group(0)
        for option in re.findall(r"--([a-z-]+)", m.group(2)):
            if option not in ("json", "options"):
                check(re.search(r"Fl Fl " + option + r"\b", entry),
                      f"{m.group(1)} --{option} is not in mmci.1")


def the_daemon_is_away():
    started()
    equal(d.stop(), 0, "exit status of the daemon")
    equal(mmci("series", "list")[0], 3, "exit status")
    equal(mmci("series", "show", "1", "--watch")[0], 3, "with --watch")
    equal(d.sanitizer_reports(), [], "sanitizers")


CASES = [
    the_daemon_starts,
    commits_are_submitted_and_followed,
    what_names_no_commits_is_refused,
    lists_are_filtered,
    tables_fit_the_terminal,
    watching_ends_with_the_job,
    watching_shows_what_changes,
    words_are_completed,
    the_manuals_are_clean,
    every_command_is_in_the_manual,
    the_daemon_is_away,
]

if __name__ == "__main__":
    run_cases(CASES, cleanup)
