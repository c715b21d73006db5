"""Makes the rows of Search: hits, the method and state of the index, and the texts without hits."""

from collections.abc import Callable, Sequence

from engine.search.dates.days_in_question import DaySpan
from engine.search.naming import safe_name
from engine.search.values import IndexState, SearchAnswer, SearchHit, SearchMethod
from engine.text.safe_text import cell_width
from engine.workspace.values import Progress
from tui.present.search.preview import marked, path_within, pattern
from tui.present.search.query_filters import (
    Filters,
    SearchOutcome,
    category_words,
    filter_words,
    filters_in_words,
    joined,
)
from tui.present.spans import Line, ListRow, Role, Span
from tui.present.words import count, milliseconds, noun, safe, text_lines, words_of

INVITATION = "type to search knowledge, memory and transcripts"


def empty_words(
    outcome: SearchOutcome | None, filters: Filters, saved: int, *, no_notes: bool = False
) -> tuple[Line, ...]:
    """Explains how to search, or why nothing was found and what may help."""
    if outcome is None or outcome.asked.nothing:
        saves = (("S", noun(saved, "saved search", "saved searches")),) if saved else ()
        keys = (*words_of("search")["keys"], *saves)
        return (
            *((Span(f"{asked:<23}", "accent"), Span(what, "muted")) for asked, what in words_of("search")["examples"]),
            (),
            *((Span(f"{key:<7}", "key"), Span(what, "muted")) for key, what in keys),
        )
    if outcome.asked.like:
        return ((Span("nothing else is like this note", "muted"),), _key("esc", "back to the query"))
    if no_notes:
        return text_lines("no_notes")
    lines = text_lines("not_found")
    if filters.any:
        narrowed = tuple(words for words, narrows in filters_in_words(filters) if narrows)
        lines += ((), _key("esc", f"removes: {' · '.join(narrowed)}"))
    return lines


def _key(key: str, words: str) -> Line:
    return (Span(key, "key"), Span(f" {words}", "muted"))


_APART = 4  # cells between a title and a path, and behind that


class HitRows:
    """Shows two rows for each hit: what it is, and its best line. `scores` shows the parts of its score instead."""

    def __init__(self, answer: SearchAnswer, room: Callable[[], int], *, scores: bool = False) -> None:
        """Takes `room`, the cells of a row, to which paths are shortened."""
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
    """Returns `▕████▒▒ ▏ 1.440 = BM25 0.830 + vectors 0.610`, with a bar relative to the best score."""
    full, words = (round(SCORE_CELLS * min(1.0, part / best)) if best > 0 else 0 for part in (hit.score, hit.words))
    has_meaning = hit.vector is not None or hit.meaning
    meaning = (Span(" + vectors ", "muted"), Span(f"{hit.meaning:.3f}", "info")) if has_meaning else ()
    dates = (Span(" + dates ", "muted"), Span(f"{hit.dates:.3f}", "accent")) if hit.dates else ()
    return (
        *(Span("▕", "rule"), Span("█" * words, "bar_ok"), Span("▒" * (full - words), "info")),
        *(Span(" " * (SCORE_CELLS - full), "bar_empty"), Span("▏ ", "rule"), Span(f"{hit.score:.3f}", "accent")),
        *(Span(" = BM25 ", "muted"), Span(f"{hit.words:.3f}", "text"), *meaning, *dates),
    )


MOST = 100  # hits that are asked for: nobody reads on so far, and more are found by a better question
_ENGINES: dict[SearchMethod, tuple[str, Role]] = {
    SearchMethod.HYBRID: ("BM25 + vectors", "ok"),
    SearchMethod.LEXICAL: ("BM25 alone", "warn"),
    SearchMethod.RIPGREP: ("ripgrep, without the index", "warn"),
    SearchMethod.PYTHON: ("file by file, without the index", "warn"),
}


