"""How far each session file was read, kept in the operator's state folder, so that a restart replays nothing."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.feed.tail import Mark
from engine.plans.records.state import write_private

_LARGEST = 16 * 1024 * 1024


class Marks(msgspec.Struct, frozen=True):
    """Marks by the place's real path, then by the file's path in it. A place that is here was followed before."""

    places: dict[str, dict[str, Mark]] = {}


_DECODER = msgspec.json.Decoder(Marks)


class MarkStore:
    """One file of JSON. What cannot be read counts as never written: then files are followed from their end."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._written: Marks | None = None

    def load(self) -> Marks:
        try:
            data = self._file.read_bytes() if self._file.stat().st_size <= _LARGEST else b""
            return _DECODER.decode(data)
        except (OSError, msgspec.DecodeError, RecursionError):
            return Marks()

    def save(self, place: str, marks: Mapping[str, Mark]) -> None:
        """Keeps one place's marks; those of others stay. Raises `OSError` where the disk refuses."""
        known = self.load()
        new = Marks({**known.places, place: dict(marks)})
        if new != self._written:
            write_private(self._file, msgspec.json.encode(new))
            self._written = new
