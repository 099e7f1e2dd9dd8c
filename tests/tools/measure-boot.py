#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot to verdict, against QEMU's bare command line on the same kernel.

    tests/tools/measure-boot.py BUILD ARCH=IMAGE...

BUILD is a build directory (release), IMAGE a kernel image of ARCH. Each image is
booted in turn by mmci-run, from a job directory to its result.json, and by QEMU
called directly with the same initramfs; five times, and the medians compared.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
BARE = {
    "x86_64": (["qemu-system-x86_64"], "console=ttyS0"),
    "arm64": (["qemu-system-aarch64", "-M", "virt"], "console=ttyAMA0"),
    "s390": (["qemu-system-s390x", "-M", "s390-ccw-virtio"],
             "console=ttyS0 console=ttysclp0"),
}


def seconds(argv):
    start = time.monotonic()
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def job(build, arch, image, path):
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    with open(os.path.join(path, "job.json"), "w") as f:
        json.dump({"kind": "boot", "arch": arch, "kconfig": "small",
                   "toolchain": "gcc", "image": image, "patches": [],
                   "libexec_dir": os.path.join(build, "runners"),
                   "build_uid": 65534 if os.getuid() == 0 else 0,
                   "build_gid": 65534, "make_jobs": 1, "timeout_s": 300,
                   "memory_mib": 2048, "disk_mib": 1024, "output_mib": 16,
                   "processes": 256, "keep_work": True}, f)
    return [os.path.join(build, "server", "mmci-run"), path]


def measure(build, arch, image, scratch):
    path = os.path.join(scratch, "job")
    argv, console = BARE[arch]
    bare = argv + ["-accel", "tcg", "-cpu", "max", "-m", "512", "-smp", "1",
                   "-nographic", "-no-reboot", "-kernel", image, "-initrd",
                   os.path.join(scratch, "initramfs.cpio"), "-append",
                   console + " panic=-1 quiet rdinit=/init"]
    ours, theirs = [], []
    for n in range(ROUNDS + 1):
        one = seconds(job(build, arch, image, path))
        with open(os.path.join(path, "result.json")) as f:
            result = json.load(f)
        if result["outcome"] != "passed":
            sys.exit(f"{arch}: {result['summary']}")
        shutil.copy(os.path.join(path, "work", "initramfs.cpio"), scratch)
        two = seconds(bare)
        # the first round fills caches, and probes for KVM
        if n:
            ours.append(one)
            theirs.append(two)
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"{arch}: boot to verdict {a:.2f} s, bare QEMU {b:.2f} s,"
          f" ratio {a / b:.2f} (medians of {ROUNDS})")


def main():
    build = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        for arg in sys.argv[2:]:
            arch, image = arg.split("=", 1)
            measure(build, arch, os.path.abspath(image), scratch)


if __name__ == "__main__":
    main()
