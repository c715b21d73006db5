"""Plans a flush: lasting items to their places, the rest to the daily log (window, decision B17)."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from engine.flush import places, quality_gates
from engine.flush.items import FlushCategory, FlushItem, FlushSession, KnownItems, known_items
from engine.flush.log_block import LogBlock, LogOptions, item_line, item_name, log_block
from engine.flush.marks import REACHES, Reach
from engine.flush.memory_section import Promoted, promote
from engine.flush.places import FlushPlaces
from engine.flush.promotions import Extracted, extract
from engine.models.summary import Summariser
from engine.plans.memory_integrity import FLUSH, integrity_problem
from engine.plans.plan import Append, Create, ModelOutput, Plan, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.canonical_json import canonical_json, sha256_hex
from engine.text.safe_text import without_markers
from engine.workspace.snapshot import FreeNames

SYSTEM = FLUSH
FLUSH_OK = "FLUSH_OK: nothing worth keeping"  # the reason of a flush that has nothing to save (§6.4, decision B18)
_SHOWN = 20  # items that a report says a reason for, line by line; `facts` has the others too


class FlushOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a flush. `trigger`: the band that was reached, or `manual`."""

    summariser: Summariser
    trigger: str = "manual"
    aggressive: bool = False
    daily_logs: bool = False
    reaches: Sequence[Reach] = REACHES
    loaded: frozenset[str] = frozenset()
    not_loaded: Callable[[Collection[str]], Iterable[str]] = lambda _: ()
    """`loaded`: files that platforms load; `not_loaded` warns of paths that they do not load (decision D60)."""
    prune: Callable[[Planning, int], PlanOutcome] | None = None
    """Plans a prune of MEMORY.md that frees this many lines (decision B26)."""


class _Saved(msgspec.Struct, frozen=True, kw_only=True):
    session: FlushSession
    found: Extracted
    items: list[FlushItem]
    at: datetime
    block: LogBlock
    moved: list[tuple[FlushItem, str]]


def plan_flush(planning: Planning, sessions: Sequence[FlushSession], options: FlushOptions) -> PlanOutcome:
    """Plans the flush of these turns, depending only on them and the files, not on the time (decision B19)."""
    sessions = [session for session in sessions if session.turns]
    found = [extract(session, options.reaches) for session in planning.steps(sessions, "reading sessions")]
    worth = [
        (session, one)
        for session, one in zip(sessions, found, strict=True)
        if one.items or one.missing or _is_long(planning, one)
    ]
    if not worth:
        return PlanOutcome(plan=None, reason_no_action=FLUSH_OK, facts={"sessions": _session_facts(sessions)})
    ends = [session.at for session in sessions if session.at is not None]
    # The end of the last session, not the clock: a flush planned from a backup equals the one planned then (B19).
    # Under a what-if clock that clock: it applies under the same one (decision G18).
    if not planning.simulated_clock:
        planning = msgspec.structs.replace(planning, now=max(ends, default=planning.now))
    return _Flush(planning, options).outcome(worth)


def _is_long(planning: Planning, found: Extracted) -> bool:
    return planning.counter.count("\n".join(part.text for part in found.rest)) > planning.policy.context.flush_tokens


def _session_facts(sessions: Sequence[FlushSession]) -> list[dict[str, Any]]:
    return [
        {
            "source": session.source,
            "session": session.session,
            "first": session.first,
            "last": session.last,
            "last_line": session.turns[-1].line,
        }
        for session in sessions
    ]


