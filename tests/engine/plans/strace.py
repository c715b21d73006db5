"""Black-box faults: strace kills, or fails, the n-th system call of a kind in a waiting child of the zygote."""

import functools
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.engine.plans.zygote import Zygote

WRITERS = (
    "openat",
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "ftruncate",
    "fchmod",
    "fchown",
)
"""Every system call with which Python or libc can change a file; the kernel's table may lack some of them."""

Point = tuple[str, int]
"""A system call and which one of its kind, from 1."""


@functools.cache
def need_strace() -> str:
    """The path of strace; skips with the reason where it is missing or may not trace."""
    found = shutil.which("strace")
    if found is None:
        pytest.skip("strace is not installed: the failpoints cover the same steps")
    probe = subprocess.run([found, "-o", "/dev/null", "true"], capture_output=True, check=False)
    if probe.returncode != 0:
        pytest.skip(f"ptrace is not permitted here: {probe.stderr.decode().strip()[:100]}")
    return found


def traced(zygote: Zygote, scenario: str, place: Path, options: list[str], log: Path) -> dict[str, Any]:
    """Runs the scenario's child under strace with these options, attached before its first step."""
    go = place / "opened-go"
    go.unlink(missing_ok=True)
    pid = zygote.start(scenario, place, go)
    command = [need_strace(), "-p", str(pid), "-o", str(log), *options]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert tracer.stderr is not None
    said = tracer.stderr.readline()
    assert "attached" in said, said
    go.touch()
    answer = zygote.join()
    tracer.stderr.read()
    tracer.wait()
    return answer


def points(zygote: Zygote, scenario: str, place: Path) -> list[Point]:
    """Every write-class system call that an unharmed run makes, in order."""
    log = place / "opened-log"
    answer = traced(zygote, scenario, place, ["-e", f"trace=?{',?'.join(WRITERS)}"], log)
    assert answer["code"] == 0, answer
    counted: Counter[str] = Counter()
    found = []
    for line in log.read_text().splitlines():
        call = re.match(r"(\w+)\(", line)
        if call is None:
            continue
        counted[call[1]] += 1
        if call[1] != "openat" or "O_CREAT" in line:
            found.append((call[1], counted[call[1]]))
    return found


def inject(
    zygote: Zygote, scenario: str, place: Path, point: Point, what: str, lasting: bool = False
) -> dict[str, Any]:
    """Runs with one fault: `what` is `signal=KILL` or `error=ENOSPC` and the like."""
    call, which = point
    when = f"{which}+" if lasting else str(which)
    options = ["-e", f"trace={call}", "-e", f"inject={call}:{what}:when={when}"]
    return traced(zygote, scenario, place, options, Path("/dev/null"))
