"""Reads the demonstration's texts and fills in their dates and numbers, the same for the same day."""

import hashlib
import re
from collections.abc import Iterator
from datetime import date, timedelta
from importlib.resources import files

_PART = re.compile(r"^@@ (.+)\n", re.MULTILINE)
_DAY = re.compile(r"\{\{(-?\d+)\}\}")
_NUMBER = re.compile(r"\{\{(\d+)\.\.(\d+)\}\}")


def parts(name: str) -> Iterator[tuple[str, str]]:
    """Header and text of each part of `content/<name>.txt`; what stands before the first part is a remark."""
    text = files("engine.demo.content").joinpath(f"{name}.txt").read_text(encoding="utf-8")
    pieces = _PART.split(text)[1:]
    for header, body in zip(pieces[::2], pieces[1::2], strict=True):
        yield header.strip(), body.strip("\n") + "\n"


def dated_parts(name: str) -> Iterator[tuple[int, str, str]]:
    """Parts whose header is a day counted from today and a rest."""
    for header, body in parts(name):
        day, _, rest = header.partition(" ")
        yield int(day), rest, body


def fill(text: str, today: date) -> str:
    """`{{-12}}` becomes the day twelve days before `today`."""
    return _DAY.sub(lambda match: (today + timedelta(days=int(match[1]))).isoformat(), text)


def fill_numbers(text: str, seed: str) -> str:
    """`{{40..95}}` becomes a number between the two, always the same for the same place and seed."""
    return _NUMBER.sub(lambda match: str(between(int(match[1]), int(match[2]), f"{seed}:{match.start()}")), text)


def between(low: int, high: int, seed: str) -> int:
    """A number from `low` to `high`, both included, that depends on the seed alone."""
    drawn = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")
    return low + drawn % (high - low + 1)
