"""Defines, reads and writes the semantic entry (compactor §Semantic Entry Schema, A15)."""

import re
from collections.abc import Sequence

import msgspec

from engine.errors import Blocked
from engine.plans.plan import Append, Change, Create
from engine.text.document import split_lines
from engine.text.markdown import heading_of
from engine.workspace.layout import TIER_FOLDERS
from engine.workspace.values import MemoryTier

TITLE, CONTEXT, INSIGHT, IMPACT = "Title", "Context", "Durable Insight", "Operational Impact"
FIELDS = (TITLE, CONTEXT, INSIGHT, IMPACT)
REQUIRED = (TITLE, CONTEXT, INSIGHT)
"""Fields of an entry that a person writes. Ours have Context only if it explains something (decision A29)."""

_LABEL = re.compile(
    rf" {{0,3}}(?P<dress>[*_]{{1,2}})?(?P<field>{'|'.join(FIELDS)})[*_]{{0,2}}"
    r"[ \t]*[:：](?(dress)[*_]{0,2})[ \t]*(?P<text>.*)",
    re.IGNORECASE,
)
"""Matches a field in any case and emphasis, so that it never runs into the text of the field before."""
_BY_NAME = {label.casefold(): label for label in FIELDS}
_SHORT_SOURCE = re.compile(r"<!--\d{6}:\d{1,9}(?:-\d{1,9})?-->")
_COMMENT = re.compile(r"\s*<!--(.*?)-->\s*")
_LOOSE_TITLE = re.compile(r"\s{0,3}(?:[-*+]\s+)?[*_]{0,2}title[*_]{0,2}\s*[:：][*_]{0,2}\s*(.+)", re.IGNORECASE)


class SemanticEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One durable insight. `provenance`: the text of its HTML comment; `lines`: the line of each field."""

    title: str
    context: str = ""
    insight: str
    impact: str = ""
    provenance: str = ""
    lines: dict[str, int] = {}

    def fields(self) -> tuple[tuple[str, str], ...]:
        """Returns label and text of each field that is not empty, in the order of the schema."""
        texts = zip(FIELDS, (self.title, self.context, self.insight, self.impact), strict=True)
        return tuple((label, text) for label, text in texts if text)


class SchemaProblem(msgspec.Struct, frozen=True):
    """A fault of an entry: line (from 1), field, broken rule, and the line's text."""

    line: int
    field: str
    rule: str
    text: str = ""

    def __str__(self) -> str:
        return f"line {self.line}, {self.field}: {self.rule}"


class SchemaError(Blocked, title="Schema"):
    """An entry breaks the schema, so that nothing of it is written (compactor §Validate Semantic Schema)."""

    def __init__(self, problems: Sequence[SchemaProblem], *, where: str = "") -> None:
        self.problems = tuple(problems)
        super().__init__(
            "; ".join(map(str, self.problems)),
            where=where,
            hint="an entry is Title:, Durable Insight: and, where they say more, Context: and Operational Impact:",
        )


class _Open:
    """An entry whose lines are being read."""

    def __init__(self, line: int) -> None:
        self.line, self.field, self.provenance = line, TITLE, ""
        self.texts: dict[str, list[str]] = {}
        self.lines: dict[str, int] = {}

    def close(self) -> SemanticEntry:
        title, context, insight, impact = (" ".join(" ".join(self.texts.get(label, ())).split()) for label in FIELDS)
        entry = SemanticEntry(title=title, context=context, insight=insight, impact=impact)
        return msgspec.structs.replace(entry, provenance=self.provenance, lines=self.lines)


def field_of(line: str) -> str | None:
    """Returns the field that begins on a line, in any case and emphasis; None if none does."""
    label = _LABEL.fullmatch(line)
    return _BY_NAME[label["field"].casefold()] if label else None


def read_entries(text: str, *, drafted: bool = False) -> tuple[tuple[SemanticEntry, ...], tuple[SchemaProblem, ...]]:
    """Reads the entries of any text, and all its schema problems. `drafted`: a person's entries, which need Context."""
    problems: list[SchemaProblem] = []
    entries: list[_Open] = []
    lines = split_lines(text)
    for number, line in enumerate(lines, 1):
        field = field_of(line)
        if field == TITLE:
            entries.append(_Open(number))
        if entries:
            problems.extend(_take(entries[-1], number, line, field))
        elif line.strip():
            problems.append(SchemaProblem(number, TITLE, "text stands before the first Title:"))
    if not entries:
        problems.append(SchemaProblem(1, TITLE, "missing"))
    for entry in entries:
        problems.extend(_missing(entry, REQUIRED if drafted else (TITLE, INSIGHT)))
    quoted = (
        msgspec.structs.replace(problem, text=lines[problem.line - 1]) if lines else problem for problem in problems
    )
    return tuple(entry.close() for entry in entries), tuple(sorted(quoted, key=lambda problem: problem.line))


