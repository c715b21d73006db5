"""The what-if clock scrubbed at 1,000 notes: from a key until gauges, triggers, tree and queue are of its instant.

The console runs in this process, so that it can be asked which instant it shows; the notes lie on the disk.
"""

import asyncio
import random
import tempfile
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from engine.services.engine import Engine
from tests.benchmarks.figure import Figure
from tui.app import MemdeckApp
from tui.bridge.engine_source import Opening

NOTES = 1_000
_KEYS = 60
_NOW = datetime(2026, 3, 15, 9, 30, tzinfo=UTC)


def make_notes(folder: Path, notes: int = NOTES) -> None:
    """Half daily logs, half notes of working and episodic memory, of the last years."""
    chance = random.Random(1)
    words = [f"word{number}" for number in range(300)]
    for number in range(notes):
        day = _NOW.date() - timedelta(days=number // 2 + 1)
        said = "".join(f"- {' '.join(chance.choices(words, k=9))}\n" for _ in range(12))
        path = folder / _path(number, day)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {day}\n\n## thing {number % 9} [project]\n{said}", "utf-8")


def _path(number: int, day: date) -> str:
    if number % 2:
        return f"memory/{day}.md"
    return f"memory/{'working' if number < 60 else 'episodic'}/{day}-note-{number}.md"


def ratios() -> list[Figure]:
    """p95 of a key of the scrub, on the Overview and with the Tree in front."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "silas"
        make_notes(folder)
        env = {"XDG_STATE_HOME": f"{base}/state", "XDG_CONFIG_HOME": f"{base}/config", "HOME": base}
        engine = Engine.open(folder, env=env, clock=lambda: _NOW)
        overview, tree = asyncio.run(_scrubbed(engine))
    return [
        Figure(f"what-if clock, a step at {NOTES:,} notes, p95", _p95(overview), 100, "ms", "on the Overview"),
        Figure("the same with the Tree in front", _p95(tree), 100, "ms"),
    ]


async def _scrubbed(engine: Engine) -> tuple[list[float], list[float]]:
    app = MemdeckApp(Opening(engine.workspace, lambda: engine))
    async with app.run_test(size=(120, 36)) as pilot:
        while app.status is None or app.bridge.work is not None:
            await asyncio.sleep(0.05)
        await pilot.pause(0.5)
        overview = [await _step(app, "right" if number % 20 < 15 else "left") for number in range(_KEYS)]
        await pilot.press("3")
        await pilot.pause(1.0)
        tree = [await _step(app, "shift+right" if number % 20 < 15 else "shift+left") for number in range(_KEYS)]
    return sorted(overview), sorted(tree)


async def _step(app: MemdeckApp, key: str) -> float:
    """Milliseconds from a key until its instant is on screen."""
    from textual.events import Key

    before = app.status.now if app.status is not None else None
    began = time.perf_counter()
    app.post_message(Key(key, None))
    while app.status is None or app.status.now == before:
        await asyncio.sleep(0.0005)
    taken = (time.perf_counter() - began) * 1000
    await asyncio.sleep(0.15)
    return taken


def _p95(sorted_times: list[float]) -> float:
    return sorted_times[int(len(sorted_times) * 0.95)]
