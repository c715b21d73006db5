"""Finds facts that contradict each other: the same subject with another value; both are kept (decision B8)."""

from collections.abc import Iterable, Sequence

from engine.flush.items import FlushCategory, FlushItem, claim_of
from engine.flush.workspace_numbers import KnownItem


def contradictions(known: Sequence[KnownItem], items: Iterable[FlushItem]) -> list[tuple[str, str]]:
    """Gives pairs that claim another value of the same subject, side by side: among the items and with known lines."""
    told: dict[tuple[FlushCategory, str], tuple[str, str]] = {}
    for line in known:
        claim = claim_of(line.text) if line.category is not FlushCategory.DECISION else None
        if claim is not None:
            told[line.category, claim[0]] = (claim[1], f"{line.path}: {line.code}: {line.text}")
    found = []
    for item in items:
        if item.claim is None:
            continue
        subject, value = item.claim
        said = f"turn {item.turn}: {item.code}: {item.text}" if item.code else f"turn {item.turn}: {item.text}"
        before = told.get((item.category, subject))
        if before is not None and before[0] != value:
            found.append((before[1], said))
        told[item.category, subject] = (value, said)
    return found
