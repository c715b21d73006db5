"""Runs `search` and `index`: searches knowledge, memory and transcripts, and updates the index."""

import time
from collections.abc import Sequence

import msgspec

from engine.errors import UsageError
from engine.search.saved_searches import SavedSearch
from engine.search.values import Category, IndexReport, SearchAnswer, by_month
from engine.text.safe_text import visible_line
from tui.cli.output import Answer, Styled, Text, fields
from tui.cli.progress import progress, stoppable
from tui.cli.settings import Settings, command, opened
from tui.present.search.day_spans import days
from tui.present.search.preview import copy_words
from tui.present.search.query_filters import Filters, filter_words
from tui.present.spans import plain
from tui.present.words import duration, noun

MOST = 1_000  # hits of one answer, as many as the engine gives
_MONTHS = 76  # cells of the strip of months below the hits
STOPPED = "what is indexed so far is kept, and `memdeck index` goes on from there"
TELLING_BYTES = 1_000_000  # bytes from which the speed of an update says anything


@command("search")
def search_command(
    settings: Settings,
    query: str | None,
    count: int,
    category: str | None,
    dates: str | None,
    no_dates: bool,
    operators: bool,
    like: str | None,
    saved: str | None,
    save: str | None,
    forget: str | None,
) -> Answer:
    # Each alone says what is asked for: none of them is a limit of another.
    if sum(given is not None for given in (query, like, saved, forget)) > 1:
        raise UsageError("one of QUERY, --like, --saved and --forget", where="search")
    console = opened(settings)
    search = console.search
    if forget is not None:
        search.saved.forget(forget)
    if query is None and like is None and saved is None:
        searches = search.saved.all()
        return Answer(searches, _saved_rows(searches))
    if like is not None:
        return _answer(search.more_like_this(like, count))
    since, until = days(dates or "", console.now().date())
    kind = Category(category) if category else None
    asked = SavedSearch(
        name="", query=query or "", category=kind, since=since, until=until, operators=operators, days=not no_dates
    )
    if saved is not None:
        asked = search.saved.find(saved)
    if save is not None:
        search.saved.keep(msgspec.structs.replace(asked, name=save))
    with progress(settings) as tick:
        hits = search.find(
            asked.query,
            count,
            asked.category,
            operators=asked.operators,
            since=asked.since,
            until=asked.until,
            # `--no-dates` also holds for a saved search in which the days count.
            dates=asked.days and not no_dates,
            tick=tick,
        )
    if not hits.hits and asked.query.strip():
        console.uses.not_found(asked.query, own=True)
    return _answer(hits)


def _saved_rows(searches: Sequence[SavedSearch]) -> Text:
    if not searches:
        yield "no search is saved: memdeck search QUERY --save NAME"
    for saved in searches:
        filters = Filters(saved.category, saved.since, saved.until, saved.operators, saved.days)
        yield Styled(saved.name, bold=True), f"  {saved.query}  ", Styled(plain(filter_words(filters)), dim=True)


def _answer(answer: SearchAnswer) -> Answer:
    remarks = [*answer.degraded, *(["`memdeck index` brings them in"] if answer.pending else [])]
    return Answer(answer_json(answer), answer_rows(answer), remarks=remarks)


@command("index")
def index_command(settings: Settings, rebuild: bool) -> Answer:
    search = opened(settings).search
    started = time.monotonic()
    with progress(settings, lines=True) as paint, stoppable(paint, STOPPED) as tick:
        report = search.index(rebuild=rebuild, tick=tick)
    seconds = time.monotonic() - started
    facts = {**msgspec.to_builtins(report), "seconds": round(seconds, 1)}
    return Answer(facts, [report_line(report, seconds)], text_remarks=report.remarks)


def answer_json(answer: SearchAnswer) -> list[dict[str, object]]:
    """Returns the rows that CLI.md promises, with last lines, dates, parts of the scores, and copies."""
    names = "path category title line score bm25 vector snippet end_line day words meaning dates archived"
    near = [span.days for span in answer.spans]
    return [
        {
            **fields(hit, names),
            "path": hit.label,
            "near": near,
            "copies": [{"level": copy.level.value, "path": copy.label, "line": copy.line} for copy in hit.copies],
        }
        for hit in answer.hits
    ]


def answer_rows(answer: SearchAnswer) -> Text:
    if answer.spans:
        days = ", ".join(f"{span.text} ({span.days})" for span in answer.spans)
        yield Styled(visible_line(f"near {days}; --no-dates leaves the days out"), dim=True)
    if not answer.hits:
        yield "nothing found"
    for hit in answer.hits:
        parts = f"{hit.score:.3f} = BM25 {hit.words:.3f}"
        parts += f" + vectors {hit.meaning:.3f}" if hit.vector is not None or hit.meaning else ""
        parts += f" + dates {hit.dates:.3f}" if hit.dates else ""
        yield (
            Styled(f"{hit.label}:{hit.line}", fg="cyan", bold=True),
            Styled("  archived" if hit.archived else "", fg="yellow"),
            f"  {hit.title}  ",
            Styled(parts, dim=True),
        )
        yield "    ", hit.snippet
        if hit.copies:
            also = " · ".join(copy_words(copy) for copy in hit.copies)
            yield Styled(f"    also in {also}", dim=True)
    from tui.present.count_strip import strip_of

    if months := strip_of(by_month(answer.hits), _MONTHS):
        yield "", Styled(plain(months), dim=True)


def report_line(report: IndexReport, seconds: float) -> str:
    changed = f"{report.added:,} read, {report.removed:,} taken out · "
    if report.size >= TELLING_BYTES:
        size, rate = report.size / 1e6, report.size / 1e6 / max(seconds, 0.001)
        changed += f"{size:,.0f} MB in {duration(seconds)}, {rate:.1f} MB/s · "
    vectors = f"{report.vectors:,} with vectors ({report.embedder})" if report.embedder else "BM25 alone"
    return f"{changed}{noun(report.files, 'file')} in {noun(report.chunks, 'chunk')}, {vectors}"
