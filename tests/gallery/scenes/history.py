"""History: what was done, and can it be taken back?"""

from engine.plans.operation import OperationState
from tests.gallery import worlds
from tests.gallery.engines import past
from tests.gallery.scene import At, pane
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.line_input import AskLine
from tui.dialogs.text_reader import TextReader
from tui.screens.history.held_facts import HeldScreen
from tui.screens.history.memory_files import MemoryScreen
from tui.screens.history.page import HistoryPage
from tui.screens.history.recall import RecallScreen
from tui.screens.history.undo import UndoScreen

_at = At(HistoryPage, "7", worlds.demo)
_TOLD = past.every_operation
_STATES = tuple(
    _at(f"operation-{state}", f"an operation that is {state}", *"j" * number, engine=_TOLD)
    for number, state in enumerate(reversed(OperationState))
    if state is not OperationState.DONE
)

SCENES = (
    _at("history", "the operations of the demonstration"),
    _at("history-files", "the cursor on the files of an operation", pane("files")),
    _at("history-diff", "the cursor in what an operation did", pane("past")),
    _at("history-audit", "the cursor in the audit log", pane("audit")),
    _at("history-kept", "the cursor on what is kept", pane("kept")),
    _at("history-zoom", "a diff in all the room there is", pane("past"), "+"),
    _at("history-audit-broken", "an audit log that was tampered with", pane("audit"), engine=_TOLD),
    _at("history-empty", "nothing was done yet", engine=worlds.empty),
    _at("history-read-only", "the same, where nothing can be taken back", read_only=True),
    *_STATES,
    _at("history-filter", "the field of the filter", "/"),
    _at("history-filtered", "operations of one system alone", "/", *"compact", "enter"),
    _at("history-filter-nothing", "a filter that nothing passes", "/", *"zzz", "enter"),
    _at("audit-record", "a record of the audit log", pane("audit"), "enter", on=TextReader),
    _at(
        "audit-record-broken",
        "a record that was tampered with",
        pane("audit"),
        "j",
        "j",
        "j",
        "enter",
        on=TextReader,
        engine=_TOLD,
    ),
    _at("kept-held", "a file that is held", pane("kept"), "enter", on=TextReader, engine=_TOLD),
    _at("tags", "the tags of memory and its explorations", "t", on=TextReader),
    _at("recall", "the notes of today, with who tells of them", "r", on=RecallScreen),
    _at("recall-past", "the notes of two months ago", "r", "shift+left", "shift+left", on=RecallScreen),
    _at("recall-blame", "who wrote each line of a note", "r", "b", on=RecallScreen),
    _at("recall-diff", "a note of last month against the same now", "r", "shift+left", "d", on=RecallScreen),
    _at("recall-when", "asks when a text came and went", "r", "w", on=AskLine, over=(RecallScreen,)),
    _at("recall-answers", "when a text came and went", "r", "w", *"billing", "enter", on=RecallScreen),
    _at("recall-date", "asks which day to go to", "r", "at", on=AskLine, over=(RecallScreen,)),
    _at("recall-filter", "asks which notes to list", "r", "slash", on=AskLine, over=(RecallScreen,)),
    _at("memory", "the files that agents load, with what changed lately", "M", on=MemoryScreen),
    _at("recall-nothing", "the past where nothing was done", "r", on=RecallScreen, engine=worlds.empty),
    _at(
        "held",
        "what held on a day, beside the turn that says it",
        "r",
        "h",
        on=HeldScreen,
        over=(RecallScreen,),
        engine=worlds.extracted,
    ),
    _at(
        "held-nothing",
        "what held where nothing was extracted",
        "r",
        "h",
        on=HeldScreen,
        over=(RecallScreen,),
        engine=worlds.empty,
    ),
    _at("held-subject", "asks for a subject", "r", "h", "w", on=AskLine, over=(RecallScreen, HeldScreen)),
    _at("facts", "what holds today, pairs to decide first", "h", on=HeldScreen, engine=worlds.extracted),
    _at("facts-own", "asks for own words in the place of two", "h", "e", on=AskLine, over=(HeldScreen,)),
    _at("undo", "asks whether to take back an operation", "u", on=ConfirmDialog, over=(UndoScreen,)),
)
