"""The hunks of a plan's changes, and the plan without some of them: pure, and bound by another digest."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from engine.errors import Refused, Stale, UsageError
from engine.plans.commit_text import FACT as COMMIT_SENTENCES
from engine.plans.hunk_checks import checks_again, why_whole
from engine.plans.line_hunks import LineHunk, PartText, hunks_between, lines_of, without
from engine.plans.part import part_of
from engine.plans.plan import Append, Change, Cost, Create, LineOrigin, Move, Plan, Replace
from engine.text.canonical_json import sha256_hex
from engine.text.document import Unreadable, decode

FACT = "refused_hunks"
"""The fact of a plan that names the hunks refused of the plan it stands in place of, with the operator's reason."""
_NAME = re.compile(r"(?P<change>\d{1,6})(?P<hunks>(?:#\d{1,6})+)")

Read = Callable[[str], bytes]
"""The bytes of a workspace-relative path."""


class ChangeHunk(msgspec.Struct, frozen=True, kw_only=True):
    """A hunk of a change: the lines it takes away and those it brings, both with their ends; first lines from 1."""

    change: int
    number: int
    path: str
    left: int
    right: int
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def name(self) -> str:
        """`2#1`: the first hunk of change 2, as the commands take it."""
        return f"{self.change}#{self.number}"


class ChangeHunks(msgspec.Struct, frozen=True, kw_only=True):
    """The hunks of one change. `whole`: why none of them can be refused by itself; empty where each can."""

    change: int
    path: str
    hunks: tuple[ChangeHunk, ...]
    whole: str = ""


def hunks_of(plan: Plan, read: Read, rechecked: Iterable[str] = ()) -> tuple[ChangeHunks, ...]:
    """Gives the hunks of every change, in order; `Stale` where a file is not as the plan knew it. `rechecked` names the
    checks of the planner that the caller makes again."""
    return tuple(hunks_of_change(plan, change, read, frozenset(rechecked)) for change in plan.changes)


def hunks_of_change(plan: Plan, change: Change, read: Read, rechecked: frozenset[str] = frozenset()) -> ChangeHunks:
    """Gives the hunks of one change; `Stale` where its file is not as the plan knew it."""
    whole = why_whole(plan, change, rechecked)
    if isinstance(change, Move):
        return ChangeHunks(change=change.n, path=change.path, hunks=(), whole=whole)
    try:
        before, after = sides_of(plan, change, read)
    except Refused as refusal:
        return ChangeHunks(change=change.n, path=change.path, hunks=(), whole=refusal.message)
    old, new = lines_of(before), lines_of(after)
    found = tuple(_hunk(change, one, old, new) for one in hunks_between(old, new))
    return ChangeHunks(change=change.n, path=change.path, hunks=found, whole=whole)


def _hunk(change: Change, one: LineHunk, old: Sequence[str], new: Sequence[str]) -> ChangeHunk:
    return ChangeHunk(
        change=change.n,
        number=one.number,
        path=change.path,
        left=one.left[0] + 1,
        right=one.right[0] + 1,
        removed=tuple(old[slice(*one.left)]),
        added=tuple(new[slice(*one.right)]),
    )


def sides_of(plan: Plan, change: Create | Append | Replace, read: Read) -> tuple[str, str]:
    """The texts before and after a change of a file that no other change of the plan touches. `Stale` where the file is
    not as the plan knew it, `Refused` where it is not UTF-8 text."""
    if isinstance(change, Create):
        return "", change.content
    data = read(change.path)
    bound = next((item.sha256 for item in plan.inputs if item.path == change.path), None)
    if sha256_hex(data) != bound:
        raise Stale("it changed since the plan was made", where=change.path, hint=f"memdeck plan {plan.system}")
    try:
        decode(data)
        before = data.decode("utf-8")
    except (Unreadable, UnicodeDecodeError) as error:
        raise Refused("it is not UTF-8 text", where=change.path) from error
    return before, before + change.content if isinstance(change, Append) else change.content


def named_hunks(names: Iterable[str]) -> dict[int, frozenset[int]]:
    """Gives the hunks that `2#1` or `2#1#3` name, by change; `UsageError` for anything else."""
    found: dict[int, frozenset[int]] = {}
    for name in names:
        parts = _NAME.fullmatch(name)
        if parts is None:
            raise UsageError("hunks are named CHANGE#HUNK, such as 2#1 or 2#1#3", where=name[:40])
        change, hunks = int(parts["change"]), frozenset(map(int, parts["hunks"][1:].split("#")))
        found[change] = found.get(change, frozenset()) | hunks
    return found


