"""Words a compiled prompt: its slots as one bar, its items with state and reason, and where the prefix ends."""

from engine.context.compile.prompt import CompiledPrompt, ItemState, PromptItem, PromptSlot
from tui.present.glyphs import ITEM_STATES, Sign
from tui.present.words import safe, short_digest


def item_sign(item: PromptItem) -> Sign:
    return ITEM_STATES[item.state]


def item_figure(item: PromptItem) -> str:
    """`640`, `640 of 1,204`, or nothing for what is dropped."""
    if item.state is ItemState.DROPPED:
        return f"0 of {item.whole:,}" if item.whole else "–"
    return f"{item.tokens:,} of {item.whole:,}" if item.state is ItemState.CUT else f"{item.tokens:,}"


def item_name(item: PromptItem) -> str:
    """The label, with the line where it does not name one."""
    return safe(f"{item.label}:{item.line}" if item.line and item.slot is PromptSlot.KNOWLEDGE else item.label)


def item_why(item: PromptItem) -> str:
    """The reason, or for a hit its score."""
    if item.reason:
        return safe(item.reason)
    return f"score {item.score:.3f}" if item.score is not None else ""


def total_words(prompt: CompiledPrompt) -> str:
    """`7,904 of 8,192 tokens (o200k_base) · main`."""
    return f"{prompt.tokens:,} of {prompt.budget:,} tokens ({prompt.tokenizer}) · {prompt.session.value}"


def prefix_words(prompt: CompiledPrompt) -> str:
    """`prefix stable for 4,120 tokens · sha 9f3a 61c0`."""
    return f"prefix stable for {prompt.prefix.tokens:,} tokens · sha {short_digest(prompt.prefix.sha256)}"


def counted(prompt: CompiledPrompt) -> str:
    """`12 included · 1 cut · 3 dropped`."""
    numbers = {state: sum(item.state is state for item in prompt.items) for state in ItemState}
    return " · ".join(f"{number} {state.value}" for state, number in numbers.items() if number)
