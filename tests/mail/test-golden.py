# SPDX-License-Identifier: GPL-2.0-or-later
"""The replies to two threads of the list, whole, and as others read them.

The threads are taken from MMCI_SHARED and not kept here; what the golden mails
quote from them stands there as a checksum of each line. MMCI_UPDATE_GOLDEN=1
writes the golden files anew.
"""
import email
import email.policy
import gzip
import hashlib
import json
import mailbox
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

sys.path.insert(0, os.path.join(os.environ["MMCI_TOP"], "tests", "e2e"))
from harness import (BUILD, SHARED, Archive, Skip, check, contains, equal,  # noqa: E402
                     run_cases)

HERE = os.path.dirname(os.path.abspath(__file__))
SERIES = os.path.join(SHARED, "series")
GCC = "gcc (Debian 12.2.0-14+deb12u1) 12.2.0"
CLANG = "Debian clang version 19.1.7"
scratch = tempfile.TemporaryDirectory(prefix="mmci-golden-")
replies = {}


def diagnostic(severity, file, line, col, function, message, option=None,
               follows=False):
    return {"tool": "gcc", "severity": severity, "option": option,
            "file": file, "line": line, "col": col, "function": function,
            "message": message, "follows": follows}


def unit(target, *diagnostics):
    failed = any(d["severity"] == "error" for d in diagnostics)
    return {"target": target, "outcome": "failed" if failed else "built",
            "diagnostics": list(diagnostics)}


def patch(number, *units):
    failed = any(u["outcome"] == "failed" for u in units)
    return {"number": number, "outcome": "failed" if failed else "passed",
            "image": not failed, "units": list(units), "seconds": 1}


def build(arch, total, patches, toolchain="gcc", compiler=GCC,
          kconfig="small"):
    state = "failed" if any(p["outcome"] == "failed" for p in patches) \
        else "passed"
    return {"job_id": 1, "kind": "build", "arch": arch, "kconfig": kconfig,
            "toolchain": toolchain, "state": state, "state_why": "",
            "total": total, "image_patch": 0, "bisect": [],
            "results": [{"id": 1, "state": state, "result": {
                "outcome": state, "environment": {"compiler": compiler},
                "patches": patches}}],
            "control": [{"id": 2, "state": "passed", "result": {
                "outcome": "passed", "patches": [patch(0)]}}]}


def mails(name):
    path = os.path.join(SERIES, name + ".mbox")
    if not os.path.exists(path):
        raise Skip(f"no {name}.mbox below MMCI_SHARED")
    return list(mailbox.mbox(path))


def context(name, version, base, compilers, fixups=()):
    ctx = {"patches": [], "cover": None, "fixups": list(fixups),
           "from": "mmci <mmci@example.org>",
           "reply_to": "mmci owner <owner@example.org>", "commands": True,
           "url": "https://mmci.example.org", "date_s": 1793000000,
           "environments": compilers}
    for m in mails(name):
        subject = str(email.header.make_header(
            email.header.decode_header(m["subject"])))
        subject = re.sub(r"\s+", " ", subject)
        found = re.search(r"^\[[^\]]*PATCH[^\]]* (\d+)/(\d+)\] (.*)", subject)
        if not found:
            continue
        number, total, title = found.groups()
        path = os.path.join(scratch.name, f"{name}-{number}.eml")
        with open(path, "wb") as f:
            f.write(m.as_bytes())
        row = {"number": int(number), "title": title, "subject": subject,
               "message_id": m["message-id"].strip("<>"), "path": path,
               "date_s": int(email.utils.parsedate_to_datetime(
                   m["date"]).timestamp())}
        if number == "0":
            ctx["cover"] = row
            who = email.utils.parseaddr(str(email.header.make_header(
                email.header.decode_header(m["from"]))))
            ctx["version"] = dict(
                base, id=7, key=row["message_id"], version=version,
                total=int(total), title=title, author_name=who[0],
                author_email=who[1])
        else:
            ctx["patches"].append(row)
    return ctx


def reply(ctx, runs):
    request = {"context": ctx, "judge": {
        "patches": [{"number": p["number"], "title": p["title"]}
                    for p in ctx["patches"]], "runs": runs}}
    p = subprocess.run([os.path.join(BUILD, "server", "mmcid"), "--worker",
                        "report"], input=json.dumps(request).encode(),
                       stdout=subprocess.PIPE, check=True, timeout=60)
    answer = json.loads(p.stdout)
    check("error" not in answer, answer)
    check(answer["mail"], "no mail was written")
    return answer["mail"]


