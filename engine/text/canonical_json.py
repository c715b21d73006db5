"""Canonical JSON and sha256: the same value always gives the same bytes and the same digest."""

import hashlib
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted")


def canonical_json(value: Any) -> bytes:
    """Encodes a value as JSON with sorted keys and no spaces, by RFC 8785 except for numbers."""
    return _ENCODER.encode(value)


def sha256_hex(data: bytes) -> str:
    """Returns the lower-case hexadecimal sha256 of `data`."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """Returns `sha256:` and the hash of the value's canonical JSON."""
    return "sha256:" + sha256_hex(canonical_json(value))
