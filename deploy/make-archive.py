#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make a public-inbox v2 archive from mbox files, or add mails to one.

usage: make-archive.py DIR NAME ADDRESS MBOX...

DIR gets "home" (configuration for public-inbox-httpd) and NAME, the archive.
Mails that are there already, by Message-ID, are left out, so that a second
run changes nothing. Needs the programs of Debian's package public-inbox.
"""
import os
import re
import subprocess
import sys


def split_mbox(data):
    """Mails of an mboxrd as bytes, without their "From " lines"""
    mails = []
    for part in re.split(rb"(?m)^From [^\n]*\n", data)[1:]:
        mails.append(re.sub(rb"(?m)^>(>*From )", rb"\1", part))
    return mails


def message_id(mail):
    m = re.search(rb"(?im)^message-id:\s*(<[^>\n]*>)",
                  mail.split(b"\n\n", 1)[0])
    return m.group(1).decode("utf-8", "replace") if m else None


class Archive:
    def __init__(self, top, name, address, url="http://127.0.0.1:8080"):
        self.top = os.path.abspath(top)
        self.name = name
        self.dir = os.path.join(self.top, name)
        self.home = os.path.join(self.top, "home")
        self.address = address
        self.url = f"{url}/{name}"

    def env(self):
        env = {k: v for k, v in os.environ.items()
               if k in ("PATH", "LANG", "LC_ALL")}
        env.update(HOME=self.home, PI_DIR=self.home,
                   PI_CONFIG=os.path.join(self.home, "config"),
                   GIT_CONFIG_NOSYSTEM="1")
        return env

    def run(self, *argv, **kw):
        return subprocess.run(argv, env=self.env(), check=True,
                              stdout=subprocess.PIPE, **kw).stdout

    def create(self):
        if os.path.isdir(os.path.join(self.dir, "git", "0.git")):
            return
        os.makedirs(self.home, exist_ok=True)
        self.run("git", "config", "--global", "user.name", "archive")
        self.run("git", "config", "--global", "user.email", self.address)
        self.run("public-inbox-init", "-V2", "-L", "basic", self.name,
                 self.dir, self.url, self.address)

    def git(self, *argv, **kw):
        return self.run("git", "-C", os.path.join(self.dir, "git", "0.git"),
                        *argv, **kw)

    def known(self):
        """Message-IDs in the archive"""
        found = set()
        tip = self.git("for-each-ref", "refs/heads/master")
        if not tip:
            return found
        for c in self.git("rev-list", "refs/heads/master").decode().split():
            try:
                found.add(message_id(self.git("show", c + ":m")))
            except subprocess.CalledProcessError:
                pass  # a deletion
        return found

    def add(self, mails):
        """Append raw mails, one commit each; returns how many were new"""
        known = self.known()
        tip = self.git("for-each-ref", "--format=%(objectname)",
                       "refs/heads/master").decode().strip()
        stream, n = [], 0
        for mail in mails:
            ident = message_id(mail)
            if ident and ident in known:
                continue
            known.add(ident)
            stream.append(b"commit refs/heads/master\n"
                          b"author archive <archive@example.org> now\n"
                          b"committer archive <archive@example.org> now\n"
                          b"data 4\nmail\n")
            if tip and not n:
                stream.append(b"from %s\n" % tip.encode())
            stream.append(b"M 100644 inline m\ndata %d\n" % len(mail))
            stream.append(mail + b"\n")
            n += 1
        if n:
            self.git("fast-import", "--quiet", "--date-format=now",
                     input=b"".join(stream))
            self.run("public-inbox-index", self.dir,
                     stderr=subprocess.DEVNULL)
        return n


def main(args):
    if len(args) < 4:
        sys.exit(__doc__.split("\n\n")[1])
    archive = Archive(*args[:3])
    archive.create()
    mails = []
    for path in args[3:]:
        with open(path, "rb") as f:
            mails += split_mbox(f.read())
    print(f"{archive.add(mails)} new mails in {archive.dir}")


if __name__ == "__main__":
    main(sys.argv[1:])
