"""The items of the trial, and the notes before and after them."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

import msgspec

from engine.demo.notes import fill, parts

PLANTED = 10
_NOTES = Path(__file__).with_name("notes.txt")
_BETWEEN = 3  # unchanged lines behind an item: each is a hunk of its own


class Harm(msgspec.Struct, frozen=True):
    """A line that could be planted in an item's place, empty where the line goes, and how somebody could see it."""

    kind: str
    line: str
    sign: str


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a note that changes, comes (`old` is empty) or goes (`new` is empty, the line stood there twice)."""

    note: str
    old: str
    new: str
    harms: tuple[Harm, ...] = ()
    planted: Harm | None = None

    @property
    def twice(self) -> bool:
        return not self.new and self.planted is None

    def was_taken(self, lines: Sequence[str]) -> bool:
        """Tells whether a note with these lines has it."""
        return f"- {self.new}" in lines if self.new else lines.count(f"- {self.old}") < 1 + self.twice


class Note(msgspec.Struct, frozen=True):
    """A note of the trial with the reason for its changes."""

    path: str
    reason: str
    items: tuple[Item, ...]

    def texts(self, fillers: Iterator[str]) -> tuple[str, str]:
        """The note before and after its items."""
        title = f"# {Path(self.path).stem.replace('-', ' ').capitalize()}\n"
        before, after = [title], [title]
        for item in self.items:
            between = [next(fillers) for _ in range(_BETWEEN)]
            old, new = ([f"- {one}"] if one else [] for one in (item.old, item.new))
            before += [*old, *between, *(old * item.twice)]
            after += [*(old if item.twice else new), *between]
        return "\n".join(before) + "\n", "\n".join(after) + "\n"


def notes(today: date) -> tuple[Note, ...]:
    """The notes of `notes.txt`, nothing planted."""
    pieces = fill(_NOTES.read_text("utf-8"), today).split("\n@@ ")[1:]
    return tuple(_note(*piece.partition("\n")[::2]) for piece in pieces)


def _note(head: str, body: str) -> Note:
    path, _, reason = head.partition(" | ")
    items: list[Item] = []
    for line in body.splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "!":
            kind, _, told = rest.partition(" =>")
            words, _, sign = told.partition("| ")
            harm = Harm(kind, words.strip(), sign)
            items[-1] = msgspec.structs.replace(items[-1], harms=(*items[-1].harms, harm))
        elif mark:
            old, _, new = rest.partition(" => ") if mark == "~" else ("", "", rest) if mark == "+" else (rest, "", "")
            items.append(Item(note=path, old=old, new=new))
    return Note(path, reason, tuple(items))


def planted(every: Sequence[Note], draw: random.Random) -> tuple[Note, ...]:
    """The notes with ten harms in them, one in an item at most, of as many kinds as there are."""
    choices = [(item, harm) for note in every for item in note.items for harm in item.harms]
    draw.shuffle(choices)
    chosen: dict[tuple[str, str, str], Harm] = {}
    kinds: set[str] = set()
    for again in (False, True):
        for item, harm in choices:
            key = (item.note, item.old, item.new)
            if len(chosen) < PLANTED and key not in chosen and (again or harm.kind not in kinds):
                chosen[key] = harm
                kinds.add(harm.kind)
    return tuple(Note(note.path, note.reason, tuple(_with(item, chosen) for item in note.items)) for note in every)


def _with(item: Item, chosen: Mapping[tuple[str, str, str], Harm]) -> Item:
    harm = chosen.get((item.note, item.old, item.new))
    return msgspec.structs.replace(item, new=harm.line, planted=harm) if harm is not None else item


def fillers(today: date, draw: random.Random) -> Iterator[str]:
    """Lines that stay, from the logs of the demonstration; without an end."""
    lines = [line for _, body in parts("events") for line in fill(body, today).splitlines() if line.startswith("- ")]
    lines = [f"- {re.sub('^- [a-z-]+: ', '', line)}" for line in lines]
    while True:
        draw.shuffle(lines)
        yield from lines
