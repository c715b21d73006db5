"""Keeps what an extractor found in each transcript, line by line, so that a replay that was killed goes on (D28).

The file is a cache of the operator's: it may be deleted. A line is bound to the transcript's bytes and to the
extractor's version; one that a crash cut in two, or that says nothing of use, is read anew.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from engine.extraction.quotes import LocatedEntry
from engine.workspace.system_calls import write_all


class TranscriptReading(msgspec.Struct, frozen=True):
    """The entries of one transcript. `sha256` is that of its bytes, `version` the extractor's."""

    path: str
    sha256: str
    version: str
    entries: tuple[LocatedEntry, ...]


class Readings:
    """The readings of one replay, in a file that only grows."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def known(self, version: str) -> dict[tuple[str, str], TranscriptReading]:
        """By path and hash, the readings by that version of the extractor; the last of each counts."""
        found = (one for one in self._all() if one.version == version)
        return {(one.path, one.sha256): one for one in found}

    def add(self, readings: Iterable[TranscriptReading]) -> None:
        """Adds some readings; they outlive this process. A loss of power may take the last, which are read again."""
        data = b"".join(b"\n" + msgspec.json.encode(one) for one in readings)
        fd = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            write_all(fd, data)
        finally:
            os.close(fd)

    def _all(self) -> Iterator[TranscriptReading]:
        decoder = msgspec.json.Decoder(TranscriptReading)
        try:
            with self._file.open("rb") as lines:
                for line in lines:
                    try:
                        yield decoder.decode(line)
                    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                        continue
        except FileNotFoundError:
            return