class _Flush:
    def __init__(self, planning: Planning, options: FlushOptions) -> None:
        self._planning, self._options = planning, options
        snapshot, zone = planning.snapshot, planning.policy.zone
        self._unread = {skipped.path: skipped.reason for skipped in snapshot.skipped}
        self._places: FlushPlaces = places.places(
            {*snapshot.files, *self._unread}, daily_logs=options.daily_logs, zone=zone, loaded=options.loaded
        )
        self._known: KnownItems = known_items(snapshot.files, snapshot.reader)
        self._names = FreeNames(snapshot)
        self._draft = Draft(planning)
        self._warnings: list[str] = []
        self._contents: dict[str, bytes] = {}
        self._promoted = Promoted()
        self._elsewhere: set[FlushItem] = set()

    def outcome(self, worth: Sequence[tuple[FlushSession, Extracted]]) -> PlanOutcome:
        numbered = [self._numbered(found) for _, found in worth]
        # Before items are placed: what contradicts is flagged wherever it goes (decision B8).
        pairs = quality_gates.contradictions(self._known.lines, (item for items in numbered for item in items))
        dated = [
            (item, f"{self._places.local(self._at(session)):%Y-%m-%d}")
            for (session, _), items in zip(worth, numbered, strict=True)
            for item in items
        ]
        # Before the log, which takes what MEMORY.md has no room for (decision B26).
        self._write_memory([pair for pair in dated if self._places.place_of(pair[0]) == self._places.memory_md != ""])
        self._write_projects(dated)
        saved = [self._saved(session, found, items) for (session, found), items in zip(worth, numbered, strict=True)]
        self._write_logs(saved)
        return self._plan(saved, pairs)

    def _saved(self, session: FlushSession, found: Extracted, items: list[FlushItem]) -> _Saved:
        at = self._at(session)
        goes = [(item, place) for item in items if (place := self._place(item))]
        here = [item for item in items if not self._place(item)]
        counter, tokens = self._planning.counter, self._planning.policy.context.flush_tokens
        asked = self._options
        options = LogOptions(tokens=tokens, aggressive=asked.aggressive, counter=counter, summariser=asked.summariser)
        turns, day = f"{session.first}-{session.last}", self._places.local(at)
        heading = f"## Memory Flush: {day:%Y-%m-%d %H:%M} {day:%Z}\n\nSession {session.session}, turns {turns}"
        block = log_block(heading, here, goes, found.rest, options)
        self._elsewhere.update(item for item, _ in block.left_out)
        return _Saved(session=session, found=found, items=items, at=at, block=block, moved=goes)

    def _at(self, session: FlushSession) -> datetime:
        return session.at or self._planning.now

    def _numbered(self, found: Extracted) -> list[FlushItem]:
        before = {item for item in found.items if self._known.has(item)}
        self._elsewhere |= before
        self._warnings += [
            f"said again, written before: {item.text.splitlines()[0][:120]}" for item in found.items if item in before
        ]
        new = (item for item in found.items if item not in before)
        return self._known.numbered(
            msgspec.structs.replace(item, project=self._places.project_of(item)) for item in new
        )

    def _place(self, item: FlushItem) -> str:
        return "" if item in self._promoted.waiting else self._places.place_of(item)

    # ── files ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _data(self, path: str) -> bytes | None:
        if path in self._contents:
            return self._contents[path]
        return self._planning.snapshot.content(path) if path in self._planning.snapshot.files else None

    def _write_memory(self, items: Sequence[tuple[FlushItem, str]]) -> None:
        path = self._places.memory_md
        if not items:
            return
        before = self._data(path)
        made = self._promoted = promote(path, before, items, self._unread.get(path, ""))
        if made.content is None:
            return
        # Putting our section in is a change outside of it (decision C18).
        tier = RiskTier.C if made.inserts else RiskTier.B
        reason = f"{len(items) - len(made.waiting)} lasting items into our section"
        reason += ", which is put in for the first time" * made.inserts
        self._draft.write(Create if before is None else Replace, path, made.content.decode(), reason, tier)
        self._contents[path] = made.content

    def _write_projects(self, items: Sequence[tuple[FlushItem, str]]) -> None:
        for path in sorted(set(self._places.projects.values())):
            lines = [f"- {day} {item_line(item)[2:]}" for item, day in items if self._place(item) == path]
            if lines:
                text = "\n" + without_markers("\n".join(lines)) + "\n"
                self._append(path, text, f"{len(lines)} decisions of this project")

    def _write_logs(self, saved: Sequence[_Saved]) -> None:
        for path in sorted({self._places.log(flushed.at) for flushed in saved}):
            mine = [flushed for flushed in saved if self._places.log(flushed.at) == path]
            text = "\n".join(without_markers(flushed.block.text) for flushed in mine)
            reason = f"the flush of {', '.join(flushed.session.session for flushed in mine)}"
            dropped = tuple(f"{why}: {item_name(item)}" for flushed in mine for item, why in flushed.block.left_out)
            dropped += tuple(line for flushed in mine for line in flushed.found.discarded)
            if path in self._planning.snapshot.files:
                self._append(path, "\n" + text, reason, dropped)
                continue
            if path in self._unread:
                self._warnings.append(f"{path} cannot be read: {self._unread[path]}; the log goes beside it")
            self._create(path, text, reason, dropped, mine)

    def _append(self, path: str, text: str, reason: str, dropped: tuple[str, ...] = ()) -> None:
        self._draft.write(Append, path, text, reason, dropped=dropped)
        self._contents[path] = (self._data(path) or b"") + text.encode()

    def _create(self, path: str, text: str, reason: str, dropped: tuple[str, ...], saved: Sequence[_Saved]) -> None:
        day, path = path.rpartition("/")[2].removesuffix(".md"), self._names.free_path(path)
        head = f"# {day}\n\n"
        if self._places.layout is places.FlushLayout.KNOWLEDGE:
            names = ", ".join(flushed.session.session for flushed in saved)
            head = f"---\ntype: journal\ndate: {day}\nsessions: [{names}]\n---\n\n{head}"
        self._draft.write(Create, path, head + text, reason, dropped=dropped)
        self._contents[path] = (head + text).encode()

    # ── the plan ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _plan(self, saved: Sequence[_Saved], pairs: Sequence[tuple[str, str]]) -> PlanOutcome:
        sessions, found = [flushed.session for flushed in saved], [flushed.found for flushed in saved]
        items = [item for flushed in saved for item in flushed.items]
        written = [data.decode("utf-8", "replace") for data in self._contents.values()]
        checks = (
            quality_gates.coverage(sessions, found, written),
            quality_gates.every_item(found, written, self._elsewhere),
            quality_gates.completeness(items),
            quality_gates.consistency(pairs),
            self._integrity(),
            quality_gates.size(
                sum(one.block.summarised_tokens for one in saved), sum(one.block.summary_tokens for one in saved)
            ),
        )
        self._warnings += [f"kept, and marked [TEMPORARY] too: {line}" for one in found for line in one.both_marks]
        self._warnings += [flushed.block.remark for flushed in saved if flushed.block.remark]
        self._warnings += [f"contradicts: {one} ⟷ {other}" for one, other in pairs]
        knowledge = self._places.layout is places.FlushLayout.KNOWLEDGE
        decisions = [item for item in items if item.category is FlushCategory.DECISION]
        homeless = [item for item in decisions if knowledge and item.lasting and not item.project]
        self._warnings += [f"no project is known: {item.code} {item.text}" for item in homeless]
        self._warnings += self._options.not_loaded(
            {self._places.memory_md, *self._places.projects.values()} & {*self._contents}
        )
        along = self._prune_along()
        options, blocks = self._options, [flushed.block.text for flushed in saved]
        model = ModelOutput(options.summariser.name, options.summariser.version, sha256_hex(canonical_json(blocks)))
        facts = {"sessions": _session_facts(sessions), "aggressive": options.aggressive, "items": _counts(items)}
        waiting = [
            {"item": item_name(item), "turn": item.turn, "why": why} for item, why in self._promoted.waiting.items()
        ]
        facts |= {"waiting": waiting} if waiting else {}
        self._bind_together()
        plan = self._draft.finish(
            SYSTEM,
            options.trigger,
            gates=checks,
            report=_report(saved, items, checks, self._places) + _why_waiting(self._promoted.waiting),
            facts=facts,
            model=model,
            warnings=self._warnings,
        )
        return PlanOutcome(plan=plan, also=along, report=plan.report, facts=plan.facts)

    def _bind_together(self) -> None:
        """Makes each change require all others: the turns count as saved once any is applied (decision B18)."""
        numbers = [change.n for change in self._draft.changes]
        self._draft.changes[:] = [
            msgspec.structs.replace(change, requires=tuple(n for n in numbers if n != change.n))
            for change in self._draft.changes
        ]

    def _prune_along(self) -> tuple[Plan, ...]:
        """Plans the prune that makes room in MEMORY.md for all waiting items (decision B26)."""
        waiting, path = self._promoted.waiting, self._places.memory_md
        if not waiting:
            return ()
        self._warnings.append(f"{len(waiting)} lasting items stand in the log and not in {path}: the report says why")
        prune, outcome = self._options.prune, None
        if prune is not None and path in self._planning.snapshot.files:
            outcome = prune(self._planning, self._promoted.lines)
        if outcome is None or outcome.plan is None:
            why = outcome.reason_no_action if outcome is not None else "it is new, or cannot be read"
            self._warnings.append(f"no prune of {path} is planned along: {why}")
            return ()
        self._warnings.append(f"a prune of {path} is planned along: apply it first and flush again to promote more")
        return (outcome.plan,)

    def _integrity(self) -> QualityGate:
        path = self._places.memory_md
        if path not in self._contents:
            unread = f", and cannot be read: {self._unread[path]}" if path in self._unread else ""
            return QualityGate("integrity", True, f"MEMORY.md stays as it is{unread}")
        snapshot = self._planning.snapshot
        before = snapshot.content(path) if path in snapshot.files else None
        problem = integrity_problem(before, self._contents[path])
        told = "decodes, frontmatter and tables parse, no entry is lost; checked again once it is written"
        return QualityGate("integrity", not problem, f"{path}: {problem or told}")


