"""Checks the operator's edits and routes of semantic entries, while they are typed (A15, A16)."""

import re
from collections.abc import Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from engine.compactor.options import DEFAULT_SHARD
from engine.compactor.semantic.entry import TITLE, KnownTitle, SchemaProblem, read_entries, render, titles
from engine.compactor.semantic.pollution import Duplicate, TitleIndex, entry_pollution
from engine.compactor.semantic.shards import FOLDER, checked_route
from engine.errors import MemdeckError, Stale, UsageError
from engine.plans.plan import Append, Change, Create, Plan
from engine.text.digits import whole_number
from engine.text.document import decode, split_lines
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import LineSpan, MemoryTier

_FULL_PATH = re.compile(rf"=\s*({FOLDER}/.*)", re.DOTALL)


def read_route(text: str) -> tuple[str, str]:
    """Splits `PATTERN=PATH`; the pattern is empty for a path alone."""
    if text.startswith(f"{FOLDER}/"):
        return "", text.strip()
    # A title may have the sign as well as a path, so that a path in full decides.
    full = _FULL_PATH.search(text)
    pattern, mark, path = (text[: full.start()], "=", full[1]) if full else text.rpartition("=")
    return (pattern.strip(), path.strip()) if mark else ("", text.strip())


def matches(pattern: str, title: str) -> bool:
    """Tells whether a title matches a pattern with `*`, `?` and `[…]`, in any case."""
    return fnmatchcase(title.casefold(), pattern.casefold())


def routed(routes: Mapping[int | str, str], titles: Mapping[int, str]) -> dict[int, str]:
    """Returns the shard of each routed entry, by number; numbers win over patterns, earlier patterns over later. Raises
    `UsageError` for an unknown number or pattern and for an invalid path."""
    numbers = {key: checked_route(path) for key, path in routes.items() if isinstance(key, int)}
    check_numbers(numbers, titles)
    found: dict[int, str] = {}
    for key, path in routes.items():
        if isinstance(key, str):
            able = [number for number, title in titles.items() if matches(key, title)]
            if not able:
                raise UsageError(
                    "no entry has a title like this", where=key, hint="like '*backup*=memory/semantic/x.md'"
                )
            found |= {number: checked_route(path) for number in able if number not in found}
    return found | numbers


def check_numbers(given: Mapping[int, str], titles: Mapping[int, str]) -> None:
    """Raises `UsageError` for a number that no entry has."""
    for number in given.keys() - titles.keys():
        known = f"the entries are 1 to {len(titles)}" if titles else "this plan has no entries"
        raise UsageError(f"there is no entry {number}", hint=known)


EDITS, ROUTES = "edits", "routes"
"""Keys of a plan's facts with the operator's changes, which a further edit keeps."""


class PlannedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of a plan. `change` and `text` are None while it waits for room. `why`: why that shard, empty for the
    default one. `offered`: why the plan does not take it without an edit."""

    number: int
    change: int | None
    title: str
    source: str
    shard: str
    text: str | None
    waits: str | None
    why: str = ""
    offered: str | None = None


def entry_problems(text: str) -> tuple[SchemaProblem, ...]:
    """Returns all problems of `text` as an entry: schema, a second entry, pollution."""
    entries, problems = read_entries(text)
    lines, found = dict(enumerate(split_lines(text), 1)), list(problems)
    more = (entry.lines[TITLE] for entry in entries[1:])
    found += [SchemaProblem(line, TITLE, "a second entry", lines[line]) for line in more]
    for entry in entries[:1]:
        fields = {line: field for field, line in entry.lines.items()}
        for bad in entry_pollution(entry):
            why = f"never enters semantic memory: {bad.rule}"
            found.append(SchemaProblem(bad.line, fields.get(bad.line, TITLE), why, lines[bad.line]))
    return tuple(sorted(found, key=lambda problem: problem.line))


def route_problem(route: str) -> str:
    """Says why the route `PATH` or `PATTERN=PATH` is invalid; empty if valid."""
    try:
        checked_route(read_route(route)[1])
    except MemdeckError as error:
        return error.line()
    return ""


def similar_titles(snapshot: Snapshot, text: str) -> tuple[Duplicate, ...]:
    """Returns the titles in semantic memory that are similar to that of `text`; reads the shards again."""
    entries, _ = read_entries(text)
    known: list[KnownTitle] = []
    for facts in snapshot.tier(MemoryTier.SEMANTIC) if entries and entries[0].title else ():
        with suppress(MemdeckError):
            known += titles(facts.path, decode(snapshot.reader(facts.path)))
    return TitleIndex(known).duplicates(entries[0].title, entries[0].insight) if known else ()


def entries_of(plan: Plan) -> tuple[PlannedEntry, ...]:
    """Returns the entries of a compaction by number, then its offers; none for another plan."""
    changes = {change.n: change for change in plan.changes}
    known = [_planned(row, changes.get(whole(row.get("change")))) for row in rows_of(plan, "entries")]
    offers = [
        msgspec.structs.replace(
            _planned(row, None), text=str(row.get("text") or ""), why="", offered=str(row.get("why") or "")
        )
        for row in rows_of(plan, "offers")
    ]
    return (*known, *offers)


def rows_of(plan: Plan, key: str) -> list[Mapping[str, Any]]:
    """Returns the rows of one list in a plan's facts."""
    rows = plan.facts.get(key)
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list | tuple) else []


