"""Batches of questions in words: where one stands, and what it cost or may cost."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from tui.present.spans import Line, Span
from tui.present.words import ago, noun, safe

if TYPE_CHECKING:
    from engine.extras.batches.batch_records import BatchRecord

_STANDS = {
    "made": "not sent yet",
    "sending": "being sent",
    "unclear": "nobody knows whether it was made",
    "sent": "at Claude",
    "done": "done",
}


def batch_words(record: "BatchRecord", now: datetime) -> tuple[str, str, str, str]:
    """The size, the state, the cost and the age of a batch. While it runs nobody knows how much of it is done."""
    stands = _STANDS["unclear" if record.lost else record.state.value]
    if record.why:
        stands += f" ({safe(record.why)})"
    if record.remote:
        stands += f" as {safe(record.remote)}"
    if record.ends:
        whole = Counter(record.ends.values())["end_turn"]
        stands += f", {whole:,} of {len(record.ends):,} answered"
    done = record.state.value == "done"
    cost = f"${record.usd:.4f}" if done else f"at most ${record.usd_at_most:.4f}"
    return noun(len(record.most), "question"), stands, cost, ago(record.made_at, now)


def batch_lines(records: "Sequence[BatchRecord]", now: datetime) -> tuple[Line, ...]:
    """Two lines for each batch that is not over; an unclear one says what to do."""
    found: list[Line] = []
    for one in records:
        if one.state.value == "done":
            continue
        size, stands, cost, age = batch_words(one, now)
        unclear = one.lost or one.state.value == "unclear"
        todo: Line = (Span(f" · memdeck batches {safe(one.id)}", "warn"),) if unclear else ()
        if one.state.value == "sent":
            todo = (Span(" · ", "muted"), Span("x", "key"), Span(" cancels it", "muted"))
        head = Span(f"batch of {size}: {stands}", "warn" if unclear else "accent")
        found += [(head,), (Span(f"  {cost} · {age}", "muted"), *todo)]
    return tuple(found)
