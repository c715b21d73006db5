"""Asks for a past session and replays it."""

import re
from typing import TYPE_CHECKING

from engine.sessions.folder import SessionFileInfo
from engine.topics.decision_log import LogEntry
from tui.dialogs.picker import Picker
from tui.present.choices import Choice
from tui.present.topics.replay import Replay
from tui.present.topics.verdicts import kilobytes
from tui.present.words import age, safe

if TYPE_CHECKING:
    from tui.screens.topics.stream_pane import StreamPane

_MOST_CHOICES = 500  # sessions to choose from, the youngest first
_DAY = re.compile(r"/(\d{4})/(\d{2})/(\d{2})/")
_OURS = re.compile(r"(?P<hour>\d{2})(?P<minute>\d{2})-(?P<session>[^-]+)(?:-(?P<slug>.+))?\.md")


def choose(pane: "StreamPane") -> None:
    pane.deck.bridge.read(lambda engine: engine.sessions.files(), lambda files: _ask(pane, files))


def _ask(pane: "StreamPane", files: tuple[SessionFileInfo, ...]) -> None:
    if not files:
        pane.deck.say("no session file was found to replay", severity="warning")
        return
    now = pane.deck.now()
    choices = tuple(
        Choice(_dated(file), value=file.source, section=f"{age(file.modified, now)} ago  {kilobytes(file.size):>9}")
        for file in files[:_MOST_CHOICES]
    )
    pane.deck.ask(Picker("Replay a session", choices, foot="play"), lambda source: _load(pane, source))


def _load(pane: "StreamPane", source: str) -> None:
    started = pane.deck.bridge.long(
        "replay",
        lambda engine, tick: engine.sessions.replay(source, tick),
        lambda entries: _play(pane, source, entries),
    )
    if not started:
        pane.deck.say(pane.deck.lacks_idle(), severity="warning")


def _play(pane: "StreamPane", source: str, entries: tuple[LogEntry, ...]) -> None:
    if not entries:
        pane.deck.say("nobody says anything in that session", severity="warning")
        return
    pane.play(Replay(_name(source), entries))


def _dated(file: SessionFileInfo) -> str:
    """Returns `2026-03-15 09:30 flaky-test`: the day of a transcript's folder, else of its last write."""
    day = _DAY.search(file.source)
    return f"{'-'.join(day.groups()) if day else f'{file.modified:%Y-%m-%d}'} {_name(file.source)}"


def _name(source: str) -> str:
    """Returns `09:30 flaky-test` for a transcript of memdeck, else the file's name."""
    name = source.rpartition("/")[2]
    if (match := _OURS.fullmatch(name)) is None:
        return safe(name.removesuffix(".md").removesuffix(".jsonl"))
    return safe(f"{match['hour']}:{match['minute']} {match['slug'] or match['session']}")
