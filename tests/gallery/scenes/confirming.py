"""From the question about a plan to what came of it, and back again."""

from textual import events

from tests.gallery import worlds
from tests.gallery.engines import hostile_plans, queues, troubles
from tests.gallery.scene import At, pane, plan
from tui.app import MemdeckApp
from tui.dialogs.confirm import ConfirmDialog
from tui.screens.approvals.batch import BatchScreen
from tui.screens.approvals.page import ApprovalsPage
from tui.screens.history.undo import UndoScreen

_at = At(ApprovalsPage, "2", queues.three_plans)
_DIFF = pane("diff")
_ASKED = (plan(2), _DIFF, "ctrl+a")
_ALL_FOUR = ("right",) * 3
"""Keys that show every change of the sharding of the demonstration: of tier C, each must have been on screen."""
_APPLIED = (*_ASKED, *"APPROVED", "enter")
_SEEN = ["pagedown"] * 60
_BATCH = ("a", "ctrl+a")
_REASON = ("y", *"it is", "enter")


def _paste(app: MemdeckApp) -> None:
    field = app.screen.focused
    assert field is not None
    field.post_message(events.Paste("APPROVED"))


def _void(app: MemdeckApp) -> None:
    assert app.flows.approvals.asking is not None
    app.flows.approvals.asking[1].void("this plan is stale: memory/2026-03-12.md changed after it was made")


SCENES = (
    _at("confirm", "asks for the word", _DIFF, *_ALL_FOUR, "ctrl+a", on=ConfirmDialog, engine=worlds.demo),
    _at("confirm-tier-c", "what to know of a plan of tier C", *_ASKED, on=ConfirmDialog),
    _at("confirm-wrong", "another word", *_ASKED, *"banana", "enter", on=ConfirmDialog),
    _at("confirm-pasted", "a word that was pasted", *_ASKED, _paste, on=ConfirmDialog),
    _at("confirm-first-run", "a question that comes before the yes", plan(1), _DIFF, "ctrl+a", on=ConfirmDialog),
    _at("confirm-reason", "the reason for the answer", plan(1), _DIFF, "ctrl+a", "y", *"it is", on=ConfirmDialog),
    _at("confirm-part", "some of the changes", plan(3), pane("changes"), " ", _DIFF, "ctrl+a", on=ConfirmDialog),
    _at("confirm-void", "a plan that changed while it was asked about", *_ASKED, _void, on=ConfirmDialog),
    _at(
        "confirm-hostile",
        "a question about hostile text",
        plan(1),
        _DIFF,
        "ctrl+a",
        on=ConfirmDialog,
        engine=hostile_plans.hostile,
    ),
    _at(
        "confirm-wide",
        "a question in wide characters",
        plan(2),
        _DIFF,
        "ctrl+a",
        on=ConfirmDialog,
        engine=hostile_plans.hostile,
    ),
    _at("approve-read-only", "why nothing can be approved", _DIFF, "ctrl+a", read_only=True),
    _at(
        "batch",
        "many plans, and what they ask first",
        *_BATCH,
        on=ConfirmDialog,
        over=(BatchScreen,),
        engine=queues.batch,
    ),
    _at(
        "batch-number",
        "asks for their number",
        *_BATCH,
        "y",
        *"it is",
        "enter",
        on=ConfirmDialog,
        over=(BatchScreen,),
        engine=queues.batch,
    ),
    _at(
        "batch-applied",
        "all of them applied",
        *_BATCH,
        "y",
        *"it is",
        "enter",
        *_SEEN,
        "3",
        "enter",
        engine=queues.batch,
    ),
    _at("applying", "a plan under way", *_APPLIED, engine=troubles.held(queues.three_plans), busy=True),
    _at("applied", "a plan that was applied", *_APPLIED),
    _at("apply-failed", "a plan that could not be applied", *_APPLIED, engine=troubles.disk_full),
    _at(
        "undo-last",
        "asks whether to take back what was just applied",
        *_APPLIED,
        "z",
        on=ConfirmDialog,
        over=(UndoScreen,),
    ),
    _at("undone", "what was applied is taken back", *_APPLIED, "z", "y"),
)
