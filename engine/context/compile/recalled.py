"""Makes the pieces that a message calls for: active topics, search hits, sources given by a program (§6.3)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Final

import msgspec

from engine.context.compile.fenced_pieces import NoteText, PromptPiece, flags_of
from engine.context.compile.prompt import PromptSlot
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError
from engine.plans.plan import Flag
from engine.plans.trust_label import Trust
from engine.search.values import HitPiece, SearchHit
from engine.text.document import split_lines
from engine.text.secrets.detector import redact
from engine.text.tokens import TokenCounter
from engine.topics.activation import Active, Excluded
from engine.topics.messages import SessionTurn
from engine.topics.topic import KeywordsTrigger, Topic
from engine.workspace.layout import IDENTITY_FILES, MEMORY_MD_PATHS, TIER_FOLDERS, is_archived
from engine.workspace.values import MemoryTier

IDENTITY: Final[Mapping[SessionKind, tuple[str, ...]]] = {
    SessionKind.MAIN: IDENTITY_FILES,
    SessionKind.SHARED: IDENTITY_FILES,
    SessionKind.CRON: IDENTITY_FILES,
    SessionKind.SUBAGENT: ("AGENTS.md", "TOOLS.md"),
}
"""The identity files of each kind of session, as OpenClaw loads them."""
_IDENTITY_FOLDER = "knowledge/identity/"
_ROOT = "memory/ROOT.md"
_MIRROR = "<!-- memdeck:root:start"
_SHARDS = TIER_FOLDERS[MemoryTier.SEMANTIC] + "/"
_PROJECTS = "knowledge/projects/_active.md"
_PRIVATE = (*MEMORY_MD_PATHS, _ROOT)
MIRRORED = "MEMORY.md mirrors it"
OTHER_SESSIONS = "only a main session sees it"

TextOf = Callable[[str], NoteText | str]  # gives the text of a note, or the reason why there is none


def prefix_pieces(
    paths: Collection[str], text_of: TextOf, today: date, session: SessionKind
) -> tuple[PromptPiece, ...]:
    """Returns the pieces of identity, memory, projects and journal, in the order of the prompt."""
    found = tuple(_places(paths, today, session))
    texts = (text_of(path) for _, path in found if path in MEMORY_MD_PATHS)
    mirrored = _ROOT in paths and any(isinstance(text, NoteText) and _MIRROR in text.text for text in texts)
    return tuple(
        file_piece(slot, path, refusal(path, session) or (mirrored and path == _ROOT and MIRRORED) or text_of(path))
        for slot, path in found
    )


def file_piece(slot: PromptSlot, path: str, text: NoteText | str) -> PromptPiece:
    """Returns the piece of a file's text, or a refused piece with the reason."""
    if isinstance(text, str):
        return PromptPiece(slot=slot, label=path, path=path, refused=text)
    return PromptPiece(slot=slot, label=path, path=path, text=text.text, trust=text.trust, flags=text.flags)


def refusal(path: str, session: SessionKind) -> str:
    """Returns why a file may never enter the prompt; empty if it may (decisions D4, D52)."""
    if is_archived(path):
        return "the archive is not compiled"
    if session is not SessionKind.MAIN and is_private(path):
        return OTHER_SESSIONS
    return ""


def is_private(path: str) -> bool:
    """Tells whether a file is MEMORY.md, or is copied into or from it (decisions D4, D41)."""
    return path in _PRIVATE or path.startswith(_SHARDS)


def _places(paths: Collection[str], today: date, session: SessionKind) -> Iterator[tuple[PromptSlot, str]]:
    """Yields each slot with its files; of alternative places only the first that exists."""
    shards = sorted(path for path in paths if path.startswith(_SHARDS) and "/" not in path[len(_SHARDS) :])
    layouts: tuple[tuple[PromptSlot, Sequence[str]], ...] = (
        *((PromptSlot.IDENTITY, (f"{_IDENTITY_FOLDER}{name}", name)) for name in IDENTITY[session]),
        *((PromptSlot.MEMORY, places) for places in (MEMORY_MD_PATHS, (_ROOT,), *((path,) for path in shards))),
        (PromptSlot.PROJECTS, (_PROJECTS,)),
        # Today and yesterday in the workspace's zone.
        *(
            (PromptSlot.JOURNAL, (f"knowledge/journal/{day}.md", f"DailyLogs/{day}.md", f"memory/{day}.md"))
            for day in (today, today - timedelta(days=1))
        ),
    )
    for slot, places in layouts:
        if path := next((path for path in places if path in paths), ""):
            yield slot, path


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
    """Yields instructions and subscriptions of active topics, the strongest first, each path once (decision D5)."""
    seen = set(there)
    for activation in active:
        topic = topics[activation.topic]
        whole = text_of(topic.path)
        yield PromptPiece(
            slot=PromptSlot.TOPICS,
            label=topic.id,
            path=topic.path,
            text=redact(topic.instructions, keep_lines=True),
            trust=whole.trust if isinstance(whole, NoteText) else Trust.UNTRUSTED,
            flags=whole.flags if isinstance(whole, NoteText) else (),
            limit=_limit(topic.instructions, activation.limit, counter),
            limit_reason=f"max_context_kb {topic.max_context_kb:g}",
        )
        seen.add(topic.path)
        # The first is the topic's own file, whose instructions are in already.
        for file in activation.files[1:]:
            already = ALREADY_IN if file.path in seen else ""
            text = refusal(file.path, session) or already or text_of(file.path)
            yield file_piece(PromptSlot.SUBSCRIPTIONS, file.path, text)
            seen.add(file.path)
        for left in activation.left_out:
            yield file_piece(PromptSlot.SUBSCRIPTIONS, left.path, left.reason)
    for other in excluded:
        reason = f"it says the same as {other.by}"
        yield PromptPiece(slot=PromptSlot.TOPICS, label=other.topic, path=topics[other.topic].path, refused=reason)


