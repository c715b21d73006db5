"""Plans the mechanical fixes of faults: one line for one line, all other bytes unchanged."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import PurePosixPath

from engine.lifecycle.account import REPORT_ROWS, first_rows
from engine.lifecycle.lint.files import unread_faults, workspace_faults
from engine.lifecycle.lint.links import Fault
from engine.plans.line_hunks import hunks_between, lines_of
from engine.plans.plan import QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line
from engine.workspace.layout import ARCHIVE, is_guarded
from engine.workspace.snapshot import FreeNames
from engine.workspace.wreckage import SyncCopy


def plan_lint(planning: Planning, copies: Sequence[SyncCopy] = ()) -> PlanOutcome:
    """Plans the fixes that need no decision, or says why there are none; reports every fault. Differing `copies` of
    sync tools are merged into their originals, to be refused hunk by hunk."""
    snapshot, draft = planning.snapshot, Draft(planning)
    faults = (*workspace_faults(snapshot.files, snapshot.content), *unread_faults(snapshot.skipped))
    fixed = [fault for fault in faults if fault.fix]
    for path, group in groupby(fixed, key=lambda fault: fault.path):
        fixes = list(group)
        text = fixed_text(snapshot.content(path), fixes).decode("utf-8")
        reason = "; ".join(f"line {fault.line}: {fault.what}" for fault in fixes)
        draft.write(Replace, path, text, reason, RiskTier.C if is_guarded(path) else RiskTier.B)
    changed = {fault.path for fault in fixed}
    for copy in copies:
        # One change of a file at a time: a copy of a file with fixes waits for the next plan.
        if not copy.same and copy.original not in changed:
            changed.add(copy.original)
            _settle(draft, planning, copy)
    lines = "each fix replaces one line of a file's head, or its links, or adds lines of a copy, and no other byte"
    return draft.outcome(
        "lint",
        "no fault has a mechanical fix" if faults else "no fault was found",
        gates=(QualityGate("lines", True, lines),),
        report=_report(faults, len(fixed)),
        facts={"faults": len(faults), "fixed": len(fixed)},
    )


def _settle(draft: Draft, planning: Planning, copy: SyncCopy) -> None:
    """Adds a copy's own lines to its original, each at its place, and archives the copy."""
    data = planning.snapshot.reader(copy.path)
    try:
        mine, theirs = (lines_of(one.decode("utf-8")) for one in (planning.snapshot.content(copy.original), data))
    except UnicodeDecodeError:
        return
    merged = list(mine)
    for hunk in reversed(hunks_between(mine, theirs)):
        merged[hunk.left[1] : hunk.left[1]] = theirs[hunk.right[0] : hunk.right[1]]
    tier = RiskTier.C if is_guarded(copy.original) else RiskTier.B
    needs: tuple[int, ...] = ()
    if merged != mine:
        reason = f"{len(merged) - len(mine)} lines stand only in the copy of {copy.tool}"
        needs = (draft.write(Replace, copy.original, "".join(merged), reason, tier),)
    draft.bind(copy.path, sha256_hex(data))
    folder = ARCHIVE if copy.path.startswith("memory/") else "archive"
    names, stem = FreeNames(planning.snapshot), PurePosixPath(copy.original).stem
    to = names.free(folder, stem, f"-conflict-copy-{planning.today}")
    draft.move(copy.path, to, f"a conflict copy of {copy.original}", requires=needs)


def fixed_text(data: bytes, faults: list[Fault]) -> bytes:
    """Gives the bytes with the line of each fault replaced; line ends stay."""
    lines = data.split(b"\n")
    for fault in faults:
        end = b"\r" if lines[fault.line - 1].endswith(b"\r") else b""
        lines[fault.line - 1] = fault.fix.encode() + end
    return b"\n".join(lines)


def _report(faults: tuple[Fault, ...], fixed: int) -> str:
    rows = [f"  {visible_line(fault.path)}:{fault.line}  {fault.kind}: {visible_line(fault.what)}" for fault in faults]
    shown = first_rows(rows, REPORT_ROWS, ": memdeck lint")
    return "\n".join((f"{len(faults):,} faults, {fixed:,} with a mechanical fix", *shown)) + "\n"
