"""Models at home: a server on loopback that refuses what Ollama, llama.cpp, LM Studio and vLLM refuse."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anthropic.types.model
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import PolicyError
from engine.models.claude import HomeModel, ModelFailed, object_in
from engine.models.claude_model import ClaudeModel
from engine.models.cost_ledger import CostLedger
from engine.models.extractive import ExtractiveSummariser
from engine.models.model_task import ModelRole, Price
from engine.models.spending_cap import Budget, PaidModel
from engine.models.summary import NoteToSummarise
from engine.models.summary_task import SummaryTask
from engine.plans.policy.file import parse_policy
from engine.plans.policy.rules import broken_rule
from engine.plans.policy.values import LlmPolicy, ModelRoles, Policy
from engine.services.answers import AnswerFolder
from engine.services.policy_models import claude_for, known_models, price_of, unknown_models
from tests.engine.models.loopback import Answer, Loopback, failure, loopback, message

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
OWN = {"model", "max_tokens", "system", "messages"}
NOTE = NoteToSummarise("n.md", "We moved the boat to the lake because the harbour is full.\n")
EVENT = {"text": "We moved the boat to the lake.", "lines": [1]}
SUMMARY: dict[str, Any] = {"events": [EVENT], "decisions": [], "insights": [], "facts": []}


def strict(asked: dict[str, Any]) -> Answer:
    """Answers as such a server: what it does not know is an error, and the answer stands in a fence behind thoughts."""
    if set(asked) != OWN or not isinstance(asked["system"], str):
        return failure(400)
    return message(f"Let me see {{that}}.\n```json\n{json.dumps(SUMMARY)}\n```\n")


@pytest.fixture
def line() -> Iterator[Loopback]:
    with loopback() as made:
        made.answer = strict
        yield made


def policy(line: Loopback, **more: Any) -> LlmPolicy:
    return LlmPolicy(provider="local", url=line.url, models=ModelRoles(summarise="qwen3"), **more)


def summary(folder: Path, llm: LlmPolicy, note: NoteToSummarise, env: dict[str, str]) -> Any:
    model = claude_for(llm, env, ModelRole.SUMMARISE)
    ledger = CostLedger(folder / "ledger.jsonl")
    price = price_of(llm, "qwen3")
    budget = Budget(0, ledger=ledger, price=price, role="summarise", model="qwen3", clock=lambda: NOW, timer=lambda: 0)
    asking = ClaudeModel(
        PaidModel(model, budget), ModelRole.SUMMARISE, AnswerFolder(folder / "a"), name="local", at_once=1
    )
    task = SummaryTask(ExtractiveSummariser(), 0.25)
    return asking.results(task, [note], lambda done, total: None)[0]


def test_a_server_at_home_answers_without_key_price_and_structured_output(line: Loopback, tmp_path: Path) -> None:
    done = summary(tmp_path, policy(line), NOTE, {"ANTHROPIC_API_KEY": "the-key-of-claude"})
    assert [point.text for point in done.events] == ["We moved the boat to the lake."]
    assert done.by == "local qwen3 prompt 1"
    assert price_of(policy(line), "qwen3") == Price(0, 0)
    assert "the-key-of-claude" not in line.sent[0], "the key of Claude's service is sent to nobody else"


def test_its_own_key_is_sent_where_the_policy_names_one(line: Loopback, tmp_path: Path) -> None:
    summary(tmp_path, policy(line, key_variable="LAN_KEY"), NOTE, {"LAN_KEY": "key-of-the-lan"})
    assert "authorization: Bearer key-of-the-lan" in line.sent[0]


def test_what_its_window_cannot_hold_is_left_to_the_rules(line: Loopback, tmp_path: Path) -> None:
    done = summary(tmp_path, policy(line, window=1024), NOTE, {})
    assert "longer than its window (llm.window: 1,024)" in done.remark and not line.sent
    assert summary(tmp_path, policy(line, window=2048), NOTE, {}).by == "local qwen3 prompt 1"
    assert json.loads(line.sent[0].rpartition("\n")[2])["max_tokens"] == 1024, "half of it is left to the answer"


@pytest.mark.parametrize("answer", ["no JSON at all", '{"events": "none"}', "{", '{"events": [' * 2000])
def test_an_answer_in_another_form_leaves_the_note_to_the_rules(line: Loopback, tmp_path: Path, answer: str) -> None:
    line.answer = lambda _asked: message(answer)
    done = summary(tmp_path, policy(line), NOTE, {})
    assert "not written by qwen3" in done.remark and done.events


def test_secrets_stay_here_too(line: Loopback) -> None:
    model = HomeModel("m", {}, key_variable="K", url=line.url, seconds=5, window=9_000)
    assert model._seconds == 5
    with pytest.raises(ModelFailed):
        model.ask(system="s", prompt=f"AKIA{'QWERTYUIOPASDFGH'}", schema={"type": "object"}, max_tokens=10)
    assert not line.sent


@given(st.text(), st.dictionaries(st.text(), st.integers() | st.text(), max_size=4), st.text(alphabet="ab {`\n"))
def test_the_object_in_an_answer_is_found_behind_any_text(before: str, value: dict[str, Any], after: str) -> None:
    written = json.dumps(value)
    assert json.loads(object_in(f"{before.replace('{', '')}{written}{after}")) == value
    object_in(before)


@pytest.mark.parametrize(
    ("url", "right"),
    [
        ("http://localhost:11434", True),
        ("http://192.168.1.20:8080", True),
        ("https://models.example.org", True),
        ("http://models.example.org", False),
        ("", False),
    ],
)
def test_the_address_of_a_local_model_is_checked(url: str, right: bool) -> None:
    rule = broken_rule(Policy(llm=LlmPolicy(provider="local", url=url)))
    assert (rule is None) is right and (rule is None or rule.key == "llm.url")


def test_a_misspelt_model_is_told_before_it_costs(line: Loopback) -> None:
    llm = LlmPolicy(provider="claude", models=ModelRoles(gate="claude-haiku-45", extract=known_models()[0]))
    assert unknown_models(llm) == ("claude-haiku-45",)
    assert unknown_models(policy(line)) == (), "a server of one's own has its own names"


def test_the_known_models_are_those_of_the_sdk() -> None:
    text = Path(anthropic.types.model.__file__ or "").read_text()
    assert all(f'"{name}"' in text for name in known_models())


def test_a_policy_names_a_wrong_window() -> None:
    with pytest.raises(PolicyError, match="window"):
        parse_policy("llm: {window: 12}\n", "policy.yaml")
