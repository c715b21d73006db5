"""The last step of every plan before the queue: flags, trust labels, and the gates that follow from them. Front ends
reach planners through one door, and it puts every plan through here: those of the planners, what the operator reworded,
and what is done again. Nothing in a workspace can leave this step out (promises F2, F5)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from engine.errors import MemdeckError
from engine.plans.diff import bytes_or_none
from engine.plans.flags import Exists, count_words, find_flags, is_lasting
from engine.plans.lineage import Lineage
from engine.plans.plan import Change, Confirmation, Move, Plan, QualityGate, Replace, RiskTier
from engine.plans.prediction import contents_after
from engine.text.document import split_lines
from engine.workspace.layout import CONVERSATIONS, MEMORY_MD_LINES, MEMORY_MD_PATHS, is_note
from engine.workspace.values import Tick, phase, steps

GATE = "hooks"  # the plan check that stands in for the pre-commit hook
HOOKS = "hooks: "  # begins a warning that the pre-commit hook would give
PUT_BACK = frozenset({"revert", "restore"})
"""Systems whose plans put bytes back that stood in the workspace before: that is no growth (decision G25)."""
_LIMITS = dict(MEMORY_MD_LINES)


class HookFault(msgspec.Struct, frozen=True):
    """A remark of a hook about one file; `refuses`: it would hold the commit up."""

    path: str
    what: str
    refuses: bool


def hook_faults(path: str, data: bytes) -> Iterator[HookFault]:
    """Gives the remarks of the pre-commit hook about these bytes at this path."""
    if path.startswith(f"{CONVERSATIONS}/") and is_note(path.rpartition("/")[2]):
        if data.partition(b"\n")[0].replace(b"\r", b"") != b"---":
            yield HookFault(path, "has no frontmatter: its first line must be ---", refuses=True)
    elif path in MEMORY_MD_PATHS:
        yield from _of_memory(path, physical_lines(data))
    elif path.startswith("topics/") and is_note(path.rpartition("/")[2]) and b"\ntriggers:" not in b"\n" + data:
        yield HookFault(path, "has no triggers", refuses=False)


def _of_memory(path: str, lines: int) -> Iterator[HookFault]:
    if lines > _LIMITS["over"]:
        yield HookFault(path, f"has {lines:,} lines, {_LIMITS['over']} are allowed", refuses=True)
    elif lines > _LIMITS["warning"]:
        yield HookFault(path, f"has {lines:,} lines, agents load {_LIMITS['full']}", refuses=False)


def physical_lines(data: bytes) -> int:
    """Lines as `wc -l` counts them, and a last one without its end."""
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def hook_gate(
    after: Mapping[str, bytes | None], read: Callable[[str], bytes], *, puts_back: bool = False
) -> tuple[QualityGate | None, tuple[str, ...]]:
    """Gives the plan check over the files as they will be, and its warnings; no check where no hook looks at any of
    them. A plan that makes a file better passes: MEMORY.md above its cap may shrink, and a transcript is only ever new.
    `puts_back`: the bytes stood there before, so that none is refused, and what a hook would refuse is a warning."""
    looked = {path: data for path, data in after.items() if data is not None and is_looked_at(path)}
    if not looked:
        return None, ()
    refused = [] if puts_back else [what for path, data in looked.items() for what in _refusals(path, data, read)]
    said = [one for path, data in looked.items() for one in hook_faults(path, data)]
    warnings = tuple(f"{HOOKS}{one.path} {one.what}" for one in said)
    detail = "; ".join(refused) or f"{len(looked):,} files as the pre-commit hook wants them"
    return QualityGate(GATE, not refused, detail), warnings if not refused else ()


def is_looked_at(path: str) -> bool:
    """Tells whether the pre-commit hook looks at a path."""
    return path in MEMORY_MD_PATHS or path.startswith((f"{CONVERSATIONS}/", "topics/"))


def _refusals(path: str, data: bytes, read: Callable[[str], bytes]) -> Iterator[str]:
    if path in MEMORY_MD_PATHS:
        lines = physical_lines(data)
        if lines > _LIMITS["full"] and lines > physical_lines(bytes_or_none(read, path) or b""):
            yield f"{path} would grow to {lines:,} lines, agents load {_LIMITS['full']}: memdeck plan prune"
        return
    yield from (f"{one.path} {one.what}" for one in hook_faults(path, data) if one.refuses)


CONFIRMATION = "flagged"
CONTEXT = "context: "
"""Begins a warning about what the agent will see: lines that are not loaded any more (D41), a broken prefix (D39)."""
PROBES = "probes"  # the plan check, and the fact of a plan, that tell what becomes of the probes
PROBE = "probe: "  # begins a warning about a probe


class ProbeNote(msgspec.Struct, frozen=True):
    """The probes' part of a plan: a check, warnings, and each probe with its outcome for the JSON report."""

    passed: bool
    detail: str
    warnings: tuple[str, ...]
    facts: tuple[dict[str, str], ...]


