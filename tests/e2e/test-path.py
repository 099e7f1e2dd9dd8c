# SPDX-License-Identifier: GPL-2.0-or-later
"""From a mail archive to a verdict, a page and a reply.

The daemon pulls from a public-inbox on loopback, builds with a real compiler
and boots real kernels. Cases run in order and build on each other.
"""
import email
import email.policy
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (TOP, TREE, Archive, Daemon, Skip, check,  # noqa: E402
                     contains, equal, install, needs_root, note, run_cases,
                     scratch, shared_thread, wait_until)

SAMPLE = os.path.join(TOP, "deploy", "sample", "mprotect-sample.mbox")
SAMPLE_KEY = "20261102081400.1000-1-paula@example.org"
HARMLESS = os.path.join(TOP, "deploy", "sample", "harmless.mbox")
HARMLESS_KEY = "20261103154500.2000-1-otto@example.org"

# The warm base is built first, once: a cold cache takes minutes.
FIRST_S = 1200
NEXT_S = 600

d = archive = None


def cleanup():
    if d:
        d.stop()
    if archive:
        archive.stop()


def source(location, name="list", kind="public-inbox"):
    return f"""
source {name} {{
	kind = "{kind}"
	location = "{location}"
	poll_s = 1
}}
"""


def started():
    if not d or not d.process:
        raise Skip("the daemon did not start")


def the_daemon_starts_and_takes_a_tree():
    global d, archive
    needs_root()
    prefix = install()
    archive = Archive(scratch())
    archive.serve()
    d = Daemon(prefix)
    d.configure(source(archive.url))
    d.start()
    d.add_base_tree()
    mode = os.stat(os.path.join(d.state, "admin.token")).st_mode & 0o777
    equal(oct(mode), "0o600", "mode of admin.token")


def job(v, kind):
    jobs = [j for j in v["jobs"] if j["kind"] == kind]
    equal(len(jobs), 1, f"{kind} jobs of the series")
    return jobs[0]


def findings_of(v):
    return [f for f in v["findings"] if not f.get("leader_id")]


def mail_of(text):
    return email.message_from_string(text, policy=email.policy.default)


def reply_to(message_id):
    found = [r for r in d.replies()
             if mail_of(r)["In-Reply-To"] == f"<{message_id}>"]
    check(len(found) <= 1, f"{len(found)} replies to {message_id}")
    return found[0] if found else None


def unquoted_after(body, pattern):
    """The quoted line that matches, and the first answer below it"""
    lines = body.splitlines()
    for i, line in enumerate(lines):
        if line.startswith(">") and re.search(pattern, line):
            for below in lines[i + 1:]:
                if below.strip() and not below.startswith(">"):
                    return line, below
    raise AssertionError(f"no quoted line matches {pattern!r} in:\n{body}")


def a_real_series_is_judged():
    started()
    path = shared_thread("mprotect-batching-v2.mbox")
    archive.add_mbox(path)
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read()
    ids = dict(re.findall(
        r"(?ms)^Subject: \[PATCH[^\]]* (\d)/2\].*?^Message-I[Dd]: <([^>]*)>",
        text)) or {}
    if set(ids) != {"0", "1", "2"}:
        ids = {}
        for part in re.split(r"(?m)^From .*\n", text)[1:]:
            m = mail_of(part)
            n = re.match(r"\[[^\]]* (\d)/2\]", m["Subject"])
            if n:
                ids[n.group(1)] = m["Message-ID"].strip("<>")
    a_real_series_is_judged.ids = ids
    v = d.wait_series(ids["0"], FIRST_S)
    equal(v["state"], "done", "state")
    equal(v["tree"], TREE, "base tree")
    chosen = [t for t in v["tries"] if t["outcome"] == "chosen"]
    equal([t["signal"] for t in chosen], ["blobs"], "why that base")
    equal([p["state"] for p in v["patches"]], ["applied"] * 2, "patches")
    build = job(v, "build")
    equal(build["state"], "failed", "build")
    outcome = {p["number"]: p["outcome"] for p in build["patches"]}
    equal((outcome[1], outcome[2]), ("passed", "failed"), "1/2 and 2/2")
    found = findings_of(v)
    warnings = [f for f in found if f["severity"] == "warning"]
    equal([(f["number"], f["file"]) for f in warnings],
          [(1, "mm/mprotect.c")], "new warnings")
    contains(warnings[0]["message"], "unused variable", "the warning")
    contains(warnings[0]["message"], "page", "the warning")
    errors = [f for f in found if f["severity"] == "error"]
    check(errors, "no error found")
    equal({f["number"] for f in errors}, {2}, "patch of the errors")
    first = errors[0]
    equal((first["file"], first["line"]), ("include/linux/pgtable.h", 873),
          "place of the first error")
    contains(first["message"], "ptep_modify_prot_start", "the error")


