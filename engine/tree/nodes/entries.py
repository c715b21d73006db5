"""Reads a raw log, a copied node or a summary as entries: topic, type, facts and their source lines."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property

import msgspec

from engine.models.labels import heading_role
from engine.models.plain_line import cleaned, without_markup
from engine.models.sentence_candidates import SentenceCandidate, read_lines
from engine.models.sentence_weights import class_of
from engine.models.session_lines import PATH, left_out_lines
from engine.text.derived import NONE
from engine.text.markdown import heading_of
from engine.text.pattern_file import toml_file
from engine.tree.nodes.kept_or_left_out import NODE_WORDS, excluded_phrase, kept_by_type
from engine.tree.nodes.repeats import read_count
from engine.tree.nodes.speakers import speakers
from engine.tree.nodes.things import stems
from engine.tree.source_references import RawLines, Traced, raw_day
from engine.tree.topic_headings import DEFAULT_TYPE, KEPT_WHOLE, KNOWN_TYPES, Heading, read_heading
from engine.workspace.values import LineSpan

_OURS = re.compile(
    r"[-*] (?:(?P<topic>[^\[\]]{1,120}) )?\[(?P<type>[^\[\],]{1,40})(?P<done>, done)?\]: ?(?P<text>.*?)"
    r"(?: → (?P<pointer>\S.*))?\Z"
)
_HEADINGS = toml_file(__package__, "node_parts.toml")
_PARTS: dict[str, str] = _HEADINGS["part_kinds"]
_DERIVED_PARTS = frozenset(_HEADINGS["derived_parts"]["names"])

_ROW, _STAMPED = 0.6, 0.1
"""Weight of a table row, and of a line that begins with a hash or a time or is a remark in brackets."""
FactKind = str  # `decision`, `insight`, `done`, `open`, or empty for what is none of these


class Fact(msgspec.Struct, frozen=True, gc=False):
    """A sentence or keyword line, and its lines in the source. `prior`: its weight before its words count."""

    text: str
    span: LineSpan
    kind: FactKind = ""
    prior: float = 1.0
    written: str = ""  # the words of a model in its place, where one wrote any; it is weighed by its own
    times: int = 1  # the times that a node below says it came
    since: date | None = None  # the first day of it, where that node says one
    derived: bool = False  # true if it stands in a summary, which may leave out further times


class TopicEntry(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The text below one heading. `kept`: the whole text, for types that never shrink; `done`: it is completed."""

    topic: str
    heading: str
    type: str
    spans: tuple[LineSpan, ...]
    day: date
    facts: tuple[Fact, ...] = ()
    kept: str = ""
    done: bool = False  # true if the entry says that its project is completed (decision C25)
    stated: bool = False  # true if the entry says anything of an outcome or status
    pointers: tuple[str, ...] = ()
    tagged: bool = False
    summarised: bool = False  # true if it is a line of a summary, which writes a type behind every topic

    @property
    def key(self) -> str:
        return " ".join(self.topic.casefold().split())

    @cached_property
    def stems(self) -> frozenset[str]:
        """The significant words of the topic and the facts."""
        return stems(self.topic).union(*(stems(fact.text) for fact in self.facts))


class EntryText(msgspec.Struct, frozen=True, kw_only=True):
    """A text to read: the traced lines of one source, and its day."""

    path: str
    lines: Sequence[Traced]
    day: date


class EntryList(msgspec.Struct, frozen=True):
    """The entries of a text in order, and the number of omitted lines by reason."""

    entries: tuple[TopicEntry, ...]
    dropped: dict[str, int]


def read_entries(text: EntryText) -> EntryList:
    """Reads every entry of the text. Omits and counts code, traces, secrets and generated blocks (C10, C27)."""
    return _Reader(text).read()


class _Section(msgspec.Struct):
    """A heading and the lines below it, by index from 0; `end` is excluded."""

    start: int
    end: int
    level: int
    heading: Heading
    type: str
    tagged: bool


