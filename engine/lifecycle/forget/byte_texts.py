"""Reads the texts in the bytes of any file: packed ones too, escapes of JSON as the signs they stand for."""

import gzip
import io
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator
from typing import Protocol

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_MOST = 256 * 1024 * 1024
"""Bytes that a packed file is unpacked to at most: an archive can claim any size."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt])")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_ZLIB = (b"\x78\x01", b"\x78\x9c", b"\x78\xda")


class WordMatcher(Protocol):
    """Knows words again, whether it has them or only their hashes."""

    def may_hold(self, data: bytes) -> bool:
        """Tells quickly that none of the words can be in these bytes."""
        ...

    def count(self, text: str) -> int:
        """Counts the places of a text in which the words stand."""
        ...


def count_in(data: bytes, matcher: WordMatcher) -> int:
    """Counts the words in these bytes, in the reading in which they stand most often. `ValueError` where something
    packed is damaged."""
    return max((matcher.count(text) for text in _texts(data, matcher)), default=0)


def _texts(data: bytes, matcher: WordMatcher) -> Iterator[str]:
    for inner in _unpacked(data):
        yield from _texts(inner, matcher)
    if not matcher.may_hold(data) and data[:2] not in _UTF16:
        return
    text = data.decode("utf-16" if data[:2] in _UTF16 else "utf-8", "replace")
    yield text
    if "\\" in text:
        yield _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
    if "\ufffd" in text:
        yield data.decode("cp1252", "replace")


def _unpacked(data: bytes) -> Iterator[bytes]:
    """Yields what is packed in these bytes, by how they begin."""
    try:
        if data[:4] == b"PK\x03\x04":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for item in archive.infolist():
                    with archive.open(item) as file:
                        yield file.read(_MOST)
        elif data[:4] == b"\x28\xb5\x2f\xfd":
            yield bytes(zstd.ZstdDecompressor().decompress(data, _MOST))
        elif data[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                yield file.read(_MOST)
    except (zipfile.BadZipFile, zstd.ZstdError, zlib.error, OSError, EOFError, RuntimeError) as error:
        raise ValueError(f"it is packed, and cannot be unpacked: {error}") from error
    if data[:2] in _ZLIB:  # a text may begin with these two letters
        try:
            yield zlib.decompressobj().decompress(data, _MOST)
        except zlib.error:
            return
