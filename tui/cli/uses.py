"""Runs `uses`: lists what is not used, with the next step, and rules for plans that are often refused."""

import msgspec

from engine.errors import UsageError
from engine.services.uses import RefusedKind, UseLists
from engine.text.secrets.detector import redact
from engine.workspace.dates import instant
from tui.cli.output import Answer, Piece, Styled, Text, TextTable
from tui.cli.settings import Settings, command, opened
from tui.present.words import moment, noun, safe

MOST_ROWS = 20  # rows of one list that are shown; `--json` has all


@command("uses")
def uses_command(
    settings: Settings, write: tuple[str, str] | None, refuse: str, snooze: str, end: str, times: int, until: str
) -> Answer:
    if sum(map(bool, (write, refuse, snooze, end))) > 1:
        raise UsageError("--write, --refuse, --snooze and --end exclude each other", where="uses")
    console = opened(settings)
    if write:
        entry = console.uses.write_down(*write)
        return Answer(entry, [f"queued {entry.id} · memdeck apply {entry.id}"])
    if kind := refuse or snooze or end:
        at = instant(until, console.real_now(), console.zone)
        console.uses.rule(kind, refuse=bool(refuse), until=at, times=0 if end else times)
    lists = console.uses.lists()
    return Answer(msgspec.to_builtins(lists), uses_rows(lists))


def uses_rows(lists: UseLists) -> Text:
    """Prints the four lists, each below its title and the next step."""
    parts: tuple[tuple[str, str, list[list[Piece]]], ...] = (
        ("loaded daily and never used", "memdeck plan prune --only unused", [
            [f"{safe(each.path)}:{each.start}", noun(days, "day"), redact(safe(each.text))[:70]]
            for each, days in lists.idle
        ]),
        ("never used in 90 days", "memdeck plan prune --only files", [
            [safe(each.path), safe(each.why)] for each in lists.never_used
        ]),
        ("asked for and not found", "memdeck uses --write ID 'the answer'", [
            [each.id, noun(each.days, "day"), safe(each.said) or "(an agent asked)"] for each in lists.not_found
        ]),
        ("refused often", "memdeck uses --refuse ID --times 5 --until 30d, or --snooze ID, --end ID", [
            [each.id, noun(each.count, "time"), safe(f"{each.kind[0]}: {', '.join(each.kind[1])}"), _rule(each)]
            for each in lists.refused
        ]),
    )  # fmt: skip
    for title, step, rows in parts:
        yield Styled(title, bold=True), f"  {len(rows):,}"
        yield TextTable(rows[:MOST_ROWS], indent="  ")
        if rows:
            yield Styled(f"  → {step}", dim=True)


def _rule(refused: RefusedKind) -> str:
    if refused.rule is None:
        return ""
    done = "refused" if refused.rule.refuse else "snoozed"
    return f"{done} until {moment(refused.rule.until)}, {noun(refused.rule.left, 'plan')}"
