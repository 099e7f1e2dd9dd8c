# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands that come in mails, forged ones, and robots that answer robots."""
import os
import sqlite3
import subprocess
import sys
import time
from email.utils import formatdate

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from post import Outbox, Skip, check, equal, run_cases, wait_until  # noqa: E402

PROOF = "Authentication-Results: mx.example.org; dkim=pass header.d=example.org"
KEY = "one@example.org"
daemons = []
d = None


class Robot(Outbox):
    """A daemon that reads an mbox and puts its mails into a maildir"""

    def __init__(self, name):
        super().__init__()
        self.mbox = os.path.join(self.dir, "in.mbox")
        self.maildir = os.path.join(self.dir, "maildir")
        with open(self.mbox, "w", encoding="utf-8"):
            pass
        self.set_mail(f'\ttransport = maildir\n\tmaildir = "{self.maildir}"\n'
                      "\tcommand_hosts = {mx.example.org}", f"""\
settle_s = 0
policy all {{
	send = author
}}
source {name} {{
	kind = mbox
	location = "{self.mbox}"
	poll_s = 1
}}
""")
        daemons.append(self)

    def deliver(self, text):
        with open(self.mbox, "a", encoding="utf-8") as f:
            f.write("From mboxrd@z Thu Jan  1 00:00:00 1970\n"
                    + text.rstrip("\n") + "\n\n")

    def sql(self, text, *args):
        with sqlite3.connect(os.path.join(self.state, "mmci.db"),
                             timeout=20) as db:
            rows = db.execute(text, args).fetchall()
        db.close()
        return rows

    def wait_mail(self, ident):
        wait_until(f"<{ident}> is read", lambda: self.sql(
            "SELECT 1 FROM mail WHERE message_id = ?", ident), 30)

    def commands(self, ident):
        return self.sql("SELECT c.command, c.state, c.why FROM command c JOIN"
                        " mail m ON m.id = c.mail_id WHERE m.message_id = ?"
                        " AND c.state != 'new' ORDER BY c.seq", ident)

    def answer_to(self, ident):
        rows = wait_until(f"the command in <{ident}> is settled",
                          lambda: self.commands(ident), 30)
        return rows[0]


def mail(ident, text, sender="Nora Null <nora@example.org>", extra=(),
         subject="Re: [PATCH] mm: x", answers=KEY):
    head = [f"From: {sender}", "To: list@lists.example.org",
            f"Subject: {subject}", f"Date: {formatdate(time.time())}",
            f"Message-ID: <{ident}>"]
    if answers:
        head.append(f"In-Reply-To: <{answers}>")
    return "\n".join(list(extra) + head) + "\n\n" + text + "\n"


def cleanup():
    for one in daemons:
        one.clear()


def a_series_is_there():
    global d
    d = Robot("linux-mm")
    d.deliver(mail(KEY, "Text.\n\nSigned-off-by: Nora Null <nora@example.org>"
                   "\n---\ndiff --git a/mm/x.c b/mm/x.c\n--- a/mm/x.c\n"
                   "+++ b/mm/x.c\n@@ -1 +1 @@\n-one\n+two\n",
                   subject="[PATCH] mm: x", answers=None))
    d.start()
    wait_until("the series", lambda: d.series(KEY), 30)
    d.stop()
    d.sql("UPDATE version SET state = 'done', verdict = 'no-base'")
    d.start()


def there():
    if not d or not d.process:
        raise Skip("no series")


def refused(ident, text, reason, **kw):
    there()
    d.deliver(mail(ident, text, **kw))
    _, state, why = d.answer_to(ident)
    equal(state, "refused", f"{ident}: {why}")
    check(reason in why, why)


