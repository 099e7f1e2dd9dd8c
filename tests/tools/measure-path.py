#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How long a series took from its last mail to its verdict and its reply.

usage: measure-path.py STATE_DIR [PID]

Reads the database of a state directory and, given the pid of the daemon, what
the kernel says of its memory.
"""
import json
import sqlite3
import sys


def attempts(db):
    rows = db.execute(
        "SELECT j.kind, j.version_id, j.kconfig, j.arch, a.state, a.why,"
        " a.ended_s - a.started_s, a.result FROM attempt a"
        " JOIN job j ON j.id = a.job_id WHERE a.ended_s IS NOT NULL"
        " ORDER BY a.id")
    for kind, version, kconfig, arch, state, why, took_s, result in rows:
        of = "series %d" % version if version else "the base"
        print("  %-6s of %s, %s %s, %s: %s, %d s"
              % (kind, of, arch, kconfig, why, state, took_s))
        stages = (json.loads(result) if result else {}).get("stages", [])
        for s in stages if kind == "base" else []:
            print("         %s: %.0f s" % (s["name"], s["seconds"]))


def after(db, version, since_s, where, args=()):
    row = db.execute("SELECT min(at_s) FROM event WHERE version_id = ?"
                     " AND at_s >= ? AND " + where,
                     (version, since_s, *args)).fetchone()
    return "never" if row[0] is None else "%d s" % (row[0] - since_s)


def versions(db):
    rows = db.execute("SELECT id, title, total, last_mail_s, verdict,"
                      " settle_until_s - last_mail_s FROM version ORDER BY id")
    for ident, title, total, last_s, verdict, settle_s in rows:
        print("series %d, %d patches: %s" % (ident, total, title))
        print("  from the last mail (settle time %d s included)" % settle_s)
        for what, where in (
                ("applied", "kind = 'version.applied'"),
                ("first job that failed", "kind = 'job.failed'"),
                ("verdict: " + verdict, "kind = 'version.done'"),
                ("reply in the outbox", "kind = 'outgoing.held'")):
            print("    %-24s %s" % (what, after(db, ident, last_s, where)))


def memory(pid):
    with open("/proc/%s/status" % pid, encoding="ascii") as f:
        for line in f:
            if line.startswith(("VmHWM", "VmRSS")):
                print("daemon", line.strip())


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    db = sqlite3.connect("file:%s/mmci.db?mode=ro" % sys.argv[1], uri=True)
    versions(db)
    print("jobs")
    attempts(db)
    if len(sys.argv) == 3:
        memory(sys.argv[2])


main()