def _filter_row(filters: Filters, right: Line) -> ListRow:
    narrows = [Span(words, "warn") for words, narrow in filters_in_words(filters) if narrow]
    if not narrows:
        return ListRow(filter_words(filters), right)
    wide = [Span(f" · {words}", "muted") for words, narrow in filters_in_words(filters) if not narrow]
    return ListRow(joined(narrows), right, tuple(wide))


def standing_row(outcome: SearchOutcome | None, filters: Filters, *, busy: bool) -> ListRow:
    """Makes the line under the field: filters, number of files, search method, and time."""
    if outcome is None or outcome.asked.nothing:
        return _filter_row(filters, (Span("searching…", "muted"),) if busy else ())
    words, role = _ENGINES[outcome.answer.engine]
    hits = len(outcome.answer.hits)
    files = f"the best {hits} files" if hits >= MOST else noun(hits, "file")
    took = Span(f" · {milliseconds(outcome.milliseconds)}", "muted")
    right: Line = (Span("searching…", "muted"),) if busy else (Span(f"{files} · ", "muted"), Span(words, role), took)
    if not outcome.asked.like:
        return _with_days(_filter_row(filters, right), outcome.answer.spans)
    folder, _, name = safe_name(outcome.asked.like).rpartition("/")
    where: Line = (Span(f"  {safe(folder)}", "muted"),) if folder else ()
    return ListRow((Span("like ", "muted"), Span(safe(name), "warn")), right, where)


def _with_days(row: ListRow, spans: Sequence[DaySpan]) -> ListRow:
    """Adds a chip with the days that the query mentions, and the key that ignores them."""
    if not spans:
        return row
    chip = Span(f"[near {', '.join(span.days for span in spans)}]", "accent")
    return ListRow((chip, Span(" d", "key"), Span(" off · ", "muted"), *row.left), row.right, row.extra)


def trouble(outcome: SearchOutcome | None) -> tuple[Line, ...]:
    """Says why this answer may be worse than it could be, a line for each reason."""
    if outcome is None:
        return ()
    fell_back = outcome.answer.engine in (SearchMethod.RIPGREP, SearchMethod.PYTHON)
    sign = Span("▲ " if fell_back else "! ", "risk" if fell_back else "warn")
    lines: tuple[Line, ...] = tuple((sign, Span(safe(words), "warn")) for words in outcome.answer.degraded)
    hits = outcome.answer.hits
    if hits and not any(hit.bm25 for hit in hits) and not outcome.asked.like:
        lines += ((Span("· no note holds these words; these come nearest in meaning", "info"),),)
    return lines


def index_words(standing: IndexState | None, progress: Progress | None) -> tuple[Line, Line]:
    """Says how far an unfinished index is: `indexing 120/4,000`, and a bar to show if it fits."""
    if standing is None and progress is None:
        return (), ()
    if standing is not None and standing.problem:
        return (Span("▲ ", "risk"), Span(safe(f"index: {standing.problem}"), "warn")), ()
    if progress is not None and progress.total and progress.done < progress.total:
        full = round(progress.share * 10)
        mb = f" · {progress.size / 1e6:,.0f}/{progress.total_size / 1e6:,.0f} MB" if progress.total_size >= 1e7 else ""
        words = Span(f"{safe(progress.stage)} {count(progress.done)}/{count(progress.total)}{mb}", "info")
        bar = (Span("█" * full, "bar_ok"), Span(" " * (10 - full), "bar_empty"))
        return (words,), (Span(" ▕", "rule"), *bar, Span("▏", "rule"))
    if standing is not None and (standing.pending or standing.lacking):
        what = f"{noun(standing.pending, 'file')} to index" if standing.pending else ""
        return (Span(what or f"{noun(standing.lacking, 'chunk')} to embed", "info"),), ()
    return (), ()


def with_index(row: ListRow, index: tuple[Line, Line]) -> ListRow:
    """Adds the state of the index to the line under the field, instead of inactive filters."""
    words, bar = index
    before = () if row.left == filter_words(Filters()) else (*row.left, Span("   "))
    right = () if words and words[0].role == "risk" else row.right  # why it goes no further is read whole
    return ListRow((*before, *words), right, bar) if words else row
