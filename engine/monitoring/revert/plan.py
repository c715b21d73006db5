"""Plans reverts: restores a note, archives a note that was added, or creates a removed one again. Tier B if only words
of an agent's tool calls are removed, outside guarded files; else tier C."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

import msgspec

from engine.errors import Refused
from engine.plans.line_hunks import LineHunk, hunks_between, lines_of, matching_runs
from engine.plans.plan import Create, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.plans.system_request import System
from engine.sessions.written_files import FileEdit
from engine.text.canonical_json import sha256_hex
from engine.text.document import exact_text
from engine.workspace.layout import is_guarded
from engine.workspace.snapshot import FreeNames


class Merged(msgspec.Struct, frozen=True):
    """The text after a revert. `overlaps`: why hunks cannot be reverted; `absent`: hunks already gone."""

    text: str
    overlaps: tuple[str, ...] = ()
    absent: tuple[int, ...] = ()


def taken_back(before: str, after: str, present: str, numbers: Collection[int] = ()) -> Merged:
    """Removes these hunks, or all, from the present text."""
    old, new, now = lines_of(before), lines_of(after), lines_of(present)
    place = {right + k: at + k for right, at, length in matching_runs(new, now) for k in range(length)}
    result, overlaps, absent = list(now), [], []
    for hunk in reversed(hunks_between(old, new)):
        if numbers and hunk.number not in numbers:
            continue
        span = _span(hunk, place, len(new), len(now))
        if isinstance(span, str):
            overlaps.append(f"hunk {hunk.number}: {span}")
        elif span is None:
            absent.append(hunk.number)
        else:
            result[span[0] : span[1]] = old[hunk.left[0] : hunk.left[1]]
    return Merged("".join(result), tuple(reversed(overlaps)), tuple(reversed(absent)))


def _span(hunk: LineHunk, place: dict[int, int], after: int, present: int) -> tuple[int, int] | str | None:
    """Returns the present lines of a hunk; a text if they are no longer together; None if none is left."""
    start, end = hunk.right
    if start == end:
        first = place.get(start - 1, -2) if start else -1
        last = place.get(end, -2) if end < after else present
        if first == -2 or last == -2 or last != first + 1:
            return f"what stood around line {start + 1} was changed later"
        return first + 1, first + 1
    if not (there := [place[line] for line in range(start, end) if line in place]):
        return None if hunk.left[0] == hunk.left[1] else f"lines {start + 1} to {end} were changed later"
    if len(there) != end - start or there[-1] - there[0] != len(there) - 1:
        return f"some of lines {start + 1} to {end} were changed later"
    return there[0], there[-1] + 1


SYSTEM = "revert"
IsAgents = Callable[[str, Collection[int]], bool]
"""Tells whether an agent's tool calls wrote these lines, from 1, of the present note."""


class RevertSide(msgspec.Struct, frozen=True, kw_only=True):
    """One note before and after a change to revert; None for no note. `hunks`: only these; empty for all."""

    path: str
    before: bytes | None
    after: bytes | None
    told: str  # names what is taken back: a commit, a session, the agent's change
    hunks: tuple[int, ...] = ()


def plan_revert(
    planning: Planning, sides: Sequence[RevertSide], present: Mapping[str, bytes | None], is_agents: IsAgents
) -> PlanOutcome:
    """Plans to revert all sides, newest first for each note; raises `Refused` if later changes overlap."""
    draft, problems, absent = Draft(planning), [], []
    for path in dict.fromkeys(side.path for side in sides):
        mine = [side for side in sides if side.path == path]
        try:
            done = _of_note(draft, mine, present.get(path), planning, is_agents)
        except Refused as refusal:
            problems.append(refusal.line())
            continue
        absent += [] if done else [path]
    if problems:
        raise Refused("; ".join(problems), where="revert", hint="choose other hunks with PATH#N, or edit the note")
    if not draft.changes:
        return PlanOutcome(plan=None, reason_no_action="nothing of it is left to revert")
    told = tuple(dict.fromkeys(side.told for side in sides))
    report = "".join(f"reverts {line}\n" for line in told) + "".join(f"nothing left in {path}\n" for path in absent)
    gate = QualityGate("no_overlap", passed=True, detail="no later line overlaps with what is reverted")
    facts = {"reverted": list(told), "nothing_left": absent}
    return PlanOutcome(plan=draft.finish(SYSTEM, told[0], gates=(gate,), report=report, facts=facts), report=report)


