"""Describes message batches: their state, and what they cost or may cost."""

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
    """Returns the size, state, cost and age of a batch. A running batch does not tell how much is done."""
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
    """Shows each unfinished batch in two lines; an unclear one names the command that resolves it."""
    lines: list[Line] = []
    for record in records:
        if record.state.value == "done":
            continue
        size, stands, cost, age = batch_words(record, now)
        unclear = record.lost or record.state.value == "unclear"
        todo: Line = (Span(f" · memdeck batches {safe(record.id)}", "warn"),) if unclear else ()
        if record.state.value == "sent":
            todo = (Span(" · ", "muted"), Span("x", "key"), Span(" cancels it", "muted"))
        head = Span(f"batch of {size}: {stands}", "warn" if unclear else "accent")
        lines += [(head,), (Span(f"  {cost} · {age}", "muted"), *todo)]
    return tuple(lines)
