"""Sentences that end in a colon: each takes the first item below it along, or is not chosen."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from engine.models.sentence_candidates import SentenceCandidate

LEADS_NOWHERE = "line that leads to a list"
_COLONS = (":", "：")
_REACH = 2
"""Lines from a lead to its first item: one may be blank."""


def with_first_items(
    candidates: "Iterable[SentenceCandidate]", lines: Sequence[str], first_line: int, dropped: Counter[str]
) -> "Iterator[SentenceCandidate]":
    """The candidates, where one that ends in a colon is joined with its first item and left out where it has none."""
    lead: SentenceCandidate | None = None
    for candidate in candidates:
        if lead is not None:
            joined = _joined(lead, candidate, lines, first_line)
            if joined is None:
                dropped[LEADS_NOWHERE] += 1
            else:
                candidate = joined
        lead = candidate if candidate.text.rstrip("*_ ").endswith(_COLONS) else None
        if lead is None:
            yield candidate
    if lead is not None:
        dropped[LEADS_NOWHERE] += 1


def _joined(
    lead: "SentenceCandidate", item: "SentenceCandidate", lines: Sequence[str], first_line: int
) -> "SentenceCandidate | None":
    """Both in one; None where `item` is no item of the list that `lead` opens."""
    if item.kind not in ("item", "row") or not item.leads or item.start - lead.end > _REACH:
        return None
    if lead.kind == "item" and _indent(lines[item.start - first_line]) <= _indent(lines[lead.start - first_line]):
        return None
    return msgspec.structs.replace(
        lead,
        text=f"{lead.text.rstrip('*_ ')} {item.text}",
        end=item.end,
        exact=lead.exact or item.exact,
        cues=lead.cues | item.cues,
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
