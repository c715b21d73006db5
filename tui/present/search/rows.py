"""Shows a question and its hits, as rows, a preview and a line that says who answered."""

from collections.abc import Callable

from engine.search.values import SearchAnswer, SearchHit
from engine.text.safe_text import cell_width
from tui.present.search.preview import marked, path_within, pattern
from tui.present.search.question import category_words
from tui.present.spans import Line, ListRow, Role, Span
from tui.present.words import safe

_APART = 4  # cells between a title and a path, and behind that


class HitRows:
    """Two rows a hit: what it is, and the line that was found. `scores`: the parts of its score in place of that."""

    def __init__(self, answer: SearchAnswer, room: Callable[[], int], *, scores: bool = False) -> None:
        """`room`: the cells of a row, which a path is shortened to."""
        self._answer, self._room, self._scores = answer, room, scores
        self._words = pattern(answer.words)

    def __len__(self) -> int:
        return 2 * len(self._answer.hits)

    def row(self, index: int) -> ListRow:
        hit = self._answer.hits[index // 2]
        return self._found(hit) if index % 2 else self._named(hit)

    def _named(self, hit: SearchHit) -> ListRow:
        title, kind = safe(hit.title), f"{'archived ' if hit.archived else ''}{category_words(hit.category)} "
        kind = f"+{len(hit.copies)} {kind}" if hit.copies else kind
        place = path_within(
            hit.label, self._room() - cell_width(title) - cell_width(kind) - cell_width(hit.day) - _APART
        )
        role: Role = "warn" if hit.archived else "info"
        right = (Span(kind, role), Span(hit.day, "muted"))
        return ListRow((Span(title, "strong"),), right, (Span(f"  {place}", "muted"),))

    def _found(self, hit: SearchHit) -> ListRow:
        if self._scores:
            return ListRow((Span("  "), *score_parts(hit, self._answer.hits[0].score)))
        return ListRow((Span("  "), *marked(safe(hit.snippet), self._words, "muted")))


SCORE_CELLS = 8  # cells of the bar before a score


def score_parts(hit: SearchHit, best: float) -> Line:
    """`▕████▒▒ ▏ 1.440 = BM25 0.830 + vectors 0.610`: a sum, and a bar as long as it is beside the best one."""
    full, words = (round(SCORE_CELLS * min(1.0, part / best)) if best > 0 else 0 for part in (hit.score, hit.words))
    has_meaning = hit.vector is not None or hit.meaning
    meaning = (Span(" + vectors ", "muted"), Span(f"{hit.meaning:.3f}", "info")) if has_meaning else ()
    dates = (Span(" + dates ", "muted"), Span(f"{hit.dates:.3f}", "accent")) if hit.dates else ()
    return (
        *(Span("▕", "rule"), Span("█" * words, "bar_ok"), Span("▒" * (full - words), "info")),
        *(Span(" " * (SCORE_CELLS - full), "bar_empty"), Span("▏ ", "rule"), Span(f"{hit.score:.3f}", "accent")),
        *(Span(" = BM25 ", "muted"), Span(f"{hit.words:.3f}", "text"), *meaning, *dates),
    )
