"""Shows the facts that held on a day, for the command and the console."""

from collections.abc import Sequence

from msgspec.structs import replace

from engine.extraction.held import HeldReach, RowState
from engine.extraction.what_holds import FactsAnswer, HeldFact
from tui.present.extraction_review import turn_lines
from tui.present.spans import LazyRows, Line, ListRow, Span
from tui.present.words import noun, safe, words_of

_STATES = words_of("held", set(RowState) - {RowState.KEPT})
"""Reasons why an entry is uncertain that differs from what a plan wrote."""


def held_reach_words(reach: HeldReach) -> tuple[str, ...]:
    """Says how far back entries and transcripts reach."""
    entries = f"{noun(reach.entries, 'entry', 'entries')}, back to {reach.entries_since}"
    told = f"{noun(reach.transcripts, 'closed transcript')}, back to {reach.transcripts_since}"
    return (
        entries if reach.entries_since else "no entries: memdeck plan extract",
        told if reach.transcripts_since else "transcripts: none",
    )


def by_hand_words(answer: FactsAnswer) -> str:
    """Counts the facts written by hand, without an approved plan; empty if there is none."""
    number = sum(entry.state is RowState.UNKNOWN for entry in answer.entries)
    return f"{noun(number, 'fact')} by hand (?): {_STATES[RowState.UNKNOWN][0]}" if number else ""


def fact_words(fact: HeldFact) -> tuple[str, ...]:
    """Returns a fact's place, source, address and end as one line, then a line for each fact it replaced or repeats."""
    told = [f"{fact.path}:{fact.line}"] if fact.path else []
    if fact.source is not None:
        turn = f"{fact.source.path}:{fact.source.start}"
        told.append(f"said in {turn}" if fact.proven else f"{turn} does not say it any more")
    if fact.superseded is not None:
        told.append(f"superseded by {fact.superseded.by} on {fact.superseded.since}")
    # Of the many that were written by hand the reach says it once, and each has its sign.
    told += [_STATES[fact.state][0]] if fact.state in _STATES and fact.state is not RowState.UNKNOWN else []
    told += [f"said by {fact.who}"] if fact.who else []
    told += [f"{fact.subject} → {fact.value}"] if fact.subject and fact.value else []
    told += (
        [f"ends {fact.ends.day or f'with {fact.ends.release}'} (“{fact.ends.words}”)"] if fact.ends is not None else []
    )
    old = [f"replaced {each.day}: {each.text}" for each in fact.replaced]
    return (" · ".join(told), *old, *(f"says again {each.day}: {each.text}" for each in fact.evidence))


def card_words(answer: FactsAnswer) -> tuple[str, ...]:
    """Shows both texts of each undecided pair, and the options that decide it."""
    texts = {entry.id: entry.text for entry in answer.entries}
    return tuple(
        f"again or changed?  {texts[pair.earlier]}  ⟷  {texts[pair.later]}"
        f"  · --keep {pair.earlier}, --keep {pair.later}, --both {pair.later}, or --own {pair.later} TEXT"
        for pair in answer.cards
    )


def due_words(answer: FactsAnswer) -> tuple[str, ...]:
    """Names the commands that settle each fact that has ended by itself."""
    return tuple(
        f"ended?  {entry.text}  · memdeck forget --line {entry.path}:{entry.line}, "
        f"memdeck correct {entry.path}:{entry.line} TEXT, or --still {entry.id}"
        for entry in answer.entries
        if entry.over
    )


def partners(answer: FactsAnswer, ident: str) -> tuple[HeldFact, ...]:
    """Returns the facts that form an undecided pair with the fact `ident`."""
    pairs = [(card.earlier, card.later) for card in answer.cards if ident in (card.earlier, card.later)]
    return tuple(entry for entry in answer.entries if entry.id != ident and any(entry.id in pair for pair in pairs))


def pair_lines(others: Sequence[HeldFact]) -> tuple[Line, ...]:
    """Asks whether a fact says the others again or changes them; empty without others."""
    head: Line = (Span("again or changed? Beside it stands:", "warn"),)
    return (head, *((Span(safe(f"{other.day}  {other.text}")),) for other in others), ()) if others else ()


def ordered(answer: FactsAnswer) -> tuple[HeldFact, ...]:
    """Sorts the facts: undecided pairs, then facts that have ended, then the others by address."""
    cards = list(dict.fromkeys(ident for fact in answer.cards for ident in (fact.earlier, fact.later)))
    places = {ident: at for at, ident in enumerate((*cards, *answer.due))}
    return tuple(sorted(answer.entries, key=lambda fact: places.get(fact.id, len(places))))


class HeldRows(LazyRows[HeldFact]):
    """Shows each held fact with kind and day; a sign marks undecided, ended and uncertain facts."""

    def __init__(self, answer: FactsAnswer) -> None:
        super().__init__(ordered(answer))
        self._open = {ident for card in answer.cards for ident in (card.earlier, card.later)}

    def made(self, fact: HeldFact) -> ListRow:
        sure = Span("  ", "muted") if fact.proven and fact.state is RowState.KEPT else Span("? ", "warn")
        sure = Span("◷ ", "warn") if fact.over else sure
        sure = Span("⟷ ", "warn") if fact.id in self._open else sure
        return ListRow(
            (sure, Span(f"{fact.kind.value:<10} ", "accent"), Span(safe(fact.text))), (Span(fact.day, "muted"),)
        )


def held_title(answer: FactsAnswer) -> Line:
    """Names the day, the words asked for, and how many entries held."""
    sought = (Span(f"  “{safe(answer.subject)}”", "strong"),) if answer.subject else ()
    return (Span(f"Held on {answer.on}", "title"), *sought, Span(f" ⟨{len(answer.entries):,}⟩", "muted"))


def held_lines(fact: HeldFact, turn: Sequence[str], first: int) -> tuple[Line, ...]:
    """Shows one fact in full: its text, place and end, and the turn that says it, numbered from `first`."""
    state, role = _STATES.get(fact.state, ("", "ok"))
    lines: list[Line] = [(Span(safe(fact.text), "strong"),), ()]
    lines.append((Span(f"{fact.kind.value}, said on {fact.day}", "muted"),))
    lines += [(Span(safe(f"{fact.path}:{fact.line}")),)] if fact.path else []
    if fact.superseded is not None:
        lines.append((Span(f"superseded by {fact.superseded.by} on {fact.superseded.since}", "warn"),))
    lines += [(Span(state, role),)] if state else []
    lines += [(Span(safe(told), "muted"),) for told in fact_words(replace(fact, path="", source=None))]
    if fact.source is None:
        return tuple(lines)
    lines += [(), (Span(safe(f"{fact.source.path}:{fact.source.start}"), "muted"),)]
    if not fact.proven:
        return (*lines, (Span("that line does not say it any more", "warn"),))
    return (*lines, *turn_lines(turn, first, fact.source.start, fact.text))
