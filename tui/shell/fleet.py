"""Shows all agents as a table, and the plans of all of them as one queue."""

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.screen import Screen

from engine.errors import MemdeckError
from engine.fleet.fleet import Fleet
from engine.fleet.row import FleetRow
from engine.fleet.twins import command_there
from engine.plans.plan import QueueEntry
from engine.services.engine import Engine
from tui.bridge.fleet_source import FleetVisit
from tui.dialogs.line_input import AskLine
from tui.present import fleet as table
from tui.present.spans import ListRows, Span, key_line
from tui.present.words import safe
from tui.screen_host import ScreenHost
from tui.screens.approvals.batch_actions import BatchActions
from tui.screens.approvals.viewed_plans import ApprovalsState
from tui.screens.hosted import OneList
from tui.shell.host import leave_for
from tui.system.editor import lend
from tui.widgets.line_block import LineBlock
from tui.widgets.line_list import LineList

_AGAIN_SECONDS = 5.0  # the time between two looks at all agents; one without changes takes a second for 200 of them
_MACHINES_EVERY = 12  # looks, of which one asks other machines too
_EVERY = "*"  # the filter that lets everything through


class FleetScreen(OneList, Screen[None], scope="fleet"):
    """A table of agents or of their waiting plans; `enter` opens the agent of a row."""

    def __init__(self, visit: FleetVisit) -> None:
        super().__init__()
        self._visit = visit
        self._rows: Sequence[FleetRow] = ()
        self._agents: Sequence[FleetRow] = ()
        self._looks = 0
        self._plans: Sequence[tuple[FleetRow, QueueEntry]] = ()

    def compose(self) -> ComposeResult:
        yield LineBlock(ident="head")
        yield LineList(ident="agents", empty="reading…")
        yield LineBlock(ident="detail")

    def on_mount(self) -> None:
        self._list.focus()
        if self._visit.fleet is not None:
            self.call_after_refresh(self._took, self._visit.fleet)
        self.deck.bridge.read(lambda _: self._visit.opened(), self._begin)

    def _begin(self, fleet: Fleet) -> None:
        """Shows what is known, then looks again at intervals; at other machines once a minute."""
        self._took(fleet)
        self._read(fleet)
        self.set_interval(_AGAIN_SECONDS, lambda: self._read(fleet))

    def _read(self, fleet: Fleet) -> None:
        far = self._looks % _MACHINES_EVERY == 0
        self._looks += 1
        self.deck.bridge.read(lambda _: fleet.refresh(machines=far), self._took)

    def _took(self, fleet: Fleet) -> None:
        self._rows = fleet.rows()
        self._show()

    def _show(self) -> None:
        visit, now, width = self._visit, datetime.now(UTC), self._list.room
        self._plans = table.waiting(self._rows, visit.asked, now)
        if visit.of_plans:
            marks = (" ●"[plan.digest in visit.marked] for _, plan in self._plans)
            rows = [table.plan_row(*pair, now, mark) for pair, mark in zip(self._plans, marks, strict=True)]
        else:
            self._agents = [row for row in self._rows if table.is_named(row, visit.asked)]
            rows = [table.agent_row(row, now, width) for row in self._agents]
        named = (Span(table.title(self._rows), "title"), Span(f"  /{safe(visit.asked)}" if visit.asked else "", "warn"))
        keys = (("enter", "open"), ("a", "agents" if visit.of_plans else "a queue of all"), ("/", "filter"))
        self._list.name_it(named, key_line(*keys, ("space", "mark")) if visit.of_plans else key_line(*keys))
        self._list.show_empty("no plan waits" if visit.of_plans else "no agent of this name")
        self._list.show(ListRows(rows), min(visit.cursor, max(0, len(rows) - 1)))
        self.query_one("#head", LineBlock).show(*() if visit.of_plans else ((Span("  "), *table.head(width)),))
        self._look()

    @property
    def _row(self) -> tuple[FleetRow, QueueEntry | None] | None:
        if self._visit.of_plans:
            return self._list.under(self._plans)
        agent = self._list.under(self._agents)
        return (agent, None) if agent is not None else None

    @on(LineList.Moved)
    def _look(self) -> None:
        self._visit.cursor = self._list.cursor
        chosen = self._row
        self.query_one("#detail", LineBlock).show(*table.detail(chosen[0], datetime.now(UTC)) if chosen else ())

    @on(LineList.Chosen)
    def _enter(self) -> None:
        if self._row is None or not self._row[0].workspace:
            return
        row, plan = self._row
        if row.machine and self.deck.bridge.work is None:
            self._enter_there(row)
        else:
            leave_for(self.deck, self._visit, row.workspace, plan.id if plan is not None else "")

    def _enter_there(self, row: FleetRow) -> None:
        machines = self._visit.fleet.machines if self._visit.fleet is not None else ()
        words = ("--read-only",) if self.deck.read_only else ()
        try:
            machine = next(known for known in machines if known.name == row.machine)
            lend(self.app, command_there(machine, row.workspace, words, os.environ))
        except MemdeckError as error:
            self.deck.fail(error)

    def action_faces(self) -> None:
        self._visit.of_plans, self._visit.cursor = not self._visit.of_plans, 0
        self._show()

    def action_filter(self) -> None:
        def typed(text: str | None) -> None:
            if text is not None:
                self._visit.asked, self._visit.cursor = text.removeprefix(_EVERY), 0
                self._show()

        self.app.push_screen(AskLine("Which plans or agents?", table.HELP, "lists them", instead=_EVERY), typed)

    def action_mark(self) -> None:
        if self._row is not None and self._row[1] is not None:
            self._visit.marked ^= {self._row[1].digest}
            self._visit.cursor += 1
            self._show()

    def action_ask_approval(self) -> None:
        """Asks about all marked plans at once, each with its own digest."""
        marked = [(row, plan) for row, plan in self._plans if plan.digest in self._visit.marked]
        why = FleetBatch.why_not([plan for _, plan in marked]) if marked else "mark plans first: space"
        if any(row.machine for row, _ in marked):
            why = "plans of another machine are approved there: enter goes there"
        if why:
            self.deck.say(why, severity="warning")
        elif self.deck.may_write():
            FleetBatch(self.deck, marked, self._decided).start()

    def _decided(self) -> None:
        self._visit.marked.clear()
        self._show()


class FleetBatch(BatchActions):
    """Approves plans of several agents with one answer; each agent's engine applies its own under its own policy."""

    def __init__(
        self, app: ScreenHost, marked: Sequence[tuple[FleetRow, QueueEntry]], decided: Callable[[], None]
    ) -> None:
        super().__init__(app, ApprovalsState(), decided)
        self._marked = marked
        self._rows = {plan.digest: row for row, plan in marked}
        self._engines: dict[str, Engine] = {}

    def start(self) -> None:
        self.ask([plan for _, plan in self._marked])

    def _agent_of(self, entry: QueueEntry) -> str:
        return table.name_of(self._rows[entry.digest])

    def _engine_of(self, entry: QueueEntry, engine: Engine) -> Engine:
        folder = self._rows[entry.digest].workspace
        if folder == str(engine.workspace):
            return engine
        if folder not in self._engines:
            self._engines[folder] = Engine.open(Path(folder), env=os.environ, clock=engine.real_now)
        return self._engines[folder]

    def _ended(self) -> None:
        for engine in self._engines.values():
            engine.close()
        self._engines.clear()
