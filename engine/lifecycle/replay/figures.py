"""Adds up what a replay would change: files, entries, probes, cost and the inferred share (§8.7, §10.4)."""

from collections import Counter
from typing import Any

import msgspec

from engine.plans.annotation import PROBES
from engine.plans.plan import Create, Plan


class ReplayFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison of a replay. Entries before are kept, changed, lost or the operator's own: `yours`. A changed
    entry is one in whose line of its transcript the replay finds another. `inferred_share` is the part of all entries
    found, 0 to 1, that only an agent holds. `usd` is what it cost to make."""

    extractor: str
    files_added: int
    files_changed: int
    before: int
    kept: int
    changed: int
    lost: int
    yours: int
    new: int
    probes: int
    probes_before: int
    probes_after: int
    inferred_share: float
    calls: int
    usd: float
    branch: str
    weeks: int


def replay_figures(plan: Plan) -> ReplayFigures:
    """The figures of a replay's plan. Of probes only those count that could be asked before and after."""
    facts: dict[str, Any] = plan.facts
    entries = facts["entries"]
    changed = entries.get("changed", 0)
    outcomes = Counter(str(one.get("outcome", "")) for one in facts.get(PROBES, ()))
    added = sum(isinstance(change, Create) for change in plan.changes)
    return ReplayFigures(
        extractor=str(facts["extractor"]),
        files_added=added,
        files_changed=len({one.path for one in plan.changes}) - added,
        before=entries["before"],
        kept=entries["kept"],
        changed=changed,
        lost=entries["left_out"] - changed,
        yours=entries["yours"],
        new=max(0, entries["new"] - changed),
        probes=sum(outcomes[name] for name in ("kept", "lost", "gained", "unmet")),
        probes_before=outcomes["kept"] + outcomes["lost"],
        probes_after=outcomes["kept"] + outcomes["gained"],
        inferred_share=facts["inferred_share"],
        calls=plan.cost.calls,
        usd=float(plan.cost.usd),
        branch=str(facts.get("record", {}).get("branch", "")),
        weeks=len(facts.get("weeks", {})),
    )
