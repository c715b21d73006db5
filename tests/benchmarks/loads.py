"""Large loads for benchmarks: operator's records with many operations, long raw logs, workspaces of many notes."""

import hashlib
import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.plans.operation import ChainHead, Effect, Operation, OperationKind, OperationState, Write
from engine.plans.plan import RiskTier
from engine.plans.records.chain import GENESIS, seal
from engine.state.folder import StateFolder, state_home
from engine.text.canonical_json import canonical_json, digest
from engine.workspace.paths import WorkspaceRoot

FIRST = datetime(2020, 3, 1, 3, tzinfo=UTC)
NOTE, NOTES = "memory/working/note", 50
"""The notes that operations write again and again, in turn."""
PER_DAY = 40
"""Operations of one day, so that 100,000 fill seven years."""


def environment(base: Path) -> dict[str, str]:
    """The variables that keep everything a command writes below `base`."""
    folders = {"XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache"}
    return {"HOME": str(base), **{name: str(base / folder) for name, folder in folders.items()}}


def write_operations(workspace: Path, env: Mapping[str, str], count: int) -> StateFolder:
    """Operations with three effects each, the audit log that tells of them, and what they displaced."""
    workspace.mkdir(parents=True, exist_ok=True)
    with WorkspaceRoot.open(workspace) as root:
        state = StateFolder.locate(root.identity, state_home(env))
    head = GENESIS
    with state.audit.open("wb") as log:
        for number in range(count):
            line, operation, head = _operation(number, head)
            log.write(line)
            (state.operations / f"{operation.id}.json").write_bytes(canonical_json(operation))
            if number >= NOTES:
                _displace(state, _note(number - NOTES))
    state.audit.with_suffix(".head").write_bytes(canonical_json(head))
    return state


def _operation(number: int, head: ChainHead) -> tuple[bytes, Operation, ChainHead]:
    at = FIRST + timedelta(days=number // PER_DAY, minutes=number % PER_DAY)
    name = f"o-{at:%Y%m%d}-{number % PER_DAY + 1:04d}"
    before = _sha256(_note(number - NOTES)) if number >= NOTES else None
    made = (Write(f"memory/episodic/made-{number}-{k}.md", None, _sha256(f"{number}-{k}")) for k in range(2))
    effects: tuple[Effect, ...] = (Write(f"{NOTE}-{number % NOTES}.md", before, _sha256(_note(number))), *made)
    told = {"operation": name, "kind": "apply", "plan": f"p-{at:%Y%m%d}-0001", "effects_sha256": digest(effects)}
    intent, head = seal(head.seq + 1, at, "intent", told, head.hash)
    result, head = seal(head.seq + 1, at, "result", {"operation": name, "state": "done", "done": 3}, head.hash)
    operation = Operation(
        id=name,
        kind=OperationKind.APPLY,
        plan=told["plan"],
        system="compact",
        trigger="tier1_volume",
        risk_tier=RiskTier.B,
        state=OperationState.DONE,
        started_at=at,
        finished_at=at,
        simulated_clock=False,
        numbers=(1, 2, 3),
        effects=effects,
        done=(0, 1, 2),
        audit_head=head,
    )
    return intent + result, operation, head


def write_long_log(workspace: Path, lines: int, day: str = "2026-03-01") -> Path:
    """One raw log of that many lines of about 13 bytes, with a heading every hundred lines."""
    file = workspace / "memory" / f"{day}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as out:
        for number in range(lines):
            out.write(f"## part {number}\n" if number % 100 == 0 else f"- line {number}\n")
    return file


def write_notes(workspace: Path, count: int) -> None:
    """Short notes in folders of a thousand, half of them with frontmatter, as an agent keeps them."""
    chance = random.Random(7)
    words = [f"word{number}" for number in range(800)]
    for number in range(count):
        folder = workspace / "memory" / ("working", "episodic", "archive", "notes")[number % 4]
        if number % 4 > 1:
            folder /= f"part-{number // 4000}"
        folder.mkdir(parents=True, exist_ok=True)
        head = f"---\ntitle: Note {number}\ndate: 2026-01-{number % 28 + 1:02}\n---\n" if number % 8 > 3 else ""
        body = "\n".join(" ".join(chance.choices(words, k=12)) for _ in range(4))
        (folder / f"note-{number}.md").write_text(f"{head}{body}\n", encoding="utf-8")


def _note(number: int) -> str:
    return "".join(f"- line {line} of version {number // NOTES}, word{number * 7 + line}\n" for line in range(12))


def _displace(state: StateFolder, text: str) -> None:
    place = state.displaced / _sha256(text)[:2] / _sha256(text)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
