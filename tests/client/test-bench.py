# SPDX-License-Identifier: GPL-2.0-or-later
"""mmci bench: counts of images at hand, and how two of them differ.

Counting needs a kernel: MMCI_TEST_IMAGE_X86_64 names one.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["MMCI_TOP"], "tests", "e2e"))
from harness import (Skip, check, contains, equal, needs_root,  # noqa: E402
                     run_cases, scratch)

MMCI = os.path.join(os.environ["MMCI_BUILD"], "server", "mmci")
IMAGE = os.environ.get("MMCI_TEST_IMAGE_X86_64", "")
ONE = "mprotect.small"


def mmci(*args):
    p = subprocess.run([MMCI, *args], stdout=subprocess.PIPE, check=False,
                       stderr=subprocess.PIPE, text=True)
    return p.returncode, p.stdout, p.stderr


def counts(name, **values):
    """A file as "bench run --json" writes it"""
    path = os.path.join(scratch(), name + ".json")
    rows = [{"name": n, "unit": "instructions", "value": v, "work": 4096,
             "samples": [] if v is None else [v] * 25,
             "why": "spread 1e-2" if v is None else ""}
            for n, v in values.items()]
    with open(path, "w", encoding="ascii") as f:
        json.dump({"image": name, "arch": "x86_64", "benchmarks": rows}, f)
    return path


def the_list_has_what_can_be_counted():
    status, out, _ = mmci("bench", "list")
    equal(status, 0, "exit")
    contains(out, ONE, "list")


def equal_counts_are_the_same():
    status, out, err = mmci("bench", "compare", counts("a", one=708380),
                            counts("b", one=708380))
    equal(status, 0, f"exit: {out}{err}")
    contains(out, "same", "table")


def more_instructions_are_a_change():
    status, out, err = mmci("--json", "bench", "compare",
                            counts("a", one=708380, two=5000000),
                            counts("b", one=720668, two=5000000))
    equal(status, 1, f"exit: {out}{err}")
    rows = {r["name"]: r for r in json.loads(out)}
    equal(rows["one"]["difference"], "+12288 (+1.73 %)", "one")
    equal(rows["two"]["difference"], "same", "two")


def what_was_not_counted_is_no_difference():
    status, out, err = mmci("--json", "bench", "compare",
                            counts("a", one=708380, two=1),
                            counts("b", one=None))
    equal(status, 0, f"exit: {out}{err}")
    rows = {r["name"]: r for r in json.loads(out)}
    contains(rows["one"]["difference"], "spread 1e-2", "one")
    contains(rows["two"]["difference"], "not counted", "two")


def mistakes_are_named():
    for args, what in ((("run",), "kernel image"),
                       (("run", "/nonexistent"), "/nonexistent"),
                       (("run", "--arch", "vax", "/dev/null"), "vax"),
                       (("compare", "/dev/null"), "two")):
        status, _, err = mmci("bench", *args)
        check(status, f"{args} succeeds")
        contains(err, what, str(args))


def programs_that_were_not_built_are_named():
    """A build without a compiler for s390 has no guests of it"""
    needs_root()
    image = os.path.join(scratch(), "image")
    with open(image, "wb") as f:
        f.write(b"not asked for yet")
    status, _, err = mmci("bench", "run", "--arch", "s390", "--only", ONE,
                          "--libexec", scratch(), image)
    check(status, "succeeds without programs for its guest")
    contains(err, "guest/s390/init: not installed", "what")
    contains(err, "deploy/packages/cross.txt", "remedy")


def a_kernel_is_counted():
    needs_root()
    if not IMAGE:
        raise Skip("MMCI_TEST_IMAGE_X86_64 names no kernel")
    status, out, err = mmci("bench", "run", "--json", "--only", ONE, IMAGE)
    equal(status, 0, f"exit: {err}")
    o = json.loads(out)
    equal(o["arch"], "x86_64", "arch")
    equal([b["name"] for b in o["benchmarks"]], [ONE], "benchmarks")
    check(o["benchmarks"][0]["value"] > 100000, o["benchmarks"][0])


if __name__ == "__main__":
    run_cases([
        the_list_has_what_can_be_counted,
        equal_counts_are_the_same,
        more_instructions_are_a_change,
        what_was_not_counted_is_no_difference,
        mistakes_are_named,
        programs_that_were_not_built_are_named,
        a_kernel_is_counted,
    ])
