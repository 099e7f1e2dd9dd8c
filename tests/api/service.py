# SPDX-License-Identifier: GPL-2.0-or-later
"""A daemon of this build with a few series, jobs and replies in its database.

Nothing is built: rows of jobs that have ended are put in while it is down.
"""
import http.client
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.environ["MMCI_TOP"], "tests", "e2e"))
from harness import (BUILD, TOP, Daemon, check, contains, equal,  # noqa: E402
                     free_port, note, run_cases, wait_until)

__all__ = ["BUILD", "TOP", "Service", "check", "contains", "equal",
           "free_port", "note", "run_cases", "wait_until", "JOB", "JOB_PASSED",
           "REPLIES", "SAMPLE"]

SAMPLE = os.path.join(TOP, "deploy", "sample", "mprotect-sample.mbox")
# STUCK waits for itself, and the others for it: what is run again stays queued
STUCK, JOB, JOB_PASSED = 500, 501, 502
REPLIES = (601, 602, 603, 604)
LOG = "==> patch 1\n  CC      mm/mprotect.o\nmm/mprotect.c:1:2: error: no\n"
RESULT = {"outcome": "failed", "summary": "it does not build",
          "environment": {"compiler": "gcc"}, "patches": []}
COMMIT = "9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e"


class Answer:
    """Status, headers (names in lower case) and body of one answer"""

    def __init__(self, response):
        self.status = response.status
        self.headers = {k.lower(): v for k, v in response.getheaders()}
        self.body = response.read()
        self.type = self.headers.get("content-type", "").split(";")[0]

    def json(self):
        return json.loads(self.body)

    def text(self):
        return self.body.decode("utf-8", "replace")


