"""Remembers that something was forgotten without saying what: salted hashes that know the words again."""

import secrets
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

import msgspec

from engine.errors import Damaged
from engine.lifecycle.forget.sought_words import TOKEN, Span, tokens
from engine.state.private_files import write_private
from engine.text.canonical_json import canonical_json

NAME = "forgotten.json"


class HashedWords(msgspec.Struct, frozen=True):
    """A run of words as a hash, and how many they are."""

    count: int
    hash: str


class Tombstone(msgspec.Struct, frozen=True, kw_only=True):
    """One forgetting: when, who asked, in how many places; and the hashes by which the words are known again."""

    operation: str
    at: datetime
    by: str
    places: int
    words: tuple[HashedWords, ...]


class Tombstones(msgspec.Struct, frozen=True):
    """All that was forgotten in a workspace, under one salt."""

    salt: str
    stones: tuple[Tombstone, ...] = ()

    def hashed(self, texts: Sequence[str]) -> tuple[HashedWords, ...]:
        """Hashes some texts under the salt."""
        runs = sorted({tuple(tokens(text)) for text in texts})
        return tuple(HashedWords(len(run), self._hash(run)) for run in runs)

    def spans(self, text: str, only: Sequence[HashedWords] | None = None) -> Iterator[Span]:
        """Yields where words that were forgotten stand in a text; `only` some of them."""
        wanted = set(only if only is not None else (one for stone in self.stones for one in stone.words))
        found = list(TOKEN.finditer(text)) if wanted else []
        words = ["".join(tokens(each[0])) for each in found]
        for count in {one.count for one in wanted}:
            for at in range(len(words) - count + 1):
                if HashedWords(count, self._hash(words[at : at + count])) in wanted:
                    yield found[at].start(), found[at + count - 1].end()

    def _hash(self, run: Sequence[str]) -> str:
        return blake2b(" ".join(run).encode(), key=bytes.fromhex(self.salt), digest_size=16).hexdigest()


class HashMatcher(msgspec.Struct, frozen=True):
    """Knows words that were forgotten again by their hashes."""

    stones: Tombstones
    words: Sequence[HashedWords] | None = None
    """Only these; None: all."""

    def may_hold(self, data: bytes) -> bool:
        """Always: a hash tells nothing of the bytes."""
        return bool(data)

    def count(self, text: str) -> int:
        """Counts the places of a text in which the words stand."""
        return sum(1 for _ in self.stones.spans(text, self.words))


def load_tombstones(state: Path) -> Tombstones:
    """Reads what was forgotten; `Damaged` where it cannot be read, as then nothing would be known again."""
    try:
        return msgspec.json.decode((state / NAME).read_bytes(), type=Tombstones)
    except FileNotFoundError:
        return Tombstones(secrets.token_hex(16))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Damaged(f"what was forgotten cannot be read: {error}", where=str(state / NAME)) from error


def save_tombstone(state: Path, known: Tombstones, stone: Tombstone) -> None:
    """Adds one, in the place of an earlier one of its operation."""
    others = tuple(one for one in known.stones if one.operation != stone.operation)
    write_private(state / NAME, canonical_json(Tombstones(known.salt, (*others, stone))))
