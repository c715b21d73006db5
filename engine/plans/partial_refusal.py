"""Refuses hunks or changes of a plan, together with all changes that need them; the rest is a new plan."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from engine.errors import UsageError
from engine.plans.commit_task import FACT as COMMIT_SENTENCES
from engine.plans.line_hunks import PartText, with_lists, without
from engine.plans.plan import Append, Change, Cost, Create, LineOrigin, Move, Plan, Replace
from engine.plans.plan_hunks import Read, checks_again, hunks_of_change, sides_of
from engine.plans.trust_label import Trust, TrustLabel


def part_of(plan: Plan, numbers: tuple[int, ...]) -> Plan:
    """Gives the plan of these changes alone, renumbered from 1, with their inputs and questions."""
    if len(numbers) == len(plan.changes):
        return plan
    kept = [change for change in plan.changes if change.n in numbers]
    number = {change.n: new for new, change in enumerate(kept, start=1)}
    part = msgspec.structs.replace(
        plan,
        changes=_renumbered(kept, number),
        confirmations=tuple(
            msgspec.structs.replace(confirmation, changes=tuple(number[n] for n in confirmation.changes if n in number))
            for confirmation in plan.confirmations_of(numbers)
        ),
    )
    part = msgspec.structs.replace(part, facts={key: _rows(value, number) for key, value in plan.facts.items()})
    about = part.targets() | {span.path for change in kept for span in change.sources}
    return msgspec.structs.replace(part, inputs=tuple(item for item in plan.inputs if item.path in about))


def _rows(value: Any, number: Mapping[int, int]) -> Any:
    """Renumbers a fact's rows about changes, and drops rows about omitted changes unless they may wait."""
    if not isinstance(value, list | tuple) or not all(isinstance(row, dict) for row in value):
        return value
    return [new for row in value if (new := _row(row, number)) is not None]


def _row(row: dict[str, Any], number: Mapping[int, int]) -> dict[str, Any] | None:
    change = row.get("change")
    if not isinstance(change, int):
        return row
    if change in number:
        return row | {"change": number[change]}
    return row | {"change": None, "waits": "it was refused"} if "waits" in row else None


def _renumbered(kept: Iterable[Change], number: Mapping[int, int]) -> tuple[Change, ...]:
    return tuple(
        msgspec.structs.replace(
            change,
            n=number[change.n],
            requires=tuple(number[n] for n in change.requires if n in number),
            requires_any=tuple(number[n] for n in change.requires_any if n in number),
        )
        for change in kept
    )


FACT = "refused_hunks"
"""The fact of a plan with what was refused of the plan it replaces, and the operator's reason."""


class Companion(msgspec.Struct, frozen=True):
    """A change that is refused together with another, and why."""

    change: int
    why: str


class PartialRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """The refused part of a plan: whole `changes`, and `hunks` of others; `along` tells why the unnamed ones go."""

    names: tuple[str, ...]
    changes: frozenset[int]
    hunks: Mapping[int, frozenset[int]]
    along: tuple[Companion, ...] = ()

    @property
    def words(self) -> str:
        """The refused parts in words: `hunk 1#2, change 3`, and the changes that go along."""
        told = [f"{'hunk' if '#' in name else 'change'} {name}" for name in self.names]
        more = ", ".join(str(companion.change) for companion in self.along)
        words = ", ".join(told).replace(", hunk ", ", ")
        return f"{words} and with it change {more}" if more else words


def refusal(plan: Plan, wanted: Mapping[int, frozenset[int]], read: Read) -> PartialRefusal:
    """Gives the refusal of these hunks (none: a whole change) and of what needs them; `UsageError` for unknown ones."""
    whole: dict[int, str] = {}
    some: dict[int, frozenset[int]] = {}
    changes = {change.n: change for change in plan.changes}
    for number, hunks in wanted.items():
        if number not in changes:
            raise UsageError(f"the plan has {len(plan.changes)} changes", where=f"change {number}")
        if hunks:
            known = hunks_of_change(plan, changes[number], read).hunks
            hunks = with_lists([() if hunk.removed else hunk.added for hunk in known], hunks)
        if _all_of(plan, changes[number], hunks, read):
            whole[number] = ""
        elif why := hunks_of_change(plan, changes[number], read).whole:
            whole[number] = f"its other hunks go too, by {why}"
        else:
            some[number] = hunks
    while more := dict(_left_alone(plan, whole, some)):
        whole |= more
    told = [f"{n}#{hunk}" for n in sorted(wanted) for hunk in sorted(some.get(n, wanted[n]))]
    told += [str(n) for n in sorted(wanted) if not wanted[n]]
    return PartialRefusal(
        names=tuple(told),
        changes=frozenset(whole),
        hunks={number: hunks for number, hunks in some.items() if number not in whole},
        along=tuple(Companion(number, why) for number, why in sorted(whole.items()) if why),
    )


