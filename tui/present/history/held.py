"""Tells what held on a day, in words and rows, for the command and the console alike."""

from collections.abc import Sequence

from msgspec.structs import replace

from engine.extraction.held import HeldReach, RowState
from engine.extraction.what_holds import FactsAnswer, HeldFact
from tui.present.extraction import turn_lines
from tui.present.spans import LazyRows, Line, ListRow, Span
from tui.present.words import noun, safe, words_of

_STATES = words_of("held", set(RowState) - {RowState.KEPT})
"""Says why an entry that is not as a plan wrote it is not sure."""


def held_reach_words(reach: HeldReach) -> tuple[str, ...]:
    """Says how far back the answer reaches."""
    entries = f"{noun(reach.entries, 'entry', 'entries')}, back to {reach.entries_since}"
    told = f"{noun(reach.transcripts, 'closed transcript')}, back to {reach.transcripts_since}"
    return (
        entries if reach.entries_since else "no entries: memdeck plan extract",
        told if reach.transcripts_since else "transcripts: none",
    )


def by_hand_words(answer: FactsAnswer) -> str:
    """Counts the facts that no approved plan wrote; empty for none."""
    number = sum(one.state is RowState.UNKNOWN for one in answer.entries)
    return f"{noun(number, 'fact')} by hand (?): {_STATES[RowState.UNKNOWN][0]}" if number else ""


def fact_words(one: HeldFact) -> tuple[str, ...]:
    """Says where a fact stands and who said it, then its address, when it ends, and what it replaced or says again."""
    told = [f"{one.path}:{one.line}"] if one.path else []
    if one.source is not None:
        turn = f"{one.source.path}:{one.source.start}"
        told.append(f"said in {turn}" if one.proven else f"{turn} does not say it any more")
    if one.superseded is not None:
        told.append(f"superseded by {one.superseded.by} on {one.superseded.since}")
    # Of the many that were written by hand the reach says it once, and each has its sign.
    told += [_STATES[one.state][0]] if one.state in _STATES and one.state is not RowState.UNKNOWN else []
    told += [f"said by {one.who}"] if one.who else []
    told += [f"{one.subject} → {one.value}"] if one.subject and one.value else []
    told += [f"ends {one.ends.day or f'with {one.ends.release}'} (“{one.ends.words}”)"] if one.ends is not None else []
    old = [f"replaced {each.day}: {each.text}" for each in one.replaced]
    return (" · ".join(told), *old, *(f"says again {each.day}: {each.text}" for each in one.evidence))


def card_words(answer: FactsAnswer) -> tuple[str, ...]:
    """Says of each pair that may be one both texts, what differs, and how it is decided."""
    texts = {entry.id: entry.text for entry in answer.entries}
    return tuple(
        f"again or changed?  {texts[one.earlier]}  ⟷  {texts[one.later]}"
        f"  · --keep {one.earlier}, --keep {one.later}, --both {one.later}, or --own {one.later} TEXT"
        for one in answer.cards
    )


def due_words(answer: FactsAnswer) -> tuple[str, ...]:
    """Says of each fact that has ended by itself how it is settled."""
    return tuple(
        f"ended?  {one.text}  · memdeck forget --line {one.path}:{one.line}, "
        f"memdeck correct {one.path}:{one.line} TEXT, or --still {one.id}"
        for one in answer.entries
        if one.over
    )


def partners(answer: FactsAnswer, ident: str) -> tuple[HeldFact, ...]:
    """The facts that may be one with this one."""
    pairs = [(one.earlier, one.later) for one in answer.cards if ident in (one.earlier, one.later)]
    return tuple(entry for entry in answer.entries if entry.id != ident and any(entry.id in pair for pair in pairs))


def pair_lines(others: Sequence[HeldFact]) -> tuple[Line, ...]:
    """The question of an undecided pair: the same again, or changed?"""
    head: Line = (Span("again or changed? Beside it stands:", "warn"),)
    return (head, *((Span(safe(f"{one.day}  {one.text}")),) for one in others), ()) if others else ()


def ordered(answer: FactsAnswer) -> tuple[HeldFact, ...]:
    """The facts as the page lists them: pairs to decide, what has ended, then by address."""
    cards = list(dict.fromkeys(ident for one in answer.cards for ident in (one.earlier, one.later)))
    places = {ident: at for at, ident in enumerate((*cards, *answer.due))}
    return tuple(sorted(answer.entries, key=lambda one: places.get(one.id, len(places))))


class HeldRows(LazyRows[HeldFact]):
    """The facts that held, each with its kind and day; a sign where one is undecided, over, or not sure."""

    def __init__(self, answer: FactsAnswer) -> None:
        super().__init__(ordered(answer))
        self._open = {ident for one in answer.cards for ident in (one.earlier, one.later)}

    def made(self, one: HeldFact) -> ListRow:
        sure = Span("  ", "muted") if one.proven and one.state is RowState.KEPT else Span("? ", "warn")
        sure = Span("◷ ", "warn") if one.over else sure
        sure = Span("⟷ ", "warn") if one.id in self._open else sure
        return ListRow(
            (sure, Span(f"{one.kind.value:<10} ", "accent"), Span(safe(one.text))), (Span(one.day, "muted"),)
        )


def held_title(answer: FactsAnswer) -> Line:
    """Names the day, the words asked for, and how many entries held."""
    sought = (Span(f"  “{safe(answer.subject)}”", "strong"),) if answer.subject else ()
    return (Span(f"Held on {answer.on}", "title"), *sought, Span(f" ⟨{len(answer.entries):,}⟩", "muted"))


def held_lines(one: HeldFact, turn: Sequence[str], first: int) -> tuple[Line, ...]:
    """One entry whole: its words, where it stands, until when it held, and the turn that says it from line `first`."""
    state, role = _STATES.get(one.state, ("", "ok"))
    lines: list[Line] = [(Span(safe(one.text), "strong"),), ()]
    lines.append((Span(f"{one.kind.value}, said on {one.day}", "muted"),))
    lines += [(Span(safe(f"{one.path}:{one.line}")),)] if one.path else []
    if one.superseded is not None:
        lines.append((Span(f"superseded by {one.superseded.by} on {one.superseded.since}", "warn"),))
    lines += [(Span(state, role),)] if state else []
    lines += [(Span(safe(told), "muted"),) for told in fact_words(replace(one, path="", source=None))]
    if one.source is None:
        return tuple(lines)
    lines += [(), (Span(safe(f"{one.source.path}:{one.source.start}"), "muted"),)]
    if not one.proven:
        return (*lines, (Span("that line does not say it any more", "warn"),))
    return (*lines, *turn_lines(turn, first, one.source.start, one.text))
