"""Plans the mark `[?]` on claims that are gone, and corrections of the lines that the operator names."""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import groupby

from engine.lifecycle.account import REPORT_ROWS, first_rows
from engine.lifecycle.reality.claim import ClaimKind
from engine.lifecycle.reality.judgement import ClaimVerdict, JudgedClaim, is_dated
from engine.plans.plan import QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.plans.system_request import System
from engine.text.markdown import code_mask
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.workspace.layout import is_guarded

MARK = "[?]"
WRONG = {ClaimVerdict.GONE: "gone", ClaimVerdict.DIFFERS: "differs from", ClaimVerdict.MOVED: "moved to"}
"""Verdicts for a person to see, in this order, with their words."""
_MADE = "memory/ROOT.md"  # it is made from what stands below it: the next cycle would take a mark away


def plan_marks(planning: Planning, claims: Sequence[JudgedClaim], take: Collection[str], where: str) -> PlanOutcome:
    """Makes the plan. `take`: only these lines (PATH:LINE) change, with corrections; `where` is the repository."""
    draft = Draft(planning)
    wanted = (claim for claim in claims if not take or line_of(claim) in take)
    for path, group in groupby(wanted, key=lambda claim: claim.claim.path):
        if is_dated(path) or path == _MADE:
            continue
        try:
            lines = planning.snapshot.content(path).decode("utf-8").split("\n")
        except UnicodeDecodeError:
            continue
        code, reasons = tuple(code_mask(lines)), dict[str, None]()
        # From the right, so that the places on its left stay where they are.
        for claim in sorted(group, key=lambda claim: (claim.claim.line, -claim.claim.start)):
            at = claim.claim.line - 1
            changed = _changed(lines[at], claim, put=bool(take), mark=not code[at])
            if changed != lines[at]:
                lines[at] = changed
                reasons[redact(f"line {claim.claim.line}: {claim.claim.text} {told(claim)}")] = None
        if reasons:
            tier = RiskTier.C if is_guarded(path) else RiskTier.B
            draft.write(Replace, path, "\n".join(lines), "; ".join(reasons), tier)
    counts = Counter(claim.verdict for claim in claims)
    return draft.outcome(
        System.VERIFY,
        "nothing of it is gone" if not take else "nothing in those lines is gone, moved or differs",
        gates=(QualityGate("lines", True, "marks and values alone were changed, and no other byte"),),
        report=_report(claims, f"{counts_words(claims)}; by {where}"),
        facts={"repository": where, **{verdict.value: counts[verdict] for verdict in ClaimVerdict}},
    )


def line_of(claim: JudgedClaim) -> str:
    return f"{claim.claim.path}:{claim.claim.line}"


def told(claim: JudgedClaim) -> str:
    """Gives the verdict in words: `moved to b.py (renamed by 1a2b3c4)`."""
    said = f"{WRONG.get(claim.verdict, claim.verdict.value)} {claim.value}".strip()
    return f"{said} ({claim.why or claim.there})" if claim.why or claim.there else said


def counts_words(claims: Collection[JudgedClaim]) -> str:
    """Gives the number of claims by verdict: `120 claims: 100 holds, 8 gone`."""
    counts = Counter(claim.verdict for claim in claims)
    return f"{len(claims):,} claims: " + ", ".join(f"{counts[each]:,} {each}" for each in ClaimVerdict if counts[each])


def _changed(line: str, judged: JudgedClaim, *, put: bool, mark: bool) -> str:
    claim = judged.claim
    if line[claim.start : claim.end] != claim.text:  # a line that is longer than what is read of one
        return line
    if judged.verdict is ClaimVerdict.GONE and mark and claim.kind is not ClaimKind.NAME:
        rest = line[claim.end :].lstrip("`]*_\"')/")
        end = len(line) - len(rest)
        return line if rest.lstrip().startswith(MARK) else f"{line[:end]} {MARK}{rest}"
    if put and judged.value and judged.verdict in WRONG:
        return line[: claim.start] + judged.value + line[claim.end :]
    return line


def _report(claims: Sequence[JudgedClaim], head: str) -> str:
    wrong = (claim for claim in claims if claim.verdict in WRONG)
    rows = [f"  {line_of(claim)}  {claim.claim.kind}: {claim.claim.text} {told(claim)}" for claim in wrong]
    return "".join(
        f"{visible_line(redact(row))}\n" for row in (head, *first_rows(rows, REPORT_ROWS, ": memdeck verify"))
    )
