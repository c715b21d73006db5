"""One cycle of the tree as one plan: days, weeks, months, ROOT and its mirror, bottom up (tree §Algorithm)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from engine.errors import Cancelled, MemdeckError
from engine.plans.draft import Draft
from engine.plans.plan import Change, Create, ModelOutput, Plan, Replace, RiskTier
from engine.plans.planning import Planning
from engine.plans.status import PlanOutcome
from engine.text.canonical_json import canonical_json, sha256_hex
from engine.text.document import Document
from engine.text.secrets.detector import find_secrets
from engine.tree import calendar
from engine.tree.cycle.options import TreeRequest
from engine.tree.cycle.quality_gates import gates
from engine.tree.cycle.report import Outcome, TreeRun, facts_json, report_text
from engine.tree.levels import LEVELS, ROOT_PATH, Freshness, NodeLevel, NodeStatus, node_path
from engine.tree.nodes.build import BuiltNode, WaitingNode, build, summarised_sources
from engine.tree.nodes.node_frontmatter import is_summary, node_text
from engine.tree.nodes.node_task import OFFLINE, NodeWriter
from engine.tree.nodes.supplements import supplement
from engine.tree.root import mirror
from engine.tree.root import page as root
from engine.tree.survey.node_state import Node
from engine.tree.survey.node_topics import near_day
from engine.tree.survey.records import LINES, TAKEN, TreeRecords
from engine.tree.survey.survey import Survey
from engine.tree.survey.transitions import (
    SUMMARIES_PER_CYCLE,
    Action,
    is_due,
    newest_first,
    reason,
    risk_tier,
    shown,
    wanted,
)
from engine.workspace.dates import week_of
from engine.workspace.values import LineSpan

SYSTEM = "tree"
MODEL = ("extractive", "2")
PLAIN = TreeRequest()


def plan_tree(
    planning: Planning, *, records: TreeRecords, options: TreeRequest = PLAIN, writer: NodeWriter = OFFLINE
) -> PlanOutcome:
    """A plan for one cycle, or for as many as a drain needs; or the reason for none. `writer` alone may ask a model."""
    return _Cycle(planning, records, options, writer).outcome()


class _Cycle:
    """One run. What it would write lies on top of the survey, so that every level sees the one below as it will be."""

    def __init__(self, planning: Planning, records: TreeRecords, options: TreeRequest, writer: NodeWriter) -> None:
        self.writer = writer
        self.planning = planning
        self.snapshot = planning.snapshot
        self.policy = planning.policy
        self.now = planning.now
        self.counter = planning.counter
        self.options = options
        self.today = planning.today
        self.survey = Survey(self.snapshot, records, self.today, frozenset(options.take))
        self.draft = Draft(planning)
        self.reopen = self._with_ancestors(options.reopen)
        self.numbers: dict[str, int] = {}
        self.outcomes: list[Outcome] = []
        self.waiting: list[str] = []
        self.held_back: list[str] = []
        self.unread: list[str] = []
        self.shown: list[str] = []
        self.warnings: list[str] = []
        self.summaries: Counter[NodeLevel] = Counter()
        self.written: list[str] = []
        self.let_in: tuple[str, ...] = ()

    def outcome(self) -> PlanOutcome:
        # Days before weeks before months: each level reads the one below as this run writes it.
        for level in LEVELS:
            self._level(level)
        self._root()
        run = self._run()
        if not self.draft.changes:
            idle = self._why_nothing()
            run = msgspec.structs.replace(run, reason_no_action=idle)
            return PlanOutcome(plan=None, reason_no_action=idle, report=report_text(run), facts=facts_json(run))
        plan = self._plan(run)
        return PlanOutcome(plan=plan, report=plan.report, facts=plan.facts)

    # ── levels ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _level(self, level: NodeLevel) -> None:
        work: list[tuple[Node, Action]] = []
        for node in self.survey.nodes(level):
            action = wanted(node, self.today, self.reopen)
            if action is Action.SHOW:
                self.shown.append(shown(node))
            elif action is not None:
                work.append((node, action))
            self._remark(node)
        self._prepare(work)
        # An agent reads today's memory first; the backlog follows (decision C6).
        ordered = newest_first(work, self.survey.tree_files.periods[level][-1:])
        for node, action in self.planning.steps(ordered, f"{level.value} nodes", every=20):
            self._act(node, action)

    def _prepare(self, work: Sequence[tuple[Node, Action]]) -> None:
        """Has a model asked about all nodes of a level at once, where a drain makes all of them."""
        # A single cycle asks for few summaries: a batch of them would only wait longer.
        if self.writer.by and self.options.drain:
            made = (node for node, action in work if action not in (Action.FINALISE, Action.SUPPLEMENT))
            self.writer.prepare(summarised_sources(self.survey, node, self.counter) for node in made)

    def _remark(self, node: Node) -> None:
        if node.doubt:
            self.warnings.append(f"{shown(node)}; --take {node.period} takes it all the same")
        if node.missing and not node.fixed:
            self.warnings.append(f"{node.period}: cannot be read: {', '.join(node.missing[:3])}")
        gone = [path for path, _ in node.known if path.startswith("memory/") and self.survey.held(path) is None]
        if node.level is NodeLevel.DAILY and gone:
            self.warnings.append(f"{node.path}: its raw log is gone: {', '.join(gone[:3])}")
        if node.freshness is Freshness.MISSING and node.path in self.survey.records.nodes and node.sources:
            self.warnings.append(f"{node.path}: written before and gone now; it is made again")

    def _act(self, node: Node, action: Action) -> None:
        due = is_due(node, self.today)
        try:
            made = self._made(node, action, due)
        except Cancelled:
            raise
        except MemdeckError as error:
            self.warnings.append(f"{node.path}: skipped: {error.message}")
            self.unread.append(node.path)
            return
        if isinstance(made, WaitingNode):
            self.waiting.append(node.path)
        elif made is None:
            if action is Action.CREATE:
                self.warnings.append(f"{node.period}: none of its sources can be read; the run goes on")
                self.unread.append(node.path)
        else:
            self._write(node, action, made)

    def _made(self, node: Node, action: Action, due: bool) -> BuiltNode | WaitingNode | None:
        match action:
            case Action.FINALISE:
                return self._finalised(node)
            case Action.SUPPLEMENT:
                return supplement(self.survey, node, self.counter, self.today, self.writer)
            case _:
                may = self.options.drain or self.summaries[node.level] < SUMMARIES_PER_CYCLE
                return build(self.survey, node, self.counter, due=due, may_summarise=may, writer=self.writer)

    def _finalised(self, node: Node) -> BuiltNode:
        """The same text with the status fixed: its sources are those it was made from (decision C5)."""
        document = Document.from_bytes(self.survey.read(node.path))
        values = {**document.frontmatter.values, "status": NodeStatus.FIXED.value}
        spans = tuple(LineSpan(path, 1, max(1, self._lines(path))) for path, _ in node.sources)
        return BuiltNode(content=node_text(values, document.body), values=values, spans=spans)

    def _lines(self, path: str) -> int:
        held = self.survey.held(path)
        return held.lines if held else 1

    def _holds_secret(self, path: str, content: str) -> bool:
        """Tells whether a node would hold a secret: it is left out with its reason, and the others go on (F1)."""
        found = find_secrets(content)
        if found:
            self.held_back.append(path)
            self.warnings.append(f"{path}: omitted: {found[0]}; take it out of its sources, or of the node itself")
        return bool(found)

    def _write(self, node: Node, action: Action, made: BuiltNode) -> None:
        if self._holds_secret(node.path, made.content):
            return
        fixed = made.values.get("status") == NodeStatus.FIXED.value
        tier = risk_tier(node, action, fixed=fixed)
        # A node names the hashes of its sources: applied without them it would claim what is not there.
        requires = tuple(sorted(self.numbers[path] for path, _ in node.sources if path in self.numbers))
        warnings = made.warnings
        if tier is RiskTier.C and action is not Action.REOPEN:
            warnings = (*warnings, "another program wrote this node; the diff shows what would be lost")
        fields = {
            "n": self.draft.next_number,
            "path": node.path,
            "risk_tier": tier,
            "reason": reason(node, action, fixed=fixed),
            "content": made.content,
            "sources": made.spans,
            "origins": made.origins,
            "dropped": made.dropped,
            "warnings": warnings,
            "requires": requires,
        }
        on_disk = node.path in self.snapshot.files
        number = self.draft.add(_change(fields, replaces=on_disk))
        for path, _ in node.sources:
            self.draft.read(path)
        self.outcomes.append(Outcome(number, node.level, node.period, action, made.method, fixed))
        if is_summary(made.method) and action is not Action.FINALISE:
            # A supplement adds to a summary that is there, so it takes no place of the cycle's.
            self.summaries[node.level] += action is not Action.SUPPLEMENT
            self.written.append(made.content)
        # What others wrote is replaced only if the operator types the word; until then parents keep to what is there.
        if tier is not RiskTier.C or action is Action.REOPEN:
            self.survey.put(node.path, made.held(self.counter))
            self.numbers[node.path] = number

    # ── ROOT ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _root(self) -> None:
        months = [node_path(NodeLevel.MONTHLY, month) for month in self.survey.tree_files.periods[NodeLevel.MONTHLY]]
        sources = [(path, held.sha256) for path in months if (held := self.survey.trusted(path)) is not None]
        moved = any(path in self.numbers for path, _ in sources)
        made = root.plan(
            self.survey,
            sources,
            self.policy.limits.root_tokens,
            self.counter,
            moved=moved,
            take_flagged=self.options.take_flagged,
            writer=self.writer,
            moves=self.planning.moves,
        )
        number: int | None = None
        if made is not None and self._holds_secret(ROOT_PATH, made.content):
            made = None
        if made is not None:
            self.let_in = made.taken
            number = self._write_root(made, [path for path, _ in sources])
        change = mirror.plan(
            self.survey.snapshot,
            made.content.encode() if made is not None else self._root_bytes(),
            number=self.draft.next_number,
            requires=number,
        )
        self.warnings += change.warnings
        if change.change is not None:
            self.draft.add(change.change)

    def _root_bytes(self) -> bytes | None:
        """ROOT as it is on disk, where it is ours to mirror."""
        facts = self.snapshot.files.get(ROOT_PATH)
        if facts is None or not self.survey.records.wrote(ROOT_PATH, facts.sha256):
            return None
        return self.snapshot.content(ROOT_PATH)

    def _write_root(self, made: root.RootPage, sources: Sequence[str]) -> int:
        facts = self.snapshot.files.get(ROOT_PATH)
        ours = facts is None or self.survey.records.wrote(ROOT_PATH, facts.sha256)
        fields = {
            "n": self.draft.next_number,
            "path": ROOT_PATH,
            "risk_tier": RiskTier.B if ours else RiskTier.C,
            "reason": f"ROOT: {made.why}",
            "content": made.content,
            "sources": tuple(LineSpan(path, 1, max(1, self._lines(path))) for path in sources),
            "origins": made.origins,
            "dropped": made.dropped,
            "warnings": made.warnings if ours else (*made.warnings, "another program wrote this ROOT"),
            "requires": tuple(sorted(self.numbers[path] for path in sources if path in self.numbers)),
        }
        number = self.draft.add(_change(fields, replaces=facts is not None))
        for path in (*sources, *made.read):
            self.draft.read(path)
        self.written.append(made.content)
        self.outcomes.append(
            Outcome(number, NodeLevel.ROOT, "", Action.REGENERATE if facts else Action.CREATE, made.by, fixed=False)
        )
        return number

    # ── plan ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _with_ancestors(self, paths: Iterable[str]) -> frozenset[str]:
        """Reopening a day reopens the fixed week and month above it: they were made from what it was."""
        found: set[str] = set()
        for path in paths:
            week = week_of(near_day(path))
            levels = [NodeLevel.WEEKLY] if path.startswith("memory/daily/") else []
            found.add(path)
            found |= {node_path(level, week) for level in levels}
            if not path.startswith("memory/monthly/"):
                # By the week's Thursday, as the month is made of whole weeks.
                found.add(node_path(NodeLevel.MONTHLY, calendar.month_of_week(week)))
        fixed = {path for path in found if self._is_fixed(path)}
        return frozenset(fixed | set(paths))

    def _is_fixed(self, path: str) -> bool:
        held = self.survey.held(path)
        stated = held is not None and held.values.get("status") == NodeStatus.FIXED.value
        return stated or self.survey.records.is_fixed(path)

    def _why_nothing(self) -> str:
        if not any(self.survey.tree_files.periods.values()):
            return "there is no raw log: memory/YYYY-MM-DD.md"
        if self.held_back:
            return f"{len(self.held_back)} nodes are omitted: each would hold a secret"
        if self.waiting:
            return f"{len(self.waiting)} nodes wait for a summary"
        return "the tree is up to date"

    def _run(self) -> TreeRun:
        return TreeRun(
            today=self.today,
            tokenizer=self.counter.name,
            outcomes=tuple(self.outcomes),
            waiting=tuple(self.waiting),
            held_back=tuple(self.held_back),
            shown=tuple(self.shown),
            quarantined=self.survey.tree_files.quarantined,
            warnings=tuple(dict.fromkeys(self.warnings)),
            cycles=max(1, *self.summaries.values()) if self.summaries else 1,
            drain=self.options.drain,
        )

    def _plan(self, run: TreeRun) -> Plan:
        return self.draft.finish(
            SYSTEM,
            "drain" if self.options.drain else "cycle",
            model=self._model() if self.written else None,
            gates=gates(self.survey, tuple(self.draft.changes), run, self.unread),
            warnings=run.warnings,
            report=report_text(run),
            facts=facts_json(run) | self._taken(),
        )

    def _model(self) -> ModelOutput:
        """The model that wrote any of it; the rules where none did."""
        by = next((one.method for one in self.outcomes if one.method.startswith("claude ")), "")
        name, version = by.split(" ", 1) if by else MODEL
        return ModelOutput(name, version, sha256_hex(canonical_json(self.written)))

    def _taken(self) -> dict[str, Any]:
        """Gives what the operator takes that would be left out, for the plan: once applied it is taken for good."""
        nodes = {path: held.sha256 for path in self.options.take if (held := self.survey.held(path)) is not None}
        doubted = {path: sha256 for path, sha256 in sorted(nodes.items()) if self.survey.doubt(path)}
        return ({TAKEN: doubted} if doubted else {}) | ({LINES: list(self.let_in)} if self.let_in else {})


def _change(fields: dict[str, Any], *, replaces: bool) -> Change:
    return Replace(**fields) if replaces else Create(**fields)
