"""`import`: sessions and memories of other tools, as a plan of new transcripts, notes and entries."""

import os
from typing import TYPE_CHECKING

import click

from engine.errors import Blocked, UsageError
from tui.cli.output import print_json, stdout
from tui.cli.plan_outcome import print_outcome
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console
from tui.system.given_path import given_path

if TYPE_CHECKING:
    from engine.plans.planning import ImportRequest

_KEYS = ("kind", "generations", "unread", "sessions", "turns", "meta", "repeated", "side_chain")
"""Facts of an import that its JSON has beside those of every plan."""


@command("import", short_help="Sessions and memories of other tools, in a plan.")
@click.argument("kind", required=False)
@click.argument("path", required=False)
@click.option("--list", "list_kinds", is_flag=True, help="The kinds there are, and where their files are.")
def import_command(settings: Settings, kind: str | None, path: str | None, list_kinds: bool) -> int | None:
    """Reads the sessions or memories of KIND below PATH, and queues a plan that adds what is not there yet.

    Without PATH it reads the sessions where that tool keeps them. Of sessions one turn for each message: side chains,
    compaction summaries and what programs said to each other are counted out. Of memories (claude-code-memory and the
    like) each entry once, word for word with its source, in the file of its type. Links are not followed, secrets are
    taken out, files that were not read are named. Run again it finds nothing new.
    """
    from engine.lifecycle.imports.memories.kinds import MEMORY_KINDS
    from engine.plans.planning import PlanRequest

    if list_kinds:
        _print_kinds(settings)
        return None
    if kind is None:
        raise UsageError("which kind?", hint="memdeck import --list")
    with open_console(settings) as console:
        with progress(settings) as tick:
            request = PlanRequest(imported=_request(kind, path), tick=tick)
            outcome = console.plans.make("import", request)
        counted = "change" if kind in MEMORY_KINDS else "transcript"
        more = {key: outcome.facts[key] for key in _KEYS if key in outcome.facts}
        print_outcome(settings, console, "import", outcome, counted=counted, more=more)
    return Blocked.exit_code if kind not in MEMORY_KINDS and not outcome.facts["sessions"] else None


def _request(kind: str, path: str | None) -> "ImportRequest":
    """Makes the request; without a path, for the place where the tool keeps its sessions."""
    from engine.lifecycle.imports.kinds import import_kind
    from engine.lifecycle.imports.memories.kinds import MEMORY_KINDS
    from engine.lifecycle.imports.places import home_of
    from engine.plans.planning import ImportRequest

    if path is not None:
        return ImportRequest(kind=kind, path=str(given_path(path)))
    if kind in MEMORY_KINDS:
        raise UsageError("where are they?", where=kind, hint=f"memdeck import {kind} PATH")
    home = home_of(import_kind(kind, *MEMORY_KINDS), os.environ)
    return ImportRequest(kind=kind, path=home.path, only=home.only, looked=home.looked)


def _print_kinds(settings: Settings) -> None:
    from engine.lifecycle.imports.kinds import KINDS
    from engine.lifecycle.imports.memories.kinds import MEMORY_KINDS

    titles = {one.name: one.title for one in KINDS.values()} | {one.name: one.title for one in MEMORY_KINDS.values()}
    if settings.json:
        print_json(titles)
    else:
        stdout(settings.no_color).table([list(row) for row in titles.items()])
