"""Shows what undoing an operation does to each file."""

from engine.plans.diff import FileDiff
from engine.plans.operation import Effect, Rename, Withdraw, Write
from tui.present.diff import short_figures
from tui.present.spans import LazyRows, ListRow, Span
from tui.present.words import tail

VERB = 11  # cells of the longest word for it, and what keeps it from the path


def effect_words(effect: Effect, *, past: bool = False) -> tuple[str, str]:
    """Returns the verb of an effect, planned or `past`, and its path."""
    match effect:
        case Write(path=path, before=before):
            new, old = ("created", "wrote") if past else ("bring back", "restore")
            return new if before is None else old, tail(path)
        case Rename(path=path, to=to) if past:
            return "moved", f"{tail(path)} → {tail(to).rpartition('/')[0] or tail(to)}"
        case Rename(path=path, to=to):
            return "move back", f"{tail(to)}  from {tail(path).rpartition('/')[0] or '.'}"
        case Withdraw(path=path):
            return "took out" if past else "take out", tail(path)


class ReversalRows(LazyRows[tuple[Effect, FileDiff]]):
    """Shows a row for each file, with the figures of its reverse diff."""

    def made(self, pair: tuple[Effect, FileDiff]) -> ListRow:
        words, path = effect_words(pair[0])
        return ListRow((Span(f"{words:<{VERB}}", "accent"), Span(path)), short_figures(pair[1]))
