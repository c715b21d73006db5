"""Remembers what was forgotten as salted hashes, keeps it from returning, and stores the receipts."""

import re
import secrets
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import msgspec

from engine.errors import UsageError
from engine.lifecycle.forget.scan import Looked, Trace
from engine.lifecycle.forget.sought_words import TOKEN, Span, count_in, tokens, without_statements
from engine.plans.operation import id_order
from engine.plans.plan import Change, Move, Plan
from engine.plans.system_request import System
from engine.state.private_files import make_private, read_record, write_private
from engine.text.canonical_json import canonical_json

UNDER_WAY = "forgetting.json"
FACT = "forget"  # the key of a plan's facts under which the words are


class WordsToForget(msgspec.Struct, frozen=True, kw_only=True):
    """The words of a plan, the notes that go whole, and how far it reaches."""

    texts: tuple[str, ...]
    own: tuple[str, ...] = ()
    sources: bool
    history: bool
    plan: str = ""


def begin(state: Path, plan: Plan) -> None:
    """Stores the words of a plan before it is applied; nothing for another system's plan."""
    if plan.system == System.FORGET:
        words = msgspec.convert(plan.facts[FACT], WordsToForget)
        write_private(state / UNDER_WAY, canonical_json(msgspec.structs.replace(words, plan=plan.id)))


def under_way(state: Path) -> WordsToForget | None:
    """Reads the forgetting under way; None if there is none."""
    return read_record(state / UNDER_WAY, WordsToForget, "a forgetting cannot be gone on with")


NAME = "forgotten.json"


class HashedWords(msgspec.Struct, frozen=True):
    """A sequence of words as a hash, and their number."""

    count: int
    hash: str


class Tombstone(msgspec.Struct, frozen=True, kw_only=True):
    """One forgetting: when, who asked, how many places, and the hashes of its words."""

    operation: str
    at: datetime
    by: str
    places: int
    words: tuple[HashedWords, ...]


class Tombstones(msgspec.Struct, frozen=True):
    """All forgotten words of a workspace, hashed with one salt; finds them again in any text."""

    salt: str
    stones: tuple[Tombstone, ...] = ()

    def hashed(self, texts: Sequence[str]) -> tuple[HashedWords, ...]:
        runs = sorted({tuple(tokens(text)) for text in texts})
        return tuple(HashedWords(len(run), _hash(self.salt, run)) for run in runs)

    def spans(self, text: str) -> Iterator[Span]:
        """Yields the spans of forgotten words in a text."""
        found = list(re.finditer(TOKEN, text)) if self.stones else []
        for at, count in self._runs(["".join(tokens(match[0])) for match in found]):
            yield found[at].start(), found[at + count - 1].end()

    def _runs(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Yields place and length of each sequence of forgotten words."""
        wanted = {(hashed.count, hashed.hash) for stone in self.stones for hashed in stone.words}
        for count in {count for count, _ in wanted}:
            for at in range(len(words) - count + 1):
                if (count, _hash(self.salt, tuple(words[at : at + count]))) in wanted:
                    yield at, count

    def may_hold(self, data: bytes) -> bool:
        """Tells whether anything was forgotten: hashes cannot rule data out."""
        return bool(self.stones and data)

    def count(self, text: str) -> int:
        """Counts the matches in a text."""
        return sum(1 for _ in self._runs(tokens(text))) if self.stones else 0

    def of(self, operation: str) -> "Tombstones":
        """Gives those of one operation."""
        return Tombstones(self.salt, tuple(stone for stone in self.stones if stone.operation == operation))


@lru_cache(maxsize=200_000)
def _hash(salt: str, run: tuple[str, ...]) -> str:
    return blake2b(" ".join(run).encode(), key=bytes.fromhex(salt), digest_size=16).hexdigest()


def load_tombstones(state: Path) -> Tombstones:
    """Reads what was forgotten; `Damaged` where it cannot be read, since nothing could be recognised."""
    known = read_record(state / NAME, Tombstones, "what was forgotten cannot be read")
    return known or Tombstones(secrets.token_hex(16))


def save_tombstone(state: Path, known: Tombstones, stone: Tombstone) -> None:
    """Adds a tombstone, in place of an earlier one of its operation."""
    others = tuple(one for one in known.stones if one.operation != stone.operation)
    write_private(state / NAME, canonical_json(Tombstones(known.salt, (*others, stone))))


def says_forgotten(state: Path, data: bytes) -> bool:
    """Tells whether bytes, unpacked if packed, have forgotten words."""
    return count_in(data, load_tombstones(state)) > 0


def without_forgotten(state: Path, plan: Plan) -> Plan:
    """Gives the plan without forgotten statements; lines keep their numbers, and warnings name them."""
    stones = load_tombstones(state)

    def kept(change: Change) -> Change:
        done = without_statements("" if isinstance(change, Move) else change.content, stones.spans)
        if isinstance(change, Move) or not done.lines:
            return change
        told = (f"line {line} says what was forgotten, and is omitted" for line in done.lines[:5])
        return msgspec.structs.replace(change, content=done.text, warnings=(*change.warnings, *told))

    return msgspec.structs.replace(plan, changes=tuple(map(kept, plan.changes))) if stones.stones else plan


FOLDER = "receipts"


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a scan after a forgetting; its words are known only by the operation's tombstone."""

    operation: str
    plan: str
    at: datetime
    by: str
    workspace: str
    files: int  # files of the workspace that were changed
    state: int  # files of memdeck's state that were changed or removed
    history: str
    looked: Looked
    left: tuple[Trace, ...]


def save_receipt(state: Path, receipt: Receipt) -> None:
    """Stores a receipt in a file named by its operation."""
    make_private(state / FOLDER)
    write_private(state / FOLDER / f"{receipt.operation}.json", canonical_json(receipt))


def read_receipt(state: Path, name: str) -> Receipt:
    """Reads a receipt by its file or operation, by default the newest; `UsageError` for none."""
    newest = max((state / FOLDER).glob("o-*.json"), key=lambda file: id_order(file.stem), default=Path())
    named = Path(name) if Path(name).is_file() else state / FOLDER / f"{name}.json"
    file = named if name else newest
    receipt = read_record(file, Receipt, "it is no receipt") if file.is_file() else None
    if receipt is None:
        raise UsageError("there is no such receipt", where=name, hint="memdeck log names the operations")
    return receipt
