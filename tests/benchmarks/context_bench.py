"""The context compiler at 10,000 files: the first message of a session, another one, and what platforms load."""

import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from engine.context.platforms.platform import SessionKind
from engine.services.engine import Engine
from tests.benchmarks.figure import Figure
from tests.benchmarks.search_bench import SECTIONS, Language, make_notes

NOW = datetime(2026, 3, 15, 3, tzinfo=UTC)
FILES = 10_000
MESSAGES = 30
TURNS = 200


def ratios() -> list[Figure]:
    """CPU milliseconds of this process: what it does, not what others leave it."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "agent"
        language = Language()
        _make(folder, language)
        env = {f"XDG_{name}_HOME": f"{base}/{name.lower()}" for name in ("STATE", "CONFIG", "CACHE")}
        with Engine.open(folder, env=env, clock=lambda: NOW) as console:
            console.search.index()
            console.context.compile("warm up", SessionKind.MAIN)  # loads vectors, scorer and the ranks of the tokens
            messages = [" ".join(language.asked(6)) for _ in range(2 * MESSAGES)]
            looked = [_spent(_compile(console, message, look=True)) for message in messages[:MESSAGES]]
            others = [_spent(_compile(console, message, look=False)) for message in messages[MESSAGES:]]
            loads = [_spent(lambda: console.context.loads(SessionKind.MAIN)) for _ in range(MESSAGES)]
        detail = f"CPU, {FILES:,} files, {TURNS} turns, 8,192 tokens"
        return [
            Figure("compile, workspace listed anew", median(looked), 100, "ms", detail),
            Figure("compile, another message of the session", median(others), 25, "ms", detail),
            Figure("what six platforms load", median(loads), 25, "ms", "CPU"),
        ]


def _make(folder: Path, language: Language) -> None:
    make_notes(folder, FILES * SECTIONS)
    for path, lines in {
        "SOUL.md": 20,
        "USER.md": 20,
        "MEMORY.md": 180,
        "knowledge/projects/_active.md": 10,
        "knowledge/journal/2026-03-15.md": 30,
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("\n".join(f"- {' '.join(language.words(12))}" for _ in range(lines)))
    turns = "\n".join(
        f"## 0{n % 10}:{n % 60:02d} — {'user' if n % 2 else 'agent'}\n{' '.join(language.words(30))}\n"
        for n in range(TURNS)
    )
    session = folder / "raw/conversations/2026/03/14/0100-ses_a1-work.md"
    session.parent.mkdir(parents=True)
    session.write_text(f"---\nsession_id: ses_a1\nstarted: 2026-03-14T01:00:00Z\n---\n\n{turns}")


def _compile(console: Engine, message: str, *, look: bool) -> Callable[[], object]:
    return lambda: console.context.compile(message, SessionKind.MAIN, look=look)


def _spent(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return 1e3 * (time.process_time() - start)
