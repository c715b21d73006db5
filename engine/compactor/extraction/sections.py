"""Reads an episodic file: the points below known headings, and written-out entries (A15, A26)."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import pairwise

import msgspec

from engine.compactor.notes.working_to_episodic import NOTHING
from engine.compactor.semantic.entry import FIELDS, TITLE, SemanticEntry, field_of, read_entries
from engine.compactor.semantic.pieces import Piece, cut
from engine.compactor.semantic.provenance import stated_provenance
from engine.compactor.semantic.shard_topics import new_topics
from engine.compactor.semantic.shards import FOLDER, Shard
from engine.compactor.semantic.topic_words import name_stems
from engine.models.block_reader import indent
from engine.models.labels import heading_role
from engine.models.owners import LEADS, list_of
from engine.models.summary import Point, PointLine
from engine.text.derived import NONE, derived_line
from engine.text.document import decode, split_lines
from engine.text.encoder.encoder import TextEncoder, text_encoder
from engine.text.markdown import code_mask, heading_of
from engine.text.pattern_file import pattern_file
from engine.workspace.snapshot import FreeNames
from engine.workspace.values import LineSpan

_BULLET = re.compile(r"\s{0,6}(?:[-*+]|\d{1,3}[.)])\s+(\S.*)")
_NO_PROSE = re.compile(r"\s*(?:[|<]|(?:[-=*_]\s*){3,}$|[-*+]\s*$)")
_QUOTE = re.compile(r"^\s*(?:>\s?)+")
_PLACEHOLDERS = frozenset({NOTHING, "(nothing to summarise)", NONE, "none", "n/a", "-"})
_HEADINGS = pattern_file(__package__, "sections.toml")["sections"]
_SECTIONS = {heading: section for section, headings in _HEADINGS.items() for heading in headings}
_OF_ROLE = {"insight": "insights", "decision": "decisions"}


class DraftedEntry(msgspec.Struct, frozen=True):
    """A written-out entry in a file: its text, and its first line number."""

    text: str
    start: int


class EpisodicNote(msgspec.Struct, frozen=True, kw_only=True):
    """The points of an episodic file, with its line numbers. `sections`: True if it has known headings."""

    summary: tuple[Point, ...]
    decisions: tuple[Point, ...]
    insights: tuple[Point, ...]
    sections: bool
    facts: tuple[Point, ...] = ()
    titles: tuple[Point, ...] = ()  # headings that say what the file is about, and name none of these parts
    drafts: tuple[DraftedEntry, ...] = ()


def read_note(text: str, first_line: int = 1) -> EpisodicNote:
    """Reads bullets and paragraphs below known headings; `first_line` is the line number of `text`'s first line."""
    reader = _Reader()
    whole = split_lines(text)
    numbered = enumerate(zip(whole, code_mask(whole), strict=True), first_line)
    lines = [(number, line) for number, (line, is_code) in numbered if not is_code]
    told = [(number, line) for number, line in lines if line.strip()]
    # A `Title:` that another field follows begins an entry that somebody wrote out, below any heading.
    begins = {
        number
        for (number, line), (_, after) in pairwise(told)
        if field_of(line) == TITLE and field_of(after) not in (None, TITLE)
    }
    for number, line in lines:
        reader.read(number, line, begins=number in begins)
    points = {
        section: tuple(point for point in found if point.text.casefold() not in _PLACEHOLDERS)
        for section, found in reader.points.items()
    }
    drafts = tuple(DraftedEntry("\n".join(lines), start) for start, lines in reader.drafts)
    return EpisodicNote(**points, titles=tuple(reader.titles), sections=reader.seen, drafts=drafts)


class _Reader:
    """Reads one line at a time. A draft ends at the first line that cannot belong to an entry."""

    def __init__(self) -> None:
        self.points: dict[str, list[Point]] = {"summary": [], "decisions": [], "insights": [], "facts": []}
        self.drafts: list[tuple[int, list[str]]] = []
        self.titles: list[Point] = []
        self.seen = False
        self._section: str | None = None
        self._drafting = False

    def read(self, number: int, line: str, *, begins: bool) -> None:
        """Reads a line; `begins`: a written-out entry begins on it."""
        if heading := heading_of(line):
            title = heading.text.strip(" :*_")
            self._section = _SECTIONS.get(title.casefold()) or _OF_ROLE.get(heading_role(title))
            self.seen = self.seen or self._section is not None
            self._drafting = False
            if self._section is None:
                self.titles.append(Point(title, number, number))
        elif (begins or self._drafting or self._section == "insights") and self._draft(number, line):
            return
        elif self._section is not None:
            _take(self.points[self._section], number, line)

    def _draft(self, number: int, line: str) -> bool:
        field = field_of(line)
        if field == TITLE:
            self.drafts.append((number, [line]))
            self._drafting = True
            return True
        if self._drafting:
            lines = self.drafts[-1][1]
            goes_on = bool(lines[-1].strip()) and not _BULLET.fullmatch(line)
            self._drafting = field is not None or not line.strip() or goes_on
            if self._drafting:
                lines.append(line)
        return self._drafting


