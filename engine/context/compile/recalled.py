"""The pieces that a message calls for: topics with their subscriptions, and what search finds (autopoiesis §6.3)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from engine.context.compile.note_text import NoteText
from engine.context.compile.pieces import PromptPiece
from engine.context.compile.slots import PromptSlot
from engine.context.compile.sources import TextOf, refusal
from engine.context.platforms.platform import SessionKind
from engine.plans.trust import Trust
from engine.search.values import SearchHit
from engine.text.document import split_lines
from engine.text.secrets.detector import redact
from engine.text.tokens import TokenCounter
from engine.topics.activation import Active, Excluded
from engine.topics.topic import Topic
from engine.topics.trigger import KeywordsTrigger

HITS = 20
"""Hits of a search that are looked at."""
ALREADY_IN = "it is in the prompt already"
LONGEST_HIT = 1_600
"""Characters of a hit: as many as a piece of a note has in the index."""


def keywords(topics: Iterable[Topic]) -> str:
    """The words that a search takes from active topics: their titles and keywords."""
    words: dict[str, None] = {}
    for topic in topics:
        words[topic.title] = None
        for trigger in topic.triggers:
            if isinstance(trigger, KeywordsTrigger):
                words |= dict.fromkeys(trigger.words)
    return " ".join(words)


def topic_pieces(
    active: Sequence[Active],
    excluded: Sequence[Excluded],
    topics: Mapping[str, Topic],
    text_of: TextOf,
    there: Collection[str],
    session: SessionKind,
    counter: TokenCounter,
) -> Iterator[PromptPiece]:
    """Instructions and subscriptions of active topics, the strongest first; each path once (decision D5)."""
    seen = set(there)
    for one in active:
        topic = topics[one.topic]
        whole = text_of(topic.path)
        trust = whole.trust if isinstance(whole, NoteText) else Trust.AGENT
        limit = _limit(topic.instructions, one.limit, counter)
        yield PromptPiece(
            slot=PromptSlot.TOPICS,
            label=topic.id,
            path=topic.path,
            text=redact(topic.instructions, keep_lines=True),
            trust=trust,
            limit=limit,
            limit_reason=f"max_context_kb {topic.max_context_kb:g}",
        )
        seen.add(topic.path)
        for file in one.files[1:]:
            yield _subscribed(file.path, text_of, seen, session)
            seen.add(file.path)
        for left in one.left_out:
            yield PromptPiece(slot=PromptSlot.SUBSCRIPTIONS, label=left.path, path=left.path, refused=left.reason)
    for other in excluded:
        reason = f"it says the same as {other.by}"
        yield PromptPiece(slot=PromptSlot.TOPICS, label=other.topic, path=topics[other.topic].path, refused=reason)


def _limit(text: str, size: int, counter: TokenCounter) -> int | None:
    """The tokens of as much of the text as the topic may bring in, None where all of it (decision G7)."""
    data = text.encode("utf-8", "surrogatepass")
    return None if len(data) <= size else counter.count(data[:size].decode("utf-8", "ignore"))


def _subscribed(path: str, text_of: TextOf, seen: Collection[str], session: SessionKind) -> PromptPiece:
    refused = refusal(path, session) or (ALREADY_IN if path in seen else "")
    read = refused or text_of(path)
    if isinstance(read, str):
        return PromptPiece(slot=PromptSlot.SUBSCRIPTIONS, label=path, path=path, refused=read)
    return PromptPiece(slot=PromptSlot.SUBSCRIPTIONS, label=path, path=path, text=read.text, trust=read.trust)


def hit_pieces(
    hits: Iterable[SearchHit],
    text_of: TextOf,
    there: Collection[str],
    prefix: str,
    session: SessionKind,
    own_session: str,
    trust_of: Callable[[str], Trust],
) -> Iterator[PromptPiece]:
    """The pieces that search found, best first, of which none stands in the `prefix` already.

    `own_session` is the transcript that history is taken from.
    """
    for hit in hits:
        refused = refusal(hit.path, session)
        if hit.path in there:
            refused = refused or ALREADY_IN
        if hit.path == own_session:
            refused = refused or "history is taken from it"
        read = refused or text_of(hit.path)
        if isinstance(read, str):
            yield PromptPiece(slot=PromptSlot.KNOWLEDGE, label=hit.label, path=hit.path, score=hit.score, refused=read)
            continue
        lines = split_lines(read.text)[max(0, hit.line - read.first_line) : hit.end_line - read.first_line + 1]
        text = "\n".join(lines)[:LONGEST_HIT] or hit.snippet
        yield PromptPiece(
            slot=PromptSlot.KNOWLEDGE,
            label=hit.label,
            path=hit.path,
            line=hit.line,
            refused=ALREADY_IN if text in prefix else "",
            text=f"{hit.title} ({hit.day})\n{text}" if hit.title else text,
            trust=trust_of(text),
            score=hit.score,
        )
