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
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), "pages"))
import pages  # noqa: E402
from harness import (TOP, TREE, Archive, Daemon, Skip, check,  # noqa: E402
                     contains, curl, equal, install, needs_root, run_cases,
                     scratch, shared_thread, source, wait_until)

SAMPLE = os.path.join(TOP, "deploy", "sample", "mprotect-sample.mbox")
SAMPLE_KEY = "20261102081400.1000-1-paula@example.org"
HARMLESS = os.path.join(TOP, "deploy", "sample", "harmless.mbox")
HARMLESS_KEY = "20261103154500.2000-1-otto@example.org"
NEXT_KEY = "20261104101500.2000-1-otto@example.org"  # its second version

# The warm base is built first, once: a cold cache takes minutes.
FIRST_S = 1800
NEXT_S = 600

d = archive = None


def cleanup():
    if d:
        d.stop()
    if archive:
        archive.stop()


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
    maildir = os.path.join(scratch(), "sent")
    d.configure(source(archive.url) + f"""\
mail {{
	mode = send
	from = "mmci <mmci@example.org>"
	transport = maildir
	maildir = "{maildir}"
}}
policy all {{
	send = "moderated"
	lists = {{"linux-mm@lists.example.org"}}
}}
""")
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
    equal([(t["signal"], t["outcome"]) for t in v["tries"]],
          [("index-lines", "applied")], "why that base")
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
    contains(" ".join(body.split()), "cures it", "the reply on the fix-up")
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
    counted = [m for m in v["measures"] if m["value"] is not None]
    check(counted, f"no counted value in {v['measures']}")
    for m in counted:
        equal(m["value"], m["base_value"], f"{m['name']} of a comment")


def series_id(key):
    v = d.series(key)
    if not v:
        raise Skip(f"series {key} is not there")
    return v["id"]


def a_rerun_is_a_second_attempt():
    started()
    v = d.series(HARMLESS_KEY)
    check(v, "the harmless series is there")
    url = f"{d.url}/api/v1/jobs/{job(v, 'boot')['id']}/rerun"

    def token(name, scope):
        status, out, err = d.mmci("token", "add", name, "--scope", scope)
        equal(status, 0, f"token add: {err}")
        return out.strip()

    rerun = token("rerunner", "rerun")
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


def a_file_is_submitted():
    started()
    path = os.path.join(scratch(), "one.mbox")
    with open(HARMLESS, encoding="utf-8") as f:
        text = f.read()
    for old, new in ((HARMLESS_KEY, NEXT_KEY), ("[PATCH]", "[PATCH v2]"),
                     ("Tue, 03 Nov", "Wed, 04 Nov"),
                     ("so it needs no hinting", "thus it needs no hinting")):
        contains(text, old, HARMLESS)
        text = text.replace(old, new)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    before = len(d.replies())
    status, out, err = d.mmci("submit", path)
    equal(status, 0, f"submit: {err}")

    def done():
        status, out, _ = d.mmci("series", "show", NEXT_KEY, "--json")
        return status == 0 and json.loads(out)["state"] == "done"
    wait_until("the submitted series is done", done, NEXT_S, 1)
    equal(len(d.replies()), before, "replies after a harmless series")
    v = d.series(NEXT_KEY)
    equal((v["version"], v["verdict"]), (2, "clean"), "the second version")
    equal([p["state"] for p in v["range_diff"]["patches"]], ["changed"],
          "patches of the range-diff")


def every_page_looks_right():
    started()
    pages.walk("looks.mjs", d.url)


def three_people_find_what_they_came_for():
    started()
    status, token, err = d.mmci("token", "add", "operator", "--scope",
                                "rerun,moderate")
    equal(status, 0, f"token add: {err}")
    pages.walk("stories.mjs", d.url, broken=SAMPLE_KEY, clean=NEXT_KEY,
               token=token.strip())


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
    a_rerun_is_a_second_attempt,
    pages_are_there_and_escaped,
    the_client_shows_it,
    a_file_is_submitted,
    every_page_looks_right,
    three_people_find_what_they_came_for,
    it_ends_when_told_without_a_sanitizer_report,
]

if __name__ == "__main__":
    run_cases(CASES, cleanup)
