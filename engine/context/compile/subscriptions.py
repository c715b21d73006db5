"""The pieces of active topics: instructions and subscriptions, each path once (decision D5, autopoiesis §6.3)."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from engine.context.compile.note_text import NoteText
from engine.context.compile.pieces import PromptPiece
from engine.context.compile.slots import PromptSlot
from engine.context.compile.sources import TextOf, refusal
from engine.context.platforms.platform import SessionKind
from engine.plans.trust import Trust
from engine.text.secrets.detector import redact
from engine.text.tokens import TokenCounter
from engine.topics.activation import Active, Excluded
from engine.topics.topic import Topic

ALREADY_IN = "it is in the prompt already"


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
            flags=whole.flags if isinstance(whole, NoteText) else (),
            limit=limit,
            limit_reason=f"max_context_kb {topic.max_context_kb:g}",
        )
        seen.add(topic.path)
        # The first is the topic's own file, whose instructions are in already.
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
    # In tokens of the text itself, never by dividing kilobytes (decision G7).
    return None if len(data) <= size else counter.count(data[:size].decode("utf-8", "ignore"))


def _subscribed(path: str, text_of: TextOf, seen: Collection[str], session: SessionKind) -> PromptPiece:
    refused = refusal(path, session) or (ALREADY_IN if path in seen else "")
    read = refused or text_of(path)
    if isinstance(read, str):
        return PromptPiece(slot=PromptSlot.SUBSCRIPTIONS, label=path, path=path, refused=read)
    slot = PromptSlot.SUBSCRIPTIONS
    return PromptPiece(slot=slot, label=path, path=path, text=read.text, trust=read.trust, flags=read.flags)
