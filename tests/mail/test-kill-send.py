# SPDX-License-Identifier: GPL-2.0-or-later
"""kill -9 at every point of the conversation with a mail server.

Nothing is lost: each mail arrives, or waits in the outbox saying that nobody
knows. Nothing comes twice, unless a person lets it.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from post import Exim, Outbox, Wire, check, equal, run_cases, wait_until  # noqa: E402

# more than both ends of a connection keep (tcp_wmem, SO_RCVBUF)
BIG = "a line of the mail that is as long as a line may well be\n" * 130000
POINTS = ("connect", "answer EHLO", "ask MAIL", "answer RCPT", "ask DATA",
          "told DATA", "body", "ask DOT", "answer DOT", "told DOT", "ask QUIT")
# The server was given the whole mail and we did not hear its answer, or may
# not have written it down. A short mail is on its way as soon as the server
# has asked for it.
UNCERTAIN = ("told DATA", "ask DOT", "answer DOT", "told DOT", "ask QUIT")
exim = d = wire = None


def cleanup():
    if d:
        d.clear()
    if exim:
        exim.stop()


def starts():
    global exim, d, wire
    exim = Exim()
    wire = Wire(exim.plain)
    d = Outbox()
    d.set_mail("\ttransport = smtp\n\tsmtp_tls = none\n"
               f'\tsmtp_url = "smtp://127.0.0.1:{wire.port}"')
    d.start()
    d.stop()


def killed_at(point):
    d.stop()
    number, ident = d.put(body=BIG if point == "body" else "text\n")
    process = []

    def cut():
        process[0].kill()
        process[0].wait()
        process.append(True)
    wire.arm(point, cut)
    d.start(wait=False)
    process.append(d.process)
    wait_until(f"killed at {point}", lambda: len(process) > 1, 20)
    d.process = None
    d.start()
    row = d.wait_row(number, ("sent", "held"))
    got = exim.settled(ident)
    twice = [k for k, n in got.items() if n > 1]
    check(not twice, f"{twice} got it twice")
    if row["state"] == "held":
        check(point in UNCERTAIN, f"in doubt without need: {row['state_why']}")
        check("may have arrived" in row["state_why"], row["state_why"])
        # the person in charge looks whether it came, and decides
        verb = "reject" if got else "approve"
        status, out, err = d.mmci("outbox", verb, str(number))
        equal(status, 0, f"outbox {verb}: {out}{err}")
        if not got:
            row = d.wait_row(number, ("sent",))
            got = exim.settled(ident)
    equal(got, {"dev@example.org": 1, "list@lists.example.org": 1},
          f"copies after a kill at {point}")
    equal(d.stop(), 0, "exit status")
    equal(d.sanitizer_reports(), [], "sanitizer reports")


def case(point):
    def run():
        if not d:
            raise AssertionError("no mail server")
        killed_at(point)
    run.__name__ = "kill_at_" + point.replace(" ", "_").lower()
    return run


def approved_and_killed_before_anything():
    number, ident = d.put()
    d.start(wait=False)
    wait_until("mmcid answers", d.answers, 60, 0.01)
    d.kill()
    d.start()
    d.wait_row(number, ("sent",))
    equal(exim.settled(ident),
          {"dev@example.org": 1, "list@lists.example.org": 1}, "copies")


if __name__ == "__main__":
    try:
        starts()
    except Exception as why:  # Skip: named, and counted as one
        cleanup()
        print(f"1..0 # SKIP {why}")
        sys.exit(0)
    run_cases([case(p) for p in POINTS] +
              [approved_and_killed_before_anything], cleanup)
