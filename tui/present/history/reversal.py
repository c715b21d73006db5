"""Shows what taking an operation back does to each file."""

from collections.abc import Sequence

from engine.plans.diff import FileDiff
from engine.plans.operation import Effect, Rename, Withdraw, Write
from tui.present.diff import short_figures
from tui.present.spans import ListRow, Span
from tui.present.words import tail

VERB = 11
"""Cells of the longest word for it, and what keeps it from the path."""


def effect_words(effect: Effect) -> tuple[str, str]:
    """Gives the word for an effect to come, and its path."""
    match effect:
        case Write(path=path, before=None):
            return "bring back", tail(path)
        case Write(path=path):
            return "restore", tail(path)
        case Rename(path=path, to=to):
            return "move back", f"{tail(to)}  from {tail(path).rpartition('/')[0] or '.'}"
        case Withdraw(path=path):
            return "take out", tail(path)


class ReversalRows:
    """A row per file, with the figures of its reverse diff."""

    def __init__(self, effects: Sequence[Effect], diffs: Sequence[FileDiff]) -> None:
        self._effects, self._diffs = effects, diffs

    def __len__(self) -> int:
        return min(len(self._effects), len(self._diffs))

    def row(self, index: int) -> ListRow:
        words, path = effect_words(self._effects[index])
        return ListRow((Span(f"{words:<{VERB}}", "accent"), Span(path)), short_figures(self._diffs[index]))
