"""Defines the History page: what was done, by whom, and can it be undone?"""

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from engine.errors import Cancelled, MemdeckError
from engine.plans.operation import Operation
from tui.bridge.facts import OperationsRead, TimePassed
from tui.dialogs.text_reader import TextReader
from tui.present.count_strip import days_strip
from tui.present.history import operations as past
from tui.present.history.operations import History
from tui.present.history.retention import tag_lines
from tui.present.spans import Line, ListRow, Span, error_lines
from tui.present.words import count, safe
from tui.screens.history.audit_kept import STEP, HistoryRecords, Tags, complete, read_history, read_tags
from tui.screens.history.operation_pane import OperationPane
from tui.screens.hosted import Rest
from tui.screens.page import Page
from tui.widgets.filter_field import FilterField
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine

_SETTLE_SECONDS = 0.06  # an operation's diffs are read once the cursor rests on it this long
_DAYS_FRAME = 4  # cells at both sides of the strip of days
_EMPTY = "nothing was done yet\nwhat you approve is listed here,\nwith its diff, and can be undone"


class HistoryPage(Page, scope="history"):
    """Shows operations, the files and diff of one; below, the audit log and what is kept."""

    PANES: ClassVar[tuple[str, ...]] = ("operations", "files", "head", "past", "audit", "kept")
    NAMES: ClassVar[Mapping[str, str]] = {
        "operations": "Operations", "files": "Files", "head": "Operation", "past": "Diff", "audit": "Audit log",
        "kept": "Kept",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__(id="history")
        self.history: History | None = None
        self._shown: tuple[Operation, ...] = ()
        self._limit = STEP
        self._filter = ""
        self._selected = ""
        self._settling = Rest(self)

    def compose(self) -> ComposeResult:
        files = LineList(ident="files", empty="reading…")
        yield OneLine(ident="days")
        with Horizontal(id="upper"):
            with Vertical(id="list"):
                yield LineList(ident="operations", empty="reading…")
                yield FilterField("filter: system, path, state, plan, tier:c", ident="sieve", of="operations")
                yield files
            yield OperationPane(files)
        yield HistoryRecords()

    def on_mount(self) -> None:
        self._name_panes()
        self.follow_here(OperationsRead, self._read)
        self.deck.facts.follow(TimePassed, self._show_ages)

    @cached_property
    def opened(self) -> OperationPane:
        return self.query_one(OperationPane)

    @property
    def _field(self) -> FilterField:
        return self.query_one(FilterField)

    @property
    def operation(self) -> Operation | None:
        return next((each for each in self._shown if each.id == self._selected), None)

    @property
    def noted_id(self) -> str | None:
        """The id of the operation under the cursor, for the operator's own commands; None without one."""
        return self._selected or None

    # Reading

    def enter(self) -> None:
        super().enter()
        self._read()

    def _read(self) -> None:
        """Reads the newest operations and records, then verifies the log and lists what is kept."""
        limit = self._limit
        self.deck.bridge.read(lambda engine: read_history(engine, limit), self._took_first, self._could_not)

    def _took_first(self, read: History) -> None:
        """Shows the operations at once, with earlier results about them, and computes the rest."""
        if (before := self.history) is not None:
            read = msgspec.structs.replace(read, findings=before.findings, kept=before.kept, standing=before.standing)
        if before is None or before.operations != read.operations:
            self.opened.forget()
        self._show_rest(read)
        self._show_list()
        self._settle(0)
        self.deck.bridge.look_on(
            "reading the history", lambda engine, tick: complete(engine, read, tick), self._took_rest, self._could_not
        )
        self.deck.show_work_soon()

    def _took_rest(self, whole: History) -> None:
        """Shows the slower results, without moving what the operator looks at."""
        if self.history is None or self.history.operations != whole.operations:
            return  # of an earlier read: the next one follows
        self._show_rest(whole)
        self._name_panes()
        self.opened.show_head(keep_place=True)
        self.refresh_bindings()

    def _show_rest(self, history: History) -> None:
        self.history = history
        self._show_days()
        self.query_one(HistoryRecords).show_records(history)
        self.opened.standing |= dict(history.standing)

    def _show_days(self) -> None:
        operations = self.history.operations if self.history is not None else ()
        drawn = days_strip(operations, self.deck.now(), self.app.size.width - _DAYS_FRAME)
        self.set_class(bool(drawn), "has-days")
        self.query_one("#days", OneLine).show(ListRow(drawn))

    def _could_not(self, error: MemdeckError) -> None:
        if isinstance(error, Cancelled) and self.history is not None:
            return
        self.list_of("operations").show_empty("", error_lines(error))
        self.deck.fail(error)

    def _show_list(self) -> None:
        self._shown = past.matching(self.history.operations if self.history else (), self._filter)
        index = next((i for i, each in enumerate(self._shown) if each.id == self._selected), 0)
        lines = self.list_of("operations")
        lines.show_empty(past.none_matches(self.history, STEP) if self._filter else _EMPTY)
        lines.show(past.OperationRows(self._shown, self.deck.now()), index)
        self._selected = self._shown[lines.cursor].id if self._shown else ""
        self._name_panes()

    def _show_ages(self, _: TimePassed) -> None:
        self.list_of("operations").show(past.OperationRows(self._shown, self.deck.now()))

    @on(LineList.Moved, "#operations")
    def _moved(self, event: LineList.Moved) -> None:
        self._selected = self._shown[event.index].id
        self._settle(_SETTLE_SECONDS)
        if event.index == len(self._shown) - 1:
            self._read_on()

    def _read_on(self) -> bool:
        if self.history is None or not self.history.more:
            return False
        self._limit = len(self.history.operations) + STEP
        self._read()
        return True

    def _settle(self, seconds: float) -> None:
        """Shows the operation under the cursor, at once if its diffs were read, else when the cursor rests."""
        operation = self.operation
        self.opened.file, self.opened.operation = 0, operation  # keys are about it at once
        at_once = operation is None or self.opened.knows(operation)
        self._settling.after(0 if at_once else seconds, self._show_operation)

    def _show_operation(self) -> None:
        self.refresh_bindings()
        if self.operation is not None:
            self.opened.show_operation(self.operation)
        else:
            history = self.history
            self.opened.show_nothing(read=history is not None, new=history is not None and not history.operations)

    # Names, and where one is

    def _of(self) -> str:
        """Returns ` of 100,000` if older operations are unread; with a filter also how many were searched."""
        if self.history is None or not self.history.more:
            return ""
        among = f" in the newest {count(len(self.history.operations))}" if self._filter else ""
        return f"{among} of {count(self.history.total)}"

    def _name_panes(self) -> None:
        """Sets the titles of the panes that do not depend on the operation."""
        title: Line = (Span("Operations", "title"), Span(f" ⟨{count(len(self._shown))}{self._of()}⟩", "muted"))
        if self._filter:
            title += (Span(f" /{safe(self._filter)}", "warn"),)
        self.list_of("operations").name_it(title, self.others("operations"))
        self.query_one(HistoryRecords).name_panes()

    def _name_all(self) -> None:
        self._name_panes()
        self._show_operation()

    def on_resize(self) -> None:
        self._show_days()
        self.call_after_refresh(self._name_all)

    def action_zoom(self) -> None:
        super().action_zoom()
        self._name_all()

    def crumbs(self) -> tuple[str, ...]:
        """Returns `History › o-20260315-0001 › 2/6 deploy.md`."""
        operation, here = self.operation, self.current
        if here in ("audit", "kept") or operation is None:
            return (*super().crumbs(), *((self.NAMES[here],) if here != "operations" else ()))
        if here == "operations":
            return super().crumbs()
        within = {"head": (), "files": (self.NAMES["files"],)}.get(here, (past.place(operation, self.opened.file),))
        return (*super().crumbs(), safe(operation.id), *within)

    def spot(self) -> str:
        return f"{self.current} {self.opened.file} {self._selected}"

    def return_to(self, spot: str) -> None:
        pane, number, op_id = spot.split(" ", 2)
        index = next((at for at, each in enumerate(self._shown) if each.id == op_id), None)
        if index is not None:
            self.list_of("operations").show(past.OperationRows(self._shown, self.deck.now()), index)
            self._selected = op_id
            self._show_operation()
            self.opened.turn_to_file(int(number))
        self.turn_to(pane)

    # Keys

    @on(LineList.Moved, "#files")
    def _moved_in_files(self, event: LineList.Moved) -> None:
        self.opened.turn_to_file(event.index)

    @on(LineList.Chosen)
    def _opened(self, event: LineList.Chosen) -> None:
        self.deck.remember()
        operations = event.control.id == "operations"
        self.turn_to("files" if operations and self.one_pane else "past")

    def action_held(self) -> None:
        from tui.screens.history.held_facts import HeldScreen

        today = self.deck.now().date()
        self.app.push_screen(HeldScreen(today, today))

    def action_recall(self) -> None:
        from tui.screens.history.recall import RecallScreen

        self.app.push_screen(RecallScreen(self.deck.now()))

    def action_tags(self) -> None:
        self.deck.bridge.read(read_tags, self._took_tags)

    def _took_tags(self, tags: Tags) -> None:
        self.app.push_screen(TextReader("Tags and explorations", tag_lines(*tags, self.deck.now())))

    def action_filter(self) -> None:
        """Opens the filter under the operations; in another pane, searches."""
        if self.current != "operations":
            self.deck.action_find_here()
        else:
            self._field.open(self._filter)

    @on(Input.Changed, "#sieve")
    def _filtered(self, event: Input.Changed) -> None:
        if event.value != self._filter:
            self._filter = event.value
            self._show_list()
            self._settle(_SETTLE_SECONDS)

    @on(Input.Submitted, "#sieve")
    def _filter_done(self) -> None:
        """Goes to what matches; without matches reads older operations and stays."""
        if self._shown or not self._read_on():
            self._close_filter()

    def _close_filter(self) -> None:
        self._field.close()
        self.turn_to("operations")

    def leave(self) -> bool:
        if self._field.has_focus or self._filter:
            self._field.value = self._filter = ""
            self._close_filter()
            self._show_list()
            self._settle(0)
            return True
        if super().leave():
            return True
        if self.current != "operations":
            self.turn_to("files" if self.current == "past" and self.one_pane else "operations")
            return True
        return False