def _take(entry: _Open, number: int, line: str, field: str | None) -> list[SchemaProblem]:
    comment, label = _COMMENT.fullmatch(line), _LABEL.fullmatch(line)
    if comment:
        entry.provenance = comment[1].strip()
    elif field is None or label is None:
        # A line without a label goes on with the field above it.
        entry.texts.setdefault(entry.field, []).append(line)
    else:
        entry.field = field
        if field in entry.lines:
            return [SchemaProblem(number, field, "stands twice in one entry")]
        entry.lines[field], entry.texts[field] = number, [label["text"]]
    return []


def _missing(entry: _Open, required: Sequence[str]) -> list[SchemaProblem]:
    found: list[SchemaProblem] = []
    for label in REQUIRED:
        if label not in entry.lines and label in required:
            found.append(SchemaProblem(entry.line, label, "missing"))
        elif label in entry.lines and not "".join(entry.texts[label]).strip():
            found.append(SchemaProblem(entry.lines[label], label, "empty"))
    return found


def valid_entries(text: str, *, where: str = "") -> tuple[SemanticEntry, ...]:
    """Reads the entries of `text`; raises `SchemaError` if anything breaks the schema."""
    entries, problems = read_entries(text)
    if problems:
        raise SchemaError(problems, where=where)
    return entries


def render(entry: SemanticEntry) -> str:
    """Returns the entry's text on disk: its fields, then its provenance in an HTML comment."""
    lines = [f"{label}: {text}" for label, text in entry.fields()]
    if entry.provenance:
        # Of the short form a blank on either side would be a tenth of what an entry costs.
        between = " " if entry.provenance.startswith("from ") else ""
        lines.append(f"<!--{between}{comment_safe(entry.provenance)}{between}-->")
    return "\n".join(lines) + "\n"


def comment_safe(text: str) -> str:
    """Returns `text` on one line, made unable to end an HTML comment."""
    return "".join(char if char.isprintable() else f"%{ord(char):02X}" for char in text).replace("--", "-%2D")


class KnownTitle(msgspec.Struct, frozen=True):
    """A title in semantic memory, with its place."""

    title: str
    path: str
    line: int


def titles(path: str, text: str) -> tuple[KnownTitle, ...]:
    """Returns every title of a shard: `Title:` in any emphasis, and headings below the first level."""
    found = []
    for number, line in enumerate(split_lines(text), 1):
        loose, heading = _LOOSE_TITLE.match(line), heading_of(line)
        title = loose[1] if loose else heading.text if heading is not None and heading.level > 1 else ""
        if title:
            found.append(KnownTitle(title.strip(" *_"), path, number))
    return tuple(found)


_SHARDS = TIER_FOLDERS[MemoryTier.SEMANTIC] + "/"
_DRAFTS = TIER_FOLDERS[MemoryTier.EPISODIC] + "/"


def field_lines(path: str, text: str) -> frozenset[int]:
    """Returns the numbers of lines that begin a field, in shards and episodic files; none elsewhere: mere claims."""
    if not path.startswith((_SHARDS, _DRAFTS)):
        return frozenset()
    return frozenset(number for entry in read_entries(text)[0] for number in entry.lines.values())


def own_marks(change: Change) -> frozenset[int]:
    """Returns the line numbers of the fields of a change's only entry, and of its source comment."""
    if not isinstance(change, Create | Append) or not change.path.startswith(_SHARDS):
        return frozenset()
    entries, _ = read_entries(change.content)
    fields = frozenset(entries[0].lines.values()) if len(entries) == 1 else frozenset[int]()
    lines = split_lines(change.content)
    starts = tuple(f"<!-- from {comment_safe(source.path)}:" for source in change.sources)
    is_own = bool(lines and starts) and (lines[-1].startswith(starts) or bool(_SHORT_SOURCE.fullmatch(lines[-1])))
    return fields | ({len(lines)} if is_own else frozenset())
