"""Runs `share` and `explore`: knowledge of other repositories, folders for sub-agents, and trial branches."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from engine.errors import UsageError
from engine.history.explorations import Exploration
from engine.services.engine import Engine
from engine.services.shares import SharedStatus
from tui.cli.outcomes import dry_run, outcome_answer
from tui.cli.output import Answer, Styled, Text, TextTable
from tui.cli.settings import Settings, command, opened
from tui.present.words import age, noun, safe

DOES = ("add", "update", "remove", "sparse")


@command("share")
def share_command(
    settings: Settings, does: str | None, name: str | None, only: tuple[str, ...], folder: str | None
) -> Answer:
    if does is not None and does not in DOES:
        raise UsageError("share does no such thing", where=does[:100], hint=f"memdeck share {'|'.join(DOES)}")
    if does in ("add", "remove", "sparse") and not name:
        raise UsageError("which one?", where=f"share {does}", hint=f"memdeck share {does} NAME")
    from engine.lifecycle.requests import ShareRequest

    console = opened(settings)
    if does is None:
        shared = console.shares.all()
        return Answer(shared, _shared_rows(shared))
    if does == "sparse":
        return _sparse(console, name or "", only, folder)
    system, names = "unshare" if does == "remove" else "share", (name,) if name else ()
    if system == "share":
        console.shares.fetch(names)
    return outcome_answer(console, system, dry_run(settings, console, system, ShareRequest(names)))


def _sparse(console: Engine, name: str, only: tuple[str, ...], folder: str | None) -> Answer:
    made = console.shares.sparse(name, only, _absolute(folder))
    rows: list[str | Styled] = [f"{noun(made.files, 'file')} of {made.source[:12]} in {safe(made.folder)}"]
    if made.left_out:
        count = noun(len(made.left_out), "file")
        rows.append(Styled(f"private or no plain file, omitted: {count}, {safe(made.left_out[0])}", fg="yellow"))
    return Answer(made, [*rows, f"remove it: delete {safe(made.folder)}"])


def _absolute(folder: str | None) -> Path | None:
    return Path(folder).expanduser().absolute() if folder is not None else None


def _shared_rows(shared: Sequence[SharedStatus]) -> Text:
    yield TextTable([_row(each) for each in shared])
    for each in shared:
        if each.problem:
            yield Styled(f"{safe(each.name)}: {safe(each.problem)}", fg="yellow")
        for path in each.changed[:3]:
            yield Styled(f"{safe(each.name)}: changed here: {safe(path)}", dim=True)
    if not shared:
        yield "nothing is shared · name it in git.shared of your policy, then memdeck share add NAME"


def _row(repo: SharedStatus) -> list[str | Styled]:
    pinned = f"pinned {repo.pin[:12]}" if repo.pin else "not pinned"
    fetched = "never fetched" if not repo.tip else f"fetched {repo.tip[:12]}" if repo.tip != repo.pin else "up to date"
    return [
        Styled(safe(repo.name), bold=True),
        pinned,
        Styled(fetched, fg="yellow" if repo.is_behind else None),
        noun(repo.notes, "note"),
        Styled(f"{noun(len(repo.changed), 'note')} changed here" if repo.changed else "", fg="yellow"),
        Styled(safe(repo.address), dim=True),
    ]


@command("explore")
def explore_command(settings: Settings, name: str | None, folder: str | None) -> Answer:
    console = opened(settings)
    if name is None:
        there = console.repository.explorations()
        return Answer(there, _exploration_rows(there, console.now()))
    made = console.repository.explore(name, _absolute(folder))
    rows: list[str | Styled] = [f"branch {made.branch} at {made.commit[:12]} in {safe(made.folder)}"]
    if made.left_out:
        rows.append(Styled(f"not laid out: {noun(len(made.left_out), 'file')}, {safe(made.left_out[0])}", fg="yellow"))
    rows.append(f"look at it: memdeck {safe(made.folder)} · end it: memdeck plan branches --take {safe(name)}")
    return Answer(made, rows)


def _exploration_rows(explorations: Sequence[Exploration], now: datetime) -> Text:
    yield TextTable(
        [
            (
                Styled(safe(exploration.branch), bold=True),
                Styled(age(exploration.begun, now), fg="yellow" if exploration.is_old(now) else None),
                exploration.commit[:12],
                Styled(safe(exploration.folder) if exploration.folder else "no folder", dim=True),
            )
            for exploration in explorations
        ]
    )
    if not explorations:
        yield "no exploration · memdeck explore NAME begins one"
    elif any(each.is_old(now) for each in explorations):
        yield "older than a week: memdeck plan branches ends them, and leaves a tag of each"
