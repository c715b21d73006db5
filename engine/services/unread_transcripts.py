"""Passes over the transcripts that a condensation need not read again: their days' journals tell of them (D27)."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from itertools import chain
from pathlib import Path

import msgspec

from engine.lifecycle.condense.journal import sessions_of_day
from engine.lifecycle.extract.entry import TranscriptTurn
from engine.services.transcripts import closed_transcripts, transcript_turns
from engine.services.wiring import Wiring
from engine.state.private_files import write_private
from engine.workspace.dates import zone_of
from engine.workspace.snapshot import Snapshot

_FORMAT = 1
"""Raised whenever the same bytes would give other days."""


class _Days(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The days on which something was said in the transcript whose bytes have this hash."""

    sha256: str
    session: str
    days: tuple[date, ...]


class _Kept(msgspec.Struct, frozen=True):
    """The file: the days of each transcript, by path, in one zone."""

    format: int = _FORMAT
    zone: str = ""
    days: dict[str, _Days] = {}


def unsummarised_turns(parts: Wiring, snapshot: Snapshot) -> tuple[TranscriptTurn, ...]:
    """The turns of every closed transcript, but for those that the journals of all their days tell of.

    The days of a transcript are kept in the state folder by its hash, so that one that did not change is not read.
    """
    file, zone = parts.state.path / "transcript-days", parts.policy.zone
    known = _load(file, zone)
    kept, turns = dict[str, _Days](), list[tuple[TranscriptTurn, ...]]()
    for path in closed_transcripts(snapshot):
        found, sha256 = known.get(path), snapshot.files[path].sha256
        if found is None or found.sha256 != sha256 or not _is_told(snapshot, found):
            turns.append(transcript_turns(parts.root, path))
            found = _Days(sha256, *_said(turns[-1], zone))
        kept[path] = found
    if kept != known and not parts.database.read_only:
        with suppress(OSError):  # what is not kept is read again
            write_private(file, msgspec.msgpack.encode(_Kept(zone=zone, days=kept)))
    return tuple(chain.from_iterable(turns))


def _said(turns: Iterable[TranscriptTurn], zone: str) -> tuple[str, tuple[date, ...]]:
    """The session of the turns, and its days."""
    home = zone_of(zone)
    days = {turn.at.astimezone(home).date(): turn.session for turn in turns}
    return next(iter(days.values()), ""), tuple(sorted(days))


def _is_told(snapshot: Snapshot, one: _Days) -> bool:
    return all(one.session in sessions_of_day(snapshot, day) for day in one.days)


def _load(file: Path, zone: str) -> dict[str, _Days]:
    try:
        kept = msgspec.msgpack.decode(file.read_bytes(), type=_Kept)
    except (OSError, msgspec.MsgspecError):
        return {}
    return kept.days if (kept.format, kept.zone) == (_FORMAT, zone) else {}
