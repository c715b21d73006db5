"""What a model is told: a file for each task with its version, an answer that is used and one that is not."""

from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import msgspec
import pytest

from engine.extraction.extraction_task import ExtractionTask, SessionPart
from engine.models.claude import ModelFailed
from engine.models.extractive import ExtractiveSummariser
from engine.models.model_task import ModelTask, task_prompt
from engine.models.summary import NoteToSummarise
from engine.models.summary_task import SummaryTask
from engine.plans.commit_task import CommitTask, DiffText
from engine.text.transcript_marks import Speaker
from engine.topics.gate import claude as gate
from engine.topics.messages import SessionTurn
from engine.tree.nodes.entries import Fact
from engine.tree.nodes.node_task import HeadedFact, NodeTask
from engine.workspace.values import LineSpan

NAMES = sorted(
    one.name.removesuffix(".md") for one in files("engine.models.prompts").iterdir() if one.name[-3:] == ".md"
)
SAID_AT = datetime(2026, 3, 15, 3, tzinfo=UTC)
TURN = SessionTurn(source="t.md", line=1, session="s", role=Speaker.USER, text="I always want tea.", said_at=SAID_AT)
FACT = HeadedFact(0, "box", Fact("Move invoices to Go because Python is slow", LineSpan("memory/2026-03-15.md", 1, 1)))
NOTHING: dict[str, Any] = {"events": [], "decisions": [], "insights": [], "facts": []}

# As models wrote them: the good one keeps to its lines, the bad one adds a name, a number or a line that is not there.
ANSWERS: dict[str, tuple[ModelTask[Any, Any, Any], Any, dict[str, Any], dict[str, Any]]] = {
    "summary": (
        SummaryTask(ExtractiveSummariser(), 0.25),
        NoteToSummarise("memory/2026-03-01.md", "We moved 40 invoices to Go because Python was slow.\n"),
        NOTHING | {"decisions": [{"text": "Moved 40 invoices to Go because Python was slow.", "lines": [1]}]},
        NOTHING | {"decisions": [{"text": "Moved 400 invoices to Rust, as Ana proposed.", "lines": [1]}]},
    ),
    "node": (
        NodeTask(0.25),
        (FACT,),
        {"sentences": [{"text": "Move invoices to Go: Python is slow", "lines": [1]}]},
        {"sentences": [{"text": "Move invoices to Go by 3 May", "lines": [1]}]},
    ),
    "extraction": (
        ExtractionTask(),
        SessionPart((TURN,)),
        {"entries": [{"line": 1, "kind": "preference"}]},
        {"entries": [{"line": 7, "kind": "preference"}]},
    ),
    "commit": (
        CommitTask(0.25),
        DiffText(("memory/a.md + The boat lies at Bregenz",)),
        {"sentences": [{"text": "The boat lies at Bregenz.", "lines": [1]}]},
        {"sentences": [{"text": "The boat lies at Lindau since 2019.", "lines": [1]}]},
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_each_file_has_a_version_and_says_that_texts_are_data(name: str) -> None:
    told = task_prompt(name)
    assert told.version >= 1 and "part of the data" in " ".join(told.text.split())
    assert name == "gate" or ANSWERS[name][0].told == told


@pytest.mark.parametrize("name", ANSWERS)
def test_a_good_answer_is_used_and_a_bad_one_is_not(name: str) -> None:
    task, item, good, bad = ANSWERS[name]
    task.judged(item, msgspec.convert(good, task.answer), "claude some-model prompt 1")
    with pytest.raises(ModelFailed):
        task.judged(item, msgspec.convert(bad, task.answer), "claude some-model prompt 1")


def test_the_gate_takes_yes_or_no_alone() -> None:
    form = gate._Answer
    assert msgspec.convert({"answer": "YES", "reason": "it is about invoices"}, form).answer == "YES"
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"answer": "MAYBE", "reason": ""}, form)


def test_every_task_has_its_file() -> None:
    assert {*ANSWERS, "gate"} == set(NAMES)
