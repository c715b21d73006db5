"""Reads some transcripts by an extractor, in any process: here, in one beside it, or on a cluster (D28)."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from engine.errors import MemdeckError
from engine.extraction.entry import ExtractedEntry
from engine.extraction.quotes import located_entries
from engine.lifecycle.replay.comparison import TranscriptReading
from engine.services.transcripts import transcript_turns
from engine.text.canonical_json import sha256_hex
from engine.topics.messages import SessionTurn
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.transcript_root import TranscriptRoot

FindEntries = Callable[[Sequence[SessionTurn]], Iterable[ExtractedEntry]]
"""An extractor: a function of a module, so that another process can be told its name."""


class ReadingPlace(NamedTuple):
    """The workspace's folder, and the one outside of it in which transcripts lie, empty for none (decision D32)."""

    folder: str
    outside: str = ""


def read_transcripts(
    place: ReadingPlace, transcripts: Sequence[tuple[str, str]], find: FindEntries, version: str
) -> list[TranscriptReading]:
    """The readings of transcripts, each a path and the hash of its bytes; one with other bytes, or gone, has none."""
    with WorkspaceRoot.open(Path(place.folder)) as root:
        root.transcripts = TranscriptRoot.open(place.outside, root.identity.path) if place.outside else None
        return [one for path, sha256 in transcripts if (one := _reading(root, path, sha256, find, version)) is not None]


def _reading(root: WorkspaceRoot, path: str, sha256: str, find: FindEntries, version: str) -> TranscriptReading | None:
    try:
        data = root.read(path)
        turns = transcript_turns(root, path)
    except MemdeckError:
        return None
    if sha256_hex(data) != sha256:
        return None
    return TranscriptReading(path, sha256, version, located_entries(data, find(turns)))
