"""Shows the cards of the Overview with a cursor that moves between gauges."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message

from tui.present.overview.triggers_notices import Card
from tui.present.spans import Span
from tui.screens.hosted import Hosted
from tui.widgets.card import GaugeCard

_CARDS = ("working", "episodic", "semantic", "archive")


class GaugeCards(Hosted, Horizontal, can_focus=True, inherit_bindings=False, scope="gauges"):
    """Holds the cards; the cursor shows while focused, and `enter` or a click chooses a gauge."""

    @dataclass
    class Chosen(Message):
        """Says that a gauge was chosen, by its id."""

        gauge: str

    def __init__(self) -> None:
        super().__init__(id="cards")
        self.gauge = ""  # the gauge under the cursor

    def compose(self) -> ComposeResult:
        for name in _CARDS:
            yield GaugeCard(ident=name)

    @property
    def _cards(self) -> list[GaugeCard]:
        return [self.query_one(f"#{name}", GaugeCard) for name in _CARDS]

    def show(self, cards: Sequence[Card]) -> None:
        for widget, card in zip(self._cards, cards, strict=True):
            widget.show(card)

    def say(self, words: str) -> None:
        self.show([Card(name.title(), ((Span(words, "muted"),),)) for name in _CARDS])

    @property
    def gauges(self) -> tuple[str, ...]:
        return tuple(gauge for card in self._cards for gauge in card.gauges)

    def point(self, gauge: str) -> None:
        """Puts the cursor on a gauge, or on the first if that is gone."""
        known = self.gauges
        self.gauge = gauge if gauge in known else next(iter(known), "")
        for card in self._cards:
            card.choose(self.gauge if self.has_focus and self.gauge in card.gauges else "")

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Shows the cursor only while focused."""
        super().watch_has_focus(_has_focus)
        if self.is_mounted:
            self.point(self.gauge)

    def on_click(self, event: events.Click) -> None:
        """Chooses the clicked gauge."""
        card = event.widget
        offset = event.get_content_offset(card) if isinstance(card, GaugeCard) else None
        gauge = card.gauge_at(offset.y) if isinstance(card, GaugeCard) and offset is not None else ""
        if gauge:
            event.stop()
            self.point(gauge)
            self.post_message(self.Chosen(gauge))

    def action_select(self) -> None:
        self.point(self.gauge)
        if self.gauge:
            self.post_message(self.Chosen(self.gauge))

    def action_move(self, by: int) -> None:
        if known := self.gauges:
            at = known.index(self.gauge) if self.gauge in known else 0
            self.point(known[(at + by) % len(known)])

    def action_ends(self, at: int) -> None:
        if self.gauges:
            self.point(self.gauges[at])

    def action_card(self, by: int) -> None:
        """Moves to the first gauge of the next card that has one, wrapping around."""
        cards = [card.gauges for card in self._cards if card.gauges]
        here = next((at for at, gauges in enumerate(cards) if self.gauge in gauges), 0)
        if cards:
            self.point(cards[(here + by) % len(cards)][0])
