"""The file, section and risk tier for each kind of entry (§8.3, D43)."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from engine.extraction.entry import EntryKind, ExtractedEntry
from engine.extraction.named_notes import person_of, project_of
from engine.extraction.rows import SupersededBy, entry_row
from engine.plans.plan import LineOrigin, RiskTier
from engine.text.markdown import code_mask, heading_of
from engine.workspace.layout import IDENTITY_FILES, MEMORY_MD_PATHS
from engine.workspace.values import LineSpan

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class SectionRow(NamedTuple):
    """A row of a file, its section's heading, and the lines of another file that say it."""

    section: str
    text: str
    source: LineSpan


def with_rows(text: str, rows: Sequence[SectionRow]) -> tuple[str, tuple[LineOrigin, ...]]:
    """Adds each row at the end of its section; gives the text and the origin of each row's line."""
    new, origins = f"{text}\n" if rows and text and not text.endswith("\n") else text, list[LineOrigin]()
    for section in dict.fromkeys(row.section for row in rows):
        group = [row for row in rows if row.section == section]
        new, at = with_entries(new, section, [row.text for row in group])
        origins = [LineOrigin(one.line + (len(group) if one.line >= at else 0), one.source) for one in origins]
        origins += [LineOrigin(at + number, row.source) for number, row in enumerate(group)]
    return new, tuple(sorted(origins, key=lambda origin: origin.line))


def with_entries(text: str, section: str, rows: Sequence[str]) -> tuple[str, int]:
    """Adds rows at the end of a section, made where it is missing; gives the text and the first row's line number."""
    lines, end_of_line = _LINE.findall(text), "\r\n" if "\r\n" in text else "\n"
    if (end := _end_of(lines, section)) is None:
        lines += [*([end_of_line] if lines and lines[-1].strip() else []), f"{section}{end_of_line}"]
        end = len(lines)
    return "".join((*lines[:end], *(f"{row}{end_of_line}" for row in rows), *lines[end:])), end + 1


def _end_of(lines: Sequence[str], section: str) -> int | None:
    """Gives the index after a section's last line that is not blank; None without such a section."""
    level = section.index(" ")
    start = next((at for at, line in enumerate(lines) if line.rstrip() == section), None)
    if start is None:
        return None
    stop = next((at for at in _headings(lines, level) if at > start), len(lines))
    while stop > start + 1 and not lines[stop - 1].strip():
        stop -= 1
    return stop


def _headings(lines: Sequence[str], level: int) -> Iterator[int]:
    for at, (line, is_code) in enumerate(zip(lines, code_mask(lines), strict=True)):
        heading = None if is_code else heading_of(line)
        if heading is not None and heading.level <= level:
            yield at


class Destination(NamedTuple):
    """A section of a file. `head` and `title` are for a new file."""

    path: str
    section: str
    risk_tier: RiskTier
    head: str
    title: str

    @property
    def beginning(self) -> str:
        """The text of a new file before its first entry."""
        return f"---\n{self.head}---\n\n# {self.title}\n"


class PlacedEntry(msgspec.Struct, frozen=True):
    """An entry with its quote's line in the transcript, its day, and its destination."""

    entry: ExtractedEntry
    line: int
    day: str
    to: Destination
    superseded: SupersededBy | None = None

    @property
    def row(self) -> str:
        """The bullet of the entry, with its id."""
        return entry_row(self.day, self.entry.quote, self.entry.id, self.superseded)

    @property
    def span(self) -> LineSpan:
        """The entry's line in the transcript."""
        return LineSpan(self.entry.turn.source, self.line, self.line)


class Homes(msgspec.Struct, frozen=True):
    """The files that platforms load, by title (D60). `memory_folder`: the workspace is Claude Code's own memory."""

    loaded: Mapping[str, frozenset[str]] = {}
    memory_folder: bool = False

    def warnings(self, paths: Collection[str]) -> Iterator[str]:
        """Yields a warning for each file that no platform loads; one warning where no platform is in use."""
        used = ", ".join(sorted(self.loaded))
        if paths and not used and not self.memory_folder:
            yield "not loaded by any platform, for none is used here: memdeck load"
        for path in sorted(paths):
            if used and path not in frozenset().union(*self.loaded.values()) and not self.memory_folder:
                yield f"{path}: not loaded by {used}"


