# SPDX-License-Identifier: GPL-2.0-or-later
"""How replies leave: SMTP with TLS and password, a command, a maildir."""
import email
import email.policy
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from post import (Exim, Outbox, Skip, check, equal, free_port,  # noqa: E402
                  run_cases, wait_until)

exim = d = None


def cleanup():
    if d:
        d.clear()
    if exim:
        exim.stop()


def with_mail(text, policy=None):
    d.stop()
    if policy is None:
        d.set_mail(text)
    else:
        d.set_mail(text, policy)


def needs_exim():
    if not exim:
        raise Skip("no mail server")


def smtp(port, extra="\tsmtp_tls = none"):
    return ("\ttransport = smtp\n"
            f'\tsmtp_url = "smtp://localhost:{port}"\n{extra}')


def starts():
    global exim, d
    d = Outbox()
    d.set_mail('\ttransport = maildir\n\tmaildir = "/nonexistent"')
    d.start()
    equal(d.stop(), 0, "exit status")
    try:
        exim = Exim()
    except Skip as why:
        print(f"# {why}")


def starttls_and_password():
    needs_exim()
    secret = os.path.join(d.dir, "secret")
    with open(secret, "w", encoding="ascii") as f:
        f.write("secret\n")
    with_mail(smtp(exim.tls, "\tsmtp_user = bot\n"
                   f'\tsmtp_password_file = "{secret}"\n'
                   f'\tsmtp_ca_file = "{exim.dir}/cert.pem"'))
    number, ident = d.put(cc=("kim",), body=".dot\n..\n\u00e4 in 8bit\n")
    d.start()
    row = d.wait_row(number, ("sent",))
    equal(exim.settled(ident),
          {"dev@example.org": 1, "kim@example.org": 1,
           "list@lists.example.org": 1}, "copies")
    new = os.path.join(exim.dir, "md", "Maildir", "new")
    with open(os.path.join(new, os.listdir(new)[0]), "rb") as f:
        mail = email.message_from_binary_file(f, policy=email.policy.default)
    equal(mail.get_content(), ".dot\n..\n\u00e4 in 8bit\n", "body")
    equal(str(mail["to"]), "D\u00e9v <dev@example.org>", "To")
    equal(sorted(a.addr_spec for a in mail["cc"].addresses),
          ["kim@example.org", "list@lists.example.org"], "Cc")
    check(all(x["state"] == "sent" for x in row["deliveries"]),
          row["deliveries"])


def an_unknown_certificate_is_not_trusted():
    needs_exim()
    with_mail(smtp(exim.tls, ""))
    number, ident = d.put()
    d.start()
    row = wait_until("a first try", lambda: (d.row(number)["tries"] > 0 and
                                             d.row(number)), 20)
    row = d.wait_row(number, ("approved",))
    check("certificate" in row["state_why"], row["state_why"])
    equal(exim.settled(ident), {}, "copies")
    status, _, err = d.mmci("outbox", "reject", str(number), "--why", "test")
    equal(status, 0, err)


def a_wrong_password_loses_nothing():
    needs_exim()
    with_mail(smtp(exim.tls, "\tsmtp_user = bot\n"
                   f'\tsmtp_password_file = "{d.conf}"\n'
                   f'\tsmtp_ca_file = "{exim.dir}/cert.pem"'))
    number, ident = d.put()
    d.start()
    wait_until("a first try", lambda: d.row(number)["tries"] > 0, 20)
    row = d.wait_row(number, ("approved",))
    check("next try" in row["state_why"], row["state_why"])
    equal(exim.settled(ident), {}, "copies")
    d.mmci("outbox", "reject", str(number))


def five_hundred_is_the_end_and_says_why():
    needs_exim()
    with_mail(smtp(exim.plain))
    number, _ = d.put(to="nouser", lists=False)
    d.start()
    row = d.wait_row(number, ("rejected",))
    check("550 5.1.1 no such user" in row["state_why"], row["state_why"])
    equal(row["tries"], 1, "tries")


def four_hundred_is_tried_again():
    needs_exim()
    with_mail(smtp(exim.plain))
    number, _ = d.put(to="greylist", lists=False)
    d.start()
    row = wait_until("three tries", lambda: (d.row(number)["tries"] >= 3 and
                                             d.row(number)), 30)
    check("451 4.7.1 greylisted" in row["state_why"] or
          row["state"] == "sending", row["state_why"])
    d.wait_row(number, ("approved",))
    status, _, err = d.mmci("outbox", "reject", str(number))
    equal(status, 0, err)


