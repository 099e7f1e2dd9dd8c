# SPDX-License-Identifier: GPL-2.0-or-later
"""Who is let in, how often, and what a browser keeps"""
import gzip
import json
import time

from service import (JOB, REPLIES, Service, check, contains, equal, run_cases,
                     wait_until)

S = Service('http {\n\ttrusted_proxies = {"127.0.0.1"}\n'
            "\trequests_per_min = 120\n\ttoken_requests_per_min = 200\n}\n")
SERIES = S.begin()


def far(address, **more):
    return dict(more, **{"X-Forwarded-For": address})


def a_login_needs_a_good_token():
    equal(S.call("POST", "/login", {"token": "nope"}).status, 401, "unknown")
    equal(S.call("POST", "/login", {}).status, 400, "none")
    a = S.call("POST", "/login", {"token": S.token("rerun"),
                                  "next": "/series/1?x=1"})
    equal((a.status, a.headers["location"]), (303, "/series/1?x=1"), "good")
    cookie = a.headers["set-cookie"]
    for part in ("HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"):
        contains(cookie, part, "the cookie")
    check("Secure" not in cookie, cookie)
    check(S.tokens["rerun"] not in cookie, "the cookie is the token")
    for bad in ("//evil.example", "https://evil.example", "/\\evil.example",
                "/a\r\nX: y"):
        a = S.call("POST", "/login", {"token": S.token("rerun"), "next": bad})
        equal(a.headers["location"], "/", bad)
    a = S.call("POST", "/login", {"token": S.token("rerun")},
               headers={"X-Forwarded-Proto": "https"})
    contains(a.headers["set-cookie"], "; Secure", "behind TLS")


def only_hashes_are_stored():
    cookie, _ = S.login(S.token("rerun"))
    value = cookie["Cookie"].split("=")[1]
    with open(S.state + "/mmci.db", "rb") as f, \
            open(S.state + "/mmci.db-wal", "rb") as wal:
        stored = f.read() + wal.read()
    check(value.encode() not in stored, "the cookie is stored")
    check(S.tokens["rerun"].encode() not in stored, "the token is stored")


def a_session_has_the_rights_of_its_token():
    cookie, csrf = S.login(S.token("rerun"))
    equal(S.call("POST", f"/job/{JOB}/rerun", {"csrf": csrf},
                 headers=cookie).status, 303, "rerun")
    equal(S.call("POST", f"/outbox/{REPLIES[0]}/approve", {"csrf": csrf},
                 headers=cookie).status, 403, "approve")
    equal(S.call("GET", "/api/v1/tokens", headers=cookie).status, 403, "API")
    page = S.call("GET", f"/series/{SERIES}", headers=cookie)
    equal(page.headers["cache-control"], "no-store", "who is logged in")
    check("etag" not in page.headers, "a tag on a page with a secret")


def forms_of_other_sites_do_nothing():
    cookie, csrf = S.login(S.token("rerun"))
    _, other = S.login(S.token("rerun"))
    path = f"/job/{JOB}/cancel"
    for form, headers in (({}, {}), ({"csrf": ""}, {}), ({"csrf": other}, {}),
                          ({"csrf": csrf[:-1]}, {}),
                          ({"csrf": csrf}, {"Origin": "http://evil.example"}),
                          ({"csrf": csrf}, {"Origin": "null"})):
        equal(S.call("POST", path, form, headers=dict(cookie, **headers)
                     ).status, 403, f"{form.keys()} {headers}")
    # the token of the form is of no use in the address
    equal(S.call("POST", f"{path}?csrf={csrf}", {}, headers=cookie).status,
          403, "in the address")
    # nor does the API take a cookie alone
    equal(S.call("POST", f"/api/v1/jobs/{JOB}/cancel", headers=cookie).status,
          403, "the API without X-CSRF-Token")
    a = S.call("POST", f"/api/v1/jobs/{JOB}/cancel",
               headers=dict(cookie, **{"X-CSRF-Token": csrf}))
    check(a.status in (202, 409), a.status)
    equal(S.call("POST", "/login", {"token": S.token("rerun")},
                 headers={"Origin": "http://evil.example"}).status, 403,
          "logging others in")


def a_logout_ends_it():
    cookie, csrf = S.login(S.token("rerun"))
    a = S.call("POST", "/logout", {"csrf": csrf}, headers=cookie)
    equal(a.status, 303, a.text())
    contains(a.headers["set-cookie"], "Max-Age=0", "the cookie")
    equal(S.call("POST", f"/job/{JOB}/rerun", {"csrf": csrf},
                 headers=cookie).status, 401, "afterwards")


