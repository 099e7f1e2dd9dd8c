# SPDX-License-Identifier: GPL-2.0-or-later
"""What other tools get: b4's review checks, KCIDB."""
import http.server
import json
import os
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.environ["MMCI_TOP"], "tests", "e2e"))
from harness import BUILD, Skip, check, equal, run_cases  # noqa: E402

PLACE = {"arch": "x86_64", "kconfig": "small", "toolchain": "gcc", "job_id": 1}


def job(ident, kind, arch, state):
    return {"id": ident, "kind": kind, "arch": arch, "kconfig": "small",
            "toolchain": "gcc", "state": state, "summary": "text",
            "started_s": 1790000000, "ended_s": 1790000060}


SERIES = {
    "id": 7, "key": "0@example.org", "title": "Two things", "status": "broken",
    "verdict": "broken", "verdict_why": "does not build", "tree": "mm-unstable",
    "base_commit": "9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e",
    "base_describe": "v6.12", "date_s": 1789990000,
    "patches": [{"number": 1, "message_id": "1@example.org"},
                {"number": 2, "message_id": "2@example.org"}],
    "jobs": [job(1, "build", "x86_64", "failed"),
             job(2, "boot", "x86_64", "passed"),
             job(3, "test", "x86_64", "failed"),
             job(4, "bench", "x86_64", "passed"),
             job(5, "build", "arm64", "passed"),
             job(6, "boot", "arm64", "errored"),
             job(7, "build", "s390", "running"),
             job(8, "boot", "s390", "waiting")],
    "findings": [
        {"number": 2, "blame": "series", "severity": "error", "line": 873,
         "file": "include/linux/pgtable.h", "message": "implicit declaration",
         "places": [PLACE]},
        {"number": 1, "blame": "series", "severity": "warning", "line": 60,
         "file": "mm/mprotect.c", "message": "unused variable",
         "places": [PLACE]},
        {"number": 1, "blame": "base", "severity": "error", "line": 1,
         "file": "mm/x.c", "message": "not ours", "places": [PLACE]}],
    "tests": {"counts": {"failed": 1, "skipped": 1}, "list": [
        {"job_id": 3, "name": "madv populate/1", "status": "crashed",
         "why": "signal 11"},
        {"job_id": 3, "name": "hugetlb.x", "status": "skipped", "why": ""}]},
}
NO_BASE = {"id": 8, "key": "n@example.org", "status": "no-base",
           "verdict": "no-base", "verdict_why": "no tree takes it",
           "title": "t", "date_s": 1, "patches": [], "jobs": [],
           "findings": [], "tests": {"list": []}, "base_commit": None}
KNOWN = {"7": SERIES, "0%40example.org": SERIES, "1%40example.org": SERIES,
         "2%40example.org": SERIES, "8": NO_BASE, "n%40example.org": NO_BASE}


