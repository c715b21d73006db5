"""Shows the facts that held on a day, each beside the turn that says it."""

from datetime import date, timedelta
from typing import TYPE_CHECKING

from engine.extraction.entry import turn_around
from engine.extraction.what_holds import FactsAnswer, HeldFact
from engine.services.engine import Engine
from engine.workspace.values import LineSpan
from tui.dialogs.line_input import AskLine
from tui.present.history import held_facts as view
from tui.present.spans import NOTHING_SELECTED, Line, Span, key_line
from tui.present.words import safe
from tui.screens.list_beside_pane import EntriesBesideTurn
from tui.widgets.searchable_pane import LinePlace

if TYPE_CHECKING:
    from engine.plans.planning import PlanOutcome

_LAST = 1 << 40  # the end of any file, in lines


class HeldScreen(EntriesBesideTurn[None], scope="held"):
    """Lists the facts of one day; the arrows change the day, `w` asks for a subject."""

    KEYS = key_line(
        ("← →", "another day"), ("w", "subject"), ("o", "this one holds"), ("b", "both hold"), ("e", "own words"),
        ("x", "forget"), ("E", "correct"),
        ("tab", "the turn"), ("esc", "back"),
    )  # fmt: skip

    def __init__(self, day: date, today: date) -> None:
        super().__init__()
        self._day, self._today, self._subject = day, today, ""
        self._answer: FactsAnswer | None = None

    def on_mount(self) -> None:
        self._read()

    def _read(self) -> None:
        day, subject = self._day, self._subject
        self.deck.bridge.read(lambda engine: engine.facts.read(day, subject), self._took, self._could_not)

    def _took(self, answer: FactsAnswer) -> None:
        if (answer.on, answer.subject) != (self._day.isoformat(), self._subject):
            return
        self._answer = answer
        reach = " · ".join(filter(None, (view.by_hand_words(answer), *view.held_reach_words(answer.reach))))
        self._head((Span(safe(reach), "muted"),))
        self._list.name_it(view.held_title(answer), ())
        self._list.show_empty("nothing is known that held then")
        self._list.show(view.HeldRows(answer), 0)
        self._look(0)

    def _look(self, index: int) -> None:
        self._text.name_it((Span("Entry", "title"),), ())
        fact = self._under(index)
        if fact is None or self._answer is None:
            self._say(*(NOTHING_SELECTED if self._answer is not None else ()))
            return
        others = view.pair_lines(view.partners(self._answer, fact.id))
        self._read_text(lambda engine: (*others, *_entry_lines(engine, fact)))

    def _under(self, at: int) -> HeldFact | None:
        facts = view.ordered(self._answer) if self._answer is not None else ()
        return facts[at] if at < len(facts) else None

    def action_slide(self, days: int) -> None:
        try:
            self._day = min(self._day + timedelta(days=days), self._today)
        except OverflowError:
            return
        self._read()

    def action_ask(self) -> None:
        title = (Span("What held about which subject?", "title"),)
        self.deck.ask(AskLine(title, "words that an entry has; * for all", "ask"), self._asked)

    def _asked(self, text: str) -> None:
        self._subject = "" if text.strip() == "*" else text.strip()
        self._read()

    def action_decide(self, word: str) -> None:
        """Plans the decision on an undecided pair, or keeps an ended fact as still true."""
        answer, fact = self._answer, self._under(self._list.cursor)
        paired = fact is not None and answer is not None and bool(view.partners(answer, fact.id))
        if fact is None or not (paired or (fact.over and word == "keep")):
            self.deck.say("nothing is undecided about this entry", severity="warning")
        elif self.deck.may_write() and not paired:
            self.deck.bridge.look(lambda engine: engine.facts.still(fact.id), self._noted)
        elif self.deck.may_write() and word == "own":
            title = (Span("What holds in the place of both?", "title"),)
            ask = AskLine(title, "your own words", "plan it", body=((Span(safe(fact.text)),),), empty="say what holds")
            self.deck.ask(ask, lambda own: self._plan(fact.id, "", own))
        elif self.deck.may_write():
            self._plan(*((fact.id, "") if word == "keep" else ("", fact.id)))

    def _plan(self, kept: str, both: str, own: str = "") -> None:
        self.deck.bridge.long(
            "the plan of your word", lambda engine, _tick: engine.facts.decide(kept, both, own), self._decided
        )

    @property
    def noted_line(self) -> LinePlace | None:
        fact = self._under(self._list.cursor)
        return LinePlace(fact.path, fact.line) if fact is not None and fact.line else None

    def _decided(self, outcome: "PlanOutcome") -> None:
        if plan := self.deck.took(outcome):
            self.deck.say(f"queued {plan}: approve it in Approvals")
        self._noted(None)

    def _noted(self, _: None) -> None:
        self._read()


def _entry_lines(engine: Engine, fact: HeldFact) -> tuple[Line, ...]:
    """Shows a fact and its turn; without a readable transcript, only the fact."""
    if fact.source is None or not fact.proven:
        return view.held_lines(fact, (), 0)
    first, turn = turn_around(engine.plans.source_lines(LineSpan(fact.source.path, 1, _LAST)), fact.source.start)
    return view.held_lines(fact, turn, first)
