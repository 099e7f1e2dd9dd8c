# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/openapi.yaml and the running service say the same.

Every operation of the file is called without a token, with each wrong scope and
with the right one; answers are held against their schema; every route of the
service is in the file.
"""
import json
import os
import re
import warnings

import jsonschema
import yaml

from service import (JOB, JOB_PASSED, REPLIES, SAMPLE, TOP, Service, check,
                     equal, run_cases, wait_until)

with open(os.path.join(TOP, "docs", "openapi.yaml"), encoding="utf-8") as f:
    FILE = yaml.safe_load(f)
SCOPES = ("read-private", "submit", "rerun", "moderate", "admin")
S = Service()
SERIES = S.begin()
MBOX = open(SAMPLE, "rb").read()
MESSAGE_ID = re.search(rb"(?im)^message-id: <(.*-2-.*)>", MBOX).group(1).decode()
JSON = {"Content-Type": "application/json"}


def mbox_form(content):
    return (b"--XYZ\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\n"
            b"1\r\n--XYZ\r\nContent-Disposition: form-data; name=\"mbox\"; "
            b"filename=\"a.mbox\"\r\n\r\n" + content + b"\r\n--XYZ--\r\n")


def obj(**members):
    return json.dumps(members)


# operationId: path with its parameters, body, headers; in the order called
CALLS = {
    "index": ("/api/v1",),
    "listSeries": ("/api/v1/series?limit=1",),
    "submitSeries": ("/api/v1/series", MBOX),
    "showSeries": (f"/api/v1/series/{MESSAGE_ID}",),
    "listJobs": (f"/api/v1/jobs?series={SERIES}",),
    "showJob": (f"/api/v1/jobs/{JOB}",),
    "jobLog": (f"/api/v1/jobs/{JOB}/log?attempt=1",),
    "followLog": (f"/api/v1/jobs/{JOB}/log/live",),
    "jobRepro": (f"/api/v1/jobs/{JOB}/repro",),
    "listFindings": ("/api/v1/findings",),
    "listReplies": ("/api/v1/outbox?state=held",),
    "showReply": (f"/api/v1/outbox/{REPLIES[0]}",),
    "showQueue": ("/api/v1/queue",),
    "listRunners": ("/api/v1/runners",),
    "listLedger": ("/api/v1/ledger?blame=series",),
    "listFlaky": ("/api/v1/flaky",),
    "listBenchmarks": ("/api/v1/benchmarks?arch=x86_64",),
    "showTally": ("/api/v1/tally",),
    "listTrees": ("/api/v1/trees",),
    "listSources": ("/api/v1/sources",),
    "listMails": (f"/api/v1/mails?series={SERIES}",),
    "rawMail": (f"/api/v1/mails/{MESSAGE_ID}/raw",),
    "listEvents": ("/api/v1/events?kinds=version&limit=5",),
    "health": ("/api/v1/health",),
    "listTokens": ("/api/v1/tokens",),
    "addToken": ("/api/v1/tokens", obj(name="new", scopes="rerun"), JSON),
    "revokeToken": ("/api/v1/tokens/new/revoke",),
    "addWebhook": ("/api/v1/webhooks",
                   obj(name="w", url="http://127.0.0.1:9/", events="version"),
                   JSON),
    "listWebhooks": ("/api/v1/webhooks",),
    "removeWebhook": ("/api/v1/webhooks/w/remove",),
    "addTree": ("/api/v1/trees", obj(name="none", kind="git",
                                     location="/nonexistent/none.git"), JSON),
    "fetchTree": ("/api/v1/trees/none/fetch",),
    "healthz": ("/healthz",), "readyz": ("/readyz",), "metrics": ("/metrics",),
    "feed": ("/feed.atom",),
    "badge": (f"/series/{SERIES}/badge.svg",),
    "loginForm": ("/login",),
    "approveReply": (f"/api/v1/outbox/{REPLIES[0]}/approve",),
    "rejectReply": (f"/api/v1/outbox/{REPLIES[1]}/reject?why=no",),
    "formApproveReply": (f"/outbox/{REPLIES[2]}/approve", {}),
    "formRejectReply": (f"/outbox/{REPLIES[3]}/reject", {"why": "no"}),
    "rerunJob": (f"/api/v1/jobs/{JOB}/rerun",),
    "cancelJob": (f"/api/v1/jobs/{JOB}/cancel",),
    "formRerunJob": (f"/job/{JOB_PASSED}/rerun", {}),
    "formCancelJob": (f"/job/{JOB_PASSED}/cancel", {}),
    "rerunSeries": (f"/api/v1/series/{SERIES}/rerun?arch=x86_64&failed=1",),
    "cancelSeries": (f"/api/v1/series/{SERIES}/cancel",),
    "formRerunSeries": (f"/series/{SERIES}/rerun", {"failed": "1"}),
    "formCancelSeries": (f"/series/{SERIES}/cancel", {}),
}
SPECIAL = {"login", "logout"}  # in test-sessions.py


def operations():
    for path, methods in FILE["paths"].items():
        for method, op in methods.items():
            yield path, method, op


BY_ID = {op["operationId"]: (path, method, op)
         for path, method, op in operations()}


def scope_of(op):
    return op["security"][0]["token"][0] if "security" in op else None


def good_of(op):
    return next(int(s) for s in op["responses"] if s[0] in "23")


def validate(schema, value, what):
    with warnings.catch_warnings():  # Debian 12 has nothing newer
        warnings.simplefilter("ignore")
        resolver = jsonschema.RefResolver("", FILE)
    validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
    errors = [f"{list(e.absolute_path)}: {e.message[:300]}"
              for e in validator.iter_errors(value)]
    check(not errors, f"{what}: {errors[:3]}")


def held_against(op, answer, what):
    """Status, type and body are as the file says"""
    said = op["responses"].get(str(answer.status))
    check(said, f"{what}: {answer.status} {answer.text()[:200]}")
    if "$ref" in said:
        said = FILE["components"]["responses"][said["$ref"].split("/")[-1]]
    if "content" not in said:
        equal(answer.body, b"", what)
        return
    check(answer.type in said["content"], f"{what}: {answer.type}")
    if answer.type.endswith("json"):
        validate(said["content"][answer.type]["schema"], answer.json(), what)


def call(name, token=None, cookie=None, csrf=None):
    """As a program, or for the form of a page as a browser"""
    _, method, _ = BY_ID[name]
    args = CALLS[name]
    body = args[1] if len(args) > 1 else None
    headers = dict(args[2]) if len(args) > 2 else {}
    headers.update(cookie or {})
    if csrf:
        body = dict(body or {}, csrf=csrf)
    return S.call(method.upper(), args[0], body, token, headers)


def is_form(name):
    return "browser" in BY_ID[name][2]["tags"]


def every_operation_is_called_here():
    equal(set(CALLS) | SPECIAL, set(BY_ID), "operations")


def the_file_is_whole():
    names = set()
    for path, method, op in operations():
        check(op["operationId"] not in names, op["operationId"])
        names.add(op["operationId"])
        for p in op.get("parameters", []):
            found = FILE["components"]["parameters"][p["$ref"].split("/")[-1]]
            if found["in"] == "path":
                check("{%s}" % found["name"] in path, (path, found["name"]))
        equal(len(re.findall(r"\{", path)), sum(
            FILE["components"]["parameters"][p["$ref"].split("/")[-1]]["in"]
            == "path" for p in op.get("parameters", [])), path)


def no_route_is_missing_in_the_file():
    said = {(method.upper(), re.sub(r"\{[^}]*\}", "*", path)): scope_of(op)
            for path, method, op in operations()}
    there = {(r["method"], r["path"]): r["scope"]
             for r in S.call("GET", "/api/v1").json()["operations"]}
    for key, scope in there.items():
        page = key[0] == "GET" and not key[1].startswith("/api/")
        check(page or key in said, f"{key} is not in docs/openapi.yaml")
        if key in said:
            equal(scope, said[key], f"scope of {key}")
    for key in said:
        check(key in there, f"{key} is not a route")


def nothing_is_done_without_a_token():
    for name in CALLS:
        scope = scope_of(BY_ID[name][2])
        if not scope:
            continue
        a = call(name)
        equal(a.status, 401, f"{name} without a token")
        held_against(BY_ID[name][2], a, name)
        equal(call(name, token="nope").status, 401, f"{name}, bad token")


def nothing_is_done_with_a_wrong_scope():
    for name in CALLS:
        scope = scope_of(BY_ID[name][2])
        for wrong in SCOPES:
            if not scope or wrong in (scope, "admin"):
                continue
            a = call(name, token=S.token(wrong))
            equal(a.status, 403, f"{name} with {wrong}")
            held_against(BY_ID[name][2], a, name)


def what_is_open_needs_no_token():
    for name, (_, _, op) in BY_ID.items():
        if scope_of(op) or name in SPECIAL:
            continue
        a = call(name)
        equal(a.status, good_of(op), f"{name}: {a.text()[:300]}")
        held_against(op, a, name)


def every_operation_works_with_its_scope():
    sessions = {}
    for name in CALLS:
        op = BY_ID[name][2]
        scope = scope_of(op)
        if not scope:
            continue
        if is_form(name):
            if scope not in sessions:
                sessions[scope] = S.login(S.token(scope))
            cookie, csrf = sessions[scope]
            equal(call(name, cookie=cookie).status, 403, f"{name}, no CSRF")
            a = call(name, cookie=cookie, csrf=csrf)
        else:
            a = call(name, token=S.token(scope))
        equal(a.status, good_of(op), f"{name}: {a.text()[:300]}")
        held_against(op, a, name)
        if a.status == 303:
            page = S.call("GET", a.headers["location"])
            equal(page.status, 200, f"{name}: {a.headers['location']}")


def a_form_with_a_file_is_taken_too():
    headers = {"Content-Type": "multipart/form-data; boundary=XYZ"}
    a = S.call("POST", "/api/v1/series", mbox_form(MBOX), S.token("submit"),
               headers)
    equal(a.status, 202, a.text())
    equal(a.json()["series"], [SERIES], "the same series")
    for bad in (mbox_form(MBOX).replace(b'"mbox"', b'"xbox"'), b"", b"--XYZ",
                mbox_form(MBOX)[:-10]):
        a = S.call("POST", "/api/v1/series", bad, S.token("submit"), headers)
        equal(a.status, 400, f"{bad[:40]}: {a.text()}")


def errors_are_problems():
    cases = (("GET", "/api/v1/nope", 404), ("PUT", "/api/v1/series", 405),
             ("GET", "/api/v1/series?limit=0", 400),
             ("GET", "/api/v1/series?cursor=x", 400),
             ("GET", "/api/v1/jobs/999999", 404),
             ("GET", "/api/v1/events?after=x", 400),
             ("GET", "/api/v1/jobs/501/log/live?offset=99999", 416),
             ("GET", "/api/v1/series?token=x", 400))
    for method, path, status in cases:
        a = S.call(method, path)
        equal((a.status, a.type), (status, "application/problem+json"), path)
        validate({"$ref": "#/components/schemas/Problem"}, a.json(), path)
        equal(a.json()["status"], status, path)


def a_private_series_is_for_its_sender():
    private = MBOX.replace(b"paula", b"priya")
    a = S.call("POST", "/api/v1/series?private=1", private,
               S.token("submit", "mine"))
    S.token("submit", "other")
    equal(a.status, 202, a.text())
    n = a.json()["series"][0]
    where = (f"/api/v1/series/{n}", f"/series/{n}",
             f"/api/v1/mails?series={n}", f"/api/v1/events?series={n}")
    for path in where:
        equal(S.call("GET", path, token=S.tokens["mine"]).status, 200, path)
        equal(S.call("GET", path, token=S.token("read-private")).status, 200,
              path)
        equal(S.call("GET", path, token=S.tokens["other"]).status, 404, path)
        equal(S.call("GET", path).status, 404, path)
    # its Message-IDs are no key to it
    S.call("POST", "/api/v1/series?private=1", private, S.tokens["other"])
    equal(S.call("GET", where[0], token=S.tokens["other"]).status, 404,
          "after it was sent again by another")
    seen = S.call("GET", f"/api/v1/series?series={n}", token=S.tokens["mine"])
    check(n not in [r["id"] for r in seen.json()["items"]], "the list")
    # then the same mails come from the list
    with open(S.list, "ab") as out:
        out.write(private)
    wait_until("it is public", lambda: S.call("GET", where[0]).status == 200,
               30)


run_cases([
    the_file_is_whole,
    every_operation_is_called_here,
    no_route_is_missing_in_the_file,
    nothing_is_done_without_a_token,
    nothing_is_done_with_a_wrong_scope,
    what_is_open_needs_no_token,
    every_operation_works_with_its_scope,
    a_form_with_a_file_is_taken_too,
    errors_are_problems,
    a_private_series_is_for_its_sender,
], S.clear)
