"""Shows the line on top of the Overview: a verdict, the what-if date, or a read error."""

from datetime import datetime
from typing import NamedTuple

from engine.errors import MemdeckError
from tui.present.overview import what_if
from tui.present.overview.verdict import VerdictFacts, earlier, verdict
from tui.present.spans import Line, ListRow, Span, fitting, plain
from tui.present.words import clock, safe
from tui.screens.hosted import Hosted
from tui.widgets.one_line import OneLine


class VerdictReading(NamedTuple):
    """The values that the line is made from, as far as they are read."""

    facts: VerdictFacts | None
    real_now: datetime
    earlier: bool  # true if the status is that of an earlier look, while the workspace is read
    problem: MemdeckError | None
    unread: str  # the reason why there is nothing to show, in a word; empty as long as it is being read
    beside: bool  # true if panes stand beside one another


class VerdictLine(Hosted, OneLine):
    """Says in one line whether anything is wrong, and moves the what-if clock."""

    _standing: VerdictReading | None = None

    def say(self, standing: VerdictReading) -> None:
        self._standing = standing
        facts = standing.facts
        if standing.problem is not None:
            self.show(self._problem_row(standing.problem, facts))
        elif facts is None and standing.unread:
            self.show(ListRow((Span(standing.unread, "muted"),)))
        elif facts is None:
            self.show(ListRow((Span("◐ ", "info"), Span("reading the workspace…", "muted"))))
        elif standing.earlier:
            self.show(earlier(facts.status.now, self.deck.now()))
        elif facts.status.simulated_clock:
            supposed = self.deck.flows.clock.supposed is not None
            step = self.deck.flows.clock.step if supposed else ""
            zone = self.deck.limits.policy.zone
            self.show(what_if.banner(facts.status.now, standing.real_now, zone, step=step))
        else:
            self.show(verdict(facts, self.content_size.width or 1000, beside=standing.beside))

    def _problem_row(self, error: MemdeckError, facts: VerdictFacts | None) -> ListRow:
        """Shows an error and how to try again; if there is room, its place and the age of what is shown."""
        wrong: Line = (Span("✗ ", "blocked"), Span(safe(error.message), "blocked"))
        old = f"what is shown is of {clock(facts.status.now, self.deck.now())}" if facts is not None else ""
        right: Line = (Span("ctrl+r", "key"), Span(" read again", "muted"))
        width = (self.content_size.width or 1000) - len(plain(right)) - 1
        parts = [part for part in (wrong, (Span(old, "warn"),), (Span(safe(error.where), "muted"),)) if plain(part)]
        return ListRow(fitting(parts, Span("  "), width), right)

    def action_step(self) -> None:
        """Changes the step of the what-if clock: hour, day, week, hour."""
        step = self.deck.flows.clock.next_step()
        if self.deck.flows.clock.supposed is None:
            self.deck.say(f"←/→ moves the what-if clock by one {step}")
        if self._standing is not None:
            self.say(self._standing)

    def action_what_if(self) -> None:
        """Asks for a date, then shows everything as of then; `esc` ends it."""
        if self._standing is not None:
            self.deck.flows.clock.ask_instant(self._standing.real_now, self.deck.limits.policy.zone)
