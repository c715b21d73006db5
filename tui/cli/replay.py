"""Runs `replay`: compares a replay blindly, session by session."""

from itertools import chain

from engine.errors import UsageError
from engine.lifecycle.replay.figures import BlindAnswer, BlindPair, ReplayFigures
from tui.cli.output import Answer, Piece, Styled, Text, TextTable, fields
from tui.cli.settings import Settings, command, opened
from tui.present.lifecycle import blind_words, figure_rows, judged_words


@command("replay")
def replay_command(
    settings: Settings, plan_id: str | None, session: str | None, compare: bool, answer: str | None, take_back: bool
) -> Answer:
    if compare + take_back + (answer is not None) > 1:
        raise UsageError("--compare, --answer and --take-back exclude each other", where="replay")
    console = opened(settings)
    replays, name = console.replays, plan_id or console.queue.newest("replay")
    if name is None:
        raise UsageError("no replay waits", hint="memdeck plan replay")
    plan = console.plans.load(name).id
    if compare:
        figures, standing = replays.figures(plan), replays.standing(plan)
        words = Styled(" · ".join(blind_words(standing)), dim=True)
        return Answer({"plan": plan, "figures": figures, "standing": standing}, [_figures(figures), words])
    if take_back:
        session = replays.take_back(plan, session or "")
    judged: dict[str, str] = {}
    if answer is not None:
        if (pair := _chosen(replays.pairs(plan), replays.answers(plan), session)) is None:
            raise UsageError("every session is judged", where=plan, hint="name one with --session")
        replays.answer(plan, pair.session, BlindAnswer(answer))
        judged = {"judged": pair.session}
    shown = _chosen(replays.pairs(plan), replays.answers(plan), session if answer is None else None)
    standing = replays.standing(plan)
    rows: list[Piece | TextTable] = [Styled(f"{session}: {answer}", dim=True) for session in judged.values()]
    rows += [Styled(" · ".join(blind_words(standing)), dim=True)]
    if shown is None:
        rows += [judged_words(standing), *([] if settings.json else [_figures(replays.figures(plan))])]
    facts = fields(shown, "session one two") if shown is not None else None
    text = rows if shown is None else chain(rows, _pair_rows(plan, shown))
    return Answer({"plan": plan, "pair": facts, "standing": standing, **judged}, text)


def _figures(figures: ReplayFigures) -> TextTable:
    return TextTable([[Styled(name, dim=True), value] for name, value in figure_rows(figures)])


def _chosen(pairs: tuple[BlindPair, ...], answers: dict[str, BlindAnswer], session: str | None) -> BlindPair | None:
    """Returns the pair of `session`, or the next pair without an answer. Raises `UsageError` for an unknown session."""
    if session is None:
        return next((each for each in pairs if each.session not in answers), None)
    if (chosen := next((pair for pair in pairs if pair.session == session), None)) is None:
        raise UsageError("the replay has no such session to compare", where=session[:200])
    return chosen


def _pair_rows(plan: str, pair: BlindPair) -> Text:
    yield Styled(pair.session, bold=True)
    for name, rows in (("1", pair.one), ("2", pair.two)):
        yield Styled(name, bold=True)
        yield from (f"  {row}" for row in rows)
    yield Styled(f"memdeck replay {plan} --answer 1|2|tie|neither", dim=True)
