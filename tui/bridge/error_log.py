"""Keeps the last unexpected errors by type and place, for a bug report without anybody's content."""

import json
import os
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import engine
from engine.state.folder import state_home

NAME = "errors.jsonl"
KEPT = 20  # errors that are kept; older ones go
_LARGEST = 64 * 1024  # bytes of the file from which it is cut to the kept ones
_FRAMES = 12  # frames of an error that the log keeps, those nearest to it
_ROOT = Path(engine.__file__).parents[1]


def record(error: BaseException, part: str) -> None:
    """Logs an error's type and lines, never its message, which may quote a note; without a writable disk nothing."""
    line = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": engine.__version__,
        "part": part,
        "error": type(error).__name__,
        "frames": frames(error),
    }
    file = state_home(os.environ) / NAME
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _cut(file)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(file, flags, 0o600), "a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")


def last_errors() -> tuple[str, ...]:
    """Returns the last lines of the log, the oldest first; empty without a log."""
    try:
        return tuple((state_home(os.environ) / NAME).read_text("utf-8", errors="replace").splitlines()[-KEPT:])
    except OSError:
        return ()


def frames(error: BaseException) -> list[str]:
    """Returns the innermost program lines that an error came through: `engine/text/x.py:12 function`."""
    innermost = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    return [f"{_place(Path(frame.filename))}:{frame.lineno} {frame.name}" for frame in innermost]


def _place(file: Path) -> str:
    return str(file.relative_to(_ROOT)) if file.is_relative_to(_ROOT) else file.name


def _cut(file: Path) -> None:
    if file.exists() and file.stat().st_size > _LARGEST:
        short = file.with_name(f"{NAME}.{os.getpid()}")
        short.write_text("".join(f"{line}\n" for line in last_errors()), "utf-8")
        short.chmod(0o600)
        short.replace(file)
