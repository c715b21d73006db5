"""Finds the entries of closed transcripts for an extraction; what the rules found in unchanged bytes is kept (D30)."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from engine.extraction.entry import LocatedEntry, located_entries
from engine.extraction.extraction_task import EntryFinder, FoundEntries, PartEntries
from engine.extraction.sentence_rules import VERSION
from engine.models.model_task import RuleModel, TextModel
from engine.plans.planning import Planning
from engine.services.open_workspace import OpenWorkspace
from engine.services.transcripts import closed_transcripts, transcript_turns
from engine.state.private_files import write_private
from engine.text.derived import holds_secret
from engine.workspace.paths import WorkspaceRoot

_FORMAT = 3  # raised whenever the same bytes and rules would give other entries
_STEP = "transcripts"


class _Read(msgspec.Struct, frozen=True, array_like=True):
    """The turns that a transcript has, by their count, and its entries."""

    turns: int
    entries: tuple[LocatedEntry, ...]


def found_entries(opened: OpenWorkspace, planning: Planning, paths: Sequence[str], model: TextModel) -> FoundEntries:
    """The entries of these closed transcripts, in that order. Only those without a turn are left out."""
    if isinstance(model, RuleModel):
        return _by_rules(opened, planning, paths)
    sessions = [turns for path in paths if (turns := transcript_turns(opened.root, path))]
    return FoundEntries(EntryFinder(model).found(sessions, lambda done, of: planning.report(_STEP, done, of)))


def _by_rules(opened: OpenWorkspace, planning: Planning, paths: Sequence[str]) -> FoundEntries:
    snapshot = planning.snapshot
    cache = TranscriptCache(opened, "transcript-entries", f"{_FORMAT} {VERSION}", _Read)
    sessions, lines = list[tuple[PartEntries, ...]](), dict[tuple[str, int, str], int]()
    for done, path in enumerate(paths):
        planning.report(_STEP, done, len(paths))
        sha256 = snapshot.files[path].sha256
        read = cache.found(path, sha256)
        if read is None:
            read = _read(opened.root, planning, path)
            cache.keep(path, sha256, read)
        if read.turns:
            sessions.append((PartEntries(tuple(one.entry for one in read.entries)),))
            lines |= {(path, located.entry.turn.line, located.entry.quote): located.line for located in read.entries}
    cache.write(closed_transcripts(snapshot))
    return FoundEntries(sessions, lines)


def _read(root: WorkspaceRoot, planning: Planning, path: str) -> _Read:
    turns = transcript_turns(root, path)
    (found,) = EntryFinder(RuleModel()).found([turns], lambda _done, _of: None) if turns else ([],)
    # Its hash is looked at behind the turns: what is kept belongs to these bytes.
    data = planning.snapshot.content(path)
    return _Read(len(turns), located_entries(data, (entry for part in found for entry in part.entries)))


T = TypeVar("T")


class _Found(msgspec.Struct, Generic[T], frozen=True, array_like=True):
    sha256: str
    found: T


class _File(msgspec.Struct, Generic[T], frozen=True):
    """The file: what was found in each transcript, by path, and what that depends on besides its bytes."""

    basis: str
    found: dict[str, _Found[T]]


class TranscriptCache(Generic[T]):
    """The answers of one kind. The file may be deleted; what is damaged or of another basis counts as none."""

    def __init__(self, opened: OpenWorkspace, name: str, basis: str, kind: type[T]) -> None:
        """`basis` names all that answers depend on besides a transcript's bytes, such as a version."""
        self._file, self._basis, self._read_only = opened.state.path / name, basis, opened.database.read_only
        self._known = _load(self._file, msgspec.msgpack.Decoder(_File[kind]), basis)  # type: ignore[valid-type]
        self._changed = False

    def found(self, path: str, sha256: str) -> T | None:
        """The answer for the transcript with these bytes; None where it has to be read."""
        known = self._known.get(path)
        return known.found if known is not None and known.sha256 == sha256 else None

    def keep(self, path: str, sha256: str, found: T) -> None:
        """Takes in the answer for a transcript that was read; one that holds a secret is asked for anew each time."""
        if holds_secret(found):
            self._changed |= self._known.pop(path, None) is not None
            return
        kept = _Found(sha256, found)
        self._changed |= self._known.get(path) != kept
        self._known[path] = kept

    def write(self, paths: Collection[str]) -> None:
        """Makes the answers outlive this process, those of other paths left out."""
        gone = self._known.keys() - set(paths)
        if not (self._changed or gone) or self._read_only:
            return
        file = _File(self._basis, {path: one for path, one in self._known.items() if path not in gone})
        with suppress(OSError):  # what is not kept is read again
            write_private(self._file, msgspec.msgpack.encode(file))


def _load(file: Path, decoder: "msgspec.msgpack.Decoder[_File[T]]", basis: str) -> dict[str, _Found[T]]:
    try:
        kept = decoder.decode(file.read_bytes())
    except (OSError, msgspec.MsgspecError):
        return {}
    return kept.found if kept.basis == basis else {}
