"""A folder of session files, and a feed over it whose clock is moved by hand."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engine.sessions.feed import Batch, Begin, Feed
from engine.sessions.folder import SessionFolder
from engine.sessions.follows import ReadMarkStore
from engine.state.database import StateDatabase

START = datetime(2026, 3, 15, 9, 0, tzinfo=UTC)


class Rig:
    """Polls at 0.1 s steps; `texts` gives what was said since it was last asked."""

    def __init__(self, place: Path, *, begin: Begin = Begin.LAST, store: Path | None = None) -> None:
        self.now = START
        self.feed = Feed((SessionFolder.open(place),), _marks(store), begin)
        self.last = Batch()

    def poll(self, most: int = 500, seconds: float = 0.1) -> Batch:
        self.now += timedelta(seconds=seconds)
        self.last = self.feed.poll(self.now, most)
        return self.last

    def texts(self, polls: int = 40, most: int = 500) -> list[str]:
        """All that is said until two seconds after nothing was pending any more."""
        found: list[str] = []
        for _ in range(polls):
            found += [heard.message.text for heard in self.poll(most).heard]
        return found

    def end(self) -> None:
        self.feed.save()
        self.feed.close()


def _marks(store: Path | None) -> ReadMarkStore | None:
    if store is None:
        return None
    store.mkdir(exist_ok=True)
    return ReadMarkStore(StateDatabase(store), "watch")


def claude(text: str, *, role: str = "user", uuid: str = "", **more: Any) -> str:
    """A line of a Claude Code session."""
    content = text if role == "user" else [{"type": "text", "text": text}]
    message = {"role": role, "content": content}
    ident = {"uuid": uuid} if uuid else {}
    return json.dumps({"type": role, "message": message, "sessionId": "s-1", **ident, **more}) + "\n"


def openclaw(text: str, *, role: str = "user", **more: Any) -> str:
    """A line of an OpenClaw session."""
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return json.dumps({"type": "message", "message": message, "timestamp": "2026-03-15T09:00:00Z", **more}) + "\n"


def turns(*said: tuple[str, str]) -> str:
    """A transcript of ours, a turn a minute."""
    head = "---\nsession_id: ses_1\nstarted: 2026-03-15T09:00:00Z\n---\n\n# Title\n"
    return head + "".join(f"\n## 09:{minute:02} — {role}\n{text}\n" for minute, (role, text) in enumerate(said))


def add(file: Path, text: str | bytes) -> None:
    with file.open("ab") as stream:
        stream.write(text.encode() if isinstance(text, str) else text)
