"""Adds flags, trust labels, checks and questions to every plan, whoever made it, before it is queued (F2, F5)."""

from collections.abc import Callable, Collection, Iterable

import msgspec
from msgspec.structs import replace

from engine.errors import MemdeckError
from engine.plans.diff import bytes_or_none
from engine.plans.flags import Exists, count_words, find_flags, is_lasting
from engine.plans.hook_gate import HOOK_CHECK, HOOK_WARNING, PUT_BACK, hook_gate, is_looked_at
from engine.plans.plan import Change, Confirmation, Move, Plan, QualityGate, Replace, RiskTier
from engine.plans.prediction import contents_after
from engine.plans.trust_lineage import TrustLineage
from engine.text.document import split_lines
from engine.workspace.values import Tick, phase, steps

CONFIRMATION = "flagged"
CONTEXT = "context: "
"""Begins a warning about what the agent will see: lines that are no longer loaded (D41), a changed prefix (D39)."""
PROBES = "probes"  # the plan check, and the fact of a plan, that tell what becomes of the probes
PROBE = "probe: "  # begins a warning about a probe


class ProbeNote(msgspec.Struct, frozen=True):
    """The outcome of the operator's probes for a plan: a check, warnings, and a fact for each probe."""

    passed: bool
    detail: str
    warnings: tuple[str, ...]
    facts: tuple[dict[str, str], ...]


class Surroundings(msgspec.Struct, frozen=True):
    """The workspace for annotating. `own` gives the lines of a change with memdeck's own marks."""

    read: Callable[[str], bytes]
    exists: Exists
    own: Callable[[Change], Collection[int]]
    context: Callable[[Plan], Iterable[str]] = lambda _: ()
    probes: Callable[[Plan], ProbeNote | None] = lambda _: None


def annotated(plan: Plan, around: Surroundings, lineage: TrustLineage, tick: Tick | None = None) -> Plan:
    """Gives the plan with flags, trust labels, and the checks and questions that follow. `tick` may cancel. A
    flagged change gets at least tier B; flagged lines in semantic memory, ROOT or MEMORY.md need a recorded reason."""
    planned = plan.targets()
    cut = frozenset(one.path for one in plan.changes if isinstance(one, Move | Replace))
    changes: list[Change] = []
    for change in steps(plan.changes, "checking changes", tick):
        old = _old(change, around, cut)
        flags = find_flags(change, old, around.own(change), lambda path: path in planned or around.exists(path))
        lifted = max(change.risk_tier, RiskTier.B) if flags else change.risk_tier
        trust = lineage.of_change(change, flags)
        changes.append(replace(change, flags=flags, risk_tier=lifted, **({} if trust is None else {"trust": trust})))
    # A plan may come here again after an edit: what an earlier pass added goes first.
    kept = tuple(confirmation for confirmation in plan.confirmations if confirmation.id != CONFIRMATION)
    warnings = (one for one in plan.warnings if not one.startswith((CONTEXT, PROBE, HOOK_WARNING)))
    noted = replace(
        plan,
        changes=tuple(changes),
        confirmations=(*kept, *_questions(changes)),
        warnings=(*warnings, *(f"{CONTEXT}{one}" for one in around.context(plan))),
    )
    phase("asking the probes", tick)
    return _with_hooks(_with_probes(noted, around.probes(plan)), around.read)


def _with_hooks(plan: Plan, read: Callable[[str], bytes]) -> Plan:
    """Adds the pre-commit hook's check to a plan that writes files which the hook checks (D51)."""
    gates = tuple(gate for gate in plan.gates if gate.id != HOOK_CHECK)
    if not any(map(is_looked_at, plan.targets())):
        return replace(plan, gates=gates)
    try:
        after = contents_after(plan, read)
    except MemdeckError:  # the plan cannot be applied as it is, which is told where it is queued
        return replace(plan, gates=gates)
    gate, warnings = hook_gate(after, read, puts_back=plan.system in PUT_BACK or bool(plan.redoes))
    return replace(plan, gates=(*gates, *((gate,) if gate else ())), warnings=(*plan.warnings, *warnings))


def _with_probes(plan: Plan, note: ProbeNote | None) -> Plan:
    """Replaces the probes' check, facts and warnings in a plan."""
    gates = tuple(gate for gate in plan.gates if gate.id != PROBES)
    facts = {key: value for key, value in plan.facts.items() if key != PROBES}
    if note is None:
        return replace(plan, gates=gates, facts=facts)
    return replace(
        plan,
        gates=(*gates, QualityGate(PROBES, note.passed, note.detail)),
        facts=facts | {PROBES: list(note.facts)},
        warnings=(*plan.warnings, *(f"{PROBE}{one}" for one in note.warnings)),
    )


def _old(change: Change, around: Surroundings, cut: frozenset[str]) -> str:
    """Reads the text before the change: its file, or the lines that it takes from lasting files which the plan cuts."""
    if isinstance(change, Replace):
        return _text(change.path, around)
    sources = change.sources if is_lasting(change.path) else ()
    taken = [span for span in sources if span.path in cut and is_lasting(span.path)]
    texts = {path: split_lines(_text(path, around)) for path in {span.path for span in taken}}
    return "\n".join(line for span in taken for line in texts[span.path][span.start - 1 : span.end])


def _text(path: str, around: Surroundings) -> str:
    return (bytes_or_none(around.read, path) or b"").decode("utf-8", "replace")


def _questions(changes: Iterable[Change]) -> tuple[Confirmation, ...]:
    about = [one for one in changes if one.flagged and is_lasting(one.path) and not isinstance(one, Move)]
    if not about:
        return ()
    said = count_words(about)
    places = ", ".join(dict.fromkeys(change.path for change in about))
    question = f"{said} would enter {places}. Did you read each of them, and shall they be kept?"
    return (Confirmation(CONFIRMATION, question, tuple(change.n for change in about)),)
