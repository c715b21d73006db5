"""A document: bytes first. What an edit does not touch stays byte for byte as it was (decision G14)."""

import codecs
import re
from collections.abc import Iterator
from functools import cached_property

import msgspec

from engine.errors import MemdeckError, Refused
from engine.text.frontmatter import Frontmatter, read_frontmatter

BOM = codecs.BOM_UTF8
LOCKED = b"\0GITCRYPT\0"  # begins a file that git-crypt encrypted


class Unreadable(MemdeckError, title="Unreadable", exit_code=5):
    """The bytes are not text; the file is skipped with this reason and never rewritten (decision G14)."""


def decode(data: bytes) -> str:
    """The text of `data` without a BOM; `Unreadable` for NUL bytes and for what is not UTF-8."""
    nul = data.find(b"\0")
    if nul >= 0:
        raise Unreadable(_nul_reason(data, nul))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8: byte 0x{data[error.start]:02x} on line {_line_at(data, error.start)}") from None


def exact_text(path: str, data: bytes) -> str:
    """The text whose UTF-8 is these very bytes; `Refused` for others, which a plan could not write as they were."""
    try:
        decode(data)
        return data.decode("utf-8")
    except (Unreadable, UnicodeDecodeError) as error:
        raise Refused("it is not UTF-8 text", where=path) from error


def is_locked(data: bytes) -> bool:
    """Tells whether the bytes are those of a file that git-crypt encrypted."""
    return data.startswith(LOCKED)


def shown_text(data: bytes) -> str:
    """The text of a file for those who look at it: odd bytes replaced; of a locked file one line that says so."""
    return "locked by git-crypt: git-crypt unlock opens it" if is_locked(data) else data.decode("utf-8", "replace")


def _nul_reason(data: bytes, at: int) -> str:
    if is_locked(data):
        return "locked by git-crypt"
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "UTF-16, not UTF-8"
    return f"a NUL byte on line {_line_at(data, at)}"


def _line_at(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1


def split_lines(text: str) -> list[str]:
    """The lines of `text` without their ends; a line ends at `\\n` or `\\r\\n` and nowhere else. `str.splitlines` also
    breaks at U+2028, form feeds and the like, which no editor, diff or git counts as lines; so the numbers here are the
    ones an operator sees elsewhere (decision C7). A final line end adds no empty line."""
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line[:-1] if line.endswith("\r") else line for line in lines] if "\r" in text else lines


def each_line(text: str) -> Iterator[str]:
    """The same lines one after the other: of a log with a million of them a list takes 70 MB."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end].removesuffix("\r")
        start = end + 1
    if start < len(text):
        yield text[start:].removesuffix("\r")


class Document(msgspec.Struct, frozen=True, dict=True):
    """A decodable file: `data` is what is on disk, `text` the same decoded, without BOM, line ends as on disk."""

    data: bytes
    text: str

    @classmethod
    def from_bytes(cls, data: bytes) -> "Document":
        """Raises `Unreadable` for what is not UTF-8 text."""
        return cls(data, decode(data))

    @property
    def bom(self) -> bool:
        return self.data.startswith(BOM)

    @cached_property
    def newline(self) -> str:
        """The line end that most lines have; `\\n` for a tie and for none."""
        return "\r\n" if 2 * self.data.count(b"\r\n") > self.data.count(b"\n") else "\n"

    @property
    def crlf(self) -> bool:
        return self.newline == "\r\n"

    @property
    def ends_with_newline(self) -> bool:
        return self.data.endswith(b"\n")

    @cached_property
    def frontmatter(self) -> Frontmatter:
        return read_frontmatter(self.data)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """All lines without their ends; `lines[n - 1]` is line `n`."""
        return tuple(split_lines(self.text))

    @cached_property
    def body(self) -> str:
        """The text below the frontmatter, line ends as on disk."""
        start = self.frontmatter.end
        # Without frontmatter the text is there already, and is not copied.
        return self.data[start:].decode() if start > len(BOM) else self.text

    def text_from(self, line: int) -> str:
        """The text from the start of a line (from 1) on; empty where there is no such line."""
        start = 0
        for _ in range(line - 1):
            if not (start := self.text.find("\n", start) + 1):
                return ""
        return self.text[start:]

    @property
    def line_count(self) -> int:
        """Counts the lines, without making them: a million lines take 70 MB."""
        return self.text.count("\n") + (self.text != "" and not self.text.endswith("\n"))

    @property
    def body_line_count(self) -> int:
        """Counts the lines of the body."""
        return max(0, self.line_count - (self.frontmatter.body_line - 1))

    @property
    def body_lines(self) -> tuple[str, ...]:
        """The lines of the body; the first one is line `frontmatter.body_line` of the file (decision C7)."""
        return self.lines[self.frontmatter.body_line - 1 :]

    def append(self, text: str) -> bytes:
        """The bytes with `text` at the end: all old bytes stay a prefix of the new (decision A11). A missing final line
        end is put between; the line ends of `text` become the file's own."""
        # A file of a BOM alone is empty: a line end would be its first line.
        gap = "" if self.data in (b"", BOM) or self.ends_with_newline else self.newline
        return self.data + (gap + self._with_own_newlines(text)).encode()

    def replace_span(self, start: int, end: int, new: str) -> bytes:
        """The bytes with those from offset `start` to `end` replaced by `new`; no other byte changes (decision G14).
        Raises `ValueError` for offsets outside the file or inside a character."""
        if not 0 <= start <= end <= len(self.data):
            raise ValueError(f"no span of the file: {start}-{end} of {len(self.data)}")
        if any(self.data[at : at + 1] and 0x80 <= self.data[at] < 0xC0 for at in (start, end)):
            raise ValueError(f"the span {start}-{end} cuts a character")
        return self.data[:start] + self._with_own_newlines(new).encode() + self.data[end:]

    def line_span(self, first: int, last: int) -> tuple[int, int]:
        """Byte offsets of lines `first` to `last`, both included, from 1, with their line ends and without a BOM.
        Raises `ValueError` for lines the file does not have."""
        if not 1 <= first <= last <= len(self.lines):
            raise ValueError(f"no lines of the file: {first}-{last} of {len(self.lines)}")
        starts = self._line_starts
        return starts[first - 1], starts[last]

    @cached_property
    def _line_starts(self) -> tuple[int, ...]:
        start = len(BOM) if self.bom else 0
        starts = [start, *(match.end() for match in re.finditer(rb"\n", self.data))]
        if not self.ends_with_newline:
            starts.append(len(self.data))
        return tuple(starts)

    def _with_own_newlines(self, text: str) -> str:
        # By way of `\n`, so that a text which has both kinds comes out with one.
        return text.replace("\r\n", "\n").replace("\n", self.newline)