def _take(points: list[Point], number: int, line: str) -> None:
    """Adds a bullet or a line of prose; one that goes on with what stands right above it is added to that."""
    text = _QUOTE.sub("", line).strip()
    last = points[-1] if points and points[-1].end == number - 1 else None
    if bullet := _BULLET.fullmatch(line):
        own = PointLine(bullet[1].strip(), number, number, indent(line))
        if last and own.depth > 1 and (last.lines or last.text.endswith(LEADS)):
            lines = (*last.written, own)
            points[-1] = Point(list_of([line.text for line in lines]), last.start, number, lines)
        else:
            points.append(Point(own.text, number, number))
    elif text and not _NO_PROSE.match(line):
        if last and last.text.casefold() not in _PLACEHOLDERS:
            points[-1] = Point(f"{last.text} {text}", last.start, number)
        else:
            points.append(Point(text, number, number))


class EntryCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that could be appended, its file, and the source lines of each field."""

    entry: SemanticEntry
    source: str
    spans: dict[str, LineSpan]
    of_user: bool = False  # it says who the user is (decision A32)
    further: tuple[LineSpan, ...] = ()  # the lines of the other facts that the entry states

    @property
    def sources(self) -> tuple[LineSpan, ...]:
        return tuple(sorted({*self.spans.values(), *self.further}))


class DraftProblem(msgspec.Struct, frozen=True):
    """A schema problem of a written-out entry: file, line, field, rule and the line's text."""

    path: str
    line: int
    field: str
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.field}: {self.rule}"


def drafted_entry(
    path: str, draft: DraftedEntry, day: date | None
) -> tuple[EntryCandidate | None, tuple[DraftProblem, ...]]:
    """Reads a written-out entry; returns None and every problem if it breaks the schema."""
    entries, problems = read_entries(draft.text, drafted=True)
    first = draft.start - 1
    if problems:
        return None, tuple(DraftProblem(path, first + it.line, it.field, it.rule, it.text) for it in problems)
    entry = entries[0]
    lines = {field: first + line for field, line in entry.lines.items()}
    title, context, insight, impact = map(derived_line, (entry.title, entry.context, entry.insight, entry.impact))
    provenance = stated_provenance(path, day, [(draft.start, max(lines.values()))])
    written = SemanticEntry(title=title, context=context, insight=insight, impact=impact, provenance=provenance)
    spans = {field: LineSpan(path, lines[field], lines[field]) for field in FIELDS if field in lines}
    return EntryCandidate(entry=written, source=path, spans=spans), ()


NEAR = 0.5  # cosine from which an entry that shares no topic goes to the shard whose entries are nearest
_NEAREST = 3  # entries of a shard by which it is near


def nearest_shard(candidate: EntryCandidate, shards: Sequence[Shard]) -> str:
    """Returns the shard with the entry nearest in meaning; empty if none is near or there is no encoder."""
    encoder = text_encoder() if shards else None
    if not isinstance(encoder, TextEncoder):
        return ""
    pieces = [
        (shard.path, f"{piece.title}. {piece.body}") for shard in shards for piece in cut(decode(shard.data)).pieces
    ]
    vectors = encoder.encode([f"{candidate.entry.title}. {candidate.entry.insight}", *(text for _, text in pieces)])
    near_by: dict[str, list[float]] = {}
    for (path, _), cosine in zip(pieces, vectors[1:] @ vectors[0], strict=True):
        near_by.setdefault(path, []).append(round(float(cosine), 3))
    near = {path: sum(sorted(all_of)[-_NEAREST:]) / min(_NEAREST, len(all_of)) for path, all_of in near_by.items()}
    path = max(near, key=lambda shard_path: (near[shard_path], shard_path), default="")
    return path if path and near[path] >= NEAR else ""


def new_shards(
    waiting: Mapping[int, EntryCandidate],
    full: Sequence[Shard],
    most: int,
    count: Callable[[str], int],
    names: FreeNames,
    paths: Sequence[str],
) -> dict[int, str]:
    """Returns the path of a new shard for each entry, by number, grouping entries by topic up to `most` tokens. `full`:
    shards whose entries help to find topics; `paths`: existing shards."""
    pieces = [_piece(candidate) for candidate in waiting.values()]
    old = [piece for shard in full for piece in cut(decode(shard.data)).pieces]
    stems = (path.rpartition("/")[2].removesuffix(".md") for path in paths)
    taken = frozenset(stem for name in stems for word in name_stems(name) for stem in word)
    topics = new_topics(pieces, [count(piece.text) for piece in pieces], old, most, taken)
    numbers = list(waiting)
    made = [(names.free(FOLDER, topic.name), topic.members) for topic in topics]
    return {numbers[index]: path for path, members in made for index in members}


def _piece(candidate: EntryCandidate) -> Piece:
    entry = candidate.entry
    text = "\n".join(text for _, text in entry.fields())
    return Piece(text=text, start=1, end=1, title=entry.title, body=f"{entry.insight} {entry.impact}")
