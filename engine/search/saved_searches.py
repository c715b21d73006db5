"""Keeps searches by name in the operator's own state folder: nothing of them lies in the workspace."""

import os
from contextlib import suppress
from datetime import date
from pathlib import Path

import msgspec

from engine.errors import Damaged, MemdeckError, UsageError
from engine.search.values import Category

MOST = 200
LONGEST_NAME = 60


class SavedSearch(msgspec.Struct, frozen=True, kw_only=True):
    """A query with its filters, under a name."""

    name: str
    query: str
    category: Category | None = None
    since: date | None = None
    until: date | None = None
    operators: bool = False


class SavedSearches:
    """The kept searches of one workspace, by name in alphabetical order. Read anew each time: they are few."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def all(self) -> tuple[SavedSearch, ...]:
        """`Damaged` where the file holds something else."""
        try:
            found = msgspec.json.decode(self._file.read_bytes(), type=list[SavedSearch])
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.DecodeError) as error:
            raise Damaged(f"the saved searches cannot be read: {error}", where=str(self._file)) from error
        return tuple(sorted(found, key=lambda one: one.name.casefold()))

    def find(self, name: str) -> SavedSearch:
        """The search of that name; `UsageError` names those there are."""
        found = self.all()
        for one in found:
            if one.name == name:
                return one
        names = ", ".join(one.name for one in found[:8]) or "none is saved"
        raise UsageError("no saved search of that name", where=name, hint=f"there are: {names}")

    def keep(self, search: SavedSearch) -> None:
        """Keeps a search, in place of one of the same name. On disk when this returns."""
        name = " ".join(search.name.split())
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise UsageError(f"a name has 1 to {LONGEST_NAME} printable characters", where=search.name)
        others = [one for one in self.all() if one.name != name]
        if len(others) >= MOST:
            raise UsageError(f"{MOST} searches are saved already", where=name, hint="forget one first")
        self._write([*others, msgspec.structs.replace(search, name=name)])

    def forget(self, name: str) -> None:
        """Takes a saved search away; `UsageError` where there is none of that name."""
        gone = self.find(name)
        self._write([one for one in self.all() if one.name != gone.name])

    def _write(self, searches: list[SavedSearch]) -> None:
        beside = self._file.with_name(f".{self._file.name}.{os.getpid()}.new")
        try:
            beside.touch(mode=0o600)
            beside.write_bytes(msgspec.json.encode(searches))
            beside.replace(self._file)
        except OSError as error:
            with suppress(OSError):  # what could not be written is what is told
                beside.unlink(missing_ok=True)
            raise MemdeckError(f"not saved: {error.strerror or error}", where=str(self._file)) from error
