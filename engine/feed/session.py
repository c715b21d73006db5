"""A whole session file at once, for a replay."""

from datetime import UTC, datetime

from engine.errors import UsageError
from engine.feed.place import Place
from engine.feed.session_file import PAUSE, SessionFile
from engine.feed.values import Heard

MOST = 100_000
"""Messages that are read of one file."""
_NOON = datetime(2000, 1, 1, 12, tzinfo=UTC)


def session_messages(place: Place, path: str) -> list[Heard]:
    """Every message of a file, in order. `UsageError` where it cannot be read."""
    file = SessionFile(place.root, path, place.source(path))
    heard: list[Heard] = []
    try:
        file.look(_NOON)
        if not file.tail.is_open:
            raise UsageError("this session file cannot be read", where=place.source(path), hint="is it still there?")
        while len(heard) < MOST and file.busy:
            before = file.tail.pending
            taken = file.take(1000)
            heard += taken
            if not taken and file.tail.pending == before:
                file.settle(_NOON + 2 * PAUSE)
                taken = file.take(1000)
                heard += taken
                if not taken:
                    break
    finally:
        file.close()
    return heard
