# SPDX-License-Identifier: GPL-2.0-or-later
"""Series that stand on others, and their versions, through the daemon.

The tree is a small git repository and every mail is what git format-patch
makes of a commit in it. The jobs of the series are not waited for.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (LIST, Daemon, Skip, check, contains, equal,  # noqa: E402
                     install, run_cases, scratch, wait_until)

d = repo = mbox = None
clock = 1700000000


def cleanup():
    if d:
        d.stop()


def started():
    if not d or not d.process:
        raise Skip("the daemon did not start")


def git(*args, stdin=None, author="Anna Author <anna@example.org>"):
    name, email = re.match(r"(.*) <(.*)>", author).groups()
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent",
           "GIT_CONFIG_NOSYSTEM": "1",
           "GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": email,
           "GIT_AUTHOR_DATE": f"{clock} +0000",
           "GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": email,
           "GIT_COMMITTER_DATE": f"{clock} +0000"}
    return subprocess.run(["git", "-C", repo, *args], input=stdin, env=env,
                          stdout=subprocess.PIPE, check=True).stdout


def lines(changes):
    """The file: 30 numbered lines, some of them changed"""
    return "".join(f"{changes.get(n, f'line {n}')}\n" for n in range(1, 31))


def branch(name, start, author, *commits):
    """commits: (title, {line: text}, more text of the message)"""
    global clock
    git("checkout", "-q", "-B", name, start)
    path = os.path.join(repo, "mm", "a.c")
    for title, changes, more in commits:
        clock += 1
        with open(path, encoding="ascii") as f:
            text = f.read()
        for n, new in changes.items():
            text = re.sub(rf"(?m)^(?:line {n}|.* \({n}\))$",
                          f"{new} ({n})", text)
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        git("commit", "-q", "-a", "-m",
            f"{title}\n\n{more}\n\nSigned-off-by: {author}", author=author)


def post(key, revs, version=1, base=None, only=None):
    """Append the mails of a range to the list; key-N@example.org each"""
    total = len(git("rev-list", revs).split())
    args = ["format-patch", "--stdout", "--no-signature", f"-v{version}",
            "--no-thread", f"--to={LIST}"]
    if base:
        args.append(f"--base={base}")
    if total > 1:
        args.append("--numbered")
    text = git(*args, revs)
    mails = re.split(rb"(?m)^From [0-9a-f]{40} [^\n]*\n", text)[1:]
    with open(mbox, "ab") as f:
        for n, mail in enumerate(mails, 1):
            if only and n not in only:
                continue
            head = f"Message-ID: <{key}-{n}@example.org>\n"
            if n > 1:
                head += f"In-Reply-To: <{key}-1@example.org>\n"
            f.write(b"From mboxrd@z Thu Jan  1 00:00:00 1970\n")
            f.write(head.encode() + mail.rstrip(b"\n") + b"\n\n")


def applied(key, timeout_s=60):
    v = d.wait_series(f"{key}-1@example.org", timeout_s,
                      ("planned", "running", "done", "conflict"))
    equal([p["state"] for p in v["patches"]], ["applied"] * v["total"],
          f"{key}: patches ({v['verdict_why']})")
    return v


def dependencies(v):
    return [(re.sub("@.*", "", x["key"]), x["state"])
            for x in v["dependencies"]]


def content(v, number):
    return subprocess.run(
        ["git", "--git-dir", os.path.join(d.state, "trees.git"), "show",
         f"refs/mmci/{v['id']}/{number}:mm/a.c"],
        stdout=subprocess.PIPE, check=True).stdout.decode()


def the_daemon_takes_a_tree():
    global d, repo, mbox
    prefix = install()
    repo = scratch()
    mbox = os.path.join(scratch(), "list.mbox")
    with open(mbox, "wb"):
        pass
    git("init", "-q", "--initial-branch=main")
    os.mkdir(os.path.join(repo, "mm"))
    with open(os.path.join(repo, "mm", "a.c"), "w", encoding="ascii") as f:
        f.write(lines({}))
    git("add", "mm/a.c")
    git("commit", "-q", "-m", "base")
    d = Daemon(prefix, "deps", keep=())
    d.configure(f"""
