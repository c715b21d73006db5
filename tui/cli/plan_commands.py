"""Runs `init`, `import`, `lint`, `review` and `revert`, which make plans of their own kinds."""

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import Blocked, UsageError
from engine.extra_registry import needs
from engine.lifecycle.requests import FolderRequest, ImportRequest, InitRequest
from engine.plans.diff import hunks, unified
from tui.cli.outcomes import dry_run, outcome_answer
from tui.cli.output import Answer, Styled, Text, TextTable, fields
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, opened
from tui.present.glyphs import PASSED
from tui.present.words import noun, safe, size
from tui.system.given_path import given_path

if TYPE_CHECKING:
    from engine.extras.importers.export import Exported
    from engine.extras.importers.export_service import ExportService
    from engine.lifecycle.lint.links import Fault
    from engine.services.revert import Revertible


@command("init")
def init_command(settings: Settings, folder: str | None, private: bool) -> Answer:
    if folder is not None:
        settings.workspace = folder
    console = opened(settings)
    return outcome_answer(console, "init", dry_run(settings, console, "init", InitRequest(private)))


_KEYS = ("kind", "generations", "unread", "sessions", "turns", "meta", "repeated", "side_chain")
"""Facts of an import in its JSON besides those of every plan."""


@command("import")
def import_command(settings: Settings, kind: str | None, path: str | None, list_kinds: bool) -> Answer:
    with needs("importers"):
        from engine.extras.importers.kinds import import_kinds
        from engine.extras.importers.memories.kinds import MEMORY_KINDS

    if list_kinds:
        titles = {kind.name: kind.title for kind in import_kinds().values()}
        titles |= {kind.name: kind.title for kind in MEMORY_KINDS.values()}
        return Answer(titles, [TextTable(tuple(titles.items()))])
    if kind is None:
        raise UsageError("which kind?", hint="memdeck import --list")
    console = opened(settings)
    outcome = dry_run(settings, console, "import", _request(kind, path))
    counted = "change" if kind in MEMORY_KINDS else "transcript"
    more = {key: outcome.facts[key] for key in _KEYS if key in outcome.facts}
    answer = outcome_answer(console, "import", outcome, counted, more)
    read = outcome.facts["entries" if kind in MEMORY_KINDS else "sessions"]
    return answer if read else replace(answer, code=Blocked.exit_code)


def _request(kind: str, path: str | None) -> ImportRequest:
    with needs("importers"):
        from engine.extras.importers.kinds import home_of, import_kind
        from engine.extras.importers.memories.kinds import MEMORY_KINDS
    if path is not None:
        return ImportRequest(kind=kind, path=str(given_path(path)))
    return home_of(MEMORY_KINDS.get(kind) or import_kind(kind, *MEMORY_KINDS), os.environ)


@command("review")
def review_command(settings: Settings, before: str, after: str) -> Answer:
    console = opened(settings)
    request = FolderRequest(str(given_path(before)), str(given_path(after)))
    return outcome_answer(console, "review", dry_run(settings, console, "review", request))


@command("lint")
def lint_command(settings: Settings, make_plan: bool) -> Answer:
    console = opened(settings)
    if make_plan:
        return outcome_answer(console, "lint", dry_run(settings, console, "lint"))
    faults = console.maintenance.lint()
    return Answer(faults, _fault_rows(faults), 1 if faults else 0)


def _fault_rows(faults: Sequence["Fault"]) -> Text:
    for fault in faults:
        yield f"{safe(fault.path)}:{fault.line}  ", Styled(fault.kind, bold=True), f": {safe(fault.what)}"
        if fault.fix:
            yield Styled(f"    → {safe(fault.fix)}", dim=True)
    if not faults:
        yield Styled(f"{PASSED.glyph} no fault was found", fg="green")
    else:
        yield f"{noun(len(faults), 'fault')}, {sum(bool(fault.fix) for fault in faults):,} with a mechanical fix"


@command("revert")
def revert_command(settings: Settings, targets: tuple[str, ...], show: bool) -> Answer:
    console = opened(settings)
    if not show and targets:
        return outcome_answer(console, "revert", console.revert.plan(targets))
    offered = console.revert.offered(targets)
    facts = [{**fields(change, "target path told"), "hunks": len(hunks(change.diff.rows, 0))} for change in offered]
    none = ["the agent changed nothing since your last look"]
    return Answer(facts, chain.from_iterable(map(_one_rows, offered)) if offered else none)


def _one_rows(change: "Revertible") -> Text:
    yield Styled(change.target, bold=True), Styled(f"  {change.told}", dim=True)
    number = 0
    for line in unified(change.diff, 0).rstrip("\n").split("\n")[2:]:
        number += line.startswith("@@ ")
        yield f"#{number} " if line.startswith("@@ ") else "   ", line


@command("export")
def export_command(settings: Settings, kind: str | None, folder: str | None, place: str, list_places: bool) -> Answer:
    exports = opened(settings).exports
    if list_places:
        return _places_answer(exports, kind)
    if kind is None or folder is None:
        raise UsageError("which kind, and where to?", hint="memdeck export claude-code DIR, or --list")
    with progress(settings) as tick:
        done = exports.write(kind, given_path(folder), str(Path(place).expanduser()) if place else "", tick)
    return Answer(done, _done_rows(done))


def _places_answer(exports: "ExportService", kind: str | None) -> Answer:
    with needs("importers"):
        from engine.extras.importers.kinds import import_kinds
        from engine.extras.importers.memories.kinds import MEMORY_KINDS

    facts: list[dict[str, object]] = []
    rows: list[list[str]] = []
    kinds = [kind] if kind else [*import_kinds(), *MEMORY_KINDS]
    for place in chain.from_iterable(map(exports.places, kinds)):
        files, total = len(place.files), sum(file.size for file in place.files.values())
        facts.append({**fields(place, "kind place"), "at": place.at.isoformat(), "files": files, "size": total})
        rows.append([place.kind, noun(files, "file"), size(total), safe(place.place)])
    return Answer(facts, [TextTable(rows)] if rows else ["nothing was imported yet · memdeck import KIND PATH"])


def _done_rows(done: "Exported") -> Text:
    there = f", {done.same:,} there already" if done.same else ""
    said = f"{noun(done.written, 'file')}, {size(done.size)}, written into {safe(done.folder)}{there}"
    yield Styled(f"{PASSED.glyph} ", fg="green"), said
    for line in done.left_out:
        yield Styled("! ", fg="yellow"), f"stays out: {safe(line)}"