def its_reply_answers_the_patch_that_is_wrong():
    started()
    ids = getattr(a_real_series_is_judged, "ids", None)
    if not ids:
        raise Skip("the series was not judged")
    text = reply_to(ids["2"])
    check(text, "no reply to 2/2")
    check(not reply_to(ids["1"]) and not reply_to(ids["0"]),
          "one reply, to 2/2 only")
    body = mail_of(text).get_content()
    quoted, below = unquoted_after(body, r"^>\s*\+.*ptep_modify_prot_start")
    contains(body, "include/linux/pgtable.h:873", "the reply")
    contains(body, "unused variable", "the reply")
    contains(body, TREE, "the reply names the base")
    v = d.series(ids["0"])
    for other in ("include/linux/mm.h", "kernel/", "drivers/"):
        check(not any(f["file"].startswith(other) for f in v["findings"]),
              f"blamed for a warning of the base in {other}")


def the_sample_thread_is_judged():
    started()
    archive.add_mbox(SAMPLE)
    v = d.wait_series(SAMPLE_KEY, FIRST_S)
    equal(v["state"], "done", "state")
    equal(v["verdict"], "broken", "verdict")
    found = findings_of(v)
    equal(sorted({(f["number"], f["severity"]) for f in found}),
          [(1, "warning"), (2, "error")], "findings")
    check(reply_to("20261102081400.1000-3-paula@example.org"),
          "no reply to 2/2")


def a_harmless_series_goes_all_the_way():
    started()
    archive.add_mbox(HARMLESS)
    v = d.wait_series(HARMLESS_KEY, FIRST_S)
    equal((v["state"], v["verdict"]), ("done", "clean"), "state, verdict")
    equal(v["findings"], [], "findings")
    for kind in ("build", "boot", "test", "bench"):
        equal(job(v, kind)["state"], "passed", kind)
    tests = v["tests"]["counts"]
    check(tests.get("passed", 0) >= 2, f"selftests: {tests}")
    check(not tests.get("failed"), f"selftests: {tests}")
    check(v["measures"], "no benchmark")
    for m in v["measures"]:
        check(m["series"] is not None, f"{m['name']}: no value")
        equal(m["series"], m["base"], f"{m['name']} of a comment")


def series_id(key):
    v = d.series(key)
    if not v:
        raise Skip(f"series {key} is not there")
    return v["id"]


def curl(*args):
    """-> status, body"""
    p = subprocess.run(["curl", "-s", "--noproxy", "*", "-w", "\n%{http_code}",
                        *args], stdout=subprocess.PIPE, check=True, timeout=60)
    body, _, status = p.stdout.decode().rpartition("\n")
    return int(status), body


def a_rerun_needs_the_right_token():
    started()
    v = d.series(HARMLESS_KEY)
    check(v, "the harmless series is there")
    url = f"{d.url}/api/v1/jobs/{job(v, 'boot')['id']}/rerun"

    def token(name, scope):
        status, out, err = d.mmci("token", "add", name, "--scope", scope)
        equal(status, 0, f"token add: {err}")
        return out.strip()

    submit, rerun = token("submitter", "submit"), token("rerunner", "rerun")
    with open(os.path.join(d.state, "mmci.db"), "rb") as f:
        check(rerun.encode() not in f.read(), "the token is in the database")
    status, body = curl("-X", "POST", url)
    equal(status, 401, "without a token")
    check(json.loads(body)["title"], "problem JSON")
    status, _ = curl("-X", "POST", "-H", "Authorization: Bearer " + "A" * 43,
                     url)
    equal(status, 401, "with an unknown token")
    status, _ = curl("-X", "POST", "-H", f"Authorization: Bearer {submit}",
                     url)
    equal(status, 403, "with a token that lacks the scope")
    status, _ = curl("-X", "POST", "-H", f"Authorization: Bearer {rerun}",
                     f"{d.url}/api/v1/jobs/999999/rerun")
    equal(status, 404, "for an unknown job")
    status, body = curl("-X", "POST", "-H", f"Authorization: Bearer {rerun}",
                        url)
    equal(status, 202, f"with the right one: {body}")

    def second():
        j = d.get(f"/api/v1/jobs/{job(v, 'boot')['id']}")
        return j if j["state"] == "passed" and j["attempts"] == 2 else None
    j = wait_until("a second attempt that passed", second, NEXT_S)
    equal([a["number"] for a in j["attempts_list"]], [2, 1], "attempts")
    contains(j["attempts_list"][0]["why"], "rerunner", "who wanted it")


def pages_are_there_and_escaped():
    started()
    ident = series_id(HARMLESS_KEY)
    for path in ("/", f"/series/{ident}", "/outbox", "/trees", "/queue",
                 "/findings"):
        status, text = d.request("GET", path)
        equal(status, 200, f"GET {path}")
        contains(text, "<html", path)
    status, text = d.request("GET", f"/series/{ident}")
    contains(text, "say what the target node is for", "the page")
    status, _ = d.request("GET", "/series/999999")
    equal(status, 404, "a series that is not there")


