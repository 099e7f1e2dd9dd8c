# SPDX-License-Identifier: GPL-2.0-or-later
"""A mail server, a wire to it that can be cut, and a daemon with an outbox.

The server is Debian's exim4 with a configuration of its own on loopback.
"""
import json
import os
import pwd
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.environ["MMCI_TOP"], "tests", "e2e"))
from harness import (BUILD, Daemon, Skip, check, equal, free_port,  # noqa: E402
                     run_cases, wait_until)

__all__ = ["Exim", "Outbox", "Wire", "Skip", "check", "equal", "free_port",
           "run_cases", "wait_until"]

CONFIG = """\
spool_directory = %(d)s/spool
log_file_path = %(d)s/log/%%slog
pid_file_path = %(d)s/exim.pid
local_interfaces = <; 127.0.0.1
daemon_smtp_ports = %(tls)d : %(plain)d
tls_certificate = %(d)s/cert.pem
tls_privatekey = %(d)s/key.pem
tls_advertise_hosts = ${if eq{$received_port}{%(plain)d}{}{*}}
auth_advertise_hosts = ${if def:tls_in_cipher{*}{}}
host_lookup =
keep_environment =
deliver_drop_privilege = true
queue_run_max = 1
acl_smtp_rcpt = rcpt
begin acl
rcpt:
  defer local_parts = greylist
        message = 4.7.1 greylisted, try again
  deny  local_parts = nouser
        message = 5.1.1 no such user
  accept authenticated = *
  accept condition = ${if eq{$received_port}{%(plain)d}}
  deny  message = 5.7.1 authentication required
begin routers
all:
  driver = accept
  transport = md
begin transports
md:
  driver = appendfile
  directory = %(d)s/md/Maildir
  maildir_format
  create_directory
  envelope_to_add
  return_path_add
  user = %(user)s
  group = %(user)s
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = ${if and{{eq{$auth2}{bot}}{eq{$auth3}{secret}}}}
  server_set_id = $auth2
"""
USER = "Debian-exim"