def forged_commands_are_refused():
    refused("f1@x", "mmci: rerun", "no proof: no server")
    refused("f2@x", "mmci: rerun", "no proof: no server", extra=(
        "Authentication-Results: mx.evil.net; dkim=pass header.d=example.org",))
    refused("f3@x", "mmci: rerun", "does not vouch", extra=(
        "Authentication-Results: mx.example.org; dkim=fail", PROOF))
    refused("f4@x", "mmci: not mine", "does not vouch", extra=(
        "Authentication-Results: mx.example.org; dkim=pass header.d=evil.net",))
    equal(d.series(KEY)["state"], "done", "state of the series")
    check("refused: \"rerun \" from nora@example.org" in d.log_text(),
          "a forged command is not in the log")


def strangers_are_refused():
    refused("s1@x", "mmci: rerun", "not the author", extra=(PROOF,),
            sender="Kim <kim@example.org>")


def robots_start_nothing():
    refused("r1@x", "mmci: rerun", "machine",
            extra=(PROOF, "Auto-Submitted: auto-replied"))
    refused("r2@x", "mmci: rerun", "machine", extra=(PROOF,),
            sender="build robot <nora@example.org>")
    refused("r3@x", "mmci: rerun", "our own", extra=(PROOF,),
            sender="mmci <mmci@example.org>")


def quoted_lines_are_no_commands():
    there()
    d.deliver(mail("q1@x", "> mmci: rerun\n mmci: rerun\nsee mmci: rerun",
                   extra=(PROOF,)))
    d.wait_mail("q1@x")
    equal(d.sql("SELECT count(*) FROM command c JOIN mail m ON"
                " m.id = c.mail_id WHERE m.message_id = 'q1@x'"), [(0,)],
          "commands")


def the_author_is_obeyed():
    there()
    d.deliver(mail("a1@x", "Thanks.\n\nmmci: rerun\n\nNora", extra=(PROOF,)))
    equal(d.answer_to("a1@x"), ("rerun", "done", "from the author"),
          "answer")
    check(d.series(KEY)["verdict"] != "no-base", "it was not run again")
    equal([c["state"] for c in d.series(KEY)["commands"]][-1], "done",
          "in the API")


def a_copy_with_proof_makes_up_for_one_without():
    there()
    text = mail("c1@x", "mmci: not mine")
    d.deliver(text)
    equal(d.answer_to("c1@x")[1], "refused", "the copy without proof")
    d.deliver(PROOF + "\n" + text)
    wait_until("the second copy counts",
               lambda: d.commands("c1@x")[:1] and
               d.commands("c1@x")[0][1] == "done", 30)


def stop_is_about_the_sender():
    there()
    d.deliver(mail("t1@x", "mmci: stop all", extra=(PROOF,),
                   sender="Kim <kim@example.org>"))
    equal(d.answer_to("t1@x")[1], "done", "stop all")
    d.deliver(mail("t2@x", "mmci: stop", extra=(PROOF,)))
    equal(d.answer_to("t2@x")[1], "done", "stop")
    equal(d.sql("SELECT email, topic_id FROM opt_out ORDER BY email"),
          [("kim@example.org", 0), ("nora@example.org", 1)], "opt-outs")
    d.stop()
    number, _ = d.put(to="kim", lists=False)
    d.start()
    row = d.wait_row(number, ("rejected",))
    check("stop all" in row["state_why"], row["state_why"])


def maintainers_of_the_files_are_obeyed():
    there()
    repo = os.path.join(d.dir, "tree")
    os.makedirs(os.path.join(repo, "mm"))
    for name, text in (("mm/x.c", "one\n"), ("MAINTAINERS",
                       "MM\nM:\tLea <lea@example.org>\nF:\tmm/\n\n"
                       "REST\nM:\tRob <rob@example.org>\nF:\t*\n")):
        with open(os.path.join(repo, name), "w", encoding="utf-8") as f:
            f.write(text)
    for args in (("init", "-q", "-b", "master"), ("add", "."),
                 ("-c", "user.name=x", "-c", "user.email=x@example.org",
                  "commit", "-q", "-m", "x")):
        subprocess.run(["git", "-C", repo, *args], check=True)
    status, _, err = d.mmci("tree", "add", "t", repo, "--kind", "git",
                            "--branch", "master")
    equal(status, 0, err)
    wait_until("the series has a base",
               lambda: d.series(KEY)["base_commit"], 60)
    refused("m1@x", "mmci: not mine", "neither the author nor", extra=(PROOF,),
            sender="Rob <rob@example.org>")
    d.deliver(mail("m2@x", "mmci: not mine", extra=(PROOF,),
                   sender="Lea <lea@example.org>"))
    equal(d.answer_to("m2@x"), ("not", "done",
                                "from a maintainer of the files"), "answer")


