"""From an old episodic file to candidate entries, offline: only sentences that stand in it (compactor §Extract, G9)."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import msgspec

from engine.compactor.extraction import durability
from engine.compactor.extraction.found import MOST_ENTRIES, Found, one_line, ranked, together
from engine.compactor.extraction.sections import DraftProblem, EntryCandidate, EpisodicNote, drafted_entry
from engine.compactor.extraction.situation import (
    FEWEST_WORDS,
    WholeNote,
    consequence,
    dated,
    explains,
    related,
    repeats,
    same,
    telling_heading,
)
from engine.compactor.extraction.subject import subject_title
from engine.compactor.semantic.entry import CONTEXT, IMPACT, INSIGHT, TITLE, SemanticEntry, field_of
from engine.compactor.semantic.pollution import entry_pollution, line_pollution
from engine.compactor.semantic.provenance import stated_provenance
from engine.models.facts import LEAST, fact_text, fact_weight, is_of_the_user
from engine.models.summary import Point
from engine.text.derived import derived_line
from engine.workspace.values import LineSpan

NOT_KEPT = 3  # sentences of a file that are named where it goes to the archive without them
FURTHER = f"further insight: {MOST_ENTRIES} from one file at most"

_DRAFTED, _CHOSEN, _INSIGHT, _DECISION, _MOST_FACT = 9.0, 6.0, 4.0, 3.0, 3.5
"""Ranks: what a person wrote out, put under a heading, a lesson, a decision with its reason; a fact by its weight."""


class Refusal(msgspec.Struct, frozen=True):
    """A sentence that does not become an entry: where it stands, and the rule."""

    span: LineSpan
    rule: str

    def __str__(self) -> str:
        return f"{self.span.path}:{self.span.start}: {self.rule}"


class Offer(msgspec.Struct, frozen=True):
    """An entry that the plan does not take by itself, and why; the operator may, with or without other words."""

    candidate: EntryCandidate
    why: str


class Extraction(msgspec.Struct, frozen=True):
    """The result of reviewing one episodic file. Without candidates nothing is notable and the file is only archived.
    `unfinished` is what keeps written entries from the schema; a file with any stays where it is (decision A26).
    `not_kept` gives the best sentences that no candidate says."""

    candidates: tuple[EntryCandidate, ...]
    refused: tuple[Refusal, ...]
    unfinished: tuple[DraftProblem, ...] = ()
    offers: tuple[Offer, ...] = ()
    not_kept: tuple[Point, ...] = ()


def extract(
    path: str,
    note: EpisodicNote,
    day: date,
    *,
    chosen: bool = True,
    whole: WholeNote | None = None,
    has_day: bool = True,
) -> Extraction:
    """The durable insights and facts of an episodic file; where it has no insight, its decisions that give a reason.
    `chosen`: a person put the sentences below their headings; otherwise they must also stand by themselves. `whole` is
    the note it was compiled from. `has_day`: the file says its day itself."""
    own_day = day if has_day else None
    read = [drafted_entry(path, draft, own_day) for draft in note.drafts]
    unfinished = tuple(problem for _, problems in read for problem in problems)
    told = (
        msgspec.structs.replace(one, rules=(*one.rules, "a deadline that is over"))
        if not chosen and durability.is_over(one.point.text, day)
        else one
        for one in _sentences(note, chosen, whole)
    )
    found = together(ranked(told), whole)
    refused = [Refusal(_span(path, one.point), rule) for one in found for rule in one.rules]
    refused += [Refusal(LineSpan(path, it.line, it.line), f"{it.field}: {it.rule}") for it in unfinished]
    made: list[tuple[EntryCandidate, tuple[str, ...]]] = [(entry, ()) for entry, _ in read if entry is not None]
    made += [(_sourced(_candidate(path, one, note, day, whole), own_day), one.rules) for one in found]
    candidates: list[EntryCandidate] = []
    offers: list[Offer] = []
    for candidate, known in made:
        rules = known or tuple(problem.rule for problem in entry_pollution(candidate.entry))
        rules = rules or ((FURTHER,) if len(candidates) == MOST_ENTRIES else ())
        refused += [Refusal(candidate.spans[INSIGHT], rule) for rule in rules if not known]
        if rules:
            offers.append(Offer(candidate, "; ".join(rules)))
        else:
            candidates.append(candidate)
    left = _not_kept(note, found, candidates)
    return Extraction(tuple(candidates), tuple(refused), unfinished, tuple(offers), left)


def _sentences(note: EpisodicNote, chosen: bool, whole: WholeNote | None) -> Iterator[Found]:
    """Every sentence that may become an entry: lessons, decisions with a reason where there is none, and facts."""
    durable = list(_durable(note.insights, _CHOSEN if chosen else _INSIGHT, chosen))
    yield from durable
    # Lessons first: a decision becomes an entry only where the file has none that can be used.
    if not note.drafts and all(one.rules for one in durable):
        yield from _durable(
            [one for one in note.decisions if durability.WORDS["reason"].search(one.text)], _DECISION, chosen
        )
    for point in (*note.facts, *(() if chosen else note.summary)):
        weight = fact_weight(point.text)
        if weight >= LEAST and not (whole is not None and whole.is_of_an_assistant(point.text)):
            text = fact_text(point.text)
            rules = durability.leaning_rules(text) + durability.fleeting_rules(text) + durability.momentary_rules(text)
            for one in _durable([Point(text, point.start, point.end)], min(weight, _MOST_FACT), True):
                yield msgspec.structs.replace(one, rules=(*one.rules, *rules), fact=True)


def _not_kept(note: EpisodicNote, found: Sequence[Found], taken: Sequence[EntryCandidate]) -> tuple[Point, ...]:
    """The best sentences of the file that no entry says: offers before decisions before the summary."""
    kept = [Point(one.entry.insight, 1, 1) for one in taken]
    best: list[Point] = []
    for point in (*(one.point for one in found if not one.rules), *note.insights, *note.decisions, *note.summary):
        is_told = any(same(point, one) for one in (*kept, *best))
        if len(best) < NOT_KEPT and not is_told and not line_pollution(point.text, 1):
            best.append(point)
    return tuple(best)


def _durable(points: Iterable[Point], rank: float, chosen: bool) -> Iterator[Found]:
    for point in points:
        text = durability.statement(derived_line(point.text))
        rules = [problem.rule for problem in line_pollution(point.text, 1)]
        if not chosen:
            rules.extend(durability.passing_rules(text))
        elif not durability.says_something(text, 2):
            rules.append("fragment")
        if field_of(point.text):
            rules.append("a field without its entry")
        yield Found(point=Point(text, point.start, point.end), rank=rank, rules=tuple(rules))


def _candidate(path: str, found: Found, note: EpisodicNote, day: date, whole: WholeNote | None) -> EntryCandidate:
    point, insight = found.point, one_line(found.points)
    told, where_told = _context(path, found, note, whole)
    context = dated(told, insight, day)
    spans = {TITLE: _span(path, point), INSIGHT: _span(path, point)} | ({CONTEXT: where_told} if context else {})
    impact, where = _impact(path, point, note, whole)
    if impact:
        spans[IMPACT] = where
    entry = SemanticEntry(
        title=subject_title([one.text for one in found.points], _heading(found, note, whole)),
        context=context,
        insight=insight,
        impact=impact,
    )
    further = tuple(_span(path, one) for one in found.further)
    of_user = found.fact and is_of_the_user(insight)
    return EntryCandidate(entry=entry, source=path, spans=spans, further=further, of_user=of_user)


def _sourced(candidate: EntryCandidate, day: date | None) -> EntryCandidate:
    """The candidate with the lines of its insight as its provenance."""
    spans = [(span.start, span.end) for span in (candidate.spans[INSIGHT], *candidate.further)]
    entry = msgspec.structs.replace(candidate.entry, provenance=stated_provenance(candidate.source, day, spans))
    return msgspec.structs.replace(candidate, entry=entry)


def _impact(path: str, point: Point, note: EpisodicNote, whole: WholeNote | None) -> tuple[str, LineSpan]:
    """The rule after a sentence that states none, in the whole note, else a decision about the same."""
    if consequence(point.text):
        # The insight says it itself, and nothing says it twice (decision A29).
        return "", _span(path, point)
    if whole is not None and (after := whole.rule_after(point.text)) is not None:
        return after
    effect = related(note.decisions, point)
    return (derived_line(effect.text) if effect is not None else "", _span(path, effect or point))


def _context(path: str, found: Found, note: EpisodicNote, whole: WholeNote | None) -> tuple[str, LineSpan]:
    """A sentence of the whole note or of the summary that gives the reason; empty where none does (decision A29)."""
    point, said = found.point, one_line(found.points)
    if whole is not None and (around := whole.around(point.text, said)) is not None and explains(around[0], said):
        return around
    insight = Point(said, 1, 1)
    others = [one for one in note.summary if not same(one, insight) and not repeats(one.text, said, FEWEST_WORDS)]
    told = related([one for one in others if explains(one.text, said)], point)
    if told is not None:
        return derived_line(told.text), _span(path, told)
    return "", _span(path, point)


def _heading(found: Found, note: EpisodicNote, whole: WholeNote | None) -> str:
    """The heading that a sentence stands below, in the whole note or in its file; empty where none tells anything."""
    if whole is not None and (above := whole.heading(found.point.text)):
        return above
    titles = (telling_heading(one.text) for one in reversed(note.titles) if one.start < found.point.start)
    return next(filter(None, titles), "")


def _span(path: str, point: Point) -> LineSpan:
    return LineSpan(path, point.start, point.end)
