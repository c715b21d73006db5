"""A workspace on disk with the operator's side of it, a clock that is set by hand, and real applying."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from time import time_ns
from zoneinfo import ZoneInfo

from engine.plans.apply.context import ApplyContext
from engine.plans.apply.entry import apply
from engine.plans.apply.undo import reversal, undo
from engine.plans.grant import grant
from engine.plans.operation import Operation, Witness
from engine.plans.plan import Change, Plan, RiskTier
from engine.plans.planning import Planning, PlanOutcome
from engine.plans.policy.values import Limits, Policy
from engine.plans.queue import Queue
from engine.plans.records.audit import AuditLog
from engine.state.database import StateDatabase
from engine.state.folder import StateFolder
from engine.text.frontmatter import read_frontmatter
from engine.text.tokens import TokenCounter, counter
from engine.tree.cycle.idle import TreeRequest
from engine.tree.cycle.plan import plan_tree
from engine.tree.survey.node_status import Node
from engine.tree.survey.records import TreeRecords, load_records
from engine.tree.survey.survey import Survey
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.scanner import Scanner
from engine.workspace.snapshot import Snapshot

WITNESS = Witness("/dev/pts/0", ("pytest(1)",), "tester", "terminal")


@dataclass
class TreeRig:
    """One workspace. `today` is the day in its zone; plans are made at noon."""

    folder: Path
    home: Path
    today: date = date(2026, 3, 15)
    zone: str = "UTC"
    root_tokens: int = 3000
    tokens: TokenCounter = field(default_factory=lambda: counter("words*1.3"))
    seconds: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.root = WorkspaceRoot.open(self.folder)
        self.state = StateFolder.locate(self.root.identity, self.home)
        self.policy = Policy(zone=self.zone, limits=Limits(root_tokens=self.root_tokens))
        self.ctx = ApplyContext(
            root=self.root,
            state=self.state,
            policy=self.policy,
            queue=Queue(self.state.queue),
            audit=AuditLog(self.state.audit),
            clock=self.clock,
        )
        # A clock a second ahead spares the wait for files written just now; every write here changes a file's size.
        self.scanner = Scanner(
            self.root,
            cache_file=self.state.cache,
            counter=self.tokens,
            zone=self.zone,
            clock=lambda: time_ns() + 1_000_000_000,
        )

    def clock(self) -> datetime:
        self.seconds += 1
        return self.now() + timedelta(seconds=self.seconds)

    def now(self) -> datetime:
        return datetime.combine(self.today, time(12), ZoneInfo(self.zone)).astimezone(UTC)

    def at(self, day: str | date) -> "TreeRig":
        self.today = date.fromisoformat(day) if isinstance(day, str) else day
        return self

    # ── files ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def write(self, path: str, text: str | bytes) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def log(self, day: str | date, text: str, slug: str = "") -> None:
        """The agent appends to the raw log of a day."""
        file = self.folder / f"memory/{day}{slug}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as out:
            out.write(text if text.endswith("\n") else text + "\n")

    def text(self, path: str) -> str:
        return (self.folder / path).read_text("utf-8")

    def has(self, path: str) -> bool:
        return (self.folder / path).exists()

    def values(self, path: str) -> dict[str, str | list[str]]:
        return read_frontmatter((self.folder / path).read_bytes()).values

    def status(self, path: str) -> str:
        return str(self.values(path).get("status"))

    def body(self, path: str) -> str:
        data = (self.folder / path).read_bytes()
        return data[read_frontmatter(data).end :].decode()

    def files(self) -> dict[str, bytes]:
        return {str(f.relative_to(self.folder)): f.read_bytes() for f in sorted(self.folder.rglob("*")) if f.is_file()}

    # ── planning ───────────────────────────────────────────────────────────────────────────────────────────────────

    def snapshot(self) -> Snapshot:
        return self.scanner.scan(self.now())

    def records(self) -> TreeRecords:
        return load_records(StateDatabase(self.state.path), self.ctx.operations, self.ctx.queue.load)

    def survey(self) -> Survey:
        return Survey(self.snapshot(), self.records(), self.today)

    def node(self, path: str) -> Node:
        survey = self.survey()
        nodes = (node for level in survey.tree_files.periods for node in survey.nodes(level))
        return next(node for node in nodes if node.path == path)

    def without_records(self) -> Survey:
        """The tree as it stands once the operator's state folder is lost."""
        return Survey(self.snapshot(), TreeRecords(), self.today)

    def outcome(
        self,
        *,
        drain: bool = False,
        reopen: Sequence[str] = (),
        take: Sequence[str] = (),
        take_flagged: bool = False,
    ) -> PlanOutcome:
        options = TreeRequest(drain=drain, reopen=tuple(reopen), take=tuple(take), take_flagged=take_flagged)
        return plan_tree(self.planning(), records=self.records(), options=options)

    def planning(self) -> Planning:
        return Planning(snapshot=self.snapshot(), policy=self.policy, now=self.now(), counter=self.tokens)

    def plan(
        self,
        *,
        drain: bool = False,
        reopen: Sequence[str] = (),
        take: Sequence[str] = (),
        take_flagged: bool = False,
    ) -> Plan:
        outcome = self.outcome(drain=drain, reopen=reopen, take=take, take_flagged=take_flagged)
        assert outcome.plan is not None, outcome.reason_no_action
        return outcome.plan

    def apply(self, plan: Plan, numbers: Sequence[int] = ()) -> Operation:
        """A person approves and the plan is carried out."""
        queued = self.ctx.queue.put(plan, self.clock())
        chosen = tuple(numbers) or tuple(change.n for change in queued.changes)
        tier = queued.tier_of(chosen)
        approval = grant(
            target=queued.digest,
            numbers=chosen,
            risk_tier=tier,
            typed="APPROVED" if tier is RiskTier.C else "y",
            answers=(),
            witness=WITNESS,
            now=self.clock(),
            nonce=secrets.token_hex(8),
            shown="each",
        )
        return apply(self.ctx, queued, approval)

    def cycle(self, *, drain: bool = False, reopen: Sequence[str] = ()) -> Plan | None:
        """One cycle, applied whole; None where there is nothing to do."""
        outcome = self.outcome(drain=drain, reopen=reopen)
        if outcome.plan is not None:
            self.apply(outcome.plan)
        return outcome.plan

    def undo(self) -> Operation:
        what = reversal(self.ctx)
        approval = grant(
            target=what.digest,
            numbers=what.numbers,
            risk_tier=what.risk_tier,
            typed="y",
            answers=(),
            witness=WITNESS,
            now=self.clock(),
            nonce=secrets.token_hex(8),
            shown="each",
        )
        return undo(self.ctx, what, approval)


def changes(plan: Plan) -> Mapping[str, Change]:
    """The changes by path."""
    return {change.path: change for change in plan.changes}


def entry(topic: str, *lines: str) -> str:
    """A section of a raw log."""
    return f"## {topic}\n" + "".join(f"- {line}\n" for line in lines) + "\n"


def long_log(topic: str, lines: int, word: str = "item") -> str:
    """A section of more lines than are copied."""
    return f"## {topic}\n" + "".join(
        f"- {word} {n} was looked at and found good for part {n % 17}\n" for n in range(lines)
    )
