"""Asks before notes are sent to a memory store, and says what happened to each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.plans.operation import APPROVAL_WORD
from tui.present import glyphs
from tui.present.approvals.approval_question import ApprovalText, Bound
from tui.present.spans import Line, Span
from tui.present.words import noun, safe, short_digest

if TYPE_CHECKING:
    from engine.extras.stores.store_service import SentText, StorePush

_LISTED = 3  # notes that are not sent of which the dialog names so many
_SERVICE = "https://api.anthropic.com"


def about_push(push: "StorePush") -> ApprovalText:
    """Asks whether to push notes whose diffs are on screen (decision G22)."""
    sign, count = glyphs.RISK_TIERS[push.risk_tier], noun(len(push.texts), "note")
    lines: list[Line] = [(Span("! ", "warn"), Span(safe(text), "warn")) for text in push.problems[:_LISTED]]
    if len(push.problems) > _LISTED:
        lines.append((Span(f"! and {len(push.problems) - _LISTED:,} more that are not sent", "warn"),))
    return ApprovalText(
        title=(
            Span("Push to ", "title"),
            Span(safe(push.store), "title"),
            Span(" · ", "muted"),
            Span(sign.glyph, sign.role),
            Span(" · ", "muted"),
            Span(f"digest {short_digest(push.digest)}", "accent"),
        ),
        body=(
            (Span(f"Sends {count} to "), Span(safe(push.url or _SERVICE), "strong")),
            (Span("it leaves this machine, and no undo reverses it", "muted"),),
            *lines,
        ),
        bound=(Bound(target=push.digest, numbers=push.numbers, risk_tier=push.risk_tier),),
        word=APPROVAL_WORD,
        yes=f"send {count}",
    )


def sent_words(sent: "Sequence[SentText]") -> str:
    """Says that all notes were sent; empty if one was not."""
    return f"{noun(len(sent), 'note')} sent" if all(note.is_sent for note in sent) else ""


def sent_lines(sent: "Sequence[SentText]") -> tuple[Line, ...]:
    """Says what happened to each note, unsent ones first, and where to look."""
    look = "What was not sent stays as it is at the store. The next pull shows what it has now, as a review."
    lines = [
        (Span(f"{note.state.value}  ", "ok" if note.is_sent else "warn"), Span(safe(note.path)))
        for note in sorted(sent, key=lambda note: (note.is_sent, note.path))
    ]
    return (*lines, (), (Span(look, "muted"),))
