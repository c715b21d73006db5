"""A full shard cut by topic: it keeps its most general part, every entry stays word for word (A3, A22, A24)."""

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import PurePosixPath

import msgspec

from engine.compactor.semantic.pieces import CutText, Piece, cut
from engine.compactor.semantic.shard_topics import Division, PartSize, divide
from engine.compactor.semantic.topic_words import name_stems
from engine.errors import MemdeckError
from engine.plans.plan import Create, Replace, RiskTier
from engine.plans.planning import Draft, Planning
from engine.plans.policy.values import SemanticLimits
from engine.workspace.snapshot import FreeNames
from engine.workspace.values import LineSpan

FOLDER = "memory/semantic"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class FullShard(msgspec.Struct, frozen=True, kw_only=True):
    """A shard that is to be cut, how many entries wait for room in it, and the tokens of what belongs to it. `needs` is
    the largest of them, `comes` all of them."""

    path: str
    waiting: int = 0
    needs: int = 0
    comes: int = 0


def part_size(limits: SemanticLimits, needs: int, comes: int = 0) -> PartSize:
    """Sizes that leave room: a third of the soft limit in a new shard, half of it in the old one. Where more comes, the
    old one is emptied further, down to a tenth: it stays below the risk line with all of it."""
    room = limits.hard - needs
    keep = max(limits.soft // 10, min(limits.soft // 2, limits.risk - comes))
    return PartSize(most=min(limits.soft * 2 // 3, room), keep=min(keep, room))


def add_sharding(draft: Draft, planning: Planning, shard: FullShard, names: FreeNames) -> str:
    """Adds the new shards and what stays in the old one; gives the reason where it cannot be cut, else ''."""
    snapshot, counter, limits = planning.snapshot, planning.counter, planning.policy.limits.semantic
    if shard.needs > limits.hard:
        return "an entry that waits is larger than a shard may be: shorten it"
    try:
        text = snapshot.content(shard.path).decode("utf-8")
    except (MemdeckError, UnicodeDecodeError) as error:
        return error.message if isinstance(error, MemdeckError) else "it is not UTF-8"
    whole = cut(text)
    if len(whole.pieces) < 2:
        return "it has only one entry, and entries are never cut"
    sizes = [counter.count(piece.text) for piece in whole.pieces]
    # The stems of the words that name a shard already.
    stems = (PurePosixPath(path).stem for path in snapshot.files if path.startswith(f"{FOLDER}/"))
    taken = frozenset(stem for name in stems for stem in frozenset().union(*name_stems(name)))
    division = divide(whole.pieces, sizes, part_size(limits, shard.needs, shard.comes), taken)
    if not division.topics:
        return "its entries are too large to make room: route what waits to another shard"
    _add(draft, planning, shard.path, whole, division, names)
    return ""


def _add(draft: Draft, planning: Planning, path: str, whole: CutText, division: Division, names: FreeNames) -> None:
    # The shards and what is left of the old one stand or fall together: approved alone, either would double or lose
    # entries (decision A11).
    old, created = draft.next_number + len(division.topics), []
    for topic in division.topics:
        members = [whole.pieces[index] for index in topic.members]
        content = "".join(piece.text for piece in members)
        tokens = planning.counter.count(content)
        over = tokens > planning.policy.limits.semantic.hard
        shard = Create(
            n=draft.next_number,
            path=names.free(FOLDER, topic.name),
            risk_tier=RiskTier.C,
            reason=f"{_entries(len(members))} of {path}, word for word: {tokens:,} tokens",
            content=content,
            sources=_spans(path, members),
            requires=(old,),
            warnings=("above the hard limit: one entry is never cut",) if over else (),
        )
        created.append(draft.add(shard))
    kept = [whole.pieces[index] for index in division.general]
    content = whole.preamble + "".join(piece.text for piece in kept)
    tokens, first = planning.counter.count(content), len(_LINE.findall(whole.preamble))
    rest = Replace(
        n=draft.next_number,
        path=path,
        risk_tier=RiskTier.C,
        reason=f"keeps its {_entries(len(kept))} of no one topic, word for word: {tokens:,} tokens",
        content=content,
        sources=(*((LineSpan(path, 1, first),) if first else ()), *_spans(path, kept)),
        requires=tuple(created),
    )
    draft.add(rest)


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _spans(path: str, pieces: Sequence[Piece]) -> tuple[LineSpan, ...]:
    """The lines of pieces, those that follow each other as one."""
    lines = [line for piece in pieces for line in range(piece.start, piece.end + 1)]
    runs = (list(run) for _, run in groupby(enumerate(lines), key=lambda pair: pair[1] - pair[0]))
    return tuple(LineSpan(path, run[0][1], run[-1][1]) for run in runs)


def is_word_for_word(original: str, parts: Sequence[tuple[Sequence[LineSpan], str]]) -> bool:
    """Tells whether each part is the lines that it names, and each line of the original is in one part."""
    lines = _LINE.findall(original)
    named = [[line for span in spans for line in range(span.start, span.end + 1)] for spans, _ in parts]
    if sorted(line for part in named for line in part) != list(range(1, len(lines) + 1)):
        return False
    pairs = zip(named, parts, strict=True)
    return all("".join(lines[line - 1] for line in part) == content for part, (_, content) in pairs)
