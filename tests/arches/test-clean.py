# SPDX-License-Identifier: GPL-2.0-or-later
"""An incremental build says what a clean one says, patch after patch.

Ten patches, to sources, headers, Kconfig and Makefile, are built one after
another over a warm base as any series is; beside it each of the ten kernels is
configured and its mm/ built from nothing. Every unit must say the same. Takes
a quarter of an hour, so it has to be asked for:
"MMCI_TEST_ARCHES=1 meson test arches/clean" as root.
"""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["MMCI_TOP"], "tests", "e2e"))
from harness import (BUILD, KCONFIG, TOP, Skip, base_repository,  # noqa: E402
                     check, equal, install, needs_root, note, run_cases,
                     scratch)

UNUSED = "\tint mmci_%s;\n"
KCONFIG_ADD = """
config MMCI_BRANCH
	def_bool y

config MMCI_FILE
	def_bool y
"""
NEW_FILE = """// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>

int mmci_undeclared(void);
static int mmci_unused_function(void)
{
	return 1;
}

int mmci_new_file(void)
{
	return 0;
}
"""
HEADER = "include/linux/mm_inline.h"
INLINE = """
static inline int mmci_inline(int x)
{
	int unused_in_a_header;

	return x;
}
"""


def into(name, function, line):
    """A change that puts a line at the beginning of a function's body"""
    def change(read):
        text = read(name)
        at = re.search(r"(?m)^[a-z][^;{}=]*\b%s\([^;{}]*\)\n\{\n" % function,
                       text)
        check(at, f"{name} has no {function}()")
        return {name: text[:at.end()] + line + text[at.end():]}
    return change


def swap(name, old, new):
    def change(read):
        text = read(name)
        check(old in text, f"{name} has no {old!r}")
        return {name: text.replace(old, new, 1)}
    return change


def append(name, more):
    return lambda read: {name: read(name) + more}


def before_last_endif(name, more):
    def change(read):
        text = read(name)
        at = text.rindex("#endif")
        return {name: text[:at] + more.lstrip("\n") + "\n" + text[at:]}
    return change


def new_file(read):
    return {"mm/mmci.c": NEW_FILE,
            "mm/Makefile": read("mm/Makefile")
            + "\nobj-$(CONFIG_MMCI_FILE) += mmci.o\n"}


PATCHES = [
    ("a warning in a source", into("mm/mprotect.c", "mprotect_fixup",
                                   UNUSED % "one")),
    ("a warning in a header", before_last_endif(HEADER, INLINE)),
    ("symbols in Kconfig", append("mm/Kconfig", KCONFIG_ADD)),
    ("a file and its Makefile", new_file),
    ("a warning under a symbol",
     into("mm/mmap.c", "vm_stat_account",
          "#ifdef CONFIG_MMCI_BRANCH\n" + UNUSED % "two" + "#endif\n")),
    ("the symbol off", swap("mm/Kconfig",
                            "config MMCI_BRANCH\n\tdef_bool y",
                            "config MMCI_BRANCH\n\tdef_bool n")),
    ("a comment in a header that all include",
     before_last_endif("include/linux/huge_mm.h", "/* nothing */")),
    ("the first warning gone", swap("mm/mprotect.c", UNUSED % "one", "")),
    ("the header's warning gone", swap(HEADER,
                                       "\tint unused_in_a_header;\n\n", "")),
    ("a function without a prototype",
     append("mm/page_alloc.c", "\nint mmci_global(void)\n{\n\treturn 0;\n}\n")),
]

top = None
commits = []
built = None


def git(*args, data=None, env=None):
    p = subprocess.run(["git", "--git-dir", os.path.join(top, "trees.git"),
                        *args], input=data, check=True,
                       stdout=subprocess.PIPE, env={**os.environ,
                                                    **(env or {})})
    return p.stdout


def commit(parent, title, files):
    index = {"GIT_INDEX_FILE": os.path.join(top, "index")}
    who = {f"GIT_{w}_{k}": v for w in ("AUTHOR", "COMMITTER") for k, v in
           (("NAME", "Clea Compare"), ("EMAIL", "clea@example.org"))}
    git("read-tree", parent, env=index)
    for name, text in files.items():
        blob = git("hash-object", "-w", "--stdin", data=text.encode())
        git("update-index", "--add", "--cacheinfo",
            f"100644,{blob.decode().strip()},{name}", env=index)
    tree = git("write-tree", env=index).decode().strip()
    return git("commit-tree", tree, "-p", parent, "-m", title,
               env={**index, **who}).decode().strip()


def job(kind, patches):
    """Run mmci-run on a job -> its result"""
    path = os.path.join(top, kind)
    fragment = os.path.join(TOP, "deploy", "kconfig", KCONFIG + "-x86_64.config")
    os.makedirs(path)
    with open(fragment, encoding="utf-8") as f:
        text = f.read()
    with open(os.path.join(path, "job.json"), "w", encoding="utf-8") as f:
        json.dump({"kind": kind, "arch": "x86_64", "kconfig": KCONFIG,
                   "kconfig_text": text, "toolchain": "gcc",
                   "git_dir": os.path.join(top, "trees.git"),
                   "base_commit": commits[0][1],
                   "src_dir": os.path.join(top, "src"),
                   "warm_dir": os.path.join(top, "warm"),
                   "patches": patches, "selftests": ["map_fixed_noreplace"],
                   "build_uid": 65534, "build_gid": 65534,
                   "make_jobs": os.cpu_count(), "timeout_s": 3600,
                   "memory_mib": 4096, "disk_mib": 8192, "output_mib": 64,
                   "processes": 512}, f)
    subprocess.run([os.path.join(BUILD, "server", "mmci-run"), path],
                   check=False, stderr=subprocess.DEVNULL)
    with open(os.path.join(path, "result.json"), encoding="utf-8") as f:
        return json.load(f)