def without_hunks(
    plan: Plan, refused: Mapping[int, frozenset[int]], reason: str, read: Read, rechecked: Iterable[str] = ()
) -> Plan | None:
    """Gives the plan without these hunks, by change, unapproved and without an id; None where nothing is left of it.
    `UsageError` for a hunk that there is not. `Refused` says why where leaving it out would break a plan check, or part
    what belongs together."""
    if unknown := set(refused) - {change.n for change in plan.changes}:
        raise UsageError(f"the plan has {len(plan.changes)} changes", where=f"change {min(unknown)}")
    kept = {change.n: change for change in plan.changes}
    for change in plan.changes:
        wanted = refused.get(change.n, frozenset())
        if wanted:
            _check(plan, hunks_of_change(plan, change, read, frozenset(rechecked)), wanted)
        rest = change if not wanted or isinstance(change, Move) else _part(plan, change, wanted, read)
        if rest is None:
            del kept[change.n]
        else:
            kept[change.n] = rest
    if not kept:
        return None
    changed = msgspec.structs.replace(plan, changes=tuple(kept.get(one.n, one) for one in plan.changes))
    names = [f"{change}#{hunk}" for change in sorted(refused) for hunk in sorted(refused[change])]
    return _as_new(plan, part_of(changed, tuple(kept)), names, reason, read)


def _check(plan: Plan, there: ChangeHunks, wanted: frozenset[int]) -> None:
    """Refuses hunks that there are not, and those of a change that stands or falls as a whole."""
    if there.whole:
        raise Refused(
            f"its hunks cannot be refused one by one: {there.whole}",
            where=f"{plan.id} change {there.change}",
            hint=_instead(plan),
        )
    if any(not 1 <= number <= len(there.hunks) for number in wanted):
        hint = f"memdeck show {plan.id} --hunks"
        raise UsageError(f"it has {len(there.hunks)} hunks", where=f"{plan.id} change {there.change}", hint=hint)


def _instead(plan: Plan) -> str:
    match plan.system:
        case "extract":
            return f"memdeck extraction {plan.id} --refuse ID leaves an entry out"
        case "compact" | "shard":
            return f"memdeck edit {plan.id} changes an entry"
        case _:
            return f"memdeck apply {plan.id} --only N,N applies some of the changes"


def _part(plan: Plan, change: Create | Append | Replace, refused: frozenset[int], read: Read) -> Change | None:
    before, after = sides_of(plan, change, read)
    part = without(before, after, refused)
    if part.text == before:
        return None
    base = before.count("\n") if isinstance(change, Append) else 0
    if isinstance(change, Append) and not part.text.startswith(before):
        raise Refused("the file is only appended to", where=f"{plan.id} change {change.n}", hint=_instead(plan))
    content = part.text[len(before) :] if isinstance(change, Append) else part.text
    origins = tuple(_origins(change.origins, part, base))
    # Flags and trust are of the text as it was: they are looked for anew.
    return msgspec.structs.replace(change, content=content, origins=origins, flags=msgspec.UNSET, trust=msgspec.UNSET)


def _origins(origins: Iterable[LineOrigin], part: PartText, base: int) -> Iterable[LineOrigin]:
    for one in origins:
        place = part.places.get(base + one.line - 1)
        if place is not None:
            yield msgspec.structs.replace(one, line=place - base + 1)


def _as_new(plan: Plan, part: Plan, names: Sequence[str], reason: str, read: Read) -> Plan:
    """Makes of the rest a plan of its own: its checks made again, its cost nothing, and the refusal told."""
    earlier = plan.facts.get(FACT)
    told = {"plan": plan.id, "digest": plan.digest, "hunks": list(names), "reason": reason}
    # A model said them of the whole diff.
    facts = {key: value for key, value in plan.facts.items() if key != COMMIT_SENTENCES}
    facts[FACT] = [*(earlier if isinstance(earlier, list) else []), told]
    said = f"Without hunk {', '.join(names)} of {plan.id}: {reason}\n\n{plan.report}"
    new = msgspec.structs.replace(part, id="", cost=Cost(), also=(), facts=facts, report=said)
    return msgspec.structs.replace(new, gates=checks_again(new, read))
