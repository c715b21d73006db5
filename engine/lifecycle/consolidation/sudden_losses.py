"""Finds losses: an always loaded file that lost many entries, or cannot be read (decision G26)."""

from datetime import datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from engine.state.private_files import make_private, write_private
from engine.text.document import Unreadable, decode, is_locked

MOST_LOST = 0.3  # share of the entries from which on a loss is an alarm (decision G26)
LARGEST = 256 * 1024  # bytes up to which a file is kept to compare with. Platforms load less than a tenth of it.


class SeenFile(msgspec.Struct, frozen=True):
    """A file at an instant; `sha256` is None where it could not be read."""

    sha256: str | None
    data: bytes
    at: datetime


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """A loss between two instants. `by` names who made it, if something shows it."""

    what: str
    since: datetime
    until: datetime
    before: bytes
    after: bytes | None
    by: str = ""

    def detail(self) -> str:
        """Gives the loss in words: `lost 239 of 242 entries between … and …, by whom is not known`."""
        by = self.by or "by whom is not known"
        return f"{self.what}, between {self.since:%Y-%m-%d %H:%M} and {self.until:%Y-%m-%d %H:%M} UTC, {by}"


class LastingFile(msgspec.Struct, frozen=True, kw_only=True):
    """A lasting file at the last look and at the operator's last look; a loss stays until reverted or accepted."""

    path: str
    last: SeenFile
    anchor: SeenFile
    operation: str
    loss: Loss | None = None


def loss_in_words(path: str, before: bytes, after: bytes | None, problem: str = "") -> str:
    """Says what a file lost; empty where it has most of its entries. `problem` tells why it cannot be read."""
    try:
        old = decode(before)
    except Unreadable:
        return ""
    if not old.strip():
        return ""
    if problem or after is None:
        return f"is {problem.partition(';')[0]}" if problem else "is gone"
    if not after.strip():
        return "is empty"
    try:
        new = decode(after)
    except Unreadable as error:
        return "" if is_locked(after) else f"is no text any more: {error.message}"
    from engine.lifecycle.consolidation.entry_fates import EntryFate, consolidation_account

    account = consolidation_account({path: old}, {path: new})
    lost = account.count(EntryFate.LOST)
    return f"lost {lost:,} of {account.before:,} entries" if lost and account.loss >= MOST_LOST else ""


class LastingFiles:
    """The records of the lasting files. Raises `OSError`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, path: str) -> LastingFile | None:
        """Gives the record of a file; None where there is none that can be read."""
        try:
            found = msgspec.json.decode(self._file(path).read_bytes(), type=LastingFile)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, FileNotFoundError):
            return None
        return found if found.path == path else None

    def save(self, file: LastingFile) -> None:
        """Writes the record of a file, in place of an earlier one."""
        make_private(self._folder)
        write_private(self._file(file.path), msgspec.json.encode(file))

    def _file(self, path: str) -> Path:
        return self._folder / f"{sha256(path.encode()).hexdigest()[:16]}.json"
