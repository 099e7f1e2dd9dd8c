# SPDX-License-Identifier: GPL-2.0-or-later
"""measure-mail.py COUNT MBOX...: what Python's email package makes of the same
mails, to compare with measure-mail: the fields and the text, or parsing alone."""
import email
import email.policy
import re
import sys
import time


def load(paths):
    mails = []
    for path in paths:
        with open(path, "rb") as f:
            data = f.read()
        if not data.startswith(b"From "):
            mails.append(data)
            continue
        parts = re.split(rb"(?:^|\n)From [^\n]*\n", data)
        mails += [p for p in parts if p.strip()]
    return mails


def fields(data):
    m = email.message_from_bytes(data, policy=email.policy.default)
    try:
        for name in "subject", "from", "to", "cc", "date", "message-id", "references":
            str(m[name])
        body = m.get_body(preferencelist=("plain",))
        if body:
            body.get_content()
    except Exception:  # what it cannot read counts as read
        pass


def measure(what, call, mails, count):
    start = time.process_time()
    for i in range(count):
        call(mails[i % len(mails)])
    s = time.process_time() - start
    print(f"{what}: {count} mails, {s:.2f} s, {count / s:.0f} mails/s")


def main():
    count, mails = int(sys.argv[1]), load(sys.argv[2:])
    measure("fields and text", fields, mails, count)
    measure("parsing alone", email.message_from_bytes, mails, count)


main()
