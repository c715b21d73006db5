"""Says in one sentence what approving a plan will do."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from engine.plans.flags import reaches_lasting
from engine.plans.plan import Append, Change, Create, Move, Plan, Replace
from engine.plans.sizes import FileSize, PlanSizes
from engine.workspace.layout import TIER_FOLDERS
from engine.workspace.values import MemoryTier
from tui.present.spans import Line, Span, join
from tui.present.words import count, names_apart, noun, safe, tail

_MOST_NAMED, _MOST_FILES, _MOST_ENDS = 2, 3, 12
"""Limits of what a line names: kinds of change, files with changes, files with only sizes."""
_VERBS: dict[type, tuple[str, str]] = {
    Create: ("creates", "create"),
    Append: ("appends to", "append"),
    Replace: ("rewrites", "replace"),
    Move: ("moves", "move"),
}


def sentence(plan: Plan, sizes_of: PlanSizes, numbers: Sequence[int]) -> Line:
    """Returns `Appends 19 entries to openclaw.md: 0 → 1,190 of 1,200 tokens; moves 10 notes to the archive.`"""
    picks, sizes = set(numbers), sizes_of.files(numbers)
    told = {n for size in sizes for n in size.changes}
    chosen = [change for change in plan.changes if change.n in picks]
    by_number = {change.n: change for change in chosen}
    names = names_apart([size.path for size in sizes])
    parts = [
        _lasting(size, name, [by_number[n] for n in size.changes])
        for size, name in zip(sizes[:_MOST_FILES], names, strict=False)
    ]
    parts += [_ends(sizes[_MOST_FILES:], names[_MOST_FILES:])] if len(sizes) > _MOST_FILES else []
    parts += [(Span(words),) for words in _others([change for change in chosen if change.n not in told])]
    return _sentence_case(join(parts, Span("; ")))


def _sentence_case(line: Line) -> Line:
    if not line:
        return (Span("Changes nothing.", "strong"),)
    first = line[0]
    return (first._replace(text=first.text[:1].upper() + first.text[1:]), *line[1:], Span("."))


def _lasting(size: FileSize, name: str, changes: Sequence[Change]) -> Line:
    """Says what the changes do to one lasting file, and its size in tokens before and after."""
    kinds = {type(change) for change in changes}
    kind = next(kind for kind in (Create, Replace, Append) if kind in kinds)
    if size.entries > 0 and kind is Replace:
        what = f"rewrites with {_entries(size.entries)} more "
    elif size.entries > 0:
        what = f"{'creates' if kind is Create else 'appends'} {_entries(size.entries)} "
        what += "in " if kind is Create else "to "
    elif size.entries < 0:
        what = f"takes {_entries(-size.entries)} out of "
    else:
        what = f"{_VERBS[kind][0]} "
    return (Span(what, "strong"), Span(name, "strong"), Span(": "), end(size, " tokens"))


def end(size: FileSize, unit: str = "") -> Span:
    """Returns `28 → 272 of 1,200`: the tokens of a file before and after, in colour where it ends above a limit."""
    limit = f" of {count(size.limits[-1])}" if size.limits else ""
    return Span(f"{count(size.before)} → {count(size.after)}{limit}{unit}", "risk" if size.is_over else "text")


def ends(sizes: Sequence[FileSize], names: Sequence[str]) -> Line:
    """Returns `people.md 3 → 40 of 1,200, rules.md 7 → 80 of 1,200`."""
    pairs = zip(sizes, names, strict=True)
    return join([(Span(f"{name} ", "strong"), end(size)) for size, name in pairs], Span(", "))


def _ends(sizes: Sequence[FileSize], names: Sequence[str]) -> Line:
    """Names the further files with their sizes before and after, and adds up those beyond `_MOST_ENDS`."""
    named, rest = sizes[:_MOST_ENDS], sizes[_MOST_ENDS:]
    line: Line = (Span("also "), *ends(named, names[:_MOST_ENDS]))
    if rest:
        before, after = sum(size.before for size in rest), sum(size.after for size in rest)
        line += (Span(f" and {noun(len(rest), 'more file')} of lasting memory, {count(before)} → {count(after)}"),)
    return line


def _entries(many: int) -> str:
    return "1 entry" if many == 1 else f"{count(many)} entries"


def _others(rest: Sequence[Change]) -> list[str]:
    """Counts the remaining changes by verb and folder, the most frequent first."""
    kinds = Counter((type(change), _where(change)) for change in rest)
    phrases = []
    for (kind, where), many in kinds.most_common():
        what = noun(many, "file")
        match kind:
            case _ if kind is Move:
                phrases.append(f"moves {what} to {where}")
            case _ if kind is Create:
                phrases.append(f"creates {what} in {where}")
            case _:
                phrases.append(f"{_VERBS[kind][0]} {what} in {where}")
    if len(phrases) > _MOST_NAMED + 1:
        more = sum(many for _, many in kinds.most_common()[_MOST_NAMED:])
        return [*phrases[:_MOST_NAMED], f"and {noun(more, 'more change')}"]
    return phrases


def _where(change: Change) -> str:
    """Names the folder that a change writes into; the archive is called by its own name."""
    if not isinstance(change, Move):
        return _folder_words(change.path.rpartition("/")[0], moved=False)
    return tail(change.to) if reaches_lasting(change) else _folder_words(change.to.rpartition("/")[0], moved=True)


@lru_cache(maxsize=256)
def _folder_words(path: str, *, moved: bool) -> str:
    folder, archive = safe(path), TIER_FOLDERS[MemoryTier.ARCHIVE]
    in_archive = moved and (folder == archive or folder.startswith(f"{archive}/"))
    return "the archive" if in_archive else tail(folder) or "the workspace"
