"""A file about to be compacted: its body without what extraction must not read, and what the operator should know."""

import msgspec

from engine.compactor.limits.evaluation import AgedFile
from engine.errors import MemdeckError
from engine.models.summary import NoteToSummarise
from engine.text.document import Document
from engine.text.safe_text import hidden_characters
from engine.text.secrets.detector import find_secrets
from engine.workspace.generated import generated_blocks
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import LineSpan, Skipped

CONFLICT = "merge-conflict"


class SourceNote(msgspec.Struct, frozen=True, kw_only=True):
    """A readable file to compact. `left_out` names generated blocks; `note` has blank lines in their place (G16)."""

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
    """Reads a file to compact, or says why it is left where it is."""
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
    secrets = find_secrets(text)
    if secrets:
        named = ", ".join(dict.fromkeys(f"{secret.rule} on line {secret.line}" for secret in secrets))
        found.append(f"holds secrets, which stay in the archived original and nowhere else: {named}")
    plain = text.isascii() and text.replace("\n", "").isprintable()
    hidden = () if plain else hidden_characters(text)
    if hidden:
        found.append("hidden characters: " + ", ".join(f"{one.token} ×{one.count}" for one in hidden))
    return tuple(found)
