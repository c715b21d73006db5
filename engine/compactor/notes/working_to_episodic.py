"""Plans working → episodic: reads old notes, writes compiled files, archives the notes (compactor §Workflow 2)."""

from collections.abc import Iterable
from datetime import date
from pathlib import PurePosixPath

import msgspec

from engine.compactor.limits.evaluation import MOVE_RISK_TIER, AgedFile
from engine.errors import MemdeckError
from engine.models.summary import NoteToSummarise, Summary
from engine.plans.plan import Create, LineOrigin, Move
from engine.plans.planning import Draft
from engine.text.derived import NONE, derived_line, derived_lines
from engine.text.document import Document, split_lines
from engine.text.frontmatter import write_frontmatter
from engine.text.safe_text import hidden_characters
from engine.text.secrets.detector import find_secrets
from engine.workspace.generated import generated_blocks
from engine.workspace.snapshot import FreeNames, Snapshot
from engine.workspace.values import FileDate, LineSpan, MemoryTier, Skipped

CONFLICT = "merge-conflict"


class SourceNote(msgspec.Struct, frozen=True, kw_only=True):
    """A readable file to compact. `left_out` names generated blocks, which are blank lines in `note` (G16)."""

    file: AgedFile
    note: NoteToSummarise
    warnings: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def path(self) -> str:
        return self.file.facts.path

    @property
    def whole(self) -> LineSpan:
        return LineSpan(self.path, 1, max(1, self.file.facts.lines))


def read_source(snapshot: Snapshot, file: AgedFile) -> SourceNote | Skipped:
    """Reads a file to compact, or returns the reason why it stays in place."""
    path = file.facts.path
    try:
        document = Document.from_bytes(snapshot.content(path))
    except MemdeckError as error:
        return Skipped(path, error.message)
    blocks = generated_blocks(document.text)
    if any(block.kind == CONFLICT for block in blocks):
        return Skipped(path, "unresolved merge conflict")
    masked = {line for block in blocks for line in range(block.start, block.end + 1)}
    first = document.frontmatter.body_line
    # A lone carriage return ends no line for us, nor may it for the summariser: line numbers must agree.
    lines = ("" if n in masked else line.replace("\r", " ") for n, line in enumerate(document.body_lines, first))
    return SourceNote(
        file=file,
        note=NoteToSummarise(path, "\n".join(lines) + "\n", first),
        warnings=_warnings(file, document.text),
        left_out=tuple(f"generated block: {block}" for block in blocks),
    )


def _warnings(file: AgedFile, text: str) -> tuple[str, ...]:
    found = []
    if file.facts.date.low_confidence or file.facts.frontmatter.get("date-confidence") == "low":
        found.append(f"low confidence: its date {file.facts.date.day} is only its modification time")
    if file.facts.frontmatter_problem:
        found.append(f"frontmatter: {file.facts.frontmatter_problem}")
    if secrets := find_secrets(text):
        named = ", ".join(dict.fromkeys(f"{secret.rule} on line {secret.line}" for secret in secrets))
        found.append(f"holds secrets, which stay in the archived original and nowhere else: {named}")
    plain = text.isascii() and text.replace("\n", "").isprintable()
    if hidden := () if plain else hidden_characters(text):
        found.append("hidden characters: " + ", ".join(f"{mark.token} ×{mark.count}" for mark in hidden))
    return tuple(found)


MOST_POINTS = 5  # bullets of a summary (compactor §Summarize Working → Episodic: 3–5)
NOTHING = "(nothing worth keeping)"


class Compiled(msgspec.Struct, frozen=True):
    """The text of a compiled note, and the source lines of each bullet."""

    content: str
    origins: tuple[LineOrigin, ...]


def compile_note(
    source: str, archived_as: str, own_date: FileDate, today: date, summary: Summary, method: str
) -> Compiled:
    """Writes a working note's episodic file, with its source's date (A7). `method`: how it was summarised (G9)."""
    values: dict[str, str | list[str]] = {
        "source-date": own_date.day.isoformat(),
        "source": source,
        "archived-as": archived_as,
        "compiled": today.isoformat(),
        "summary": method,
    }
    if own_date.low_confidence:
        values["date-confidence"] = "low"
    lines = [*split_lines(write_frontmatter(values)), f"# Compiled: {derived_line(PurePosixPath(source).name)}"]
    if summary.title:
        lines.append(f"About: {derived_line(summary.title)}")
    origins: list[LineOrigin] = []
    sections = {
        "Summary": summary.events[:MOST_POINTS],
        "Decisions": summary.decisions,
        "Extracted Insights": summary.insights,
        **({"Facts": summary.facts} if summary.facts else {}),
        **({"Details": further} if (further := summary.events[MOST_POINTS:]) else {}),
    }
    for heading, points in sections.items():
        lines.append(f"## {heading}")
        written = [line for point in points for line in point.written]
        for line, text in zip(written, derived_lines([line.text for line in written]), strict=True):
            lines.append(f"{'  ' * line.depth}- {text}")
            origins.append(LineOrigin(len(lines), LineSpan(source, line.start, line.end)))
        if not points:
            lines.append(NOTHING if summary.is_empty and heading == "Summary" else NONE)
    return Compiled("\n".join(lines) + "\n", tuple(origins))


FOLDER = "memory/episodic"


def add_compiled(
    draft: Draft,
    snapshot: Snapshot,
    pairs: Iterable[tuple[SourceNote, Summary]],
    names: FreeNames,
    today: date,
    method: str,
) -> None:
    """Adds each note's compiled file and its move to the archive. Notes with nothing worth keeping come last (A33)."""
    named = ((facts.frontmatter.get("source"), facts.path) for facts in snapshot.tier(MemoryTier.EPISODIC))
    earlier = {source: path for source, path in named if isinstance(source, str)}
    for source, summary in sorted(pairs, key=lambda pair: pair[1].is_empty):
        episodic = names.free(FOLDER, PurePosixPath(source.path).stem)
        archived = names.archived(source.path, today)
        compiled = compile_note(source.path, archived, source.file.facts.date, today, summary, summary.by or method)
        create = Create(
            n=draft.next_number,
            path=episodic,
            risk_tier=MOVE_RISK_TIER,
            reason=f"{source.file.age} days old: compiled from {source.path}",
            content=compiled.content,
            sources=(source.whole,),
            origins=compiled.origins,
            dropped=tuple(derived_lines([*source.left_out, *summary.dropped])),
            warnings=(*source.warnings, *_remarks(source, summary, episodic, earlier)),
        )
        number = draft.add(create)
        move = Move(
            n=draft.next_number,
            path=source.path,
            to=archived,
            risk_tier=MOVE_RISK_TIER,
            reason=f"the whole note, kept unchanged; {episodic} sums it up",
            sources=(source.whole,),
            requires=(number,),
        )
        draft.add(move)


def _remarks(source: SourceNote, summary: Summary, episodic: str, earlier: dict[str, str]) -> list[str]:
    found = [summary.remark] if summary.remark else []
    if summary.is_empty:
        found.append("nothing worth keeping: the note goes to the archive as it is")
    name, written = PurePosixPath(source.path).name, PurePosixPath(episodic).name
    if written != name:
        found.append(f"{FOLDER}/{name} is taken: written as {written}")
    if source.path in earlier:
        found.append(f"{earlier[source.path]} was compiled from a note of this name before")
    return found
