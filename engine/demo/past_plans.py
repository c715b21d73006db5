"""Makes the demonstration's past plans from the files as of their day."""

import json
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from pathlib import PurePosixPath

import msgspec

from engine.compactor.extraction.candidates import extract
from engine.compactor.extraction.sections import read_note
from engine.compactor.options import DEFAULT_SHARD
from engine.compactor.semantic.entry import render
from engine.demo.notes import OldNote, working_path
from engine.extraction.extraction_task import FoundEntries, PartEntries
from engine.extraction.judge import VERSION, find_entries
from engine.lifecycle.extract.destinations import NOWHERE
from engine.lifecycle.extract.plan import ExtractionChoice, ExtractionPlanner
from engine.plans.plan import Append, Create, ModelOutput, Plan, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning
from engine.plans.policy.values import Policy
from engine.plans.queue import Queue
from engine.plans.records.operations import Operations
from engine.sessions.folder import SessionFolder
from engine.sessions.session_file import read_session
from engine.state.database import StateDatabase
from engine.state.folder import StateFolder
from engine.text.canonical_json import sha256_hex
from engine.text.tokens import counter
from engine.tree.cycle.idle import TreeRequest
from engine.tree.cycle.plan import plan_tree
from engine.tree.root.mirror import START
from engine.tree.survey.records import load_records
from engine.workspace.layout import ARCHIVE, CONVERSATIONS, META_PATH, TIER_FOLDERS
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.unscanned import snapshot_of
from engine.workspace.values import Capability, LineSpan, WorkspaceIdentity

Files = Mapping[str, bytes]  # a workspace in memory: contents by path
CYCLES = (-33, -16, -9, -2)  # days on which the operator approved a drain of the tree; what came later waits
LATE = (-5, "\n## Late note [project]\n- written after the day was closed: the invoice run moved to the 20th\n")
"""A log's day, and the text that the agent appended after its node was fixed."""
_TIERS = tuple(f"{folder}/" for folder in TIER_FOLDERS.values())


class DemoOperator(msgspec.Struct, frozen=True):
    """Makes every past plan, with the workspace's identity and the demonstration's day."""

    workspace: WorkspaceIdentity
    today: date

    def compaction(self, files: Files, at: datetime, notes: list[OldNote]) -> Plan:
        """Plans compiling working notes and moving them to the archive."""
        draft = self._draft(files, at)
        for note in notes:
            source, archived = note.path(self.today), self._archived(note.path(self.today), at)
            text, whole = note.compiled(archived, self.today, at.date()), LineSpan(source, 1, note.text.count("\n"))
            path = episodic_path(note, self.today)
            made = draft.write(Create, path, text, f"compiled from {source}", sources=[whole])
            draft.move(source, archived, "kept unchanged", requires=[made])
        return _finished(draft, "working_age", f"📦 Working→Episodic: {len(notes)} files compacted")

    def extraction(self, files: Files, at: datetime, notes: list[OldNote]) -> Plan:
        """Plans appending lasting insights from old episodic files, archiving the files, and the cooldown's stamp."""
        draft = self._draft(files, at)
        for note in notes:
            path = episodic_path(note, self.today)
            found = extract(path, read_note(files[path].decode()), self.today + timedelta(days=note.day))
            for candidate in found.candidates:
                text, reason = "\n" + render(candidate.entry), f"durable insight from {path}"
                draft.write(Append, DEFAULT_SHARD, text, reason, RiskTier.C, sources=candidate.sources)
            draft.move(path, self._archived(path, at), "kept unchanged")
        stamp = json.dumps({"lastCompactionAt": at.isoformat()}) + "\n"
        there = META_PATH in files
        draft.bind(META_PATH, sha256_hex(files[META_PATH]) if there else None)
        draft.write(Replace if there else Create, META_PATH, stamp, "cooldown")
        return _finished(draft, "manual", f"📚 Episodic→Semantic: {len(notes)} insights extracted")

    def learning(self, files: Files, at: datetime, root: WorkspaceRoot) -> Plan:
        """Plans extraction from the transcripts by rules alone, as without the encoder."""
        place, version = SessionFolder(root, CONVERSATIONS), VERSION.partition("+")[0]
        paths = sorted(path for path in files if path.startswith(f"{CONVERSATIONS}/"))
        turns = ([message.turn(path) for message in read_session(place, path).messages] for path in paths)
        sessions = [[PartEntries(tuple(find_entries(some)), by=version)] for some in turns]
        kept = {
            path: data for path, data in files.items() if path.startswith(("knowledge/", "raw/")) or "/" not in path
        }
        planner = ExtractionPlanner(self._planning(kept, at), FoundEntries(sessions), {}, ExtractionChoice(), NOWHERE)
        plan = planner.outcome().plan
        assert plan is not None  # noqa: S101  (two of them decide something)
        return plan

    def archiving(self, files: Files, at: datetime, day: int, name: str) -> Plan:
        """Plans moving one working note to the archive."""
        draft, path = self._draft(files, at), working_path(day, name, self.today)
        draft.move(path, self._archived(path, at), "kept unchanged")
        return _finished(draft, "manual", "📁 Archived: 1 file moved")

    def _archived(self, path: str, at: datetime) -> str:
        return f"{ARCHIVE}/{PurePosixPath(path).stem}-archived-{at.date().isoformat()}.md"

    def _draft(self, files: Files, at: datetime) -> Draft:
        return Draft(self._planning({path: data for path, data in files.items() if path.startswith(_TIERS)}, at))

    def _planning(self, files: Files, at: datetime) -> Planning:
        tokens = counter(Policy().tokens.counter)
        snapshot = snapshot_of(files, at, tokens, workspace=self.workspace)
        return Planning(snapshot=snapshot, policy=Policy(), now=at, counter=tokens)


def _finished(draft: Draft, trigger: str, report: str) -> Plan:
    text = "".join(change.content for change in draft.changes if isinstance(change, Create | Append))
    model = ModelOutput("extractive", "demo", sha256_hex(text.encode()))
    gates = [QualityGate(name, True) for name in ("schema", "pollution", "duplicates")]
    return draft.finish("compact", trigger, gates=gates, report=report, facts={}, model=model)


def episodic_path(note: OldNote, today: date) -> str:
    return f"memory/episodic/{PurePosixPath(note.path(today)).name}"


def tree_plan(files: Files, at: datetime, workspace: WorkspaceIdentity, state: StateFolder) -> Plan | None:
    """Plans a drain of the tree as of `at`; None if nothing changed."""
    tokens = counter(Policy().tokens.counter)
    queue = Queue(state.queue)
    snapshot = snapshot_of(files, at, tokens, workspace=workspace, capabilities=frozenset({Capability.TREE}))
    records = load_records(StateDatabase(state.path), Operations(state.operations), queue.load)
    planning = Planning(snapshot=snapshot, policy=Policy(), now=at, counter=tokens)
    return plan_tree(planning, records=records, options=TreeRequest(drain=True)).plan


def with_section(memory: str, before: bytes) -> str:
    """Returns MEMORY.md with new text and its old section that mirrors ROOT."""
    _, start, section = before.decode().partition(START)
    return f"{memory.rstrip()}\n\n{start}{section}" if start else memory
