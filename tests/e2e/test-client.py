# SPDX-License-Identifier: GPL-2.0-or-later
"""The client without a daemon."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (BUILD, TOP, check, contains, equal, free_port,  # noqa
                     run_cases, scratch)

MMCI = os.path.join(BUILD, "server", "mmci")
TMP = scratch()


def mmci(*args, stdin=None):
    p = subprocess.run([MMCI, *args], input=stdin, timeout=60,
                       env={"PATH": "/usr/bin:/bin",
                            "MMCI_CONFIG": os.path.join(TMP, "none")},
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def write(name, text):
    path = os.path.join(TMP, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def mistakes_of_usage_give_2():
    for args in ((), ("nonsense",), ("series",), ("series", "nonsense"),
                 ("series", "show"), ("series", "list", "--colour", "red"),
                 ("job", "log", "1", "--attempt"), ("tree", "add", "x"),
                 ("token", "add", "x"), ("parse", "nonsense", "/dev/null"),
                 ("submit",), ("--url",)):
        status, out, err = mmci(*args)
        equal(status, 2, f"mmci {args}")
        equal(out, "", f"stdout of mmci {args}")
        equal(err.count("\n"), 1, f"lines of mmci {args}")


def no_daemon_gives_3():
    url = f"http://127.0.0.1:{free_port()}"
    for args in (("series", "list"), ("job", "rerun", "1"),
                 ("job", "log", "1"), ("outbox", "show", "1")):
        status, out, err = mmci("--url", url, *args)
        equal(status, 3, f"mmci {args}")
        contains(err, url, "the message names the address")


def every_command_is_in_the_help():
    status, out, _ = mmci("--help")
    equal(status, 0, "mmci --help")
    for words in ("series list", "series show", "series rerun",
                  "series cancel", "job list", "job show", "job log",
                  "job rerun", "job cancel", "outbox list", "outbox show",
                  "outbox approve", "outbox reject", "check",
                  "export kcidb",
                  "tree add", "tree list", "tree fetch", "submit",
                  "token add", "parse", "check-config"):
        contains(out, "\n  " + words, "help")


def a_typo_in_the_configuration_is_named():
    path = write("typo.conf", "state_dir = \"/x\"\nlisten_prot = 80\n")
    status, out, err = mmci("check-config", path)
    equal(status, 1, "exit status")
    equal(err, f"mmci: {path}:2: no such option 'listen_prot'\n", "message")


def the_sample_configuration_shows_the_defaults():
    sample = os.path.join(TOP, "deploy", "mmcid.conf")
    status, out, err = mmci("check-config", sample, "--json")
    equal((status, err), (0, ""), "as it is")
    with open(sample, encoding="utf-8") as f:
        text = f.read()
    full = re.sub(r"(?m)^#(\t\w+ = |)", r"\1", text)
    full = re.sub(r"(?m)^ (\w+ = |(?:source|policy) .*\{$|\}$)", r"\1", full)
    full = re.sub(r"(?m)^( .*|\tmm=.*|\tmmci .*|/.*)$", "", full)
    status, everything, err = mmci("check-config", write("full.conf", full),
                                   "--json")
    equal((status, err), (0, ""), "with every option")
    got, plain = json.loads(everything), json.loads(out)
    equal([s["name"] for s in got.pop("sources")], ["linux-mm"], "sources")
    plain.pop("sources")
    equal(got, plain, "values")
    names = []
    for part in ("config.c", "config-mail.c"):
        with open(os.path.join(TOP, "lib", part), encoding="utf-8") as f:
            names += re.findall(r'CFG_(?:STR|INT|BOOL|STR_LIST)\("(\w+)"',
                                f.read())
    check(len(names) > 50, "options in config.c and config-mail.c")
    for name in names:
        check(re.search(rf"(?m)^#?\s*{name} = ", text),
              f"deploy/mmcid.conf does not show {name}")


CASES = [
    mistakes_of_usage_give_2,
    no_daemon_gives_3,
    every_command_is_in_the_help,
    a_typo_in_the_configuration_is_named,
    the_sample_configuration_shows_the_defaults,
]

if __name__ == "__main__":
    run_cases(CASES)
