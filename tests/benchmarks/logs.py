"""Raw logs of any size: lines of the shared conversations in a new order, with times, numbers and names that differ."""

import random
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from tests.conftest import SHARED

FIRST_DAY = date(2023, 1, 1)
LINES_OF_A_TURN = 6
SHORTEST_LINE = 20
"""Characters: shorter lines are headings and blanks."""


def spoken_lines(folders: tuple[str, ...] = ("memaware", "memorybank-en", "memorybank-cn")) -> list[str]:
    """What was said in the shared data sets, a line each."""
    notes = (note for folder in folders for note in sorted((SHARED / folder).rglob("*.md")))
    lines = (line.strip("- \n") for note in notes for line in note.read_text("utf-8").splitlines())
    return [line for line in lines if len(line) >= SHORTEST_LINE and not line.startswith("#")]


def write_logs(folder: Path, files: int, size: int, seed: int = 5) -> int:
    """Writes so many logs of about `size` bytes each, days and transcripts in turn; gives their bytes."""
    chance, lines, written = random.Random(seed), spoken_lines(), 0
    for number in range(files):
        day = FIRST_DAY + timedelta(days=number)
        note = folder / (f"memory/{day}.md" if number % 2 else f"raw/conversations/{day:%Y/%m/%d}/0800-ses_{number}.md")
        note.parent.mkdir(parents=True, exist_ok=True)
        written += note.write_bytes(b"".join(_log(chance, lines, day, size, is_day=number % 2 == 1)))
    return written


def _log(chance: random.Random, lines: list[str], day: date, size: int, *, is_day: bool) -> Iterator[bytes]:
    first = f"# {day}\n".encode()
    left, turn = size - len(first), 0
    yield first
    while left > 0:
        part = _turn(chance, lines, turn, is_day=is_day).encode()[:left]
        yield part.decode("utf-8", "ignore").encode()
        left, turn = left - len(part), turn + 1


def _turn(chance: random.Random, lines: list[str], turn: int, *, is_day: bool) -> str:
    """Some lines under the time and the session, or the role, that they belong to."""
    clock = f"{turn // 60 % 24:02}:{turn % 60:02}"
    said = (_varied(chance, line) for line in chance.choices(lines, k=LINES_OF_A_TURN))
    head = (
        f"## {clock} ses_{chance.getrandbits(40):010x}" if is_day else f"## {clock} — {('user', 'assistant')[turn % 2]}"
    )
    return f"\n{head}\n\n" + "".join(f"- {line}\n" if is_day else f"{line}\n" for line in said)


def _varied(chance: random.Random, line: str) -> str:
    """A line that occurs nowhere else: every other one names a number, an identifier or a file of its own."""
    match chance.randrange(6):
        case 0:
            return f"{line} (request {chance.getrandbits(32):08x})"
        case 1:
            return f"{line} That took {chance.randrange(100_000)} ms."
        case 2:
            return f"`src/part{chance.randrange(5_000)}/module_{chance.randrange(300)}.py`: {line}"
        case _:
            return line
