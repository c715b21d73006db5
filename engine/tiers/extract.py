"""From an old episodic file to candidate entries, offline: only sentences that stand in it (compactor §Extract, G9)."""

import re
from collections.abc import Iterable, Sequence
from datetime import date

import msgspec

from engine.models.summary import Point
from engine.tiers.derived import derived_line
from engine.tiers.episodic import EpisodicNote
from engine.tiers.pollution import entry_pollution, line_pollution
from engine.tiers.semantic import CONTEXT, IMPACT, INSIGHT, TITLE, SemanticEntry
from engine.workspace.values import LineSpan

LONGEST_TITLE = 60
LONGEST_CONTEXT = 240
"""Characters; a longer summary point is no brief description of a situation."""
MOST_ENTRIES = 3
"""Entries from one file; what follows in it is listed, and stays in the archive."""
FEWEST_WORDS = 4
FEWEST_WIDE = 8
"""Words, or characters of a script without blanks, from which a sentence says something by itself."""

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
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"\w{4,}|[\u3400-\u9fff]{2}")


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
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


class Extraction(msgspec.Struct, frozen=True):
    """What reviewing one episodic file came to. No candidates: nothing notable, the file is only archived."""

    candidates: tuple[Candidate, ...]
    refused: tuple[Refusal, ...]


def extract(path: str, note: EpisodicNote, day: date) -> Extraction:
    """The durable insights of an episodic file; where it has none, its decisions that give a reason."""
    refused: list[Refusal] = []
    durable = _durable(path, note.insights, refused)
    if not durable:
        durable = _durable(path, [point for point in note.decisions if _REASON.search(point.text)], refused)
    further = f"further insight: {MOST_ENTRIES} from one file at most"
    refused.extend(Refusal(_span(path, point), further) for point in durable[MOST_ENTRIES:])
    candidates = []
    for point in durable[:MOST_ENTRIES]:
        candidate = _candidate(path, point, note, day)
        rules = [problem.rule for problem in entry_pollution(candidate.entry)]
        refused.extend(Refusal(_span(path, point), rule) for rule in rules)
        if not rules:
            candidates.append(candidate)
    return Extraction(tuple(candidates), tuple(refused))


def _durable(path: str, points: Iterable[Point], refused: list[Refusal]) -> list[Point]:
    found: dict[str, Point] = {}
    for point in points:
        text = _LEAD_IN.sub("", derived_line(point.text)).strip()
        rules = [problem.rule for problem in line_pollution(point.text, 1)]
        if not _says_something(text):
            rules.append("fragment")
        refused.extend(Refusal(_span(path, point), rule) for rule in rules)
        if not rules:
            found.setdefault(text.casefold(), Point(text, point.start, point.end))
    return list(found.values())


def _candidate(path: str, point: Point, note: EpisodicNote, day: date) -> Candidate:
    spans = {TITLE: _span(path, point), INSIGHT: _span(path, point)}
    situation = _first_clean(note.summary, point)
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
    return Candidate(entry=entry, source=path, spans=spans)


def short_title(sentence: str) -> str:
    """The sentence's first clause, or as many of its words as a heading bears; never more than it says itself."""
    longest = LONGEST_TITLE // 2 if _WIDE.search(sentence) else LONGEST_TITLE
    for match in _CLAUSE.finditer(sentence):
        head = sentence[: match.start()]
        if len(head) > longest:
            break
        if _says_something(head):
            return _bare(head)
    if len(sentence) > longest:
        cut = sentence.rfind(" ", 0, longest + 1)
        sentence = sentence[: cut if cut > longest // 3 else longest]
    return _bare(sentence)


def _bare(text: str) -> str:
    return text.strip().rstrip(" .,;:!?，。；：！？、–—-") or text.strip()


def _says_something(text: str) -> bool:
    return (
        len(text.split()) >= FEWEST_WORDS
        or len(_WIDE.findall(text)) >= FEWEST_WIDE
        or (any("\uac00" <= char <= "\ud7a3" for char in text) and len(text.split()) >= 3)
    )


def _first_clean(points: Sequence[Point], insight: Point) -> Point | None:
    for point in points:
        same = point.text.casefold() in insight.text.casefold() or insight.text.casefold() in point.text.casefold()
        if not same and len(point.text) <= LONGEST_CONTEXT and not line_pollution(point.text, 1):
            return point
    return None


def _related(decisions: Sequence[Point], insight: Point) -> Point | None:
    """The decision that shares most words with the insight, two at least."""
    words = set(_WORD.findall(insight.text.casefold()))
    best: tuple[int, Point] | None = None
    for point in decisions:
        shared = len(words & set(_WORD.findall(point.text.casefold())))
        usable = shared >= 2 and insight.text not in point.text and len(point.text) <= LONGEST_CONTEXT
        if usable and (best is None or shared > best[0]) and not line_pollution(point.text, 1):
            best = (shared, point)
    return best[1] if best else None


def _span(path: str, point: Point) -> LineSpan:
    return LineSpan(path, point.start, point.end)
