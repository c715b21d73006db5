"""Lifecycle: what became of what was said?"""

from tests.gallery import worlds
from tests.gallery.scene import At, pane
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.picker import Picker
from tui.dialogs.text_reader import TextReader
from tui.screens.lifecycle.blind_comparison import BlindScreen
from tui.screens.lifecycle.costs import CostScreen
from tui.screens.lifecycle.extraction_review import ExtractionScreen
from tui.screens.lifecycle.page import LifecyclePage
from tui.screens.lifecycle.store_push import StorePushScreen

_at = At(LifecyclePage, "8", worlds.replayed)

_PUSH = (":", *"store push memstore_01", "enter")

SCENES = (
    _at("lifecycle", "the pipeline, with an extraction and a replay that wait"),
    _at("lifecycle-run", "the cursor in the account of a replay", pane("run")),
    _at("lifecycle-cost", "the cursor on what models have cost", pane("cost")),
    _at("lifecycle-batches", "a batch at Claude, and an unclear one", pane("cost"), engine=worlds.batched),
    _at("lifecycle-curves", "what models have cost from day to day", "c", on=CostScreen),
    _at("batch-cancel", "asks which batch is to be cancelled", pane("cost"), "x", on=Picker, engine=worlds.batched),
    _at("lifecycle-empty", "nothing was captured yet", engine=worlds.empty),
    _at(
        "extraction",
        "an extraction's entries beside their turns",
        pane("runs"),
        "v",
        "x",
        "down",
        "a",
        on=ExtractionScreen,
        engine=worlds.extracted,
    ),
    _at(
        "blind",
        "a session's entries by two extractors",
        pane("runs"),
        "b",
        on=BlindScreen,
        engine=worlds.compared,
    ),
    _at(
        "store-push",
        "asks whether to send a note to a memory store",
        *_PUSH,
        on=ConfirmDialog,
        over=(StorePushScreen,),
        engine=worlds.stored,
    ),
    _at(
        "store-changed",
        "a note that changed at the store since, and was not sent",
        *_PUSH,
        *"APPROVED",
        "enter",
        on=TextReader,
        engine=worlds.stored,
    ),
    _at(
        "blind-figures",
        "every session is judged: what the replay would change",
        pane("runs"),
        "b",
        *"1111",
        on=BlindScreen,
        engine=worlds.judged,
    ),
)