class _Reader:
    """Splits one text at its headings and assigns every sentence to its entry."""

    def __init__(self, text: EntryText) -> None:
        self._text = text
        self._clean = cleaned(
            text.lines.texts
            if isinstance(text.lines, RawLines)
            else [line.text.replace("\n", " ") for line in text.lines]
        )
        self._left_out = left_out_lines(self._clean)
        self._speakers: dict[int, str] = {}
        self._dropped: Counter[str] = Counter()

    def read(self) -> EntryList:
        own = list(self._own_lines())
        self._speakers = speakers(self._clean)
        sections = self._sections()
        facts: list[list[Fact]] = [[] for _ in sections]
        starts = [section.start for section in sections]
        for candidate in self._candidates():
            place = bisect_right(starts, candidate.start - 1) - 1
            section = sections[place]
            if (phrase := excluded_phrase(candidate.text, section.type)) is not None:
                self._dropped[f"line marked “{phrase}”"] += 1
            elif section.heading.text.casefold() not in _DERIVED_PARTS:
                said = self._with_speaker(candidate.text, candidate.start - 1)
                facts[place].append(
                    Fact(said, self._span(candidate.start - 1, candidate.end - 1), _kind(candidate), prior(candidate))
                )
        entries = [self._entry(section, found) for section, found in zip(sections, facts, strict=True)]
        kept = [entry for entry in entries if entry.topic or entry.facts or entry.kept]
        return EntryList((*own, *kept), dict(self._dropped))

    def _candidates(self) -> Iterator[SentenceCandidate]:
        reading = read_lines(self._clean, 1)
        for reason, count in reading.dropped.items():
            if "repeated" not in reason and "markup-only" not in reason:
                self._dropped[reason] += count
        return (candidate for candidate in reading.candidates if candidate.kind != "heading" and candidate.text != NONE)

    def _with_speaker(self, said: str, line: int) -> str:
        """Puts the speaker's name before a sentence of a chat between people."""
        who = self._speakers.get(line, "")
        return f"{who}: {said}" if who and not said.startswith((f"{who}:", f"{who}：")) else said

    def _sections(self) -> list[_Section]:
        found = [_Section(0, len(self._clean), 0, Heading("", "", None), DEFAULT_TYPE, False)]
        types: list[tuple[int, str, bool, str]] = []
        for index, line in enumerate(self._clean):
            found_heading = heading_of(line) if index not in self._left_out else None
            if found_heading is None or not found_heading.text:
                continue
            level, heading = found_heading.level, read_heading(without_markup(found_heading.text))
            while types and types[-1][0] >= level:
                types.pop()
            type_, tagged = heading.type or DEFAULT_TYPE, heading.type is not None
            topic = "" if self._is_part(heading) else heading.topic
            if not tagged and types:
                _, type_, tagged, above = types[-1]
                topic = topic or above
            types.append((level, type_, tagged, topic))
            heading = Heading(heading.text, topic, heading.type)
            found[-1].end = index
            found.append(_Section(index, len(self._clean), level, heading, type_, tagged))
        return found

    def _is_part(self, heading: Heading) -> bool:
        """Tells whether a heading names a part (`Key Decisions`) and not a topic."""
        name = heading.text.casefold()
        is_named = (
            name in _PARTS or name in _DERIVED_PARTS or NODE_WORDS["supplement"].match(name) or heading_role(name)
        )
        return heading.type is None and bool(is_named)

    def _span(self, first: int, last: int) -> LineSpan:
        """Returns the source of lines `first` to `last`, counted from 0; if they have two sources, the first."""
        lines = self._text.lines
        start = lines[min(first, len(lines) - 1)]
        source = start.source or LineSpan(self._text.path, start.line, start.line)
        until = lines[min(last, len(lines) - 1)].source
        if until is not None and until.path == source.path and until.end >= source.start:
            return LineSpan(source.path, source.start, max(source.end, until.end))
        return source

    def _entry(self, section: _Section, facts: list[Fact]) -> TopicEntry:
        last = section.end - 1
        while last > section.start and not self._clean[last].strip():
            last -= 1
        span = self._span(section.start, last) if self._text.lines else LineSpan(self._text.path, 1, 1)
        lines = range(section.start + bool(section.level), section.end)
        # A line with nothing but a link says nothing; of a reference it is all that is asked for (decision C28).
        whole = PATH if section.type == "reference" else ""
        body = [self._clean[at] for at in lines if self._left_out.get(at, whole) == whole]
        said = "\n".join(body)
        # The last outcome or status says whether it is over (decision C25).
        states = [match.start() for match in NODE_WORDS["open_again"].finditer(said)]
        return TopicEntry(
            topic=section.heading.topic,
            heading=section.heading.text,
            type=section.type,
            spans=(span,),
            day=raw_day(span.path) or last_day([fact.span for fact in facts], self._text.day),
            facts=tuple(facts),
            kept=kept_by_type(section.type, body),
            done=bool(states) and NODE_WORDS["done"].match(said, states[-1]) is not None,
            stated=bool(states),
            pointers=tuple(dict.fromkeys(NODE_WORDS["pointer"].findall(NODE_WORDS["comment"].sub(" ", said))))[:3],
            tagged=section.tagged,
        )

    def _own_lines(self) -> Iterator[TopicEntry]:
        """Yields an entry for each line that we wrote in a summary; those lines are not read otherwise."""
        if isinstance(self._text.lines, RawLines):  # nothing of ours stands in a raw log
            return
        kind = ""
        lines = self._clean = list(self._clean)
        for index, traced in enumerate(self._text.lines[: len(lines)]):
            line = lines[index]
            heading = heading_of(line) if not traced.spans or not traced.stated else None
            if heading and heading.text:
                kind = _PARTS.get(heading.text.casefold(), "")
            if traced.stated:
                lines[index] = ""
                if index not in self._left_out:
                    yield self._own(line.strip(), traced.spans, kind)

    def _own(self, line: str, spans: tuple[LineSpan, ...], kind: FactKind) -> TopicEntry:
        found = _OURS.match(line)
        if found is not None and kind and found["type"].strip() not in KNOWN_TYPES:
            found = None
        topic, type_, text, done, pointer = "", DEFAULT_TYPE, line.lstrip("-* "), False, ""
        if found is not None:
            topic, type_, text = (found["topic"] or "").strip(), found["type"].strip(), found["text"]
            done, pointer = bool(found["done"]), found["pointer"]
        return TopicEntry(
            topic=topic,
            heading=topic,
            type=type_,
            spans=spans,
            day=last_day(spans, self._text.day),
            facts=tuple(_own_facts(text, type_, spans, kind)) if text else (),
            kept=text if type_ in KEPT_WHOLE else "",
            done=done,
            stated=done,
            pointers=(pointer,) if pointer else (),
            tagged=found is not None,
            summarised=True,
        )


