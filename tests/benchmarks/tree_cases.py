"""Workspaces with known answers for the tree's figures: raw days, the tree that one drain makes of them, questions.

MemAware is in two halves by the day of the evidence: the first is what choosing was tuned on, the second judges it. The
chats and the log are our own corpora, with each session as the raw log of its day.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from engine.demo.workspace import make_demo
from engine.plans.plan import Create
from engine.plans.planning import Planning
from engine.plans.policy.values import Policy
from engine.text.canonical_json import sha256_hex
from engine.text.frontmatter import read_frontmatter
from engine.text.tokens import counter
from engine.tree.browse.drill import stems
from engine.tree.cycle.idle import TreeRequest
from engine.tree.cycle.plan import plan_tree
from engine.tree.nodes.node_task import OFFLINE, NodeWriter
from engine.tree.source_references import raw_day
from engine.tree.survey.records import TreeRecords
from engine.workspace.snapshot import Snapshot
from engine.workspace.unscanned import count_lines
from engine.workspace.values import Capability, DateSource, FileDate, FileFacts, WorkspaceIdentity
from tests.benchmarks.corpora import CHAT_FOR_CHOOSING, CHAT_FOR_JUDGING, LOG, write_corpus
from tests.benchmarks.corpora.generated import engineering_log
from tests.conftest import SHARED

TOKENS = counter("o200k_base")
TUNED_UNTIL = date(2023, 5, 25)
"""The last day of the half of MemAware that choosing may be tuned on."""
DEMO_NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
_DAY = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)")
_WHO = re.compile(r"(?i)\b(?:the user|user)(?:'s)?\b")


class Question(msgspec.Struct, frozen=True):
    """A question, the fact it needs and the days that hold it."""

    text: str
    recall: str
    days: frozenset[date]
    fact: str = ""
    """What several questions about one fact share; empty for a question about something that was never said."""

    @property
    def content(self) -> frozenset[str]:
        """The fact's telling words."""
        return frozenset(stems(_WHO.sub(" ", self.recall)))


class Case(msgspec.Struct, frozen=True, dict=True):
    """One workspace."""

    raw: dict[date, str]
    questions: list[Question]

    @cached_property
    def nodes(self) -> dict[str, str]:
        return plan_nodes(self.raw)

    @cached_property
    def raw_tokens(self) -> int:
        return sum(TOKENS.count(text) for text in self.raw.values())


def cases() -> Iterator[tuple[str, list[Case]]]:
    """Every set by its name; the data sets where they are."""
    for title, name in (("chat for choosing", CHAT_FOR_CHOOSING), ("chat for judging", CHAT_FOR_JUDGING), ("log", LOG)):
        yield title, [_corpus(name)]
    yield "demo", [_demo()]
    sizes = ((2, 5), (4, 8), (8, 20), (14, 3))
    yield "generated logs", [Case(engineering_log(120, topics, lines), []) for topics, lines in sizes]
    if SHARED.is_dir():
        for language in ("en", "cn"):
            folders = sorted((SHARED / f"memorybank-{language}").iterdir())
            yield f"MemoryBank {language}", [load(folder) for folder in folders if folder.is_dir()]
        whole = load(SHARED / "memaware")
        for name, first in (("tuned half", True), ("judged half", False), ("whole", None)):
            asked = [q for q in whole.questions if first in (None, min(q.days) <= TUNED_UNTIL)]
            half = Case(whole.raw, asked)
            half.__dict__["nodes"] = whole.nodes
            yield f"MemAware, {name}", [half]


def load(folder: Path) -> Case:
    """The raw logs of a data set, and the questions that have evidence."""
    raw = {date.fromisoformat(file.stem): file.read_text("utf-8") for file in sorted((folder / "memory").glob("*.md"))}
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    return Case(raw, [q for row in rows if (q := _question(row, "evidence_days", raw_day)) is not None])


def _demo() -> Case:
    """The raw logs of the demo workspace; the tree that it comes with is not looked at."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base, "demo")
        folder.mkdir()
        make_demo(folder, now=DEMO_NOW, env={"HOME": base}, git=False)
        logs = ((raw_day(f"memory/{file.name}"), file) for file in sorted((folder / "memory").glob("*.md")))
        return Case({day: file.read_text("utf-8") for day, file in logs if day is not None}, [])


def _corpus(name: str) -> Case:
    with tempfile.TemporaryDirectory() as base:
        write_corpus(name, Path(base))
        raw: dict[date, str] = {}
        for file in sorted(Path(base).rglob("*.md")):
            text = file.read_text("utf-8")
            day = _day(str(file.relative_to(base)))
            raw[day] = raw.get(day, "") + (text.split("---\n", 2)[2] if text.startswith("---\n") else text)
        rows = [json.loads(line) for line in Path(base, "questions.jsonl").read_text("utf-8").splitlines()]
    return Case(raw, [q for row in rows if (q := _question(row, "evidence_paths", _day)) is not None])


def _day(path: str) -> date:
    found = _DAY.search(path)
    assert found is not None, path
    return date(*map(int, found.groups()))


def _question(row: Mapping[str, Any], where: str, day_of: Any) -> Question | None:
    days = frozenset(day for path in row[where] if (day := day_of(path)))
    if not days or not row.get("answerable", True):
        return None
    fact = "" if "_abs" in row.get("id", "") else row.get("source_question_id", "")
    return Question(row.get("question_full") or row["question"], row.get("should_recall") or "", days, fact)


def plan_nodes(raw: Mapping[date, str], policy: Policy | None = None, writer: NodeWriter = OFFLINE) -> dict[str, str]:
    """The text of every node that a drain plans, some time after the last log."""
    files = {f"memory/{day}.md": text.encode() for day, text in raw.items()}
    now = datetime.combine(max(raw) + timedelta(days=1), datetime.min.time(), UTC)
    snapshot = Snapshot(
        workspace=WorkspaceIdentity("/eval", 1, 2),
        taken_at=now,
        zone="UTC",
        tokenizer=TOKENS.name,
        capabilities=frozenset({Capability.TREE}),
        files={path: _facts(path, data) for path, data in sorted(files.items())},
        skipped=(),
        reader=lambda path: files[path],
    )
    planning = Planning(snapshot=snapshot, policy=policy or Policy(), now=now, counter=TOKENS)
    outcome = plan_tree(planning, records=TreeRecords(), options=TreeRequest(drain=True), writer=writer)
    assert outcome.plan is not None
    return {change.path: change.content for change in outcome.plan.changes if isinstance(change, Create)}


def _facts(path: str, data: bytes) -> FileFacts:
    return FileFacts(
        path=path,
        size=len(data),
        sha256=sha256_hex(data),
        lines=count_lines(data),
        tokens=TOKENS.count(data.decode()),
        date=FileDate(raw_day(path) or date.min, DateSource.NAME),
        frontmatter=read_frontmatter(data).values,
    )