def one_bad_address_does_not_hold_up_the_others():
    needs_exim()
    with_mail(smtp(exim.plain))
    number, ident = d.put(cc=("nouser", "greylist"))
    d.start()
    wait_until("two tries", lambda: d.row(number)["tries"] >= 2, 30)
    d.wait_row(number, ("approved",))
    row = d.row(number)
    equal({x["email"]: x["state"] for x in row["deliveries"]},
          {"dev@example.org": "sent", "list@lists.example.org": "sent",
           "nouser@example.org": "refused", "greylist@example.org": "pending"},
          "deliveries")
    equal(exim.settled(ident),
          {"dev@example.org": 1, "list@lists.example.org": 1}, "copies")
    d.mmci("outbox", "reject", str(number))


def a_dead_server_blocks_nothing():
    with_mail(smtp(free_port()))
    number, _ = d.put()
    d.start()
    wait_until("a try", lambda: d.row(number)["tries"] > 0, 20)
    row = d.wait_row(number, ("approved",))
    check("next try" in row["state_why"], row["state_why"])
    d.get("/api/v1/series")
    d.mmci("outbox", "reject", str(number))


def a_maildir_has_it_once():
    path = os.path.join(d.dir, "maildir")
    with_mail(f'\ttransport = maildir\n\tmaildir = "{path}"')
    number, _ = d.put()
    d.start()
    d.wait_row(number, ("sent",))
    equal(len(os.listdir(os.path.join(path, "new"))), 1, "files")
    equal(os.listdir(os.path.join(path, "tmp")), [], "left over")


def sendmail_gets_recipients_and_text():
    script, out = os.path.join(d.dir, "sendmail"), os.path.join(d.dir, "out")
    with open(script, "w", encoding="ascii") as f:
        f.write(f'#!/bin/sh\necho "$@" > {out}\ncat >> {out}\n'
                f'test -e {d.dir}/busy || exit 0\nrm {d.dir}/busy; exit 75\n')
    os.chmod(script, 0o755)
    with open(os.path.join(d.dir, "busy"), "w", encoding="ascii"):
        pass
    with_mail(f'\ttransport = sendmail\n\tsendmail = {{"{script}", "-i"}}')
    number, ident = d.put()
    d.start()
    row = d.wait_row(number, ("sent",))
    equal(row["tries"], 2, "tries")
    with open(out, encoding="utf-8") as f:
        args, text = f.readline(), f.read()
    equal(args, "-i -f mmci@example.org -- dev@example.org "
                "list@lists.example.org\n", "arguments")
    check(f"<{ident}>" in text, text)


def moderation_by_the_command_line():
    path = os.path.join(d.dir, "maildir2")
    with_mail(f'\ttransport = maildir\n\tmaildir = "{path}"',
              "policy m {\n\tsend = moderated\n}\n")
    first, _ = d.put()
    second, _ = d.put()
    d.start()
    row = wait_until("the rule was asked", lambda: (
        d.row(first)["decision"] and d.row(first)), 20)
    equal((row["state"], row["state_why"]), ("held", "waits for approval"),
          "state")
    status, out, err = d.mmci("outbox", "show", str(first))
    equal(status, 0, err)
    check("gets it: dev@example.org" in out and "rule m" in out, out)
    equal(d.request("POST", f"/api/v1/outbox/{first}/approve")[0], 401,
          "without a token")
    status, out, err = d.mmci("outbox", "approve", str(first))
    equal(status, 0, err)
    row = d.wait_row(first, ("sent",))
    equal(row["approved_by"], "admin", "approved by")
    status, _, err = d.mmci("outbox", "approve", str(first))
    equal(status, 1, "a second approval")
    status, _, err = d.mmci("outbox", "reject", str(second), "--why", "no")
    equal(status, 0, err)
    equal(d.row(second)["state_why"], "rejected by admin: no", "why")
    equal(len(os.listdir(os.path.join(path, "new"))), 1, "mails that left")
    for number in (first, second):
        status, page = d.request("GET", f"/outbox/{number}")
        equal(status, 200, "page")
        check("dev@example.org" in page, page)


def nothing_was_reported_by_the_sanitizers():
    equal(d.stop(), 0, "exit status")
    equal(d.sanitizer_reports(), [], "sanitizer reports")


if __name__ == "__main__":
    run_cases([starts, starttls_and_password,
               an_unknown_certificate_is_not_trusted,
               a_wrong_password_loses_nothing,
               five_hundred_is_the_end_and_says_why,
               four_hundred_is_tried_again,
               one_bad_address_does_not_hold_up_the_others,
               a_dead_server_blocks_nothing, a_maildir_has_it_once,
               sendmail_gets_recipients_and_text,
               moderation_by_the_command_line,
               nothing_was_reported_by_the_sanitizers], cleanup)
