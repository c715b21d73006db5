"""`replay`: the blind comparison of a replay, session by session."""

import click

from engine.errors import UsageError
from engine.lifecycle.replay.blind import BlindAnswer, BlindPair, BlindStanding
from engine.lifecycle.replay.figures import ReplayFigures
from tui.cli.output import Printer, Styled, print_json, stdout
from tui.cli.settings import Settings, command, open_console
from tui.present.lifecycle import blind_words, figure_rows, judged_words


@command("replay", short_help="Which entries are better: blind, session by session.")
@click.argument("plan_id", metavar="[PLAN]", required=False)
@click.option("--session", metavar="PATH", help="The session to look at, or to judge; else the next one.")
@click.option("--compare", is_flag=True, help="What it would change: files, entries, probes, cost; tells the sides.")
@click.option("--answer", type=click.Choice([each.value for each in BlindAnswer]), help="Which of the two are better.")
@click.option("--take-back", "--undo", is_flag=True, help="Undo the newest answer, or that on --session.")
def replay_command(
    settings: Settings, plan_id: str | None, session: str | None, compare: bool, answer: str | None, take_back: bool
) -> None:
    """Shows the entries of a session by two extractors, without saying whose they are, and keeps which are better.

    PLAN is one that `memdeck plan replay` made; without it the newest that waits. It changes nothing in the workspace.
    With --compare, and once every session is judged, it tells what the replay would change.
    """
    if compare + take_back + (answer is not None) > 1:
        raise UsageError("--compare, --answer and --take-back exclude each other", where="replay")
    with open_console(settings) as console:
        name = plan_id or console.replays.latest()
        if name is None:
            raise UsageError("no replay waits", hint="memdeck plan replay")
        plan = console.plans.load(name).id
        if compare:
            _print_figures(settings, plan, console.replays.figures(plan), console.replays.standing(plan))
            return
        if take_back:
            session = console.replays.take_back(plan, session or "")
        judged = None
        if answer is not None:
            judged = _chosen(console.replays.pairs(plan), console.replays.answers(plan), session)
            if judged is None:
                raise UsageError("every session is judged", where=plan, hint="name one with --session")
            console.replays.answer(plan, judged.session, BlindAnswer(answer))
        shown = _chosen(console.replays.pairs(plan), console.replays.answers(plan), session if answer is None else None)
        if judged is not None and not settings.json:
            stdout(settings.no_color).line(Styled(f"{judged.session}: {answer}", dim=True))
        _print(settings, plan, shown, console.replays.standing(plan), judged)
        if shown is None and not settings.json:
            _print_rows(stdout(settings.no_color), console.replays.figures(plan))


def _print_figures(settings: Settings, plan: str, figures: ReplayFigures, standing: BlindStanding) -> None:
    if settings.json:
        print_json({"plan": plan, "figures": figures, "standing": standing})
        return
    printer = stdout(settings.no_color)
    _print_rows(printer, figures)
    printer.line(Styled(" · ".join(blind_words(standing)), dim=True))


def _print_rows(printer: Printer, figures: ReplayFigures) -> None:
    printer.table([[Styled(name, dim=True), said] for name, said in figure_rows(figures)])


def _chosen(pairs: tuple[BlindPair, ...], answers: dict[str, BlindAnswer], session: str | None) -> BlindPair | None:
    """The pair that is asked for, or the next that is not judged yet; `UsageError` where there is no such session."""
    if session is None:
        return next((one for one in pairs if one.session not in answers), None)
    found = next((one for one in pairs if one.session == session), None)
    if found is None:
        raise UsageError("the replay has no such session to compare", where=session[:200])
    return found


def _print(
    settings: Settings, plan: str, pair: BlindPair | None, standing: BlindStanding, judged: BlindPair | None
) -> None:
    if settings.json:
        shown = {"session": pair.session, "one": pair.one, "two": pair.two} if pair is not None else None
        told = {"judged": judged.session} if judged is not None else {}
        print_json({"plan": plan, "pair": shown, "standing": standing, **told})
        return
    printer = stdout(settings.no_color)
    printer.line(Styled(" · ".join(blind_words(standing)), dim=True))
    if pair is None:
        printer.line(judged_words(standing))
        return
    printer.line(Styled(pair.session, bold=True))
    _side(printer, "1", pair.one)
    _side(printer, "2", pair.two)
    printer.line(Styled(f"memdeck replay {plan} --answer 1|2|tie|neither", dim=True))


def _side(printer: Printer, name: str, rows: tuple[str, ...]) -> None:
    printer.line(Styled(name, bold=True))
    for row in rows:
        printer.line(f"  {row}")
