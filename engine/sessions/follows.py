"""Session files and folders that are followed besides the workspace's own, remembered in the operator's state folder.

Never in the workspace: the agent writes there, and what is followed is read with the operator's rights.
"""

from pathlib import Path

import msgspec

from engine.errors import MemdeckError, UsageError
from engine.plans.records.state import write_private
from engine.sessions.folder import SessionFolder

MOST = 50
"""Paths that are remembered."""
_LARGEST = 1024 * 1024


class Follows(msgspec.Struct, frozen=True):
    """The paths that are followed, in the order in which they were named: those there, and those not there."""

    there: tuple[Path, ...] = ()
    missing: tuple[Path, ...] = ()


class FollowStore:
    """One file of JSON. What cannot be read counts as never written; what is no absolute path is passed by."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def now(self) -> Follows:
        """Each path looked at anew."""
        found = [(path, _is_there(path)) for path in self._paths()]
        return Follows(tuple(path for path, there in found if there), tuple(path for path, there in found if not there))

    def add(self, path: Path) -> None:
        """Remembers a path. `UsageError` where there is nothing to follow, or no more can be remembered."""
        SessionFolder.open(path).close()
        known = self._paths()
        if path in known:
            return
        if len(known) >= MOST:
            raise UsageError(f"{MOST} paths are followed already", where=str(path), hint="let go of one first")
        self._save([*known, path])

    def forget(self, path: Path) -> None:
        """Forgets a path, there or not. `UsageError` where it was not remembered."""
        known = self._paths()
        if path not in known:
            raise UsageError("is not followed", where=str(path), hint="memdeck topics follow lists what is")
        self._save([one for one in known if one != path])

    def _paths(self) -> list[Path]:
        try:
            data = self._file.read_bytes() if self._file.stat().st_size <= _LARGEST else b""
            names = msgspec.json.decode(data, type=list[str])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return []
        return [Path(name) for name in dict.fromkeys(names) if name.startswith("/") and "\0" not in name][:MOST]

    def _save(self, paths: list[Path]) -> None:
        try:
            data = msgspec.json.encode([str(path) for path in paths])
        except UnicodeEncodeError as error:
            raise UsageError("a path that is not UTF-8 cannot be remembered", where=str(paths[-1])) from error
        write_private(self._file, data)


def _is_there(path: Path) -> bool:
    try:
        SessionFolder.open(path).close()
    except (MemdeckError, OSError):
        return False
    return True
