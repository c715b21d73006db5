"""Topics: why did (or didn't) this fire?"""

from datetime import timedelta

from tests.gallery import worlds
from tests.gallery.engines import sessions
from tests.gallery.engines.sessions import listening, talk
from tests.gallery.scene import At, pane
from tests.gallery.stage import Played
from tests.talks import said
from tui.app import MemdeckApp
from tui.dialogs.line_input import AskLine
from tui.dialogs.picker import Picker
from tui.dialogs.text_reader import TextReader
from tui.screens.topics.lanes import LanesScreen
from tui.screens.topics.page import TopicsPage

_at = At(TopicsPage, "4", listening(*talk()))


def _heard(app: MemdeckApp) -> bool:
    """What was said is on screen."""
    page = app.page
    return isinstance(page, TopicsPage) and page.talk.live.messages > 0 and not page.heard.unpainted


def _more(app: MemdeckApp) -> None:
    assert isinstance(app, Played) and isinstance(app.prepared, sessions.Listening)
    app.prepared.say(*(said(number, f"message {number}, which came while it was held") for number in range(20, 30)))


def _waits(app: MemdeckApp) -> bool:
    page = app.page
    return isinstance(page, TopicsPage) and page.talk.live.waiting > 0 and not page.heard.unpainted


def _stopped(app: MemdeckApp) -> bool:
    page = app.page
    return isinstance(page, TopicsPage) and page.heard.stopped


def _over(app: MemdeckApp) -> bool:
    """The replay came to its end."""
    page = app.page
    return isinstance(page, TopicsPage) and page.talk.replay is not None and page.talk.replay.over


_REPLAY = ("R", *"monday", "enter")

SCENES = (
    _at("topics", "what is listened to in the demonstration", engine=worlds.demo),
    _at("lanes", "a conversation as lanes, the last message", _heard, "L", on=LanesScreen),
    _at("lanes-why-not", "why a topic did not become active", _heard, "L", "left", "left", "j", on=LanesScreen),
    _at("lanes-hour", "an hour of talks", _heard, "L", *"hhh", engine=listening(*sessions.hour()), on=LanesScreen),
    _at("lanes-idle", "nothing was said yet", "L", engine=listening(), on=LanesScreen),
    _at("lanes-burst", "three hundred messages", _heard, "L", engine=listening(*sessions.burst()), on=LanesScreen),
    _at("lanes-hostile", "hostile text", _heard, "L", engine=listening(*sessions.hostile_talk()), on=LanesScreen),
    _at("topics-idle", "nothing was said yet", engine=listening()),
    _at("topics-live", "a conversation, and what it woke", _heard),
    _at("topics-decision", "the cursor on why it woke a topic", _heard, "g", "j", pane("decision")),
    _at("topics-active", "the cursor on the active topics", _heard, pane("active")),
    _at("topics-list", "the cursor on the topics there are", _heard, pane("topics_list")),
    _at("topics-funnel", "the cursor on the funnel", _heard, pane("funnel")),
    _at("topics-judged", "decisions that were judged", _heard, "g", "j", "y", *"jjj", "n"),
    _at("topics-paused", "messages that wait while the stream is held", _heard, "p", _more, _waits),
    _at("topics-burst", "three hundred messages at once", _heard, engine=listening(*sessions.burst())),
    _at(
        "topics-behind",
        "listening that lags behind",
        _heard,
        engine=listening(*talk(), lag=timedelta(seconds=42), sessions=14, pending=4_200_000, left_out=3),
    ),
    _at("topics-hostile", "a conversation of hostile text", _heard, engine=listening(*sessions.hostile_talk())),
    _at("topics-none", "no topics", engine=sessions.no_topics),
    _at("topics-empty", "a folder without any memory", engine=worlds.empty),
    _at("topics-broken", "a topic that cannot be read", pane("topics_list"), engine=worlds.hostile),
    _at("topics-error", "listening that stopped", _stopped, engine=sessions.monitor_breaks),
    _at("topics-filtered", "messages about one word", _heard, "/", *"deploy", "enter"),
    _at("topics-filter-nothing", "a filter that nothing passes", _heard, "/", *"zzzz", "enter"),
    _at("topic", "a topic, whole", pane("topics_list"), "j", "enter", on=TextReader, engine=worlds.demo),
    _at("topic-active", "what an active topic brings in", _heard, pane("active"), "enter", on=TextReader),
    _at("missed", "asks which topic should have woken", _heard, "g", "m", on=Picker),
    _at("replays", "the sessions that can be replayed", "R", on=Picker, engine=worlds.demo),
    _at(
        "replay",
        "the cursor on an older message of a replay",
        *_REPLAY,
        ">",
        ">",
        _over,
        *"gGkkkkkkk",
        engine=worlds.demo,
    ),
    _at("replay-paused", "a session that is played step by step", *_REPLAY, "p", *"    ", engine=worlds.demo),
    _at("follow", "asks which files to follow", "f", on=AskLine, engine=listening()),
    _at("follow-missing", "a file that is not there", "f", *"/nowhere", "enter", engine=listening()),
    _at("followed", "the files that are followed", "f", on=Picker, engine=sessions.follows_a_file),
)
