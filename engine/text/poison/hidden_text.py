"""Finds prose inside base64, base32 or hexadecimal, decoding only a little; and invisible or disguised characters."""

import base64
import binascii
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from engine.text.invisible import INVISIBLE
from engine.text.poison.folded_text import LIKE_LATIN
from engine.text.safe_text import is_spelling

_HEX = re.compile(r"(?:[0-9a-f]{2})+", re.IGNORECASE)
_READ = 1024  # characters of a blob that are decoded
_MOST = 200  # blobs of a text that are looked at; more of them are no note
_BASE32 = re.compile(r"[A-Z2-7]{32,}={0,6}")
_WORDS = 2  # words that make prose: bytes by chance are no printable text at all, and a header of a token holds no word
_SIGNS = 5  # letters that make prose in a script that writes no blanks


def hidden_prose(text: str) -> Iterator[tuple[int, int, str]]:
    """Yields start, end and prose of each blob that decodes to prose; pictures are binary and do not count."""
    data = text.encode("utf-8", "surrogatepass")
    at = chars = 0
    for count, match in enumerate(_blobs().finditer(data)):
        if count == _MOST:
            break
        blob = match[0][:_READ].decode()
        if prose := _prose(_from_hex(blob)) or _prose(_from_base32(blob)) or _prose(_from_base64(blob)):
            chars += len(data[at : match.start()].decode("utf-8", "surrogatepass"))
            at = match.start()
            yield chars, chars + match.end() - match.start(), prose


@lru_cache(maxsize=1)
def _blobs() -> Any:
    import re2

    return re2.compile(rb"[A-Za-z0-9+/_-]{32,}={0,6}")


def _from_base64(blob: str) -> bytes:
    plain = blob.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    # No base64 has one character over: a cut left it.
    plain = plain[: len(plain) // 4 * 4] if len(plain) % 4 == 1 else plain + "=" * (-len(plain) % 4)
    try:
        return base64.b64decode(plain)
    except binascii.Error:
        return b""


def _from_base32(blob: str) -> bytes:
    plain = blob.rstrip("=")
    return base64.b32decode(plain[: len(plain) // 8 * 8]) if _BASE32.fullmatch(blob) else b""


def _from_hex(blob: str) -> bytes:
    return bytes.fromhex(blob[: len(blob) // 2 * 2]) if _HEX.fullmatch(blob) else b""


def _prose(data: bytes) -> str:
    try:
        decoded = data.decode()
    except UnicodeDecodeError as error:
        # The cut may lie inside a character: an error in the last bytes is none of the text's.
        decoded = data[: error.start].decode() if error.start > len(data) - 4 else ""
    if not decoded or not decoded.replace("\n", " ").isprintable():
        return ""
    words = sum(word.strip(".,:;!?'\"()").isalpha() for word in decoded.split())
    signs = sum(char.isalpha() for char in decoded if char > "\u2e7f")
    return decoded if words >= _WORDS or signs >= _SIGNS else ""


_HIDDEN = re.compile(f"[{INVISIBLE}]+")
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z]")
_LIKE_LATIN = re.compile(f"[{LIKE_LATIN}]")  # Ω and Σ look like no Latin letter: kΩ is a unit
_WIDE = re.compile("[\uff21-\uff3a\uff41-\uff5a]{3}|[\U0001d400-\U0001d7ff]{3}")
_RADICAL = re.compile("[\u2e80-\u2fdf]+")  # parts of Chinese signs, which read as whole ones
_DISGUISE = re.compile(f"[{LIKE_LATIN}\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff\u2e80-\u2fdf]")


def hidden_runs(text: str) -> Iterator[tuple[int, int]]:
    """Yields runs of invisible characters, except a first BOM and joiners and marks used in spelling (G31)."""
    for match in _HIDDEN.finditer(text):
        is_mark = match.span() == (0, 1) and match[0] == "\ufeff"
        if not is_mark and not all(is_spelling(text, at) for at in range(*match.span())):
            yield match.span()


def look_alikes(text: str) -> Iterator[tuple[int, int]]:
    """Yields start and end of words that mix Latin with Greek or Cyrillic, or have wide, styled or part letters."""
    if not _DISGUISE.search(text):
        return
    for start, line in _foreign_lines(text):
        if not _DISGUISE.search(line):
            continue
        for match in _WORD.finditer(line):
            # A word in one script alone is an honest Greek or Russian word.
            if (_LIKE_LATIN.search(match[0]) and _LATIN.search(match[0])) or _WIDE.search(match[0]):
                yield start + match.start(), start + match.end()
        for match in _RADICAL.finditer(line):
            yield start + match.start(), start + match.end()


def _foreign_lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        if not line.isascii():
            yield start, line
        start += len(line) + 1
