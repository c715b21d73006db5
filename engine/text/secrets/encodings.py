"""Secrets wrapped in base64 or hex: known by how their beginnings look there, told by undoing it."""

import base64
import binascii
import re
from collections.abc import Collection, Iterator

_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})+")
_SHORTEST_SURE = 5  # characters of base64 below which chance brings them too often: a picture has a million places


def wrapped_pattern(heads: Collection[str]) -> str:
    """A pattern for the runs of base64 or hex that hold one of the heads: beginnings and names of secrets."""
    in_base64 = sorted({core for head in heads for core in _cores(head)})
    in_hex = sorted({head.encode().hex() for head in heads})
    any_case = "|".join(f"{one}|{one.upper()}" for one in in_hex)
    return rf"([A-Za-z0-9+/_-]*(?:{'|'.join(map(re.escape, in_base64))}|{any_case})[A-Za-z0-9+/_-]{{8,}}={{0,2}})"


def _cores(head: str) -> Iterator[str]:
    """Yields the part of a head's base64 that does not depend on its neighbours, for the three places it can have."""
    data = head.encode()
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        bits_before, bits_after = 8 * before, 8 * (before + len(data))
        core = whole[-(-bits_before // 6) : bits_after // 6]
        if len(core) >= _SHORTEST_SURE:
            yield core


def unwrapped(value: str) -> Iterator[str]:
    """Yields the texts that a run of base64 or hex may stand for; text of other bytes is left out."""
    found = []
    if _HEX.fullmatch(value):
        found.append(bytes.fromhex(value))
    bare = value.rstrip("=").replace("-", "+").replace("_", "/")
    for start in range(4):
        # A name in front, as in `key/…`, moves the groups of four.
        part = bare[start:]
        try:
            found.append(base64.b64decode(part[: len(part) - (len(part) % 4 == 1)] + "=" * (-len(part) % 4)))
        except (binascii.Error, ValueError):
            continue
    for data in found:
        text = data.decode("utf-8", "replace")
        if sum(char.isprintable() or char.isspace() for char in text) >= 0.9 * len(text):
            yield text.replace("\ufffd", " ")
