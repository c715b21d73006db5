"""`extraction`: the entries of an extraction beside the turns that say them, and its plan by the operator's choice."""

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
    for one in entries:
        yield from _entry_rows(one)
    if not entries:
        yield "the plan adds no entry" if plan else "no extraction waits"
    if offered:
        yield Styled("not promoted, nobody stated them:", dim=True)
    for one in offered:
        yield from _entry_rows(one)
    options = (" --refuse ID" if entries else "") + (" --accept ID" if offered else "")
    if options:
        yield Styled(f"memdeck extraction{f' {plan}' if plan else ''}{options}", dim=True)


def _entry_rows(one: ReviewedEntry) -> Text:
    yield Styled(f"{one.id}  {one.kind.value} ({one.grade.value})", bold=True), f"  {one.quote}"
    place = one.path if one.offered else f"{one.path}:{one.line}"
    yield Styled(f"    → {place} · said in {one.source.path}:{one.source.start}", dim=True)
    for earlier in one.supersedes:
        yield Styled(f"    supersedes {earlier}", dim=True)
    if one.superseded is not None:
        yield Styled(f"    superseded by {one.superseded.by} on {one.superseded.since}", dim=True)
