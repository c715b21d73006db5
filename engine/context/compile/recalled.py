"""Turns what search finds for a message into pieces of the prompt; what a program names itself (autopoiesis §6.3)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import msgspec

from engine.context.compile.note_text import flags_of
from engine.context.compile.pieces import PromptPiece
from engine.context.compile.slots import PromptSlot
from engine.context.compile.sources import refusal
from engine.context.compile.subscriptions import ALREADY_IN
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError
from engine.plans.plan import Flag
from engine.plans.trust import Trust
from engine.search.values import SearchHit
from engine.text.document import split_lines
from engine.text.secrets.detector import redact
from engine.topics.messages import SessionTurn
from engine.topics.topic import Topic
from engine.topics.trigger import KeywordsTrigger

HITS = 12
"""Hits of a search that are looked at."""
_BEFORE = 20
"""Lines before a hit that are looked through for the beginning of a secret."""
LONGEST_HIT = 1_600
"""Characters of a hit: as many as a piece of a note has in the index."""


class GivenSources(msgspec.Struct, frozen=True, kw_only=True):
    """Sources that a program names itself: the active topics, the turns, and the notes that a search may bring in.

    None leaves the choice to the message, and to the search.
    """

    topics: Sequence[Topic] | None = None
    turns: tuple[SessionTurn, ...] = ()
    notes: Collection[str] | None = None


def keywords(topics: Iterable[Topic]) -> str:
    """The words that a search takes from active topics: their titles and keywords."""
    words: dict[str, None] = {}
    for topic in topics:
        words[topic.title] = None
        for trigger in topic.triggers:
            if isinstance(trigger, KeywordsTrigger):
                words |= dict.fromkeys(trigger.words)
    return " ".join(words)


def hit_pieces(
    hits: Sequence[SearchHit],
    read: Callable[[str], bytes],
    there: Collection[str],
    prefix: str,
    session: SessionKind,
    own_session: str,
) -> Iterator[PromptPiece]:
    """The pieces that search found, best first, of which none stands in the `prefix` already.

    `own_session` is the transcript that history is taken from. Of each note only what is shown is looked through.
    """
    refusals = [_refused(hit, there, session, own_session) for hit in hits]
    texts = [_excerpt(hit, read) if not refused else "" for hit, refused in zip(hits, refusals, strict=True)]
    for hit, refused, text, flags in zip(hits, refusals, texts, flags_of(texts), strict=True):
        already = ALREADY_IN if text and text in prefix else ""
        yield PromptPiece(
            slot=PromptSlot.KNOWLEDGE,
            label=hit.label,
            path=hit.path,
            line=hit.line,
            refused=refused or already or ("" if text else "it cannot be read"),
            text=f"{hit.title} ({hit.day})\n{text}" if hit.title else text,
            trust=Trust.UNTRUSTED if flags else Trust.AGENT,
            flags=tuple(Flag(hit.line - 1 + one.line, one.rule) for one in flags),
            score=hit.score,
        )


def _refused(hit: SearchHit, there: Collection[str], session: SessionKind, own_session: str) -> str:
    if refused := refusal(hit.path, session):
        return refused
    if hit.path in there:
        return ALREADY_IN
    return "history is taken from it" if hit.path == own_session else ""


def _excerpt(hit: SearchHit, read: Callable[[str], bytes]) -> str:
    """The lines that were found, without secrets: lines before them may say that one follows."""
    try:
        lines = split_lines(read(hit.path).decode("utf-8", "replace"))
    except MemdeckError:
        return ""
    first = max(0, hit.line - 1 - _BEFORE)
    shown = redact("\n".join(lines[first : hit.end_line]), keep_lines=True).split("\n")[hit.line - 1 - first :]
    return "\n".join(shown)[:LONGEST_HIT]
