# SPDX-License-Identifier: GPL-2.0-or-later
"""The usual attacks on the web side of a running mmcid, one case each."""
import html.parser
import json
import os
import re
import socket
import sys
import time
import urllib.parse

TOP = os.environ["MMCI_TOP"]
sys.path.insert(0, os.path.join(TOP, "tests", "e2e"))
from harness import (Daemon, Skip, check, contains, equal,  # noqa: E402
                     install, run_cases, scratch, wait_until)

SCRIPT = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
FILE = "one\ntwo\nthree\nfour\n"
d = None
hostile = secret = None


def cleanup():
    if d:
        d.stop()


def started():
    if not d or not d.process:
        raise Skip("the daemon did not start")


def new_file_mail(ident, subject, sender, path):
    return f"""\
From mboxrd@z Thu Jan  1 00:00:00 1970
From: {sender}
To: linux-mm@lists.example.org
Subject: [PATCH] {subject}
Date: Wed, 04 Nov 2026 10:00:00 +0000
Message-ID: <{ident}>

{SCRIPT}

Signed-off-by: {sender}
---
 {path} | 1 +
 1 file changed, 1 insertion(+)

diff --git a/{path} b/{path}
new file mode 100644
index 000000000000..257cc5642cb1
--- /dev/null
+++ b/{path}
@@ -0,0 +1 @@
+foo
-- 
2.39.5
""".encode()


def submit(ident, mail, private=False):
    status, text = d.request("POST", "/api/v1/series" +
                             ("?private=1" if private else ""), mail,
                             d.admin_token(), "application/mbox")
    equal(status, 202, f"submit {ident}: {text[:300]}")
    number = json.loads(text)["series"][0]

    def ended():
        status, text = d.request("GET", f"/api/v1/series/{number}",
                                 token=d.admin_token())
        v = json.loads(text)
        return v if v["state"] in ("done", "conflict") else None
    return wait_until(f"{ident} ends", ended, 180, 0.5)


def the_daemon_takes_a_hostile_series():
    global d, hostile, secret
    prefix = install()
    tree = scratch()
    os.mkdir(os.path.join(tree, "mm"))
    for name, text in (("mm/there.c", FILE),
                       ("Makefile", "VERSION = 6\nPATCHLEVEL = 12\n"
                        "SUBLEVEL = 0\nEXTRAVERSION =\nNAME = Small\n")):
        with open(os.path.join(tree, name), "w", encoding="ascii") as f:
            f.write(text)
    d = Daemon(prefix, "attacks", keep=())
    d.configure()
    d.start()
    equal(d.mmci("tree", "add", "small", tree, "--kind", "source-dir")[0], 0,
          "tree add")
    wait_until("the tree is ready",
               lambda: d.tree_state("small")["state"] == "ready", 60)
    hostile = submit("hostile", new_file_mail(
        "hostile'&\"onclick=alert(5)@example.org", SCRIPT,
        "\"<img src=x onerror=alert(3)>\" "
        "<x'onclick=alert(6)@example.org>",
        "mm/<svg onload=alert(4)>.c"))
    contains(hostile["title"], "<script>", "the title came through")
    secret = submit("secret", new_file_mail(
        "secret-id@example.org", "mm: zanzibar secret", "S <s@example.org>",
        "mm/quagga.c"), private=True)
    check(secret["private"], "the series is private")


class Tags(html.parser.HTMLParser):
    """What a browser would make of a page"""
    OUR_SCRIPT = re.compile(r"^/static/[\w.-]+\.js(\?v=[0-9a-f]+)?$")

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.bad = []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag == "script" and not self.OUR_SCRIPT.match(
                values.get("src") or ""):
            self.bad.append("a script")
        if tag in ("iframe", "object", "embed", "base"):
            self.bad.append(tag)
        if tag == "img" and not (values.get("src") or "").startswith("/"):
            self.bad.append(f"img {values}")
        for name, value in attrs:
            if name.startswith("on"):
                self.bad.append(f"{tag} {name}")
            if name in ("href", "src", "action", "formaction") and re.match(
                    r"(?i)\s*(javascript|data|vbscript):", value or ""):
                self.bad.append(f"{tag} {name}={value}")
            if name == "style":
                self.bad.append(f"{tag} style")


