"""Ten notes beside their summaries and entries, for the reader's own judgement.

Each is a row of its own lines rather than of a figure: the note's first lines, the compiled file, and the entries that
come of it five weeks later. Half are what agents leave behind, half real days, drawn by the commit.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

from engine.compactor.semantic.entry import read_entries
from engine.text.document import split_lines
from engine.text.safe_text import visible_line
from tests.benchmarks import agent_notes
from tests.benchmarks.evaluate_survival import Row, episodic
from tests.benchmarks.weekly_loop import run
from tests.conftest import SHARED
from tests.turn import TURN

READ = 10
SHOWN, WIDE = 14, 150
"""Lines of a note that are shown, and characters of each line."""
FIRST = date(2026, 1, 5)


def rows() -> Iterator[Row]:
    """Every drawn note, what it was compiled to, and its entries, line by line."""
    for name, note, compiled, entries in pages(TURN):
        yield name, "", f"{len(split_lines(note)):,} lines"
        yield from (_line("note", line) for line in _head(note))
        yield from (_line("compiled", line) for line in split_lines(compiled) if line.strip())
        yield from (_line("entry", line) for line in split_lines(entries) if line.strip())
        if not entries:
            yield "", "entry", "(none)"


def pages(turn: int, most: int = READ) -> Iterator[tuple[str, str, str, str]]:
    """Name, note, compiled text and entries of `most` notes: half an agent's, half real ones."""
    agents = list(agent_notes.notes(agent_notes.SEEN, most))
    real = random.Random(turn).sample(real_notes(), most - most // 2)
    drawn = [(f"agent's note {number}", text) for number, text in enumerate(agents[: most // 2], 1)]
    days = {FIRST + timedelta(days=place): text for place, (_, text) in enumerate([*drawn, *real])}
    compiled, entries = episodic(days), entries_of(days)
    for (name, text), day in zip([*drawn, *real], days, strict=True):
        yield name, text, compiled[day], entries.get(day, "")


def entries_of(days: Mapping[date, str]) -> dict[date, str]:
    """The entries that came of each day's note, by its day, after the weekly loop."""
    found: dict[date, str] = {}
    for path, text in run(days).items():
        for entry in read_entries(text)[0] if path.startswith("memory/semantic/") else ():
            day = next((day for day in days if day.isoformat() in entry.provenance), None)
            if day is not None:
                fields = "\n".join(f"{label}: {told}" for label, told in entry.fields())
                found[day] = f"{found.get(day, '')}{fields}\n"
    return found


def real_notes() -> list[tuple[str, str]]:
    """Every real note of the data sets, by its place, in their order."""
    places = [SHARED / "memaware" / "memory", *sorted(SHARED.glob("memorybank-*/user*/memory"))]
    return [
        (str(file.relative_to(SHARED)), file.read_text("utf-8")) for at in places for file in sorted(at.glob("*.md"))
    ]


def _head(note: str) -> Sequence[str]:
    lines = [line for line in split_lines(note) if line.strip()]
    rest = len(lines) - SHOWN
    return [*lines[:SHOWN], f"… and {rest:,} more lines"] if rest > 0 else lines


def _line(kind: str, line: str) -> Row:
    text = visible_line(line)
    return "", kind, text if len(text) <= WIDE else f"{text[: WIDE - 1]}…"