def another_base_is_for_what_never_ran():
    there()
    text = ("Text.\n\nSigned-off-by: Nora Null <nora@example.org>\n---\n"
            "diff --git a/mm/y.c b/mm/y.c\n--- a/mm/y.c\n+++ b/mm/y.c\n"
            "@@ -1 +1 @@\n-eins\n+zwei\n")
    d.deliver(mail("y@x", text, subject="[PATCH] mm: y", answers=None))
    wait_until("there is no base", lambda: d.series("y@x") and
               d.series("y@x")["verdict"] == "no-base", 60)
    refused("b1@x", "mmci: base nosuch", "no tree", extra=(PROOF,),
            answers="y@x")
    d.deliver(mail("b2@x", "mmci: base t", extra=(PROOF,), answers="y@x"))
    equal(d.answer_to("b2@x")[1], "done", "base")
    equal(d.sql("SELECT wanted_tree FROM version WHERE key = 'y@x'"),
          [("t",)], "tree")
    wait_until("it was tried again",
               lambda: d.series("y@x")["verdict"] == "no-base", 60)


def two_robots_are_silent_at_once():
    there()
    d.stop()
    other = Robot("other")
    other.start()
    other.stop()
    seen = set()
    footer = "mmci: rerun\n\nReply with the line\nmmci: rerun\nto repeat.\n"
    for one in (d, other):
        one.put(body=footer, lists=False)
        # as our replies are, see jobs/report-head.c
        one.sql("UPDATE outgoing SET eml = replace(eml, 'MIME-Version',"
                " 'Auto-Submitted: auto-generated\nMIME-Version')"
                " WHERE state = 'held'")
        one.sql("UPDATE outgoing SET message_id = replace(message_id, 'mmci-',"
                " ?1), eml = replace(eml, '<mmci-', '<' || ?1)"
                " WHERE state = 'held'", f"mmci-{one.port}-")
        one.start()
    for _ in range(3):
        for one, peer in ((d, other), (other, d)):
            new = os.path.join(one.maildir, "new")
            wait_until("a mail left", lambda n=new: os.path.isdir(n), 30)
            for name in set(os.listdir(new)) - seen:
                seen.add(name)
                with open(os.path.join(new, name), encoding="utf-8") as f:
                    peer.deliver(PROOF + "\n" + f.read())
        time.sleep(2)
    equal(len(seen), 2, "mails that ever left")
    for one in (d, other):
        rows = one.sql("SELECT c.state, c.why FROM command c JOIN mail m ON"
                       " m.id = c.mail_id WHERE m.from_email ="
                       " 'mmci@example.org' AND m.message_id LIKE 'mmci-%'")
        check(rows and all(r == ("refused", "sent by a machine")
                           for r in rows), rows)


def nothing_was_reported_by_the_sanitizers():
    for one in daemons:
        equal(one.stop(), 0, "exit status")
        equal(one.sanitizer_reports(), [], "sanitizer reports")


if __name__ == "__main__":
    run_cases([a_series_is_there, forged_commands_are_refused,
               strangers_are_refused, robots_start_nothing,
               quoted_lines_are_no_commands, the_author_is_obeyed,
               a_copy_with_proof_makes_up_for_one_without,
               stop_is_about_the_sender,
               maintainers_of_the_files_are_obeyed,
               another_base_is_for_what_never_ran, two_robots_are_silent_at_once,
               nothing_was_reported_by_the_sanitizers], cleanup)
