"""Carries out actions on plans other than approval: snoozing, refusing, rewording, comparing."""

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from engine.errors import MemdeckError, UsageError
from engine.plans.diff import DiffRow
from engine.plans.plan import OPEN_STATES, QueueEntry
from engine.plans.planning import PlanOutcome
from engine.workspace.dates import EXAMPLES
from tui.present import glyphs
from tui.present.approvals import entry_checks, queue_rows
from tui.present.approvals.plan_head import LoadedPlan, state_words
from tui.present.spans import Line, Span
from tui.present.words import clock, noun, safe
from tui.screen_host import ScreenHost

if TYPE_CHECKING:
    from engine.compactor.notes.left_out import LeftOutLine
    from engine.compactor.semantic.entry_edit import PlannedEntry
    from engine.compactor.semantic.side_by_side import SideBySide
    from engine.plans.partial_refusal import PartialRefusal
    from engine.services.engine import Engine

_NAMED = 6  # plans that a message or a dialog names; the dialog counts the others


class PlanActions:
    """Starts one action per method; the engine's answer comes back in the screen's thread."""

    def __init__(self, app: ScreenHost, expect: Callable[..., None], decided: Callable[[], None]) -> None:
        self._app, self._expect, self._decided = app, expect, decided

    # Refusing and putting off

    def ask_rejection(self, entries: Sequence[QueueEntry]) -> None:
        """Asks for a reason, then refuses the plans with it."""
        from tui.dialogs.line_input import AskLine

        able = [entry for entry in entries if entry.state.value in queue_rows.REJECTABLE]

        def answered(reason: str) -> None:
            self._each(able, lambda engine, entry: engine.plans.reject(entry.id, reason), "Rejected", reason)

        dialog = AskLine(
            f"Reject {_names(able)}",
            "why? it is recorded with the plan",
            "rejects the plan" if len(able) == 1 else f"rejects {noun(len(able), 'plan')}",
            body=_listed(able),
        )
        self._app.clear_notifications()
        self._app.ask(dialog, answered)

    def ask_until(self, entries: Sequence[QueueEntry]) -> None:
        """Asks how long to hide the plans; their digests and states stay the same."""
        from engine.monitoring.snooze import parse_until
        from tui.dialogs.line_input import AskLine

        asleep = any(entry.snoozed_until is not None for entry in entries)
        zone, or_now = self._app.limits.policy.zone, ", or unsnooze" if asleep else ""

        def problem(text: str) -> str:
            try:
                until = parse_until(text, datetime.now(UTC), zone)
            except UsageError as error:
                return f"no time: {error.hint}{or_now}"
            return "that has passed already" if until is not None and until <= datetime.now(UTC) else ""

        def answered(text: str) -> None:
            until = parse_until(text, datetime.now(UTC), zone)
            words = f"until {clock(until, datetime.now(UTC))} UTC, P shows it" if until else "it waits again"
            title = "Snoozed" if until else "Unsnoozed"
            self._each(entries, lambda engine, entry: engine.queue.snooze(entry.id, until), title, words)

        dialog = AskLine(
            f"Snooze {_names(entries)}",
            f"until when? {', '.join(EXAMPLES)}{or_now}",
            "hides it until then, and changes nothing",
            body=_listed(entries),
            empty=f"say until when: {EXAMPLES[0]}, {EXAMPLES[2]}",
            check=problem,
        )
        self._app.clear_notifications()
        self._app.ask(dialog, answered)

    def _each(
        self, entries: Sequence[QueueEntry], call: Callable[["Engine", QueueEntry], object], title: str, words: str
    ) -> None:
        """Applies a small action to each plan, and names those that refuse it."""
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

        self._app.bridge.look(run, done)

    # Rewording an entry, and looking beside it

    def edit_entry(self, loaded: LoadedPlan, change: int) -> None:
        """Opens the entry of a change, or asks which of the plan's entries to edit."""
        able = [entry for entry in loaded.entries if entry.text is not None]
        here = next((entry for entry in able if entry.change == change), able[0] if len(able) == 1 else None)
        if here is not None:
            self._edit(loaded, here)
            return
        from tui.dialogs.picker import Picker
        from tui.present.choices import Choice

        places = [
            candidate.shard if candidate.offered is None else f"not kept: {candidate.offered}" for candidate in able
        ]
        rows = [(candidate.title, place, str(candidate.number)) for candidate, place in zip(able, places, strict=True)]
        choices = tuple(Choice(safe(title), safe(place), number, number) for title, place, number in rows)

        def chosen(number: str) -> None:
            self._edit(loaded, next(candidate for candidate in able if str(candidate.number) == number))

        self._app.ask(Picker("Which entry?", choices, placeholder="its title", foot="edits it"), chosen)

    def _edit(self, loaded: LoadedPlan, entry: "PlannedEntry") -> None:
        from tui.screens.approvals.entry_editor import EntryEditor

        self._app.clear_notifications()
        editor = EntryEditor(loaded.plan.id, entry, tuple(planned.title for planned in loaded.entries))
        self._app.ask(editor, lambda edited: self._reword(loaded, entry, edited.text, edited.shard))

    def _reword(self, loaded: LoadedPlan, entry: "PlannedEntry", text: str | None, shard: str | None) -> None:
        edits = {entry.number: text} if text is not None else {}
        routes = entry_checks.routes_of(entry.number, shard) if shard is not None else {}
        self._app.bridge.long(
            f"plan again with entry {entry.number} as you want it",
            lambda engine, tick: engine.entries.reword(loaded.plan.id, edits, routes),
            self._made_again,
        )
        self._app.show_work()

    def _made_again(self, outcome: PlanOutcome) -> None:
        """Shows the plan that was made with the operator's words and replaces the old one."""
        if plan := self._app.took(outcome):
            self._made_anew(plan)

    def _made_anew(self, plan_id: str, index: int = 0) -> None:
        self._expect(plan_id, index)
        self._app.say(f"{plan_id}: look at its diff, then approve", title="Made again")

    def show_hunks(self, entry: QueueEntry, loaded: LoadedPlan, index: int, commented: Callable[[], None]) -> None:
        """Shows the hunks of a change; the cursor goes to the new plan if one is made."""
        from tui.screens.approvals.hunks import HunkScreen

        over = entry.state not in OPEN_STATES
        fixed = f"{entry.id} is {state_words(entry, self._app.now())}" if over else ""
        self._app.clear_notifications()
        change, diff = loaded.plan.changes[index], loaded.diffs[index]
        screen = HunkScreen(loaded.plan, change, diff, fixed=fixed, commented=commented)
        self._app.ask(screen, lambda plan_id: self._made_anew(plan_id, index))

    def refuse(self, loaded: LoadedPlan, numbers: Collection[int], index: int = 0, row: DiffRow | None = None) -> None:
        """Asks why changes are refused, or the hunk of one at a `row` of its diff; all but these and what goes along
        becomes a plan of its own, of which the change at the place `index` is shown."""
        from tui.screens.approvals.refusals import ask_refusal

        plan, names = loaded.plan, [str(number) for number in sorted(numbers)]

        def find(engine: "Engine") -> "PartialRefusal":
            here = [engine.hunks.name_at(plan, min(numbers), row)] if row is not None else names
            return engine.hunks.refusal(plan, here)

        ask_refusal(self._app, plan, find, lambda plan_id: self._made_anew(plan_id, index))

    def show_beside(self, loaded: LoadedPlan, change: int, *, over: bool = False) -> None:
        """Shows each new entry beside the one it may repeat, the current change's first; `over` a dialog it only shows.
        If the operator keeps the existing entry, the new one is refused or replaced by own words (A34)."""

        def decided(answer: tuple[int, bool]) -> None:
            number, own = answer
            if not over:
                self.edit_entry(loaded, number) if own else self.refuse(loaded, {number})

        def show(pairs: "tuple[SideBySide, ...]") -> None:
            from tui.screens.approvals.entry_pair import EntryPairScreen

            if not pairs:
                self._app.say("no entry of this plan is like one there is")
            elif over or not self._app.in_dialog:
                first = next((index for index, pair in enumerate(pairs) if pair.change == change), 0)
                self._app.ask(EntryPairScreen(pairs, first), decided)

        self._app.bridge.read(lambda engine: engine.entries.similar(loaded.plan), show)

    def show_left_out(self, loaded: LoadedPlan, change: int) -> None:
        """Shows the lines that the summary of a change omitted, or those of all changes if it has none."""

        def read(engine: "Engine") -> "tuple[LeftOutLine, ...]":
            return engine.entries.left_out(loaded.plan, change) or engine.entries.left_out(loaded.plan)

        def show(omitted: "tuple[LeftOutLine, ...]") -> None:
            from tui.dialogs.text_reader import TextReader
            from tui.present.approvals.plan_sections import left_out_lines

            if not omitted:
                self._app.say("no line of a note was omitted whole; the plan names the rest above its diffs")
            elif not self._app.in_dialog:
                self._app.push_screen(TextReader("Omitted from the summaries", left_out_lines(omitted)))

        self._app.bridge.read(read, show)


def _names(entries: Sequence[QueueEntry]) -> str:
    return safe(entries[0].id) if len(entries) == 1 else noun(len(entries), "plan")


def _listed(entries: Sequence[QueueEntry]) -> tuple[Line, ...]:
    lines: list[Line] = [
        (
            glyphs.RISK_TIERS[entry.risk_tier].mark,
            Span(f" {safe(entry.system):<8} "),
            Span(queue_rows.target_words(entry)),
        )
        for entry in entries[:_NAMED]
    ]
    if len(entries) > _NAMED:
        lines.append((Span(f"and {len(entries) - _NAMED} more", "muted"),))
    return tuple(lines)
