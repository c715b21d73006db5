"""Context: the prompt for a message, slot by slot, and what platforms load."""

from tests.gallery import worlds
from tests.gallery.engines import queues
from tests.gallery.scene import At, pane
from tui.dialogs.line_input import AskLine
from tui.dialogs.text_reader import TextReader
from tui.screens.context.page import ContextPage
from tui.screens.context.session_timeline import TimelineScreen
from tui.screens.context.why import WhyScreen
from tui.screens.context.wrong_claims import RealityScreen

_at = At(ContextPage, "5", queues.three_plans)

SCENES = (
    _at("context", "what stands before every message"),
    _at("context-compiled", "the prompt for a message", *"deploy", "enter", engine=worlds.demo),
    _at("context-small", "a small budget, with what was cut and dropped", *"deploy", "enter", *("left",) * 3),
    _at("context-refused", "a budget that has no room", *"deploy", "enter", *("left",) * 5, engine=worlds.demo),
    _at("context-prompt", "the prompt with its labels", *"deploy", "enter", "p"),
    _at("context-loads", "what platforms load, and what falls off", pane("loads")),
    _at("context-shared", "a session that does not see MEMORY.md", "enter", "s"),
    _at("context-windows", "followed sessions with their windows", "escape", "w", engine=queues.followed),
    _at(
        "context-timeline",
        "the timeline of a session",
        *("escape", "w", "enter", "left", "left", "N"),
        engine=worlds.long_session,
        on=TimelineScreen,
    ),
    _at(
        "timeline-prompt",
        "the prompt of a turn of a session, as it was then",
        *("escape", "w", "enter", "enter"),
        engine=worlds.long_session,
        on=TextReader,
        over=(TimelineScreen,),
    ),
    _at(
        "timeline-why",
        "the lines behind an answer of a session",
        *("escape", "w", "enter", "w"),
        engine=worlds.long_session,
        on=WhyScreen,
        over=(TimelineScreen,),
    ),
    _at("context-unfollowed", "no session is followed", "escape", "w"),
    _at("verify", "what memory claims and is not so", "escape", "v", on=RealityScreen, engine=worlds.demo),
    _at("why", "the lines of the prompt behind an answer", "escape", "a", on=WhyScreen, engine=worlds.demo),
    _at("why-typed", "asks for an answer", "escape", "a", "slash", on=AskLine, over=(WhyScreen,), engine=worlds.demo),
    _at("why-nothing", "no session has an answer", "escape", "a", on=WhyScreen, engine=worlds.empty),
    _at("compare", "asks what to compare the prompt with", "escape", "c", on=AskLine, engine=worlds.demo),
    _at(
        "compared",
        "two prompts side by side",
        *("escape", "c", *"512..2048", "enter"),
        on=TextReader,
        engine=worlds.demo,
    ),
    _at("flushes", "the compactions that were seen", "escape", "h", "f", on=TextReader, engine=worlds.flushed),
    _at("probes", "the probes, and what a plan makes of them", "escape", "b", on=TextReader, engine=worlds.probed),
    _at("context-empty", "a folder without any memory", engine=worlds.empty),
    _at("context-hostile", "hostile text in items and in the prompt", *"click", "enter", engine=worlds.hostile),
)
