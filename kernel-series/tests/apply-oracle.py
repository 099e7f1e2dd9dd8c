#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare kernel-series/apply.h with git am -3 over many series.

    apply-oracle.py HELPER [--count N] [--seed N] [--only KIND] [--keep DIR]

A series is made from real kernel files below MMCI_KERNEL_TREES (a directory
with linux-VERSION directories), or from invented ones where that is not set.
It is posted as mails, some of them damaged, and applied to a tree that has
moved on. git am -3 in a work tree and the helper must give the same trees,
authors, author dates and messages after every patch, or refuse at the same
patch. Prints TAP.
"""
import argparse
import base64
import json
import os
import quopri
import random
import re
import shutil
import subprocess
import sys
import tempfile

ENV = {
    "PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "A U Thor", "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0100",
    "GIT_COMMITTER_NAME": "C O Mitter", "GIT_COMMITTER_EMAIL": "c@example.org",
    "GIT_COMMITTER_DATE": "1700000000 +0000", "TZ": "UTC",
}
BIN = bytes(range(256)) * 8


class Bench:
    """A work tree and what is done in it."""

    def __init__(self, top, files):
        self.top = top
        self.work = os.path.join(top, "work")
        os.makedirs(self.work)
        self.git("init", "-q", "--initial-branch=none", ".")
        for k, v in (("gc.auto", "0"), ("core.fsync", "none"),
                     ("advice.detachedHead", "false"),
                     ("core.hooksPath", "/dev/null")):
            self.git("config", k, v)
        for name, data in files.items():
            self.write(name, data)
        self.base = self.commit("base")
        self.names = sorted(n for n in files if n.endswith((".c", ".h")))

    def git(self, *args, ok=True, data=None):
        r = subprocess.run(["git", *args], cwd=self.work, env=ENV, input=data,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           check=False)
        if ok and r.returncode:
            raise RuntimeError("git %s: %s" % (" ".join(args),
                                               r.stderr.decode(errors="replace")))
        return r

    def path(self, name):
        return os.path.join(self.work, name)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def write(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as f:
            f.write(data)

    def reset(self, commit):
        self.git("reset", "-q", "--hard", commit)
        self.git("clean", "-q", "-fdx")

    def commit(self, msg):
        self.git("add", "-A", "-f", ".")
        self.git("commit", "-q", "--allow-empty", "-m", msg)
        return self.git("rev-parse", "HEAD").stdout.decode().strip()

    def mails(self, out, base, *opts):
        shutil.rmtree(out, ignore_errors=True)
        self.git("format-patch", "-q", "-o", out, *opts, base)
        return [os.path.join(out, n) for n in sorted(os.listdir(out))]

    def said(self, commit):
        """Author with date and time zone, encoding and message of a commit."""
        d = self.git("cat-file", "commit", commit).stdout
        head, message = d.split(b"\n\n", 1)
        return [l for l in head.split(b"\n")
                if l.startswith((b"author ", b"encoding "))] + [message]

    def oracle(self, target, mails):
        """(Tree, what the commit says) after each patch; None where git am
        refuses, then stop."""
        self.reset(target)
        head = target
        trees = []
        for m in mails:
            r = self.git("am", "-3", "-q", "--no-gpg-sign", m, ok=False)
            if r.returncode:
                self.git("am", "--abort", ok=False)
                shutil.rmtree(self.path(".git/rebase-apply"),
                              ignore_errors=True)
                return trees + [None]
            now, tree = self.git("rev-parse", "HEAD",
                                 "HEAD^{tree}").stdout.decode().split()
            trees.append(("same" if now == head else tree, self.said(now)))
            head = now
        return trees


# ------------------------------------------------------------------ edits

def lines_of(data):
    return data.splitlines(keepends=True)


def edit(rng, data, n=1, span=(0.0, 1.0)):
    """Change, add or remove a few lines at n places of a file."""
    lines = lines_of(data)
    for _ in range(n):
        if not lines:
            lines = [b"int made_up;\n"]
        lo = int(span[0] * (len(lines) - 1))
        hi = max(lo, int(span[1] * (len(lines) - 1)))
        at = rng.randint(lo, hi)
        what = rng.random()
        new = [b"\tadded_%d(%d);\n" % (rng.randint(0, 999), rng.randint(0, 9))
               for _ in range(rng.randint(1, 4))]
        if what < 0.4:
            lines[at:at] = new
        elif what < 0.7:
            lines[at:at + rng.randint(1, 3)] = new
        elif what < 0.85:
            del lines[at:at + rng.randint(1, 3)]
        else:
            lines[at] = lines[at].rstrip(b"\n") + b" /* x%d */\n" % (
                rng.randint(0, 99))
    return b"".join(lines)


class Case:
    """One series: how it is made and what the target has become."""

    def __init__(self, bench, rng, kind):
        self.b, self.rng, self.kind = bench, rng, kind
        self.opts = []
        self.mangle = None

    def pick(self):
        return self.rng.choice(self.b.names)

    def pick_big(self, least=60):
        for _ in range(200):
            n = self.pick()
            if len(lines_of(self.b.read(n))) >= least:
                return n
        return n

    def change(self, name, **kw):
        self.b.write(name, edit(self.rng, self.b.read(name), **kw))


def series_of_edits(c, n=None, files=None, **kw):
    n = n or c.rng.randint(1, 4)
    files = files or [c.pick_big() for _ in range(c.rng.randint(1, 3))]
    for i in range(n):
        for f in set(c.rng.choice(files) for _ in range(2)):
            c.change(f, n=c.rng.randint(1, 3), **kw)
        c.b.commit("change %d" % i)
    return files


def exact(c):
    series_of_edits(c)
    return c.b.base


def target(c, fn):
    """Leave the series, make the target from the base by fn."""
    series = c.b.git("rev-parse", "HEAD").stdout.decode().strip()
    c.b.reset(c.b.base)
    fn()
    t = c.b.commit("target")
    c.b.reset(series)
    return t


def shifted(c):
    files = series_of_edits(c, span=(0.5, 1.0))

    def move():
        for f in set(files):
            d = c.b.read(f)
            k = c.rng.randint(-10, 30)
            if k < 0:
                d = b"".join(lines_of(d)[-k:])
            else:
                d = b"".join(b"/* line %d */\n" % i for i in range(k)) + d
            c.b.write(f, d)
    return target(c, move)


def merged(c, n=4):
    files = series_of_edits(c)
    return target(c, lambda: [c.change(f, n=c.rng.randint(1, n))
                              for f in set(files)])


def merged_much(c):
    return merged(c, n=25)


def near(c):
    """Both sides change lines close to one another."""
    f = c.pick_big()
    at = c.rng.random() * 0.8
    for i in range(2):
        c.change(f, n=2, span=(at, at + 0.04))
        c.b.commit("near %d" % i)
    return target(c, lambda: c.change(f, n=2, span=(at, at + 0.06)))


def repeated(c):
    """Code that looks the same in many places."""
    block = b"".join(b"\tif (a%d)\n\t\treturn b;\n\tc();\n\n" % (i % 2)
                     for i in range(40))
    c.b.write("mm/repeat.c", block)
    start = c.b.commit("repeat")
    c.b.write("mm/repeat.c", edit(c.rng, block, n=2))
    c.b.commit("edit")
    series = c.b.git("rev-parse", "HEAD").stdout.decode().strip()
    c.b.reset(start)
    d = lines_of(block)
    k = c.rng.randint(1, 12)
    d = d[k:] if c.rng.random() < 0.5 else [b"first\n"] * k + d
    c.b.write("mm/repeat.c", b"".join(d))
    t = c.b.commit("target")
    c.b.reset(series)
    c.start = start
    # without the blobs no merge can help: the place alone decides
    if c.rng.random() < 0.6:
        c.mangle = drop_index
    return t


def renamed(c):
    f = c.pick_big()
    new = os.path.dirname(f) + "/moved-%d.c" % c.rng.randint(0, 99)
    c.b.git("mv", f, new)
    if c.rng.random() < 0.6:
        c.change(new, n=2)
    c.b.commit("rename")
    c.change(new)
    c.b.commit("and edit")
    if c.rng.random() < 0.5:
        return c.b.base
    return target(c, lambda: c.change(f, n=2))


def target_renamed(c):
    f = c.pick_big()
    c.change(f, n=2)
    c.b.commit("edit")
    return target(c, lambda: c.b.git(
        "mv", f, os.path.dirname(f) + "/elsewhere.c"))


def copied(c):
    f = c.pick_big()
    d = c.b.read(f)
    c.b.write(os.path.dirname(f) + "/copy.c", edit(c.rng, d))
    c.change(f)
    c.b.commit("copy")
    c.opts = ["-C", "--find-copies-harder"]
    return c.b.base if c.rng.random() < 0.6 else target(
        c, lambda: c.change(f))


def modes(c):
    f = c.pick()
    os.chmod(c.b.path(f), 0o755)
    if c.rng.random() < 0.5:
        c.change(f)
    c.b.commit("mode")
    what = c.rng.random()
    if what < 0.4:
        return c.b.base
    if what < 0.7:
        return target(c, lambda: c.change(f))
    return target(c, lambda: os.chmod(c.b.path(f), 0o755))


def created(c):
    data = b"" if c.rng.random() < 0.3 else c.b.read(c.pick())[:2000]
    f = c.rng.choice(["mm/new.c", "new-dir/deep/new.c", "top.c"])
    c.b.write(f, data)
    if c.rng.random() < 0.3:
        os.chmod(c.b.path(f), 0o755)
    if c.rng.random() < 0.3:
        c.change(c.pick())
    c.b.commit("new")
    what = c.rng.random()
    if what < 0.5:
        return c.b.base
    if what < 0.75:
        return target(c, lambda: c.b.write(f, data))
    return target(c, lambda: c.b.write(f, b"another\n" + data))


def deleted(c):
    f = c.pick_big()
    os.unlink(c.b.path(f))
    if c.rng.random() < 0.4:
        c.b.write("mm/instead.c", c.b.read(c.pick())[:500])
    c.b.commit("delete")
    what = c.rng.random()
    if what < 0.5:
        return c.b.base
    if what < 0.8:
        return target(c, lambda: c.change(f))
    return target(c, lambda: os.unlink(c.b.path(f)))


def emptied(c):
    f = c.pick()
    c.b.write(f, b"")
    c.b.commit("empty it")
    c.b.write(f, b"one line\n")
    c.b.commit("fill it")
    return c.b.base


def there(c):
    files = series_of_edits(c, n=3)
    head = c.b.git("rev-parse", "HEAD").stdout.decode().strip()
    n = c.rng.randint(0, 2)
    t = c.b.git("rev-parse", "%s~%d" % (head, n)).stdout.decode().strip()
    if c.rng.random() < 0.5:
        c.b.reset(t)
        for f in set(files):
            c.change(f)
        t = c.b.commit("target")
        c.b.reset(head)
    return t


def no_newline(c):
    f = c.pick_big()
    d = c.b.read(f).rstrip(b"\n")
    what = c.rng.random()
    if what < 0.3:
        c.b.write(f, d)
        c.b.commit("cut")
        c.b.write(f, d + b"\n")
        c.b.commit("back")
    elif what < 0.6:
        c.b.write(f, d + b"\nlast line")
        c.b.commit("cut")
        c.b.write(f, d + b"\nlast line changed")
        c.b.commit("again")
    else:
        c.b.write("mm/bare.c", b"one\ntwo\nthree")
        c.b.commit("new")
        c.b.write("mm/bare.c", b"zero\none\ntwo\nthree\nfour")
        c.b.commit("more")
    if c.rng.random() < 0.6:
        return c.b.base
    return target(c, lambda: c.b.write(
        f, b"/* first */\n" + c.b.read(f) + c.rng.choice([b"", b"tail\n"])))


def crlf(c):
    c.b.write("mm/dos.c", b"".join(
        l.rstrip(b"\n") + b"\r\n" for l in lines_of(c.b.read(c.pick_big()))))
    start = c.b.commit("dos file")
    c.start = start
    c.b.write("mm/dos.c", edit(c.rng, c.b.read("mm/dos.c")))
    c.b.commit("edit")
    return start


def binary(c):
    c.b.write("mm/blob.bin", BIN)
    c.b.commit("binary")
    c.b.write("mm/blob.bin", BIN + b"\0more")
    c.change(c.pick())
    c.b.commit("change it")
    if c.rng.random() < 0.3:
        c.opts = ["--no-binary"]
    return c.b.base


def nul_in_text(c):
    f = c.pick_big()
    c.b.write(f, c.b.read(f) + b"\0\n")
    c.start = c.b.commit("nul")
    c.change(f, span=(0, 0.5))
    c.b.commit("edit")
    c.opts = ["--text"]
    return c.start


def symlink(c):
    os.symlink("mmap.c", c.b.path("mm/link.c"))
    c.start = c.b.commit("link")
    what = c.rng.random()
    if what < 0.5:
        os.unlink(c.b.path("mm/link.c"))
        os.symlink("slab.c", c.b.path("mm/link.c"))
    else:
        os.unlink(c.b.path("mm/link.c"))
        c.b.write("mm/link.c", b"now a file\n")
    c.b.commit("change it")
    return c.start


def twice(c):
    """Two diffs of one file in one mail, as careless scripts make them."""
    f = c.pick_big()
    c.change(f, span=(0, 0.3))
    c.b.commit("one")
    c.change(f, span=(0.6, 1))
    c.b.commit("two")
    c.mangle = glue_mails
    return c.b.base


def swapped(c):
    a, b = c.pick_big(), c.pick_big()
    da, db = c.b.read(a), c.b.read(b)
    c.b.write(a, db)
    c.b.write(b, da)
    c.b.commit("swap")
    c.opts = ["-B", "-M"]
    return c.b.base


def file_to_dir(c):
    f = c.pick()
    os.unlink(c.b.path(f))
    c.b.write(f + "/inside.c", b"int x;\n")
    c.b.commit("a directory now")
    return c.b.base


# ----------------------------------------------------------- damaged mails

def each(fn):
    def run(c, mails):
        for m in mails:
            with open(m, "rb") as f:
                d = f.read()
            with open(m, "wb") as f:
                f.write(fn(c, d))
        return mails
    return run


def glue_mails(c, mails):
    with open(mails[0], "rb") as f:
        first = f.read()
    with open(mails[1], "rb") as f:
        second = f.read()
    with open(mails[0], "wb") as f:
        f.write(first.rsplit(b"\n-- \n", 1)[0] + b"\n" +
                second[second.index(b"diff --git"):])
    return mails[:1]


@each
def drop_index(c, d):
    return re.sub(rb"(?m)^index [0-9a-f]+\.\.[0-9a-f]+.*\n", b"", d)


@each
def wrong_index(c, d):
    return re.sub(rb"(?m)^index [0-9a-f]{7}", b"index 1234567", d)


@each
def tabs(c, d):
    head, body = d.split(b"\n\n", 1)
    return head + b"\n\n" + body.replace(b"\t", b"        ")


@each
def trim(c, d):
    return re.sub(rb"(?m)[ \t]+$", b"", d)


@each
def no_git_header(c, d):
    d = re.sub(rb"(?m)^diff --git .*\n", b"", d)
    return re.sub(rb"(?m)^index .*\n", b"", d)


@each
def bad_counts(c, d):
    return re.sub(rb"(?m)^@@ -(\d+),(\d+)",
                  lambda m: b"@@ -%s,%d" % (m[1], int(m[2]) + 1), d, count=1)


@each
def truncated(c, d):
    body = d.index(b"diff --git") if b"diff --git" in d else 0
    return d[:c.rng.randint(body, len(d))]


@each
def wrong_lines(c, d):
    k = c.rng.randint(-40, 40)
    return re.sub(rb"(?m)^@@ -(\d+)(,\d+)? \+(\d+)", lambda m: b"@@ -%d%s +%d"
                  % (max(1, int(m[1]) + k), m[2] or b"",
                     max(1, int(m[3]) + k)), d)


@each
def dos_mail(c, d):
    return d.replace(b"\n", b"\r\n")


def encoded(how):
    @each
    def fn(c, d):
        head, body = d.split(b"\n\n", 1)
        head = re.sub(rb"(?mi)^(content-|mime-).*(\n[ \t].*)*\n?", b"", head)
        enc = (base64.encodebytes(body) if how == b"base64"
               else quopri.encodestring(body))
        return (head.rstrip(b"\n") + b"\nMIME-Version: 1.0\n"
                b"Content-Type: text/plain; charset=utf-8\n"
                b"Content-Transfer-Encoding: " + how + b"\n\n" + enc)
    return fn


@each
def context_damage(c, d):
    """Another context line than the tree has."""
    at = [m.start() for m in re.finditer(rb"(?m)^ \S.*$", d)]
    at = [a for a in at if a > d.find(b"\n@@ ")]
    if not at:
        return d
    a = c.rng.choice(at)
    return d[:a + 1] + b"Z" + d[a + 1:]


@each
def added_text(c, d):
    return d.replace(b"\ndiff --git", b"\n--- a short note\n\ndiff --git", 1)


def hostile(name):
    @each
    def fn(c, d):
        return (d[:d.index(b"diff --git")] +
                b"diff --git a/%s b/%s\nnew file mode 100644\n"
                b"index 0000000..ce01362\n--- /dev/null\n+++ b/%s\n"
                b"@@ -0,0 +1 @@\n+hello\n-- \n2.39\n" % (name, name, name))
    return fn


SUBJECTS = [
    b"[PATCH] mm: plain", b"Re: [PATCH v2 1/2] mm: answer", b"RE: re:mm: twice",
    b"[RFC PATCH -next v3 02/10] [tag] mm: two tags", b"mm: [not] a tag",
    b"[PATCH]mm: no blank", b"  [PATCH]   many   blanks  ", b"[PATCH mm: open",
    b"mm: tab\there", b":: colons", b"[PATCH] [RESEND] [mm] tags: [x] y",
    b"=?UTF-8?q?=5BPATCH=5D=20mm=3A=20caf=C3=A9?=",
    b"=?utf-8?Q?mm:_one?= =?utf-8?Q?_two?= three", b"=?utf-8?B?bW06IMOpdMOp?=",
    b"mm: a =?UTF-8?q?=C3=A4?= b", b"=?iso-8859-1?q?mm=3A_=E4?=",
    b"mm: =?utf-8?q?broken", b"mm: what =? is ?= this", b"mm: caf\xc3\xa9 raw",
    b"mm: bad \xe9 byte", b"[PATCH] mm: a subject that is folded\n over lines",
    b"mm: folded\n\t=?utf-8?q?=C3=A4?=\n =?utf-8?q?=C3=B6?=", b"[]", b"", b"[x]",
    b"Re: ", b"mm: =?utf-8?q?line=0Abreak?=", b"mm: =?utf-8?q?nul=00byte?=",
    b"mm: =?utf-8?q?a=?=", b"mm: =?utf-8?q?a=zz?=", b"=?utf-8?q??= mm: empty",
    b"mm: trailing =?utf-8?q?x_?=", b"mm: non =?utf-8?q?=EF=BF=BE?= character",
]
FROMS = [
    b"A Name <a@example.org>", b"a@example.org", b"<a@example.org>",
    b"a@example.org (A Name)", b'"Name, A" <a@example.org>',
    b'"A \\"Q\\" Name" <a@example.org>', b"A (comment) Name <a@example.org>",
    b"=?UTF-8?q?J=C3=BCrgen=20Name?= <j@example.org>",
    b"=?utf-8?B?SsO8cmdlbg==?= <j@example.org>", b"J\xc3\xbcrgen <j@example.org>",
    b"=?iso-8859-1?q?J=FCrgen?= <j@example.org>", b"J\xfcrgen <j@example.org>",
    b"Jo <j@example.org>", b"Jay <j@example.org>", b"A  B\tC <a@example.org>",
    b"A.U. Name Jr. <a@example.org>", b"'A Name' <a@example.org>",
    b"A Name<a@example.org>", b"A Name <a@example.org> (work)",
    b"A @ B <a@example.org>", b"Name via List <list@example.org>",
    b"A" * 60 + b" <a@example.org>", b"B" * 61 + b" <a@example.org>",
    b"=?utf-8?q?=22Name=2C_A=22?= <a@example.org>", b'"" <a@example.org>',
    b'" A Name " <a@example.org>', b"A Name < a@example.org >",
    b"A Name <a+b@example.org>, B Name <b@example.org>", b"A; Name <a@example.org>",
    b"A\n Name <a@example.org>", b"O'Name, A <o'name@example.org>",
    b"-A- Name- <a@example.org>", b"A Name: <a@example.org>",
]
DATES = [
    b"Mon, 1 Jan 2024 10:20:30 +0100", b"1 Jan 2024 10:20:30 -0730",
    b"Mon, 01 Jan 2024 10:20:30 +0000 (UTC)", b"Mon, 1 Jan 2024 10:20:30 GMT",
    b"Mon, 1 Jan 2024\n 10:20:30 +0530", b"Mon,  1 Jan 2024 10:20:30  -0000",
    b"Mon, 1 Jan 2024 10:20 +0200", b"Thu, 29 Feb 2024 23:59:59 +1300",
]
ABOVE = [
    b"", b"", b"From: B Body <b@example.org>\n\n", b"\n\nFrom: b@example.org\n\n",
    b"From: B Body <b@example.org>\n", b"From: B Body\n <b@example.org>\n\n",
    b"From: B Body <b@example.org>\nSubject: [PATCH 1/1] mm: other title\n\n",
    b"From: B Body <b@example.org>\nDate: Tue, 2 Jan 2024 01:02:03 +0300\n\n",
    b"Subject: mm: only this\nFrom: =?utf-8?q?B=C3=B6dy?= <b@example.org>\n\n",
    b"From: B Body <b@example.org>\nFrom: C Body <c@example.org>\n\n",
    b">From: quoted <b@example.org>\n\n", b"[PATCH] mm: old form\n\n",
    b"From: nobody in particular\n\n", b"Date: 3 Jan 2024 04:05 +0000\n\ntext\n",
    b">From 1234 Mon Sep 17\n\n", b"   \nFrom: B Body <b@example.org>\n\n",
    b"from: B Small <b@example.org>\n\n", b"Subject: re:\n\n",
    b"Cc: someone <s@example.org>\n\n", b"Subject:\n\n", b"\n\n\n",
]
TEXTS = [
    b"A text.\n", b"\n\nBlank lines\n\n\n\nbetween and after\n\n\n",
    b"trailing blanks  \t\nhere \t \n", b"form feed \f\nand \v\n", b"",
    b"caf\xc3\xa9 \xe2\x82\xac\n", b"latin \xe9\xff one\n", b"bad \xc3( end\n",
    b"non \xef\xbf\xbe and \xed\xa0\x80\n", b"-- \nsignature inside\n",
    b"text\n-- 8< --\nscissors\n", b">From the quoted\n", b"---- not an end\n",
    b"--- a/is the end\n", b"---\t\nend\n", b"--- \nend\n", b"diff -u here\n",
    b"diffs are fine\n", b"Index: mm/x.c\n", b"Index of things: x\n",
    b"  indented\n\ttext\n", b"tab\there\rand return\n", b"--\n---x\n",
    b"[PATCH] in the text\n", b"Subject: in the text\n", b"\xef\xbb\xbfmark\n",
]
TYPES = [
    None, None, b"text/plain", b"text/plain; charset=UTF-8",
    b'text/plain; charset="utf-8"', b"Text/Plain; charset=us-ascii",
    b"text/plain; charset=iso-8859-1", b"text/plain;\n charset=utf8",
    b"text/plain; charset=utf-8; format=flowed", b"text/x-patch; charset=utf-8",
    b'text/plain; charset="utf-8"; name="x.patch"', b"text/plain; charset=koi8-r",
]


def odd(*what):
    """The same patch below another head and message."""
    @each
    def fn(c, d):
        r = c.rng

        def one(name, choices, usual):
            return r.choice(choices) if name in what else usual
        patch = d[d.index(b"\n---\n") + 1:]
        kind = one("type", TYPES, None)
        body = (one("above", ABOVE, b"") + one("text", TEXTS, b"A text.\n") +
                b"\nSigned-off-by: A Name <a@example.org>\n" + patch)
        out = b"From " + b"0" * 40 + b" Mon Sep 17 00:00:00 2001\n"
        head = [b"From: " + one("from", FROMS, FROMS[0]),
                b"Subject: " + one("subject", SUBJECTS, SUBJECTS[0]),
                b"Date: " + one("date", DATES, DATES[0])]
        if kind:
            head += [b"MIME-Version: 1.0", b"Content-Type: " + kind]
        if "type" in what and r.random() < 0.5:
            head.append(b"Content-Transfer-Encoding: " +
                        r.choice([b"7bit", b"8bit", b"8BIT", b"binary"]))
        if "head" in what:
            r.shuffle(head)
            more = [b"subject: [PATCH] second", b"X-Odd: \xff", b"Received: a\n\tb",
                    b"Not a header", b"FROM: C Name <c@example.org>", b"To: ",
                    b"Message-ID: <1@example.org>", b"X: y\n \n z", b"Date : x"]
            head.insert(r.randrange(len(head) + 1), r.choice(more))
        out += b"\n".join(head) + b"\n\n" + body
        if "end" in what:
            out = r.choice([out.rstrip(b"\n"), out + b"\n\n",
                            out.replace(b"\n", b"\r\n")])
        return out
    return fn


def damaged(mangle, make=exact):
    def fn(c):
        t = make(c)
        c.mangle = mangle
        return t
    return fn


def options(*opts, make=exact):
    def fn(c):
        t = make(c)
        c.opts = list(opts)
        return t
    return fn


KINDS = {
    # kind: (how it is made, how many)
    "exact": (exact, 25), "shifted": (shifted, 25), "merged": (merged, 40),
    "merged-much": (merged_much, 25), "near": (near, 30),
    "repeated": (repeated, 30), "renamed": (renamed, 14),
    "target-renamed": (target_renamed, 6), "copied": (copied, 8),
    "modes": (modes, 12), "created": (created, 16), "deleted": (deleted, 14),
    "emptied": (emptied, 3), "there": (there, 16),
    "no-newline": (no_newline, 22), "crlf": (crlf, 5), "binary": (binary, 4),
    "nul": (nul_in_text, 4), "symlink": (symlink, 4), "twice": (twice, 4),
    "swapped": (swapped, 3), "file-to-dir": (file_to_dir, 2),
    "u0": (options("-U0"), 6), "u1": (options("-U1", make=shifted), 6),
    "u8": (options("-U8", make=merged), 6),
    "abbrev": (options("--abbrev=5", make=merged), 6),
    "full-index": (options("--full-index", make=merged), 4),
    "no-prefix": (options("--no-prefix"), 4),
    "prefix": (options("--src-prefix=x/", "--dst-prefix=y/"), 3),
    "attach": (options("--attach"), 3), "inline": (options("--inline"), 3),
    "patience": (options("--patience", make=merged), 4),
    "drop-index": (damaged(drop_index, make=shifted), 8),
    "drop-index-merged": (damaged(drop_index, make=merged), 8),
    "wrong-index": (damaged(wrong_index, make=merged), 6),
    "tabs": (damaged(tabs), 5), "trim": (damaged(trim), 5),
    "plain-diff": (damaged(no_git_header, make=shifted), 6),
    "bad-counts": (damaged(bad_counts), 5),
    "truncated": (damaged(truncated), 14),
    "wrong-lines": (damaged(wrong_lines), 10),
    "dos-mail": (damaged(dos_mail), 4),
    "base64": (damaged(encoded(b"base64")), 4),
    "quoted": (damaged(encoded(b"quoted-printable"), make=shifted), 4),
    "context": (damaged(context_damage), 6),
    "note": (damaged(added_text), 4),
    "dotdot": (damaged(hostile(b"../evil")), 1),
    "dotgit": (damaged(hostile(b".git/hooks/post-commit")), 1),
    "dotgit-case": (damaged(hostile(b"mm/.GIT/config")), 1),
    "absolute": (damaged(hostile(b"/tmp/evil")), 1),
    "through-file": (damaged(hostile(b"mm/mmap.c/evil")), 1),
    "git-tilde": (damaged(hostile(b"git~1/config")), 1),
}


for name, n in (("subject", 60), ("from", 60), ("date", 12), ("above", 40),
                ("text", 50), ("type", 30), ("head", 20), ("end", 6)):
    KINDS["odd-" + name] = (damaged(odd(name)), n)
KINDS["odd-all"] = (damaged(odd("subject", "from", "date", "above", "text",
                                "type", "head", "end")), 40)
KINDS["odd-charset"] = (damaged(odd("type", "text")), 30)


def through_link(c):
    os.symlink("/tmp", c.b.path("mm/out"))
    c.start = c.b.commit("link out")
    c.change(c.pick())
    c.b.commit("edit")
    c.mangle = hostile(b"mm/out/evil")
    return c.start


KINDS["through-link"] = (through_link, 1)


# ----------------------------------------------------------------- running

def kernel_files(top):
    trees = sorted(d for d in os.listdir(top)
                   if os.path.isdir(os.path.join(top, d, "mm")))
    if not trees:
        return None
    root = os.path.join(top, trees[0])
    files = {}
    for d in ("mm", "include/linux", "arch/x86/mm"):
        for base, _, names in os.walk(os.path.join(root, d)):
            for n in names:
                p = os.path.join(base, n)
                if os.path.islink(p):
                    continue
                with open(p, "rb") as f:
                    files[os.path.relpath(p, root)] = f.read()
    return files


def invented_files():
    rng = random.Random(1)
    files = {}
    for i in range(60):
        out = [b"// file %d\n" % i]
        for fn in range(rng.randint(5, 60)):
            out.append(b"\nstatic int fn_%d_%d(struct mm *mm, int a)\n{\n"
                       % (i, fn))
            for _ in range(rng.randint(1, 12)):
                out.append(rng.choice([
                    b"\tif (a > %d)\n\t\treturn %d;\n"
                    % (rng.randint(0, 9), rng.randint(0, 9)),
                    b"\tcall_%d(mm);\n" % rng.randint(0, 30),
                    b"\n", b"\t/* a comment */\n"]))
            out.append(b"\treturn 0;\n}\n")
        files["mm/file%d.c" % i] = b"".join(out)
    files["mm/mmap.c"] = b"int mmap;\n" * 5
    return files


def make_case(bench, rng, kind, out):
    c = Case(bench, rng, kind)
    c.start = bench.base
    bench.reset(bench.base)
    tgt = KINDS[kind][0](c)
    mails = bench.mails(out, c.start, *c.opts)
    if c.mangle:
        mails = c.mangle(c, mails)
    return tgt, mails


def same_words(git, we):
    """A mail without a date: git takes the time of day, we take none."""
    if we[0].endswith(b"> 0 +0000") and int(git[0].split()[-2]) > 1720000000:
        git, we = ([x[0][:x[0].rindex(b">")]] + x[1:] for x in (git, we))
    return git == we


def compare(bench, want, steps):
    """What differs, or None."""
    for i, w in enumerate(want):
        w, said = w or (None, None)
        if i >= len(steps):
            return "patch %d: no answer" % (i + 1)
        s = steps[i]
        refused = s["state"] == "conflict" or s["refused"]
        if w is None:
            return None if refused else "patch %d: git refuses, we say %s" % (
                i + 1, s["state"])
        if refused:
            return "patch %d: git applies, we refuse: %s" % (
                i + 1, s["why"].split("\n")[0])
        if w == "same":
            if s["state"] != "upstream":
                return "patch %d: no change for git, we say %s" % (
                    i + 1, s["state"])
        elif s.get("tree") != w:
            return "patch %d: another tree" % (i + 1)
        elif not same_words(said, bench.said(s["commit"])):
            return "patch %d: git says %r, we %r" % (
                i + 1, said, bench.said(s["commit"]))
    return None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("helper")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--scale", type=float, default=1.0)
    ap.add_argument("--only")
    ap.add_argument("--keep")
    a = ap.parse_args()
    where = os.environ.get("MMCI_KERNEL_TREES")
    files = kernel_files(where) if where else None
    if not files:
        print("# MMCI_KERNEL_TREES names no kernel sources: "
              "invented files instead")
        files = invented_files()
    top = a.keep or tempfile.mkdtemp(prefix="mmci-oracle-")
    shutil.rmtree(top, ignore_errors=True)
    os.makedirs(top)
    bench = Bench(top, files)
    scratch = os.path.join(top, "scratch")
    os.makedirs(scratch)
    # the sanitizer's choices must reach it, a user's git settings must not
    env = dict(ENV, **{k: v for k, v in os.environ.items() if "SAN_" in k})
    helper = subprocess.Popen([a.helper, bench.path(".git"), scratch],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env=env)
    plan = [(k, i) for k, (_, n) in KINDS.items()
            for i in range(max(1, int(n * a.scale)))
            if not a.only or k == a.only]
    print("1..%d" % len(plan))
    bad = fast = asked = refusals = read_by_git = 0
    for nr, (kind, i) in enumerate(plan, 1):
        rng = random.Random("%d %s %d" % (a.seed, kind, i))
        out = os.path.join(top, "mails-%s-%d" % (kind, i))
        tgt, mails = make_case(bench, rng, kind, out)
        want = bench.oracle(tgt, mails)
        helper.stdin.write(json.dumps({"commit": tgt,
                                       "mails": mails}).encode() + b"\n")
        helper.stdin.flush()
        line = helper.stdout.readline()
        ans = json.loads(line) if line else {"error": "the helper died"}
        diff = ans.get("error") or compare(bench, want, ans["steps"])
        for s in ans.get("steps", []):
            asked += s["by_git"]
            read_by_git += s["read_by_git"]
            fast += not s["by_git"] and s["state"] != "not-tried"
        refusals += None in want
        bad += bool(diff)
        print("%sok %d %s-%d%s" % ("not " if diff else "", nr, kind, i,
                                   " # " + diff if diff else ""), flush=True)
        if not diff and not a.keep:
            shutil.rmtree(out, ignore_errors=True)
    helper.stdin.close()
    rc = helper.wait()
    print("# %d series, %d refused by both; patches: %d in memory, %d by "
          "git am; %d mails read by git mailinfo; %d differences" % (
              len(plan), refusals, fast, asked, read_by_git, bad))
    if not a.keep:
        shutil.rmtree(top, ignore_errors=True)
    return 1 if bad or rc else 0


if __name__ == "__main__":
    sys.exit(main())