def the_client_shows_it():
    started()
    ident = str(series_id(HARMLESS_KEY))
    status, out, err = d.mmci("series", "list")
    equal(status, 0, f"series list: {err}")
    contains(out, "say what the target node is for", "series list")
    status, out, err = d.mmci("series", "show", ident)
    equal(status, 0, f"series show: {err}")
    contains(out, "base   " + TREE, "series show")
    v = d.series(HARMLESS_KEY)
    status, out, err = d.mmci("job", "log", str(job(v, "build")["id"]))
    equal(status, 0, f"job log: {err}")
    contains(out, "==>", "job log")
    status, out, err = d.mmci("outbox", "list", "--json")
    equal(status, 0, f"outbox list: {err}")
    equal(len(json.loads(out)["items"]), len(d.replies()), "replies")
    status, _, _ = d.mmci("series", "show", "999999")
    equal(status, 1, "series show of none")


def patch_mail(ident, subject, diff, body="Text.\n"):
    return (f"From: Nora Null <nora@example.org>\n"
            f"To: linux-mm@lists.example.org\n"
            f"Subject: {subject}\n"
            f"Date: Wed, 04 Nov 2026 10:00:00 +0000\n"
            f"Message-ID: <{ident}>\n\n{body}\n"
            f"Signed-off-by: Nora Null <nora@example.org>\n---\n"
            f"{diff}\n-- \n2.39.5\n").encode()


NO_SUCH_FILE = """\
 mm/nowhere.c | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/mm/nowhere.c b/mm/nowhere.c
index 1111111111aa..2222222222bb 100644
--- a/mm/nowhere.c
+++ b/mm/nowhere.c
@@ -1,3 +1,3 @@
 one
-two
+three
 four
"""


def broken_input_gives_a_reason_and_the_daemon_goes_on():
    started()
    archive.add([b"\x00\xff\xfe no mail at all \x80\n" * 20,
                 patch_mail("nowhere@example.org",
                            "[PATCH] mm/nowhere: change what is not there",
                            NO_SUCH_FILE)])
    v = d.wait_series("nowhere@example.org", NEXT_S)
    check(v["verdict"] in ("no-base", "conflict"), f"verdict {v['verdict']}")
    why = v["verdict_why"] or v["state_why"] or v["base_why"]
    tries = " ".join(t["why"] for t in v["tries"])
    contains(why + tries + " ".join(p["state_why"] for p in v["patches"]),
             "mm/nowhere.c", "the reason names the file")
    health = d.get("/api/v1/health")
    check(isinstance(health, dict), "health")


def an_archive_that_is_not_there_is_named():
    started()
    d.stop()
    d.configure(source(archive.url) + source(scratch() + "/none", "gone"))
    d.start()

    def failing():
        rows = d.get("/api/v1/sources")
        rows = rows if isinstance(rows, list) else rows["items"]
        return next((s for s in rows if s["name"] == "gone" and s["error"]),
                    None)
    s = wait_until("the source fails", failing, 60)
    contains(s["error"], "/none", "the error names the place")
    equal(s["error"].count("\n"), 0, "one line")


def a_file_is_submitted():
    started()
    path = os.path.join(scratch(), "one.mbox")
    with open(HARMLESS, encoding="utf-8") as f:
        text = f.read().replace(HARMLESS_KEY, "submitted@example.org")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    before = len(d.replies())
    status, out, err = d.mmci("submit", path)
    equal(status, 0, f"submit: {err}")

    def done():
        status, out, _ = d.mmci("series", "show", "submitted@example.org",
                                "--json")
        return status == 0 and json.loads(out)["state"] == "done"
    wait_until("the submitted series is done", done, NEXT_S, 1)
    equal(len(d.replies()), before, "replies after a harmless series")
    status, _, err = d.mmci("submit", "/dev/null")
    equal(status, 1, "submit of nothing")
    equal(err.count("\n"), 1, f"one line: {err}")


def it_ends_when_told_without_a_sanitizer_report():
    started()
    equal(d.stop(), 0, "exit status after SIGTERM")
    equal(d.sanitizer_reports(), [], "reports")


CASES = [
    the_daemon_starts_and_takes_a_tree,
    a_real_series_is_judged,
    its_reply_answers_the_patch_that_is_wrong,
    the_sample_thread_is_judged,
    a_harmless_series_goes_all_the_way,
    a_rerun_needs_the_right_token,
    pages_are_there_and_escaped,
    the_client_shows_it,
    broken_input_gives_a_reason_and_the_daemon_goes_on,
    an_archive_that_is_not_there_is_named,
    a_file_is_submitted,
    it_ends_when_told_without_a_sanitizer_report,
]

if __name__ == "__main__":
    run_cases(CASES, cleanup)
