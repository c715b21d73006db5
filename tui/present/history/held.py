"""Tells what held on a day, in words and rows, for the command and the console alike."""

from collections.abc import Sequence

from engine.extraction.held import HeldAnswer, HeldEntry, HeldReach, RowState
from tui.present.extraction import turn_lines
from tui.present.spans import Line, ListRow, Role, Span
from tui.present.words import noun, safe

_STATES: dict[RowState, tuple[str, Role]] = {
    RowState.KEPT: ("", "ok"),
    RowState.EDITED: ("edited since a plan wrote it", "warn"),
    RowState.GONE: ("taken out of memory since", "muted"),
    RowState.UNKNOWN: ("no approved plan wrote it", "warn"),
}


def held_words(one: HeldEntry) -> str:
    """Says where an entry stands, which turn says it, until when it held, and what is not sure of it."""
    said = [f"{one.path}:{one.line}"] if one.path else []
    if one.source is not None:
        turn = f"{one.source.path}:{one.source.start}"
        said.append(f"said in {turn}" if one.proven else f"{turn} does not say it any more")
    if one.superseded is not None:
        said.append(f"superseded by {one.superseded.by} on {one.superseded.since}")
    said += [word for word in (_STATES[one.state][0],) if word]
    return " · ".join(said)


def held_reach_words(reach: HeldReach) -> tuple[str, ...]:
    """Says how far back the answer reaches."""
    entries = f"{noun(reach.entries, 'entry', 'entries')}, back to {reach.entries_since}"
    told = f"{noun(reach.transcripts, 'closed transcript')}, back to {reach.transcripts_since}"
    return (
        entries if reach.entries_since else "no entries: memdeck plan extract",
        told if reach.transcripts_since else "transcripts: none",
    )


class HeldRows:
    """The entries that held, each with its kind and day; a sign where no approved plan vouches for it."""

    def __init__(self, entries: Sequence[HeldEntry]) -> None:
        self._entries = tuple(entries)

    def __len__(self) -> int:
        return len(self._entries)

    def row(self, index: int) -> ListRow:
        one = self._entries[index]
        sure = Span("  ", "muted") if one.proven and one.state is RowState.KEPT else Span("? ", "warn")
        return ListRow(
            (sure, Span(f"{one.kind.value:<10} ", "accent"), Span(safe(one.text))), (Span(one.day, "muted"),)
        )


def held_title(answer: HeldAnswer) -> Line:
    """Names the day, the words asked for, and how many entries held."""
    sought = (Span(f"  “{safe(answer.subject)}”", "strong"),) if answer.subject else ()
    return (Span(f"Held on {answer.on}", "title"), *sought, Span(f" ⟨{len(answer.entries):,}⟩", "muted"))


def held_lines(one: HeldEntry, turn: Sequence[str], first: int) -> tuple[Line, ...]:
    """One entry whole: its words, where it stands, until when it held, and the turn that says it from line `first`."""
    state, role = _STATES[one.state]
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