BASE_612 = {"tree": "6.12", "tree_describe": "6.12.95",
            "base_commit": "778fc20ce476", "base_why":
            "all 2 blobs of the index lines are there"}
BASE_73 = {"tree": "7.3", "tree_describe": "7.3.4", "base_commit":
           "0123456789abcdef", "base_why": "most blobs of the index lines "
           "are there"}
GCCS = [{"arch": "x86_64", "compiler": GCC},
        {"arch": "arm64", "compiler": "aarch64-linux-gnu-" + GCC},
        {"arch": "s390", "compiler": "s390x-linux-gnu-" + GCC}]
BOTH = [{"arch": "x86_64", "compiler": CLANG},
        {"arch": "x86_64", "compiler": GCC}]
UNUSED = diagnostic("warning", "mm/mprotect.c", 60, 22,
                    "can_change_pte_writable", "unused variable 'page'",
                    "-Wunused-variable")
HEADER = "include/linux/pgtable.h"
STOPS = [
    diagnostic("error", HEADER, 873, 15, "modify_prot_start_ptes",
               "implicit declaration of function 'ptep_modify_prot_start'",
               "-Wimplicit-function-declaration"),
    diagnostic("error", HEADER, 893, 17, "modify_prot_commit_ptes",
               "implicit declaration of function 'ptep_modify_prot_commit'",
               "-Wimplicit-function-declaration", follows=True),
    diagnostic("error", HEADER, 1366, 21, None, "conflicting types for "
               "'ptep_modify_prot_start'", follows=True)]


def mprotect_runs(fixed):
    x86 = [patch(1, unit("mm/mprotect.o", UNUSED)),
           patch(2, unit("arch/x86/kernel/asm-offsets.s", *STOPS))]
    if fixed:
        x86.append(patch(3, unit("arch/x86/kernel/asm-offsets.s")))
    runs = [build("x86_64", 2, x86)]
    for arch in ("arm64", "s390"):
        runs.append(build(arch, 2, [patch(1, unit("mm/mprotect.o", UNUSED)),
                                    patch(2)]))
    return runs


def golden(name, mail):
    """Compare with tests/mail/golden/NAME, quotes as checksums"""
    def mask(line):
        if line.startswith("X-Mmci-Version:"):
            return "X-Mmci-Version: VERSION"
        if line.startswith(">"):
            return "> " + hashlib.sha256(line.encode()).hexdigest()[:8]
        return line
    text = "\n".join(mask(x) for x in mail["eml"].split("\n"))
    path = os.path.join(HERE, "golden", name)
    if os.environ.get("MMCI_UPDATE_GOLDEN"):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    with open(path, encoding="utf-8") as f:
        equal(text, f.read(), name)
    replies[name] = mail
    with open(os.path.join(scratch.name, name + ".reply"), "w",
              encoding="utf-8") as f:
        f.write(mail["eml"])


def an_error_and_a_warning():
    ctx = context("mprotect-batching-v2", 2, BASE_612, GCCS)
    golden("mprotect-batching-v2", reply(ctx, mprotect_runs(False)))


def a_fixup_that_cures_it_is_named():
    fix = {"number": 3, "state": "applied", "from_name": "Lance Yang",
           "message_id": "20250429052336.18912-dev.jain-3@example.org"}
    ctx = context("mprotect-batching-v2", 2, BASE_612, GCCS, [fix])
    golden("mprotect-batching-v2-fixup", reply(ctx, mprotect_runs(True)))
    contains(replies["mprotect-batching-v2-fixup"]["body"],
             "the fix-up by Lance Yang", "body")


def two_warnings_of_one_patch():
    text = "variable 'mn_flags' set but not used"
    option = "-Wunused-but-set-variable"
    warn = patch(2, unit("mm/mprotect.o", diagnostic(
        "warning", "mm/mprotect.c", 600, 11, "mprotect_fixup", text, option)),
        unit("mm/hugetlb.o", diagnostic(
            "warning", "mm/hugetlb.c", 6556, 11, "hugetlb_change_protection",
            text, option)))
    runs = [build("x86_64", 4, [patch(1), warn, patch(3), patch(4)],
                  "clang-19", CLANG, "no-notifier"),
            build("x86_64", 4, [patch(n) for n in (1, 2, 3, 4)])]
    golden("perm-upgrade-rfc", reply(context("perm-upgrade-rfc", 1, BASE_73, BOTH),
                                     runs))


def all_replies():
    if not replies:
        raise Skip("no reply was written")
    return replies.items()


