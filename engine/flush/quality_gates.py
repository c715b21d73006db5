"""Makes the plan checks of a flush, with evidence (window §Quality Gates, decisions B9, B10, B20)."""

from collections.abc import Collection, Iterable, Sequence

from engine.flush.items import FlushCategory, FlushItem, FlushSession, KnownItem
from engine.flush.marks import Mark, marked_lines, marks_of, without_marks
from engine.flush.promotions import Extracted
from engine.plans.plan import QualityGate

_SHOWN = 5  # lines that a gate names; it counts the others
_LONGEST = 120  # characters of an item that a gate shows
_COMPARED = 16  # statements that each is compared with, those that have the rarest words in common
_VALUED = frozenset({FlushCategory.FACT, FlushCategory.CONFIGURATION})
LEAST_SAVED = 30
"""Percent that a summary should save (decision B10); less is a warning, never a failure."""


def coverage(sessions: Sequence[FlushSession], found: Sequence[Extracted], written: Iterable[str]) -> QualityGate:
    """Checks that every marked entry is in the text to be written, independently of what was extracted."""
    # By what will be on disk: an entry that was extracted and then dropped on the way counts as missing (B9).
    text = "\n".join(_words(content) for content in written)
    missing = [line for extracted in found for line in extracted.missing]
    total = 0
    for session in sessions:
        for number, line in _curated(session):
            total += 1
            if _words(line) not in text:
                missing.append(f"turn {number}: {line.strip()}")
    if unread := sum(session.left_out for session in sessions):
        missing.append(f"{unread:,} characters of turns too long to be read")
    retried = sum(extracted.retried for extracted in found)
    if missing:
        return QualityGate("coverage", False, f"not captured after 2 retries: {_few(missing)}")
    again = f", {retried} after a retry" if retried else ""
    return QualityGate("coverage", True, f"{total} of {total} [CURATE] entries captured{again}")


def every_item(found: Sequence[Extracted], written: Iterable[str], elsewhere: Collection[FlushItem]) -> QualityGate:
    """Checks that every extracted item is in the text to be written or elsewhere (B26)."""
    text = "\n".join(_words(content) for content in written)
    items = [item for extracted in found for item in extracted.items]
    lost = [
        f"turn {item.turn}: {item.category}: {item.text.splitlines()[0][:_LONGEST]}"
        for item in items
        if item not in elsewhere and not all(_words(part) in text for part in (*item.text.split("\n"), item.rationale))
    ]
    if lost:
        return QualityGate("items", False, f"{len(lost)} of {len(items)} would stand nowhere: {_few(lost)}")
    return QualityGate("items", True, f"{len(items)} of {len(items)} items have a place")


def completeness(items: Sequence[FlushItem]) -> QualityGate:
    """Names decisions without a rationale: they stay open (decision B5)."""
    unreasoned = [
        f"{item.code} {item.text}" for item in items if item.category is FlushCategory.DECISION and not item.rationale
    ]
    detail = f"{len(unreasoned)} open: {_few(unreasoned)}" if unreasoned else "no decision is open"
    # Open decisions are shown and stop nothing (decision B5).
    return QualityGate("completeness", True, detail)


def contradictions(known: Sequence[KnownItem], items: Iterable[FlushItem]) -> list[tuple[str, str]]:
    """Returns pairs of items or known lines with different values at one address."""
    from engine.extraction.relations import AddressBook

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


def consistency(pairs: Sequence[tuple[str, str]]) -> QualityGate:
    """Shows contradictory facts; both are kept (decision B8)."""
    said = [f"{one} ⟷ {other}" for one, other in pairs]
    return QualityGate("consistency", True, f"{len(said)} to review: {_few(said)}" if said else "nothing contradicts")


def size(before: int, after: int) -> QualityGate:
    """Compares the summarised tokens with the summary's (decision B22)."""
    if not before:
        return QualityGate("size", True, "nothing was summarised")
    saved = 100 - 100 * after // before
    # A warning, never a failure (decision B10): a short session has little to leave out.
    short = "" if saved >= LEAST_SAVED else f", less than {LEAST_SAVED} %"
    return QualityGate("size", True, f"{before:,} tokens became {after:,}: {saved} % less{short}")


def _curated(session: FlushSession) -> Iterable[tuple[int, str]]:
    for turn in session.turns:
        if "[CURATE]" not in turn.text:
            continue
        lines = turn.text.split("\n")
        for at in marked_lines(lines):
            if Mark.CURATE in marks_of(lines[at]) and _words(lines[at]):
                yield turn.number, lines[at]


def _words(text: str) -> str:
    plain = without_marks(text.replace("‹!--", "<!--"), Mark.CURATE, Mark.TEMPORARY)
    return " ".join(plain.replace("#", " ").split()).lstrip("-*+> ")


def _few(lines: Sequence[str]) -> str:
    return "; ".join(lines[:_SHOWN]) + (f"; and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else "")
