"""Removes entries from MEMORY.md, and writes the file to which they move; no byte of them is lost."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby

import msgspec

from engine.lifecycle.prune.memory_reasons import PrunedEntry, PruneReason
from engine.plans.plan import LineOrigin
from engine.text.frontmatter import read_frontmatter
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.workspace.values import LineSpan

_LINE_COUNT = re.compile(r"(line_count:[ \t]*)\d+([ \t\r]*)")
TITLES = {
    PruneReason.CAPTURED: "Captured in a more specific file",
    PruneReason.REDUNDANT: "Merged into another entry",
    PruneReason.SUPERSEDED: "Stale or superseded",
    PruneReason.HISTORICAL: "Archived as historical",
    PruneReason.UNUSED: "Loaded and never used",
}


class ArchivedEntries(msgspec.Struct, frozen=True):
    """The archive file's text, and the line of MEMORY.md from which each of its lines came."""

    text: str
    origins: tuple[LineOrigin, ...]


def without_entries(text: str, gone: Sequence[PrunedEntry]) -> str:
    """Gives the text without these entries, with `line_count` corrected (decision D23)."""
    lines = text.split("\n")
    for pruned in sorted(gone, key=lambda pruned: -pruned.entry.start):
        start, end = pruned.entry.start - 1, pruned.entry.end
        alone = start > 0 and not lines[start - 1].strip()
        while alone and end < len(lines) - 1 and not lines[end].strip():  # one blank line stays between two others
            end += 1
        del lines[start:end]
    return with_line_count("\n".join(lines))


def with_line_count(text: str) -> str:
    """Gives the text with its head's `line_count`, if any, corrected (decision D23)."""
    lines = text.split("\n")
    for at in range(read_frontmatter(text.encode("utf-8", "surrogatepass")).body_line - 1):
        lines[at] = re.sub(rf"^{_LINE_COUNT.pattern}$", rf"\g<1>{line_total(text)}\g<2>", lines[at])
    return "\n".join(lines)


def lost_lines(before: str, after: str, gone: Sequence[PrunedEntry]) -> tuple[str, ...]:
    """Gives the lines that are neither in the new file nor in the removed entries."""
    moved = (line for pruned in gone for line in pruned.entry.text.split("\n"))
    left = Counter(_compared(before.split("\n"))) - Counter(_compared(after.split("\n"))) - Counter(_compared(moved))
    return tuple(left.elements())


def _compared(lines: Iterable[str]) -> Iterator[str]:
    """Yields the lines to compare: no blank ones, and not `line_count`, which each write corrects."""
    return (line.rstrip("\r") for line in lines if line.strip() and not _LINE_COUNT.fullmatch(line))


def line_total(text: str) -> int:
    """Counts the lines of the whole file (decision D23)."""
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def archived_entries(path: str, text: str, gone: Sequence[PrunedEntry], today: date) -> ArchivedEntries:
    """Gives the file to which the entries move, each word for word under its reason."""
    lines = ["---", "type: memory", f"date: {today}", "---", "", f"# Archived from {path} on {today}"]
    old = text.split("\n")
    origins: list[LineOrigin] = []
    order = list(PruneReason)
    for reason, group in groupby(sorted(gone, key=lambda one: order.index(one.reason)), key=lambda one: one.reason):
        lines += ["", f"## {TITLES[reason]}"]
        for pruned in group:
            section = visible_line(redact(pruned.entry.section)) or "no section"
            lines += ["", f"From line {pruned.entry.start}, {section}: {pruned.why}", ""]
            for number in range(pruned.entry.start, pruned.entry.end + 1):
                lines.append(old[number - 1])
                origins.append(LineOrigin(len(lines), LineSpan(path, number, number)))
    return ArchivedEntries("\n".join(lines) + "\n", tuple(origins))