class Exim:
    """tls: a port with STARTTLS and a password; plain: one without either"""

    def __init__(self):
        if os.geteuid():
            raise Skip("exim4 is started as root")
        if not shutil.which("exim4"):
            raise Skip("exim4 is not installed")
        self.dir = tempfile.mkdtemp(prefix="mmci-exim-")
        self.tls, self.plain = free_port(), free_port()
        for sub in ("spool", "log", "md"):
            os.mkdir(os.path.join(self.dir, sub))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj",
             "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-keyout", "key.pem", "-out", "cert.pem"], cwd=self.dir,
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        conf = os.path.join(self.dir, "exim.conf")
        with open(conf, "w", encoding="ascii") as f:
            f.write(CONFIG % {"d": self.dir, "tls": self.tls,
                              "plain": self.plain, "user": USER})
        owner = pwd.getpwnam(USER)
        for top, dirs, files in os.walk(self.dir):
            for name in [top] + [os.path.join(top, n) for n in dirs + files]:
                os.chown(name, owner.pw_uid, owner.pw_gid)
        # exim trusts no configuration that others than root may write
        os.chown(conf, 0, 0)
        self.process = subprocess.Popen(
            ["exim4", "-C", conf, "-bdf"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def answers():
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", self.plain)) == 0
        wait_until("exim answers", answers, 20)

    def arrived(self, ident):
        """How often each recipient got the mail with this Message-ID"""
        got = {}
        new = os.path.join(self.dir, "md", "Maildir", "new")
        for name in os.listdir(new) if os.path.isdir(new) else []:
            with open(os.path.join(new, name), encoding="utf-8") as f:
                head = f.read(4000)
            if f"<{ident}>" not in head:
                continue
            to = next(line.split(":", 1)[1].strip()
                      for line in head.splitlines()
                      if line.startswith("Envelope-to:"))
            for one in to.split(","):
                got[one.strip()] = got.get(one.strip(), 0) + 1
        return got

    def settled(self, ident):
        """arrived(), once nothing is on its way inside the server"""
        def idle():
            spool = os.path.join(self.dir, "spool", "input")
            return not (os.path.isdir(spool) and os.listdir(spool))
        wait_until("exim has delivered", idle, 20)
        return self.arrived(ident)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


class Wire:
    """A proxy before the server; calls cut() once, when it comes to a point

    Points: "connect"; "ask X" when command X came from the client and the
    server does not know it yet; "answer X" when the server has answered and the
    client does not know it yet; "told X" right after the client was told. X is
    EHLO, MAIL, RCPT, DATA, DOT (the whole mail) or QUIT. "body" is in the middle
    of the mail.
    """

    def __init__(self, port):
        self.to = port
        self.point = self.cut = None
        self.socket = socket.create_server(("127.0.0.1", 0))
        # what the kernel takes in is on its way, to whoever sends
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def arm(self, point, cut):
        self.point, self.cut = point, cut

    def at(self, point):
        """True: the wire was cut here"""
        if point != self.point:
            return False
        cut, self.point, self.cut = self.cut, None, None
        cut()
        return True

    def serve(self):
        while True:
            client, _ = self.socket.accept()
            try:
                with client, socket.create_connection(
                        ("127.0.0.1", self.to)) as server:
                    self.talk(client, client.makefile("rb"),
                              server, server.makefile("rb"))
            except OSError:
                pass

    @staticmethod
    def reply(server):
        lines = b""
        while True:
            line = server.readline()
            lines += line
            if len(line) < 4 or line[3:4] != b"-":
                return lines

    def body(self, client):
        data = bytearray()
        line = b""
        while line != b".\r\n":
            line = client.readline()
            if not line:
                return None
            data += line
            if len(data) > 1000 and self.at("body"):
                return None
        return bytes(data)

    def talk(self, client, from_client, server, from_server):
        if self.at("connect"):
            return
        client.sendall(self.reply(from_server))
        while True:
            line = from_client.readline()
            if not line:
                return
            verb = line[:4].decode("ascii", "replace").upper()
            while line is not None:
                if self.at("ask " + verb):
                    return
                server.sendall(line)
                answer = self.reply(from_server)
                if self.at("answer " + verb):
                    return
                client.sendall(answer)
                if self.at("told " + verb):
                    return
                if verb != "DATA" or not answer.startswith(b"354"):
                    break
                line, verb = self.body(from_client), "DOT"
                if line is None:
                    return


POLICY = """\
policy all {
	send = "author+lists"
	lists = {"list@lists.example.org"}
}
"""


class Outbox(Daemon):
    """A daemon without sources; replies are put into its database"""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="mmci-mail-")
        self.state = os.path.join(self.dir, "state")
        self.conf = os.path.join(self.dir, "mmcid.conf")
        self.log = os.path.join(self.dir, "mmcid.log")
        self.prefix = os.path.join(self.dir, "prefix")
        os.makedirs(os.path.join(self.prefix, "bin"))
        for name in ("mmcid", "mmci"):
            os.symlink(os.path.join(BUILD, "server", name),
                       os.path.join(self.prefix, "bin", name))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None
        self.n = 0

    def set_mail(self, text, policy=POLICY):
        with open(self.conf, "w", encoding="utf-8") as f:
            f.write(f'state_dir = "{self.state}"\n'
                    f"listen_port = {self.port}\n"
                    "mail {\n\tmode = send\n"
                    '\tfrom = "mmci <mmci@example.org>"\n'
                    f"\tretry_s = 1\n{text}\n}}\n{policy}")

    def put(self, to="dev", cc=(), body="text\n", lists=True):
        """Add a held reply while the daemon is down -> number, Message-ID"""
        self.n += 1
        ident = f"mmci-{self.n}@example.org"
        people = [{"name": "", "email": f"{name}@example.org"} for name in cc]
        if lists:
            people.append({"name": "", "email": "list@lists.example.org"})
        facts = {"list": "x", "tree": "t", "to": people, "cc": [],
                 "author": {"name": "D\u00e9v", "email": f"{to}@example.org"}}
        eml = (f"From: mmci <mmci@example.org>\nTo: x\nSubject: Re: {self.n}\n"
               f"Message-ID: <{ident}>\nMIME-Version: 1.0\n"
               "Content-Type: text/plain; charset=UTF-8\n"
               f"Content-Transfer-Encoding: 8bit\n\n{body}")
        now = int(time.time())
        with sqlite3.connect(os.path.join(self.state, "mmci.db")) as db:
            for name in cc:  # they have written before: people, not lists
                db.execute("INSERT INTO mail (message_id, received_s, kind,"
                           " from_email, raw) VALUES (?, 1, 'comment', ?, x'')",
                           (f"{name}-{self.n}@w", f"{name}@example.org"))
            ident_row = db.execute(
                "INSERT INTO outgoing (message_id, subject, recipients, body,"
                " eml, state, facts, created_s, changed_s)"
                " VALUES (?, 's', '[]', ?, ?, 'held', ?, ?, ?)",
                (ident, body, eml, json.dumps(facts), now, now)).lastrowid
        db.close()
        return ident_row, ident

    def row(self, number):
        return self.get(f"/api/v1/outbox/{number}")

    def wait_row(self, number, states, timeout_s=20):
        return wait_until(f"reply {number} in {states}",
                          lambda: (self.row(number)["state"] in states
                                   and self.row(number)), timeout_s)

    def clear(self):
        self.stop()
        shutil.rmtree(self.dir, ignore_errors=True)