def _counts(items: Sequence[FlushItem]) -> dict[str, int]:
    return {category.value: sum(item.category is category for item in items) for category in FlushCategory}


def _report(
    saved: Sequence[_Saved], items: Sequence[FlushItem], checks: Sequence[QualityGate], where: FlushPlaces
) -> str:
    lines = [f"Flush by {where.layout.value}, {len(saved)} sessions"]
    lines += [f"  {flushed.session.session}: turns {flushed.session.first}-{flushed.session.last}" for flushed in saved]
    counts = ", ".join(f"{number} {name}" for name, number in _counts(items).items() if number)
    lines.append(f"Items: {counts or 'none'}; promoted {sum(len(flushed.moved) for flushed in saved)}")
    lines += [f"Gate {gate.id}: {gate.detail}" for gate in checks]
    left = [f"{item_name(item)} ({why})" for flushed in saved for item, why in flushed.block.left_out]
    if left:
        lines.append(f"Progress that the log does not name, {len(left)}: {'; '.join(left[:5])}")
    return "\n".join(lines) + "\n"


def _why_waiting(waiting: dict[FlushItem, str]) -> str:
    """Says why each lasting item is only in the log (decision B26)."""
    lines = [f"In the log, to be promoted once there is room: {len(waiting)}"] if waiting else []
    lines += [f"  turn {item.turn}, {why}: {item_name(item)}" for item, why in list(waiting.items())[:_SHOWN]]
    lines += [f"  and {len(waiting) - _SHOWN} more; --json names each under facts.waiting"] * (len(waiting) > _SHOWN)
    return "".join(f"{line}\n" for line in lines)