def plan_edit(
    planning: Planning, path: str, read: bytes, written: bytes, present: bytes, told: Sequence[str] = ()
) -> PlanOutcome:
    """Plans the operator's edit of a note, keeping later changes; `Refused` on overlap. `told`: warnings."""
    draft = Draft(planning)
    exact_text(path, written)
    text = _merged(path, [RevertSide(path=path, before=written, after=read, told="")], present)
    if text.encode() != present:
        draft.bind(path, sha256_hex(present))
        draft.write(Replace, path, text, "in your own words", RiskTier.C, warnings=told)
    report, facts = f"{path}: edited by you\n", {"edited": [path]}
    return draft.outcome(System.CORRECT, "nothing was changed", report=report, facts=facts, trigger="edited by you")


def _of_note(
    draft: Draft, sides: Sequence[RevertSide], present: bytes | None, planning: Planning, is_agents: IsAgents
) -> bool:
    """Adds the change of one note; returns False if nothing is left to revert."""
    last = sides[-1]
    if last.before is None and not any(side.hunks for side in sides):
        return _to_the_archive(draft, sides, present, planning)
    if present is None:
        return _back_again(draft, sides)
    if any(side.after is None for side in sides):
        raise Refused("a note was put in its place since", where=last.path)
    text = _merged(last.path, sides, present)
    if text.encode() == present:
        return False
    lost = hunks_between(lines_of(present.decode("utf-8", "replace")), lines_of(text))
    gone = [line + 1 for hunk in lost for line in range(*hunk.left)]
    agents = bool(gone) and not is_guarded(last.path) and is_agents(last.path, gone)
    draft.bind(last.path, sha256_hex(present))  # a snapshot has no file that is not UTF-8
    draft.write(Replace, last.path, text, _reason(sides), RiskTier.B if agents else RiskTier.C)
    return True


def _merged(path: str, sides: Sequence[RevertSide], present: bytes) -> str:
    """Returns the note without each side's changes; its exact old bytes if nothing changed later (G25)."""
    whole = not any(side.hunks for side in sides) and all(new.before == old.after for new, old in pairwise(sides))
    if whole and present == sides[0].after:
        return exact_text(path, sides[-1].before or b"")
    text = exact_text(path, present)
    for side in sides:
        done = taken_back(exact_text(path, side.before or b""), exact_text(path, side.after or b""), text, side.hunks)
        if done.overlaps:
            raise Refused("; ".join(done.overlaps), where=path)
        text = done.text
    return text


def _to_the_archive(draft: Draft, sides: Sequence[RevertSide], present: bytes | None, planning: Planning) -> bool:
    """Archives a note that the changes added (decision G4): nothing is deleted."""
    path = sides[-1].path
    if present is None:
        return False
    if present != sides[0].after:
        raise Refused("the note was changed later", where=path)
    folder = "memory/archive" if path.startswith("memory/") else "archive"
    to = FreeNames(planning.snapshot).free(folder, PurePosixPath(path).stem, f"-reverted-{planning.today}")
    draft.move(path, to, _reason(sides), RiskTier.C if is_guarded(path) else RiskTier.B)
    return True


def _back_again(draft: Draft, sides: Sequence[RevertSide]) -> bool:
    first, last = sides[0], sides[-1]
    if first.after is not None or last.before is None:
        raise Refused("the note is not there any more", where=last.path)
    tier = RiskTier.C if is_guarded(last.path) else RiskTier.B
    draft.write(Create, last.path, exact_text(last.path, last.before), _reason(sides), tier)
    return True


def _reason(sides: Sequence[RevertSide]) -> str:
    chosen = sorted({number for side in sides for number in side.hunks})
    hunks = f", hunk {', '.join(map(str, chosen))}" if chosen else ""
    return f"reverts {', '.join(dict.fromkeys(side.told for side in sides))}{hunks}"


def sides_of_edits(path: str, edits: Sequence[FileEdit], before: bytes | None, told: str) -> Iterator[RevertSide]:
    """Yields each edit, newest first. `before`: the note before the first, None if there was none. Skips edits that do
    not fit, which had failed; raises `Refused` if the note before is unknown."""
    text = None if before is None else before.decode("utf-8", "replace")
    states = [text]
    for edit in edits:
        if edit.old is None:
            text = edit.new
        elif text is None:
            raise Refused("the note before the session is not known", where=path)
        elif edit.old and edit.old in text:
            text = text.replace(edit.old, edit.new, -1 if edit.everywhere else 1)
        states.append(text)
    for old, new in reversed(list(pairwise(states))):
        if old != new:
            yield RevertSide(path=path, before=_bytes(old), after=_bytes(new), told=told)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "replace")
