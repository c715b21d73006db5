"""Finds blocks that other tools wrote into a note; they are never edited and not extracted (decision G16). Finds merge
conflicts too, as neither side can be trusted. Markers inside code are examples."""

import re
from collections.abc import Iterator

import msgspec

from engine.text.document import split_lines
from engine.text.markdown import fence_after, heading_of

_PAIR = re.compile(r"\s*<!--\s*(openclaw|hipocampus):([\w.-]+(?::[\w.-]+)*?):(start|end)\s*-->\s*\Z", re.ASCII)
_PROMOTION = re.compile(r"<!--\s*openclaw-memory-(promotion|lineage):")
_LIST_ITEM = re.compile(r"\s*[-*+] ")
_CONTINUED = re.compile(r"[ \t]+[^\s*+-]|\s*<!--\s*(?:trigger|importance):")
_PROMOTION_HEADING = re.compile(
    r"#{2,3} (?:Promoted From Short-Term Memory|Consolidated Memory) \(\d{4}-\d\d-\d\d\)\s*\Z"
)
_SYNCED = re.compile(r"\s*<!--\s*Auto-synced from \S+ by hipocampus compact\s*-->\s*\Z")
_OURS = re.compile(r"<{7}(?: |\Z)")
_THEIRS = re.compile(r">{7}(?: |\Z)")
# One of these stands in every text that holds a block; looking for plain strings costs next to nothing.
_SIGNS = ("<!--", "<<<<<<<", "# Promoted From Short-Term Memory", "# Consolidated Memory")


class GeneratedBlock(msgspec.Struct, frozen=True):
    """Lines `start` to `end` of a text, from 1, that `tool` wrote. `closed`: False if the end marker is missing."""

    tool: str
    kind: str
    start: int
    end: int
    closed: bool = True

    def __str__(self) -> str:
        lines = f"line {self.start}" if self.start == self.end else f"lines {self.start}-{self.end}"
        return f"{self.tool} {self.kind}, {lines}" + ("" if self.closed else ", never closed")


def generated_blocks(text: str) -> tuple[GeneratedBlock, ...]:
    """Returns other tools' blocks and merge conflicts, in order. An unclosed block ends before the next opening marker
    or at the end: better to omit too much. A `<<<<<<<` without `=======` is one line."""
    return tuple(_Finder(split_lines(text)).blocks()) if any(sign in text for sign in _SIGNS) else ()


def line_mask(text: str) -> frozenset[int]:
    """Returns the line numbers, from 1, that extraction omits."""
    return frozenset(line for block in generated_blocks(text) for line in range(block.start, block.end + 1))


def remarks(text: str) -> tuple[str, ...]:
    """Returns one short remark per kind of block, for `FileFacts.notes`."""
    counts: dict[str, list[GeneratedBlock]] = {}
    for block in generated_blocks(text):
        counts.setdefault(f"{block.tool} {block.kind}", []).append(block)
    return tuple(_remark(name, blocks) for name, blocks in counts.items())


def _remark(name: str, blocks: list[GeneratedBlock]) -> str:
    lines = sum(block.end - block.start + 1 for block in blocks)
    opened = sum(not block.closed for block in blocks)
    many = f"{len(blocks)} blocks" if len(blocks) > 1 else "1 block"
    length = f"{lines} lines" if lines > 1 else "1 line"
    return f"{name}: {many}, {length}" + (f", {opened} never closed" if opened else "")


class _Finder:
    """Goes once through the lines, from block to block."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def blocks(self) -> Iterator[GeneratedBlock]:
        fence = ""
        at = done = 0
        while at < len(self._lines):
            line = self._lines[at]
            block = self._conflict(at, fenced=bool(fence)) if line.startswith("<<<<<<<") else None
            if block is None and not fence:
                block = self._block(at, line, done)
            if block is not None:
                yield block
                at = done = block.end
                continue
            fence = fence_after(fence, line)
            at += 1

    def _block(self, at: int, line: str, done: int) -> GeneratedBlock | None:
        """Returns the block of another tool that starts at index `at`, not reaching back before `done`; else None."""
        if line.startswith("#"):
            found = _PROMOTION_HEADING.match(line)
            return GeneratedBlock("openclaw", "promotion-heading", at + 1, at + 1) if found else None
        if "<!--" not in line:
            return None
        if pair := _PAIR.match(line):
            return self._pair(at, pair)
        if promotion := _PROMOTION.search(line):
            return self._promotion(at, promotion)
        return self._synced(at, done) if _SYNCED.match(line) else None

    def _pair(self, at: int, opener: re.Match[str]) -> GeneratedBlock:
        tool, kind = opener[1], opener[2]
        if opener[3] == "end":
            return GeneratedBlock(tool, kind, at + 1, at + 1, closed=False)
        for index in range(at + 1, len(self._lines)):
            marker = _PAIR.match(self._lines[index])
            if marker and marker[3] == "start":
                return GeneratedBlock(tool, kind, at + 1, index, closed=False)
            if marker and (marker[1], marker[2]) == (tool, kind):
                return GeneratedBlock(tool, kind, at + 1, index + 1)
        return GeneratedBlock(tool, kind, at + 1, len(self._lines), closed=False)

    def _promotion(self, at: int, comment: re.Match[str]) -> GeneratedBlock:
        """Returns the comment and, if it is alone on its line, the list item below with its own comments."""
        end = at + 1
        if not comment.string[: comment.start()].strip() and self._matches(end, _LIST_ITEM):
            end += 1
            while self._matches(end, _CONTINUED):
                end += 1
        return GeneratedBlock("openclaw", f"memory-{comment[1]}", at + 1, end)

    def _matches(self, index: int, pattern: re.Pattern[str]) -> bool:
        return index < len(self._lines) and pattern.match(self._lines[index]) is not None

    def _synced(self, at: int, done: int) -> GeneratedBlock:
        """Returns the section that hipocampus copies from ROOT.md, with its heading, up to the next section."""
        start = at
        while start > done and not self._lines[start - 1].strip():
            start -= 1
        start = start - 1 if start > done and _opens_section(self._lines[start - 1]) else at
        end = at + 1
        while end < len(self._lines) and not _opens_section(self._lines[end]):
            end += 1
        return GeneratedBlock("hipocampus", "synced-root", start + 1, end)

    def _conflict(self, at: int, *, fenced: bool) -> GeneratedBlock | None:
        if not _OURS.match(self._lines[at]):
            return None
        middle = False
        end = at + 1
        while end < len(self._lines) and not _OURS.match(self._lines[end]):
            line = self._lines[end]
            end += 1
            if middle and _THEIRS.match(line):
                return GeneratedBlock("git", "merge-conflict", at + 1, end)
            middle = middle or line.rstrip() == "======="
        if fenced:
            return None
        return GeneratedBlock("git", "merge-conflict", at + 1, end if middle else at + 1, closed=False)


def _opens_section(line: str) -> bool:
    heading = heading_of(line)
    return heading is not None and heading.level <= 2
