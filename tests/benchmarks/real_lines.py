"""Lines that people wrote and nobody poisoned, in parts: to learn from, to choose a threshold by, and to judge with.

A whole repository, package or page is in one part; half of them judge. Pages of other languages are manual pages and
sayings as Debian packages them (`manpages-de`, `fortunes-pl`, …), below `$MEMDECK_PAGES` or where the system has them.
"""

import gzip
import os
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from sysconfig import get_paths

import msgspec

from tests.conftest import SHARED

PAGES = Path(os.environ.get("MEMDECK_PAGES", "/usr/share"))
CHATS = ("memaware/memory", "memaware/raw", "memorybank-en", "memorybank-cn")
SHORTEST, LONGEST = 12, 2000  # characters of a line
MOST = 3000  # lines of one source and part, drawn by chance
_ROFF = re.compile(r"\\f\(?[A-Z]{1,2}|\\f\[\w*\]|\\f.|\\&")


@cache
def real_lines(part: str) -> dict[str, list[str]]:
    """The lines of a part (`learn`, `choose`, `judge`) by source: `notes`, `docs`, `turns`, `chats`, or a language."""
    lines: dict[str, set[str]] = defaultdict(set)
    for source, unit, text in _texts():
        if part == _part(unit):
            lines[source].update(one.strip() for one in text if SHORTEST <= len(one.strip()) <= LONGEST)
    drawn = random.Random(1)
    return {source: drawn.sample(sorted(some), min(MOST, len(some))) for source, some in sorted(lines.items())}


def _part(unit: str) -> str:
    first, second = sha256(unit.encode()).digest()[:2]
    return "judge" if first % 2 else ("learn" if second % 4 else "choose")


def _texts() -> Iterator[tuple[str, str, list[str]]]:
    """The source, the unit that a part takes or leaves as a whole, and the lines of every file."""
    notes, packages = SHARED / "real-notes", Path(get_paths()["purelib"])
    for file in sorted(notes.rglob("*.md")):
        yield "notes", file.relative_to(notes).parts[0], file.read_text("utf-8").splitlines()
    for file in sorted([*packages.rglob("*.md"), *packages.rglob("*.rst"), *packages.glob("*/METADATA")]):
        name = file.relative_to(packages).parts[0].split("-")[0].lower()
        if "licen" not in str(file).lower():
            yield "docs", name, file.read_text("utf-8", "replace").splitlines()
    for file in sorted((SHARED / "sessions").rglob("expected.json")):
        turns = (
            text
            for one in msgspec.json.decode(file.read_bytes()).get("sessions", ())
            for text in one.get("user_texts", ())
        )
        yield "turns", str(file.relative_to(SHARED)), [line for text in turns for line in text.splitlines()]
    for name in CHATS:
        for file in sorted((SHARED / name).rglob("*.md")):
            yield "chats", file.name, file.read_text("utf-8").splitlines()
    yield from _pages()


def _pages() -> Iterator[tuple[str, str, list[str]]]:
    for file in sorted(PAGES.rglob("man/*/man?/*.gz")):
        if not file.is_symlink():
            with gzip.open(file, "rt", encoding="utf-8", errors="ignore") as page:
                yield file.parts[-3][:2], file.name, list(_paragraphs(page.read()))
    for file in sorted(PAGES.rglob("fortunes/*/*")):
        if not file.suffix and file.is_file() and not file.is_symlink():
            yield file.parent.name[:2], file.name, file.read_text("utf-8", "replace").splitlines()


def _paragraphs(page: str) -> Iterator[str]:
    """The paragraphs of a manual page without the marks of its typesetter."""
    parts: list[str] = []
    for line in _ROFF.sub("", page).replace(r"\-", "-").replace(r"\(aq", "'").splitlines():
        if line.startswith((".B ", ".I ", ".BR ", ".IR ", ".BI ")):
            parts.append(line.split(" ", 1)[1].replace('"', ""))
        elif line.strip() and not line.startswith((".", "'")):
            parts.append(line)
        elif parts:
            yield " ".join(parts)
            parts = []
    if parts:
        yield " ".join(parts)
