"""A process that has imported the product, and forks for each fault: a start costs a second, a fork nothing."""

import functools
import importlib
import inspect
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import msgspec
import pytest

FAILED = "FAILED "
"""Before the name of the test that noticed."""
TIME, CRASH = "time", "crash"
"""Stand for a test where the fault made a loop without an end, or where nothing could be imported any more."""


class Order(msgspec.Struct, frozen=True):
    """A fault that is in its file already, and the tests that may notice it; the code of `function` is exchanged."""

    file: str
    function: str
    tests: Sequence[str]
    limit: float
    """Seconds after which it counts as noticed: the fault has made a loop without an end."""
    fresh: bool
    """True where the module must be imported again with the fault in it."""


class Outcome(msgspec.Struct, frozen=True):
    """The answer to an order: the test that failed, `TIME` or `CRASH`; empty where all passed."""

    noticed: str


def carry_out(order: Order, log: Path) -> Outcome:
    """Runs the tests of an order in a process of its own, whose output goes to `log`."""
    child = os.fork()
    if child == 0:
        _be_child(order, log)
    ends = time.monotonic() + order.limit
    while time.monotonic() < ends:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            _end_group(child)
            return Outcome(_noticed(os.waitstatus_to_exitcode(status), log))
        time.sleep(0.02)
    _end_group(child)
    os.waitpid(child, 0)
    return Outcome(TIME)


def exchange(module: Any, function: str, source: bytes) -> bool:
    """Puts new code into the function of a module that is imported; False where that would not change it."""
    owner = module
    code: CodeType | None = compile(source, module.__file__, "exec")
    for name in function.split("."):
        thing, code = vars(owner).get(name), _inner(code, name)
        if code is None or thing is None:
            return False
        if not inspect.isclass(thing):
            plain = _plain(thing)
            if plain is None or plain.__code__ == code or plain.__code__.co_freevars != code.co_freevars:
                return False
            plain.__code__ = code
            return True
        owner = thing
    return False


def _inner(code: CodeType | None, name: str) -> CodeType | None:
    constants = code.co_consts if code is not None else ()
    return next((one for one in constants if isinstance(one, CodeType) and one.co_name == name), None)


def _plain(thing: Any) -> FunctionType | None:
    """The function below decorators."""
    if isinstance(thing, property | functools.cached_property):
        thing = thing.fget if isinstance(thing, property) else thing.func
    thing = inspect.unwrap(getattr(thing, "__func__", thing))
    return thing if isinstance(thing, FunctionType) else None


def _be_child(order: Order, log: Path) -> None:
    os.setsid()
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    listed = log.with_suffix(".tests")
    listed.write_text("\n".join(order.tests))
    words = ["-x", "-q", "-m", "not soak", "-p", "no:xdist", "--timeout=120", f"@{listed}"]
    source, name = Path(order.file).read_bytes(), order.file.removesuffix(".py").replace("/", ".")
    if order.fresh or not exchange(importlib.import_module(name), order.function, source):
        os.execv(sys.executable, [sys.executable, "-B", "-m", "pytest", *words])
    code = 3
    try:
        code = int(pytest.main(words))
    finally:
        sys.stdout.flush()
        os._exit(code)


def _noticed(code: int, log: Path) -> str:
    if code == 0:
        return ""
    lines = log.read_text("utf-8", "replace").splitlines()
    return next((line.split()[1] for line in lines if line.startswith((FAILED, "ERROR "))), CRASH)


def _end_group(child: int) -> None:
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        return


def _imported(tests: Sequence[str]) -> None:
    for module in dict.fromkeys(test.partition("::")[0] for test in tests):
        importlib.import_module(module.removesuffix(".py").replace("/", "."))


def main(answer: Callable[[bytes], None]) -> None:
    """Takes orders from the standard input, one a line; the first line names the tests to import."""
    _imported(msgspec.json.decode(sys.stdin.buffer.readline(), type=list[str]))
    log = Path(sys.argv[1])
    answer(b"ready\n")
    for line in sys.stdin.buffer:
        answer(msgspec.json.encode(carry_out(msgspec.json.decode(line, type=Order), log)) + b"\n")


if __name__ == "__main__":
    import tests.conftest  # noqa: F401

    out = os.fdopen(os.dup(1), "wb", buffering=0)
    main(out.write)  # type: ignore[arg-type]