def _planned(row: Mapping[str, Any], change: Change | None) -> PlannedEntry:
    entries = read_entries(change.content)[0] if isinstance(change, Create | Append) else ()
    title, text = str(row.get("title") or ""), None
    if entries:
        title, text = entries[0].title, render(msgspec.structs.replace(entries[0], provenance=""))
    return PlannedEntry(
        number=whole(row.get("entry")),
        change=change.n if change is not None else None,
        title=title,
        source=str(row.get("from") or ""),
        shard=str(row.get("shard") or DEFAULT_SHARD),
        text=text,
        waits=str(row.get("waits") or "") or None,
        why=str(row.get("why") or ""),
    )


def whole(value: object) -> int:
    """Returns a whole number from a plan's facts; 0 for another value."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def entry_of(plan: Plan, number: int) -> PlannedEntry:
    """Returns one entry by number; raises `UsageError` with the known numbers."""
    entries = {entry.number: entry for entry in entries_of(plan)}
    if number not in entries:
        known = f"its entries are {', '.join(map(str, entries))}" if entries else "it has no semantic entries"
        raise UsageError(f"there is no entry {number}", where=plan.id, hint=known)
    return entries[number]


def numbered_routes(plan: Plan, routes: Mapping[int | str, str]) -> dict[int, str]:
    """Returns routes by entry number; raises `UsageError` for a route without entry."""
    return routed(routes, {entry.number: entry.title for entry in entries_of(plan)})


def earlier(plan: Plan, key: str) -> dict[int, str]:
    """Returns the edits or routes that a plan was made with."""
    kept = plan.facts.get(key)
    rows = kept.items() if isinstance(kept, Mapping) else ()
    read = ((whole_number(str(number)), text) for number, text in rows)
    return {number: text for number, text in read if number is not None and isinstance(text, str)}


def typed_changes(plan: Plan) -> frozenset[int]:
    """Returns the numbers of the changes whose entry the operator edited."""
    edited = earlier(plan, EDITS)
    return frozenset(entry.change for entry in entries_of(plan) if entry.change is not None and entry.number in edited)


def check_same_entries(old: Plan, new: Plan, numbers: frozenset[int]) -> None:
    """Raises `Stale` if a number means another entry than in the edited plan."""
    before, after = ({entry.number: entry for entry in entries_of(plan)} for plan in (old, new))
    for number in sorted(numbers & before.keys()):
        if number in after and before[number].source == after[number].source:
            one, other = _lines(old, before[number]), _lines(new, after[number])
            if one == other or not one or not other:
                continue
        raise Stale(f"entry {number} is another one by now", where=old.id, hint=f"memdeck plan {old.system}")


def _lines(plan: Plan, entry: PlannedEntry) -> tuple[LineSpan, ...]:
    """Returns the source lines of an entry; none while it waits, without a change."""
    return next((change.sources for change in plan.changes if change.n == entry.change), ())
