"""Words two prompts side by side: each item with its tokens in both, what came in, what fell out, and why."""

from engine.context.compile.prompt import ItemChange, ItemFate, PromptComparison, PromptItem
from tui.present.context.prompt import item_figure, item_name
from tui.present.glyphs import ITEM_FATES
from tui.present.spans import Line, Span
from tui.present.words import noun, safe

_NAME, _SLOT, _FIGURE = 24, 14, 14
"""Cells of the columns: a row fits into the reader of a terminal of 80 columns, and the reason stands below it."""
MOST_LINES = 6  # lines of an item that differ, each way, which are shown


def side_words(item: PromptItem | None) -> str:
    """The tokens of an item on one side; a dash where it is no candidate."""
    return item_figure(item) if item is not None else "–"


def counts_words(found: PromptComparison) -> str:
    """`2 came in · 1 fell out · 3 changed · the prefix stays`."""
    counts = [f"{found.count(fate)} {fate.value}" for fate in ItemFate if found.count(fate)]
    return " · ".join((*counts, "the prefix stays" if found.prefix_kept else "the prefix differs"))


def sides_words(found: PromptComparison) -> str:
    """`now, 4,992 of 8,192 tokens → after p-20260315-0001, 5,100 of 8,192 tokens`."""
    sides = zip(found.names, (found.before, found.after), strict=True)
    return " → ".join(safe(f"{name}, {one.tokens:,} of {one.budget:,} tokens") for name, one in sides)


def differing(found: PromptComparison) -> list[ItemChange]:
    return [change for change in found.changes if change.fate is not ItemFate.SAME]


def shown_lines(change: ItemChange) -> list[tuple[str, str]]:
    """The first lines that differ, each with `−` or `+`, and how many more there are."""
    shown: list[tuple[str, str]] = []
    if change.fate is ItemFate.CHANGED:
        for mark, lines in (("−", change.gone), ("+", change.added)):
            told = [line for line in lines if line.strip()]
            shown += [(mark, safe(line)) for line in told[:MOST_LINES]]
            if len(told) > MOST_LINES:
                shown.append((mark, f"and {noun(len(told) - MOST_LINES, 'more line')}"))
    return shown


def comparison_lines(found: PromptComparison) -> tuple[Line, ...]:
    """The comparison to be read: the two sides, then each item that differs, the same ones counted."""
    first, last = (safe(name).removeprefix("after ")[:_FIGURE] for name in found.names)
    head = f"   {'':<{_SLOT}}{'':<{_NAME}}{first:>{_FIGURE}}  {last:>{_FIGURE}}"
    lines: list[Line] = [
        (Span(sides_words(found), "title"),),
        (Span(counts_words(found), "info"),),
        (),
        (Span(head, "muted"),),
    ]
    for change in differing(found):
        sign, item = ITEM_FATES[change.fate.value], change.item
        figures = f"{side_words(change.before):>{_FIGURE}}  {side_words(change.after):>{_FIGURE}}"
        name = item_name(item)
        short = name if len(name) < _NAME else f"…{name[-_NAME + 2 :]}"
        place = (Span(f" {item.slot.value:<{_SLOT}}", "muted"), Span(f" {short:<{_NAME}}", "strong"))
        lines.append((sign.mark, *place, Span(figures)))
        lines += [(Span(f"     {safe(change.reason)}", "muted"),)] if change.reason else []
        for mark, line in shown_lines(change):
            lines.append((Span(f"     {mark} {line}", "added" if mark == "+" else "removed"),))
    return tuple(lines)
