"""Compares an imported session with its transcripts in the workspace, and writes the missing part."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from engine.errors import PolicyError
from engine.extras.importers.session import ImportedSession
from engine.lifecycle.capture.events import SessionEnd, SessionStart, TurnEvent
from engine.lifecycle.capture.transcript_text import TranscriptText, closed_path
from engine.text.frontmatter import read_frontmatter
from engine.text.secrets.detector import find_secrets, redact
from engine.text.transcript_marks import instant


class NewTranscript(msgspec.Struct, frozen=True, kw_only=True):
    """A transcript to be created. `redacted`: the number of secrets removed from it."""

    path: str
    content: str
    turns: int
    redacted: int
    continues: bool


def transcript_of(
    session: ImportedSession, channel: str, zone: str, present: Iterable[str], read: Callable[[str], bytes]
) -> NewTranscript | str | None:
    """The transcript of a session in a zone, or of its part that the `present` ones (paths) lack. None if the workspace
    has all of it; the path of a transcript there that contradicts this session."""
    ident, started, model, topic = session.session, session.started.isoformat(), session.model, session.topic
    start = SessionStart(session_id=ident, started=started, model=model, channel=channel, topic=topic, zone=zone)
    at, earlier = 0, ""
    there = {path: read(path) for path in present}
    for path in _oldest_first(there):
        if (taken := _taken(start, session.events[at:], there[path])) is None:
            return path
        at, earlier = at + taken, path
    if not (rest := session.events[at:]):
        return None
    if earlier:
        start = msgspec.structs.replace(start, started=rest[0].time, continues=earlier)
    return _written(start, rest, session, continues=bool(earlier))


def _oldest_first(present: Mapping[str, bytes]) -> Iterator[str]:
    """The transcripts of one session, each after the one that it continues. Paths may be in different zones."""
    heads = {path: read_frontmatter(data).values for path, data in present.items()}
    unknown = datetime.min.replace(tzinfo=UTC)
    left = sorted(heads, key=lambda path: (instant(str(heads[path].get("started"))) or unknown, path))
    while left:
        path = next((candidate for candidate in left if heads[candidate].get("continues") not in left), left[0])
        left.remove(path)
        yield path


def _taken(start: SessionStart, events: Sequence[TurnEvent], present: bytes) -> int | None:
    """Counts the events that a transcript contains, in any zone; None if it contains anything else."""
    zone = str(read_frontmatter(present).values.get("zone", ""))
    start = msgspec.structs.replace(start, zone=zone, started=events[0].time if events else start.started)
    try:
        text = TranscriptText(start)
    except PolicyError:
        return None  # a zone that there is not: none of ours
    body = present.decode("utf-8", "replace").partition("\n---\n")[2]
    for count, event in enumerate(events):
        if not body:
            return count
        added = redact(text.add(event))
        if not body.startswith(added):
            return None
        body = body[len(added) :]
    return len(events) if not body else None


def _written(
    start: SessionStart, events: Sequence[TurnEvent], session: ImportedSession, *, continues: bool
) -> NewTranscript:
    text = TranscriptText(start)
    parts = [text.add(event) for event in events]
    end = SessionEnd(ended=events[-1].time, tokens_in=session.tokens_in, tokens_out=session.tokens_out)
    return NewTranscript(
        path=closed_path(start, text.title),
        content=redact(text.closing(end)) + "".join(map(redact, parts)),
        turns=text.turns,
        redacted=sum(len(find_secrets(part)) for part in parts),
        continues=continues,
    )
