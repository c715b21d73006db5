"""The demonstration's tree: grown by the planner itself from the logs as they were on past days."""

from collections.abc import Mapping
from datetime import date, datetime

from engine.plans.plan import Plan
from engine.plans.planning import Planning
from engine.plans.policy.values import Policy
from engine.plans.queue import Queue
from engine.plans.records.operations import Operations
from engine.state.database import StateDatabase
from engine.state.folder import StateFolder
from engine.text.canonical_json import sha256_hex
from engine.text.frontmatter import read_frontmatter
from engine.text.tokens import TokenCounter, counter
from engine.tree.cycle.options import TreeOptions
from engine.tree.cycle.plan import plan_tree
from engine.tree.root.mirror import START
from engine.tree.survey.records import load_records
from engine.workspace.dates import name_date
from engine.workspace.facts import count_lines
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Capability, DateSource, FileDate, FileFacts, WorkspaceIdentity

Files = Mapping[str, bytes]
CYCLES = (-33, -16, -9, -2)
"""Days on which the operator approved a drain of the tree; what came later waits."""
LATE = (-5, "\n## Late note [project]\n- written after the day was closed: the invoice run moved to the 20th\n")
"""Day of a log that the agent appended to after its node was fixed, and what."""


def plan_of(files: Files, at: datetime, workspace: WorkspaceIdentity, state: StateFolder) -> Plan | None:
    """A drain of the tree as the workspace was at `at`; None where nothing had changed."""
    tokens = counter(Policy().tokens.counter)
    queue = Queue(state.queue)
    snapshot = Snapshot(
        workspace=workspace,
        taken_at=at,
        zone="UTC",
        tokenizer=tokens.name,
        capabilities=frozenset({Capability.TREE}),
        files={path: facts_of(path, files[path], tokens) for path in sorted(files) if path.endswith(".md")},
        skipped=(),
        reader=lambda path: files[path],
    )
    records = load_records(StateDatabase(state.path), Operations(state.operations), queue.load)
    planning = Planning(snapshot=snapshot, policy=Policy(), now=at, counter=tokens)
    return plan_tree(planning, records=records, options=TreeOptions(drain=True)).plan


def facts_of(path: str, data: bytes, tokens: TokenCounter) -> FileFacts:
    """Gives the facts that a scan would find about a file of the demonstration."""
    day = name_date(path.rpartition("/")[2])[0] or date.min
    return FileFacts(
        path=path,
        size=len(data),
        sha256=sha256_hex(data),
        lines=count_lines(data),
        tokens=tokens.count(data.decode()),
        date=FileDate(day, DateSource.NAME),
        frontmatter=read_frontmatter(data).values,
    )


def with_section(memory: str, before: bytes) -> str:
    """MEMORY.md in other words, with the section that mirrors ROOT as it was."""
    _, start, section = before.decode().partition(START)
    return f"{memory.rstrip()}\n\n{start}{section}" if start else memory