def _all_of(plan: Plan, change: Change, hunks: Collection[int], read: Read) -> bool:
    """Tells whether these are all hunks of the change: an empty collection is, and so is the head of a new note."""
    if not hunks:
        return True
    known = hunks_of_change(plan, change, read).hunks
    there = {hunk.number for hunk in known}
    if not there.issuperset(hunks):
        where, hint = f"{plan.id} change {change.n}", f"memdeck show {plan.id} --hunks"
        raise UsageError(f"it has {len(there)} hunks", where=where, hint=hint)
    headed = isinstance(change, Create) and known[0].added[0].startswith(("---", "# "))
    return there == set(hunks) or (headed and 1 in hunks)


def _left_alone(plan: Plan, whole: Collection[int], some: Collection[int]) -> Iterator[tuple[int, str]]:
    """Yields the remaining changes that need a refused one, each with the reason."""
    touched = {*whole, *some}
    for change in plan.changes:
        if change.n in whole:
            continue
        # A note is archived whole, whatever its summary says.
        lacking = [n for n in change.requires if n in (whole if isinstance(change, Move) else touched)]
        if change.requires_any and set(change.requires_any) <= set(whole):
            lacking += change.requires_any
        if isinstance(change, Append | Replace):
            lacking += _overwritten(plan, change, touched)
        if lacking:
            yield change.n, f"it goes with change {lacking[0]}"


def _overwritten(plan: Plan, change: Append | Replace, touched: Collection[int]) -> list[int]:
    """Gives the earlier changes of the same file that this one builds on."""
    earlier = (one for one in plan.changes if one.n < change.n and one.path == change.path and one.n in touched)
    return [other.n for other in earlier if isinstance(change, Replace) or isinstance(other, Create)]


def plan_without(plan: Plan, refused: PartialRefusal, reason: str, read: Read) -> Plan | None:
    """Gives a new plan without the refused parts; None where nothing is left."""
    kept: dict[int, Change] = {}
    for change in plan.changes:
        wanted = refused.hunks.get(change.n, frozenset())
        rest = change if not wanted or isinstance(change, Move) else _part(plan, change, wanted, read)
        if rest is not None and change.n not in refused.changes:
            kept[change.n] = rest
    if not kept:
        return None
    changed = msgspec.structs.replace(plan, changes=tuple(kept.get(other.n, other) for other in plan.changes))
    return _as_new(plan, part_of(changed, tuple(kept)), refused, reason, read)


def again_without(old: Plan, new: Plan, read: Read) -> Plan:
    """Gives a plan that was made again in place of `old`, without the parts refused there."""
    told = old.facts.get(FACT)
    gone = [key for row in told for key in row.get("gone", ())] if isinstance(told, list) else []
    wanted = {change.n: frozenset[int]() for change in new.changes if _key(change) in gone}
    part = plan_without(new, refusal(new, wanted, read), told[-1]["reason"], read) if wanted and told else None
    return new if part is None else msgspec.structs.replace(part, facts=part.facts | {FACT: told})


def _key(change: Change) -> list[str]:
    """Names a change by its kind, path and sources, which are the same when the plan is made again."""
    return [type(change).__name__, change.path, *map(str, change.sources)]


def _part(plan: Plan, change: Create | Append | Replace, refused: frozenset[int], read: Read) -> Change | None:
    before, after = sides_of(plan, change, read)
    part = without(before, after, refused)
    if part.text == before:
        return None
    base = before.count("\n") if isinstance(change, Append) else 0
    content = part.text[len(before) :] if isinstance(change, Append) else part.text
    origins = tuple(_origins(change.origins, part, base))
    # Flags and trust are of the text as it was: they are looked for anew. What came from outside still does (G27).
    label = change.trust
    outside = isinstance(label, TrustLabel) and label.trust is Trust.UNTRUSTED and not label.why.startswith(change.path)
    trust = label if outside else msgspec.UNSET
    return msgspec.structs.replace(change, content=content, origins=origins, flags=msgspec.UNSET, trust=trust)


def _origins(origins: Iterable[LineOrigin], part: PartText, base: int) -> Iterable[LineOrigin]:
    for origin in origins:
        if (place := part.places.get(base + origin.line - 1)) is not None:
            yield msgspec.structs.replace(origin, line=place - base + 1)


def _as_new(plan: Plan, part: Plan, refused: PartialRefusal, reason: str, read: Read) -> Plan:
    """Makes a new plan of the rest: checks repeated, no cost, and the refusal as a fact."""
    earlier = plan.facts.get(FACT)
    gone = [_key(change) for change in plan.changes if change.n in refused.changes]
    told = {"plan": plan.id, "digest": plan.digest, "hunks": list(refused.names), "gone": gone, "reason": reason}
    # A model said them of the whole diff.
    facts = {key: value for key, value in part.facts.items() if key != COMMIT_SENTENCES}
    facts[FACT] = [*(earlier if isinstance(earlier, list) else []), told]
    said = f"Without {refused.words} of {plan.id}: {reason}\n\n{plan.report}"
    new = msgspec.structs.replace(part, id="", cost=Cost(), also=(), facts=facts, report=said)
    return msgspec.structs.replace(new, gates=checks_again(new, read))
