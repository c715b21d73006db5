"""Says in one sentence what a yes will do."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from engine.plans.diff import FileDiff
from engine.plans.flag_words import reaches_lasting
from engine.plans.plan import Append, Change, Create, Move, Replace
from engine.plans.sizes import FileSize
from engine.workspace.layout import TIER_FOLDERS
from engine.workspace.values import MemoryTier
from tui.present.approvals.plan import LoadedPlan
from tui.present.spans import Line, Role, Span, join
from tui.present.words import count, file_name, noun, safe, tail

_MOST_NAMED, _MOST_FILES = 2, 3
"""Kinds of change, and files of lasting memory, that the line names; the others are counted."""
_VERBS: dict[type, tuple[str, str]] = {
    Create: ("creates", "create"),
    Append: ("appends to", "append"),
    Replace: ("rewrites", "replace"),
    Move: ("moves", "move"),
}


def sentence(loaded: LoadedPlan, numbers: Sequence[int]) -> Line:
    """`Appends 1 entry to openclaw.md: 1,078 → 1,177 of 1,200 tokens; moves 10 notes to the archive.`"""
    picks = set(numbers)
    lasting = [size for size in loaded.sizes.files if size.n in picks]
    told = {size.n for size in lasting}
    rest = [
        (change, diff)
        for change, diff in zip(loaded.plan.changes, loaded.diffs, strict=True)
        if change.n in picks and change.n not in told
    ]
    by_number = {change.n: change for change in loaded.plan.changes}
    parts = [_lasting(size, by_number[size.n]) for size in lasting[:_MOST_FILES]]
    if len(lasting) > _MOST_FILES:
        parts.append((Span(f"and {noun(len(lasting) - _MOST_FILES, 'more file')} of lasting memory"),))
    parts += [(Span(words),) for words in _others(rest)]
    line = join(parts, Span("; "))
    return _sentence_case(line)


def _sentence_case(line: Line) -> Line:
    if not line:
        return (Span("Changes nothing.", "strong"),)
    first = line[0]
    return (first._replace(text=first.text[:1].upper() + first.text[1:]), *line[1:], Span("."))


def _lasting(size: FileSize, change: Change) -> Line:
    """Says what happens to one file that lasts, with its size in tokens."""
    name = file_name(size.path)
    if size.entries > 0 and isinstance(change, Replace):
        what = f"rewrites with {_entries(size.entries)} more "
    elif size.entries > 0:
        what = f"{'creates' if isinstance(change, Create) else 'appends'} {_entries(size.entries)} "
        what += "in " if isinstance(change, Create) else "to "
    elif size.entries < 0:
        what = f"takes {_entries(-size.entries)} out of "
    else:
        what = f"{_VERBS[type(change)][0]} "
    limit = f" of {count(size.limits[-1])}" if size.limits else ""
    role: Role = "risk" if any(size.after > limit for limit in size.limits[1:] or size.limits) else "text"
    return (
        Span(what, "strong"),
        Span(name, "strong"),
        Span(": "),
        Span(f"{count(size.before)} → {count(size.after)}{limit} tokens", role),
    )


def _entries(many: int) -> str:
    return "1 entry" if many == 1 else f"{count(many)} entries"


def _others(rest: Sequence[tuple[Change, FileDiff]]) -> list[str]:
    """Every other change, by verb and folder, the most frequent first."""
    kinds = Counter((type(change), _where(change)) for change, _ in rest)
    found = []
    for (kind, where), many in kinds.most_common():
        what = noun(many, "file")
        match kind:
            case _ if kind is Move:
                found.append(f"moves {what} to {where}")
            case _ if kind is Create:
                found.append(f"creates {what} in {where}")
            case _:
                found.append(f"{_VERBS[kind][0]} {what} in {where}")
    if len(found) > _MOST_NAMED + 1:
        return [*found[:_MOST_NAMED], f"and {noun(sum(kinds.values()) - _counted(kinds), 'more change')}"]
    return found


def _counted(kinds: Counter[tuple[type[Change], str]]) -> int:
    return sum(many for _, many in kinds.most_common(_MOST_NAMED))


def _where(change: Change) -> str:
    """The folder a change writes into; the archive has a name of its own."""
    if not isinstance(change, Move):
        return _folder_words(change.path.rpartition("/")[0], moved=False)
    return tail(change.to) if reaches_lasting(change) else _folder_words(change.to.rpartition("/")[0], moved=True)


@lru_cache(maxsize=256)
def _folder_words(path: str, *, moved: bool) -> str:
    folder, archive = safe(path), TIER_FOLDERS[MemoryTier.ARCHIVE]
    in_archive = moved and (folder == archive or folder.startswith(f"{archive}/"))
    return "the archive" if in_archive else tail(folder) or "the workspace"