class Service(Daemon):
    def __init__(self, more=""):
        self.dir = tempfile.mkdtemp(prefix="mmci-api-")
        self.state = os.path.join(self.dir, "state")
        self.conf = os.path.join(self.dir, "mmcid.conf")
        self.log = os.path.join(self.dir, "mmcid.log")
        self.prefix = os.path.join(self.dir, "prefix")
        self.list = os.path.join(self.dir, "list.mbox")
        os.makedirs(os.path.join(self.prefix, "bin"))
        for name in ("mmcid", "mmci"):
            os.symlink(os.path.join(BUILD, "server", name),
                       os.path.join(self.prefix, "bin", name))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None
        self.tokens = {}
        with open(self.list, "wb"):
            pass
        with open(self.conf, "w", encoding="utf-8") as f:
            f.write(f'state_dir = "{self.state}"\n'
                    f"listen_port = {self.port}\nsettle_s = 1\n"
                    "mail {\n\tmode = send\n\ttransport = maildir\n"
                    f'\tmaildir = "{self.dir}/sent"\n}}\n'
                    'policy all {\n\tsend = "moderated"\n}\n'
                    'source list {\n\tkind = "mbox"\n'
                    f'\tlocation = "{self.list}"\n\tpoll_s = 1\n}}\n{more}')

    def call(self, method, path, body=None, token=None, headers=None):
        """One request on a connection of its own -> Answer"""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = dict(headers or {})
        if token:
            headers["Authorization"] = "Bearer " + token
        if isinstance(body, dict):
            body = urllib.parse.urlencode(body)
            headers.setdefault("Content-Type",
                               "application/x-www-form-urlencoded")
        elif method == "POST" and body is None:
            body = b""
        try:
            c.request(method, path, body=body, headers=headers)
            return Answer(c.getresponse())
        finally:
            c.close()

    def token(self, scope, name=None):
        """A token with this one scope, made once"""
        name = name or scope
        if name not in self.tokens:
            a = self.call("POST", "/api/v1/tokens", token=self.admin_token(),
                          body=json.dumps({"name": "t-" + name,
                                           "scopes": scope}))
            equal(a.status, 201, a.text())
            self.tokens[name] = a.json()["token"]
        return self.tokens[name]

    def login(self, token):
        """-> headers with the cookie, the form's token"""
        a = self.call("POST", "/login", {"token": token})
        equal(a.status, 303, a.text())
        cookie = {"Cookie": a.headers["set-cookie"].split(";")[0]}
        page = self.call("GET", "/login", headers=cookie).text()
        csrf = page.split('name="csrf" value="', 1)[1].split('"')[0]
        return cookie, csrf

    def database(self):
        return sqlite3.connect(os.path.join(self.state, "mmci.db"))

    def begin(self):
        """Start with one series that was judged, its jobs and replies"""
        self.start()
        a = self.call("POST", "/api/v1/series", open(SAMPLE, "rb").read(),
                      self.admin_token())
        equal(a.status, 202, a.text())
        number = a.json()["series"][0]
        equal(self.stop(), 0, "exit status")
        self.fill(number)
        self.start()
        return number

    def fill(self, series):
        now = int(time.time())
        db = self.database()
        jobs = ((JOB, "failed"), (JOB_PASSED, "passed"))
        with db:
            db.execute("UPDATE version SET state = 'done', verdict = 'broken',"
                       " verdict_why = 'does not build', verdict_s = ?,"
                       " base_commit = ?", (now, COMMIT))
            for n, state in jobs:
                where = f"jobs/{n}/1"
                os.makedirs(os.path.join(self.state, where))
                for name, text in (("log", LOG), ("job.json", json.dumps(
                        {"kind": "build", "arch": "x86_64", "kconfig": "tiny",
                         "kconfig_text": "CONFIG_MMU=y\n", "toolchain": "gcc",
                         "base_commit": COMMIT, "patches": []}))):
                    with open(os.path.join(self.state, where, name), "w",
                              encoding="utf-8") as f:
                        f.write(text)
                db.execute("INSERT INTO job (id, key, version_id, kind,"
                           " base_commit, arch, kconfig, toolchain, state,"
                           " attempts, created_s, changed_s) VALUES (?, ?, ?,"
                           " 'build', ?, 'x86_64', 'tiny', 'gcc', ?, 1, ?, ?)",
                           (n, f"k{n}", series, COMMIT, state, now, now))
                db.execute("INSERT INTO attempt (id, job_id, number, state,"
                           " dir, started_s, ended_s, summary, result)"
                           " VALUES (?, ?, 1, ?, ?, ?, ?, 's', ?)",
                           (n, n, state, where, now - 60, now,
                            json.dumps(RESULT)))
            db.execute("INSERT INTO job (id, key, kind, base_commit, arch,"
                       " kconfig, toolchain, state, created_s, changed_s)"
                       " VALUES (?, 'stuck', 'base', ?, 'x86_64', 'tiny',"
                       " 'gcc', 'waiting', ?, ?)", (STUCK, COMMIT, now, now))
            db.executemany("INSERT INTO job_need (job_id, needs_id)"
                           " VALUES (?, ?)",
                           [(n, STUCK) for n in (STUCK, JOB, JOB_PASSED)])
            db.execute("INSERT INTO finding (version_id, job_id, attempt_id,"
                       " number, stage, blame, tool, severity, message, file,"
                       " fingerprint, created_s) VALUES (?, ?, ?, 1, 'build',"
                       " 'series', 'gcc', 'error', 'no', 'mm/mprotect.c',"
                       " 'f1', ?)", (series, JOB, JOB, now))
            db.execute("INSERT INTO tree (id, name, kind, location, state,"
                       " commit_id) VALUES (1, 'gone', 'git', ?, 'ready', ?)",
                       (os.path.join(self.dir, "none.git"), COMMIT))
            for n in REPLIES:
                self.put_reply(db, n, now)
        db.close()

    @staticmethod
    def put_reply(db, n, now):
        facts = {"list": "list", "tree": "gone", "cc": [],
                 "to": [{"name": "", "email": "dev@example.org"}],
                 "author": {"name": "D", "email": "dev@example.org"}}
        eml = (f"From: mmci <mmci@example.org>\nTo: x\nSubject: Re: {n}\n"
               f"Message-ID: <r{n}@example.org>\nMIME-Version: 1.0\n"
               "Content-Type: text/plain; charset=UTF-8\n"
               "Content-Transfer-Encoding: 8bit\n\ntext\n")
        db.execute("INSERT INTO outgoing (id, message_id, subject, recipients,"
                   " body, eml, state, facts, created_s, changed_s) VALUES"
                   " (?, ?, 's', '[]', 'text', ?, 'held', ?, ?, ?)",
                   (n, f"r{n}@example.org", eml, json.dumps(facts), now, now))

    def clear(self):
        status = self.stop()
        reports = self.sanitizer_reports()
        shutil.rmtree(self.dir, ignore_errors=True)
        check(not reports, reports)
        equal(status, 0, "exit status of mmcid")
