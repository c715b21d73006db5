"""The demonstration's tree: grown by the planner itself from the logs as they were on past days."""

from collections.abc import Mapping
from datetime import datetime

from engine.plans.plan import Plan
from engine.plans.planning import Planning
from engine.plans.policy.values import Policy
from engine.plans.queue import Queue
from engine.plans.records.operations import Operations
from engine.state.database import StateDatabase
from engine.state.folder import StateFolder
from engine.text.tokens import counter
from engine.tree.cycle.options import TreeRequest
from engine.tree.cycle.plan import plan_tree
from engine.tree.root.mirror import START
from engine.tree.survey.records import load_records
from engine.workspace.unscanned import snapshot_of
from engine.workspace.values import Capability, WorkspaceIdentity

Files = Mapping[str, bytes]
CYCLES = (-33, -16, -9, -2)  # days on which the operator approved a drain of the tree; what came later waits
LATE = (-5, "\n## Late note [project]\n- written after the day was closed: the invoice run moved to the 20th\n")
"""Day of a log that the agent appended to after its node was fixed, and what."""


def plan_of(files: Files, at: datetime, workspace: WorkspaceIdentity, state: StateFolder) -> Plan | None:
    """A drain of the tree as the workspace was at `at`; None where nothing had changed."""
    tokens = counter(Policy().tokens.counter)
    queue = Queue(state.queue)
    snapshot = snapshot_of(files, at, tokens, workspace=workspace, capabilities=frozenset({Capability.TREE}))
    records = load_records(StateDatabase(state.path), Operations(state.operations), queue.load)
    planning = Planning(snapshot=snapshot, policy=Policy(), now=at, counter=tokens)
    return plan_tree(planning, records=records, options=TreeRequest(drain=True)).plan


def with_section(memory: str, before: bytes) -> str:
    """MEMORY.md in other words, with the section that mirrors ROOT as it was."""
    _, start, section = before.decode().partition(START)
    return f"{memory.rstrip()}\n\n{start}{section}" if start else memory
