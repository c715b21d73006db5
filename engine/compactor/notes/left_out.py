"""Lists the lines of a note that its summary did not read, each with the reason (G4, G16)."""

import msgspec

from engine.errors import MemdeckError
from engine.models.plain_line import clean_lines
from engine.models.session_lines import NOT_FOR_US, left_out_lines
from engine.plans.diff import Read
from engine.plans.plan import Create, Plan
from engine.text.canonical_json import sha256_hex
from engine.text.document import Document

FOLDER = "memory/episodic/"
CHANGED = "it changed since the plan was made"
HIDDEN = "(not shown: it holds a secret)"


class LeftOutLine(msgspec.Struct, frozen=True, kw_only=True):
    """An omitted line by file and number, from 1; `line` is 0 if `reason` is about the whole file."""

    path: str
    line: int
    reason: str
    text: str = ""


def left_out(plan: Plan, read: Read, change: int | None = None) -> tuple[LeftOutLine, ...]:
    """Returns the omitted lines of each note that a plan or one change compiles; for a changed note only that fact."""
    hashes = {given.path: given.sha256 for given in plan.inputs}
    found: list[LeftOutLine] = []
    for compiled in plan.changes:
        is_note = isinstance(compiled, Create) and compiled.path.startswith(FOLDER) and compiled.sources
        if not is_note or change not in (None, compiled.n):
            continue
        path = compiled.sources[0].path
        try:
            data = read(path)
            changed = sha256_hex(data) != hashes.get(path)
            lines = _of_note(path, Document.from_bytes(data)) if not changed else []
            found += [LeftOutLine(path=path, line=0, reason=CHANGED)] if changed else lines
        except MemdeckError as error:
            found.append(LeftOutLine(path=path, line=0, reason=error.message))
    return tuple(found)


def _of_note(path: str, document: Document) -> list[LeftOutLine]:
    first = document.frontmatter.body_line
    lines = [line.replace("\r", " ") for line in document.body_lines]
    reasons = left_out_lines(clean_lines("\n".join(lines)))
    return [
        LeftOutLine(path=path, line=first + index, reason=reason, text=HIDDEN if reason == NOT_FOR_US else lines[index])
        for index, reason in sorted(reasons.items())
        if index < len(lines) and lines[index].strip()
    ]
