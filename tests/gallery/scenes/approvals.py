"""Approvals: the queue, one plan, its changes and their diffs."""

from engine.plans.plan import PlanState
from tests.gallery import worlds
from tests.gallery.engines import diffs, hostile_plans, queues, troubles
from tests.gallery.scene import At, pane, plan
from tui.dialogs.find_bar import FindBar
from tui.dialogs.line_input import AskLine
from tui.dialogs.picker import Picker
from tui.dialogs.text_reader import TextReader
from tui.screens.approvals.consolidation import ConsolidationScreen
from tui.screens.approvals.entry_editor import EntryEditor
from tui.screens.approvals.entry_pair import EntryPairScreen
from tui.screens.approvals.hunks import HunkScreen
from tui.screens.approvals.page import ApprovalsPage
from tui.screens.approvals.past_runs import ReportsScreen

_at = At(ApprovalsPage, "2", queues.three_plans)
_DIFF = pane("diff")
_HUNKS = (_DIFF, "h", " ", "x")


_STATES = tuple(
    _at(f"plan-{state}", f"a plan that is {state}", plan(queues.state_number(state)), engine=queues.every_state)
    for state in PlanState
    if state not in (PlanState.PENDING, PlanState.APPLYING, PlanState.APPLIED, PlanState.UNDONE)
)
"""Plans in the states that no other scene is about."""

SCENES = (
    _at("approvals", "the queue of the demonstration and the plan under the cursor", engine=worlds.demo),
    _at("approvals-plan", "the cursor on the facts of the plan", pane("head"), engine=worlds.demo),
    _at("approvals-changes", "the cursor on the changes of the plan", pane("changes"), engine=worlds.demo),
    _at("approvals-diff", "the cursor in a diff", _DIFF, engine=worlds.demo),
    _at("approvals-tier-c", "a plan of tier C with its warnings", plan(2), _DIFF),
    _at("approvals-marked", "two changes of a plan are marked", plan(1), pane("changes"), " ", "j", " "),
    _at("approvals-marked-plans", "all plans are marked", "a"),
    _at("approvals-consolidation", "what another tool rewrote, above the plans", engine=worlds.dreamt),
    _at("consolidation", "its entries, with the note", "enter", " ", on=ConsolidationScreen, engine=worlds.dreamt),
    _at("approvals-empty", "no plan waits", engine=worlds.without_git),
    _at("approvals-put-off", "a plan that was put off", "P", engine=queues.put_off),
    _at("approvals-every-state", "plans in every state there is", engine=queues.every_state),
    _at("approvals-many", "the end of ten thousand plans", "G", engine=queues.ten_thousand),
    _at("approvals-unreadable", "a plan that cannot be read", engine=troubles.unreadable_plan),
    *_STATES,
    _at("approvals-filter", "the field of the filter", "/"),
    _at("approvals-filtered", "plans of one tier alone", "/", *"tier:c", "enter"),
    _at("approvals-filter-nothing", "a filter that nothing passes", "/", *"zzzz", "enter"),
    # Diffs
    _at("diff-folded", "a long diff with folds", plan(1), _DIFF, engine=diffs.kinds_of_diff),
    _at("diff-split", "before and after side by side", plan(1), _DIFF, "s", engine=diffs.kinds_of_diff),
    _at("diff-bytes", "a change of what is no text", plan(2), _DIFF, engine=diffs.kinds_of_diff),
    _at("diff-same", "a change that changes nothing", plan(3), _DIFF, engine=diffs.kinds_of_diff),
    _at("diff-end", "the end of twenty thousand lines", plan(4), _DIFF, "G", engine=diffs.kinds_of_diff),
    _at("diff-move", "a file that is moved", plan(5), _DIFF, engine=diffs.kinds_of_diff),
    _at("diff-nothing", "a plan without any change", plan(6), _DIFF, engine=diffs.kinds_of_diff),
    _at("diff-hostile", "hostile text in every place", plan(1), _DIFF, engine=hostile_plans.hostile),
    _at("diff-wide", "wide characters and a very long line", plan(2), _DIFF, engine=hostile_plans.hostile),
    _at("diff-wide-split", "the same side by side", plan(2), _DIFF, "s", engine=hostile_plans.hostile),
    _at("diff-long-path", "a path longer than the screen", plan(3), _DIFF, engine=hostile_plans.hostile),
    _at("diff-find", "finding in a diff", _DIFF, "/", *"the", on=FindBar, engine=worlds.demo),
    _at("diff-found", "the next of what was found", _DIFF, "/", *"of", "enter", "n", engine=worlds.demo),
    _at("diff-find-nothing", "a text that is not there", _DIFF, "/", *"zzzz", on=FindBar, engine=worlds.demo),
    # What is asked about a plan
    _at("source", "the lines that a line was made from", plan(1), _DIFF, "j", "j", "j", "enter", on=TextReader),
    _at(
        "moved-note", "a note that is moved, whole", plan(5), _DIFF, "enter", on=TextReader, engine=diffs.kinds_of_diff
    ),
    _at("report", "what the dry run said", "i", on=TextReader, engine=worlds.demo),
    _at("reject", "asks why", "r", on=AskLine),
    _at("reject-without-reason", "a reason is wanted", "r", "enter", on=AskLine),
    _at("reject-several", "asks why for all marked plans", "a", "r", on=AskLine),
    _at("put-off", "asks until when", "p", on=AskLine),
    _at("put-off-unclear", "a time that is none", "p", *"soon", "enter", on=AskLine),
    _at(
        "which-entry",
        "asks which of several entries to edit",
        plan(2),
        "e",
        on=Picker,
        engine=queues.several_entries,
    ),
    _at("entry", "an entry to be reworded", plan(2), "e", on=EntryEditor),
    _at("entry-problems", "an entry that may not be written so", plan(2), "e", *"zzz", on=EntryEditor),
    _at("entry-leaving", "an entry that would be lost", plan(2), "e", *"zzz", "escape", on=EntryEditor),
    _at("hunks", "the hunks of a change, one refused", *_HUNKS, on=HunkScreen, engine=worlds.proposed),
    _at(
        "hunks-refuse",
        "asks why hunks are refused",
        *_HUNKS,
        "enter",
        on=AskLine,
        over=(HunkScreen,),
        engine=worlds.proposed,
    ),
    _at(
        "hunks-comment",
        "asks for a comment on marked lines",
        *(_DIFF, "h", "j", "m", "j", "j", "c"),
        on=AskLine,
        over=(HunkScreen,),
        engine=worlds.proposed,
    ),
    _at("diff-comments", "a diff with the operator's comments", _DIFF, engine=worlds.proposed),
    _at("hunks-whole", "hunks that stand or fall together", _DIFF, "h", on=HunkScreen, engine=worlds.demo),
    _at("beside", "a new entry beside the one it may repeat", plan(2), "v", on=EntryPairScreen),
    _at("left-out", "the lines that a summary did not read", plan(1), "x", on=TextReader),
    _at("digest", "the digest", "R", on=ReportsScreen, engine=worlds.demo),
    _at("reports", "past dry runs", "R", "j", on=ReportsScreen, engine=worlds.demo),
    _at("reports-page", "the page of one of them", "R", "j", "enter", on=ReportsScreen, engine=worlds.demo),
    _at("reports-compared", "two of them compared", "R", "j", "j", " ", "j", "c", on=ReportsScreen, engine=worlds.demo),
)
