"""The plans that the demonstration's operator approved in the past, made from the files as they were then."""

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
from engine.plans.plan import Append, Change, Create, Input, ModelOutput, Move, Plan, QualityGate, Replace, RiskTier
from engine.plans.policy.values import Policy
from engine.text.canonical_json import sha256_hex
from engine.workspace.layout import ARCHIVE, META_PATH
from engine.workspace.values import LineSpan, WorkspaceIdentity

Files = Mapping[str, bytes]
"""A workspace in memory: contents by path."""


class DemoOperator(msgspec.Struct, frozen=True):
    """The workspace's identity and the day of the demonstration, with which every past plan is made."""

    workspace: WorkspaceIdentity
    today: date

    def compaction(self, files: Files, at: datetime, notes: list[OldNote]) -> Plan:
        """Compiles working notes and moves them to the archive."""
        changes: list[Change] = []
        for note in notes:
            source, archived = note.path(self.today), self._archived(note.path(self.today), at)
            whole = LineSpan(source, 1, len(note.text.splitlines()))
            number = len(changes) + 1
            changes += [
                Create(
                    n=number,
                    path=episodic_path(note, self.today),
                    risk_tier=RiskTier.B,
                    reason=f"compiled from {source}",
                    content=note.compiled(archived, self.today, at.date()),
                    sources=(whole,),
                ),
                self._move(number + 1, source, archived, requires=(number,)),
            ]
        return self._plan(files, at, "working_age", changes, f"📦 Working→Episodic: {len(notes)} files compacted")

    def extraction(self, files: Files, at: datetime, notes: list[OldNote]) -> Plan:
        """Appends what is durable in old episodic files to semantic memory, archives them, stamps the cooldown."""
        changes: list[Change] = []
        for note in notes:
            path = episodic_path(note, self.today)
            found = extract(path, read_note(files[path].decode()), self.today + timedelta(days=note.day))
            for candidate in found.candidates:
                changes.append(
                    Append(
                        n=len(changes) + 1,
                        path=DEFAULT_SHARD,
                        risk_tier=RiskTier.C,
                        reason=f"durable insight from {path}",
                        content="\n" + render(candidate.entry),
                        sources=candidate.sources,
                    )
                )
            changes.append(self._move(len(changes) + 1, path, self._archived(path, at), requires=()))
        changes.append(self._stamp(len(changes) + 1, files, at))
        return self._plan(files, at, "manual", changes, f"📚 Episodic→Semantic: {len(notes)} insights extracted")

    def archiving(self, files: Files, at: datetime, day: int, name: str) -> Plan:
        """Moves one working note to the archive."""
        path = working_path(day, name, self.today)
        changes: list[Change] = [self._move(1, path, self._archived(path, at), requires=())]
        return self._plan(files, at, "manual", changes, "📁 Archived: 1 file moved")

    def _move(self, number: int, path: str, to: str, requires: tuple[int, ...]) -> Move:
        return Move(n=number, path=path, to=to, risk_tier=RiskTier.B, reason="kept unchanged", requires=requires)

    def _archived(self, path: str, at: datetime) -> str:
        return f"{ARCHIVE}/{PurePosixPath(path).stem}-archived-{at.date().isoformat()}.md"

    def _stamp(self, number: int, files: Files, at: datetime) -> Change:
        content = json.dumps({"lastCompactionAt": at.isoformat()}) + "\n"
        kind = Replace if META_PATH in files else Create
        return kind(n=number, path=META_PATH, risk_tier=RiskTier.B, reason="cooldown", content=content)

    def _plan(self, files: Files, at: datetime, trigger: str, changes: list[Change], report: str) -> Plan:
        written = {change.path for change in changes} | {c.to for c in changes if isinstance(c, Move)}
        inputs = tuple(Input(path, sha256_hex(files[path]) if path in files else None) for path in sorted(written))
        text = "".join(change.content for change in changes if isinstance(change, Create | Append))
        return Plan(
            system="compact",
            trigger=trigger,
            workspace=self.workspace,
            now=at,
            zone="UTC",
            simulated_clock=False,
            made_at=at,
            policy_sha256=Policy().sha256,
            tokenizer="o200k_base",
            inputs=inputs,
            changes=tuple(changes),
            model=ModelOutput("extractive", "demo", sha256_hex(text.encode())),
            gates=(QualityGate("schema", True), QualityGate("pollution", True), QualityGate("duplicates", True)),
            report=report,
        )


def episodic_path(note: OldNote, today: date) -> str:
    return f"memory/episodic/{PurePosixPath(note.path(today)).name}"
