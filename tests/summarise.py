# SPDX-License-Identifier: GPL-2.0-or-later
"""Count the cases in meson test logs.

usage: summarise.py BUILD=testlog.json...

Every TAP line counts as one case. A test program that fails without a failed
case of its own (a crash, a sanitizer report at exit, a timeout, fewer cases
than announced) counts as one more failure. Names what failed and what was
skipped, and why; the last line is "N passed, N failed, N skipped".
"""
import json
import re
import sys

CASE = re.compile(r"^(not )?ok\b\s*(\d+)?\s*(?:- )?([^#]*)(?:#\s*(\w+)\s*(.*))?$")
PLAN = re.compile(r"^1\.\.(\d+)(?:\s*#\s*skip\s*(.*))?$", re.I)
TAIL_LINES = 60


def cases(stdout):
    """-> list of (outcome, name, why), number of cases announced or None"""
    found, plan, said = [], None, ""
    for line in stdout.splitlines():
        m = PLAN.match(line)
        if m:
            plan = int(m.group(1))
            if plan == 0:
                found.append(("skipped", "", m.group(2) or "no reason given"))
            continue
        m = CASE.match(line)
        if not m:
            said = line.strip("# \t")
            continue
        bad, _, name, directive, why = m.groups()
        if directive and directive.lower().startswith("skip"):
            # cmocka has the name there, and the reason on the line before
            if not name.strip():
                name, why = why, said
            found.append(("skipped", name.strip(), why or "no reason given"))
        else:
            found.append(("failed" if bad else "passed", name.strip(), ""))
        said = ""
    return found, plan


def judge(test):
    """One test program -> list of (outcome, name, why)"""
    found, plan = cases(test.get("stdout", ""))
    ran = sum(1 for f in found if f != ("skipped", "", f[2]) or plan != 0)
    if any(f[0] == "failed" for f in found):
        return found
    if plan is None and not found:
        found.append(("failed", "", "printed no test result"))
    elif plan and ran != plan:
        found.append(("failed", "", f"announced {plan} cases, ran {ran}"))
    elif test["returncode"] or test["result"] in ("ERROR", "TIMEOUT",
                                                  "INTERRUPT"):
        # FAIL with status 0 is meson's reading of cmocka's "not ok # SKIP"
        found.append(("failed", "", "%s, exit status %s" % (
            test["result"].lower(), test["returncode"])))
    return found


def main(args):
    count = {"passed": 0, "failed": 0, "skipped": 0}
    skipped = []
    for arg in args:
        build, path = arg.split("=", 1)
        with open(path, encoding="utf-8", errors="replace") as f:
            tests = [json.loads(line) for line in f]
        for test in tests:
            result = judge(test)
            for outcome, name, why in result:
                count[outcome] += 1
                full = ": ".join(x for x in (build, test["name"], name) if x)
                line = f"{outcome}: {full}" + (f" ({why})" if why else "")
                if outcome == "failed":
                    print(line)
                elif outcome == "skipped":
                    skipped.append(line)
            if any(r[0] == "failed" for r in result):
                text = test.get("stdout", "") + test.get("stderr", "")
                for line in text.splitlines()[-TAIL_LINES:]:
                    print("    " + line)
    for line in skipped:
        print(line)
    print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % count)
    return 0 if count["passed"] and not count["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
