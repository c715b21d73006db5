"""Replays: choosing a past session, playing it, and going back to what is said now."""

import re

from engine.sessions.folder import SessionFileInfo
from engine.topics.decision_log import LogEntry
from tui.dialogs.picker import Picker
from tui.present.choices import Choice
from tui.present.topics.replay import Replay
from tui.present.topics.stream import Stream
from tui.present.topics.verdicts import kilobytes
from tui.present.words import age, safe
from tui.screens.topics.panes import TopicsPanes

_MOST_CHOICES = 500
"""Sessions to choose from, the youngest first."""
_DAY = re.compile(r"/(\d{4})/(\d{2})/(\d{2})/")
_OURS = re.compile(r"(?P<hour>\d{2})(?P<minute>\d{2})-(?P<session>[^-]+)(?:-(?P<slug>.+))?\.md")


def choose(page: TopicsPanes) -> None:
    """Lists the sessions there are, the newest first."""
    page.deck.bridge.read(lambda engine: engine.sessions.files(), lambda found: _ask(page, found))


def _ask(page: TopicsPanes, found: tuple[SessionFileInfo, ...]) -> None:
    if not found:
        page.deck.say("no session file was found to replay", severity="warning")
        return
    now = page.deck.now()
    choices = tuple(
        Choice(_dated(one), value=one.source, section=f"{age(one.modified, now)} ago  {kilobytes(one.size):>9}")
        for one in found[:_MOST_CHOICES]
    )

    page.deck.ask(Picker("Replay a session", choices, foot="play"), lambda source: _load(page, source))


def _load(page: TopicsPanes, source: str) -> None:
    started = page.deck.bridge.long(
        "replay",
        lambda engine, tick: engine.sessions.replay(source, tick),
        lambda entries: _play(page, source, entries),
    )
    if not started:
        page.deck.say(page.deck.lacks_idle(), severity="warning")


def _play(page: TopicsPanes, source: str, entries: tuple[LogEntry, ...]) -> None:
    if not entries:
        page.deck.say("nobody says anything in that session", severity="warning")
        return
    page.replay = Replay(_name(source), entries)
    page.stream = Stream()
    page.show_all()


def end(page: TopicsPanes) -> None:
    """Back to what is said now."""
    page.replay = None
    page.stream = page.live
    page.show_all()


def _dated(file: SessionFileInfo) -> str:
    """`2026-03-15 09:30 flaky-test`: the day by the folders a transcript lies in, else by when it was written last."""
    day = _DAY.search(file.source)
    return f"{'-'.join(day.groups()) if day else f'{file.modified:%Y-%m-%d}'} {_name(file.source)}"


def _name(source: str) -> str:
    """`09:30 flaky-test` for a transcript of ours, else the file's name."""
    name = source.rpartition("/")[2]
    found = _OURS.fullmatch(name)
    if found is None:
        return safe(name.removesuffix(".md").removesuffix(".jsonl"))
    return safe(f"{found['hour']}:{found['minute']} {found['slug'] or found['session']}")
