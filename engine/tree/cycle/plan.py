"""Plans one cycle of the tree: days, weeks, months, ROOT and its mirror, bottom up (tree §Algorithm)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from engine.errors import Cancelled, MemdeckError
from engine.models.model_task import MODELS
from engine.plans.plan import Create, ModelOutput, Plan, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.canonical_json import canonical_json, sha256_hex
from engine.text.document import Document
from engine.text.secrets.detector import find_secrets
from engine.tree.cycle.idle import TreeRequest
from engine.tree.cycle.report import Outcome, TreeRun, gates, report_text
from engine.tree.levels import LEVELS, ROOT_PATH, Freshness, NodeLevel, NodeStatus, month_of_week, node_path
from engine.tree.nodes.copied_or_summarised import BuiltNode, WaitingNode, build, summarised_sources
from engine.tree.nodes.node_frontmatter import is_summary, node_text
from engine.tree.nodes.node_task import OFFLINE, NodeWriter
from engine.tree.nodes.supplements import supplement
from engine.tree.root import mirror
from engine.tree.root import page as root
from engine.tree.survey.node_status import SUMMARIES_PER_CYCLE, Action, Node, is_due, reason, risk_tier, shown, wanted
from engine.tree.survey.node_topics import near_day
from engine.tree.survey.records import LINES, TAKEN, TreeRecords
from engine.tree.survey.survey import Survey
from engine.workspace.dates import week_of
from engine.workspace.values import LineSpan

SYSTEM = "tree"
MODEL = ("extractive", "2")
PLAIN = TreeRequest()


def plan_tree(
    planning: Planning, *, records: TreeRecords, options: TreeRequest = PLAIN, writer: NodeWriter = OFFLINE
) -> PlanOutcome:
    """Plans one cycle, or several for a drain; without work, returns the reason. Only `writer` may ask a model."""
    return _Cycle(planning, records, options, writer).outcome()


class _Cycle:
    """One run. Adds each node that it makes to the survey, so that the next level is made from it."""

    def __init__(self, planning: Planning, records: TreeRecords, options: TreeRequest, writer: NodeWriter) -> None:
        self.planning, self.options, self.writer = planning, options, writer
        self.snapshot, self.counter, self.today = planning.snapshot, planning.counter, planning.today
        self.survey = Survey(self.snapshot, records, self.today, frozenset(options.take))
        self.draft = Draft(planning)
        self.reopen = self._with_ancestors(options.reopen)
        self.numbers: dict[str, int] = {}
        self.unread: list[str] = []
        self.run = TreeRun(
            today=self.today,
            tokenizer=self.counter.name,
            quarantined=list(self.survey.tree_files.quarantined),
            drain=options.drain,
        )
        self.summaries: Counter[NodeLevel] = Counter()
        self.written: list[str] = []
        self.let_in: tuple[str, ...] = ()

    def outcome(self) -> PlanOutcome:
        # Days before weeks before months: each level reads the one below as this run writes it.
        for level in LEVELS:
            self._level(level)
        self._root()
        run = self.run
        run.backlog, run.warnings = len(run.waiting), list(dict.fromkeys(run.warnings))
        run.cycles = max([1, *self.summaries.values()])
        if not self.draft.changes:
            run.reason_no_action = idle = self._why_nothing()
            facts = msgspec.to_builtins(run)
            return PlanOutcome(plan=None, reason_no_action=idle, report=report_text(run), facts=facts)
        plan = self._plan()
        return PlanOutcome(plan=plan, report=plan.report, facts=plan.facts)

    def _level(self, level: NodeLevel) -> None:
        work: list[tuple[Node, Action]] = []
        for node in self.survey.nodes(level):
            if (action := wanted(node, self.today, self.reopen)) is Action.SHOW:
                self.run.shown.append(shown(node))
            elif action is not None:
                work.append((node, action))
            self._remark(node)
        # A drain asks a model about all nodes of a level at once; for the few of one cycle a batch would only wait.
        if self.writer.by and self.options.drain:
            made = (node for node, action in work if action not in (Action.FINALISE, Action.SUPPLEMENT))
            self.writer.prepare(summarised_sources(self.survey, node, self.counter) for node in made)
        # An agent reads today's memory first; the backlog follows from its oldest on (decision C6). Were the newest of
        # the backlog always first, an old day might wait for ever.
        newest = self.survey.tree_files.periods[level][-1:]
        ordered = [*work[-1:], *work[:-1]] if work and work[-1][0].period in newest else work
        for node, action in self.planning.steps(ordered, f"{level.value} nodes", every=20):
            self._act(node, action)

    def _remark(self, node: Node) -> None:
        if node.doubt:
            self.run.warnings.append(f"{shown(node)}; --take {node.period} takes it all the same")
        if node.missing and not node.fixed:
            self.run.warnings.append(f"{node.period}: cannot be read: {', '.join(node.missing[:3])}")
        gone = [path for path, _ in node.known if path.startswith("memory/") and self.survey.held(path) is None]
        if node.level is NodeLevel.DAILY and gone:
            self.run.warnings.append(f"{node.path}: its raw log is gone: {', '.join(gone[:3])}")
        if node.freshness is Freshness.MISSING and node.path in self.survey.records.nodes and node.sources:
            self.run.warnings.append(f"{node.path}: written before and gone now; it is made again")

    def _act(self, node: Node, action: Action) -> None:
        try:
            made = self._made(node, action)
        except Cancelled:
            raise
        except MemdeckError as error:
            self.run.warnings.append(f"{node.path}: skipped: {error.message}")
            self.unread.append(node.path)
            return
        if isinstance(made, WaitingNode):
            self.run.waiting.append(node.path)
        elif made is not None:
            self._write(node, action, made)
        elif action is Action.CREATE:
            self.run.warnings.append(f"{node.period}: none of its sources can be read; the run goes on")
            self.unread.append(node.path)

    def _made(self, node: Node, action: Action) -> BuiltNode | WaitingNode | None:
        if action is Action.FINALISE:
            # The same text with the status fixed: its sources are those it was made from (decision C5).
            document = Document.from_bytes(self.survey.read(node.path))
            values = {**document.frontmatter.values, "status": NodeStatus.FIXED.value}
            spans = tuple(self._whole(path) for path, _ in node.sources)
            return BuiltNode(content=node_text(values, document.body), values=values, spans=spans)
        if action is Action.SUPPLEMENT:
            return supplement(self.survey, node, self.counter, self.today, self.writer)
        due, may = is_due(node, self.today), self.options.drain or self.summaries[node.level] < SUMMARIES_PER_CYCLE
        return build(self.survey, node, self.counter, due=due, may_summarise=may, writer=self.writer)

    def _whole(self, path: str) -> LineSpan:
        held = self.survey.held(path)
        return LineSpan(path, 1, max(1, held.lines) if held else 1)

    def _holds_secret(self, path: str, content: str) -> bool:
        """Tells whether a node would contain a secret. Such a node is omitted with a warning (F1)."""
        if found := find_secrets(content):
            self.run.held_back.append(path)
            self.run.warnings.append(f"{path}: omitted: {found[0]}; take it out of its sources, or of the node itself")
        return bool(found)

    def _write(self, node: Node, action: Action, made: BuiltNode) -> None:
        if self._holds_secret(node.path, made.content):
            return
        fixed = made.values.get("status") == NodeStatus.FIXED.value
        tier = risk_tier(node, action, fixed=fixed)
        # What others wrote is replaced only if the operator types the word; until then parents keep to what is there.
        of_others = tier is RiskTier.C and action is not Action.REOPEN
        remark = ("another program wrote this node; the diff shows what would be lost",) if of_others else ()
        paths = [path for path, _ in node.sources]
        fields = {
            "path": node.path,
            "risk_tier": tier,
            "reason": reason(node, action, fixed=fixed),
            "content": made.content,
            "sources": made.spans,
            "origins": made.origins,
            "dropped": made.dropped,
            "warnings": (*made.warnings, *remark),
        }
        number = self._add(fields, paths, paths)
        self.run.outcomes.append(Outcome(number, node.level, node.period, action, made.method, fixed))
        if is_summary(made.method) and action is not Action.FINALISE:
            # A supplement adds to a summary that is there, so it takes no place of the cycle's.
            self.summaries[node.level] += action is not Action.SUPPLEMENT
            self.written.append(made.content)
        if not of_others:
            self.survey.put(node.path, made.held(self.counter))
            self.numbers[node.path] = number

    def _add(self, fields: dict[str, Any], sources: Sequence[str], read: Sequence[str]) -> int:
        kind = Replace if fields["path"] in self.snapshot.files else Create
        # A node names the hashes of its sources: applied without them it would claim what is not there.
        requires = tuple(sorted(self.numbers[path] for path in sources if path in self.numbers))
        number = self.draft.add(kind(**fields, n=self.draft.next_number, requires=requires))
        for path in read:
            self.draft.read(path)
        return number

    def _root(self) -> None:
        months = [node_path(NodeLevel.MONTHLY, month) for month in self.survey.tree_files.periods[NodeLevel.MONTHLY]]
        sources = [(path, held.sha256) for path in months if (held := self.survey.trusted(path)) is not None]
        made = root.plan(
            self.survey,
            sources,
            self.planning.policy.limits.root_tokens,
            self.counter,
            moved=any(path in self.numbers for path, _ in sources),
            take_flagged=self.options.take_flagged,
            writer=self.writer,
            moves=self.planning.moves,
        )
        number, data = None, None
        if made is not None and not self._holds_secret(ROOT_PATH, made.content):
            self.let_in, data = made.taken, made.content.encode()
            number = self._write_root(made, [path for path, _ in sources])
        elif (facts := self.snapshot.files.get(ROOT_PATH)) and self.survey.records.wrote(ROOT_PATH, facts.sha256):
            # ROOT as it is on disk, since it is ours to mirror.
            data = self.snapshot.content(ROOT_PATH)
        change = mirror.plan(self.snapshot, data, number=self.draft.next_number, requires=number)
        if isinstance(change, str):
            self.run.warnings.append(change)
        elif change is not None:
            self.draft.add(change)

    def _write_root(self, made: root.RootPage, sources: Sequence[str]) -> int:
        facts = self.snapshot.files.get(ROOT_PATH)
        ours = facts is None or self.survey.records.wrote(ROOT_PATH, facts.sha256)
        fields = {
            "path": ROOT_PATH,
            "risk_tier": RiskTier.B if ours else RiskTier.C,
            "reason": f"ROOT: {made.why}",
            "content": made.content,
            "sources": tuple(map(self._whole, sources)),
            "origins": made.origins,
            "dropped": made.dropped,
            "warnings": made.warnings if ours else (*made.warnings, "another program wrote this ROOT"),
        }
        number = self._add(fields, sources, (*sources, *made.read))
        self.written.append(made.content)
        action = Action.REGENERATE if facts else Action.CREATE
        self.run.outcomes.append(Outcome(number, NodeLevel.ROOT, "", action, made.by, fixed=False))
        return number

    def _with_ancestors(self, paths: Iterable[str]) -> frozenset[str]:
        """Adds the fixed week and month above each reopened node, since they were made from it."""
        found: set[str] = set()
        for path in paths:
            week = week_of(near_day(path))
            if path.startswith("memory/daily/"):
                found.add(node_path(NodeLevel.WEEKLY, week))
            if not path.startswith("memory/monthly/"):
                # By the week's Thursday, as the month is made of whole weeks.
                found.add(node_path(NodeLevel.MONTHLY, month_of_week(week)))
        held = ((path, self.survey.held(path)) for path in found)
        stated = {path for path, one in held if one and one.values.get("status") == NodeStatus.FIXED.value}
        return frozenset(stated | set(filter(self.survey.records.is_fixed, found)) | set(paths))

    def _why_nothing(self) -> str:
        if not any(self.survey.tree_files.periods.values()):
            return "there is no raw log: memory/YYYY-MM-DD.md"
        if self.run.held_back:
            return f"{len(self.run.held_back)} nodes are omitted: each would hold a secret"
        if self.run.waiting:
            return f"{len(self.run.waiting)} nodes wait for a summary"
        return "the tree is up to date"

    def _plan(self) -> Plan:
        # The model that wrote any of it; the rules where none did.
        by = next((outcome.method for outcome in self.run.outcomes if outcome.method.startswith(MODELS)), "")
        name, version = by.split(" ", 1) if by else MODEL
        return self.draft.finish(
            SYSTEM,
            "drain" if self.options.drain else "cycle",
            model=ModelOutput(name, version, sha256_hex(canonical_json(self.written))) if self.written else None,
            gates=gates(self.survey, tuple(self.draft.changes), self.run, self.unread),
            warnings=tuple(self.run.warnings),
            report=report_text(self.run),
            facts=msgspec.to_builtins(self.run) | self._taken(),
        )

    def _taken(self) -> dict[str, Any]:
        """Returns the facts of the plan that record which nodes and lines the operator takes despite doubts."""
        held = ((path, self.survey.held(path)) for path in sorted(self.options.take) if self.survey.doubt(path))
        doubted = {path: one.sha256 for path, one in held if one is not None}
        return ({TAKEN: doubted} if doubted else {}) | ({LINES: list(self.let_in)} if self.let_in else {})
