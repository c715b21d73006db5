"""Reviews an extraction: each entry beside its turn, to accept or refuse (decision D44)."""

from typing import TYPE_CHECKING

from engine.errors import MemdeckError
from engine.extraction.entry import turn_around
from engine.lifecycle.extract.review import ReviewedEntry
from engine.services.engine import Engine
from engine.workspace.values import LineSpan
from tui.present import extraction_review as view
from tui.present.spans import Line, Span, key_line
from tui.present.words import noun, safe
from tui.screens.list_beside_pane import EntriesBesideTurn
from tui.widgets.searchable_pane import LinePlace

if TYPE_CHECKING:
    from engine.plans.planning import PlanOutcome

_LAST = 1 << 40  # the end of any file, in lines
_NONE_WAITS = "no extraction waits: what its dry run offers"


class ExtractionScreen(EntriesBesideTurn[str | None], scope="extraction"):
    """Walks through the entries of a plan; returns the id of the plan to open, empty for none. Approves nothing."""

    KEYS = key_line(("a", "accept"), ("x", "refuse"), ("p", "to the plan as you chose"), ("esc", "close"))

    def __init__(self, plan: str) -> None:
        """Takes the plan's id; if it is empty, shows what a dry run offers, and accepted entries make a plan."""
        super().__init__()
        self._plan = plan
        self._entries: tuple[ReviewedEntry, ...] = ()
        self._refused: set[str] = set()
        self._accepted: set[str] = set()  # of the entries that are inferred or proposed
        self._making = False

    def on_mount(self) -> None:
        self._head((Span(safe(self._plan or _NONE_WAITS), "strong"),))
        plan = self._plan

        def read(engine: Engine) -> tuple[ReviewedEntry, ...]:
            return (engine.extractions.entries(plan) if plan else ()) + engine.extractions.offered(plan)

        self.deck.bridge.read(read, self._took, self._could_not)

    def _took(self, entries: tuple[ReviewedEntry, ...]) -> None:
        self._entries = entries
        self._list.show_empty("the plan adds no entry" if self._plan else "no transcript offers an entry")
        self._show_rows(0)

    def _show_rows(self, at: int) -> None:
        self._list.name_it(view.entries_title(self._entries, self._refused, self._accepted), ())
        self._list.show(view.EntryRows(self._entries, self._refused, self._accepted), at)
        self._look(self._list.cursor)

    def _look(self, index: int) -> None:
        self._text.name_it((Span("Turn", "title"),), ())
        if index >= len(self._entries):
            self._say()
            return
        entry = self._entries[index]

        def read(engine: Engine) -> tuple[Line, ...]:
            first, turn = turn_around(
                engine.plans.source_lines(LineSpan(entry.source.path, 1, _LAST)), entry.source.start
            )
            return (*view.entry_lines(entry), *view.turn_lines(turn, first, entry.source.start, entry.quote))

        self._read_text(read)

    @property
    def noted_line(self) -> LinePlace | None:
        """The line of the transcript that says the entry; None without one."""
        entry = self._list.under(self._entries)
        return LinePlace(entry.source.path, entry.source.start) if entry is not None else None

    # The operator's word on each

    def action_accept(self) -> None:
        """Keeps the entry in the plan, or accepts an offered one, and goes to the next."""
        self._judge(refused=False)

    def action_refuse(self) -> None:
        self._judge(refused=True)

    def _judge(self, *, refused: bool) -> None:
        at = self._list.cursor
        if at >= len(self._entries) or self._making:
            return
        entry = self._entries[at]
        marked, add = (self._accepted, not refused) if entry.offered else (self._refused, refused)
        (marked.add if add else marked.discard)(entry.id)
        self._show_rows(min(at + 1, len(self._entries) - 1))

    def action_plan(self) -> None:
        """Opens the plan; if entries were refused or accepted, first makes a new plan that supersedes it."""
        plan, refused, accepted = self._plan, frozenset(self._refused), frozenset(self._accepted)
        if not refused and not accepted:
            self.dismiss(plan)
        elif self.deck.may_write() and not self._making:
            self._making = self.deck.bridge.long(
                "the plan as you chose",
                lambda engine, _tick: (
                    engine.extractions.chosen(plan, refused, accepted) if plan else engine.extractions.accept(accepted)
                ),
                self._made,
                self._not_made,
            )

    def _made(self, outcome: "PlanOutcome") -> None:
        self._making = False
        self._refused.clear()
        self._accepted.clear()
        self.dismiss(self.deck.took(outcome) or self._plan)

    def _not_made(self, error: MemdeckError) -> None:
        self._making = False
        self.deck.fail(error)

    def unfinished(self) -> str:
        number = len(self._refused | self._accepted)
        return f"{noun(number, 'choice')} not in a plan yet: p makes one, esc drops them" if number else ""
