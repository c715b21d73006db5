"""From an old episodic file to candidate entries, offline: only sentences that stand in it (compactor §Extract, G9)."""

import re
from collections.abc import Iterable, Sequence
from datetime import date

import msgspec

from engine.compactor.extraction.durability import is_wide, passing_rules, says_something
from engine.compactor.extraction.sections import DraftedEntry, EpisodicNote
from engine.compactor.semantic.entry import (
    CONTEXT,
    FIELDS,
    IMPACT,
    INSIGHT,
    TITLE,
    SemanticEntry,
    field_of,
    read_entries,
)
from engine.compactor.semantic.pollution import entry_pollution, line_pollution
from engine.models.summary import Point
from engine.text.derived import derived_line
from engine.workspace.values import LineSpan

LONGEST_TITLE = 60
TITLE_WORDS = 4
"""Characters a title may have, and words below which a clause makes none."""
LONGEST_CONTEXT = 240
"""Characters; a longer summary point is no brief description of a situation."""
MOST_ENTRIES = 3
"""Entries from one file; what follows in it is listed, and stays in the archive."""
SHORT_SUMMARY = 3
"""Points up to which a summary is taken to be about one thing, so that its first point is any insight's context."""

_LEAD_IN = re.compile(
    r"(?i)^(?:lessons?(?: learned)?|insights?|principles?|learnings?|takeaways?|rules?|decisions?|decided|note|remember"
    r"|erkenntnis|merke|regel|entscheidung|教训|经验|原则|结论|决定|教訓|学び|原則|結論|교훈|원칙|결론|결정)\s*[:：–—-]\s*"
)
_REASON = re.compile(
    r"(?i)\b(?:because|since|so that|due to|in order to|therefore|to avoid|to prevent)\b"
    r"|\b(?:weil|damit|denn|deshalb|wegen|um .{3,60} zu)\b"
    r"|因为|由于|以便|为了|所以|ため|ので|から|때문|위해|므로"
)
_CLAUSE = re.compile(r"\s+(?:because|since|so that|weil|damit|denn)\s|\s[–—-]\s|[;:,.!?](?=\s)|[，。；：！？、]|\s\(")
_CONDITION = re.compile(
    r"(?i)^(?:if|when|while|before|after|once|although|though|unless|until|wenn|bevor|nachdem|falls)\b"
)
_TRAILING = re.compile(
    r"(?i)(?:\s+(?:a|an|the|of|to|in|on|at|by|for|with|from|and|or|but|that|which|as|is|are|was|be|it|its|my|your|our|their"
    r"|his|her|this|these|those|than|then|so|until|before|after|into|over|not|no|do|does|has|have|had|will|would|can|could"
    r"|should|i|we|you|they|he|she|der|die|das|den|dem|ein|eine|und|oder|mit|von|zu|im|am|auf|für|ist|sind|nicht)[,;]?)+$"
)
_WORD = re.compile(r"\w{4,}|[\u3400-\u9fff]{2}")
_COMMON = re.compile(
    r"(?:about|after|also|because|before|been|from|have|into|just|more|than|that|their|them|then|they|this|with)"
)


class EntryCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that could be appended, the file it comes from, and the lines behind each of its fields."""

    entry: SemanticEntry
    source: str
    spans: dict[str, LineSpan]

    @property
    def sources(self) -> tuple[LineSpan, ...]:
        return tuple(sorted(set(self.spans.values())))


class Refusal(msgspec.Struct, frozen=True):
    """A sentence that does not become an entry: where it stands, and the rule."""

    span: LineSpan
    rule: str

    def __str__(self) -> str:
        return f"{self.span.path}:{self.span.start}: {self.rule}"


class DraftProblem(msgspec.Struct, frozen=True):
    """A place where an entry that somebody wrote out misses the schema: the line of the file and what it says."""

    path: str
    line: int
    field: str
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.field}: {self.rule}"


class Extraction(msgspec.Struct, frozen=True):
    """The result of reviewing one episodic file. Without candidates nothing is notable and the file is only archived.

    `unfinished` is what keeps written entries from the schema; a file with any stays where it is (decision A26).
    """

    candidates: tuple[EntryCandidate, ...]
    refused: tuple[Refusal, ...]
    unfinished: tuple[DraftProblem, ...] = ()


def extract(path: str, note: EpisodicNote, day: date, *, chosen: bool = True) -> Extraction:
    """The durable insights of an episodic file; where it has none, its decisions that give a reason.

    `chosen`: a person put the sentences below their headings; otherwise they must also stand by themselves.
    """
    refused: list[Refusal] = []
    durable = _durable(path, note.insights, refused, chosen)
    unfinished: list[DraftProblem] = []
    found = [_drafted(path, draft, unfinished) for draft in note.drafts]
    if not durable and not note.drafts:
        durable = _durable(path, [point for point in note.decisions if _REASON.search(point.text)], refused, chosen)
    found += [_candidate(path, point, note, day) for point in durable]
    refused += [Refusal(LineSpan(path, it.line, it.line), f"{it.field}: {it.rule}") for it in unfinished]
    candidates: list[EntryCandidate] = []
    for candidate in filter(None, found):
        rules = [problem.rule for problem in entry_pollution(candidate.entry)]
        if len(candidates) == MOST_ENTRIES:
            rules = [f"further insight: {MOST_ENTRIES} from one file at most"]
        refused.extend(Refusal(candidate.spans[INSIGHT], rule) for rule in rules)
        if not rules:
            candidates.append(candidate)
    return Extraction(tuple(candidates), tuple(refused), tuple(unfinished))


def _drafted(path: str, draft: DraftedEntry, unfinished: list[DraftProblem]) -> EntryCandidate | None:
    """The entry that somebody wrote out; None, and every problem by line and field, where it misses the schema."""
    entries, problems = read_entries(draft.text)
    unfinished.extend(
        DraftProblem(path, draft.start + problem.line - 1, problem.field, problem.rule, problem.text)
        for problem in problems
    )
    if problems:
        return None
    entry = entries[0]
    lines = {field: draft.start + line - 1 for field, line in entry.lines.items()}
    title, context, insight, impact = (
        derived_line(text) for text in (entry.title, entry.context, entry.insight, entry.impact)
    )
    last = max(lines.values())
    return EntryCandidate(
        entry=SemanticEntry(
            title=title,
            context=context,
            insight=insight,
            impact=impact,
            provenance=f"from {path}:{draft.start}-{last}",
        ),
        source=path,
        spans={field: LineSpan(path, lines[field], lines[field]) for field in FIELDS if field in lines},
    )


def _durable(path: str, points: Iterable[Point], refused: list[Refusal], chosen: bool) -> list[Point]:
    found: dict[str, Point] = {}
    for point in points:
        text = _LEAD_IN.sub("", derived_line(point.text)).strip()
        rules = [problem.rule for problem in line_pollution(point.text, 1)]
        if not chosen:
            rules.extend(passing_rules(text))
        elif not says_something(text, 2):
            rules.append("fragment")
        if field_of(point.text):
            rules.append("a field without its entry")
        refused.extend(Refusal(_span(path, point), rule) for rule in rules)
        if not rules:
            found.setdefault(text.casefold(), Point(text, point.start, point.end))
    return list(found.values())


def _candidate(path: str, point: Point, note: EpisodicNote, day: date) -> EntryCandidate:
    spans = {TITLE: _span(path, point), INSIGHT: _span(path, point)}
    situation = _situation(note.summary, point)
    if situation is not None:
        spans[CONTEXT] = _span(path, situation)
        context = derived_line(situation.text)
    else:
        spans[CONTEXT] = _span(path, point)
        context = f"From a note of {day.isoformat()}."
    effect = _related(note.decisions, point)
    if effect is not None:
        spans[IMPACT] = _span(path, effect)
    entry = SemanticEntry(
        title=short_title(point.text),
        context=context,
        insight=point.text,
        impact=derived_line(effect.text) if effect is not None else "",
        provenance=f"from {path}:{point.start}-{point.end}",
    )
    return EntryCandidate(entry=entry, source=path, spans=spans)


def short_title(sentence: str) -> str:
    """The sentence's first clause, or as many of its words as a heading bears; never more than it says itself."""
    longest = LONGEST_TITLE // 2 if is_wide(sentence) else LONGEST_TITLE
    if not _CONDITION.search(sentence):
        for match in _CLAUSE.finditer(sentence):
            head = sentence[: match.start()]
            if len(head) > longest:
                break
            if says_something(head, TITLE_WORDS):
                return _bare(head)
    if len(sentence) > longest:
        cut = sentence.rfind(" ", 0, longest + 1)
        return _without_trailing(sentence[: cut if cut > longest // 3 else longest])
    return _bare(sentence)


def _without_trailing(text: str) -> str:
    """`text` without the small words that a cut leaves hanging at its end, unless little else is left."""
    shorter = _TRAILING.sub("", text)
    return _bare(shorter if says_something(shorter, TITLE_WORDS) else text)


def _bare(text: str) -> str:
    return text.strip().rstrip(" .,;:!?，。；：！？、–—-") or text.strip()


def _situation(points: Sequence[Point], insight: Point) -> Point | None:
    """The summary point that has most to do with the insight; in a short summary, the first one that can be used."""
    usable = [point for point in points if not _same(point, insight) and _is_brief(point)]
    related = _related(usable, insight)
    return related or (usable[0] if usable and len(points) <= SHORT_SUMMARY else None)


def _related(points: Sequence[Point], insight: Point) -> Point | None:
    """The point that shares most words with the insight, two at least; the first of several."""
    words = _words(insight)
    shared = [(len(words & _words(point)), point) for point in points if not _same(point, insight) and _is_brief(point)]
    best = max(shared, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] >= 2 else None


def _words(point: Point) -> set[str]:
    return {word for word in _WORD.findall(point.text.casefold()) if not _COMMON.fullmatch(word)}


def _same(point: Point, insight: Point) -> bool:
    one, other = point.text.casefold(), insight.text.casefold()
    return one in other or other in one


def _is_brief(point: Point) -> bool:
    return len(point.text) <= LONGEST_CONTEXT and not line_pollution(point.text, 1)


def _span(path: str, point: Point) -> LineSpan:
    return LineSpan(path, point.start, point.end)
