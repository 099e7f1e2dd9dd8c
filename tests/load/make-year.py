#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Invent a year of linux-mm as an mmci database.

usage: make-year.py DATABASE [SCALE]

8,400 versions of series, 47,000 patches, a million jobs with an attempt each,
two million findings; SCALE (1.0 if not given) makes it smaller. The same
database comes out every time. Most series are clean, most findings are the
base's own warnings, the newest series are still running. The words for
search are indexed when mmci opens it for writing.
"""
import json
import os
import random
import sqlite3
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SERIES = 8400
END_S = 1796000000          # when the year ends
YEAR_S = 365 * 24 * 3600
BASES = 400
ARCHES = ("x86_64", "arm64", "s390")
KCONFIGS = ("small", "debug", "nothp", "numa")
TOOLCHAINS = ("gcc", "clang-19")
KINDS = ("check", "build", "boot", "test", "bench")
PLACES = [(a, k, t) for a in ARCHES for k in KCONFIGS for t in TOOLCHAINS]
AREAS = """mprotect mmap mremap hugetlb thp khugepaged vmscan swap zswap zsmalloc slub kasan kmsan memcg damon
compaction migrate page_alloc gup rmap userfaultfd mlock madvise oom_kill memory-failure shmem filemap readahead
writeback vmalloc percpu cma page_owner ksm mempolicy memory_hotplug sparse maple_tree mm_init pagewalk""".split()
VERBS = """add fix use remove convert rework batch split avoid simplify rename introduce drop move check guard
optimize document export skip defer account""".split()
NOUNS = """folios ptes locking refcounts rmap_walks anon_vma_chains swap_entries page_flags zone_watermarks
lru_lists reclaim_scans node_masks vma_iterators fault_handlers tlb_flushes large_folios mmap_lock per-vma_locks
memcg_charges huge_pages pcp_lists page_tables writeback_tags shrinker_lists dirty_limits numa_hints""".split()
NAMES = """Ann Bela Carl Dora Emil Fay Gus Hana Ivo Jun Kim Lea Max Nina Olaf Pia Quim Rosa Sven Tova Udo Vera
Wim Xia Yann Zoe""".split()
FAMILY = """Ahlberg Brandt Castro Dietz Engel Fischer Garcia Holm Ito Jansen Kowalski Lindt Moreau Novak Okada
Petrov Quist Rossi Sato Tanaka Ueda Varga Weber Xu Yilmaz Zhang""".split()
MESSAGES = (
    ("error", "implicit declaration of function '{f}'"),
    ("error", "'{f}' undeclared (first use in this function)"),
    ("error", "too few arguments to function '{f}'"),
    ("warning", "unused variable '{v}'"),
    ("warning", "no previous prototype for '{f}'"),
    ("warning", "'{v}' may be used uninitialized"),
    ("warning", "variable '{v}' set but not used"),
)
TESTS = ["test_%02d" % n for n in range(40)]
BENCHES = ("mprotect.pte", "mprotect.folio", "fault.anon", "fault.file",
           "fork.small")


def migrations():
    path = os.path.join(TOP, "db", "migrations")
    names = sorted(n for n in os.listdir(path) if n.endswith(".sql"))
    for name in names:
        with open(os.path.join(path, name), encoding="utf-8") as f:
            yield f.read()


class Year:
    def __init__(self, path, scale):
        self.r = random.Random(1)
        self.db = sqlite3.connect(path)
        self.db.executescript("PRAGMA journal_mode = OFF;"
                              "PRAGMA synchronous = OFF;"
                              "PRAGMA cache_size = -800000;")
        n = 0
        for n, text in enumerate(migrations(), 1):
            self.db.executescript(text)
        self.db.execute("PRAGMA user_version = %d" % n)
        self.n = int(SERIES * scale)
        self.bases = max(3, int(BASES * scale))
        self.people = [("%s %s" % (a, b), "%s.%s@example.org"
                        % (a.lower(), b.lower()))
                       for a in NAMES for b in FAMILY]
        self.mail = self.job = self.attempt = 0
        self.rows = {}

    def put(self, table, *row):
        rows = self.rows.setdefault((table, len(row)), [])
        rows.append(row)
        if len(rows) >= 20000:
            self.flush(table, len(row))

    def flush(self, table, n):
        rows = self.rows[table, n]
        self.db.executemany("INSERT INTO %s VALUES (%s)"
                            % (table, ",".join("?" * n)), rows)
        rows.clear()

    # parents before children, where foreign keys point
    def flush_all(self):
        for table, n in list(self.rows):
            self.flush(table, n)

    def commit_of(self, base):
        return "%040x" % (base * 0x9e3779b97f4a7c15f39cc0605cedc834
                          % (1 << 160))

    def fixed(self):
        for i, name in enumerate(("linux-mm", "linux-fsdevel"), 1):
            self.put("source (id, name, kind, location, last_try_s,"
                     " last_ok_s, last_mail_s)", i, name, "public-inbox",
                     "https://example.org/%s/" % name, END_S - 60,
                     END_S - 60, END_S - 100)
        for i, name in enumerate(("mm-unstable", "mm-stable", "mainline",
                                  "next"), 1):
            self.put("tree (id, name, kind, location, rank, commit_id,"
                     " describe, state)", i, name, "git",
                     "https://example.org/%s.git" % name, i,
                     self.commit_of(self.bases - i), "v7.3-rc%d" % i, "ready")
        self.flush_all()

    def title(self):
        r = self.r
        return "mm/%s: %s %s" % (r.choice(AREAS), r.choice(VERBS),
                                 r.choice(NOUNS).replace("_", " "))

    def add_mail(self, key, kind, subject, who, at_s, files):
        self.mail += 1
        self.put("mail (id, message_id, source_id, received_s, date_s, kind,"
                 " subject, title, from_name, from_email, fields, raw)",
                 self.mail, key, 1, at_s, at_s, kind, subject, subject,
                 who[0], who[1], json.dumps({"files": files, "kind": kind,
                                             "added": 10, "removed": 4}),
                 self.r.randbytes(300))
        return self.mail

    def result(self, kind, patches, state):
        o = {"outcome": state, "summary": "%s: %d patches" % (kind, patches),
             "environment": {"compiler": "gcc (Debian 12.2.0-14) 12.2.0",
                             "make": "GNU Make 4.3",
                             "limits": "memory 4096 MiB, processes 512"},
             "stages": [{"name": kind, "outcome": state, "seconds": 14.25,
                         "log_line": 12}], "kconfig_dropped": []}
        if kind in ("check", "build"):
            o["patches"] = [{"number": i, "outcome": "passed",
                             "seconds": 1.5, "log_line": 10 * i,
                             "image": kind == "build",
                             "units": [{"target": "mm/mprotect.o",
                                        "outcome": "built",
                                        "diagnostics": []}]}
                            for i in range(1, patches + 1)]
            o["artefacts"] = {"image": "x", "image_patch": patches}
        if kind == "boot":
            o["boot"] = {"outcome": "ok", "seconds": 3.1, "accel": "tcg",
                         "reports": []}
        digest = {"boot": o.get("boot", {}).get("outcome"),
                  "image_patch": o.get("artefacts", {}).get("image_patch"),
                  "dropped": [],
                  "patches": [{k: p[k] for k in ("number", "outcome",
                                                 "seconds")}
                              for p in o.get("patches", [])]}
        return tuple(json.dumps(x, separators=(",", ":"))
                     for x in (o, digest))

    def add_job(self, version, kind, place, base, state, at_s, patches, needs):
        self.job += 1
        arch, kconfig, toolchain = place
        self.put("job (id, key, version_id, kind, base_commit, arch, kconfig,"
                 " toolchain, state, priority, attempts, created_s,"
                 " changed_s)", self.job, "k%d" % self.job, version, kind,
                 self.commit_of(base), arch, kconfig, toolchain, state, 0,
                 int(state not in ("waiting", "queued")), at_s, at_s + 60)
        if needs:
            self.put("job_need (job_id, needs_id)", self.job, needs)
        if state in ("waiting", "queued", "canceled"):
            return None
        self.attempt += 1
        running = state == "running"
        self.put("attempt (id, job_id, number, state, dir, why, started_s,"
                 " ended_s, summary, result, digest)", self.attempt, self.job, 1,
                 state, "jobs/%d/1" % self.job, "first", at_s,
                 None if running else at_s + 40,
                 "" if running else "%s: %s" % (kind, state),
                 *((None, None) if running else
                   self.result(kind, patches, state)))
        return self.attempt

    def measure(self, attempt, factor):
        for i, name in enumerate(BENCHES):
            self.put("measure (attempt_id, name, unit, value, work)", attempt,
                     name, "instructions",
                     int((i + 1) * 170000000 * factor), 1024000)

    def controls(self):
        for base in range(self.bases):
            at_s = END_S - YEAR_S + YEAR_S * base // self.bases
            for place in PLACES:
                for kind in ("base", "boot", "test", "bench"):
                    a = self.add_job(None, kind, place, base, "passed", at_s,
                                     0, None)
                    if kind == "bench" and place[1:] == ("small", "gcc"):
                        self.measure(a, 1.0)
                    if kind == "test" and place[1:] == ("small", "gcc"):
                        self.tests(a)
        self.flush_all()

    def tests(self, attempt):
        for seq, name in enumerate(TESTS, 1):
            self.put("test_result", attempt, seq, "mm", name,
                     "skipped" if seq % 7 == 0 else "passed", "")

    def patch_count(self):
        return min(1 + int(self.r.expovariate(1 / 5.1)), 60)

    def series(self, i):
        r = self.r
        version = i + 1
        at_s = END_S - YEAR_S + YEAR_S * i // self.n
        who = r.choice(self.people[:200] if r.random() < 0.8 else self.people)
        patches = self.patch_count()
        title = self.title()
        key = "%d.%d-1-%s" % (at_s, version, who[1])
        base = min(self.bases - 1, self.bases * i // self.n)
        luck = r.random()
        verdict = "clean" if luck < 0.70 else "warns" if luck < 0.84 \
            else "broken" if luck < 0.95 else "conflict"
        live = i >= self.n - 12
        state = "running" if live else \
            "conflict" if verdict == "conflict" else "done"
        if live:
            verdict = ""
        self.put("topic (id, title, author_email, created_s)", version, title,
                 who[1], at_s)
        self.put("version (id, topic_id, key, source_id, version, total,"
                 " title, author_name, author_email, date_s, last_mail_s,"
                 " state, tree_id, base_commit, base_why, verdict,"
                 " verdict_why, created_s, changed_s, verdict_s)", version,
                 version, key, 1 + (r.random() < 0.1), 1 + int(r.expovariate(1)),
                 patches, title, who[0], who[1], at_s, at_s, state,
                 None if verdict == "conflict" else 1 + int(3 * r.random()),
                 self.commit_of(base), "all blobs of the index lines are there",
                 verdict, "" if not verdict else "%s in the end" % verdict,
                 at_s, at_s + 1800, at_s + 1800)
        files = []
        for n in range(1, patches + 1):
            area = r.choice(AREAS)
            names = ["mm/%s.c" % area, "include/linux/%s.h" % r.choice(AREAS)]
            files += names
            m = self.add_mail("%s.%d" % (key, n), "patch",
                              self.title() + " in %s_%s()"
                              % (area, r.choice(VERBS)), who, at_s, names)
            self.put("patch (version_id, number, mail_id, title, state,"
                     " commit_id)", version, n, m,
                     self.title() + " in %s_%s()" % (area, r.choice(VERBS)),
                     "applied", "%040x" % r.getrandbits(160))
        for n in range(int(r.expovariate(1 / 6))):
            p = r.choice(self.people[:100])
            m = self.add_mail("%s.r%d" % (key, n), "comment", "Re: " + title,
                              p, at_s + 600, [])
            self.put("comment (mail_id, version_id, number)", m, version, 0)
        self.put("base_try", version, 1, "mm-unstable", self.commit_of(base),
                 "index-lines", "applied", "all blobs are there")
        for n, kind in enumerate(("assembling", "ready", "applied", "planned",
                                  "running", "done")):
            self.put("event (at_s, kind, version_id)", at_s + n,
                     "version." + kind, version)
        if verdict != "conflict":
            self.jobs(version, patches, base, verdict, live, at_s, files)

    def jobs(self, version, patches, base, verdict, live, at_s, files):
        r = self.r
        bad = set(r.sample(PLACES, r.randint(1, 6))) \
            if verdict in ("broken", "warns") else ()
        builds = []
        for place in PLACES:
            needs = None
            for kind in KINDS:
                state = "passed"
                if live:
                    state = r.choice(("passed", "running", "queued",
                                      "waiting", "waiting"))
                elif verdict == "broken" and place in bad:
                    state = "failed" if kind == "build" else \
                        "passed" if kind == "check" else "canceled"
                elif r.random() < 0.002:
                    state = "errored"
                a = self.add_job(version, kind, place, base, state, at_s,
                                 patches, needs)
                needs = self.job
                if kind == "build" and a:
                    builds.append((self.job, a, place))
                if not a or place[1:] != ("small", "gcc") or \
                        state != "passed":
                    continue
                if kind == "bench":
                    self.measure(a, r.choice((1.0, 1.0, 1.0, 0.997, 1.012)))
                if kind == "test":
                    self.tests(a)
        for job, attempt, place in builds:
            for n in range(int(r.expovariate(1 / 10.7))):
                self.finding(version, job, attempt, 0, "base", n % 700,
                             r.choice(AREAS), "warning", 4)
            if place not in bad:
                continue
            wanted = "error" if verdict == "broken" else "warning"
            for n in range(1 + int(r.expovariate(1 / 6))):
                severity, text = r.choice(MESSAGES)
                if verdict == "warns" and severity != wanted:
                    severity, text = MESSAGES[3]
                self.finding(version, job, attempt,
                             r.randint(1, patches), "series", n,
                             r.choice(files), severity, MESSAGES.index(
                                 (severity, text)))

    def finding(self, version, job, attempt, number, blame, n, file, severity,
                message):
        r = self.r
        if blame == "base":
            file = "mm/%s.c" % file
        function = "%s_%s" % (r.choice(AREAS), r.choice(VERBS))
        text = MESSAGES[message][1].format(f=function, v=r.choice(NOUNS))
        self.put("finding (version_id, job_id, attempt_id, number, stage,"
                 " blame, tool, severity, option, file, line, col, function,"
                 " message, fingerprint, created_s)", version, job, attempt,
                 number, "build", blame, "gcc", severity, "-Wextra", file,
                 100 + n, 2, function, text, "%016x" % r.getrandbits(40),
                 END_S)

    def make(self):
        self.fixed()
        self.controls()
        for i in range(self.n):
            self.series(i)
            if i % 500 == 499:
                self.flush_all()
                print("%d series" % (i + 1), flush=True)
        self.flush_all()
        self.db.commit()
        for table in ("version", "patch", "mail", "job", "attempt", "finding",
                      "test_result", "measure", "event"):
            n = self.db.execute("SELECT count(*) FROM " + table).fetchone()[0]
            print("%-12s %9d" % (table, n))
        self.db.close()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    path = sys.argv[1]
    if os.path.exists(path):
        sys.exit("%s is there already" % path)
    Year(path, float(sys.argv[2]) if len(sys.argv) > 2 else 1.0).make()


if __name__ == "__main__":
    main()
