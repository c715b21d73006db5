"""Overview: is anything wrong, and what is due?"""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from textual import on

from engine.errors import Cancelled, MemdeckError
from engine.monitoring.agent_changes import AgentChange, SinceLook
from engine.plans.diff import FileDiff
from engine.plans.status import Alarm, Status
from tui.bridge.facts import EarlierStatusRead, LookFailed, QueueRead, StatusRead, TimePassed
from tui.dialogs.text_reader import TextReader
from tui.keys.naming import bindings
from tui.present.approvals import queue
from tui.present.diff import LABEL
from tui.present.overview import agent_changes as agent
from tui.present.overview import due_jobs
from tui.present.overview import panes as overview
from tui.present.overview.agent_changes import Key
from tui.present.overview.forecast import Outlook, outlooks
from tui.present.spans import Line, ListRows, Span
from tui.present.words import safe
from tui.screens.overview.gauge_cards import GaugeCards
from tui.screens.overview.panes import CARDS, TITLES, OverviewPanes
from tui.widgets.card import GaugeCard
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.trend_pane import TrendPane

if TYPE_CHECKING:
    from engine.monitoring.trends import Trend
    from engine.services.engine import Engine

_COUNTED = 200
"""Changes of the agent whose lines are counted at once; those of others when they are opened."""


