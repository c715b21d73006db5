"""Reads and edits a document by bytes, so that everything outside an edit stays unchanged (decision G14)."""

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
    """The bytes are no text; the file is skipped for this reason and never rewritten (decision G14)."""


def decode(data: bytes) -> str:
    """Decodes UTF-8 without a BOM; raises `Unreadable` for NUL bytes and invalid UTF-8."""
    nul = data.find(b"\0")
    if nul >= 0:
        raise Unreadable(_nul_reason(data, nul))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8: byte 0x{data[error.start]:02x} on line {_line_at(data, error.start)}") from None


def exact_text(path: str, data: bytes) -> str:
    """Returns the text that encodes to exactly these bytes; raises `Refused` if there is none."""
    try:
        decode(data)
        return data.decode("utf-8")
    except (Unreadable, UnicodeDecodeError) as error:
        raise Refused("it is not UTF-8 text", where=path) from error


def is_locked(data: bytes) -> bool:
    """Tells whether git-crypt encrypted the bytes."""
    return data.startswith(LOCKED)


def shown_text(data: bytes) -> str:
    """Returns a file's text for display: odd bytes replaced; for a locked file one line that says so."""
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
    r"""Splits text at `\n` and `\\r\n` only, as editors, diffs and git do; `str.splitlines` also splits at U+2028, form
    feeds and others (decision C7). A final line end adds no empty line."""
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line[:-1] if line.endswith("\r") else line for line in lines] if "\r" in text else lines


def each_line(text: str) -> Iterator[str]:
    """Yields the same lines one by one: a list of a million takes 70 MB."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end].removesuffix("\r")
        start = end + 1
    if start < len(text):
        yield text[start:].removesuffix("\r")


class Document(msgspec.Struct, frozen=True, dict=True):
    """A decodable file: `data` as on disk; `text` decoded, without BOM, with line ends as on disk."""

    data: bytes
    text: str

    @classmethod
    def from_bytes(cls, data: bytes) -> "Document":
        """Reads bytes; raises `Unreadable` if they are no UTF-8 text."""
        return cls(data, decode(data))

    @property
    def bom(self) -> bool:
        return self.data.startswith(BOM)

    @cached_property
    def newline(self) -> str:
        r"""The commonest line end; `\n` for a tie or none."""
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
        """All lines without line ends; `lines[n - 1]` is line `n`."""
        return tuple(split_lines(self.text))

    @cached_property
    def body(self) -> str:
        """The text below the frontmatter, line ends as on disk."""
        start = self.frontmatter.end
        # Without frontmatter the text is there already, and is not copied.
        return self.data[start:].decode() if start > len(BOM) else self.text

    def text_from(self, line: int) -> str:
        """Returns the text from a line (from 1) on; empty if there is no such line."""
        start = 0
        for _ in range(line - 1):
            if not (start := self.text.find("\n", start) + 1):
                return ""
        return self.text[start:]

    @property
    def line_count(self) -> int:
        """The number of lines, counted without making a list: a million lines take 70 MB."""
        return self.text.count("\n") + (self.text != "" and not self.text.endswith("\n"))

    @property
    def body_line_count(self) -> int:
        """The number of lines below the frontmatter."""
        return max(0, self.line_count - (self.frontmatter.body_line - 1))

    @property
    def body_lines(self) -> tuple[str, ...]:
        """The lines of the body; the first one is line `frontmatter.body_line` of the file (decision C7)."""
        return self.lines[self.frontmatter.body_line - 1 :]

    def append(self, text: str) -> bytes:
        """Returns the bytes with `text` appended after a line end; the old bytes stay a prefix (decision A11)."""
        # A file of a BOM alone is empty: a line end would be its first line.
        gap = "" if self.data in (b"", BOM) or self.ends_with_newline else self.newline
        return self.data + (gap + self._with_own_newlines(text)).encode()

    def replace_span(self, start: int, end: int, new: str) -> bytes:
        """Replaces only the bytes from `start` to `end` (G14); `ValueError` for offsets outside or in a character."""
        if not 0 <= start <= end <= len(self.data):
            raise ValueError(f"no span of the file: {start}-{end} of {len(self.data)}")
        if any(self.data[at : at + 1] and 0x80 <= self.data[at] < 0xC0 for at in (start, end)):
            raise ValueError(f"the span {start}-{end} cuts a character")
        return self.data[:start] + self._with_own_newlines(new).encode() + self.data[end:]

    def line_span(self, first: int, last: int) -> tuple[int, int]:
        """Returns the byte offsets of lines `first` to `last`, both included, from 1, with line ends, without a BOM;
        raises `ValueError` for missing lines."""
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
