"""Runs `evaluate` and `probe`: how well questions find their notes, and questions that memory must answer."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import Blocked, Refused, UsageError
from tui.cli.output import Answer, Piece, Styled, Text, TextTable, sign_piece
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, new_console, opened
from tui.present.glyphs import FAILED, PASSED, PROBES
from tui.present.words import noun

if TYPE_CHECKING:
    from engine.context.probes.probe import ProbeAnswer, ProbeChange
    from engine.search.evaluation.report import EvaluationReport, RankingRow
    from engine.services.engine import Engine


@command("evaluate")
def evaluate_command(settings: Settings, folders: tuple[Path, ...], questions: Path | None) -> Answer:
    with (
        tempfile.TemporaryDirectory(prefix="memdeck-") as base,
        tempfile.TemporaryDirectory(prefix="memdeck-") as empty,
        _console(settings, folders[0], empty) as console,
        progress(settings) as tick,
    ):
        report = console.search.evaluate(
            [folder.expanduser().absolute() for folder in folders],
            Path(base),
            questions and questions.expanduser().absolute(),
            tick=tick,
        )
    return Answer(report, report_rows(report), remarks=report.remarks)


@contextmanager
def _console(settings: Settings, folder: Path, empty: str) -> Iterator["Engine"]:
    """Opens the engine on the workspace, else on FOLDER, else on an empty folder."""
    try:
        console = new_console(settings)
    except Refused:
        if settings.workspace is not None:
            raise
        try:
            console = new_console(replace(settings, workspace=str(folder)))
        except Refused:
            console = new_console(replace(settings, workspace=empty))
    try:
        yield console
    finally:
        console.close()


def report_rows(report: "EvaluationReport") -> Text:
    asked = noun(report.rows[0].figures.questions, "question")
    yield f"{asked} over {noun(report.notes, 'note')}; 95 % intervals by bootstrap"
    head = ("", "hit@1", "hit@5", "hit@10", "MRR", "", "search is above it by", "hit@1")
    rows = [_cells(row, bold=not at) for at, row in enumerate(report.rows)]
    rows[1:1] = [_cells(row, indent="  ") for row in report.kinds]
    yield TextTable([[Styled(word, dim=True) for word in head], *rows], frozenset({1, 2, 3, 4}))
    if len(report.folders) > 1:
        best, worst = (choose(report.folders, key=lambda each: each.figures.hit1) for choose in (max, min))
        named = (f"{each.folder} ({each.figures.hit1:.1f} % of {each.figures.questions:,})" for each in (best, worst))
        yield f"of {len(report.folders)} folders the best and the worst first answers: {', '.join(named)}"
    reach = [[each.name, f"{each.files:.0f} %", f"{each.questions:.0f} %"] for each in report.rules]
    if reach:
        titles = [Styled(word, dim=True) for word in ("rule", "files with its shape", "questions it changed")]
        yield TextTable([titles, *reach], frozenset({1, 2}))


def _cells(row: "RankingRow", *, bold: bool = False, indent: str = "") -> list[Piece]:
    figures, sure = row.figures, row.mrr_interval
    name = f"{indent}{row.name}" if not indent else f"{indent}{row.name} ({figures.questions:,})"
    shares = [f"{share:.1f} %" for share in (figures.hit1, figures.hit5, figures.hit10)]
    cells: list[Piece] = [Styled(name, bold=bold), *shares, f"{figures.mrr:.3f}"]
    cells.append(Styled(f"{sure.low:.3f}–{sure.high:.3f}", dim=True))
    if not bold and not indent:
        low, high = row.gain_interval.low, row.gain_interval.high
        sign = PASSED.glyph if low > 0 else FAILED.glyph if high < 0 else "≈"
        cells.append(f"{sign} {row.gain:+.3f} ({low:+.3f} to {high:+.3f})")
        cells.append(f"{row.hit1_gain:+.1f} ({row.hit1_interval.low:+.1f} to {row.hit1_interval.high:+.1f})")
    return cells


@command("probe")
def probe_command(settings: Settings, plan_id: str | None, suggest: int | None) -> Answer:
    if plan_id is not None and suggest is not None:
        raise UsageError("a plan or --suggest, not both", where="probe")
    console = opened(settings)
    if suggest is not None:
        from engine.context.probes.file import yaml_of

        suggested = console.probes.suggest(suggest)
        return Answer(suggested, yaml_of(suggested).rstrip("\n").split("\n"))
    from tui.present.context import probes as words

    problems = [words.problem_words(problem) for problem in console.probes.read().problems]
    if plan_id is None:
        answers = console.probes.ask()
        return Answer([words.answer_json(each) for each in answers], _answers_rows(answers), remarks=problems)
    plan = console.plans.load(plan_id)
    changes = console.probes.of_plan(plan)
    note, blocked = console.probes.note_of(changes), None
    if note is not None and not note.passed:
        blocked = Blocked(f"the policy blocks this plan: {note.detail}", where=plan.id, hint="plan again")
    return Answer(
        [words.change_json(each) for each in changes], _changes_rows(changes), remarks=problems, error=blocked
    )


def _answers_rows(answers: "Sequence[ProbeAnswer]") -> Text:
    from tui.present.context import probes as words

    yield Styled(words.answers_words(answers), bold=True) if answers else words.NONE
    for answer in answers:
        yield "  ", sign_piece(words.answer_sign(answer)), "  ", answer.probe.question
        said = words.found_words(answer)
        yield "      ", words.expected_words(answer.probe), Styled(f"  {said}", dim=True) if said else ""


def _changes_rows(changes: "Sequence[ProbeChange]") -> Text:
    from engine.context.probes.probe import outcome_counts
    from tui.present.context import probes as words

    yield Styled(outcome_counts(changes), bold=True) if changes else words.NONE
    rows: list[list[Piece]] = [
        [
            sign_piece(PROBES[change.outcome.value]),
            change.probe.question,
            words.expected_words(change.probe),
            Styled(words.found_words(change.after), dim=True),
        ]
        for change in changes
    ]
    yield TextTable(rows, indent="  ")
