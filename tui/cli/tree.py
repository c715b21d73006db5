"""Runs `tree` and `tree find`: a node with its children and sources, and where the tree mentions something."""

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from engine.errors import UsageError
from tui.cli.output import Answer, Piece, Styled, Text, TextTable
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, opened
from tui.present.source_lines import file_line
from tui.present.words import noun

if TYPE_CHECKING:
    from engine.services.line_life import LineLife
    from engine.tree.browse.browser import Browser, TreeNode
    from engine.tree.browse.find import TreeHits

COLOURS = {"fresh": None, "stale": "yellow", "stale-fixed": "yellow", "missing": "red", "damaged": "red"}


@command("tree")
def tree_command(settings: Settings, words: tuple[str, ...], at: str | None) -> Answer:
    if words[:1] == ("life",):
        return _life(settings, words[1:])
    if words[:1] == ("find",):
        return _find(settings, " ".join(words[1:]).strip(), at)
    if len(words) > 1:
        raise UsageError("one node at a time", where=" ".join(words), hint="memdeck tree PATH, or tree find TEXT")
    return _shown(settings, words[0] if words else "root", at)


def _shown(settings: Settings, name: str, at: str | None) -> Answer:
    from engine.tree.cycle.idle import path_of
    from engine.tree.source_references import raw_day

    path = name if raw_day(name) is not None else path_of(name)
    browser = opened(settings, at).tree.browse()
    node = browser.node(path)
    return Answer(partial(_node_json, browser, node), _node_rows(browser, node))


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
    """Lists the sources that the node names: path, hash, and whether the file still has that hash."""
    from engine.tree.survey.node_status import brief_hash, known_sources

    held = browser.survey.held(node.path)
    files = browser.survey.snapshot.files
    known = known_sources(held.values) if held else ()
    return [
        (path, sha256, path in files and brief_hash(path, files[path].sha256) == brief_hash(path, sha256))
        for path, sha256 in known
    ]


def _node_rows(browser: "Browser", node: "TreeNode") -> Text:
    yield Styled(" › ".join(browser.breadcrumbs(node.path)), dim=True)
    yield _title(node)
    for gap in node.gaps:
        yield Styled(f"  ! {gap}", fg="yellow")
    if node.status:
        yield ""
        for line in browser.lines(node.path):
            yield line.text
    if children := browser.children(node.path):
        yield ""
        yield Styled("children", dim=True)
        yield TextTable([_row(child) for child in children], right=frozenset({4, 5}), indent="  ")
    if sources := _sources(browser, node):
        yield ""
        yield Styled("sources", dim=True)
        rows: list[list[Piece]] = [
            [path, sha[:12], "as it was" if fresh else "changed"] for path, sha, fresh in sources
        ]
        yield TextTable(rows, indent="  ")


def _glyph(node: "TreeNode") -> str:
    from tui.present.tree.node_rows import sign

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


def _life(settings: Settings, words: tuple[str, ...]) -> Answer:
    place = file_line(words[0]) if len(words) == 1 else None
    if place is None:
        raise UsageError("which line?", where=" ".join(words), hint="memdeck tree life memory/2026-03-15.md:12")
    life = opened(settings).tree.life(*place)
    return Answer(life, _life_rows(life))


def _life_rows(life: "LineLife") -> Text:
    from tui.present.tree.line_ladder import LEVELS

    for rung in reversed(life.rungs):
        where = f"{rung.path}:{rung.lines[0].number}" if rung.lines else rung.path
        yield Styled(f"{LEVELS[rung.level]:<9}", bold=True), f"{where}  ", Styled(rung.link.value, dim=True)
        for line in rung.lines:
            yield f"{'':9}{line.text.strip()}"


MOST_ON_THE_WAY = 12  # lines that are shown of the nodes that a drill went through


def _find(settings: Settings, text: str, at: str | None) -> Answer:
    if not text:
        raise UsageError("find what?", hint="memdeck tree find TEXT")
    tree = opened(settings, at).tree
    with progress(settings) as tick:
        reach = tree.find(text, tick)
    return Answer(partial(_reach_json, reach), _reach_rows(reach))


def _reach_json(reach: "TreeHits") -> dict[str, object]:
    made: dict[str, object] = msgspec.to_builtins(reach)
    made["hits"] = [
        {**msgspec.to_builtins(hit), "source": str(hit.source) if hit.source else None} for hit in reach.hits
    ]
    return made


def _reach_rows(reach: "TreeHits") -> Text:
    for path in reach.days:
        yield Styled(f"{'daily':<8}", dim=True), path, Styled("  the day you named", dim=True)
    by = f"  by {noun(reach.drilled, 'node')} from ROOT down"
    for path in (path for path in reach.likely if path not in reach.days):
        yield Styled(f"{'likely':<8}", dim=True), path, Styled(by, dim=True)
    for line in reach.on_the_way[:MOST_ON_THE_WAY]:
        yield Styled(f"{'way':<8}", dim=True), f"{line.path}:{line.number}  {line.text.strip()[:160]}"
    for path in reach.topics:
        yield Styled(f"{'topic':<8}", dim=True), path
    for hit in reach.hits:
        source = f"  ← {hit.source}" if hit.source else ""
        yield Styled(f"{hit.level:<8}", dim=True), f"{hit.path}:{hit.line}  {hit.text[:160]}", Styled(source, dim=True)
    counted = ", ".join(f"{level} {count}" for level, count in reach.levels.items() if count)
    if counted:
        yield counted, f" · {noun(sum(reach.levels.values()), 'line')}"
    else:
        yield "no line says it all" if reach.days or reach.topics or reach.likely else "nowhere in the tree"
    for path in reach.unreadable:
        yield Styled(f"  ! {path} cannot be read", fg="yellow")
