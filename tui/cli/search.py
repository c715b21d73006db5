"""`search` and `index`: find it in knowledge, memory and transcripts; bring the index up to date."""

import click

from engine.search.values import Answer, Category, IndexReport
from tui.cli.output import Piece, Styled, plural, print_json, stderr, stdout
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console

MOST = 1_000


@command("search", short_help="Finds files by words and meaning.")
@click.argument("query")
@click.option("-n", "count", type=click.IntRange(1, MOST), default=10, help="The most files to show (default 10).")
@click.option("--category", type=click.Choice([each.value for each in Category]), help="Only files of this kind.")
@click.option("--operators", is_flag=True, help="Read +must, -not and word* in the query.")
def search_command(settings: Settings, query: str, count: int, category: str | None, operators: bool) -> None:
    """Searches knowledge, memory and transcripts, best first, one row per file.

    Any text is a query; words in double quotes are wanted in a row. Put `--` before a query that begins with a dash.
    """
    with open_console(settings) as console:
        wanted = Category(category) if category else None
        with progress(settings) as tick:
            answer = console.search(query, count, wanted, operators=operators, tick=tick)
        for remark in answer.degraded:
            stderr(settings.no_color).line("memdeck: ", remark)
        if answer.pending:
            stderr(settings.no_color).line("memdeck: `memdeck index` brings them in")
        if settings.json:
            print_json(answer_json(answer))
        else:
            print_answer(settings, answer)


@command("index", short_help="Brings the search index up to date.")
@click.option("--rebuild", is_flag=True, help="Make it anew from the notes.")
def index_command(settings: Settings, rebuild: bool) -> None:
    """Brings `memory.db` at the root of the workspace up to date. It can be deleted at any time."""
    with open_console(settings) as console:
        with progress(settings) as tick:
            report = console.index(rebuild=rebuild, tick=tick)
        if settings.json:
            print_json(report)
        else:
            print_report(settings, report)


def answer_json(answer: Answer) -> list[dict[str, object]]:
    """The rows that CLI.md promises, and where each ends and its date."""
    keys = ("path", "category", "title", "line", "score", "bm25", "vector", "snippet", "end_line", "day")
    return [{key: getattr(hit, key) for key in keys} for hit in answer.hits]


def print_answer(settings: Settings, answer: Answer) -> None:
    printer = stdout(settings.no_color)
    if not answer.hits:
        printer.line("nothing found")
    for hit in answer.hits:
        parts = f"{hit.score:.3f}  words {hit.bm25:.2f}"
        parts += f"  meaning {hit.vector:.2f}" if hit.vector is not None else ""
        printer.line(
            Styled(f"{hit.path}:{hit.line}", fg="cyan", bold=True), f"  {hit.title}  ", Styled(parts, dim=True)
        )
        printer.line("    ", hit.snippet)


def print_report(settings: Settings, report: IndexReport) -> None:
    printer = stdout(settings.no_color)
    for remark in report.remarks:
        stderr(settings.no_color).line("memdeck: ", remark)
    changed: list[Piece] = [f"{report.added:,} read, {report.removed:,} taken out · "]
    vectors = f"{report.vectors:,} with vectors ({report.embedder})" if report.embedder else "words alone"
    printer.line(*changed, f"{plural(report.files, 'file')} in {plural(report.chunks, 'chunk')}, {vectors}")