def _own_facts(text: str, type_: str, spans: Sequence[LineSpan], kind: FactKind) -> Iterator[Fact]:
    """Yields the phrases of a line of ours, each with its own reference if there are enough."""
    if type_ in KEPT_WHOLE:
        yield Fact(text, spans[-1], kind)
        return
    phrases = text.split("; ")
    for place, phrase in enumerate(phrases):
        span = spans[place] if len(spans) >= len(phrases) else spans[-1]
        said, times, since = read_count(phrase)
        yield Fact(said, span, kind, times=times, since=since, derived=True)


def last_day(spans: Iterable[LineSpan], otherwise: date) -> date:
    """Returns the latest day among raw-log lines; `otherwise` if there is none."""
    return max((day for span in spans if (day := raw_day(span.path))), default=otherwise)


def _kind(candidate: SentenceCandidate) -> FactKind:
    stated = class_of(candidate)
    if stated or candidate.question:
        return stated
    marks = {candidate.role, *candidate.cues}
    return "open" if "open" in marks else "done" if "outcome" in marks else ""


def prior(candidate: SentenceCandidate) -> float:
    """Weighs a sentence by its kind, with figures measured by `tests/benchmarks/evaluate_tree.py`."""
    weight = {"assistant": 0.5}.get(candidate.speaker, 1.0) * (_ROW if candidate.kind == "row" else 1.0)
    if NODE_WORDS["stamped"].match(candidate.text) or NODE_WORDS["remark"].fullmatch(candidate.text):
        weight *= _STAMPED
    cues = candidate.cues
    if "fact" in cues:
        weight *= 1.5
    if {"decision", "insight", "outcome"} & cues:
        weight *= 1.2
    if candidate.question or "request" in cues:
        weight *= 0.8
    return weight * (0.6 if "chat" in cues else 1.0)
