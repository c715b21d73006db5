"""The line under the query: filters, who answered, how fast, and how far the index is."""

from collections.abc import Sequence

from engine.search.dates.span import DaySpan
from engine.search.naming import safe_name
from engine.search.values import IndexState, SearchMethod
from engine.workspace.values import Progress
from tui.present.search.question import Filters, SearchOutcome, filter_words, filters_in_words, joined
from tui.present.spans import Line, ListRow, Role, Span
from tui.present.words import count, milliseconds, noun, safe

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


def standing_row(found: SearchOutcome | None, filters: Filters, *, busy: bool) -> ListRow:
    """The line under the field: filters, how many files, who answered, how fast."""
    if found is None or found.asked.nothing:
        return _filter_row(filters, (Span("searching…", "muted"),) if busy else ())
    words, role = _ENGINES[found.answer.engine]
    hits = len(found.answer.hits)
    files = f"the best {hits} files" if hits >= MOST else noun(hits, "file")
    right: Line = (
        Span(f"{files} · ", "muted"),
        Span(words, role),
        Span(f" · {milliseconds(found.milliseconds)}", "muted"),
    )
    if busy:
        right = (Span("searching…", "muted"),)
    if not found.asked.like:
        return _with_days(_filter_row(filters, right), found.answer.spans)
    folder, _, name = safe_name(found.asked.like).rpartition("/")
    where: Line = (Span(f"  {safe(folder)}", "muted"),) if folder else ()
    return ListRow((Span("like ", "muted"), Span(safe(name), "warn")), right, where)


def _with_days(row: ListRow, spans: Sequence[DaySpan]) -> ListRow:
    """The row with the days that the query speaks of first, as a chip, and the key that takes them away."""
    if not spans:
        return row
    chip = Span(f"[near {', '.join(span.days for span in spans)}]", "accent")
    return ListRow((chip, Span(" d", "key"), Span(" off · ", "muted"), *row.left), row.right, row.extra)


def trouble(found: SearchOutcome | None) -> tuple[Line, ...]:
    """Says why this answer may be worse than it could be, a line each."""
    if found is None:
        return ()
    fell_back = found.answer.engine in (SearchMethod.RIPGREP, SearchMethod.PYTHON)
    sign = Span("▲ " if fell_back else "! ", "risk" if fell_back else "warn")
    lines: tuple[Line, ...] = tuple((sign, Span(safe(words), "warn")) for words in found.answer.degraded)
    hits = found.answer.hits
    if hits and not any(hit.bm25 for hit in hits) and not found.asked.like:
        lines += ((Span("· no note holds these words; these come nearest in meaning", "info"),),)
    return lines


def index_words(standing: IndexState | None, progress: Progress | None) -> tuple[Line, Line]:
    """Says how far the index is, while it is not fresh: `indexing 120/4,000`, and a bar where there is room for one."""
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
    """The line under the field with how far the index is: in the place of filters that narrow nothing."""
    words, bar = index
    before = () if row.left == filter_words(Filters()) else (*row.left, Span("   "))
    right = () if words and words[0].role == "risk" else row.right  # why it goes no further is read whole
    return ListRow((*before, *words), right, bar) if words else row
