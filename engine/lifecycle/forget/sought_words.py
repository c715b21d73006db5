"""Finds words in any text or file, whatever their case, marks and line breaks."""

import gzip
import io
import re
import sys
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Protocol

import msgspec

from engine.errors import UsageError
from engine.text.document import split_lines
from engine.text.language import HAN, HANGUL, KANA

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_WIDE = f"{HAN}{KANA}{HANGUL}"
TOKEN = rf"[{_WIDE}]|[^\W_{_WIDE}]+"
_IS_WIDE = re.compile(f"[{_WIDE}]")
_FEWEST = 3  # letters that a request must hold: "a" or "it" would stand everywhere
MARK = "(forgotten)"  # stands where words stood: valid in YAML, JSON and Markdown, and no link
_MOST = 256 * 1024 * 1024  # bytes that a packed file is unpacked to at most: an archive can claim any size
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt])")
_UTF16, _ZLIB = (b"\xff\xfe", b"\xfe\xff"), (b"\x78\x01", b"\x78\x9c", b"\x78\xda")
Span = tuple[int, int]


class WordMatcher(Protocol):
    """Finds words in texts, from the words or their hashes. `may_hold` quickly tells that data cannot have them."""

    def may_hold(self, data: bytes) -> bool: ...
    def count(self, text: str) -> int: ...


class SoughtWords(msgspec.Struct, frozen=True, dict=True):
    """The sought texts, each a sequence of words; `UsageError` for one without a word."""

    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        for text in self.texts:
            few = sum(map(len, tokens(text))) < _FEWEST and not _IS_WIDE.search(text)
            if few or tokens(text) == tokens(MARK):
                raise UsageError("these are too few letters to be found by", where=text[:80])

    def spans(self, text: str) -> Iterator[Span]:
        """Yields the spans of the words in order."""
        return (match.span() for match in self._pattern.finditer(text)) if self.texts else iter(())

    def may_hold(self, data: bytes) -> bool:
        """Tells quickly whether these bytes may have one of the texts."""
        lowered = data.lower()
        return any(not sign or sign in lowered for sign in self._signs)

    def count(self, text: str) -> int:
        """Counts the matches in a text, with compatibility forms and joined accents read as plain."""
        return sum(1 for _ in self.spans(unicodedata.normalize("NFKC", text)))

    @cached_property
    def _signs(self) -> tuple[bytes, ...]:
        words = ([word for word in tokens(text) if word.isascii()] for text in self.texts)
        return tuple(max(found, key=len, default="").encode() for found in words)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        runs = sorted({tuple(tokens(text)) for text in self.texts}, key=len, reverse=True)
        return re.compile("|".join(map(_run_pattern, runs)), re.IGNORECASE)


def tokens(text: str) -> list[str]:
    """Gives the words of a text in one spelling; each Chinese, Japanese or Korean character is a word."""
    return re.findall(TOKEN, unicodedata.normalize("NFKC", text).casefold())


def _run_pattern(run: Iterable[str]) -> str:
    """Gives the pattern of words with any signs between them: quotes, emphasis, a line break with its marks."""
    made, last = "", ""
    for word in run:
        wide = _IS_WIDE.match(word) is not None
        if last:
            made += rf"[\W_]{{{0 if wide or _IS_WIDE.match(last) else 1},40}}?"
        elif not wide:
            made = r"(?<![^\W_])"
        forms = {re.escape(unicodedata.normalize(form, word)) for form in ("NFC", "NFD")}
        made, last = f"{made}(?:{'|'.join(sorted(forms))})", word
    return made if _IS_WIDE.match(last) else rf"{made}(?![^\W_])"


def count_in(data: bytes, matcher: WordMatcher) -> int:
    """Counts the words in the bytes, in the reading with the most matches; `ValueError` for a damaged archive."""
    return max((matcher.count(text) for text in _texts(data, matcher)), default=0)


def _texts(data: bytes, matcher: WordMatcher) -> Iterator[str]:
    for inner in _unpacked(data):
        yield from _texts(inner, matcher)
    if not matcher.may_hold(data) and data[:2] not in _UTF16:
        return
    text = data.decode("utf-16" if data[:2] in _UTF16 else "utf-8", "replace")
    yield text
    if "\\" in text:
        yield _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else " ", text)
    if "\ufffd" in text:
        yield data.decode("cp1252", "replace")