def response(method, path, headers=(), body=b""):
    """Over a socket of our own: nothing is normalised -> status, head, body"""
    lines = [f"{method} {path} HTTP/1.1", "Host: x", "Connection: close"]
    lines += list(headers)
    if body or method == "POST":
        lines.append(f"Content-Length: {len(body)}")
    return raw("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def raw(data, timeout_s=30):
    with socket.create_connection(("127.0.0.1", d.port), timeout_s) as s:
        try:
            s.sendall(data)
        except OSError:
            pass  # answered and closed before all was sent
        answer = b""
        try:
            while True:
                part = s.recv(65536)
                if not part:
                    break
                answer += part
        except ConnectionResetError:
            pass
    head, _, rest = answer.partition(b"\r\n\r\n")
    m = re.match(rb"HTTP/1\.1 (\d+)", head)
    return (int(m.group(1)) if m else 0, head.decode("latin-1"),
            rest.decode("utf-8", "replace"))


def assert_harmless(path):
    status, head, body = response("GET", path)
    check(status, f"{path}: no answer")
    contains(head, "X-Content-Type-Options: nosniff", path)
    if "Content-Type: text/html" not in head:
        check(not re.search(r"(?i)content-type: [^\r]*(html|xml|svg)", head)
              or "image/svg" in head or "atom+xml" in head, f"{path}: {head}")
        return status
    csp = re.search(r"Content-Security-Policy: ([^\r]*)", head)
    check(csp, f"{path}: no policy")
    check("unsafe" not in csp.group(1) and "*" not in csp.group(1) and
          "default-src 'none'" in csp.group(1), f"{path}: {csp.group(1)}")
    page = Tags()
    page.feed(body)
    page.close()
    equal(page.bad, [], f"tags of {path}")
    return status


def pages_of(v):
    paths = ["/", f"/series/{v['id']}", "/findings?blame=any", "/queue",
             "/outbox", "/trees",
             "/series/" + urllib.parse.quote(v["key"], safe="")]
    jobs = json.loads(d.request("GET", f"/api/v1/jobs?series={v['id']}")[1])
    for j in jobs["items"]:
        paths += [f"/job/{j['id']}", f"/job/{j['id']}?line=1",
                  f"/api/v1/jobs/{j['id']}", f"/api/v1/jobs/{j['id']}/log",
                  f"/api/v1/jobs/{j['id']}/repro"]
    return paths + ["/api/v1/series", f"/api/v1/series/{v['id']}",
                    "/api/v1/jobs", "/api/v1/outbox"]


def a_stored_script_stays_text():
    """in a subject, a file name, an address, a Message-ID and a log"""
    started()
    for path in pages_of(hostile):
        assert_harmless(path)
    text = d.request("GET", f"/series/{hostile['id']}")[1]
    contains(text, "&lt;script&gt;", "the title is there, as text")


def a_log_is_never_a_page():
    started()
    jobs = json.loads(d.request("GET", "/api/v1/jobs?series=%d"
                                % hostile["id"])[1])["items"]
    seen = 0
    for j in jobs:
        status, head, body = response("GET", f"/api/v1/jobs/{j['id']}/log")
        if status != 200:
            continue
        contains(head, "Content-Type: text/plain", "type of a log")
        contains(head, "nosniff", "a log")
        seen += "<script>" in body
    check(seen, "no log has the script of the title")


def a_reflected_script_stays_text():
    started()
    q = urllib.parse.quote(SCRIPT)
    for path in (f"/?text={q}", f"/?state={q}", f"/?author={q}", f"/?tree={q}",
                 f"/?mine={q}", f"/?arch={q}", f"/?list={q}", f"/?cursor={q}",
                 f"/?limit={q}", f"/?{q}={q}", f"/series/{q}", f"/job/{q}",
                 f"/findings?blame={q}", f"/findings?text={q}",
                 f"/findings?file={q}", f"/outbox?state={q}", f"/outbox/{q}",
                 f"/{q}", f"/static/{q}", f"/job/1?line={q}",
                 f"/job/1?attempt={q}", "/?text=%22%20onfocus%3Dalert(1)"):
        assert_harmless(path)


def no_path_leads_out():
    started()
    deep = "../" * 12
    token = d.admin_token()
    for path in (f"/static/{deep}etc/passwd",
                 "/static/" + "%2e%2e%2f" * 12 + "etc%2fpasswd",
                 "/static/..%5c..%5cetc%5cpasswd", "/static/%2fetc%2fpasswd",
                 "/static//etc/passwd", f"/{deep}etc/passwd",
                 "/static/..%2f..%2f..%2fadmin.token",
                 "/api/v1/jobs/..%2f..%2fadmin.token/log",
                 "/api/v1/jobs/1/log?attempt=..%2f..%2f..%2fadmin.token",
                 "/api/v1/outbox/..%2f..%2fadmin.token.eml",
                 "/api/v1/mails/..%2fadmin.token/raw",
                 "/job/..%2f1", "/static/mmci.css%00.html"):
        status, _, body = response("GET", path)
        check(status in (400, 404), f"{path}: {status}")
        check("root:" not in body and token not in body, f"{path} leaks")


def too_much_is_refused():
    started()
    big = "x" * 200000
    token = d.admin_token()
    for what, got, allowed in (
            ("address", response("GET", "/?text=" + big)[0], (414, 431)),
            ("header", response("GET", "/", ["X: " + big])[0], (431,)),
            ("many headers",
             response("GET", "/", [f"X{i}: y" for i in range(20000)])[0],
             (431,)),
            ("declared body", raw(
                b"POST /api/v1/series HTTP/1.1\r\nHost: x\r\nContent-Length: "
                b"99999999999\r\nConnection: close\r\nAuthorization: Bearer "
                + token.encode() + b"\r\n\r\n")[0], (413,)),
            ("length that is none", raw(
                b"POST /api/v1/series HTTP/1.1\r\nHost: x\r\nContent-Length: "
                b"-1\r\nConnection: close\r\n\r\n")[0], (400, 413)),
            ("body of a small request", response(
                "POST", "/api/v1/tokens",
                [f"Authorization: Bearer {token}"], b"{" + b" " * 200000)[0],
             (413,)),
            ("body of a GET", response("GET", "/", ["Content-Length: 7"])[0],
             (400, 413))):
        check(got in allowed, f"{what}: {got}")
    equal(d.request("GET", "/api/v1/health")[0], 200, "health")


def json_bombs_are_refused():
    started()
    auth = [f"Authorization: Bearer {d.admin_token()}",
            "Content-Type: application/json"]
    for body in (b"[" * 60000, b'{"a":' * 10000, b'{"name":"x","name":"y"}',
                 b'{"name":"\\u0000"}', b'{"name": 1e999}', b"\xff\xfe", b"",
                 b"null", b"[]", b'"x"', b'{"name":{},"scopes":[]}'):
        status = response("POST", "/api/v1/tokens", auth, body)[0]
        check(status in (400, 413, 422), f"{body[:30]!r}: {status}")


def slow_senders_do_not_keep_others_out():
    started()
    slow = []
    for i in range(60):
        s = socket.create_connection(("127.0.0.1", d.port), 10)
        s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
        slow.append(s)
    end = time.monotonic() + 40
    open_sockets = list(slow)
    while open_sockets and time.monotonic() < end:
        begun = time.monotonic()
        equal(d.request("GET", "/api/v1/health")[0], 200, "health")
        check(time.monotonic() - begun < 5, "a slow sender delays others")
        for s in list(open_sockets):
            try:
                s.sendall(b"y")  # each byte in time, the whole never
                s.setblocking(False)
                if s.recv(1000) == b"":
                    open_sockets.remove(s)
            except BlockingIOError:
                pass
            except OSError:
                open_sockets.remove(s)
            finally:
                s.setblocking(True)
        time.sleep(1)
    for s in slow:
        s.close()
    equal(len(open_sockets), 0, "slow senders still there after 40 s")


def a_token_in_an_address_gives_nothing():
    started()
    token = d.admin_token()
    job = json.loads(d.request("GET", "/api/v1/jobs")[1])["items"][0]["id"]
    for name in ("token", "access_token", "auth", "bearer"):
        status, _ = d.request("POST", f"/api/v1/jobs/{job}/rerun?{name}={token}",
                              b"")
        check(status in (400, 401), f"?{name}=: {status}")
        status, text = d.request("GET",
                                 f"/api/v1/series/{secret['id']}?{name}={token}")
        check(status in (400, 404), f"private series by ?{name}=: {status}")
        check("zanzibar" not in text, "private words")
    check(token not in d.log_text(), "the token is in the log")


def another_site_can_do_nothing():
    started()
    job = json.loads(d.request("GET", "/api/v1/jobs")[1])["items"][0]["id"]
    foreign = ["Origin: https://evil.example.org",
               "Referer: https://evil.example.org/",
               "Content-Type: application/x-www-form-urlencoded"]
    for path in (f"/api/v1/jobs/{job}/rerun",
                 f"/api/v1/series/{hostile['id']}/cancel", "/api/v1/series",
                 "/api/v1/tokens", f"/series/{hostile['id']}/rerun",
                 f"/job/{job}/rerun"):
        status, head, _ = response("POST", path, foreign, b"x=1")
        check(status in (401, 403, 404, 405), f"POST {path}: {status}")
        check("access-control" not in head.lower(), f"{path}: {head}")
    status, head, _ = response("OPTIONS", f"/api/v1/jobs/{job}/rerun", foreign +
                               ["Access-Control-Request-Method: POST"])
    check("access-control" not in head.lower(), "a preflight is allowed")
    status, head, _ = response("GET", "/")
    contains(head, "frame-ancestors 'none'", "framing")
    contains(head, "form-action 'self'", "forms")


def session(token):
    """Log in as a browser does -> Cookie header, or None without sessions"""
    status, head, body = response("GET", "/login")
    if status == 404:
        raise Skip("there are no sessions")
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', body))
    fields["token"] = token
    cookie = re.search(r"(?i)set-cookie: ([^;\r]+)", head)
    headers = ["Content-Type: application/x-www-form-urlencoded",
               "Origin: http://x"]
    if cookie:
        headers.append("Cookie: " + cookie.group(1))
    status, head, body = response("POST", "/login", headers,
                                  urllib.parse.urlencode(fields).encode())
    check(status in (302, 303), f"login: {status} {body[:200]}")
    m = re.search(r"(?i)set-cookie: ([^\r]+)", head)
    check(m, "no cookie")
    contains(m.group(1), "HttpOnly", "cookie")
    contains(m.group(1), "SameSite=", "cookie")
    return "Cookie: " + m.group(1).split(";")[0]


def a_cookie_alone_does_nothing():
    """What a foreign page can make a browser send is not enough"""
    started()
    cookie = session(d.admin_token())
    job = json.loads(d.request("GET", "/api/v1/jobs")[1])["items"][0]["id"]
    form = ["Content-Type: application/x-www-form-urlencoded", cookie]
    for body in (b"", b"csrf=", b"csrf=" + b"A" * 43):
        for path in (f"/series/{hostile['id']}/rerun", f"/job/{job}/rerun",
                     f"/series/{hostile['id']}/cancel", "/logout"):
            status, _, _ = response("POST", path, form, body)
            check(status in (400, 401, 403, 404, 405),
                  f"POST {path} {body!r}: {status}")
        status, _, _ = response("POST", f"/api/v1/jobs/{job}/rerun", form,
                                body)
        check(status in (401, 403), f"API by cookie: {status}")
    equal(response("GET", "/", [cookie])[0], 200, "still logged in")


def headers_cannot_be_split():
    started()
    for path in ("/series/x%0d%0aSet-Cookie:%20a=b",
                 "/?text=%0d%0aSet-Cookie:%20a=b", "/%0d%0aX-Bad:1",
                 "/?cursor=1-1%0d%0aSet-Cookie:%20a=b",
                 "/static/x%0d%0aSet-Cookie:%20a=b"):
        _, head, _ = response("GET", path)
        check("a=b" not in head and "X-Bad" not in head, f"{path}: {head}")


def a_request_has_one_meaning():
    """Whoever stands in front must not read another request than we do"""
    started()
    inner = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
    post = b"POST /api/v1/series HTTP/1.1\r\nHost: x\r\n"
    for what, data in (
            ("two lengths", post + b"Content-Length: 0\r\nContent-Length: "
             + str(len(inner)).encode() + b"\r\n\r\n" + inner),
            ("length and chunks", post + b"Content-Length: 5\r\n"
             b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner),
            ("chunks of another name", post + b"Transfer-Encoding: xchunked"
             b"\r\n\r\n0\r\n\r\n" + inner),
            ("a space before the colon", post + b"Content-Length : 5\r\n\r\n"
             + inner),
            ("no host", b"GET / HTTP/1.1\r\n\r\n"),
            ("a length with a sign", post + b"Content-Length: +5\r\n\r\n"
             + inner)):
        status, _, body = raw(data)
        check(status == 0 or 400 <= status < 500, f"{what}: {status}")
        # the library sends the head of its own refusals twice, and closes
        for second in re.findall(r"HTTP/1\.1 (\d+)", body):
            equal(int(second), status, f"{what}: a second answer: {body}")
        check("nothing at this" not in body, f"{what}: the inner was read")


def another_host_name_is_not_believed():
    started()
    _, head, body = raw(b"GET / HTTP/1.1\r\nHost: evil.example.org\r\n"
                        b"X-Forwarded-Host: evil.example.org\r\n"
                        b"Connection: close\r\n\r\n")
    check("evil.example.org" not in head + body, "a foreign host in a page")


def what_is_private_shows_nowhere():
    started()
    words = ("zanzibar secret", "mm/quagga.c", "secret-id@example.org")
    jobs = json.loads(d.request("GET", f"/api/v1/jobs?series={secret['id']}",
                                token=d.admin_token())[1])["items"]
    check(jobs, "the private series has jobs")
    job = jobs[0]["id"]
    for path in ("/", "/?text=zanzibar", "/?text=secret-id@example.org",
                 "/?text=dfn:quagga", "/?mine=s@example.org",
                 f"/series/{secret['id']}", "/series/secret-id@example.org",
                 f"/job/{job}", "/queue", "/outbox", "/findings?blame=any",
                 "/api/v1/series?text=zanzibar", "/api/v1/jobs?limit=500",
                 f"/api/v1/jobs?series={secret['id']}",
                 f"/api/v1/jobs/{job}", f"/api/v1/jobs/{job}/log",
                 f"/api/v1/jobs/{job}/repro", "/api/v1/outbox",
                 f"/api/v1/series/{secret['id']}", "/api/v1/findings?blame=any",
                 "/api/v1/mails/secret-id@example.org/raw", "/api/v1/queue"):
        _, text = d.request("GET", path)
        for word in words:  # what was typed may come back
            check(word in path or word not in text, f"{path} shows {word}")
    equal(json.loads(d.request("GET", "/api/v1/series?text=zanzibar")[1]),
          {"items": [], "next": None}, "search")


def nothing_broke():
    started()
    equal(d.request("GET", "/api/v1/health")[0], 200, "health")
    equal(d.stop(), 0, "exit status")
    equal(d.sanitizer_reports(), [], "sanitizers")


CASES = [
    the_daemon_takes_a_hostile_series,
    a_stored_script_stays_text,
    a_log_is_never_a_page,
    a_reflected_script_stays_text,
    no_path_leads_out,
    too_much_is_refused,
    json_bombs_are_refused,
    slow_senders_do_not_keep_others_out,
    a_token_in_an_address_gives_nothing,
    another_site_can_do_nothing,
    a_cookie_alone_does_nothing,
    headers_cannot_be_split,
    a_request_has_one_meaning,
    another_host_name_is_not_believed,
    what_is_private_shows_nowhere,
    nothing_broke,
]

if __name__ == "__main__":
    run_cases(CASES, cleanup)
