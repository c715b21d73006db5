"""All that the engine asks a model, by the real SDK from a server on loopback: without secrets, and the key nowhere."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.extraction.extraction_task import ExtractionTask, SessionPart
from engine.models import spending_cap
from engine.models.claude import Claude
from engine.models.claude_model import ClaudeModel
from engine.models.cost_ledger import CostLedger
from engine.models.extractive import ExtractiveSummariser
from engine.models.model_task import ModelRole, ModelTask, Price
from engine.models.spending_cap import TRIES, Budget, PaidModel
from engine.models.summary import NoteToSummarise
from engine.models.summary_task import SummaryTask
from engine.plans.commit_task import CommitTask, DiffText
from engine.services.answers import AnswerFolder
from engine.text.secrets.detector import find_secrets
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn
from engine.tree.nodes.entries import EntryList, Fact, TopicEntry
from engine.tree.nodes.node_task import HeadedFact, NodeTask, parts_of
from engine.workspace.values import LineSpan
from tests.engine.models.loopback import KEY, Answer, Loopback, asked_text, failure, loopback, message
from tests.engine.text.secrets.kinds import SELF_EVIDENT, cases

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
KINDS = {case.kind: case for case in cases(2) if case.kind in SELF_EVIDENT and find_secrets(case.text)}
SPAN = LineSpan("memory/2026-03-15.md", 1, 1)


def part(text: str) -> SessionPart:
    turn = SessionTurn(source="t.md", line=1, session="s", role=Speaker.USER, text=text, said_at=NOW)
    return SessionPart((turn,))


TASKS: dict[ModelRole, dict[str, tuple[ModelTask[Any, Any, Any], Callable[[str], Any]]]] = {
    ModelRole.SUMMARISE: {
        "notes": (SummaryTask(ExtractiveSummariser(), 0.25), lambda text: NoteToSummarise("n.md", f"{text}\n")),
        "nodes": (NodeTask(0.25), lambda text: (HeadedFact(0, "box", Fact(text, SPAN)),)),
    },
    ModelRole.EXTRACT: {"turns": (ExtractionTask(), part)},
    ModelRole.COMMIT: {"diffs": (CommitTask(0.25), lambda text: DiffText((f"memory/a.md + {text}",)))},
}
EACH = [(role, what) for role, tasks in TASKS.items() for what in tasks]


@pytest.fixture
def line() -> Iterator[Loopback]:
    with loopback() as made:
        yield made


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spending_cap, "PAUSE", 0.0)


def asked(folder: Path, line: Loopback, role: ModelRole, what: str, texts: list[str]) -> list[Any]:
    """What comes of the texts where the server answers as the line is told."""
    task, item = TASKS[role][what]
    ledger = CostLedger(folder / "ledger.jsonl")
    budget = Budget(
        50.0, ledger=ledger, price=Price(1, 5), role=role.value, model="m", clock=lambda: NOW, timer=lambda: 0.0
    )
    claude = Claude("some-model", {"ANTHROPIC_API_KEY": KEY}, url=line.url, seconds=2)
    model = ClaudeModel(PaidModel(claude, budget, tries=TRIES), role, AnswerFolder(folder / "answers"))
    return model.results(task, [item(text) for text in texts], lambda done, total: None)


def test_a_summariser_sees_title_date_headings_and_speakers() -> None:
    """A review found `Move invoices to Go` and `should we wait until March?` side by side, unlabelled."""
    text = "# Shop\n\n## Decisions\n- Move invoices to Go because Python is slow\n\n```\n# no heading\n```\n"
    text += "## Open\n- should we wait until March?\n\nuser: I want tea for it.\nassistant: Fine, tea it is then.\n"
    asked = SummaryTask(ExtractiveSummariser(), 0.25).prompt(NoteToSummarise("memory/2026-03-01-deploy.md", text))
    assert asked.split("\n")[1:-1] == [
        "# 2026-03-01-deploy › Shop › Decisions",
        "1. Move invoices to Go because Python is slow",
        "# 2026-03-01-deploy › Shop › Open",
        "2. should we wait until March?",
        "3. user: I want tea for it.",
        "4. assistant: Fine, tea it is then.",
    ]


def test_the_sentences_of_a_node_stand_below_their_day_topic_and_heading() -> None:
    fact = Fact("Move invoices to Go because Python is slow", SPAN, "decision")
    entry = TopicEntry(
        topic="Shop", heading="Decisions", type="project", spans=(SPAN,), day=date(2026, 3, 15), facts=(fact,)
    )
    (part,) = parts_of([EntryList((entry,), {})])
    assert "# 2026-03-15 › Shop › Decisions › decision\n1. Move invoices to Go" in NodeTask(0.25).prompt(part)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("role", "what"), EACH)
def test_d30_no_secret_of_forty_kinds_is_in_any_request(
    line: Loopback, tmp_path: Path, role: ModelRole, what: str
) -> None:
    line.answer = lambda _asked: message("{}")
    assert len(KINDS) >= 40
    plain = "We decided to keep the boat on the lake."
    asked(tmp_path, line, role, what, [f"{plain} {case.text}" for case in KINDS.values()])
    sent = "\n".join(asked_text(json.loads(one.rpartition("\n")[2])) for one in line.sent)
    assert "boat" in sent, "the rest of the text is asked about"
    assert [case.kind for case in KINDS.values() if case.secret in sent] == []


FAILURES: dict[str, Answer] = {
    "overloaded": failure(529),
    "key refused": (401, b'{"type": "error", "error": {"type": "authentication_error", "message": "x-api-key"}}'),
    "refused": message("", stop="refusal"),
    "cut": message('{"sen', stop="max_tokens"),
    "malformed": message("no"),
    "no message": (200, b"<html>"),
}


@pytest.mark.parametrize("kind", FAILURES)
@pytest.mark.parametrize(("role", "what"), EACH)
def test_d49_a_failed_answer_is_replaced_and_the_key_is_in_no_word_nor_file(
    line: Loopback, tmp_path: Path, role: ModelRole, what: str, kind: str
) -> None:
    line.answer = lambda _asked: FAILURES[kind]
    (found,) = asked(tmp_path, line, role, what, ["We decided to keep the boat on the lake."])
    assert "by Claude: " in found.remark and KEY not in repr(found)
    assert len(line.sent) == (TRIES if kind == "overloaded" else 1), "only what is not billed is tried again"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files and not any(KEY.encode() in path.read_bytes() for path in files)
    assert len(CostLedger(tmp_path / "ledger.jsonl").lines()) == len(line.sent)
