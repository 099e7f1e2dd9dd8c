# SPDX-License-Identifier: GPL-2.0-or-later
"""Series that break one architecture only, on all three.

Needs half an hour for the warm bases of three architectures, once, so it has to
be asked for: "MMCI_TEST_ARCHES=1 meson test --suite arches" as root. Cases run in
order.
"""
import email
import email.policy
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.environ["MMCI_TOP"], "tests", "e2e"))
from harness import (Daemon, Skip, check, contains, equal,  # noqa: E402
                     install, needs_root, note, run_cases)

ARCHES = ("x86_64", "arm64", "s390")
MATRIX = """arches = {x86_64, arm64, s390}
	kconfigs = {small}
	selftests = {madv_populate, map_fixed_noreplace, mkdirty, thuge-gen}"""
# wants 1 GiB pages, which these guests have not, and says so by failing
FAILS_ON_BASE = "thuge-gen"
# from nothing: three bases; warm: boots, each up to five times on both sides
BASES_S = 3 * 3600
RUNS_S = 3600

d = None


def cleanup():
    if d:
        d.stop()


def the_daemon_starts():
    global d
    needs_root()
    if not os.environ.get("MMCI_TEST_ARCHES"):
        raise Skip("MMCI_TEST_ARCHES is not set")
    d = Daemon(install(), "arches")
    d.configure(matrix=MATRIX)
    d.start()
    d.add_base_tree()


def started():
    if not d:
        raise Skip("the daemon did not start")


def submit(name):
    """-> key of the series"""
    path = os.path.join(HERE, name)
    status, out, err = d.mmci("submit", path, token=d.admin_token())
    equal(status, 0, f"submit {name}: {out}{err}")
    with open(path, encoding="utf-8") as f:
        first = email.message_from_string(f.read().split("\n", 1)[1])
    return first["Message-Id"].strip("<>")


def blamed(v):
    return [f for f in v["findings"] if f["blame"] == "series"
            and not f.get("leader_id")]


def reply_to(part):
    found = []
    for text in d.replies():
        m = email.message_from_string(text, policy=email.policy.default)
        if part in m["In-Reply-To"]:
            found.append(m)
    equal(len(found), 1, f"replies to {part}")
    return found[0].get_content()


def an_oops_at_boot_on_arm64_alone():
    started()
    v = d.wait_series(submit("arm64-boot.mbox"), BASES_S)
    note(v["verdict"] + ": " + v["verdict_why"])
    equal(v["verdict"], "broken", "verdict")
    found = blamed(v)
    check(found, "nothing was found")
    for f in found:
        equal((f["arch"], f["number"]), ("arm64", 2),
              f"place of {f['message']}")
    check(any(f["stage"] == "boot" for f in found), "no finding at boot")
    contains(found[0]["message"], "NULL pointer dereference", "title")
    body = reply_to("b48380d4437b17c816e4a965b385afc875769283")
    contains(body, "asids_init", "console in the reply")
    contains(body, "Unable to handle kernel NULL pointer", "reply")


def a_selftest_broken_on_s390_alone():
    started()
    v = d.wait_series(submit("s390-mkdirty.mbox"), RUNS_S)
    note(v["verdict"] + ": " + v["verdict_why"])
    equal(v["verdict"], "broken", "verdict")
    found = blamed(v)
    check(found, "nothing was found")
    for f in found:
        equal((f["arch"], f["number"], f["stage"]), ("s390", 2, "test"),
              f"place of {f['message']}")
    equal([f["message"] for f in found], ["mkdirty failed"], "findings")


def the_other_architectures_are_well():
    started()
    for v in d.get("/api/v1/series")["items"]:
        whole = d.series(v["key"])
        for j in whole["jobs"]:
            if j["kind"] in ("boot", "test") and j["arch"] == "x86_64":
                check(j["state"] == "passed" or j["kind"] == "test",
                      f"job {j['id']} of {v['title']}: {j['state']}")


def what_fails_on_the_base_too_is_nobodys_fault():
    started()
    seen = 0
    for v in d.get("/api/v1/series")["items"]:
        whole = d.series(v["key"])
        for t in whole["tests"]["list"]:
            if FAILS_ON_BASE in t["name"] and t["status"] == "failed":
                equal(t["base_status"], "failed", f"{t['name']} on the base")
                seen += 1
        check(not any(FAILS_ON_BASE in f["message"] for f in blamed(whole)),
              f"{v['title']} is blamed for {FAILS_ON_BASE}")
        check(not any(FAILS_ON_BASE in text for text in d.replies()),
              f"a reply speaks of {FAILS_ON_BASE}")
    check(seen, f"{FAILS_ON_BASE} has not failed anywhere")


if __name__ == "__main__":
    run_cases([
        the_daemon_starts,
        an_oops_at_boot_on_arm64_alone,
        a_selftest_broken_on_s390_alone,
        the_other_architectures_are_well,
        what_fails_on_the_base_too_is_nobodys_fault,
    ], cleanup)
