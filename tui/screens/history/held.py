"""Shows what held on a day: the entries that nothing later had superseded, each beside the turn that says it."""

from datetime import date, timedelta
from typing import TYPE_CHECKING

from engine.extraction.quotes import turn_around
from engine.workspace.values import LineSpan
from tui.dialogs.line_input import AskLine
from tui.keys.naming import bindings
from tui.present.history import held as view
from tui.present.spans import NOTHING_SELECTED, Line, Span, key_line
from tui.present.words import safe
from tui.screens.list_beside_pane import EntriesBesideTurn

if TYPE_CHECKING:
    from engine.extraction.held import HeldAnswer, HeldEntry
    from engine.plans.status import PlanOutcome
    from engine.services.engine import Engine

_LAST = 1 << 40
"""The end of any file, in lines."""


class HeldScreen(EntriesBesideTurn[None]):
    """The entries of one day; the arrows go from day to day, `w` asks for a subject."""

    SCOPE = "held"
    BINDINGS = bindings("HeldScreen")
    KEYS = key_line(
        ("← →", "another day"), ("w", "subject"), ("o", "this one holds"), ("b", "both hold"),
        ("tab", "the turn"), ("esc", "back"),
    )  # fmt: skip

    def __init__(self, day: date, today: date) -> None:
        super().__init__()
        self._day, self._today, self._subject = day, today, ""
        self._answer: HeldAnswer | None = None

    def on_mount(self) -> None:
        self._read()

    def _read(self) -> None:
        day, subject = self._day, self._subject
        self.deck.bridge.read(lambda engine: engine.recall.held(day, subject), self._took, self._could_not)

    def _took(self, answer: "HeldAnswer") -> None:
        if not self.is_mounted or (answer.on, answer.subject) != (self._day.isoformat(), self._subject):
            return
        self._answer = answer
        reach = " · ".join(view.held_reach_words(answer.reach))
        self._head((Span(safe(reach), "muted"),))
        self._list.name_it(view.held_title(answer), ())
        self._list.show_empty("nothing is known that held then")
        self._list.show(view.HeldRows(answer), 0)
        self._look(0)

    def _look(self, index: int) -> None:
        self._text.name_it((Span("Entry", "title"),), ())
        if self._answer is None or index >= len(self._answer.entries):
            self._say(*(NOTHING_SELECTED if self._answer is not None else ()))
            return
        one = self._answer.entries[index]
        others = view.pair_lines(view.partners(self._answer, one.id))
        self._read_text(lambda engine: (*others, *_entry_lines(engine, one)))

    def action_slide(self, days: int) -> None:
        """Asks for another day, none after today."""
        try:
            self._day = min(self._day + timedelta(days=days), self._today)
        except OverflowError:
            return
        self._read()

    def action_ask(self) -> None:
        """Asks for the words of a subject; a blank shows all."""
        title = (Span("What held about which subject?", "title"),)
        self.deck.ask(AskLine(title, "words that an entry has; * for all", "ask"), self._asked)

    def _asked(self, text: str) -> None:
        self._subject = "" if text.strip() == "*" else text.strip()
        self._read()

    def action_decide(self, alone: bool) -> None:
        """Plans the operator's word on an undecided pair: the entry under the cursor holds alone, or both do."""
        at, answer = self._list.cursor, self._answer
        one = answer.entries[at] if answer is not None and at < len(answer.entries) else None
        if one is None or answer is None or not view.partners(answer, one.id):
            self.deck.say("nothing is undecided about this entry", severity="warning")
        elif self.deck.may_write():
            kept, both = (one.id, "") if alone else ("", one.id)
            self.deck.bridge.long(
                "the plan of your word", lambda engine, _tick: engine.extractions.decide(kept, both), self._decided
            )

    def _decided(self, outcome: "PlanOutcome") -> None:
        if outcome.plan is not None:
            self.deck.expect(outcome.plan.id)
            self.deck.read_all()
            self.deck.say(f"queued {outcome.plan.id}: approve it in Approvals")


def _entry_lines(engine: "Engine", one: "HeldEntry") -> tuple[Line, ...]:
    """An entry and its turn; a transcript that cannot be read any more is told in its place."""
    if one.source is None or not one.proven:
        return view.held_lines(one, (), 0)
    lines = engine.plans.source_lines(LineSpan(one.source.path, 1, _LAST))
    first, turn = turn_around(lines, one.source.start)
    return view.held_lines(one, turn, first)
