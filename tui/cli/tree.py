"""`tree` and `tree find`: a node with its children and sources, and where in the tree something can be reached."""

from typing import TYPE_CHECKING

import click
import msgspec

from engine.errors import UsageError
from tui.cli.output import Piece, Printer, Styled, print_json, stdout
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_at, open_console
from tui.present.source import file_line
from tui.present.words import noun

if TYPE_CHECKING:
    from engine.tree.browse.browser import Browser, TreeNode
    from engine.tree.browse.find import TreeHits

COLOURS = {"fresh": None, "stale": "yellow", "stale-fixed": "yellow", "missing": "red", "damaged": "red"}


@command("tree", short_help="A node of the tree; `find TEXT`; `life FILE:LINE`.")
@click.argument("words", nargs=-1, metavar="[PATH | find TEXT… | life FILE:LINE]")
@click.option("--at", metavar="DATE", help="The tree as it was then.")
def tree_command(settings: Settings, words: tuple[str, ...], at: str | None) -> None:
    """Prints a node: PATH is a path, a day, a week (2026-W11), a month (2026-03) or root.

    With `find TEXT` it lists the lines of ROOT, months, weeks, days and raw logs that hold the text.
    With `life FILE:LINE` it follows one line of any note from its raw log up to ROOT and semantic memory.
    """
    if words[:1] == ("life",):
        _life(settings, words[1:])
    elif words[:1] == ("find",):
        _find(settings, " ".join(words[1:]).strip(), at)
    elif len(words) > 1:
        raise UsageError("one node at a time", where=" ".join(words), hint="memdeck tree PATH, or tree find TEXT")
    else:
        _show(settings, words[0] if words else "root", at)


def _show(settings: Settings, name: str, at: str | None) -> None:
    from engine.tree.cycle.options import path_of
    from engine.tree.source_references import raw_day

    path = name if raw_day(name) is not None else path_of(name)
    with open_at(settings, at) as console:
        browser = console.tree.browse()
        node = browser.node(path)
        if settings.json:
            print_json(_node_json(browser, node))
            return
        _print_node(stdout(settings.no_color), browser, node)


def _node_json(browser: "Browser", node: "TreeNode") -> dict[str, object]:
    lines = browser.lines(node.path) if node.status else ()
    return {
        **msgspec.to_builtins(node),
        "breadcrumbs": browser.breadcrumbs(node.path),
        "text": "\n".join(line.text for line in lines),
        "line_sources": {str(line.number): str(line.source) for line in lines if line.source is not None},
        "children_nodes": msgspec.to_builtins(browser.children(node.path)),
        "sources": [
            {"path": path, "sha256": sha256, "fresh": fresh} for path, sha256, fresh in _sources(browser, node)
        ],
        "topic_rows": msgspec.to_builtins(browser.topics(node.path)),
    }


def _sources(browser: "Browser", node: "TreeNode") -> list[tuple[str, str, bool]]:
    """Lists the sources that the node names, and whether each still has those bytes."""
    from engine.tree.survey.source_hashes import brief_hash, known_sources

    held = browser.survey.held(node.path)
    files = browser.survey.snapshot.files
    known = known_sources(held.values) if held else ()
    return [
        (path, sha256, path in files and brief_hash(path, files[path].sha256) == brief_hash(path, sha256))
        for path, sha256 in known
    ]


def _print_node(printer: Printer, browser: "Browser", node: "TreeNode") -> None:
    printer.line(Styled(" › ".join(browser.breadcrumbs(node.path)), dim=True))
    printer.line(*_title(node))
    for gap in node.gaps:
        printer.line(Styled(f"  ! {gap}", fg="yellow"))
    if node.status:
        printer.line("")
        for line in browser.lines(node.path):
            printer.line(line.text)
    children = browser.children(node.path)
    if children:
        printer.line("")
        printer.line(Styled("children", dim=True))
        printer.table([_row(child) for child in children], right=frozenset({4, 5}), indent="  ")
    sources = _sources(browser, node)
    if sources:
        printer.line("")
        printer.line(Styled("sources", dim=True))
        rows: list[list[Piece]] = [
            [path, sha[:12], "as it was" if fresh else "changed"] for path, sha, fresh in sources
        ]
        printer.table(rows, indent="  ")