class Api(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        found = KNOWN.get(self.path.rsplit("/", 1)[1])
        body = json.dumps(found or {"status": 404, "detail": "none"}).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
threading.Thread(target=server.serve_forever, daemon=True).start()
URL = f"http://127.0.0.1:{server.server_port}"


def mmci(*args, stdin=b"", url=URL):
    p = subprocess.run([os.path.join(BUILD, "server", "mmci"), "--url", url,
                        *args], input=stdin, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=60,
                       env={"PATH": "/usr/bin:/bin",
                            "MMCI_CONFIG": "/nonexistent"})
    return p.returncode, p.stdout, p.stderr.decode()


def mail(ident):
    return (f"From: Dev <dev@example.org>\nSubject: [PATCH] x\nMessage-ID: "
            f"<{ident}>\nDate: Mon, 2 Nov 2026 10:00:00 +0000\n\nx\n").encode()


def checks(ident):
    status, out, err = mmci("check", stdin=mail(ident))
    equal(status, 0, err)
    rows = json.loads(out)
    for row in rows:
        check({"tool", "status"} <= set(row), row)
        check(row["status"] in ("pass", "warn", "fail"), row)
        check(all(isinstance(v, str) for v in row.values()), row)
        check(set(row) <= {"tool", "status", "summary", "url", "details"}, row)
    return {row["tool"]: row for row in rows}


def a_patch_has_its_own_results():
    one, two = checks("1@example.org"), checks("2@example.org")
    equal(one["mmci-x86_64"]["status"], "warn", "patch 1")
    check("mm/mprotect.c:60: warning: unused variable" in
          one["mmci-x86_64"]["details"], one)
    check("pgtable.h" not in one["mmci-x86_64"]["details"], one)
    equal(two["mmci-x86_64"]["status"], "fail", "patch 2")
    equal(two["mmci-x86_64"]["url"], URL + "/series/7", "link")


def the_cover_has_all_of_it():
    all_of_it = checks("0@example.org")
    equal(all_of_it["mmci-x86_64"]["status"], "fail", "x86_64")
    check("not ours" not in all_of_it["mmci-x86_64"]["details"], all_of_it)
    # a run that could not be done is no pass, and a running one says nothing
    equal(all_of_it["mmci-arm64"]["status"], "warn", "arm64")
    check("mmci-s390" not in all_of_it, all_of_it)


def what_never_ran_says_why():
    equal(checks("n@example.org")["mmci"]["summary"], "no tree takes it",
          "summary")


def an_unknown_mail_has_nothing_to_report():
    equal(checks("x@example.org"), {}, "results")


def a_dead_daemon_is_an_error_without_json():
    status, out, _ = mmci("check", stdin=mail("1@example.org"),
                          url="http://127.0.0.1:9")
    equal((status, out), (3, b""), "answer")
    status, out, _ = mmci("check", stdin=b"no mail")
    equal((status, out), (1, b""), "answer to what is no mail")


# Facts of the public schema, version 5.0: what may stand where.
ID = {"type": "string", "pattern": "^[a-z0-9_]+:.+$"}
ORIGIN = {"type": "string", "pattern": "^[a-z0-9_]+$"}
STATUS = {"enum": ["FAIL", "ERROR", "MISS", "PASS", "DONE", "SKIP"]}
TEXT = {"type": "string"}
URI = {"type": "string", "format": "uri", "pattern": "^https?://"}
TIME = {"type": "string", "format": "date-time",
        "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$"}


def items(required, **properties):
    common = {"id": ID, "origin": ORIGIN, "comment": TEXT, "start_time": TIME,
              "log_url": URI, "misc": {"type": "object"}}
    return {"type": "array", "items": {
        "type": "object", "additionalProperties": False,
        "required": ["id", "origin", *required],
        "properties": {**common, **properties}}}


SCHEMA = {
    "type": "object", "additionalProperties": False, "required": ["version"],
    "properties": {
        "version": {"type": "object", "properties": {
            "major": {"const": 5}, "minor": {"const": 0}},
            "required": ["major", "minor"], "additionalProperties": False},
        "checkouts": items(
            [], tree_name=TEXT, git_commit_name=TEXT,
            git_commit_hash={"type": "string",
                             "pattern": "^[0-9a-f]{40}([0-9a-f]{24})?$"},
            message_id={"type": "string", "format": "email",
                        "pattern": "^[^<>]+@[^<>]+$"},
            valid={"type": "boolean"}),
        "builds": items(
            ["checkout_id"], checkout_id=ID, duration={"type": "number"},
            architecture={"type": "string", "pattern": "^[a-z0-9_]*$"},
            compiler=TEXT, config_name=TEXT, status=STATUS),
        "tests": items(
            ["build_id"], build_id=ID, duration={"type": "number"},
            path={"type": "string",
                  "pattern": r"^([a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*)?$"},
            status=STATUS, waived={"type": "boolean"})}}


def kcidb(name):
    status, out, err = mmci("export", "kcidb", name)
    equal(status, 0, err)
    return json.loads(out)


def what_is_exported_is_valid():
    try:
        import jsonschema
    except ImportError as why:
        raise Skip("python3-jsonschema is not installed") from why
    for name in ("7", "8"):
        jsonschema.validate(kcidb(name), SCHEMA)
    bad = kcidb("7")
    bad["tests"][0]["path"] = "a b"
    try:
        jsonschema.validate(bad, SCHEMA)
    except jsonschema.ValidationError:
        return
    raise AssertionError("the schema takes anything")


def what_is_exported_hangs_together():
    o = kcidb("7")
    ids = [x["id"] for kind in ("checkouts", "builds", "tests")
           for x in o[kind]]
    equal(len(ids), len(set(ids)), "different ids")
    for build in o["builds"]:
        equal(build["checkout_id"], o["checkouts"][0]["id"], "checkout")
    builds = {b["id"]: b for b in o["builds"]}
    equal({b["architecture"]: b["status"] for b in builds.values()},
          {"x86_64": "FAIL", "arm64": "PASS"}, "builds that ended")
    tests = {(builds[t["build_id"]]["architecture"], t["path"]): t["status"]
             for t in o["tests"]}
    equal(tests, {("x86_64", "boot"): "PASS", ("x86_64", "kselftest.mm"):
                  "FAIL", ("x86_64", "kselftest.mm.madv_populate_1"): "FAIL",
                  ("x86_64", "kselftest.mm.hugetlb_x"): "SKIP",
                  ("x86_64", "mmci.bench"): "DONE", ("arm64", "boot"): "MISS"},
          "tests")
    equal(kcidb("8")["checkouts"][0]["valid"], False, "valid")


if __name__ == "__main__":
    run_cases([a_patch_has_its_own_results, the_cover_has_all_of_it,
               what_never_ran_says_why, an_unknown_mail_has_nothing_to_report,
               a_dead_daemon_is_an_error_without_json,
               what_is_exported_is_valid, what_is_exported_hangs_together])
