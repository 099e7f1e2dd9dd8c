# SPDX-License-Identifier: GPL-2.0-or-later
"""kill -9 of the daemon at every stage of one series.

After each the daemon is started again. In the end the series must have its
verdict, one reply and no job that was forgotten.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (TOP, Archive, Daemon, Skip, check, equal,  # noqa: E402
                     install, needs_root, note, run_cases, scratch,
                     source, wait_until)

SAMPLE = os.path.join(TOP, "deploy", "sample", "mprotect-sample.mbox")
KEY = "20261102081400.1000-1-paula@example.org"
STAGE_S = 1200

d = archive = None


def cleanup():
    if d:
        d.stop()
    if archive:
        archive.stop()


def version():
    try:
        return d.series(KEY)
    except OSError:
        return None


def kill_when(what, condition):
    """Poll fast, kill -9 as soon as it holds, start again"""
    if not d or not d.process:
        raise Skip("the daemon did not start")

    def now():
        v = version()
        return v is not None and condition(v)
    wait_until(what, now, STAGE_S, 0.02)
    d.kill()
    note(f"killed: {what}")
    d.start()


def job_is(kind, *states):
    return lambda v: any(j["kind"] == kind and j["state"] in states
                         for j in v["jobs"])


def the_daemon_starts():
    global d, archive
    needs_root()
    prefix = install()
    archive = Archive(scratch())
    archive.serve()
    d = Daemon(prefix, "e2e")
    d.configure(source(archive.url))
    d.start()
    d.add_base_tree()
    archive.add_mbox(SAMPLE)


def killed_while_it_assembles():
    kill_when("assembling", lambda v: v["state"] == "assembling")


def killed_while_it_applies():
    kill_when("ready", lambda v: v["state"] in ("ready", "applied"))


def killed_while_it_builds():
    kill_when("a build runs", job_is("build", "running"))


def killed_while_it_boots():
    kill_when("a boot runs", job_is("boot", "running", "passed"))


def killed_while_it_measures():
    kill_when("a benchmark runs", job_is("bench", "running", "passed"))


def the_series_is_finished():
    if not d or not d.process:
        raise Skip("the daemon did not start")
    v = d.wait_series(KEY, STAGE_S)
    equal((v["state"], v["verdict"]), ("done", "broken"), "state, verdict")
    for j in v["jobs"] + v["controls"]:
        check(j["state"] in ("passed", "failed"),
              f"job {j['id']} {j['kind']} is {j['state']}")
    equal({j["kind"] for j in v["jobs"]},
          {"check", "build", "boot", "test", "bench"},
          "kinds of jobs")


def one_reply_was_written():
    if not d or not d.process:
        raise Skip("the daemon did not start")
    equal(len(d.replies()), 1, "replies as files")
    equal(len(d.get("/api/v1/outbox")["items"]), 1, "replies in the outbox")
    d.kill()
    d.start()
    d.wait_series(KEY, 60)
    equal(len(d.replies()), 1, "replies after one more kill")
    equal(len(d.get("/api/v1/outbox")["items"]), 1,
          "replies in the outbox after one more kill")


def no_mail_was_taken_twice():
    if not d or not d.process:
        raise Skip("the daemon did not start")
    items = d.get("/api/v1/series")["items"]
    equal([(i["key"], i["total"]) for i in items], [(KEY, 2)], "series")
    equal(d.stop(), 0, "exit status after SIGTERM")
    equal(d.sanitizer_reports(), [], "reports")


CASES = [
    the_daemon_starts,
    killed_while_it_assembles,
    killed_while_it_applies,
    killed_while_it_builds,
    killed_while_it_boots,
    killed_while_it_measures,
    the_series_is_finished,
    one_reply_was_written,
    no_mail_was_taken_twice,
]

if __name__ == "__main__":
    run_cases(CASES, cleanup)