def _glyph(node: "TreeNode") -> str:
    """The same sign as on the screen."""
    from tui.present.tree.rows import sign

    return sign(node).glyph


def _title(node: "TreeNode") -> list[Piece]:
    when = f" · fixed from {node.fixed_from}" if node.fixed_from is not None and node.status else ""
    size = f" · {noun(node.lines, 'line')}, {node.tokens:,} tokens" if node.status else ""
    return [
        Styled(f"{_glyph(node)} {node.path}", bold=True),
        f" · {node.status or 'no node yet'} · ",
        Styled(node.freshness.value, fg=COLOURS.get(node.freshness.value)),
        f"{size}{when}",
    ]


def _row(node: "TreeNode") -> list[Piece]:
    return [
        f"{_glyph(node)} {node.period}",
        node.level,
        node.status or "no node yet",
        Styled(node.freshness.value, fg=COLOURS.get(node.freshness.value)),
        f"{node.lines:,} lines",
        f"{node.tokens:,} tokens",
    ]


def _life(settings: Settings, words: tuple[str, ...]) -> None:
    place = file_line(words[0]) if len(words) == 1 else None
    if place is None:
        raise UsageError("which line?", where=" ".join(words), hint="memdeck tree life memory/2026-03-15.md:12")
    with open_console(settings) as console:
        found = console.tree.life(*place)
        if settings.json:
            print_json(found)
            return
        from tui.present.tree.life import LEVELS

        printer = stdout(settings.no_color)
        for rung in reversed(found.rungs):
            where = f"{rung.path}:{rung.lines[0].number}" if rung.lines else rung.path
            printer.line(Styled(f"{LEVELS[rung.level]:<9}", bold=True), f"{where}  ", Styled(rung.link.value, dim=True))
            for line in rung.lines:
                printer.line(f"{'':9}{line.text.strip()}")


MOST_ON_THE_WAY = 12
"""Lines that are shown of the nodes that a drill went through."""


def _find(settings: Settings, text: str, at: str | None) -> None:
    if not text:
        raise UsageError("find what?", hint="memdeck tree find TEXT")
    with open_at(settings, at) as console:
        with progress(settings) as tick:
            reach = console.tree.find(text, tick)
        if settings.json:
            print_json(_reach_json(reach))
            return
        _print_reach(stdout(settings.no_color), reach)


def _reach_json(reach: "TreeHits") -> dict[str, object]:
    made: dict[str, object] = msgspec.to_builtins(reach)
    made["hits"] = [
        {**msgspec.to_builtins(hit), "source": str(hit.source) if hit.source else None} for hit in reach.hits
    ]
    return made


def _print_reach(printer: Printer, reach: "TreeHits") -> None:
    for path in reach.days:
        printer.line(Styled(f"{'daily':<8}", dim=True), path, Styled("  the day you named", dim=True))
    by = f"  by {noun(reach.drilled, 'node')} from ROOT down"
    for path in (path for path in reach.likely if path not in reach.days):
        printer.line(Styled(f"{'likely':<8}", dim=True), path, Styled(by, dim=True))
    for line in reach.on_the_way[:MOST_ON_THE_WAY]:
        printer.line(Styled(f"{'way':<8}", dim=True), f"{line.path}:{line.number}  {line.text.strip()[:160]}")
    for path in reach.topics:
        printer.line(Styled(f"{'topic':<8}", dim=True), path)
    for hit in reach.hits:
        source = f"  ← {hit.source}" if hit.source else ""
        printer.line(
            Styled(f"{hit.level:<8}", dim=True), f"{hit.path}:{hit.line}  {hit.text[:160]}", Styled(source, dim=True)
        )
    counted = ", ".join(f"{level} {count}" for level, count in reach.levels.items() if count)
    if counted:
        printer.line(counted, f" · {noun(sum(reach.levels.values()), 'line')}")
    else:
        printer.line("no line says it all" if reach.days or reach.topics or reach.likely else "nowhere in the tree")
    for path in reach.unreadable:
        printer.line(Styled(f"  ! {path} cannot be read", fg="yellow"))
