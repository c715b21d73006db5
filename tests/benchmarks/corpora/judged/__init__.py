"""The judged sets: inputs with known answers by an author who has not read the rules (`README.md`)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

Item = dict[str, Any]
Part = Literal["choose", "held"]
FOLDER = Path(__file__).parent


def items(part: Part, name: str) -> tuple[Item, ...]:
    """The items of one set; its first line says where it comes from and is none."""
    return tuple(_items(FOLDER / part / f"{name}.jsonl"))


def fillers() -> tuple[Item, ...]:
    """Turns of work that hold nothing, with `{f}` for a file and `{n}` for a number."""
    return tuple(_items(FOLDER / "filler.jsonl"))


def _items(file: Path) -> Iterator[Item]:
    for line in file.read_text("utf-8").splitlines()[1:]:
        yield json.loads(line)
