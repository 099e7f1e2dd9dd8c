# SPDX-License-Identifier: GPL-2.0-or-later
"""Make a public-inbox v2 archive of invented mails, the same each time.

usage: make-archive.py DIR [--mails N] [--epochs N] [--days N] [--end TIME]

Writes DIR/git/0.git, 1.git, ... through git fast-import, without an index, so
only readers of the git history can use it. The mails are what a kernel list
carries: series with covers and diffs, replies that quote them, and others; some
base64, quoted-printable and encoded words among them.
"""
import argparse
import base64
import email.header
import os
import quopri
import random
import subprocess
from email.utils import formatdate

WORDS = ("page folio fault table range lock batch split huge zone node cache "
         "slab swap memcg reclaim migrate compact mapping anon file dirty "
         "writeback pte pmd pud tlb flush vma mmap mremap mprotect madvise "
         "the a of to in for when with without not only both each under "
         "before after while because instead of it is was should would can "
         "cannot may leads returns takes holds drops avoids fixes adds").split()
FILES = ("mm/memory.c mm/mmap.c mm/mprotect.c mm/hugetlb.c mm/huge_memory.c "
         "mm/vmscan.c mm/page_alloc.c mm/slub.c mm/swap.c mm/rmap.c "
         "include/linux/mm.h fs/proc/task_mmu.c mm/khugepaged.c").split()
PEOPLE = [("Ann Example", "ann"), ("Bo Sample", "bo"),
          ("Jürgen Beispiel", "juergen"), ("Chen Li", "chen"),
          ("Dora Test", "dora"), ("Zoë Ejemplo", "zoe")]


class Maker:
    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.serial = 0
        self.threads = []

    def text(self, paragraphs):
        out = []
        for _ in range(paragraphs):
            for _ in range(self.rnd.randint(2, 6)):
                out.append(" ".join(self.rnd.choices(WORDS, k=11)))
            out.append("")
        return out

    def code(self):
        a, b, c = self.rnd.choices(WORDS, k=3)
        return f"\tif ({a}_{b}({c}, {self.rnd.randint(0, 99)}))"

    def diff(self, files):
        out = []
        for name in self.rnd.sample(FILES, files):
            old, new = (f"{self.rnd.getrandbits(48):012x}" for _ in "ab")
            out += [f"diff --git a/{name} b/{name}", f"index {old}..{new} "
                    "100644", f"--- a/{name}", f"+++ b/{name}"]
            line = self.rnd.randint(1, 3000)
            for _ in range(self.rnd.randint(1, 4)):
                add = self.rnd.randint(1, 12)
                sub = self.rnd.randint(0, 4)
                out.append(f"@@ -{line},{6 + sub} +{line},{6 + add} @@ "
                           f"static int {self.rnd.choice(WORDS)}(void)")
                out += [" " + self.code() for _ in range(3)]
                out += ["-" + self.code() for _ in range(sub)]
                out += ["+" + self.code() for _ in range(add)]
                out += [" " + self.code() for _ in range(3)]
                line += 50
        return out

    def mail(self, when, subject, body, parent=None):
        name, user = self.rnd.choice(PEOPLE)
        self.serial += 1
        mid = f"<{when}.{self.serial}-1-{user}@example.org>"
        head = [
            f"Return-Path: <{user}@example.org>",
            "Received: from mx.example.org (mx.example.org [192.0.2.1])",
            "\tby list.example.org (Postfix) with ESMTPS id "
            f"{self.rnd.getrandbits(40):010X}",
            f"\tfor <linux-mm@example.org>; {formatdate(when)}",
            f"From: {email.header.Header(name).encode()} <{user}@example.org>",
            "To: akpm@example.org",
            "Cc: linux-mm@example.org, linux-kernel@example.org,\n "
            + ",\n ".join(f"{u}@example.org" for _, u in PEOPLE),
            f"Subject: {subject}",
            f"Date: {formatdate(when)}",
            f"Message-ID: {mid}",
        ]
        if parent:
            head += [f"In-Reply-To: {parent[0]}", "References: "
                     + "\n ".join(parent[1][-8:] + [parent[0]])]
        head += ["List-Id: <linux-mm.example.org>", "X-Mailer: example 1.0"]
        data = "\n".join(body).encode() + b"\n"
        kind = self.rnd.random()
        if kind < 0.04:
            head += ["MIME-Version: 1.0",
                     "Content-Type: text/plain; charset=UTF-8",
                     "Content-Transfer-Encoding: base64"]
            data = base64.encodebytes(data)
        elif kind < 0.12:
            head += ["MIME-Version: 1.0",
                     "Content-Type: text/plain; charset=UTF-8",
                     "Content-Transfer-Encoding: quoted-printable"]
            data = quopri.encodestring(data)
        raw = "\n".join(head).encode() + b"\n\n" + data
        return raw, (mid, (parent[1] + [parent[0]]) if parent else [])

    def series(self, when):
        total = self.rnd.choice((1, 1, 2, 3, 5, 8, 12))
        title = "mm: " + " ".join(self.rnd.choices(WORDS, k=5))
        out = []
        top = None
        if total > 1:
            raw, top = self.mail(when, f"[PATCH v2 0/{total}] {title}",
                                 self.text(3))
            out.append(raw)
            self.threads.append((top, title, []))
        for n in range(1, total + 1):
            files = self.rnd.randint(1, 3)
            body = self.text(2) + ["Signed-off-by: Ann Example "
                                   "<ann@example.org>", "---",
                                   f" {files} files changed", ""]
            body += self.diff(files) + ["-- ", "2.39.5"]
            raw, ref = self.mail(
                when + n, f"[PATCH v2 {n}/{total}] {title}: part {n}"
                if total > 1 else f"[PATCH] {title}", body, top)
            out.append(raw)
            self.threads.append((ref, title, body))
        return out

    def reply(self, when):
        ref, title, body = self.rnd.choice(self.threads[-200:])
        at = self.rnd.randint(0, len(body))
        quoted = ["> " + line for line in body[at:at + 60]]
        raw, ref = self.mail(when, f"Re: [PATCH v2] {title}",
                             ["On Monday, Ann Example wrote:"] + quoted
                             + [""] + self.text(2)
                             + ["Reviewed-by: Bo Sample <bo@example.org>"],
                             ref)
        self.threads.append((ref, title, body))
        return [raw]

    def some(self, when):
        if not self.threads or self.rnd.random() < 0.25:
            return self.series(when)
        return self.reply(when)


