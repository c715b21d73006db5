"""Finds facts that contradict each other: another value at the same address; both are kept (decisions B8, D61)."""

from collections.abc import Iterable, Sequence

from engine.extraction.relations import AddressBook
from engine.flush.items import FlushCategory, FlushItem
from engine.flush.workspace_numbers import KnownItem

_COMPARED = 16  # statements that each is compared with, those that have the rarest words in common
_VALUED = frozenset({FlushCategory.FACT, FlushCategory.CONFIGURATION})


def contradictions(known: Sequence[KnownItem], items: Iterable[FlushItem]) -> list[tuple[str, str]]:
    """Gives pairs that say another value at one address, side by side: among the items and with known lines."""
    book, told = AddressBook(), list[str]()
    for line in known:
        if line.category in _VALUED:
            book.add(str(len(told)), line.text)
            told.append(f"{line.path}: {line.code}: {line.text}")
    found = []
    for item in items:
        if item.category in _VALUED:
            said = f"turn {item.turn}: {item.code}: {item.text}" if item.code else f"turn {item.turn}: {item.text}"
            earlier = max(map(int, book.nearest(item.text, _COMPARED)), default=-1)
            found += [(told[earlier], said)] if earlier >= 0 else []
            book.add(str(len(told)), item.text)
            told.append(said)
    return found
