"""Keeps how far each session file was read, in the operator's state folder, so that a restart replays nothing."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.plans.records.state import write_private
from engine.sessions.tail import ReadMark

_LARGEST = 16 * 1024 * 1024


class ReadMarks(msgspec.Struct, frozen=True):
    """Marks by the place's real path, then by the file's path in it. A place that is here was followed before."""

    places: dict[str, dict[str, ReadMark]] = {}


_DECODER = msgspec.json.Decoder(ReadMarks)


class ReadMarkStore:
    """One file of JSON. What cannot be read counts as never written: then files are followed from their end."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._written: ReadMarks | None = None

    def load(self) -> ReadMarks:
        try:
            data = self._file.read_bytes() if self._file.stat().st_size <= _LARGEST else b""
            return _DECODER.decode(data)
        except (OSError, msgspec.DecodeError, RecursionError):
            return ReadMarks()

    def save(self, place: str, marks: Mapping[str, ReadMark]) -> None:
        """Keeps one place's marks; those of others stay. Raises `OSError` where the disk refuses."""
        known = self.load()
        new = ReadMarks({**known.places, place: dict(marks)})
        if new != self._written:
            write_private(self._file, msgspec.json.encode(new))
            self._written = new
