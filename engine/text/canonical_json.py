"""Canonical JSON and sha256: the same value always gives the same bytes and the same digest."""

import hashlib
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted")


def canonical_json(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys and no spaces, after RFC 8785 but for the formatting of numbers."""
    return _ENCODER.encode(value)


def sha256_hex(data: bytes) -> str:
    """Lower-case hexadecimal sha256 of `data`, 64 characters."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """`sha256:` and the hash of the value's canonical JSON."""
    return "sha256:" + sha256_hex(canonical_json(value))
