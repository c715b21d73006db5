"""`import`: sessions and memories of other tools, as a plan of new transcripts, notes and entries."""

import click

from engine.errors import UsageError
from tui.cli.output import print_json, stdout
from tui.cli.plan_outcome import print_outcome
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console


@command("import", short_help="Sessions and memories of other tools, in a plan.")
@click.argument("kind", required=False)
@click.argument("path", required=False)
@click.option("--list", "list_kinds", is_flag=True, help="The kinds there are, and where their files are.")
def import_command(settings: Settings, kind: str | None, path: str | None, list_kinds: bool) -> None:
    """Reads the sessions or memories of KIND below PATH, and queues a plan that adds what is not there yet.

    Of sessions one turn for each message: side chains, compaction summaries and what programs said to each other are
    counted out. Of memories (claude-code-memory and the like) each entry once, word for word with its source, in the
    file of its type. Links are not followed, secrets are taken out. Run again it finds nothing new.
    """
    from engine.lifecycle.imports.kinds import KINDS
    from engine.lifecycle.imports.memories.kinds import MEMORY_KINDS
    from engine.plans.planning import ImportRequest, PlanRequest

    if list_kinds:
        titles = {one.name: one.title for one in KINDS.values()} | {
            one.name: one.title for one in MEMORY_KINDS.values()
        }
        if settings.json:
            print_json(titles)
        else:
            stdout(settings.no_color).table([list(row) for row in titles.items()])
        return
    if kind is None or path is None:
        raise UsageError("which kind, and where?", hint="memdeck import --list")
    with open_console(settings) as console:
        with progress(settings) as tick:
            request = PlanRequest(imported=ImportRequest(kind=kind, path=path), tick=tick)
            outcome = console.plans.make("import", request)
        print_outcome(settings, console, "import", outcome, counted="change" if kind in MEMORY_KINDS else "transcript")
