"""Counts how often each file was of use: in the operator's state, apart from the index that anyone may delete (D6)."""

import os
from contextlib import suppress
from pathlib import Path

import msgspec

MOST_BOOST = 1.5
PER_REFERENCE = 0.05


class References:
    """Counts by path. A file that cannot be read counts nothing; one that cannot be written is no reason to fail."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._counts: dict[str, int] | None = None

    def count(self, path: str) -> int:
        return self._all().get(path, 0)

    def boost(self, path: str) -> float:
        """Gives the factor that decides a tie, at most 1.5 (decision D6)."""
        return min(MOST_BOOST, 1 + PER_REFERENCE * self.count(path))

    def add(self, path: str) -> None:
        """Counts one more use, on disk when this returns."""
        counts = self._read()
        counts[path] = counts.get(path, 0) + 1
        self._counts = counts
        beside = self._file.with_name(f".{self._file.name}.{os.getpid()}.new")
        try:
            beside.touch(mode=0o600)
            beside.write_bytes(msgspec.json.encode(counts))
            beside.replace(self._file)
        except OSError:
            with suppress(OSError):  # a disk that refused the one may refuse the other
                beside.unlink(missing_ok=True)

    def _all(self) -> dict[str, int]:
        if self._counts is None:
            self._counts = self._read()
        return self._counts

    def _read(self) -> dict[str, int]:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, int])
        except (OSError, msgspec.DecodeError):
            return {}
