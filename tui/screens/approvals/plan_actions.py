"""Carries out what an operator does with plans besides approving: putting off, refusing, rewording, comparing."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from engine.errors import MemdeckError, UsageError
from engine.plans.plan import OPEN_STATES, PlanState, QueueEntry
from engine.plans.status import PlanOutcome
from tui.present import glyphs
from tui.present.approvals import queue
from tui.present.approvals.plan import LoadedPlan, over, state_words
from tui.present.spans import Line, Span
from tui.present.words import clock, noun, safe
from tui.screen_host import ScreenHost
from tui.screens.approvals.batch_actions import BatchActions
from tui.screens.approvals.state import ApprovalsState

if TYPE_CHECKING:
    from engine.compactor.notes.left_out import LeftOutLine
    from engine.compactor.semantic.entry_edit import PlannedEntry
    from engine.compactor.semantic.side_by_side import SideBySide
    from engine.services.engine import Engine

_WRITING = frozenset({"ask_approval", "ask_rejection", "put_off", "edit_entry"})
_ABOUT_A_PLAN = frozenset(
    {
        *_WRITING,
        "mark",
        "mark_plan",
        "mark_all",
        "turn(1)",
        "report",
        "select",
        "beside",
        "left_out",
        "flagged(1)",
        "flagged(-1)",
        "hunks",
    }
)
_OF_THE_TEXT = frozenset(
    {"ask_approval", "edit_entry", "beside", "left_out", "mark", "turn(1)", "report", "hunks"}
    | {"flagged(1)", "flagged(-1)"}
)
"""The actions that wait until the plan is read."""
_NAMED = 6
"""Plans that a message or a dialog names; the dialog counts the others."""


class PlanActions:
    """Each method starts one thing; the engine's answer comes back on the screen's thread."""

    def __init__(
        self, app: ScreenHost, desk: ApprovalsState, *, expect: Callable[[str], None], decided: Callable[[], None]
    ) -> None:
        self._app, self._desk, self._expect, self._decided = app, desk, expect, decided

    # Why a key would do nothing

    def why_not(
        self,
        action: str,
        entry: QueueEntry | None,
        loaded: LoadedPlan | None,
        marked: Sequence[QueueEntry],
    ) -> str:
        """In words; empty where the key does something."""
        if action in _WRITING and self._app.read_only:
            return "read-only: the console was started with --read-only"
        if entry is None:
            return "no plan is selected" if action in _ABOUT_A_PLAN else ""
        if action in ("ask_approval", "edit_entry") and self._app.bridge.work is not None:
            return f"wait: {self._app.bridge.work.title} is under way"
        if action in ("ask_rejection", "put_off") and entry.id in self._app.running:
            return f"wait: {entry.id} is being applied"
        if action == "ask_approval" and len(marked) > 1:
            return BatchActions.why_not(marked)
        if action in _OF_THE_TEXT:
            return "the plan is still being read" if loaded is None else self._why_not_in(action, entry, loaded)
        return self._why_not_with(action, entry, marked=bool(marked))

    def _why_not_in(self, action: str, entry: QueueEntry, loaded: LoadedPlan) -> str:
        """Of the actions that need a plan's text."""
        changes = loaded.plan.changes
        match action:
            case "mark" | "turn(1)" | "hunks" if not changes:
                return "this plan changes nothing"
            case "turn(1)" if len(changes) == 1:
                return "this plan has no other change"
            case "ask_approval":
                return self._desk.why_not_approve(entry, loaded, self._app.now())
            case "edit_entry":
                return self._why_no_edit(entry, loaded)
            case "beside" if not loaded.plan.facts.get("duplicates") and not loaded.entries:
                return "no entry of this plan is like one there is"
            case "left_out" if not any(one.dropped for one in changes):
                return "this plan leaves nothing out"
            case "flagged(1)" | "flagged(-1)" if not loaded.plan.flagged_lines():
                return "no line of this plan is flagged"
            case "mark" if over(entry):
                return queue.nothing_to_mark(entry)
            case _:
                return ""

    def _why_not_with(self, action: str, entry: QueueEntry, *, marked: bool) -> str:
        """Of the actions that need no more of a plan than its row; they are about the marked plans where there are."""
        is_over = f"{entry.id} is over: {state_words(entry, self._app.now())}"
        match action:
            case "ask_rejection" if not marked and entry.state.value not in queue.REJECTABLE:
                return is_over
            case "put_off" if not marked and entry.state not in OPEN_STATES | {PlanState.STALE}:
                return is_over
            case "mark_plan" if not queue.can_be_marked(entry):
                return queue.nothing_to_mark(entry)
            case _:
                return ""

    def _why_no_edit(self, entry: QueueEntry, loaded: LoadedPlan) -> str:
        if entry.state not in OPEN_STATES:
            return f"{entry.id} can't be edited: {state_words(entry, self._app.now())}"
        return "" if any(one.text is not None for one in loaded.entries) else "this plan has no semantic entry to edit"

    # Refusing and putting off

    def ask_rejection(self, entries: Sequence[QueueEntry]) -> None:
        """Asks why, then refuses the plans with that reason."""
        from tui.dialogs.line_input import AskLine

        able = [entry for entry in entries if entry.state.value in queue.REJECTABLE]

        def answered(reason: str | None) -> None:
            if reason is not None:
                self._each(
                    able, "reject", lambda engine, entry: engine.plans.reject(entry.id, reason), "Rejected", reason
                )

        dialog = AskLine(
            (Span(f"Reject {_names(able)}", "title"),),
            "why? it is recorded with the plan",
            "rejects the plan" if len(able) == 1 else f"rejects {noun(len(able), 'plan')}",
            body=_listed(able),
        )
        self._app.clear_notifications()
        self._app.push_screen(dialog, answered)

    def ask_until(self, entries: Sequence[QueueEntry]) -> None:
        """Asks until when the plans are out of sight; their digests and states stay what they are."""
        from engine.monitoring.snooze import parse_until
        from engine.workspace.instants import EXAMPLES
        from tui.dialogs.line_input import AskLine

        asleep = any(entry.snoozed_until is not None for entry in entries)
        zone, or_now = self._app.limits.policy.zone, ", or unsnooze" if asleep else ""

        def problem(text: str) -> str:
            try:
                until = parse_until(text, datetime.now(UTC), zone)
            except UsageError as error:
                return f"no time: {error.hint}{or_now}"
            return "that has passed already" if until is not None and until <= datetime.now(UTC) else ""

        def answered(text: str | None) -> None:
            if text is not None:
                until = parse_until(text, datetime.now(UTC), zone)
                words = f"until {clock(until, datetime.now(UTC))} UTC, P shows it" if until else "it waits again"
                title = "Snoozed" if until else "Unsnoozed"
                self._each(entries, "snooze", lambda engine, entry: engine.plans.snooze(entry.id, until), title, words)

        dialog = AskLine(
            (Span(f"Snooze {_names(entries)}", "title"),),
            f"until when? {', '.join(EXAMPLES)}{or_now}",
            "hides it until then, and changes nothing",
            body=_listed(entries),
            empty=f"say until when: {EXAMPLES[0]}, {EXAMPLES[2]}",
            check=problem,
        )
        self._app.clear_notifications()
        self._app.push_screen(dialog, answered)

    def _each(
        self,
        entries: Sequence[QueueEntry],
        group: str,
        call: Callable[["Engine", QueueEntry], object],
        title: str,
        words: str,
    ) -> None:
        """Does one small thing to each of the plans; those that refuse are named."""
        self._decided()

        def run(engine: "Engine") -> list[tuple[str, MemdeckError]]:
            refused = []
            for entry in entries:
                try:
                    call(engine, entry)
                except MemdeckError as error:
                    refused.append((entry.id, error))
            return refused

        def done(refused: list[tuple[str, MemdeckError]]) -> None:
            if len(refused) < len(entries):
                which = entries[0].id if len(entries) == 1 else noun(len(entries) - len(refused), "plan")
                self._app.say(f"{which}: {words}", title=title)
            for plan_id, error in refused[:_NAMED]:
                self._app.say(f"{plan_id}: {error.line()}", title=error.title, severity="error")
            self._app.read_all()

        self._app.bridge.look(run, done, self._app.fail, group=group)

    # Rewording an entry, and looking beside it

    def edit_entry(self, loaded: LoadedPlan, change: int) -> None:
        """Opens the entry of a change, or lets the operator choose among the plan's entries."""
        able = [entry for entry in loaded.entries if entry.text is not None]
        here = next((entry for entry in able if entry.change == change), able[0] if len(able) == 1 else None)
        if here is not None:
            self._edit(loaded, here)
            return
        from tui.dialogs.picker import Picker
        from tui.present.choices import Choice

        choices = tuple(Choice(safe(one.title), safe(_goes_to(one)), str(one.number), str(one.number)) for one in able)

        def chosen(number: str | None) -> None:
            entry = next((one for one in able if str(one.number) == number), None)
            if entry is not None:
                self._edit(loaded, entry)

        self._app.push_screen(Picker("Which entry?", choices, placeholder="its title", foot="edits it"), chosen)

    def _edit(self, loaded: LoadedPlan, entry: "PlannedEntry") -> None:
        from tui.screens.approvals.entry_editor import Edited, EntryEditor

        def answered(edited: Edited | None) -> None:
            if edited is not None:
                self._reword(loaded, entry, edited.text, edited.shard)

        self._app.clear_notifications()
        titles = tuple(one.title for one in loaded.entries)
        self._app.push_screen(EntryEditor(loaded.plan.id, entry, titles), answered)

    def _reword(self, loaded: LoadedPlan, entry: "PlannedEntry", text: str | None, shard: str | None) -> None:
        from tui.present.approvals import entry_text

        edits = {entry.number: text} if text is not None else {}
        routes = entry_text.routes_of(entry.number, shard) if shard is not None else {}
        self._app.bridge.long(
            f"plan again with entry {entry.number} as you want it",
            lambda engine, tick: engine.entries.reword(loaded.plan.id, edits, routes),
            self._made_again,
            self._app.fail,
        )
        self._app.show_work()

    def _made_again(self, outcome: PlanOutcome) -> None:
        """A plan was made anew with the operator's words; it stands in the place of the old one."""
        if outcome.plan is None:
            self._app.say(outcome.reason_no_action or "nothing to do", title="No plan")
        else:
            self._app.expect(outcome.plan.id)
            self._expect(outcome.plan.id)
            tier = outcome.plan.risk_tier.value
            self._app.say(f"{outcome.plan.id} · risk tier {tier}: look at its diff, then approve", title="Made again")
        self._app.read_all()

    def show_hunks(self, entry: QueueEntry, loaded: LoadedPlan, index: int, commented: Callable[[], None]) -> None:
        """The hunks of a change over the page; the new plan, where one is made, comes under the cursor."""
        from tui.screens.approvals.hunks import HunkScreen

        def answered(plan_id: str | None) -> None:
            if plan_id:
                self._expect(plan_id)
                self._app.say(f"{plan_id}: look at its diff, then approve", title="Made again")

        over = entry.state not in OPEN_STATES
        fixed = f"{entry.id} is {state_words(entry, self._app.now())}" if over else ""
        self._app.clear_notifications()
        change, diff = loaded.plan.changes[index], loaded.diffs[index]
        screen = HunkScreen(loaded.plan, change, diff, fixed=fixed, commented=commented)
        self._app.push_screen(screen, answered)

    def show_beside(self, loaded: LoadedPlan, change: int, *, over: bool = False) -> None:
        """Each new entry beside the one it may repeat, that of the current change first; `over` a dialog."""

        def show(pairs: "tuple[SideBySide, ...]") -> None:
            from tui.screens.approvals.entry_pair import EntryPairScreen

            if not pairs:
                self._app.say("no entry of this plan is like one there is")
            elif over or not self._app.in_dialog:
                first = next((index for index, pair in enumerate(pairs) if pair.change == change), 0)
                self._app.push_screen(EntryPairScreen(pairs, first))

        self._app.bridge.read(lambda engine: engine.entries.similar(loaded.plan), show, self._app.fail, group="beside")

    def show_left_out(self, loaded: LoadedPlan, change: int) -> None:
        """The lines that the summary of a change did not read; those of all changes where it has none."""

        def read(engine: "Engine") -> "tuple[LeftOutLine, ...]":
            return engine.entries.left_out(loaded.plan, change) or engine.entries.left_out(loaded.plan)

        def show(found: "tuple[LeftOutLine, ...]") -> None:
            from tui.dialogs.text_reader import TextReader
            from tui.present.approvals.left_out import left_out_lines

            if not found:
                self._app.say("no line of a note was omitted whole; the plan names the rest above its diffs")
            elif not self._app.in_dialog:
                self._app.push_screen(TextReader("Omitted from the summaries", left_out_lines(found)))

        self._app.bridge.read(read, show, self._app.fail, group="left-out")


def _goes_to(entry: "PlannedEntry") -> str:
    """The shard of an entry, or why the plan does not take it by itself."""
    return entry.shard if entry.offered is None else f"not kept: {entry.offered}"


def _names(entries: Sequence[QueueEntry]) -> str:
    return safe(entries[0].id) if len(entries) == 1 else noun(len(entries), "plan")


def _listed(entries: Sequence[QueueEntry]) -> tuple[Line, ...]:
    """The plans by name, the first few."""
    lines: list[Line] = [
        (
            glyphs.RISK_TIERS[entry.risk_tier].mark,
            Span(f" {safe(entry.system):<8} "),
            Span(queue.target_words(entry)),
        )
        for entry in entries[:_NAMED]
    ]
    if len(entries) > _NAMED:
        lines.append((Span(f"and {len(entries) - _NAMED} more", "muted"),))
    return tuple(lines)
