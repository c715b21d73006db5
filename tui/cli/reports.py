"""Runs `reports`, `digest` and `lifecycle`: past dry runs, the week on a page, and the state of each stage."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from engine.errors import UsageError
from engine.monitoring.dry_runs import ReportDiff, ReportEntry, ThresholdShift
from engine.plans.plan import Change
from tui.cli.output import Answer, Piece, Styled, Text, TextTable, fields, stdout
from tui.cli.settings import Settings, command, opened
from tui.present import digest as page
from tui.present import fleet as table
from tui.present.diff import verb
from tui.present.spans import plain
from tui.present.words import ago, moment, noun

_BAR = 22  # cells of the bar of a stage
_ROW_SIGNS = {"added": Styled("+ ", fg="green"), "removed": Styled("- ", fg="red")}


@command("reports")
def reports_command(settings: Settings, before: str | None, after: str | None) -> Answer:
    review = opened(settings).review
    if before is None:
        entries = review.reports()
        return Answer(entries, reports_rows(entries))
    if after is None:
        report = review.report(before)
        facts = {"report": report.entry, **fields(report, "now text facts")}
        changes = [_change_json(change) for change in report.changes]
        text = report.text.rstrip("\n") or "this dry run came without a report"
        return Answer({**facts, "changes": changes}, text.split("\n"))
    difference = review.compare_reports(before, after)
    return Answer(comparison_json(difference), comparison_rows(difference))


def reports_rows(entries: Sequence[ReportEntry]) -> Text:
    if not entries:
        yield "no dry run yet · make one with `memdeck plan compact`"
        return
    rows: list[list[Piece]] = [
        [
            Styled(entry.id, bold=True),
            moment(entry.made_at),
            entry.system,
            entry.state.value if entry.state else "no plan",
            noun(entry.changes, "change") if entry.state else "",
            "what-if" if entry.simulated_clock else "",
            entry.reason,
        ]
        for entry in entries
    ]
    yield TextTable(rows, right=frozenset({4}))


def _change_json(change: Change) -> dict[str, Any]:
    return {"n": change.n, "op": verb(change), "path": change.path, "risk_tier": change.risk_tier.value}


def comparison_json(diff: ReportDiff) -> dict[str, Any]:
    """Returns a comparison as JSON without the texts of changes, which `show` prints."""
    added, removed = diff.lines
    return {
        **fields(diff, "before after thresholds"),
        "added": [_change_json(change) for change in diff.added],
        "removed": [_change_json(change) for change in diff.removed],
        "changed": [[_change_json(was), _change_json(now)] for was, now in diff.changed],
        "same": diff.same,
        "lines_added": added,
        "lines_removed": removed,
    }


def comparison_rows(diff: ReportDiff) -> Text:
    yield Styled(f"{diff.before.id} → {diff.after.id}", bold=True), f"  {diff.after.system}"
    for shift in diff.thresholds:
        yield f"  {shift.id}: {_reading(shift, after=False)} → {_reading(shift, after=True)}"
    for sign, changes in (("+", diff.added), ("-", diff.removed), ("~", [now for _, now in diff.changed])):
        for change in changes:
            yield f"  {sign} {verb(change)} {change.path}"
    yield f"  {noun(diff.same, 'change')} the same"
    for row in diff.rows:
        if row.kind.value in _ROW_SIGNS:
            yield "  ", _ROW_SIGNS[row.kind.value], row.text


def _reading(shift: ThresholdShift, *, after: bool) -> str:
    value = shift.value_after if after else shift.value_before
    limit = shift.limit_after if after else shift.limit_before
    fired = shift.fired_after if after else shift.fired_before
    shown = "—" if value is None else f"{value:,}"
    return f"{shown}{'' if limit is None else f' of {limit:,}'}{', fired' if fired else ''}"


@command("digest")
def digest_command(
    settings: Settings, since: str, as_text: bool, as_html: bool, of_all: bool, send: bool, mark: bool
) -> Answer | int:
    if as_text + as_html + settings.json + send > 1:
        raise UsageError("--text, --html, --json and --send exclude each other", where="digest")
    if of_all and (send or mark):
        raise UsageError("--fleet is only shown", where="digest", hint="leave --send and --read out")
    if of_all:
        return _fleet_page(settings, as_html=as_html)
    digests = opened(settings).digest
    made = digests.make(digests.since(since))
    if send:
        digests.send(page.title(made), page.text(made))
        stdout(settings.no_color).line("sent; the next digest begins here")
        return 0
    if mark:
        digests.read()
    return Answer(made, (page.html(made) if as_html else page.text(made)).rstrip("\n").split("\n"))


def _fleet_page(settings: Settings, *, as_html: bool) -> Answer:
    from tui.cli.fleet import read_fleet

    rows, now = read_fleet(settings).rows(), datetime.now(UTC)
    parts, named = table.sections(rows, now), f"Agents, {moment(now)}"
    told = page.page(named, parts).split("\n") if as_html else [plain(line) for line in page.page_lines(named, parts)]
    return Answer(rows, told)


@command("lifecycle")
def lifecycle_command(settings: Settings) -> Answer:
    from tui.present.lifecycle import TITLES, oldest_words, stage_bar, stages
    from tui.present.stage_flows import days_strip

    console = opened(settings)
    pipeline, now = console.lifecycle.pipeline(), console.real_now()
    rows: list[list[Piece]] = [["stage", "", "stands", "due", "last run", "waits", "the week"]]
    for stage in stages(pipeline, [name for name, _ in console.plans.systems()]):
        last = ago(stage.last, now) if stage.last is not None else "never" if stage.planned else ""
        due = f"{stage.due}{oldest_words(stage, now)}" if stage.due else "nothing"
        drawn = plain(stage_bar(stage, _BAR)), plain(days_strip(stage.flow, 7)).rstrip()
        rows.append([Styled(TITLES[stage.system], bold=True), drawn[0], stage.stands, due, last, stage.plan, drawn[1]])
    return Answer(pipeline, [TextTable(rows)])