class OverviewPage(OverviewPanes):
    """The Overview: gives what is read to the panes; `enter` opens a row, and a what-if date shows another day."""

    BINDINGS = bindings("OverviewPage")

    def __init__(self) -> None:
        super().__init__()
        self._outlooks: dict[str, Outlook] = {}
        self._diffs: dict[Key, FileDiff] = {}
        self._asking = self._ask_again = False

    # What was read

    def on_mount(self) -> None:
        follow = self.deck.facts.follow
        follow(StatusRead, self._took_status)
        follow(EarlierStatusRead, self._took_earlier)
        follow(QueueRead, self._took_queue)
        follow(TimePassed, self._show_ages)
        follow(LookFailed, self._show_problem)

    def _took_status(self, read: StatusRead) -> None:
        self.earlier = False
        self._show(read.status)
        self._ask_engine(read.status)

    def _took_earlier(self, read: EarlierStatusRead) -> None:
        """Shows what an earlier look found, and asks the engine nothing about it."""
        self.earlier = True
        self._show(read.status)

    def _show(self, status: Status) -> None:
        self.status, self.problem, self.unread = status, None, ""
        self.set_class(status.simulated_clock, "what-if")
        self.list_of("attention").show_empty(
            "nothing needs a look", ((Span("✓ ", "ok"), Span("nothing needs a look", "muted")),)
        )
        self.list_of("attention").show(overview.AttentionRows(status, lambda: self.list_of("attention").room))
        self.list_of("due").show(ListRows(due_jobs.due(status)))
        self.show_window()
        self._show_gauges(status)

    def _show_gauges(self, status: Status) -> None:
        """All that the outlook has a part in."""
        self._outlooks = outlooks(self.trends, status.now, self.real_now())
        self._show_cards(status)
        self.query_one("#trends", TrendPane).show(self.trends, self._outlooks)
        self.list_of("triggers").show(ListRows(overview.triggers(status)))
        self.show_verdict()
        self.name_panes()
        self.fit_panes()

    def _show_cards(self, status: Status) -> None:
        """The gauges; their courses stand on them only where there is no pane for those."""
        shown = {} if self.has_courses else self._outlooks
        for name, card in zip(CARDS, overview.cards(status, self.deck.limits, shown), strict=True):
            self.query_one(f"#{name}", GaugeCard).show(card)

    def on_resize(self) -> None:
        super().on_resize()
        if self.status is not None:
            self._show_cards(self.status)

    def _ask_engine(self, status: Status) -> None:
        """Trends and the agent's changes come after the status is on screen, so that it waits for neither."""
        if self._asking:
            self._ask_again = True
            return
        self._asking = True

        def ask(engine: "Engine") -> "tuple[tuple[Trend, ...], SinceLook, datetime]":
            return engine.status.trends(status), engine.review.since_looked(flags=True), engine.real_now()

        self.deck.bridge.look(ask, self._took, self._could_not, group="outlook")

    def _took(self, found: "tuple[tuple[Trend, ...], SinceLook, datetime]") -> None:
        self.trends, self.since, real_now = found
        self.real_ahead = real_now - datetime.now(UTC)
        self._asked()
        if self.status is not None:
            self._show_gauges(self.status)
        self._show_since()
        self._count_lines()

    def _could_not(self, error: MemdeckError) -> None:
        self._asked()
        lines: tuple[Line, ...] = ((Span(f"✗ {error.title}", "blocked"),), (Span(safe(error.line()), "muted"),))
        self.list_of("since").show_empty("", lines)

    def _asked(self) -> None:
        self._asking = False
        if self._ask_again and self.status is not None:
            self._ask_again = False
            self._ask_engine(self.status)

    def _show_since(self) -> None:
        lines, since = self.list_of("since"), self.since
        lines.show_empty("", agent.empty(since, self.real_now(), read_only=self.deck.read_only))
        lines.show(agent.AgentChangeRows(since, self.figures))
        self._peek()
        self.show_verdict()
        self.name_panes()
        self.fit_panes()
        self.refresh_bindings()

    @on(LineList.Moved, "#since")
    def _peek(self) -> None:
        """The diff of the change under the cursor, where there is room for it."""
        changes, at = (self.since.changes if self.since else ()), self.list_of("since").cursor
        diff = self._diffs.get(agent.key_of(changes[at])) if at < len(changes) else None
        self.set_class(diff is not None, "peeks", update=False)  # of all that is here it shows `peek` alone
        view = self.query_one("#peek", DiffView)
        view.update_node_styles()
        if diff is not None and diff is not view.showing:
            view.name_it(agent.diff_title(changes[at], diff, at, len(changes)))
            view.show(diff, agent.preface(changes[at], diff, LABEL), {}, agent.flags_of(self.since, diff))

    def _count_lines(self) -> None:
        """Counts the lines of changes that are new here, a few hundred at once."""
        changes = self.since.changes[:_COUNTED] if self.since else ()
        self.figures = {key: known for change in changes if (known := self.figures.get(key := agent.key_of(change)))}
        new = tuple(change for change in changes if agent.key_of(change) not in self.figures)
        self._diffs = {key: self._diffs[key] for key in self.figures if key in self._diffs}
        if not new:
            return

        def count(engine: "Engine") -> tuple[tuple[AgentChange, FileDiff], ...]:
            return tuple(zip(new, engine.changes.agent_diffs(new), strict=True))

        self.deck.bridge.read(count, self._counted, lambda _: None, group="agent-lines")

    def _counted(self, found: tuple[tuple[AgentChange, FileDiff], ...]) -> None:
        self.figures |= {agent.key_of(change): agent.figures_of(diff) for change, diff in found}
        self._diffs |= {agent.key_of(change): diff for change, diff in found}
        self._show_since()

    def _took_queue(self, read: QueueRead) -> None:
        waiting = overview.open_entries(read.entries)
        asleep = tuple(entry for entry in waiting if entry.snoozed_until is not None)
        self.open_plans = queue.ordered(tuple(entry for entry in waiting if entry not in asleep)) + asleep
        self.list_of("waiting").show_empty("", overview.no_plan_waits(read_only=self.deck.read_only))
        self._show_waiting()
        self.show_verdict()
        self.name_panes()
        self.fit_panes()

    def _show_waiting(self) -> None:
        self.list_of("waiting").show(queue.QueueRows(self.open_plans, self.deck.now(), self.deck.running))

    def _show_ages(self, _: TimePassed) -> None:
        self._show_waiting()
        self.show_verdict()

    def _show_problem(self, failed: LookFailed) -> None:
        error = failed.error
        if not failed.opened:
            self._show_unread("not read", ())
        elif self.status is None:
            again: Line = (Span("ctrl+r", "key"), Span(" reads the workspace again", "muted"))
            self._show_unread("stopped" if isinstance(error, Cancelled) else "not read", again, safe(error.hint))
        self.problem = error if failed.opened else self.problem
        self.show_verdict()

    def _show_unread(self, words: str, again: Line, hint: str = "") -> None:
        """Says in every pane that there is nothing to show, and in the first one what would help."""
        self.unread = words
        said: Line = (Span(words, "muted"),)
        for card, title in zip(CARDS, TITLES, strict=True):
            self.query_one(f"#{card}", GaugeCard).show(overview.Card(title, (said,)))
        for name in self.PANES:
            helps: Line = (Span(hint, "muted"),) if hint and name == self.PANES[0] else ()
            self.list_of(name).show_empty("", tuple(filter(None, (said, helps, again))))
        self.fit_panes()

    # Keys

    @property
    def loss(self) -> Alarm | None:
        """The loss under the cursor of the notices, else the first."""
        return overview.loss_at(self.status, self.list_of("attention").cursor) if self.status is not None else None

    def lacks_loss(self) -> str:
        return "no loss waits for an answer" if self.loss is None else ""

    def lacks_agent_changes(self) -> str:
        none = self.since is not None and self.since.looked_at is not None and not self.since.changes
        return "the agent changed nothing since your last look" if none else ""

    @on(LineList.Chosen)
    async def _chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        status = self.status
        match event.lines.id:
            case "waiting" if event.index < len(self.open_plans):
                await self.deck.open_plan(self.open_plans[event.index].id)
            case "since":
                self._open_changes(event.index)
            case "attention" if status is not None:
                self.app.push_screen(TextReader(*overview.attention_detail(status, event.index)))
            case "due" if status is not None:
                self.app.push_screen(TextReader(*due_jobs.due_detail(status, event.index)))
            case "triggers" if status is not None:
                self._open_trigger(status, event.index)
            case _:
                pass

    def _open_trigger(self, status: Status, index: int) -> None:
        fired = overview.fired(status)
        if index < len(fired):
            self._explain_trigger(overview.trigger_detail(status, fired[index], self.open_plans))
        else:
            self.app.push_screen(TextReader(*overview.quiet_detail(status)))

    def _explain_trigger(self, detail: overview.TriggerDetail) -> None:
        """Explains a trigger; `enter` leads on to the plan that waits because of it."""

        async def closed(go_on: bool | None) -> None:
            if go_on:
                await self.deck.open_plan(detail.plan)

        leads = "shows the plan" if detail.plan else ""
        self.app.push_screen(TextReader(detail.title, detail.lines, leads=leads), closed)

    def _open_changes(self, index: int) -> None:
        from tui.screens.overview.agent_changes import AgentChanges

        since = self.since
        if since is None or index >= len(since.changes):
            return

        def closed(marked: bool | None) -> None:
            self._show_since()
            if marked:
                self._mark(since)

        page = AgentChanges(since, self.figures, index, real_now=self.real_now(), read_only=self.deck.read_only)
        self.app.push_screen(page, closed)

    @on(GaugeCards.Chosen)
    def _open_chart(self, event: GaugeCards.Chosen) -> None:
        """Opens the gauge over time, with what it counts."""
        from tui.screens.overview.chart import GaugeChartScreen

        event.stop()
        gauges = self.query_one(GaugeCards).gauges
        self.app.push_screen(GaugeChartScreen(gauges, event.gauge, self.status))

    def action_gauges(self) -> None:
        """To the gauges, where `enter` opens a chart; once more leads back to the panes."""
        self.turn_to(self.current if self.query_one(GaugeCards).has_focus else "cards")

    def action_pane(self, by: int) -> None:
        """From the last pane to the gauges, and from there to the first."""
        cards, at = self.query_one(GaugeCards), self.PANES.index(self.current)
        if cards.has_focus:
            self.turn_to(self.PANES[0 if by > 0 else -1])
        elif not 0 <= at + by < len(self.PANES) and not self.one_pane:
            self.turn_to("cards")
        else:
            super().action_pane(by)

    def leave(self) -> bool:
        """`esc`: from the gauges back to the pane that had the focus."""
        if self.query_one(GaugeCards).has_focus:
            self.turn_to(self.current)
            return True
        return super().leave()

    def action_mark_looked(self) -> None:
        """Counts what is listed as seen; what the agent does from here on is listed anew."""
        if self.since is not None:
            self._mark(self.since)

    def action_take_back(self) -> None:
        """Plans putting back what a file lost."""
        if self.loss is not None:
            self.deck.flows.dry_runs.revert(self.loss.path)

    def action_keep_loss(self) -> None:
        """Asks whether what is left of a file is right; then its alarm ends."""
        if self.loss is not None:
            self.deck.flows.dry_runs.keep_loss(self.loss.path)

    def _mark(self, shown: SinceLook) -> None:
        def mark(engine: "Engine") -> SinceLook:
            engine.review.looked(shown.changes if shown.looked_at is not None else None)
            return engine.review.since_looked(flags=True)

        self.deck.bridge.look(mark, self._marked, self.deck.fail, group="looked")

    def _marked(self, since: SinceLook) -> None:
        self.since = since
        self._show_since()
        self.deck.say("what the agent changes from now on is listed here", title="Marked as seen")

    def action_digest(self) -> None:
        """Opens the weekly digest, with past dry runs below it."""
        self.deck.flows.readers.show_digest()

    def action_step(self) -> None:
        """Goes from hours to days to weeks, and round."""
        step = self.deck.flows.clock.next_step()
        if self.deck.flows.clock.supposed is None:
            self.deck.say(f"←/→ moves the what-if clock by one {step}")
        self.show_verdict()

    def action_what_if(self) -> None:
        """Asks for a date, then shows everything as of then; `esc` comes back."""
        self.deck.flows.clock.ask_instant(self.real_now(), self.deck.limits.policy.zone)
