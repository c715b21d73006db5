"""Asks which batch of questions is to be cancelled, and tells the service (decision D48)."""

from typing import TYPE_CHECKING

from tui.dialogs.picker import Picker
from tui.present.batches import batch_words
from tui.present.choices import Choice
from tui.present.words import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.extras.batches.batch_records import BatchRecord
    from tui.screens.page import Page


def ask_which_batch(page: "Page", batches: "Sequence[BatchRecord]") -> None:
    """Lists batches that are at the service; the chosen one is cancelled, `esc` leaves all."""
    now = page.deck.now()

    def chosen(ident: str) -> None:
        page.deck.bridge.long("cancelling", lambda engine, _tick: engine.batches.cancel(ident), cancelled)

    def cancelled(_: None) -> None:
        page.deck.say("what was begun is answered and billed, and the next dry run fetches it", title="Batch cancelled")

    choices = tuple(
        Choice(safe(one.id), about=f"{size}, {cost}, {age}", value=one.id)
        for one in batches
        for size, _, cost, age in (batch_words(one, now),)
    )
    page.deck.ask(Picker("Cancel a batch", choices, foot="cancels what is not begun"), chosen)
