"""A warm, single-threaded process that forks a child for every fault: a fresh interpreter each time costs 0.3 s.

Reads one JSON command a line, answers one JSON line. Started by `Zygote`, never by hand.
"""

import ctypes
import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from engine.errors import MemdeckError
from engine.plans.apply import filesystem
from engine.state.private_files import hooked
from tests.engine.plans.campaign import SCENARIOS

KILLED = 137


class Zygote:
    """The test's end of the pipe."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.engine.plans.zygote"]
        root = Path(__file__).resolve().parents[3]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root)

    def __enter__(self) -> "Zygote":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait()

    def run(self, scenario: str, place: Path, **fault: Any) -> dict[str, Any]:
        """Runs the scenario's faulted part in a child; `code`, `steps` taken, and `error` if it said one."""
        self._send({"do": "run", "scenario": scenario, "place": str(place), **fault})
        return self._answer()

    def start(self, scenario: str, place: Path, go: Path) -> int:
        """Forks a child that waits for the file `go`; its process number."""
        self._send({"do": "start", "scenario": scenario, "place": str(place), "go": str(go)})
        return int(self._answer()["pid"])

    def join(self) -> dict[str, Any]:
        """How the started child ended."""
        self._send({"do": "join"})
        return self._answer()

    def _send(self, command: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the zygote died"
        answer: dict[str, Any] = json.loads(line)
        return answer


class Fault:
    """Kills, or fails, at step number `at`; `lasting` faults fail every later step too."""

    def __init__(self, at: int | None, kind: str, lasting: bool) -> None:
        self.at = at
        self.kind = kind
        self.lasting = lasting
        self.steps = 0

    def __call__(self, name: str) -> None:
        self.steps += 1
        if self.at is None or self.steps < self.at or (self.steps > self.at and not self.lasting):
            return
        if self.kind == "kill":
            os._exit(KILLED)
        number = getattr(errno, self.kind)
        raise OSError(number, os.strerror(number), name)


def main() -> None:
    """Serves commands until the input ends."""
    child = 0
    outcome = Path(f"/tmp/zygote-{os.getpid()}")
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] in ("run", "start"):
            outcome.unlink(missing_ok=True)
            child = os.fork()
            if child == 0:
                _child(command, outcome)
        if command["do"] == "start":
            answer: dict[str, Any] = {"pid": child}
        else:
            _, status = os.waitpid(child, 0)
            answer = {"code": os.waitstatus_to_exitcode(status)}
            if outcome.exists():
                answer |= json.loads(outcome.read_text())
        print(json.dumps(answer), flush=True)
    outcome.unlink(missing_ok=True)


def _child(command: dict[str, Any], outcome: Path) -> None:
    if "go" in command:
        _let_anyone_trace()
        while not Path(command["go"]).exists():
            time.sleep(0.001)
    _degrade(command.get("kernel", "new"))
    fault = Fault(command.get("at"), command.get("kind", "kill"), command.get("lasting", False))
    said: dict[str, Any] = {}
    try:
        with hooked(fault):
            SCENARIOS[command["scenario"]].run(Path(command["place"]))
    except MemdeckError as error:
        said = {"error": error.line(), "exit_code": error.exit_code}
    except OSError as error:
        said = {"oserror": str(error)}
    if "go" not in command:
        outcome.write_text(json.dumps({"steps": fault.steps, **said}))
    os._exit(0 if not said else 1)


def _degrade(kernel: str) -> None:
    """Makes the file system one that cannot exchange (`links`), or cannot even link (`bare`)."""
    if kernel in ("links", "bare"):
        filesystem._rename = lambda source, target, flag: False
    if kernel == "bare":
        os.link = _no_link


def _no_link(*_: object, **__: object) -> None:
    raise PermissionError(errno.EPERM, "links are not supported here")


def _let_anyone_trace() -> None:
    """Where the kernel lets only parents trace, says that strace may (PR_SET_PTRACER, any process)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1).value, 0, 0, 0)


if __name__ == "__main__":
    main()
