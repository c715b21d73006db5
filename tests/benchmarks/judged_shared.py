"""What the parts of the judged evaluation share: places to work in, sessions caught there, and figures."""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from engine.services.capture import CaptureProblem
from engine.services.engine import Engine
from tests.benchmarks.corpora.judged import Item
from tests.benchmarks.evaluate_survival import interval, share

Row = tuple[str, str, str]
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


class Place(NamedTuple):
    """A workspace of its own in a folder of its own, with nobody's state or policy."""

    base: Path
    workspace: Path
    env: Mapping[str, str]

    def open(self, now: datetime = NOW) -> Engine:
        return Engine.open(self.workspace, env=self.env, clock=lambda: now)


@contextmanager
def place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="memdeck-judged-") as name:
        base = Path(name)
        (base / "agent/knowledge").mkdir(parents=True)
        homes = {f"XDG_{kind}_HOME": str(base / kind.lower()) for kind in ("STATE", "CONFIG", "CACHE")}
        yield Place(base, base / "agent", {**homes, "HOME": name, "PATH": os.environ["PATH"]})


def caught(engine: Engine, name: str, turns: Sequence[Item], day: str = "2026-11-10") -> str:
    """Captures one session, a turn a minute from ten o'clock on, and gives the path of its transcript."""

    def event(kind: str, **more: str) -> bytes:
        return json.dumps({"event": kind, **more}).encode() + b"\n"

    times = [f"{day}T10:{minute:02}:00Z" for minute in range(len(turns) + 2)]
    said = (
        event("message", role=one["role"], content=one["text"], time=at)
        for one, at in zip(turns, times[1:-1], strict=True)
    )
    lines = [event("start", session_id=name, started=times[0]), *said, event("end", ended=times[-1])]
    *_, last = engine.capture.record(lines)
    if isinstance(last, CaptureProblem):
        raise ValueError(f"{name}: {last.what}")
    return last.path


def compared(
    name: str, product: Sequence[float], keyword: Sequence[float], placebo: Sequence[float], note: str = ""
) -> Row:
    """A row for one score an item, beside both others; the interval is that of the gain over the keyword rule."""
    gains = [mine - theirs for mine, theirs in zip(product, keyword, strict=True)]
    low, high = interval(gains, range(len(gains)))
    gain = f"gain {share(gains):+.2f} [{low:+.2f}, {high:+.2f}]"
    beside = f"keyword {share(keyword):.2f}, placebo {share(placebo):.2f}; {gain}"
    return name, f"{sum(product):.0f}/{len(product)}", f"{beside}{'; ' if note else ''}{note}"