NOWHERE = Homes()
_TOPICS = {
    EntryKind.PREFERENCE: ("user_preferences", "user", "What the user likes and wants each time"),
    EntryKind.CORRECTION: ("feedback_rules", "feedback", "What the user corrected, to be done so from then on"),
    EntryKind.DECISION: ("project_decisions", "project", "What was decided"),
    EntryKind.LESSON: ("project_lessons", "project", "What was learnt by doing"),
    EntryKind.JOURNAL: ("project_journal", "project", "What was done, by day"),
    EntryKind.PROCEDURE: ("reference_procedures", "reference", "How things are done"),
    EntryKind.PERSON: ("reference_people", "reference", "Who is who"),
    EntryKind.FACT: ("reference_facts", "reference", "Values, places, names and dates"),
}
"""The topics of Claude Code's memory: name, type and description, in its own form."""


LONGEST_HOOK = 150  # characters of what an index says of a topic, as Claude Code asks for
_ENTRY = re.compile(r"(?m)^- \d{4}-\d\d-\d\d: (.+?)(?: <!--.*)?$")


def index_line(path: str, content: str) -> str:
    """Gives a topic's line in the index `MEMORY.md`, with its first entry, because a session begins with the index."""
    name = path.removesuffix(".md")
    told = next(told for topic, _, told in _TOPICS.values() if topic == name)
    first = _ENTRY.search(content)
    hook = first[1] if first and len(first[1]) <= LONGEST_HOOK else told
    return f"- [{name.replace('_', ' ').capitalize()}]({path}) — {hook}"


def is_topic(path: str) -> bool:
    """Tells whether a file is a topic that an extraction writes to Claude Code's memory."""
    return any(path == f"{name}.md" for name, _, _ in _TOPICS.values())


def destination(entry: ExtractedEntry, day: str, paths: Collection[str], homes: Homes = NOWHERE) -> Destination:
    """Gives an entry's destination; `paths` are the workspace's files, `day` is that of its turn."""
    if homes.memory_folder:
        name, kind, told = _TOPICS[entry.kind]
        head = f"name: {name}\ndescription: {told}\ntype: {kind}\n"
        return Destination(f"{name}.md", "## Entries", RiskTier.C, head, told)
    project = project_of(entry.quote, paths)
    journal = Destination(
        f"knowledge/journal/{day}.md", f"### {project or 'general'}", RiskTier.B, f"type: journal\ndate: {day}\n", day
    )
    match entry.kind:
        case EntryKind.DECISION if project:
            path = f"knowledge/projects/{project}/context.md"
            head = f"type: project_context\nproject: {project}\n"
            return Destination(path, "## Key Decisions", RiskTier.B, head, project)
        case EntryKind.DECISION | EntryKind.JOURNAL:
            return journal  # a general decision goes to MEMORY.md at the weekly rollup (D43)
        case EntryKind.LESSON:
            # No planner makes a MEMORY.md (C18): without one a lesson stays in the journal.
            memory = next((path for path in MEMORY_MD_PATHS if path in paths), "")
            return Destination(memory, "## Lessons Learned", RiskTier.C, "", "") if memory else journal
        case EntryKind.PERSON:
            person = person_of(entry.quote, paths)
            path = f"knowledge/people/{person or 'contacts'}.md"
            return Destination(path, "## Context", RiskTier.B, "type: person\n", person or "Contacts")
        case EntryKind.PROCEDURE:
            slug = project or "general"
            return Destination(
                f"knowledge/procedures/{slug}.md", "## Steps", RiskTier.B, "type: procedure\n", f"Procedures: {slug}"
            )
        case EntryKind.FACT:
            slug = project or "facts"
            return Destination(f"knowledge/reference/{slug}.md", "## Facts", RiskTier.B, "type: reference\n", slug)
        case EntryKind.PREFERENCE:
            return _identity("USER", "user", "## Preferences", paths)
        case EntryKind.CORRECTION:
            return _identity("AGENTS", "rules", "## Feedback", paths)


def tier_of_file(path: str) -> RiskTier:
    """Gives the risk tier of a change that only marks entries in a file."""
    kept = (
        path.startswith(("knowledge/identity/", "memory/semantic/"))
        or path in MEMORY_MD_PATHS
        or path in IDENTITY_FILES
    )
    return RiskTier.C if kept else RiskTier.B


def _identity(name: str, role: str, section: str, paths: Collection[str]) -> Destination:
    """Gives the destination in an identity file, for what a person likes or corrected, which is kept for ever (D43).
    A file at the root, where it exists, is the one that platforms load (decision D60)."""
    root, own = f"{name}.md", f"knowledge/identity/{name}.md"
    path = root if root in paths else own
    return Destination(path, section, RiskTier.C, f"type: identity\nrole: {role}\n", name.title())