def lines_are_as_wide_as_mails_are():
    for name, mail in all_replies():
        for line in mail["body"].split("\n"):
            if not line.startswith((">", "http")):
                check(len(line) <= 80, f"{name}: {len(line)}: {line}")


def no_quoted_line_is_wrapped():
    for name, mail in all_replies():
        source = name.replace("-fixup", "")
        have = {line for m in mails(source)
                for line in m.get_payload(decode=True).decode().splitlines()}
        quoted = [line for line in mail["body"].split("\n")
                  if line.startswith(">") and line != "> [ ... ]"]
        check(quoted, f"{name} quotes nothing")
        for line in quoted:
            check(line[2:] in have or line == ">", f"{name}: {line}")


def python_reads_them():
    for name, mail in all_replies():
        m = email.message_from_bytes(mail["eml"].encode(),
                                     policy=email.policy.default)
        equal(m.defects, [], name)
        equal(m.get_content().rstrip("\n"), mail["body"].rstrip("\n"), name)
        equal(str(m["auto-submitted"]), "auto-generated", name)
        equal(m["in-reply-to"].strip(), f"<{mail['in_reply_to']}>", name)
        check(m["references"].endswith(f"<{mail['in_reply_to']}>"), name)
        check(str(m["subject"]).startswith("Re: ["), m["subject"])
        check("flowed" not in m["content-type"], name)
        if name == "perm-upgrade-rfc":
            equal(m["to"].addresses[0].display_name, "Carlos L\u00f3pez", name)


def gmime_reads_them():
    for name, mail in all_replies():
        path = os.path.join(scratch.name, name + ".reply")
        p = subprocess.run([os.path.join(BUILD, "server", "mmci"), "--json",
                            "parse", "mail", path], stdout=subprocess.PIPE,
                           check=True, timeout=60)
        o = json.loads(p.stdout)
        equal(o["message_id"].strip("<>"), mail["message_id"], name)
        equal(o["in_reply_to"].strip("<>"), mail["in_reply_to"], name)
        equal(o["kind"], "comment", name)
        equal(o["machine"], True, name)


def b4_reads_them():
    code = ("import sys, email, email.policy, b4\n"
            "m = email.message_from_binary_file(open(sys.argv[1], 'rb'))\n"
            "l = b4.LoreMessage(m)\n"
            "print(l.reply, l.has_diff, l.msgid, l.in_reply_to)\n")
    if subprocess.run(["/usr/bin/python3", "-c", "import b4"],
                      stderr=subprocess.DEVNULL).returncode:
        raise Skip("b4 is not installed")
    for name, mail in all_replies():
        path = os.path.join(scratch.name, name + ".reply")
        p = subprocess.run(["/usr/bin/python3", "-c", code, path],
                           stdout=subprocess.PIPE, check=True, timeout=60,
                           env={"PATH": "/usr/bin:/bin", "HOME": scratch.name})
        equal(p.stdout.decode().split(),
              ["True", "False", mail["message_id"], mail["in_reply_to"]],
              name)


def public_inbox_threads_them():
    all_replies()
    if not shutil.which("public-inbox-httpd"):
        raise Skip("public-inbox is not installed")
    archive = Archive(os.path.join(scratch.name, "archive"))
    try:
        for name in ("mprotect-batching-v2", "perm-upgrade-rfc"):
            archive.add([m.as_bytes() for m in mails(name)] +
                        [replies[name]["eml"].encode()])
        archive.serve()
        for name in ("mprotect-batching-v2", "perm-upgrade-rfc"):
            mail = replies[name]
            url = (f"http://127.0.0.1:{archive.port}/linux-mm/"
                   f"{mail['in_reply_to']}/t.mbox.gz")
            opener = urllib.request.build_opener(
                urllib.request.ProxyHandler({}))
            with opener.open(url, timeout=30) as answer:
                text = gzip.decompress(answer.read()).decode()
            contains(text, f"Message-ID: <{mail['message_id']}>",
                     f"thread of {name}")
            equal(text.count("\nAuto-Submitted: auto-generated"), 1,
                  f"our mails in the thread of {name}")
    finally:
        archive.stop()


if __name__ == "__main__":
    run_cases([an_error_and_a_warning, a_fixup_that_cures_it_is_named,
               two_warnings_of_one_patch, lines_are_as_wide_as_mails_are,
               no_quoted_line_is_wrapped, python_reads_them, gmime_reads_them,
               b4_reads_them, public_inbox_threads_them], scratch.cleanup)
