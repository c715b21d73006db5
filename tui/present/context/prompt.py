"""Shows a compiled prompt, or two compared: the state, tokens and reason of items, and which came in or fell out."""

from engine.context.compile.prompt import (
    CompiledPrompt,
    ItemChange,
    ItemFate,
    ItemState,
    PromptComparison,
    PromptItem,
    PromptSlot,
)
from tui.present.glyphs import ITEM_FATES, ITEM_STATES, Sign
from tui.present.spans import Line, Span
from tui.present.words import noun, safe, short_digest


def item_sign(item: PromptItem) -> Sign:
    return ITEM_STATES[item.state]


def item_figure(item: PromptItem) -> str:
    """Returns the tokens of an item, `640` or `640 of 1,204`; `–` or `0 of 1,204` if dropped."""
    if item.state is ItemState.DROPPED:
        return f"0 of {item.whole:,}" if item.whole else "–"
    return f"{item.tokens:,} of {item.whole:,}" if item.state is ItemState.CUT else f"{item.tokens:,}"


def item_name(item: PromptItem) -> str:
    """Returns the label of an item, followed by its line if it is knowledge."""
    return safe(f"{item.label}:{item.line}" if item.line and item.slot is PromptSlot.KNOWLEDGE else item.label)


def item_why(item: PromptItem) -> str:
    """Returns the reason for an item's state, or the score of a hit; empty without either."""
    if item.reason:
        return safe(item.reason)
    return f"score {item.score:.3f}" if item.score is not None else ""


def total_words(prompt: CompiledPrompt) -> str:
    """Returns `7,904 of 8,192 tokens (o200k_base) · main`."""
    return f"{prompt.tokens:,} of {prompt.budget:,} tokens ({prompt.tokenizer}) · {prompt.session.value}"


def prefix_words(prompt: CompiledPrompt) -> str:
    """Returns `prefix stable for 4,120 tokens · sha 9f3a 61c0`."""
    return f"prefix stable for {prompt.prefix.tokens:,} tokens · sha {short_digest(prompt.prefix.sha256)}"


def counted(prompt: CompiledPrompt) -> str:
    """Returns `12 included · 1 cut · 3 dropped`."""
    numbers = {state: sum(item.state is state for item in prompt.items) for state in ItemState}
    return " · ".join(f"{number} {state.value}" for state, number in numbers.items() if number)


_NAME, _SLOT, _FIGURE = 24, 14, 14
"""Widths of the columns in cells: a row fits a terminal of 80 columns, with the reason on the next line."""
MOST_LINES = 6  # lines of an item that differ, each way, which are shown


def side_words(item: PromptItem | None) -> str:
    """Returns the tokens of an item on one side, or a dash if that prompt does not have it."""
    return item_figure(item) if item is not None else "–"


def counts_words(compared: PromptComparison) -> str:
    """Returns `2 came in · 1 fell out · 3 changed · the prefix stays`."""
    counts = [f"{compared.count(fate)} {fate.value}" for fate in ItemFate if compared.count(fate)]
    return " · ".join((*counts, "the prefix stays" if compared.prefix_kept else "the prefix differs"))


def sides_words(compared: PromptComparison) -> str:
    """Returns `now, 4,992 of 8,192 tokens → after p-20260315-0001, 5,100 of 8,192 tokens`."""
    sides = zip(compared.names, (compared.before, compared.after), strict=True)
    return " → ".join(safe(f"{name}, {prompt.tokens:,} of {prompt.budget:,} tokens") for name, prompt in sides)


def differing(compared: PromptComparison) -> list[ItemChange]:
    return [change for change in compared.changes if change.fate is not ItemFate.SAME]


def shown_lines(change: ItemChange) -> list[tuple[str, str]]:
    """Lists the first differing lines, each with `−` or `+`, and how many more there are."""
    shown: list[tuple[str, str]] = []
    if change.fate is ItemFate.CHANGED:
        for mark, lines in (("−", change.gone), ("+", change.added)):
            told = [line for line in lines if line.strip()]
            shown += [(mark, safe(line)) for line in told[:MOST_LINES]]
            if len(told) > MOST_LINES:
                shown.append((mark, f"and {noun(len(told) - MOST_LINES, 'more line')}"))
    return shown


def comparison_lines(compared: PromptComparison) -> tuple[Line, ...]:
    """Shows both prompts and each item that differs; equal items are only counted."""
    first, last = (safe(name).removeprefix("after ")[:_FIGURE] for name in compared.names)
    lines: list[Line] = [
        (Span(sides_words(compared), "title"),),
        (Span(counts_words(compared), "info"),),
        (),
        (Span(f"   {'':<{_SLOT}}{'':<{_NAME}}{first:>{_FIGURE}}  {last:>{_FIGURE}}", "muted"),),
    ]
    for change in differing(compared):
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