def a_revoked_token_ends_its_sessions():
    token = S.token("rerun", "gone")
    cookie, csrf = S.login(token)
    code, out, err = S.mmci("token", "list")
    equal(code, 0, err)
    contains(out, "t-gone", "token list")
    code, out, err = S.mmci("token", "revoke", "t-gone")
    equal(code, 0, err)
    equal(S.call("POST", f"/job/{JOB}/rerun", {"csrf": csrf},
                 headers=cookie).status, 401, "the session")
    equal(S.call("GET", "/api/v1/series", token=token).status, 401, "the token")
    # the daemon's own cannot be lost by mistake
    equal(S.mmci("token", "revoke", "admin")[0], 1, "admin")
    equal(S.mmci("token", "revoke", "t-gone")[0], 1, "twice")


def a_session_outlives_a_restart():
    cookie, _ = S.login(S.admin_token())
    S.stop()
    S.start()
    contains(S.call("GET", "/login", headers=cookie).text(), "Logged in as",
             "after a restart")


def an_expired_token_is_refused():
    a = S.call("POST", "/api/v1/tokens", token=S.admin_token(),
               body=json.dumps({"name": "short", "scopes": "rerun",
                                "expires_s": int(time.time()) + 2}))
    token = a.json()["token"]
    cookie, csrf = S.login(token)
    wait_until("it has expired", lambda: S.call(
        "GET", "/api/v1/series", token=token).status == 401, 10)
    equal(S.call("POST", f"/job/{JOB}/rerun", {"csrf": csrf},
                 headers=cookie).status, 401, "its session")
    equal(S.call("POST", "/login", {"token": token}).status, 401, "login")


def what_has_not_changed_is_not_sent_again():
    for path in ("/api/v1/series", f"/api/v1/series/{SERIES}",
                 f"/series/{SERIES}/badge.svg", "/api/v1/trees"):
        a = S.call("GET", path)
        b = S.call("GET", path, headers={"If-None-Match": a.headers["etag"]})
        equal((b.status, b.body), (304, b""), path)
        c = S.call("GET", path, headers={"If-None-Match": 'W/"other"'})
        equal(c.status, 200, path)


def answers_are_compressed():
    path = f"/api/v1/series/{SERIES}"
    plain = S.call("GET", path)
    for accept, packed in (("gzip", True), ("br, gzip;q=0.5", True),
                           ("*", True), ("gzip;q=0", False), ("br", False)):
        a = S.call("GET", path, headers={"Accept-Encoding": accept})
        equal(a.headers.get("content-encoding"), "gzip" if packed else None,
              accept)
        body = gzip.decompress(a.body) if packed else a.body
        equal(body, plain.body, accept)
        if packed:
            check(len(a.body) < len(body) / 2, f"{len(a.body)} {len(body)}")
        equal(a.headers["etag"], plain.headers["etag"], accept)
    contains(plain.headers["vary"], "Accept-Encoding", "Vary")


def who_asks_too_often_has_to_wait():
    statuses = [S.call("GET", "/healthz", headers=far("203.0.113.9")).status
                for _ in range(130)]
    equal(statuses[:120], [200] * 120, "at first")
    check(429 in statuses[120:], statuses[120:])
    a = S.call("GET", "/api/v1/series", headers=far("203.0.113.9"))
    equal((a.status, a.type), (429, "application/problem+json"), a.text())
    check(1 <= int(a.headers["retry-after"]) <= 60, a.headers)
    # nobody else suffers, and what a client wrote itself changes nothing
    for address, status in (("203.0.113.8", 200),
                            ("198.51.100.1, 203.0.113.9", 429),
                            ("203.0.113.9, 198.51.100.1", 200),
                            ("203.0.113.9, rubbish", 200),
                            ("203.0.113.9:4711", 429)):
        equal(S.call("GET", "/healthz", headers=far(address)).status, status,
              address)
    # an IPv6 client has many addresses and is one
    for n in range(130):
        a = S.call("GET", "/healthz", headers=far(f"2001:db8:0:1::{n:x}"))
    equal(a.status, 429, "IPv6")
    equal(S.call("GET", "/healthz", headers=far("2001:db8:0:2::1")).status,
          200, "another network")
    # guessing at tokens is dear
    tries = [S.call("POST", "/login", {"token": "x"},
                    headers=far("203.0.113.77")).status for _ in range(8)]
    equal(tries[:6] + [tries[7]], [401] * 6 + [429], "guesses")


def a_token_has_its_own_limit():
    token = S.token("submit")
    statuses = [S.call("GET", "/api/v1/health", token=token).status
                for _ in range(215)]
    check(429 in statuses and statuses[0] == 200, statuses)
    equal(S.call("GET", "/api/v1/health", token=S.token("moderate")).status,
          200, "another token")


run_cases([
    a_login_needs_a_good_token,
    only_hashes_are_stored,
    a_session_has_the_rights_of_its_token,
    forms_of_other_sites_do_nothing,
    a_logout_ends_it,
    a_revoked_token_ends_its_sessions,
    a_session_outlives_a_restart,
    an_expired_token_is_refused,
    what_has_not_changed_is_not_sent_again,
    answers_are_compressed,
    who_asks_too_often_has_to_wait,
    a_token_has_its_own_limit,
], S.clear)
