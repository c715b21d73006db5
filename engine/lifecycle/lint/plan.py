"""Plans the fixes of faults that are mechanical: one line for one line, every other byte as it is."""

from itertools import groupby

from engine.lifecycle.lint.fault import Fault
from engine.lifecycle.lint.files import unread_faults, workspace_faults
from engine.lifecycle.report_rows import REPORT_ROWS, first_rows
from engine.plans.draft import Draft
from engine.plans.guarded_paths import is_guarded
from engine.plans.plan import QualityGate, Replace, RiskTier
from engine.plans.planning import Planning
from engine.plans.status import PlanOutcome
from engine.text.safe_text import visible_line


def plan_lint(planning: Planning) -> PlanOutcome:
    """A plan of what can be fixed without a decision, or why there is none; the report names every fault."""
    snapshot, draft = planning.snapshot, Draft(planning)
    faults = (*workspace_faults(snapshot.files, snapshot.content), *unread_faults(snapshot.skipped))
    fixed = [fault for fault in faults if fault.fix]
    for path, group in groupby(fixed, key=lambda fault: fault.path):
        fixes = list(group)
        draft.add(
            Replace(
                n=draft.next_number,
                path=path,
                risk_tier=RiskTier.C if is_guarded(path) else RiskTier.B,
                reason="; ".join(f"line {fault.line}: {fault.what}" for fault in fixes),
                content=fixed_text(snapshot.content(path), fixes).decode("utf-8"),
            )
        )
    report = _report(faults, len(fixed))
    facts = {"faults": len(faults), "fixed": len(fixed)}
    if not draft.changes:
        why = "no fault has a mechanical fix" if faults else "no fault was found"
        return PlanOutcome(plan=None, reason_no_action=why, report=report, facts=facts)
    gate = QualityGate(
        "lines", True, "each fix replaces one line of a file's head, or the targets of its links, and no other byte"
    )
    return PlanOutcome(
        plan=draft.finish("lint", "asked", gates=(gate,), report=report, facts=facts), report=report, facts=facts
    )


def fixed_text(data: bytes, faults: list[Fault]) -> bytes:
    """The bytes with the line of each fault replaced, its line end kept."""
    lines = data.split(b"\n")
    for fault in faults:
        end = b"\r" if lines[fault.line - 1].endswith(b"\r") else b""
        lines[fault.line - 1] = fault.fix.encode() + end
    return b"\n".join(lines)


def _report(faults: tuple[Fault, ...], fixed: int) -> str:
    rows = [f"  {visible_line(one.path)}:{one.line}  {one.kind}: {visible_line(one.what)}" for one in faults]
    shown = first_rows(rows, REPORT_ROWS, ": memdeck lint")
    return "\n".join((f"{len(faults):,} faults, {fixed:,} with a mechanical fix", *shown)) + "\n"
