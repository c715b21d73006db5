"""Entries weighed one by one against the limits of their shard (decisions A2, A3, A13, A20, A21)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compactor.extraction.entry_title import entry_title
from engine.compactor.limits.append_risk import append_risk_tier
from engine.compactor.options import CompactRequest
from engine.compactor.semantic.entry import SchemaError
from engine.errors import Blocked, UsageError
from engine.plans.plan import Append, Create, Plan, RiskTier
from engine.plans.planning import PlanOutcome
from engine.plans.policy.values import Limits, Policy, SemanticLimits
from engine.text.document import decode
from engine.text.tokens import TokenCounter
from tests.engine.compactor.workspace import EXACT, WORDS, Workspace, days_ago, entry, episodic
from tests.turn import examples

SHARD = "memory/semantic/openclaw.md"
OTHER = "memory/semantic/whatsapp-bot.md"
INSIGHTS = [
    "Always drain the queue before a schema migration",
    "Never restart the message broker during a deploy",
    "Backups of the ledger take twelve hours to restore",
]


class Characters:
    """Counts characters: sizes in tests can be set to the single token."""

    name = "characters"
    degraded_reason = None

    def count(self, text: str) -> int:
        return len(text)


def workspace(
    *files: tuple[str, int], size: int = 0, tokens: TokenCounter = WORDS, shard: str = SHARD, **more: str
) -> Workspace:
    """Episodic files of given ages with one insight each, and a shard of exactly `size` characters."""
    made = {f"memory/episodic/{name}.md": episodic(age, [INSIGHTS[n]]) for n, (name, age) in enumerate(files)}
    if size:
        made[shard] = entry("Old").ljust(size - 1, "x") + "\n"
    return Workspace({**made, **more}, tokens=tokens)


def appends(plan: Plan) -> list[Append | Create]:
    return [c for c in plan.changes if isinstance(c, Append | Create) and c.path.startswith("memory/semantic/")]


@pytest.mark.parametrize(
    ("current", "projected", "tier"),
    [
        (0, 900, "B"),
        (900, 1020, "B"),
        (1020, 1021, "C"),
        (1021, 1000, "C"),
        (1000, 1200, "C"),
        (1000, 1201, None),
        (1201, 1100, None),
    ],
)
def test_a2_the_stricter_of_current_and_projected_size_decides(current: int, projected: int, tier: str | None) -> None:
    assert append_risk_tier(current, projected, SemanticLimits()) == tier


@pytest.mark.parametrize(
    ("room", "tier"),
    [(0, "B"), (1, "C"), (180, "C"), (181, None)],
    ids=["at risk", "over risk", "at hard", "over hard"],
)
def test_a2_the_projected_size_is_that_of_the_real_bytes(room: int, tier: str | None) -> None:
    """The shard is made so large that the append ends `room` characters above the risk line of 1,020."""
    length = len(appends(workspace(("a", 40), size=500, tokens=Characters()).planned())[0].content)
    outcome = workspace(("a", 40), size=1020 + room - length, tokens=Characters()).plan()
    if tier is None:
        assert outcome.plan is None
        assert outcome.facts["entries"][0]["tokens_after"] == 1201
    else:
        assert outcome.plan is not None
        assert [change.risk_tier for change in appends(outcome.plan)] == [tier]
        assert outcome.plan.risk_tier == tier


def test_a2_oldest_first_up_to_the_risk_line_b_up_to_the_hard_limit_c_the_rest_waits() -> None:
    length = len(appends(workspace(("a", 40), size=500, tokens=Characters()).planned())[0].content)
    limits = Limits(semantic=SemanticLimits(soft=400, risk=500 + length + 20, hard=500 + 2 * length + 50))
    files = [("young", 35), ("old", 60), ("middle", 45)]
    plan = workspace(*files, size=500, tokens=Characters()).planned(policy=Policy(limits=limits))
    first, second = appends(plan)
    assert [str(span.path) for span in (first.sources[0], second.sources[0])] == [
        "memory/episodic/old.md",
        "memory/episodic/middle.md",
    ]
    assert (first.risk_tier, second.risk_tier) == (RiskTier.B, RiskTier.C)
    assert plan.risk_tier is RiskTier.C
    assert plan.tier_of((first.n,)) is RiskTier.B
    assert plan.facts["waiting"] == [3]
    assert "Waiting entries" in plan.report
    assert "memory/episodic/young.md: no room in memory/semantic/openclaw.md" in plan.report


def test_a20_an_entry_that_waits_keeps_its_episodic_file_where_it_is() -> None:
    outcome = workspace(("a", 40), size=1300, tokens=Characters()).plan()
    assert outcome.plan is None
    assert outcome.reason_no_action == (
        "all that is eligible waits or is skipped: "
        "memory/episodic/a.md (no room in memory/semantic/openclaw.md: 1,300 tokens, hard limit 1,200)"
    )
    plan = workspace(("a", 40), size=1300, tokens=Characters(), **{"memory/working/2026-03-01.md": "x\n"}).planned()
    assert "memory/episodic/a.md" not in plan.targets()
    assert all(gate.passed for gate in plan.gates)


def test_a20_one_waiting_entry_of_two_keeps_the_file_too_and_is_not_appended_twice() -> None:
    limits = Limits(semantic=SemanticLimits(soft=60, risk=100, hard=150))
    files = {"memory/episodic/a.md": episodic(40, INSIGHTS[:2])}
    shop = Workspace(files, tokens=Characters())
    plan = shop.planned(policy=Policy(limits=limits))
    (append,) = appends(plan)
    assert [change.path for change in plan.changes if change.path == "memory/episodic/a.md"] == []
    shop.files[SHARD] = append.content.encode()
    again = shop.planned(policy=Policy(limits=Limits(semantic=SemanticLimits(soft=100, risk=900, hard=1200))))
    assert [INSIGHTS[1] in change.content for change in appends(again)] == [True]
    assert again.confirmations == ()
    assert "memory/episodic/a.md" in again.targets()


def test_a3_above_the_hard_limit_nothing_is_appended_not_even_with_approved() -> None:
    outcome = workspace(("a", 40), size=1201, tokens=Characters()).plan()
    assert outcome.plan is None
    assert [plan.system for plan in outcome.also] == ["shard"] or outcome.facts["sharding"]
    assert not any(change.path == SHARD and isinstance(change, Append) for p in outcome.also for change in p.changes)


def test_a6_the_hard_limit_blocks_the_semantic_phase_only() -> None:
    plan = workspace(("a", 40), size=1300, tokens=Characters(), **{"memory/working/2026-03-01.md": "x\n"}).planned()
    assert plan.trigger == "semantic_hard"
    assert plan.risk_tier is RiskTier.B
    assert [change.path for change in plan.changes] == ["memory/episodic/2026-03-01.md", "memory/working/2026-03-01.md"]
    assert plan.facts["risk_tier_before_extraction"] == "C"


def test_a21_an_entry_goes_to_openclaw_unless_it_is_routed() -> None:
    shop = workspace(("a", 40), ("b", 35))
    assert {change.path for change in appends(shop.planned())} == {SHARD}
    routed = shop.planned(options=CompactRequest(routes={2: OTHER}))
    assert [(change.n, change.path) for change in appends(routed)] == [(1, SHARD), (2, OTHER)]
    assert all(isinstance(change, Create) for change in appends(routed))


def test_a13_a_routed_entry_is_weighed_against_its_own_shard() -> None:
    shop = workspace(("a", 40), size=1300, tokens=Characters())
    plan = shop.planned(options=CompactRequest(routes={1: OTHER}))
    assert [change.path for change in appends(plan)] == [OTHER]
    assert "memory/episodic/a.md" in plan.targets()


def test_a21_numbers_stay_those_of_the_plan_without_routes() -> None:
    """Entry 3 waits in the plain plan; routed away it is appended, and the two others keep their numbers."""
    length = len(appends(workspace(("a", 40), size=500, tokens=Characters()).planned())[0].content)
    limits = Policy(limits=Limits(semantic=SemanticLimits(soft=400, risk=5000, hard=500 + 2 * length + 20)))
    shop = workspace(("a", 60), ("b", 50), ("c", 40), size=500, tokens=Characters())
    assert shop.planned(policy=limits).facts["waiting"] == [3]
    plan = shop.planned(policy=limits, options=CompactRequest(routes={3: OTHER}))
    assert [(change.n, change.path) for change in appends(plan)] == [(1, SHARD), (2, SHARD), (3, OTHER)]
    assert plan.facts["waiting"] == []


@pytest.mark.parametrize(
    "path",
    [
        "memory/semantic/../../x.md",
        "/etc/passwd.md",
        "memory/episodic/x.md",
        "memory/semantic/sub/x.md",
        "memory/semantic/x.txt",
        "memory/semantic/.md",
        "memory/semantic/.hidden.md",
        "memory/semantic/a\nb.md",
        "",
        "memory\\semantic\\x.md",
    ],
)
def test_g15_a_route_stays_in_semantic_memory(path: str) -> None:
    with pytest.raises(UsageError):
        workspace(("a", 40)).plan(options=CompactRequest(routes={1: path}))


@pytest.mark.parametrize("number", [0, -1, 2, 99])
def test_a_route_for_an_entry_that_is_not_there_is_an_error(number: int) -> None:
    with pytest.raises(UsageError, match="there is no entry"):
        workspace(("a", 40)).plan(options=CompactRequest(routes={number: OTHER}))


def test_a_route_to_a_shard_that_differs_in_case_only_waits() -> None:
    outcome = workspace(("a", 40), size=100).plan(options=CompactRequest(routes={1: "memory/semantic/OpenClaw.md"}))
    assert "differs from it in case only" in outcome.report
    assert outcome.plan is None


def test_a_route_to_something_that_is_no_file_waits() -> None:
    shop = workspace(("a", 40))
    linked = Workspace(shop.files, skipped=[(OTHER, "a link; links are not followed")])
    outcome = linked.plan(options=CompactRequest(routes={1: OTHER}))
    assert outcome.plan is None
    assert "a link" in outcome.facts["entries"][0]["waits"]


EDITED = "Title: My words\nContext: I know better.\nDurable Insight: Drain first, then migrate.\n"


def edited(text: str) -> PlanOutcome:
    return workspace(("a", 40)).plan(options=CompactRequest(edits={1: text}))


def test_an_edited_entry_is_written_in_the_operators_words_with_its_provenance() -> None:
    outcome = edited(EDITED)
    assert outcome.plan is not None
    assert appends(outcome.plan)[0].content == EDITED + "<!--260203:12-->\n"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", SchemaError),
        ("Title: x\nContext: y\n", SchemaError),
        (EDITED + "\n" + EDITED, SchemaError),
        (EDITED.replace("I know", "APPROVED: I know"), Blocked),
    ],
)
def test_a15_an_edited_entry_is_checked_like_any_other(text: str, error: type[Blocked]) -> None:
    with pytest.raises(error):
        edited(text)


@pytest.mark.parametrize(
    ("before", "between"),
    [
        (b"", ""),
        (b"Title: a\nContext: b\nDurable Insight: c", "\n\n"),
        (b"Title: a\nContext: b\nDurable Insight: c\n", "\n"),
        (b"Title: a\nContext: b\nDurable Insight: c\n\n", ""),
        (b"Title: a\r\nContext: b\r\nDurable Insight: c\r\n", "\r\n"),
        (b"Title: a\r\nContext: b\r\nDurable Insight: c", "\r\n\r\n"),
        (b"\xef\xbb\xbfTitle: a\nContext: b\nDurable Insight: c\n", "\n"),
    ],
)
def test_a11_the_old_bytes_stay_a_prefix_and_entries_stand_apart(before: bytes, between: str) -> None:
    shop = workspace(("a", 40), ("b", 35))
    shop.files[SHARD] = before
    plan = shop.planned()
    first, second = appends(plan)
    assert first.content.startswith(between + "Title: ")
    assert second.content[0] in "\r\n", "either one may be left out: the second brings its own line end"
    newline = "\r\n" if b"\r\n" in before else "\n"
    assert first.content.count("\n") == first.content.count(newline)
    after = before + first.content.encode() + second.content.encode()
    assert decode(after).count("Title: ") == before.count(b"Title: ") + 2
    assert plan.facts["semantic"]["shards"][0]["projected"] == WORDS.count(decode(after))


def test_projection_counts_with_the_real_tokenizer() -> None:
    shop = workspace(("a", 40), tokens=EXACT)
    shop.files[SHARD] = entry("Old", 300).encode()
    plan = shop.planned()
    after = decode(shop.files[SHARD]) + appends(plan)[0].content
    assert plan.facts["entries"][0]["tokens_after"] == EXACT.count(after)


def test_undecodable_shards_wait_and_are_never_written() -> None:
    shop = workspace(("a", 40))
    blocked = Workspace(shop.files, skipped=[(SHARD, "not UTF-8: byte 0xff on line 1")])
    outcome = blocked.plan()
    assert outcome.plan is None
    assert outcome.facts["entries"][0]["waits"] == "not UTF-8: byte 0xff on line 1"


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.tuples(st.integers(31, 60), st.integers(0, 150)), min_size=1, max_size=6),
    st.integers(200, 1250),
    st.booleans(),
)
def test_a2_every_weighing_is_the_one_an_oracle_makes_by_hand(
    files: list[tuple[int, int]], size: int, final_newline: bool
) -> None:
    """Entries of generated ages and lengths on shards around every limit, sizes by hand from the format of an entry."""
    made = {}
    for number, (age, padding) in enumerate(files):
        made[f"memory/episodic/{number}.md"] = episodic(age, [f"Always keep rule {number} in mind {'x' * padding}"])
    shop = Workspace(made, tokens=Characters())
    shop.files[SHARD] = entry("Old").ljust(size - final_newline, "x").encode() + b"\n" * final_newline
    plan = shop.plan().plan
    got = [(c.sources[0].path, c.risk_tier.value) for c in appends(plan)] if plan else []

    expected, total, first = [], size, not final_newline
    for age, number in sorted((-age, number) for number, (age, _) in enumerate(files)):
        insight = f"Always keep rule {number} in mind {'x' * files[number][1]}".strip()
        body = f"Durable Insight: {insight}\n"
        comment = f"<!--{days_ago(-age)[2:].replace('-', '')}:12-->\n"
        after = total + 1 + first + len(f"Title: {entry_title([insight])}\n") + len(body) + len(comment)
        if size > 1200 or after > 1200:
            continue
        expected.append((f"memory/episodic/{number}.md", "C" if after > 1020 else "B"))
        total, first = after, False
    assert got == expected
