"""A blocked shard cut into new ones, every entry word for word, the old one archived (decisions A3, A22)."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import PurePosixPath

from engine.compactor.notes.free_names import FreeNames
from engine.errors import MemdeckError
from engine.plans.draft import Draft
from engine.plans.plan import Create, Move, RiskTier
from engine.plans.policy.values import SemanticLimits
from engine.text.document import split_lines
from engine.text.tokens import TokenCounter
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import LineSpan

FOLDER = "memory/semantic"
_ENTRY = re.compile(r"^Title:", re.MULTILINE)
_HEADING = re.compile(r"^#{2,6}[ \t]", re.MULTILINE)
_NUMBERED = re.compile(r"-\d{1,2}$")


def pieces(text: str) -> tuple[str, ...]:
    """`text` cut before each entry, or before each heading where it has no `Title:`; joined they are `text` again.

    What stands before the first entry stays with it.
    """
    starts = [match.start() for match in _ENTRY.finditer(text)] or [match.start() for match in _HEADING.finditer(text)]
    cuts = [0, *starts[1:], len(text)]
    return tuple(text[start:end] for start, end in pairwise(cuts) if end > start)


def groups(text: str, counter: TokenCounter, limits: SemanticLimits) -> tuple[str, ...]:
    """The pieces in order, as many together as stay at or below the soft limit; a larger piece stands alone."""
    return tuple(_grouped(pieces(text), counter, limits.soft))


def _grouped(parts: tuple[str, ...], counter: TokenCounter, most: int) -> Iterator[str]:
    group, parts_in_it, size = "", 0, 0
    for part in parts:
        tokens = counter.count(part)
        # Rounding may lose one token a part; only near the limit is the whole counted anew.
        close = size + tokens + parts_in_it + 1 > most
        if group and close and counter.count(group + part) > most:
            yield group
            group, parts_in_it, size = "", 0, 0
        group, parts_in_it, size = group + part, parts_in_it + 1, size + tokens
    if group:
        yield group


def add_sharding(
    draft: Draft,
    snapshot: Snapshot,
    path: str,
    names: FreeNames,
    counter: TokenCounter,
    limits: SemanticLimits,
    today: date,
) -> str:
    """Adds the new shards and the old one's move to the archive; gives the reason where it cannot be cut, else ''."""
    try:
        text = snapshot.content(path).decode("utf-8")
    except (MemdeckError, UnicodeDecodeError) as error:
        return error.message if isinstance(error, MemdeckError) else "it is not UTF-8"
    parts = groups(text, counter, limits)
    if len(parts) < 2:
        return "it has only one entry, and entries are never cut"
    created: list[int] = []
    first_line = 1
    for part in parts:
        created.append(_add_shard(draft, path, part, first_line, names, counter, limits))
        first_line += part.count("\n")
    draft.add(
        Move(
            n=draft.next_number,
            path=path,
            to=names.archived(path, today),
            risk_tier=RiskTier.C,
            reason="its entries stand in the new shards, word for word",
            sources=(LineSpan(path, 1, max(1, snapshot.files[path].lines)),),
            requires=tuple(created),
        )
    )
    return ""


def _add_shard(
    draft: Draft,
    path: str,
    part: str,
    first_line: int,
    names: FreeNames,
    counter: TokenCounter,
    limits: SemanticLimits,
) -> int:
    span = LineSpan(path, first_line, first_line + max(0, len(split_lines(part)) - 1))
    tokens = counter.count(part)
    return draft.add(
        Create(
            n=draft.next_number,
            path=names.numbered(FOLDER, _NUMBERED.sub("", PurePosixPath(path).stem)),
            risk_tier=RiskTier.C,
            reason=f"lines {span.start}-{span.end} of {path}, word for word: {tokens:,} tokens",
            content=part,
            sources=(span,),
            warnings=("above the hard limit: one entry is never cut",) if tokens > limits.hard else (),
        )
    )