def _limit(text: str, size: int, counter: TokenCounter) -> int | None:
    """Returns the tokens that the topic may bring in from a text; None if all (decision G7)."""
    data = text.encode("utf-8", "surrogatepass")
    # In tokens of the text itself, never by dividing kilobytes (decision G7).
    return None if len(data) <= size else counter.count(data[:size].decode("utf-8", "ignore"))


FEW_HITS = 12  # hits that a hook looks at, which has little time and a small budget
HITS = 32  # hits of a search that are looked at
PIECES, MOST_PIECES = 4, 48  # pieces of one hit that may come in, and of all: a prompt has room for about 40
_BEFORE = 20  # lines before a hit that are looked through for the beginning of a secret
LONGEST_HIT = 1_600  # characters of a hit: as many as a piece of a note has in the index


class GivenSources(msgspec.Struct, frozen=True, kw_only=True):
    """Topics, turns and searchable notes that a program names itself. None leaves the choice to message and search."""

    topics: Sequence[Topic] | None = None
    turns: tuple[SessionTurn, ...] = ()
    notes: Collection[str] | None = None


def keywords(topics: Iterable[Topic]) -> str:
    """Returns the search words of active topics: their titles and keywords."""
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
    known: Callable[[bytes], tuple[Flag, ...] | None] = lambda _: None,
    *,
    judged: bool = False,
) -> Iterator[PromptPiece]:
    """Yields the pieces of search hits, best first, unless they are in the `prefix`. `own_session`: the transcript of
    the history. `known` gives a checked note's flags; others are checked without the encoder. `judged` skips unchecked
    and flagged notes, for a hook."""
    texts = {hit.path: _content(hit.path, read) for hit in hits}
    flags = {path: known(data) for path, data in texts.items()}
    hits = [hit for hit in hits if flags[hit.path] == ()] if judged else hits
    reasons = {own_session: "history is taken from it"} | dict.fromkeys(there, ALREADY_IN)
    refusals = {hit.path: refusal(hit.path, session) or reasons.get(hit.path, "") for hit in hits}
    places = best_places(hits, refusals)
    excerpts = [_excerpt(texts[hit.path], place) if not refusals[hit.path] else "" for hit, place in places]
    unjudged = [text for (hit, _), text in zip(places, excerpts, strict=True) if flags[hit.path] is None]
    new = iter(flags_of(unjudged, encoded=False))  # to load the encoder takes two seconds
    titled = set[str]()
    for (hit, place), text in zip(places, excerpts, strict=True):
        marks = flags[hit.path]
        if marks is None:
            marks = tuple(Flag(place.line - 1 + flag.line, flag.rule) for flag in next(new))
        mine = tuple(flag for flag in marks if place.line <= flag.line < place.line + 1 + text.count("\n"))
        already = ALREADY_IN if text and text in prefix else ""
        shows_title = hit.title and hit.path not in titled
        titled.add(hit.path)
        yield PromptPiece(
            slot=PromptSlot.KNOWLEDGE,
            label=hit.label,
            path=hit.path,
            line=place.line,
            refused=refusals[hit.path] or already or ("" if text else "it cannot be read"),
            text=f"{hit.title} ({hit.day})\n{text}" if shows_title else text,
            trust=Trust.UNTRUSTED if mine else Trust.AGENT,
            flags=mine,
            score=place.score,
        )


def best_places(hits: Sequence[SearchHit], refusals: Mapping[str, str]) -> list[tuple[SearchHit, HitPiece]]:
    """Returns the pieces of all hits, best first; a hit that names none, or that is refused, has its best place."""
    places: list[tuple[SearchHit, HitPiece]] = []
    for hit in hits:
        named = hit.pieces if not refusals[hit.path] else ()
        places += ((hit, piece) for piece in named or (HitPiece(hit.line, hit.end_line, hit.score),))
    return sorted(places, key=lambda place: -place[1].score)[:MOST_PIECES]


def _content(path: str, read: Callable[[str], bytes]) -> bytes:
    try:
        return read(path)
    except MemdeckError:
        return b""


def _excerpt(data: bytes, place: HitPiece) -> str:
    """Returns the found lines without secrets; earlier lines are read too, as they may announce a secret."""
    lines, first = split_lines(data.decode("utf-8", "replace")), max(0, place.line - 1 - _BEFORE)
    shown = redact("\n".join(lines[first : place.end_line]), keep_lines=True).split("\n")[place.line - 1 - first :]
    return "\n".join(shown)[:LONGEST_HIT]
