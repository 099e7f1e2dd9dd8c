# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules of the source tree that no compiler checks, as TAP.

usage: check-tree.py TOP
"""
import os
import re
import subprocess
import sys

# A folder may include from itself and from those it names here.
BELOW = {
    "lib": [],
    "db": ["lib"],
    "runners": ["lib"],
    "kernel-series": ["db", "lib"],
    "jobs": ["kernel-series", "runners", "db", "lib"],
    "web": ["jobs", "kernel-series", "db", "lib"],
    "server": ["web", "jobs", "kernel-series", "runners", "db", "lib"],
}
# The one place where each library is used, so that it can be replaced.
HOMES = {
    "sqlite3.h": ["db/"],
    "gmime/gmime.h": ["kernel-series/mail"],
    "git2.h": ["kernel-series/git"],
    "curl/curl.h": ["kernel-series/net"],
    "microhttpd.h": ["web/http"],
    "confuse.h": ["lib/config"],
}
# Directories that exist on one machine only.
MACHINE_PATH = re.compile(
    r"(?<![\w.$}~-])/(?:work|farm|home/\w+|root|var/tmp/\w+)/\w")
# Checks name the paths they look for.
MACHINE_PATH_EXEMPT = {"tests/check-tree.py"}


def files(top):
    out = subprocess.run(["git", "-C", top, "ls-files", "-z"],
                         stdout=subprocess.PIPE, check=True).stdout
    return [f for f in out.decode().split("\0") if f]


def lines(top, name):
    with open(os.path.join(top, name), encoding="utf-8",
              errors="replace") as f:
        return list(enumerate(f, 1))


def includes_go_down(top, names):
    bad = []
    for name in names:
        folder = name.split("/")[0]
        if folder not in BELOW or not name.endswith((".c", ".h")):
            continue
        for n, line in lines(top, name):
            m = re.match(r'\s*#\s*include\s+"([^"/]+)/', line)
            if m and m.group(1) in BELOW and m.group(1) != folder \
                    and m.group(1) not in BELOW[folder]:
                bad.append(f"{name}:{n}: {line.strip()} goes up")
    return bad


def libraries_have_one_home(top, names):
    bad = []
    for name in names:
        if not name.endswith((".c", ".h")) or "/tests/" in name:
            continue
        for n, line in lines(top, name):
            m = re.match(r"\s*#\s*include\s+<([^>]+)>", line)
            homes = HOMES.get(m.group(1)) if m else None
            if homes and not name.startswith(tuple(homes)):
                bad.append(f"{name}:{n}: {m.group(1)} belongs to {homes[0]}")
    return bad


def no_path_of_one_machine(top, names):
    bad = []
    for name in names:
        if name in MACHINE_PATH_EXEMPT:
            continue
        for n, line in lines(top, name):
            m = MACHINE_PATH.search(line)
            if m:
                bad.append(f"{name}:{n}: {line.strip()[:70]}")
    return bad


def no_unfinished_places(top, names):
    bad = []
    for name in names:
        if not name.endswith((".c", ".h", ".py", ".sh", ".html", ".js")):
            continue
        for n, line in lines(top, name):
            # a comment that begins so; in C, # in a string is KTAP's own
            mark = "#" if name.endswith((".py", ".sh")) else "<!--"
            if re.search(r"(//|/\*|^\s*\*|" + mark + r")\s*"
                         r"(TODO|FIXME|XXX)\b", line):
                bad.append(f"{name}:{n}: {line.strip()[:70]}")
    return bad


def migrations_are_numbered_without_gaps(top, names):
    numbers = sorted(int(os.path.basename(n)[:4]) for n in names
                     if n.startswith("db/migrations/"))
    if numbers != list(range(1, len(numbers) + 1)):
        return [f"db/migrations: {numbers}"]
    return []


CHECKS = [
    includes_go_down,
    libraries_have_one_home,
    no_path_of_one_machine,
    no_unfinished_places,
    migrations_are_numbered_without_gaps,
]


def main(top):
    print(f"1..{len(CHECKS)}")
    if not os.path.exists(os.path.join(top, ".git")):
        for i, check in enumerate(CHECKS, 1):
            print(f"ok {i} - {check.__name__} # SKIP not a git checkout")
        return
    names = files(top)
    for i, check in enumerate(CHECKS, 1):
        bad = check(top, names)
        print(f"{'not ok' if bad else 'ok'} {i} - {check.__name__}")
        for line in bad:
            print("# " + line)


if __name__ == "__main__":
    main(sys.argv[1])
