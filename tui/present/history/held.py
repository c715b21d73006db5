"""Tells what held on a day, in words and rows, for the command and the console alike."""

from collections.abc import Sequence

from engine.extraction.held import HeldAnswer, HeldEntry, HeldReach, RowState
from tui.present.extraction import turn_lines
from tui.present.spans import LazyRows, Line, ListRow, Span
from tui.present.words import noun, safe, words_of

_STATES = words_of("held", set(RowState) - {RowState.KEPT})
"""Says why an entry that is not as a plan wrote it is not sure."""


def held_words(one: HeldEntry) -> str:
    """Says where an entry stands, which turn says it, until when it held, and what is not sure of it."""
    said = [f"{one.path}:{one.line}"] if one.path else []
    if one.source is not None:
        turn = f"{one.source.path}:{one.source.start}"
        said.append(f"said in {turn}" if one.proven else f"{turn} does not say it any more")
    if one.superseded is not None:
        said.append(f"superseded by {one.superseded.by} on {one.superseded.since}")
    said += [_STATES[one.state][0]] if one.state in _STATES else []
    return " · ".join(said)


def held_reach_words(reach: HeldReach) -> tuple[str, ...]:
    """Says how far back the answer reaches."""
    entries = f"{noun(reach.entries, 'entry', 'entries')}, back to {reach.entries_since}"
    told = f"{noun(reach.transcripts, 'closed transcript')}, back to {reach.transcripts_since}"
    return (
        entries if reach.entries_since else "no entries: memdeck plan extract",
        told if reach.transcripts_since else "transcripts: none",
    )


def undecided_words(answer: HeldAnswer) -> tuple[str, ...]:
    """Says of each undecided pair both texts, and how it is decided."""
    texts = {entry.id: entry.text for entry in answer.entries}
    return tuple(
        f"again or changed?  {texts[one.earlier]}  ⟷  {texts[one.later]}"
        f"  · --keep {one.earlier}, --keep {one.later}, or --both {one.later}"
        for one in answer.undecided
    )


def partners(answer: HeldAnswer, ident: str) -> tuple[HeldEntry, ...]:
    """The entries of which one may say another value at the address of this one."""
    pairs = [(one.earlier, one.later) for one in answer.undecided if ident in (one.earlier, one.later)]
    return tuple(entry for entry in answer.entries if entry.id != ident and any(entry.id in pair for pair in pairs))


def pair_lines(others: Sequence[HeldEntry]) -> tuple[Line, ...]:
    """The question of an undecided pair: the same again, or changed?"""
    head: Line = (Span("again or changed? Beside it stands:", "warn"),)
    return (head, *((Span(safe(f"{one.day}  {one.text}")),) for one in others), ()) if others else ()


class HeldRows(LazyRows[HeldEntry]):
    """The entries that held, each with its kind and day; a sign where one is undecided, or no plan vouches for it."""

    def __init__(self, answer: HeldAnswer) -> None:
        super().__init__(answer.entries)
        self._open = {ident for one in answer.undecided for ident in (one.earlier, one.later)}

    def made(self, one: HeldEntry) -> ListRow:
        sure = Span("  ", "muted") if one.proven and one.state is RowState.KEPT else Span("? ", "warn")
        sure = Span("⟷ ", "warn") if one.id in self._open else sure
        return ListRow(
            (sure, Span(f"{one.kind.value:<10} ", "accent"), Span(safe(one.text))), (Span(one.day, "muted"),)
        )


def held_title(answer: HeldAnswer) -> Line:
    """Names the day, the words asked for, and how many entries held."""
    sought = (Span(f"  “{safe(answer.subject)}”", "strong"),) if answer.subject else ()
    return (Span(f"Held on {answer.on}", "title"), *sought, Span(f" ⟨{len(answer.entries):,}⟩", "muted"))


def held_lines(one: HeldEntry, turn: Sequence[str], first: int) -> tuple[Line, ...]:
    """One entry whole: its words, where it stands, until when it held, and the turn that says it from line `first`."""
    state, role = _STATES.get(one.state, ("", "ok"))
    lines: list[Line] = [(Span(safe(one.text), "strong"),), ()]
    lines.append((Span(f"{one.kind.value}, said on {one.day}", "muted"),))
    lines += [(Span(safe(f"{one.path}:{one.line}")),)] if one.path else []
    if one.superseded is not None:
        lines.append((Span(f"superseded by {one.superseded.by} on {one.superseded.since}", "warn"),))
    lines += [(Span(state, role),)] if state else []
    if one.source is None:
        return tuple(lines)
    lines += [(), (Span(safe(f"{one.source.path}:{one.source.start}"), "muted"),)]
    if not one.proven:
        return (*lines, (Span("that line does not say it any more", "warn"),))
    return (*lines, *turn_lines(turn, first, one.source.start, one.text))