def _unpacked(data: bytes) -> Iterator[bytes]:
    try:
        if data[:4] == b"PK\x03\x04":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                yield from (archive.open(item).read(_MOST) for item in archive.infolist())
        elif data[:4] == b"\x28\xb5\x2f\xfd":
            yield bytes(zstd.ZstdDecompressor().decompress(data, _MOST))
        elif data[:2] == b"\x1f\x8b":
            yield gzip.GzipFile(fileobj=io.BytesIO(data)).read(_MOST)
    except (zipfile.BadZipFile, zstd.ZstdError, zlib.error, OSError, EOFError, RuntimeError) as error:
        raise ValueError(f"it is packed, and cannot be unpacked: {error}") from error
    if data[:2] in _ZLIB:
        try:
            yield zlib.decompressobj().decompress(data, _MOST)
        except zlib.error:  # a text may begin with these two letters
            return


_LEAD = re.compile(
    r"\s*(?:(?:[-*+>]|\d{1,3}[.)]|#{1,6}|\[[ xX?]\])\s+)*(?:\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s*(?:[-–·]\s*)?)?"
    r"(?:\d{4}-\d{2}-\d{2}:\s+)?(?:\*\*[^*\n]{1,60}\*\*:?\s+|[A-Za-z][\w .-]{0,30}:\s+)?"
)
"""The part of a line before its statement: list mark, heading, time, day, speaker or label."""
_SENTENCE_END = re.compile(r"[.!?](?:[\"')\]]|\*\*)*(?=\s)|[。！？]|(?=\s*<!--)|(?=\s*\(memory/)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s")
_COMMENT = re.compile(r"\s*(?:<!--.*?-->|\(memory/[^)]*\))\s*$")

Finder = Callable[[str], Iterable[Span]]


class Redacted(msgspec.Struct, frozen=True):
    """A text without the words. `lines`: the old lines that had them, from 1; `shared` lost only the words."""

    text: str
    lines: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()


def statement(line: str) -> str:
    """Gives a line's statement, without list mark, time, speaker or comment."""
    lead = _LEAD.match(line)
    return _COMMENT.sub("", line[lead.end() if lead else 0 :]).strip()


def without_words(text: str, find: Finder) -> Redacted:
    """Replaces only the words by the mark: for JSON, tables and other texts with a form."""
    return _replaced(text, find(text))


def without_statements(text: str, find: Finder, *, drop: bool = False, mark: str = MARK) -> Redacted:
    """Replaces sentences with the words by the mark; lines keep their numbers. `drop` removes emptied list items."""
    done = _replaced(text, (_sentence(text, start, end) for start, end in find(text)), mark)
    if not drop:
        return done
    lines = split_lines(done.text)
    items = (number for number in done.lines if _ITEM.match(lines[number - 1]))
    gone = {number for number in items if statement(lines[number - 1]).strip(" .*_") == MARK}
    kept = (line for number, line in enumerate(_LINE.findall(done.text), 1) if number not in gone)
    return Redacted("".join(kept), done.lines)


def whole_sentences(text: str, sought: SoughtWords) -> Iterator[Span]:
    """Yields the spans of words that make up a whole sentence."""
    for start, end in sought.spans(text):
        first, last = _sentence(text, start, end)
        if tokens(text[first:last]) == tokens(text[start:end]):
            yield start, end


def _sentence(text: str, start: int, end: int) -> Span:
    """Widens a span to the sentences that it touches, within its lines and after their leads."""
    line, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last
    if text[line:start].lstrip().startswith("|"):  # a row of a table keeps its cells
        return start, end
    lead = _LEAD.match(text, line, last)
    first = lead.end() if lead and lead.end() <= start else line
    first = max((match.end() for match in _SENTENCE_END.finditer(text, first, start)), default=first)
    first += len(text[first:start]) - len(text[first:start].lstrip())
    after = _SENTENCE_END.search(text, end, last)
    return first, after.end() if after else len(text[:last].rstrip())


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    held: Span | None = None
    for start, end in sorted(spans):
        if held is not None and start > held[1]:
            yield held
            held = None
        held = (start, end) if held is None else (held[0], max(held[1], end))
    if held is not None:
        yield held


def _replaced(text: str, spans: Iterable[Span], mark: str = MARK) -> Redacted:
    made, at, numbers = list[str](), 0, dict[int, None]()
    for start, end in _merged(spans):
        first, breaks = text.count("\n", 0, start) + 1, text.count("\n", start, end)
        made += [text[at:start], mark, "\n" * breaks]
        numbers |= dict.fromkeys(range(first, first + breaks + 1))
        at = end
    return Redacted("".join((*made, text[at:])), tuple(numbers))
