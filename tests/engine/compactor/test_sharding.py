"""A blocked shard is offered as its own Tier C plan, every entry word for word (decisions A3, A22)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.options import CompactOptions, CompactorHistory
from engine.compactor.sharding.cut import groups, pieces
from engine.plans.plan import Create, Move, Plan, RiskTier
from engine.plans.policy.values import Limits, Policy, SemanticLimits
from engine.plans.prediction import predict
from tests.engine.compactor.workspace import NOW, WORDS, Workspace, entry, episodic

SHARD = "memory/semantic/openclaw.md"
BLOCKED = "".join(entry(f"Entry number {n}", 300) for n in range(4))


def sharding(workspace: Workspace, **given: object) -> Plan:
    (plan,) = workspace.plan(**given).also  # type: ignore[arg-type]
    return plan


def contents(plan: Plan) -> list[str]:
    return [change.content for change in plan.changes if isinstance(change, Create)]


def test_a22_a_blocked_shard_gets_a_plan_of_its_own() -> None:
    workspace = Workspace({SHARD: BLOCKED, "memory/working/2026-03-01.md": "It shipped.\n"})
    outcome = workspace.plan()
    plan = sharding(workspace)
    assert outcome.plan is not None
    assert outcome.plan.risk_tier is RiskTier.B
    assert (plan.system, plan.trigger, plan.risk_tier) == ("shard", "semantic_hard", RiskTier.C)
    assert {change.risk_tier for change in plan.changes} == {RiskTier.C}
    assert SHARD not in outcome.plan.targets()
    assert "a plan of its own cuts it into 2 shards" in outcome.report


def test_a22_it_comes_also_where_there_is_nothing_else_to_do() -> None:
    outcome = Workspace({SHARD: BLOCKED}).plan()
    assert outcome.plan is None
    assert [plan.system for plan in outcome.also] == ["shard"]


def test_a22_new_shards_are_numbered_and_the_old_one_is_archived_last() -> None:
    workspace = Workspace({SHARD: BLOCKED, "memory/semantic/openclaw-2.md": entry("Other")})
    plan = sharding(workspace)
    assert [change.path for change in plan.changes] == [
        "memory/semantic/openclaw-3.md",
        "memory/semantic/openclaw-4.md",
        SHARD,
    ]
    move = plan.changes[-1]
    assert isinstance(move, Move)
    assert move.to == "memory/archive/openclaw-archived-2026-03-15.md"
    assert move.requires == (1, 2)


def test_a22_a_numbered_shard_goes_on_counting() -> None:
    plan = sharding(Workspace({"memory/semantic/openclaw-2.md": BLOCKED}))
    assert plan.changes[0].path == "memory/semantic/openclaw-3.md"


def test_a22_every_entry_is_kept_word_for_word() -> None:
    text = "\ufeff---\nby: hand\n---\n# Shard\r\n\r\n" + BLOCKED.replace("\n", "\r\n") + "\r\n<!-- from x.md:1-2 -->"
    workspace = Workspace({SHARD: text})
    plan = sharding(workspace)
    assert "".join(contents(plan)) == text
    assert [gate.id for gate in plan.gates if gate.passed] == ["word_for_word"]
    prediction = predict(plan, tuple(change.n for change in plan.changes), workspace.read)
    assert b"".join(prediction.contents.values()) == workspace.files[SHARD]


TEXTS = st.lists(
    st.sampled_from(
        ["Title: a\n", "Title:b\r\n", "Context: c\n", "\n", "## head\n", "word " * 30 + "\n", "no end", "\u2028"]
    ),
    max_size=40,
).map("".join)


@given(TEXTS, st.integers(1, 60))
def test_a22_nothing_is_lost_and_no_entry_is_cut(text: str, soft: int) -> None:
    limits = SemanticLimits(soft=soft, risk=soft + 1, hard=soft + 2)
    made = groups(text, WORDS, limits)
    assert "".join(made) == text
    cut = pieces(text)
    assert "".join(cut) == text
    for group in made:
        assert WORDS.count(group) <= soft or group in cut
        assert group == text[: len(group)] or group.startswith(("Title:", "##"))


def test_a22_each_new_shard_stays_within_the_soft_limit() -> None:
    plan = sharding(Workspace({SHARD: BLOCKED}))
    assert [WORDS.count(text) <= 900 for text in contents(plan)] == [True, True]
    assert plan.facts["new_shards"][0]["tokens"] == WORDS.count(contents(plan)[0])


def test_a22_lines_of_the_old_shard_are_named() -> None:
    plan = sharding(Workspace({SHARD: BLOCKED}))
    spans = [change.sources[0] for change in plan.changes if isinstance(change, Create)]
    assert [(span.start, span.end) for span in spans] == [(1, 8), (9, 16)]


@pytest.mark.parametrize("text", ["word " * 2000, entry("Only one", 1500)])
def test_an_entry_too_large_by_itself_is_never_cut(text: str) -> None:
    outcome = Workspace({SHARD: text}).plan()
    assert outcome.also == ()
    assert "it cannot be sharded: it has only one entry" in outcome.report


def test_a_shard_without_titles_is_cut_at_its_headings() -> None:
    text = "# Knowledge\n" + "".join(f"## Part {n}\n{'word ' * 300}\n" for n in range(4))
    assert "".join(contents(sharding(Workspace({SHARD: text})))) == text


@pytest.mark.parametrize(("words", "suggested"), [(700, False), (850, True)])
def test_at_risk_sharding_is_only_suggested(words: int, suggested: bool) -> None:
    """compactor §Semantic Risk Trigger: suggest semantic sharding in report."""
    outcome = Workspace({SHARD: entry("Large", words), "memory/working/2026-03-01.md": "x\n"}).plan()
    assert outcome.also == ()
    assert ("consider sharding it" in outcome.report) is suggested


def test_sharding_asks_what_any_semantic_step_asks() -> None:
    history = CompactorHistory(applied=False, last_semantic_at=NOW)
    plan = sharding(Workspace({SHARD: BLOCKED}), history=history)
    assert [confirmation.id for confirmation in plan.confirmations] == ["first_run", "cooldown"]


def test_two_blocked_shards_are_two_plans_and_share_no_name() -> None:
    other = "memory/semantic/whatsapp-bot.md"
    outcome = Workspace({SHARD: BLOCKED, other: BLOCKED, "memory/episodic/openclaw.md": episodic(40)}).plan()
    assert outcome.plan is not None
    targets = [plan.targets() for plan in (*outcome.also, outcome.plan)]
    assert len(frozenset().union(*targets)) == sum(map(len, targets))


def test_a_scheduled_run_offers_it_too() -> None:
    outcome = Workspace({SHARD: BLOCKED}).plan(options=CompactOptions(scheduled=True))
    assert [plan.system for plan in outcome.also] == ["shard"]


def test_the_limits_of_the_policy_decide() -> None:
    limits = Policy(limits=Limits(semantic=SemanticLimits(soft=9000, risk=10_000, hard=12_000)))
    assert Workspace({SHARD: BLOCKED}).plan(policy=limits).also == ()
