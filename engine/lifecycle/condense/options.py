"""The parts of a condensation, and what it is given beside the files (autopoiesis §8.4, §9.2)."""

from collections.abc import Collection, Sequence
from datetime import date

import msgspec

from engine.extraction.extraction_task import EntryFinder
from engine.lifecycle.requests import CondensePart
from engine.topics.messages import SessionTurn


class CondenseOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`turns` are those of the transcripts that journals may lack; `days` those that were asked for, none for all.
    `week` is the first day of the week that goes to MEMORY.md, `finder` is who reads the transcripts. `known` are ids
    that an applied plan has put there."""

    turns: Sequence[SessionTurn]
    week: date
    finder: EntryFinder
    parts: Collection[CondensePart] = tuple(CondensePart)
    days: Collection[date] = ()
    known: Collection[str] = ()
