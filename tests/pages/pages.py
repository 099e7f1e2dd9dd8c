# SPDX-License-Identifier: GPL-2.0-or-later
"""Scripts of this folder on a running service, in Debian's Chromium"""
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from harness import BUILD, CACHE, Skip, note  # noqa: E402

CHROMIUM = "/usr/bin/chromium"
FILES = ("package.json", "package-lock.json")


def node_modules():
    """The packages of package-lock.json, installed once"""
    for program in ("node", "npm"):
        if not shutil.which(program):
            raise Skip(f"there is no {program}")
    if not os.path.exists(CHROMIUM):
        raise Skip(f"there is no {CHROMIUM}")
    top = os.path.join(CACHE, "pages")
    os.makedirs(top, exist_ok=True)
    with open(os.path.join(HERE, "package-lock.json"), "rb") as f:
        version = hashlib.sha256(f.read()).hexdigest()
    mark = os.path.join(top, "version")
    with open(os.path.join(top, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(mark) or open(mark, encoding="ascii").read() \
                != version:
            for name in FILES:
                shutil.copy(os.path.join(HERE, name), top)
            subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=top,
                           check=True, stdout=subprocess.DEVNULL, timeout=600)
            with open(mark, "w", encoding="ascii") as f:
                f.write(version)
    return os.path.join(top, "node_modules")


def walk(script, url, timeout_s=900, **env):
    """Run a script; raises AssertionError with what did not hold"""
    env = {f"MMCI_{k.upper()}": v for k, v in env.items()}
    p = subprocess.run(
        ["node", os.path.join(HERE, script)], timeout=timeout_s, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **env, "MMCI_NODE_MODULES": node_modules(),
             "MMCI_URL": url, "MMCI_SHOTS": os.path.join(BUILD, "pages")})
    for line in p.stdout.splitlines():
        note(line.removeprefix("# "))
    plan = re.match(r"1\.\.(\d+)\n", p.stdout)
    passed = len(re.findall(r"(?m)^ok ", p.stdout))
    if p.returncode or not plan or passed != int(plan.group(1)):
        raise AssertionError(f"{script}: status {p.returncode}\n{p.stdout}")
