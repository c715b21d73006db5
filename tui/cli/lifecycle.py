"""`lifecycle`: what stands at each stage of the pipeline, and what is due."""

from tui.cli.output import Piece, Styled, print_json, stdout
from tui.cli.settings import Settings, command, open_console


@command("lifecycle", short_help="The pipeline from sessions to knowledge: what stands at each stage, what is due.")
def lifecycle_command(settings: Settings) -> None:
    """Counts transcripts, journals, lines of MEMORY.md and archived files, and says what each stage waits for.

    A stage is run by `memdeck plan STAGE`; capture is the program's that holds the session.
    """
    from tui.present.lifecycle import TITLES, stages
    from tui.present.words import ago

    with open_console(settings) as console:
        found = console.lifecycle.pipeline()
        if settings.json:
            print_json(found)
            return
        now = console.real_now()
        rows: list[list[Piece]] = [["stage", "stands", "due", "last run", "waits"]]
        for one in stages(found, [name for name, _ in console.plans.systems()]):
            last = ago(one.last, now) if one.last is not None else "never" if one.planned else ""
            rows.append([Styled(TITLES[one.system], bold=True), one.stands, one.due or "nothing", last, one.plan])
        stdout(settings.no_color).table(rows)