class Surroundings(msgspec.Struct, frozen=True):
    """The workspace as the step sees it. `own` gives the lines of a change that memdeck itself wrote as marks.
    `context` says in sentences what the agent will not see any more as it did; `probes` asks the probes."""

    read: Callable[[str], bytes]
    exists: Exists
    own: Callable[[Change], Collection[int]]
    context: Callable[[Plan], Iterable[str]] = lambda _: ()
    probes: Callable[[Plan], ProbeNote | None] = lambda _: None


def annotated(plan: Plan, around: Surroundings, lineage: Lineage, tick: Tick | None = None) -> Plan:
    """Gives the plan flags and trust labels on its changes, and what these ask for. `tick` may cancel. A flagged change
    is of tier B at least. Flagged lines bound for semantic memory, ROOT or MEMORY.md ask for a recorded reason."""
    planned = plan.targets()
    cut = frozenset(one.path for one in plan.changes if isinstance(one, Move | Replace))
    changes: list[Change] = []
    for change in steps(plan.changes, "checking changes", tick):
        old = _old(change, around, cut)
        flags = find_flags(change, old, around.own(change), lambda path: path in planned or around.exists(path))
        lifted = max(change.risk_tier, RiskTier.B) if flags else change.risk_tier
        trust = lineage.of_change(change, flags)
        changes.append(replace(change, flags=flags, risk_tier=lifted, **({} if trust is None else {"trust": trust})))
    kept = tuple(one for one in plan.confirmations if one.id != CONFIRMATION)
    warnings = (one for one in plan.warnings if not one.startswith((CONTEXT, PROBE, HOOKS)))
    noted = replace(
        plan,
        changes=tuple(changes),
        confirmations=(*kept, *_questions(changes)),
        warnings=(*warnings, *(f"{CONTEXT}{one}" for one in around.context(plan))),
    )
    phase("asking the probes", tick)
    return _with_hooks(_with_probes(noted, around.probes(plan)), around.read)


def _with_hooks(plan: Plan, read: Callable[[str], bytes]) -> Plan:
    """Adds to a plan the check that the agent's hooks make of a commit, where it writes what they look at (D51)."""
    gates = tuple(gate for gate in plan.gates if gate.id != GATE)
    if not any(map(is_looked_at, plan.targets())):
        return replace(plan, gates=gates)
    try:
        after = contents_after(plan, read)
    except MemdeckError:  # the plan cannot be applied as it is, which is told where it is queued
        return replace(plan, gates=gates)
    gate, warnings = hook_gate(after, read, puts_back=plan.system in PUT_BACK or bool(plan.redoes))
    return replace(plan, gates=(*gates, *((gate,) if gate else ())), warnings=(*plan.warnings, *warnings))


def _with_probes(plan: Plan, note: ProbeNote | None) -> Plan:
    """Gives the plan with what becomes of the probes, in the place of what was noted of them before."""
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
    """Reads the text before the change: its file, or the lines it takes from lasting files that the plan cuts up."""
    if isinstance(change, Replace):
        return _text(change.path, around)
    sources = change.sources if is_lasting(change.path) else ()
    taken = [one for one in sources if one.path in cut and is_lasting(one.path)]
    texts = {path: split_lines(_text(path, around)) for path in {one.path for one in taken}}
    return "\n".join(line for one in taken for line in texts[one.path][one.start - 1 : one.end])


def _text(path: str, around: Surroundings) -> str:
    return (bytes_or_none(around.read, path) or b"").decode("utf-8", "replace")


def _questions(changes: Iterable[Change]) -> tuple[Confirmation, ...]:
    about = [one for one in changes if one.flagged and is_lasting(one.path) and not isinstance(one, Move)]
    if not about:
        return ()
    said = count_words(about)
    places = ", ".join(dict.fromkeys(one.path for one in about))
    question = f"{said} would enter {places}. Did you read each of them, and shall they be kept?"
    return (Confirmation(CONFIRMATION, question, tuple(one.n for one in about)),)
