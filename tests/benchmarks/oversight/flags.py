"""Counts the items of trials whose line carries a flag by what it says otherwise, planted ones and others."""

import random
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.plans.diff import RowKind, file_diff
from engine.plans.plan import Replace, RiskTier
from engine.services.line_notes import with_notes
from tests.benchmarks.oversight.items import Item, fillers, notes, planted
from tests.values import tree_plan


def flag_counts(workspace: Path, seeds: int, today: date) -> Mapping[bool, tuple[int, int]]:
    """Gives for planted items (true) and the others how many there are and how many are flagged, over some trials.
    Sources are read in `workspace`."""

    def read(path: str) -> str:
        try:
            return (workspace / path).read_text("utf-8")
        except OSError as error:
            raise MemdeckError("it is not there", where=path) from error

    counts = {True: (0, 0), False: (0, 0)}
    for seed in range(seeds):
        draw = random.Random(seed)
        every, lines = planted(notes(today), draw), fillers(today, draw)
        texts = {note.path: note.texts(lines) for note in every}
        changes = tuple(
            Replace(n=n, path=path, risk_tier=RiskTier.C, reason="", content=after)
            for n, (path, (_, after)) in enumerate(texts.items(), 1)
        )
        plan = msgspec.structs.replace(tree_plan(), system="review", changes=changes)
        diffs = [file_diff(path, old.encode(), new.encode()) for path, (old, new) in texts.items()]
        flagged = {
            (diff.path, row.text)
            for diff in with_notes(plan, diffs, read)
            for row in diff.rows
            if (row.right_no if row.kind is RowKind.ADDED else -(row.left_no or 0)) in diff.notes
        }
        for item in (item for note in every for item in note.items):
            many, with_flag = counts[item.planted is not None]
            counts[item.planted is not None] = many + 1, with_flag + (_line(item) in flagged)
    return counts


def _line(item: Item) -> tuple[str, str]:
    return item.note, f"- {item.new or item.old}"
