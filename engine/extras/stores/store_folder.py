"""Records each pulled memory store, and makes the folders that a review compares."""

import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from engine.errors import Damaged, UsageError
from engine.extras.stores.memory_store import StoredText
from engine.state.private_files import make_private, write_private
from engine.text.safe_text import visible_line

_IDENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")


class StoreRecord(msgspec.Struct, kw_only=True):
    """A store by the workspace's paths. `base`: the texts equal on both sides; `seen`: those of the last pull."""

    id: str
    base: dict[str, StoredText] = {}
    seen: dict[str, StoredText] = {}
    plan: str = ""  # the plan that the last pull made


class StoreFolder:
    """The folder of the records, in the operator's state."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> Iterator[StoreRecord]:
        """Every pulled store, by its id."""
        for file in sorted(self._folder.glob("*.json")):
            yield self.load(file.stem)

    def has(self, ident: str) -> bool:
        """Tells whether a store was ever pulled."""
        return _IDENT.fullmatch(ident) is not None and self._file(ident).is_file()

    def load(self, ident: str) -> StoreRecord:
        """The record of a store, empty if it was never pulled. Raises `UsageError` for an invalid id."""
        if not _IDENT.fullmatch(ident):
            raise UsageError("this is no id of a memory store", where=visible_line(ident)[:80], hint="memstore_…")
        try:
            data = self._file(ident).read_bytes()
        except FileNotFoundError:
            return StoreRecord(id=ident)
        try:
            record = msgspec.json.decode(data, type=StoreRecord)
        except msgspec.DecodeError as error:
            hint = "move the file away: the next pull begins again"
            raise Damaged("it cannot be read", where=str(self._file(ident)), hint=hint) from error
        if record.id != ident:
            raise Damaged("it is of another store", where=str(self._file(ident)), hint="move the file away")
        return record

    def save(self, record: StoreRecord) -> None:
        """Saves a record, whole and on disk."""
        make_private(self._folder)
        write_private(self._file(record.id), msgspec.json.encode(record))

    def copies(self, record: StoreRecord) -> tuple[Path, Path]:
        """Writes both sides of a review anew: the last common texts, and the store's current ones."""
        before, after = (self._folder / side / record.id for side in ("before", "after"))
        return _copied(before, record.base), _copied(after, record.seen)

    def _file(self, ident: str) -> Path:
        return self._folder / f"{ident}.json"


def _copied(folder: Path, texts: Mapping[str, StoredText]) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    make_private(folder)
    for path, stored in texts.items():
        place = folder / path
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.write_bytes(stored.text.encode("utf-8"))
    return folder
