"""Keeps the files that imports read, byte for byte in the operator's state: an export needs all of them. They still
hold the secrets that transcripts leave out, so they never lie in the workspace (decisions G12, B19)."""

import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from engine.errors import Damaged
from engine.lifecycle.forget.tombstones import says_forgotten
from engine.state.private_files import make_private, remove_private, write_private
from engine.text.canonical_json import sha256_hex

UNUSED = timedelta(days=30)  # a file of which nothing came into the workspace is let go of after this time
_FRESH = timedelta(days=1)  # another import may still write the list that names a younger copy
_COPY, _LIST = ".z", ".json"


class Original(msgspec.Struct, frozen=True, kw_only=True):
    """A file by its path below the imported place. `sessions`: the keys of its sessions or memories."""

    path: str
    sha256: str
    size: int
    sessions: tuple[str, ...]
    at: datetime


class ImportedPlace(msgspec.Struct, frozen=True, kw_only=True):
    """An imported place: its files by path, as last read, and the unreadable ones. `newer`: a version of the tool newer
    than our data about it. `unknown`: unknown kinds of lines."""

    kind: str
    place: str
    at: datetime
    files: dict[str, Original]
    problems: tuple[str, ...] = ()
    newer: str = ""
    unknown: dict[str, int] = {}


class Originals:
    """The folder of copies, each named by its hash, and a list for each place. Raises `OSError` of the disk."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.state = folder, folder.parent  # the state folder that it is a part of

    def places(self, kind: str) -> tuple[ImportedPlace, ...]:
        """The places of a kind, the last read first. Raises `Damaged` for an unreadable list."""
        lists = sorted(self._folder.glob(f"{kind}-*{_LIST}")) if self._folder.is_dir() else []
        found = [place for place in map(_listed, lists) if place.kind == kind]
        return tuple(sorted(found, key=lambda kept: (kept.at, kept.place), reverse=True))

    def all_places(self) -> tuple[ImportedPlace, ...]:
        """The places of every kind whose lists can be read."""
        found: list[ImportedPlace] = []
        for file in sorted(self._folder.glob(f"*{_LIST}")) if self._folder.is_dir() else ():
            with suppress(Damaged):  # told where that kind is exported
                found.append(_listed(file))
        return tuple(found)

    def keep(self, original: Original, data: bytes) -> None:
        """Copies a file, unless a whole copy exists already."""
        make_private(self._folder)
        if self._bytes(original.sha256) is None:
            write_private(self._copy(original.sha256), zlib.compress(data, 6))

    def read(self, original: Original) -> bytes:
        """The bytes of a file. Raises `Damaged` if the copy has changed."""
        if (data := self._bytes(original.sha256)) is None:
            raise Damaged("its copy is damaged or gone", where=original.path, hint="import it again")
        return data

    def keep_place(self, place: ImportedPlace, present: Collection[str]) -> None:
        """Saves the list of a place. Files read earlier stay, unless unused for 30 days."""
        make_private(self._folder)
        earlier = next((held for held in self.places(place.kind) if held.place == place.place), None)
        old = earlier.files if earlier is not None else {}
        used = {path: original for path, original in old.items() if _is_used(original, place.at, present)}
        whole = msgspec.structs.replace(place, files=dict(sorted((used | place.files).items())))
        key = sha256_hex(place.place.encode("utf-8", "surrogateescape"))[:16]
        write_private(self._folder / f"{place.kind}-{key}{_LIST}", msgspec.json.encode(whole))
        self._forget(place.at)

    def _forget(self, now: datetime) -> None:
        lists = (_listed(file) for file in self._folder.glob(f"*{_LIST}"))
        named = {original.sha256 for place in lists for original in place.files.values()}
        for copy in list(self._folder.glob(f"*{_COPY}")):
            age = now - datetime.fromtimestamp(copy.stat().st_mtime, UTC)
            if copy.stem not in named and age > _FRESH:
                remove_private(copy)

    def _bytes(self, sha256: str) -> bytes | None:
        try:
            data = zlib.decompress(self._copy(sha256).read_bytes())
        except (FileNotFoundError, zlib.error):
            return None
        return data if sha256_hex(data) == sha256 else None

    def _copy(self, sha256: str) -> Path:
        return self._folder / f"{sha256}{_COPY}"


class OriginalKeeper:
    """Keeps the files that one import reads, and lists them in the end."""

    def __init__(self, originals: Originals, kind: str, place: str, at: datetime) -> None:
        self._originals = originals
        self._place = ImportedPlace(kind=kind, place=place, at=at, files={})
        self._problems: list[str] = []

    @property
    def told(self) -> str:
        """Names the kept files, in a line of the import's report."""
        kept = f"{self.count:,} files, {sum(file.size for file in self._place.files.values()):,} bytes, secrets too"
        return f"kept in your state folder as they are: {kept}; memdeck export {self._place.kind} DIR writes them"

    @property
    def count(self) -> int:
        """The number of files."""
        return len(self._place.files)

    def take(self, path: str, data: bytes, sessions: Iterator[str]) -> None:
        """Keeps a file with the keys of its sessions or memories."""
        if says_forgotten(self._originals.state, data):
            self._problems.append(f"{path}: not kept for an export: it says what was forgotten")
            return
        keys = tuple(dict.fromkeys(sessions))
        original = Original(path=path, sha256=sha256_hex(data), size=len(data), sessions=keys, at=self._place.at)
        self._originals.keep(original, data)
        self._place.files[path] = original

    def refuse(self, path: str, problem: str) -> None:
        """Notes an unreadable file."""
        self._problems.append(f"{path}: {problem}")

    def finish(self, present: Collection[str], newer: str = "", unknown: Mapping[str, int] | None = None) -> None:
        """Lists the files read. `present`: the keys that the workspace has."""
        problems, unknown = tuple(self._problems), dict(unknown or {})
        place = msgspec.structs.replace(self._place, problems=problems, newer=newer, unknown=unknown)
        if place.files or problems:
            self._originals.keep_place(place, present)


def _is_used(original: Original, now: datetime, present: Collection[str]) -> bool:
    return now - original.at <= UNUSED or not original.sessions or any(key in present for key in original.sessions)


def _listed(file: Path) -> ImportedPlace:
    try:
        return msgspec.json.decode(file.read_bytes(), type=ImportedPlace)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Damaged(
            "the list of an import cannot be read", where=str(file), hint="remove it, import again"
        ) from error