def said(units):
    """-> {target: what it said, sorted}; notes belong to what they explain"""
    out = {}
    for u in units:
        if not u["target"].startswith("mm/"):
            continue
        out[u["target"]] = sorted(
            (d["severity"], d["option"], d["file"], d["function"],
             d["message"]) for d in u["diagnostics"]
            if d["severity"] != "note")
    return out


def ten_patches_are_built_over_a_warm_base():
    global top, built
    needs_root()
    if not os.environ.get("MMCI_TEST_ARCHES"):
        raise Skip("MMCI_TEST_ARCHES is not set")
    repo = base_repository(install())
    top = os.path.join(scratch(), "clean")
    os.makedirs(top)
    os.chmod(top, 0o755)
    subprocess.run(["git", "init", "-q", "--bare",
                    os.path.join(top, "trees.git")], check=True)
    with open(os.path.join(top, "trees.git", "objects", "info", "alternates"),
              "w", encoding="utf-8") as f:
        f.write(os.path.join(os.path.abspath(repo), "objects") + "\n")
    base = subprocess.run(["git", "--git-dir", repo, "for-each-ref",
                           "--format=%(objectname)", "refs/trees/"],
                          check=True, stdout=subprocess.PIPE,
                          text=True).stdout.split()[0]
    commits.append(("base", base))
    for title, change in PATCHES:
        at = commits[-1][1]

        def read(name, at=at):
            return git("show", f"{at}:{name}").decode()
        commits.append((title, commit(at, title, change(read))))
    first = job("base", [])
    equal(first["outcome"], "passed", f"base: {first['summary']}")
    whole = job("build", [{"number": i, "commit": c, "title": t}
                          for i, (t, c) in enumerate(commits) if i])
    note(whole["summary"])
    equal(whole["outcome"], "passed", "build")
    built = said(first["patches"][0]["units"]), whole["patches"]
    equal([p["number"] for p in built[1]], list(range(1, 11)), "patches")


def each_says_what_a_clean_build_says():
    if not built:
        raise Skip("nothing was built")
    state, patches = built
    src = os.path.join(top, "tree")
    os.makedirs(src)
    tar = subprocess.Popen(["git", "--git-dir", os.path.join(top, "trees.git"),
                            "archive", commits[0][1]], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", src], stdin=tar.stdout, check=True)
    equal(tar.wait(), 0, "git archive")
    ever = set()
    for p in patches:
        number = p["number"]
        changed = git("diff", "--name-only", commits[number - 1][1],
                      commits[number][1]).decode().split()
        for name in changed:
            with open(os.path.join(src, name), "wb") as f:
                f.write(git("show", f"{commits[number][1]}:{name}"))
        state.update(said(p["units"]))
        clean = clean_build(src)
        wrong = [t for t in sorted(set(clean) | set(state))
                 if clean.get(t) != state.get(t)]
        warnings = {w for ws in clean.values() for w in ws}
        ever |= warnings
        note(f"{number}/10 {commits[number][0]}: {len(clean)} units, "
             f"{len(said(p['units']))} of them built again, "
             f"{len(warnings)} warnings, {len(wrong)} units differ")
        check(not wrong, f"{number}/10: {wrong[0] if wrong else ''}: clean "
                         f"{clean.get(wrong[0]) if wrong else ''}, "
                         f"incremental {state.get(wrong[0]) if wrong else ''}")
    for word in ("mmci_one", "mmci_two", "unused_in_a_header",
                 "mmci_unused_function", "mmci_global"):
        check(any(word in w[4] for w in ever), f"nothing ever said {word}")


def clean_build(src):
    """Configure and build mm/ from nothing -> {target: what it said}"""
    out = os.path.join(top, "out")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    fragment = os.path.join(TOP, "deploy", "kconfig", KCONFIG + "-x86_64.config")
    make = ["make", "-C", src, f"O={out}", "ARCH=x86_64", "-k", "-Otarget",
            "--no-print-directory", f"-j{os.cpu_count()}"]
    subprocess.run(make + [f"KCONFIG_ALLCONFIG={fragment}", "tinyconfig"],
                   check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    log = os.path.join(top, "log")
    with open(log, "wb") as f:
        subprocess.run(make + ["W=1", "mm/"], check=True, stdout=f,
                       stderr=subprocess.STDOUT)
    with open(log, "rb") as f:
        text = f.read().replace(src.encode() + b"/", b"")
    with open(log, "wb") as f:
        f.write(text.replace(b"../tree/", b""))
    parsed = subprocess.run([os.path.join(BUILD, "server", "mmci"), "parse",
                             "build-log", log, "--json"], check=True,
                            stdout=subprocess.PIPE)
    return said(json.loads(parsed.stdout)["units"])


def cleanup():
    if top:
        shutil.rmtree(top, ignore_errors=True)


if __name__ == "__main__":
    run_cases([
        ten_patches_are_built_over_a_warm_base,
        each_says_what_a_clean_build_says,
    ], cleanup)
