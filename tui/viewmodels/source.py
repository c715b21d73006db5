"""The lines of a note that a line was made from, with some around them."""

from engine.workspace.values import LineSpan
from tui.viewmodels.markdown import parts
from tui.viewmodels.spans import Line, Span
from tui.viewmodels.wording import safe


def source_lines(span: LineSpan, first: int, texts: tuple[str, ...]) -> tuple[Line, ...]:
    """`texts`, of which the first is line `first`: those of the span stand out, the others give them their place."""
    if not texts:
        return ((Span("these lines are no longer there", "warn"),),)
    return tuple(_line(number, text, span.start <= number <= span.end) for number, text in enumerate(texts, first))


def _line(number: int, text: str, meant: bool) -> Line:
    shown = safe(text)
    gutter = (Span("▌" if meant else " ", "accent"), Span(f"{number:>5}  ", "gutter"))
    if not meant:
        return (*gutter, Span(shown, "muted"))
    spans: list[Span] = []
    at = 0
    for part in parts(shown):
        spans += [Span(shown[at : part.start], "strong"), Span(shown[part.start : part.end], "strong", part.role)]
        at = part.end
    return (*gutter, *spans, Span(shown[at:], "strong"))
