"""Text inside base64 or hexadecimal digits: read a little way, to tell prose from pictures, keys and hashes."""

import base64
import binascii
import re
from collections.abc import Iterator

_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{32,}={0,2}")
_HEX = re.compile(r"(?<![\w])(?:[0-9a-f]{2}){24,}(?![\w])", re.IGNORECASE)
_READ = 1024  # characters of a blob that are decoded
_MOST = 200  # blobs of a text that are looked at; more of them are no note
_WORDS = 4  # words in a row that make prose


def hidden_prose(text: str) -> Iterator[tuple[int, int, str]]:
    """Start and end of each blob that decodes to prose, and the prose; the data of a picture is binary and is none."""
    for pattern, decode in ((_BASE64, _from_base64), (_HEX, _from_hex)):
        for count, match in enumerate(pattern.finditer(text)):
            if count == _MOST:
                break
            if prose := _prose(decode(match[0][:_READ])):
                yield match.start(), match.end(), prose


def _from_base64(blob: str) -> bytes:
    plain = blob.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    plain = plain[: len(plain) // 4 * 4] if len(plain) % 4 == 1 else plain + "=" * (-len(plain) % 4)
    try:
        return base64.b64decode(plain)
    except binascii.Error:
        return b""


def _from_hex(blob: str) -> bytes:
    return bytes.fromhex(blob)


def _prose(data: bytes) -> str:
    """The decoded bytes if they are words, else nothing."""
    try:
        decoded = data.decode()
    except UnicodeDecodeError as error:
        decoded = data[: error.start].decode() if error.start > len(data) - 4 else ""
    if not decoded or not decoded.replace("\n", " ").isprintable():
        return ""
    words = sum(word.strip(".,:;!?'\"()").isalpha() for word in decoded.split())
    return decoded if words >= _WORDS or (not decoded.isascii() and len(decoded) > 8) else ""
