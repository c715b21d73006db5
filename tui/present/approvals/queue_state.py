"""Holds the state of the queue on screen: order, filter, snoozed plans, marks, and the cursor."""

from datetime import datetime
from typing import TYPE_CHECKING

from engine.plans.plan import QueueEntry
from tui.present.approvals import queue_rows
from tui.present.approvals.queue_rows import QueueRows
from tui.present.spans import Line, Span, join
from tui.present.words import noun, safe

if TYPE_CHECKING:
    from engine.services.consolidations import ConsolidationItem


class QueueState:
    """Takes the queue as read and the operator's choices, and lists the entries to show."""

    def __init__(self) -> None:
        self.filter = ""
        self.order = queue_rows.ORDERS[0]
        self.with_put_off = False
        self.selected = ""  # the id of the plan under the cursor
        self.wanted = ("", 0)  # the plan that one goes back to, and the place of the change that is shown then
        self.shown: tuple[QueueEntry, ...] = ()
        self.put_off = 0  # the number of plans that are put off
        self.items: tuple[ConsolidationItem, ...] = ()
        """Consolidations by other tools: above the plans in every order, hidden by a filter."""
        self.read = False  # true if the queue was read at all
        self._all: tuple[QueueEntry, ...] = ()
        self._at: dict[str, int] = {}
        self._marked: frozenset[str] = frozenset()
        self._marking = False  # true if the cursor did not move since, but by the key that marks
        self._decided = False

    @property
    def empty(self) -> bool:
        return not self._all and not self.items

    @property
    def index(self) -> int | None:
        """The row of the plan or consolidation under the cursor; None if it is not shown."""
        return self._at.get(self.selected)

    @property
    def entry(self) -> QueueEntry | None:
        """The plan under the cursor; None if there is none."""
        at = self.index
        return self.shown[at - self._above] if at is not None and at >= self._above else None

    @property
    def item(self) -> "ConsolidationItem | None":
        at = self.index
        return self.items[at] if at is not None and at < self._above else None

    @property
    def _above(self) -> int:
        return 0 if self.filter else len(self.items)

    def select(self, row: int) -> None:
        above, self._marking = self._above, False
        self.selected = self.items[row].consolidation.id if row < above else self.shown[row - above].id

    @property
    def marked(self) -> tuple[QueueEntry, ...]:
        """The marked plans in the order of the screen, without those that the filter hides."""
        return tuple(entry for entry in self.shown if entry.id in self._marked) if self._marked else ()

    @property
    def chosen(self) -> tuple[QueueEntry, ...]:
        """The plans that a key acts on: the marked ones if the cursor is on one or just behind, else its own."""
        entry = self.entry
        marked = self.marked if self._marking or self.selected in self._marked else ()
        return marked or ((entry,) if entry is not None else ())

    def take(self, entries: tuple[QueueEntry, ...], now: datetime) -> None:
        """Takes the queue as read again; after a decision on the marked plans the cursor goes to the first row."""
        self._all, self.read = entries, True
        self._marked &= {entry.id for entry in entries if queue_rows.can_be_marked(entry)}
        if self._decided:
            self._decided, self.selected, self._at = False, "", {}
        self.arrange(now)

    def decided(self) -> None:
        """Removes the marks after the operator decided on the marked plans."""
        self._decided, self._marked = bool(self._marked), frozenset()

    def take_items(self, items: "tuple[ConsolidationItem, ...]", now: datetime) -> None:
        self.items = items
        self.arrange(now)

    def arrange(self, now: datetime) -> None:
        """Sorts and filters the plans; the cursor stays on its plan, or on its row if the plan is gone."""
        was = self.index or 0
        self.put_off = sum(1 for entry in self._all if entry.snoozed_until is not None)
        awake = self._all
        if self.put_off and not self.with_put_off:
            awake = tuple(entry for entry in self._all if entry.snoozed_until is None)
        self.shown = queue_rows.matching(queue_rows.ordered(awake, self.order), self.filter, now)
        rows = [*(item.consolidation.id for item in self.items[: self._above]), *(entry.id for entry in self.shown)]
        self._at = {name: index for index, name in enumerate(rows)}
        if self.index is None:
            self.selected = rows[min(was, len(rows) - 1)] if rows else ""

    def find(self, plan_id: str, now: datetime) -> None:
        """Puts the cursor on a plan, and removes the filter if it hides the plan."""
        self.selected = plan_id
        if plan_id not in self._at:
            self.filter, self.with_put_off = "", True
            self.arrange(now)

    def toggle_mark(self) -> bool:
        """Marks or unmarks the plan under the cursor; False for one that is over."""
        entry = self.entry
        if entry is None or not queue_rows.can_be_marked(entry):
            return False
        self._marked ^= {entry.id}
        return True

    def step(self) -> None:
        """Moves the cursor to the next plan, if there is one; keys still act on the marked ones."""
        if self.index is not None and self.index + 1 < self._above + len(self.shown):
            self.select(self.index + 1)
        self._marking = True

    def mark_all(self) -> int:
        """Marks all waiting plans on screen, or unmarks them if all are marked; returns the number of marks."""
        all_of_them, self._marking = (
            frozenset(entry.id for entry in self.shown if queue_rows.can_be_marked(entry)),
            True,
        )
        self._marked = frozenset() if self._marked >= all_of_them else self._marked | all_of_them
        return len(self._marked)

    def unmark(self) -> bool:
        """Removes all marks, and tells whether there were any."""
        had, self._marked = bool(self._marked), frozenset()
        return had

    def next_order(self, now: datetime) -> None:
        self.order = queue_rows.ORDERS[(queue_rows.ORDERS.index(self.order) + 1) % len(queue_rows.ORDERS)]
        self.arrange(now)

    def rows(self, now: datetime, running: dict[str, str]) -> QueueRows:
        return QueueRows(self.shown, now, running, self._marked, self.items[: self._above])

    def title(self) -> Line:
        """Returns `Queue ⟨3⟩ newest first /tier:c`."""
        number = queue_rows.waiting(self.shown)
        name: Line = (Span("Queue", "title"), Span(f" ⟨{number:,}⟩", "accent" if number else "muted"))
        name += (Span(f" · {noun(self._above, 'consolidation')}", "warn"),) if self._above else ()
        if self.order is not queue_rows.ORDERS[0]:
            name += (Span(f" {self.order}", "muted"),)
        return (*name, Span(f" /{safe(self.filter)}", "warn")) if self.filter else name

    def foot(self) -> Line:
        """Returns `2 marked, not this · 4 put off: P · 6 ended`."""
        marked, over = len(self.marked), sum(map(queue_rows.is_over, self.shown))
        this = ", not this" if self.entry in self.chosen and self.selected not in self._marked else ""
        parts: list[Line] = [(Span(f"{marked:,} marked{this}", "accent"),)] if marked else []
        if self.put_off:
            parts.append((Span(f"{self.put_off:,} snoozed", "info"), Span("" if self.with_put_off else ": P", "muted")))
        if over:
            parts.append((Span(f"{over:,} ended", "muted"),))
            if over == len(self.shown) and not self.filter:
                parts.insert(0, (Span("nothing waits", "ok"),))
        return join(parts, Span(" · ", "muted"))

    def empty_words(self) -> str:
        if not self.read:
            return "reading the queue…"
        if self.filter:
            return "no plan matches\nesc clears the filter"
        if self.put_off:
            return f"nothing waits\n{self.put_off:,} snoozed: P shows them"
        return "no plan yet\nd makes a dry run: it plans,\nshows the diff and changes nothing"
