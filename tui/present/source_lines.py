"""Shows the lines of a note that a line was made from, with lines around them."""

from engine.text.digits import whole_number
from engine.workspace.values import LineSpan
from tui.present.markdown import parts
from tui.present.spans import Line, Role, Span
from tui.present.words import safe


def source_lines(span: LineSpan, first: int, texts: tuple[str, ...]) -> tuple[Line, ...]:
    """Shows `texts`, the first of which is line `first`; the lines of the span stand out."""
    if not texts:
        return ((Span("these lines are no longer there", "warn"),),)
    return tuple(_line(number, text, span.start <= number <= span.end) for number, text in enumerate(texts, first))


def named(span: LineSpan) -> str:
    """Returns `memory/working/deploy.md:14`, with the last line if there are several."""
    return safe(f"{span.path}:{span.start}" if span.start == span.end else f"{span.path}:{span.start}–{span.end}")


def file_line(text: str) -> tuple[str, int] | None:
    """Reads the path and the line of `memory/2026-03-15.md:12`; None if it names no line."""
    path, _, number = text.rpartition(":")
    line = whole_number(number)
    return (path, line) if path and line else None


def note_lines(texts: tuple[str, ...]) -> tuple[Line, ...]:
    return numbered_lines(1, texts)


def numbered_lines(first: int, texts: tuple[str, ...]) -> tuple[Line, ...]:
    """Numbers lines of a note, beginning with `first`."""
    return tuple(_numbered(" ", number, safe(text), "text") for number, text in enumerate(texts, first))


def _line(number: int, text: str, meant: bool) -> Line:
    if meant:
        return _numbered("▌", number, safe(text), "strong")
    return (Span(" ", "accent"), Span(f"{number:>5}  ", "gutter"), Span(safe(text), "muted"))


def _numbered(sign: str, number: int, shown: str, role: Role) -> Line:
    gutter = (Span(sign, "accent"), Span(f"{number:>5}  ", "gutter"))
    spans: list[Span] = []
    at = 0
    for part in parts(shown):
        spans += [Span(shown[at : part.start], role), Span(shown[part.start : part.end], role, part.role)]
        at = part.end
    return (*gutter, *spans, Span(shown[at:], role))