source list {{
	kind = "mbox"
	location = "{mbox}"
	poll_s = 1
}}
""", top="incomplete_s = 25")
    d.start()
    status, _, err = d.mmci("tree", "add", "small", repo, "--kind", "git",
                            "--branch", "main")
    equal(status, 0, f"tree add: {err}")
    wait_until("the tree is ready",
               lambda: d.tree_state("small")["state"] == "ready", 60)


def patch_ids_name_an_earlier_series():
    started()
    branch("a", "main", "Anna Author <anna@example.org>",
           ("mm: a, first", {5: "five"}, "One."),
           ("mm: a, second", {6: "six"}, "Two."))
    branch("b", "a", "Bert Author <bert@example.org>",
           ("mm: b", {5: "FIVE", 7: "seven"}, "Three."))
    post("a", "main..a")
    post("b", "a..b", base="main")
    a, b = applied("a"), applied("b")
    equal(dependencies(b), [("a-1", "used")], "what b stands on")
    equal(b["dependencies"][0]["id"], a["id"], "its number")
    equal(content(b, 1), git("show", "b:mm/a.c").decode(), "the file")
    check(b["base_commit"] != a["base_commit"], "b is not built on the tree")
    page = d.request("GET", f"/series/{b['id']}")[1]
    contains(page, f'<a href="/series/{a["id"]}">mm: a, first</a>', "page")
    equal(a["dependencies"], [], "a stands on")


def only_what_is_named_goes_below():
    """c stands on the first patch of a alone, and undoes what the second does"""
    started()
    branch("c", "a~1", "Carl Author <carl@example.org>",
           ("mm: c", {5: "V", 6: "VI"}, "Roman."))
    post("c", "a~1..c", base="main")
    c = applied("c")
    equal(dependencies(c), [("a-1", "used")], "what c stands on")
    equal(content(c, 1), git("show", "c:mm/a.c").decode(), "the file")


def mails_name_series_over_series():
    started()
    branch("e", "b", "Dora Author <dora@example.org>",
           ("mm: e", {7: "7"}, "Depends-on: <b-1@example.org>"))
    branch("f", "e", "Emil Author <emil@example.org>",
           ("mm: f", {7: "seven again", 8: "eight"}, "This goes on top of\n"
            "https://lore.example.org/linux-mm/e-1@example.org/."))
    post("e", "b..e")
    post("f", "e..f")
    f = applied("f")
    equal(dependencies(f), [("a-1", "used"), ("b-1", "used"),
                            ("e-1", "used")], "what f stands on")
    equal(content(f, 1), git("show", "f:mm/a.c").decode(), "the file")


def what_nobody_knows_is_said():
    started()
    branch("g", "main", "Gina Author <gina@example.org>",
           ("mm: g", {12: "twelve"}, "Depends-on: <never@example.org>"))
    post("g", "main..g")
    g = applied("g")
    equal(dependencies(g), [("never", "missing")], "what g stands on")
    status, out, _ = d.mmci("series", "show", "g-1@example.org")
    equal(status, 0, "series show")
    contains(out, "never@example.org  missing", "series show")


def a_circle_is_refused():
    started()
    branch("h", "main", "Hans Author <hans@example.org>",
           ("mm: h", {14: "fourteen"}, "Depends-on: <i-1@example.org>"))
    branch("i", "main", "Ines Author <ines@example.org>",
           ("mm: i", {16: "sixteen"}, "Depends-on: <h-1@example.org>"))
    post("h", "main..h")
    post("i", "main..i")
    h = applied("h")
    equal([x["state"] for x in h["dependencies"]], ["cycle"], "h stands on")
    contains(h["dependencies"][0]["why"],
             "i-1@example.org needs h-1@example.org", "the circle")


def a_series_waits_for_one_that_is_coming_in():
    started()
    branch("k", "main", "Karl Author <karl@example.org>",
           ("mm: k, first", {18: "eighteen"}, "One."),
           ("mm: k, second", {19: "nineteen"}, "Two."))
    branch("l", "k", "Lena Author <lena@example.org>",
           ("mm: l", {19: "XIX"}, "Based-on: <k-1@example.org>"))
    post("k", "main..k", only=(1,))
    post("l", "k..l")
    v = wait_until("l waits", lambda: (d.series("l-1@example.org") or {}).get(
        "state_why"), 30)
    contains(v, 'waits for "mm: k, first" (k-1@example.org)', "why")
    post("k", "main..k", only=(2,))
    equal(dependencies(applied("l")), [("k-1", "used")], "l stands on")


def it_does_not_wait_for_ever():
    started()
    branch("m", "main", "Mara Author <mara@example.org>",
           ("mm: m, first", {21: "21st"}, "One."),
           ("mm: m, second", {22: "22nd"}, "Two."))
    branch("n", "main", "Nils Author <nils@example.org>",
           ("mm: n", {26: "XXVI"}, "Depends-on: <m-1@example.org>"))
    post("m", "main..m", only=(1,))
    post("n", "main..n")
    n = applied("n", 90)
    equal(dependencies(n), [("m-1", "missing")], "n stands on")
    contains(n["dependencies"][0]["why"], "never came", "why")
    m = d.series("m-1@example.org")
    equal((m["verdict"], m["verdict_why"]),
          ("incomplete", "incomplete, 2/2 missing"), "the verdict of m")


def what_comes_late_is_applied_after_all():
    started()
    branch("o", "main", "Olga Author <olga@example.org>",
           ("mm: o", {28: "28th"}, "One."))
    branch("p", "o", "Paul Author <paul@example.org>",
           ("mm: p", {28: "XXVIII"}, "Two."))
    post("p", "o..p", base="main")
    v = d.wait_series("p-1@example.org", 60)
    equal((v["state"], [x["state"] for x in v["dependencies"]]),
          ("conflict", ["missing"]), "p without o")
    post("o", "main..o")
    wait_until("p is applied", lambda: d.series("p-1@example.org")["state"] !=
               "conflict", 60)
    p = applied("p")
    equal(dependencies(p), [("o-1", "used")], "p stands on")


def pairs(v):
    return [(x["old"], x["new"], x["state"])
            for x in v["range_diff"]["patches"]]


def a_new_version_is_held_against_the_old_one():
    started()
    who = "Rosa Author <rosa@example.org>"
    branch("r1", "main", who, ("mm: r, kept", {10: "ten"}, "One."),
           ("mm: r, changed", {20: "twenty"}, "Two."),
           ("mm: r, dropped", {30: "thirty"}, "Three."))
    branch("r2", "main", who, ("mm: r, kept", {10: "ten"}, "One."),
           ("mm: r, changed", {20: "XX"}, "Two."),
           ("mm: r, added", {1: "first"}, "Four."))
    post("r1", "main..r1")
    r1 = applied("r1")
    equal(r1["range_diff"], None, "a first version has no older one")
    post("r2", "main..r2", version=2)
    r2 = applied("r2")
    equal((r2["range_diff"]["id"], r2["range_diff"]["why"]), (r1["id"], ""),
          "held against")
    equal(sorted(pairs(r2), key=str),
          [(1, 1, "unchanged"), (2, 2, "changed"), (3, None, "dropped"),
           (None, 3, "new")], "what changed")
    diff = next(x["diff"] for x in r2["range_diff"]["patches"]
                if x["state"] == "changed")
    for line in ("-+twenty (20)", "++XX (20)"):
        contains(diff, line, "the diff of the two diffs")
    page = d.request("GET", f"/series/{r2['id']}")[1]
    contains(page, f'range-diff</a> against <a href="/series/{r1["id"]}">v1</a>',
             "page")


def a_renamed_version_is_known_and_ends_the_old_one():
    started()
    who = "Sven Author <sven@example.org>"
    branch("s1", "main", who, ("mm: s, old name", {11: "eleven"}, "One."))
    branch("s2", "main", who, ("mm: s, another", {11: "XI"},
                               "Supersedes: <s1-1@example.org>"))
    # never applied: v2 comes before it has settled
    post("s1", "main..s1")
    post("s2", "main..s2", version=2)
    s2 = applied("s2")
    s1 = d.wait_series("s1-1@example.org", 60, ("superseded", "done"))
    equal(s1["topic_id"], s2["topic_id"], "one piece of work")
    if s1["state"] == "superseded":
        equal(s1["state_why"], "version 2 came", "why")
    equal((s2["range_diff"]["why"], len(pairs(s2)) in (1, 2)), ("", True),
          "applied to the new base for the comparison")


def one_that_applies_nowhere_is_compared_by_what_it_says():
    started()
    who = "Tina Author <tina@example.org>"
    branch("t1", "o", who, ("mm: t", {28: "twenty-eight"}, "One."))
    branch("t2", "main", who, ("mm: t", {28: "twenty-eight"}, "One."))
    post("t1", "o..t1")
    equal(d.wait_series("t1-1@example.org", 60)["state"], "conflict", "v1")
    post("t2", "main..t2", version=2)
    t2 = applied("t2")
    equal(pairs(t2), [(1, 1, "changed")], "what changed")
    contains(t2["range_diff"]["why"], "compared by patch id and title alone",
             "why")


def a_partial_resend_completes_itself():
    started()
    who = "Udo Author <udo@example.org>"
    branch("u1", "main", who, ("mm: u, first", {3: "three"}, "One."),
           ("mm: u, second", {24: "24th"}, "Two."))
    branch("u2", "u1~1", who, ("mm: u, second", {24: "XXIV"}, "Two."))
    post("u1", "main..u1")
    applied("u1")
    text = git("format-patch", "--stdout", "-1", "--no-signature", "u2",
               "--subject-prefix=PATCH v2 2/2")
    with open(mbox, "ab") as f:
        f.write(b"From mboxrd@z Thu Jan  1 00:00:00 1970\n"
                b"Message-ID: <u2-2@example.org>\n"
                b"In-Reply-To: <u1-2@example.org>\n" +
                text.split(b"\n", 1)[1].rstrip(b"\n") + b"\n\n")
    u2 = d.wait_series("u2-2@example.org", 60, ("planned", "running", "done",
                                                "conflict"))
    equal((u2["version"], u2["total"], [p["state"] for p in u2["patches"]]),
          (2, 2, ["applied", "applied"]), "v2")
    equal(d.series("u1-1@example.org")["version"], 1, "v1 stays v1")
    equal(pairs(u2), [(1, 1, "unchanged"), (2, 2, "changed")],
          "what changed")


def it_ends_without_a_sanitizer_report():
    started()
    equal(d.stop(), 0, "exit status after SIGTERM")
    equal(d.sanitizer_reports(), [], "reports")


CASES = [
    the_daemon_takes_a_tree,
    patch_ids_name_an_earlier_series,
    only_what_is_named_goes_below,
    mails_name_series_over_series,
    what_nobody_knows_is_said,
    a_circle_is_refused,
    a_series_waits_for_one_that_is_coming_in,
    it_does_not_wait_for_ever,
    what_comes_late_is_applied_after_all,
    a_new_version_is_held_against_the_old_one,
    a_renamed_version_is_known_and_ends_the_old_one,
    one_that_applies_nowhere_is_compared_by_what_it_says,
    a_partial_resend_completes_itself,
    it_ends_without_a_sanitizer_report,
]

if __name__ == "__main__":
    run_cases(CASES, cleanup)
