"""A session of 5,000 turns with results of 1 MB that fills 200,000 tokens: its window at each new turn, its flush."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from engine.services.engine import Engine
from engine.services.flush_sessions import flush_session
from engine.sessions.folder import SessionFolder
from tests.benchmarks.figure import Figure
from tests.engine.sessions.window_logs import answer, result, said

TURNS, RESULTS = 5_000, 40
WINDOW, MEGABYTE = 200_000, 1_000_000
NEW = 20
SPOKEN = "We looked at the depot and at the queue, and went on with what was left of the migration there. "


def ratios() -> list[Figure]:
    """CPU milliseconds of this process: what it does, not what others leave it."""
    with tempfile.TemporaryDirectory() as base:
        log = Path(base) / "claude" / "s-1.jsonl"
        log.parent.mkdir()
        (Path(base) / "agent/memory").mkdir(parents=True)
        (Path(base) / "agent/memory/2026-03-15.md").write_text("# day\n")
        log.write_text("".join(map(_turn, range(1, TURNS + 1))))
        env = {f"XDG_{name}_HOME": f"{base}/{name.lower()}" for name in ("STATE", "CONFIG", "CACHE")}
        with Engine.open(Path(base) / "agent", env=env) as console:
            console.sessions.follow(log.parent)
            first = _spent(console.windows.sessions)
            turns = [_after(log, number, console.windows.sessions) for number in range(NEW)]
            made = console.plans.make("flush")  # loads the summariser and the counter of tokens
            assert made.plan is not None, made.reason_no_action
            flush = _spent(lambda: console.plans.make("flush"))
            place = SessionFolder.open(log.parent)
            read = _spent(lambda: flush_session(place, log.name, {}))
            place.close()
        detail = f"CPU, {TURNS:,} turns, {RESULTS} results of 1 MB"
        return [
            Figure("window of a session at a new turn with 1 MB", median(turns), 50, "ms", detail),
            Figure("the same, read for the first time", first, 3_000, "ms", detail),
            Figure("flush of the whole session, planned offline", flush, 3_000, "ms", detail),
            Figure("the same against reading its file", flush / read, 4, "×", detail),
        ]


def _turn(number: int) -> str:
    """A question, a call's result of 1 MB now and then, and an answer of which each tenth says something lasting."""
    lasting = f"Decision: keep route {number} | Rationale: it is tested\n- keep {number} [CURATE]\n"
    text = f"{SPOKEN * 2}\n{lasting if number % 10 == 0 else ''}"
    big = result(MEGABYTE // 2, uuid=f"r{number}") if number % (TURNS // RESULTS) == 0 else ""
    return (
        said(f"turn {number}", uuid=f"u{number}")
        + big
        + answer(f"m{number}", (0, WINDOW * number // TURNS, 0), text=text)
    )


def _after(log: Path, number: int, look: Callable[[], object]) -> float:
    """The time of a look once the session went on by a turn."""
    with log.open("a") as file:
        file.write(result(MEGABYTE // 2, uuid=f"n{number}") + answer(f"x{number}", (0, WINDOW, 0)))
    return _spent(look)


def _spent(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return 1e3 * (time.process_time() - start)