def fast_import(git_dir, mails):
    """mails: [(time, bytes)]"""
    env = dict(os.environ, GIT_CONFIG_NOSYSTEM="1",
               GIT_CONFIG_GLOBAL="/dev/null")
    subprocess.run(["git", "init", "-q", "--bare", "-b", "master", git_dir],
                   check=True, env=env)
    p = subprocess.Popen(["git", "--git-dir", git_dir, "fast-import",
                          "--quiet"], stdin=subprocess.PIPE, env=env)
    for when, raw in mails:
        p.stdin.write(b"commit refs/heads/master\n"
                      b"author A <a@example.org> %d +0000\n"
                      b"committer A <a@example.org> %d +0000\n"
                      b"data 0\nM 100644 inline m\ndata %d\n"
                      % (when, when, len(raw)))
        p.stdin.write(raw)
        p.stdin.write(b"\n")
    p.stdin.close()
    if p.wait():
        raise SystemExit("git fast-import failed")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dir")
    ap.add_argument("--mails", type=int, default=1000)
    ap.add_argument("--epochs", type=int, default=1)
    ap.add_argument("--days", type=int, default=365)
    ap.add_argument("--end", type=int, default=1796000000)
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()

    maker = Maker(args.seed)
    start = args.end - args.days * 86400
    per_epoch = -(-args.mails // args.epochs)
    mails = []
    made = epoch = 0
    while made < args.mails:
        when = start + (args.end - start) * made // args.mails
        for raw in maker.some(when)[:args.mails - made]:
            mails.append((when, raw))
            made += 1
        if len(mails) >= per_epoch or made == args.mails:
            fast_import(f"{args.dir}/git/{epoch}.git", mails)
            mails = []
            epoch += 1


if __name__ == "__main__":
    main()
