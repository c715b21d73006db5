"""Reads every closed transcript anew by a model: one task over all of them, so that they can be one batch (D48)."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from engine.extraction.extraction_task import EntryFinder, PartEntries
from engine.extraction.quotes import located_entries
from engine.extraction.sentence_rules import VERSION
from engine.lifecycle.replay.comparison import TranscriptReading
from engine.models.summary import NoteTick
from engine.services.transcripts import transcript_turns
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot


class ModelReadings(msgspec.Struct, frozen=True):
    """The readings of all transcripts, who read them, and what the operator is told of that."""

    readings: tuple[TranscriptReading, ...]
    version: str
    remarks: tuple[str, ...]


def read_by_model(
    root: WorkspaceRoot, snapshot: Snapshot, paths: Sequence[str], finder: EntryFinder, tick: NoteTick
) -> ModelReadings:
    """The readings of transcripts, in that order; parts that the model did not read were read by the rules."""
    found = finder.found([transcript_turns(root, path) for path in paths], tick)
    parts = [part for session in found for part in session]
    version = ", ".join(sorted({part.by for part in parts})) or VERSION
    told = Counter(part.remark for part in parts if part.remark)
    remarks = tuple(f"{many:,} of {len(parts):,} parts {remark}" for remark, many in sorted(told.items()))
    readings = [_reading(snapshot, path, session, version) for path, session in zip(paths, found, strict=True)]
    return ModelReadings(tuple(readings), version, remarks)


def _reading(snapshot: Snapshot, path: str, parts: Sequence[PartEntries], version: str) -> TranscriptReading:
    located = located_entries(snapshot.content(path), (entry for part in parts for entry in part.entries))
    return TranscriptReading(path, snapshot.files[path].sha256, version, located)
