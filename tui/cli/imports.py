"""`import`: sessions of other tools, as a plan of new transcripts."""

import click

from engine.errors import UsageError
from tui.cli.output import print_json, stdout
from tui.cli.plan_outcome import print_outcome
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console


@command("import", short_help="Sessions of other tools as transcripts, in a plan.")
@click.argument("kind", required=False)
@click.argument("path", required=False)
@click.option("--list", "list_kinds", is_flag=True, help="The kinds there are, and where their files are.")
def import_command(settings: Settings, kind: str | None, path: str | None, list_kinds: bool) -> None:
    """Reads the sessions of KIND below PATH, and queues a plan that adds the transcripts which are not there yet.

    One turn for each message. Side chains, compaction summaries and what programs said to each other are counted out,
    links are not followed, secrets are taken out. Run again it finds nothing new.
    """
    from engine.lifecycle.imports.kinds import KINDS
    from engine.plans.planning import ImportRequest, PlanRequest

    if list_kinds:
        if settings.json:
            print_json({one.name: one.title for one in KINDS.values()})
        else:
            stdout(settings.no_color).table([[one.name, one.title] for one in KINDS.values()])
        return
    if kind is None or path is None:
        raise UsageError("which kind, and where?", hint="memdeck import --list")
    with open_console(settings) as console:
        with progress(settings) as tick:
            request = PlanRequest(imported=ImportRequest(kind=kind, path=path), tick=tick)
            outcome = console.plans.make("import", request)
        print_outcome(settings, console, "import", outcome, counted="transcript")
