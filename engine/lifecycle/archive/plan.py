"""Plans what is archived, by name or by age, and what is restored (autopoiesis §8.6, decisions B16, D26, D52)."""

import re
from collections.abc import Iterator, Sequence

from engine.errors import UsageError
from engine.lifecycle.account import REPORT_ROWS, Account
from engine.lifecycle.archive.places import COLD, archive_place, former_place, is_pinned, protection
from engine.plans.plan import QualityGate
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.safe_text import visible_line
from engine.workspace.dates import parse_day
from engine.workspace.layout import is_archived
from engine.workspace.snapshot import FreeNames

LOG_DAYS = 30  # daily logs of `DailyLogs/` that are older go to the archive each month (decision B16)
_LOG = re.compile(r"DailyLogs/(\d{4}-\d{2}-\d{2})[^/]*\.md")


def plan_archive(planning: Planning, named: Sequence[str]) -> PlanOutcome:
    """Plans to archive paths, by default logs older than 30 days. `UsageError` if missing, archived or protected."""
    paths = _named(planning, named, archived=False) if named else [*_old_logs(planning)]
    moves = [(path, _to_archive(planning, path, by_name=bool(named))) for path in paths]
    return _Moves(planning, "archive").outcome(moves)


def plan_restore(planning: Planning, named: Sequence[str]) -> PlanOutcome:
    """Plans to restore archived files to where they were; `UsageError` without a name."""
    if not named:
        raise UsageError("which archived file?", where="restore", hint="memdeck plan restore --take PATH")
    known = {planning.moves.place(path): path for path in planning.moves.places}
    paths = _named(planning, named, archived=True)
    return _Moves(planning, "restore").outcome([(path, known.get(path) or former_place(path)) for path in paths])


def _named(planning: Planning, named: Sequence[str], *, archived: bool) -> list[str]:
    """Gives the files with these names or below these folders, each once."""
    files, found = planning.snapshot.files, dict[str, None]()
    for name in named:
        inside = [path for path in files if path == name or path.startswith(name.rstrip("/") + "/")]
        if not inside:
            raise UsageError("there is no such note", where=visible_line(name), hint="a path as the workspace has it")
        for path in inside:
            if is_archived(path) is not archived:
                other = "memdeck plan archive" if archived else "memdeck plan restore"
                what = "it is not archived" if archived else "it is archived already"
                raise UsageError(what, where=visible_line(path), hint=f"{other} --take PATH")
            found[path] = None
    return list(found)


def _to_archive(planning: Planning, path: str, *, by_name: bool) -> str:
    """Gives a file's place in the archive; `UsageError` where it is protected."""
    kept = protection(path, planning.snapshot.files[path].frontmatter, planning.snapshot.text(path))
    if kept and by_name:
        raise UsageError(f"it is never archived: {kept}", where=visible_line(path))
    return f"{COLD}{path}" if _LOG.fullmatch(path) else archive_place(path, planning.today)


def _old_logs(planning: Planning) -> Iterator[str]:
    for path, facts in planning.snapshot.files.items():
        found = _LOG.fullmatch(path)
        day = parse_day(found[1]) if found is not None else None
        if day is None or (planning.today - day).days <= LOG_DAYS:
            continue
        if not protection(path, facts.frontmatter, planning.snapshot.text(path)):
            yield path


class _Moves:
    """One plan of moves. A taken place gets a number, so that nothing is overwritten (decision A9)."""

    def __init__(self, planning: Planning, system: str) -> None:
        self._planning, self._system, self._draft = planning, system, Draft(planning)

    def outcome(self, moves: Sequence[tuple[str, str]]) -> PlanOutcome:
        if refused := [path for path, to in moves if not to]:
            why = "only files of knowledge/, memory/working/ and memory/episodic/ have a place in the archive"
            raise UsageError(why, where=visible_line(refused[0]))
        places = FreeNames(self._planning.snapshot)
        moved = {path: self._add(path, places.free_path(to)) for path, to in moves}
        asked = frozenset(path for path, _ in moves)
        account = Account(entries=asked, **{"kept" if self._system == "restore" else "archived": frozenset(moved)})
        said = account.line("files")
        rows = [f"  {visible_line(path)} → {visible_line(to)}" for path, to in list(moved.items())[:REPORT_ROWS]]
        return self._draft.outcome(
            self._system,
            f"no daily log is older than {LOG_DAYS} days",
            gates=(QualityGate("account", account.exact, said),),
            report="\n".join((said, *rows, "")) if moves else "",
            facts=account.facts(),
        )

    def _add(self, path: str, to: str) -> str:
        facts = self._planning.snapshot.files[path]
        age = facts.date.age_days(self._planning.today)
        if self._system == "archive":
            by_age = f"a daily log of {age:,} days ago; {LOG_DAYS} are kept"
            self._draft.move(path, to, by_age if _LOG.fullmatch(path) else f"archived by name, {age:,} days old")
            return to
        old = to.startswith("knowledge/") and age > LOG_DAYS and not is_pinned(facts.frontmatter)
        what = f"it is {age:,} days old: without `pinned: true` a later prune may propose to archive it again"
        self._draft.move(path, to, "brought back by name", warnings=(what,) if old else ())
        return to
