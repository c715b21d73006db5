"""Runs `extraction`: shows the entries of an extraction beside their turns, and plans the operator's choice."""

from collections.abc import Sequence

from engine.errors import UsageError
from engine.lifecycle.extract.review import ReviewedEntry
from tui.cli.outcomes import queued_answer
from tui.cli.output import Answer, Styled, Text
from tui.cli.settings import Settings, command, opened


@command("extraction")
def extraction_command(
    settings: Settings, plan_id: str | None, refused: Sequence[str], accepted: Sequence[str], offered: bool
) -> Answer:
    console = opened(settings)
    name = plan_id or console.queue.newest("extract")
    if name is None and accepted and not refused:
        return queued_answer(console, "extract", console.extractions.accept(accepted))
    if name is None and offered and not refused:
        return _answer("", (), console.extractions.offered())
    if name is None:
        raise UsageError("no extraction waits", hint="memdeck plan extract, or memdeck extraction --offered")
    plan = console.plans.load(name)
    if not refused and not accepted:
        return _answer(plan.id, console.extractions.entries(plan.id), console.extractions.offered(plan.id))
    return queued_answer(console, plan.system, console.extractions.chosen(plan.id, refused, accepted), plan.id)


def _answer(plan: str, entries: Sequence[ReviewedEntry], offered: Sequence[ReviewedEntry]) -> Answer:
    return Answer({"plan": plan, "entries": entries, "offered": offered}, _entries_rows(plan, entries, offered))


def _entries_rows(plan: str, entries: Sequence[ReviewedEntry], offered: Sequence[ReviewedEntry]) -> Text:
    for entry in entries:
        yield from _entry_rows(entry)
    if not entries:
        yield "the plan adds no entry" if plan else "no extraction waits"
    if offered:
        yield Styled("not promoted, nobody stated them:", dim=True)
    for entry in offered:
        yield from _entry_rows(entry)
    options = (" --refuse ID" if entries else "") + (" --accept ID" if offered else "")
    if options:
        yield Styled(f"memdeck extraction{f' {plan}' if plan else ''}{options}", dim=True)


def _entry_rows(entry: ReviewedEntry) -> Text:
    yield Styled(f"{entry.id}  {entry.kind.value} ({entry.grade.value})", bold=True), f"  {entry.quote}"
    place = entry.path if entry.offered else f"{entry.path}:{entry.line}"
    yield Styled(f"    → {place} · said in {entry.source.path}:{entry.source.start}", dim=True)
    for earlier in entry.supersedes:
        yield Styled(f"    supersedes {earlier}", dim=True)
    if entry.superseded is not None:
        yield Styled(f"    superseded by {entry.superseded.by} on {entry.superseded.since}", dim=True)
