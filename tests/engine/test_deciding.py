"""Which gate and which scorer decide: what the operator's policy says, and nothing that lies about (D19, D30)."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.services.engine import Engine
from engine.topics.decision import GateAnswer, GateRule, MatchResult
from engine.topics.messages import Message

NOW = datetime(2026, 3, 15, tzinfo=UTC)
TOPIC = """---
type: topic
triggers: [{type: keywords, words: [zebra]}]
activation: gated
priority: high
---
# Animals

Feed the animals at noon.
"""
POLICY = 'models: {gate: some-model}, url: "http://127.0.0.1:9"'
NOWHERE = {"ANTHROPIC_API_KEY": "k"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "topics").mkdir(parents=True)
    (folder / "topics" / "animals.md").write_text(TOPIC, "utf-8")
    return folder


def decided(place: Path, policy: str = "", env: dict[str, str] | None = None) -> MatchResult:
    """What a message wakes under a policy: it has the word and means something else, so that the gate is asked."""
    file = place.parent / "config" / "memdeck" / "policy.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(policy, "utf-8")
    home = {"XDG_STATE_HOME": str(place.parent / "state"), "XDG_CONFIG_HOME": str(place.parent / "config")}
    with Engine.open(place, env={**home, **(env or {})}) as console:
        return console.topics.matcher().match(Message(id="m", text="zebra stripes on the new keyboard"), NOW)


def test_d19_credentials_that_lie_about_make_nothing_go_online(place: Path) -> None:
    (decision,) = decided(place, env=NOWHERE).decisions
    assert decision.gate_by == "offline" and decision.gate is not GateAnswer.NONE


def test_d30_claude_without_a_model_for_the_gate_is_the_offline_rule_and_says_so(place: Path) -> None:
    found = decided(place, "llm: {provider: claude}", NOWHERE)
    assert found.decisions[0].gate_by == "offline"
    assert any("llm.models.gate" in remark for remark in found.degraded)


def test_d19_claude_is_asked_where_the_policy_says_so_and_fails_closed(place: Path) -> None:
    found = decided(place, f"llm: {{provider: claude, {POLICY}}}", {**NOWHERE, "ANTHROPIC_API_KEY": ""})
    (decision,) = found.decisions
    assert (decision.rule, decision.gate_by, decision.activated) == (GateRule.GATE_FAILED, "some-model", False)
    assert any("ANTHROPIC_API_KEY" in remark for remark in found.degraded)


@pytest.mark.parametrize("scorer", ["tfidf", "bm25", "jaccard", "ngrams", "static", "blend"])
def test_the_policy_names_the_scorer(place: Path, scorer: str) -> None:
    (decision,) = decided(place, f"topics: {{scorer: {scorer}}}").decisions
    assert decision.scores[0].scorer in (scorer, "tfidf", "meaning")


def test_a_changed_file_is_read_again_and_what_stayed_is_taken_over(place: Path) -> None:
    other = TOPIC.replace("zebra", "lion")
    clock: list[datetime] = [NOW]

    def tick() -> datetime:
        clock[0] = clock[0].replace(minute=(clock[0].minute + 1) % 60)
        return clock[0]

    home: dict[str, Any] = {"XDG_STATE_HOME": str(place.parent / "s"), "XDG_CONFIG_HOME": str(place.parent / "c")}
    with Engine.open(place, env=home, clock=tick) as console:
        before = console.topics.matcher()
        assert before.match(Message(id="m", text="lion"), NOW).candidates == ()
        (place / "topics" / "lions.md").write_text(other, "utf-8")
        after = console.topics.matcher()
        assert after is not before
        assert after.match(Message(id="m", text="lion"), NOW).candidates == ("lions",)
        (place / "topics" / "lions.md").write_text("---\ntype: topic\ntriggers: [x]\n---\n", "utf-8")
        assert [problem.path for problem in console.topics.current().problems] == ["topics/lions.md"]
        assert console.topics.matcher().match(Message(id="m", text="zebra lion"), NOW).candidates == ("animals",)
