"""Extracts candidate entries from an old episodic file, offline: only its own sentences (compactor §Extract, G9)."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import msgspec

from engine.compactor.extraction import durability
from engine.compactor.extraction.entry_title import entry_title
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
from engine.compactor.semantic.entry import CONTEXT, IMPACT, INSIGHT, TITLE, SemanticEntry, field_of
from engine.compactor.semantic.pollution import entry_pollution, line_pollution
from engine.compactor.semantic.provenance import stated_provenance
from engine.models.facts import LEAST, fact_text, fact_weight, is_of_the_user
from engine.models.labels import is_part
from engine.models.owners import owner_name, says_something
from engine.models.summary import Point
from engine.text.derived import derived_line
from engine.workspace.values import LineSpan

NOT_KEPT = 3  # sentences of a file that are named where it goes to the archive without them
FURTHER = f"further insight: {MOST_ENTRIES} from one file at most"

_DRAFTED, _CHOSEN, _INSIGHT, _DECISION, _MOST_FACT = 9.0, 6.0, 4.0, 3.0, 3.5
"""Ranks of a written-out entry, a sentence under a known heading, a lesson, a decision; greatest rank of a fact."""


class Refusal(msgspec.Struct, frozen=True):
    """A sentence that does not become an entry, with its lines and the rule."""

    span: LineSpan
    rule: str

    def __str__(self) -> str:
        return f"{self.span.path}:{self.span.start}: {self.rule}"


class Offer(msgspec.Struct, frozen=True):
    """An entry that the plan takes only if the operator does, with the reason."""

    candidate: EntryCandidate
    why: str


class Extraction(msgspec.Struct, frozen=True):
    """The result of reviewing one episodic file. Without candidates it is only archived. `unfinished`: schema problems
    of written-out entries, which keep the file in place (A26). `not_kept`: the best sentences in no candidate."""

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
    """Extracts lasting insights and facts; from a file without insights, decisions with a reason. `chosen`: a person
    chose the sentences, so they need not stand alone. `whole`: the compiled note. `has_day`: the file has its date."""
    own_day = day if has_day else None
    read = [drafted_entry(path, draft, own_day) for draft in note.drafts]
    unfinished = tuple(problem for _, problems in read for problem in problems)
    told = (
        msgspec.structs.replace(sentence, rules=(*sentence.rules, "a deadline that is over"))
        if not chosen and durability.is_over(sentence.point.text, day)
        else sentence
        for sentence in (_without_owner(sentence, whole) for sentence in _sentences(note, chosen, whole))
    )
    found = together(ranked(told), whole)
    refused = [Refusal(_span(path, sentence.point), rule) for sentence in found for rule in sentence.rules]
    refused += [Refusal(LineSpan(path, it.line, it.line), f"{it.field}: {it.rule}") for it in unfinished]
    made: list[tuple[EntryCandidate, tuple[str, ...]]] = [(entry, ()) for entry, _ in read if entry is not None]
    made += [(_sourced(_candidate(path, sentence, note, day, whole), own_day), sentence.rules) for sentence in found]
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
    """Yields every sentence that may become an entry: lessons, or else decisions with a reason; and facts."""
    durable = list(_durable(note.insights, _CHOSEN if chosen else _INSIGHT, chosen))
    yield from durable
    # Lessons first: a decision becomes an entry only where the file has none that can be used.
    if not note.drafts and all(sentence.rules for sentence in durable):
        yield from _durable(
            [point for point in note.decisions if durability.WORDS["reason"].search(point.text)], _DECISION, chosen
        )
    for point in (*note.facts, *(() if chosen else note.summary)):
        weight = fact_weight(point.text)
        if weight >= LEAST and not (whole is not None and whole.is_of_an_assistant(point.text)):
            text = fact_text(point.text)
            rules = durability.leaning_rules(text) + durability.fleeting_rules(text) + durability.momentary_rules(text)
            for sentence in _durable([Point(text, point.start, point.end)], min(weight, _MOST_FACT), True):
                yield msgspec.structs.replace(sentence, rules=(*sentence.rules, *rules), fact=True)


def _without_owner(sentence: Found, whole: WholeNote | None) -> Found:
    """Takes a heading of the note off the front of a sentence: it names the entry, and is not said twice."""
    point = sentence.point
    names = (owner_name(title.strip(" #*_")) for title in whole.titles) if whole is not None else ()
    owner = max((name for name in names if name and point.text.startswith(name)), key=len, default="")
    told = point.text[len(owner) :].lstrip(" :：—")
    if not owner or point.text[len(owner) :][:2] not in (": ", " —") or not says_something(told):
        return sentence
    telling = "" if all(map(is_part, owner.split())) else owner
    return msgspec.structs.replace(sentence, point=msgspec.structs.replace(point, text=told), owner=telling)


def _not_kept(note: EpisodicNote, found: Sequence[Found], taken: Sequence[EntryCandidate]) -> tuple[Point, ...]:
    """Returns the best sentences in no entry: offers first, then decisions, then the summary."""
    kept = [Point(candidate.entry.insight, 1, 1) for candidate in taken]
    best: list[Point] = []
    allowed = (sentence.point for sentence in found if not sentence.rules)
    for point in (*allowed, *note.insights, *note.decisions, *note.summary):
        is_told = any(same(point, other) for other in (*kept, *best))
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
        title=entry_title([point.text for point in found.points], _heading(found, note, whole)),
        context=context,
        insight=insight,
        impact=impact,
    )
    further = tuple(_span(path, fact) for fact in found.further)
    of_user = found.fact and is_of_the_user(insight)
    return EntryCandidate(entry=entry, source=path, spans=spans, further=further, of_user=of_user)


def _sourced(candidate: EntryCandidate, day: date | None) -> EntryCandidate:
    """Returns the candidate with the lines of its insight as provenance."""
    spans = [(span.start, span.end) for span in (candidate.spans[INSIGHT], *candidate.further)]
    entry = msgspec.structs.replace(candidate.entry, provenance=stated_provenance(candidate.source, day, spans))
    return msgspec.structs.replace(candidate, entry=entry)


def _impact(path: str, point: Point, note: EpisodicNote, whole: WholeNote | None) -> tuple[str, LineSpan]:
    """Returns the rule after a sentence in the whole note, else a related decision; empty if the sentence has one."""
    if consequence(point.text):
        # The insight says it itself, and nothing says it twice (decision A29).
        return "", _span(path, point)
    if whole is not None and (after := whole.rule_after(point.text)) is not None:
        return after
    effect = related(note.decisions, point)
    return (derived_line(effect.text) if effect is not None else "", _span(path, effect or point))


def _context(path: str, found: Found, note: EpisodicNote, whole: WholeNote | None) -> tuple[str, LineSpan]:
    """Returns a sentence of the note or summary that gives the reason; empty if none does (decision A29)."""
    point, said = found.point, one_line(found.points)
    if whole is not None and (around := whole.around(point.text, said)) is not None and explains(around[0], said):
        return around
    insight = Point(said, 1, 1)
    others = [told for told in note.summary if not same(told, insight) and not repeats(told.text, said, FEWEST_WORDS)]
    told = related([other for other in others if explains(other.text, said)], point)
    if told is not None:
        return derived_line(told.text), _span(path, told)
    return "", _span(path, point)


def _heading(found: Found, note: EpisodicNote, whole: WholeNote | None) -> str:
    """Returns the informative heading above a sentence, in the whole note or in the file; empty if none."""
    if found.owner:
        return found.owner
    if whole is not None and (above := whole.heading(found.point.text)):
        return above
    titles = (telling_heading(title.text) for title in reversed(note.titles) if title.start < found.point.start)
    return next(filter(None, titles), "")


def _span(path: str, point: Point) -> LineSpan:
    return LineSpan(path, point.start, point.end)
