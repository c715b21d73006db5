"""Passes over the transcripts that a condensation need not read again: their days' journals tell of them (D27)."""

from datetime import date
from itertools import chain

import msgspec

from engine.lifecycle.condense.journal import sessions_of_day
from engine.services.open_workspace import OpenWorkspace
from engine.services.transcript_entries import TranscriptCache
from engine.services.transcripts import closed_transcripts, transcript_turns
from engine.topics.messages import SessionTurn
from engine.workspace.dates import zone_of
from engine.workspace.snapshot import Snapshot

_FORMAT = 2
"""Raised whenever the same bytes would give other days."""


class _Days(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The days on which something was said in a transcript."""

    session: str
    days: tuple[date, ...]


def unsummarised_turns(opened: OpenWorkspace, snapshot: Snapshot) -> tuple[SessionTurn, ...]:
    """The turns of every closed transcript, but for those that the journals of all their days tell of. The days of a
    transcript are kept in the state folder by its hash, so that one that did not change is not read."""
    zone, closed = opened.policy.zone, closed_transcripts(snapshot)
    cache = TranscriptCache(
        opened.state.path, "transcript-days", f"{_FORMAT} {zone}", _Days, read_only=opened.database.read_only
    )
    turns: list[tuple[SessionTurn, ...]] = []
    for path in closed:
        sha256 = snapshot.files[path].sha256
        found = cache.found(path, sha256)
        if found is None or not all(found.session in sessions_of_day(snapshot, day) for day in found.days):
            turns.append(transcript_turns(opened.root, path))
            days = {turn.day(zone_of(zone)): turn.session for turn in turns[-1]}
            cache.keep(path, sha256, _Days(next(iter(days.values()), ""), tuple(sorted(days))))
    cache.write(closed)
    return tuple(chain.from_iterable(turns))
