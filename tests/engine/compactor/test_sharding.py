"""A shard without room is cut by topic in a Tier C plan of its own, every entry word for word (A3, A22, A24)."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from engine.compactor.options import CompactorHistory, CompactRequest
from engine.compactor.semantic.entry import read_entries
from engine.compactor.semantic.pieces import cut
from engine.compactor.semantic.shard_topics import LONGEST_NAME, PartSize, divide
from engine.compactor.sharding.plan import is_word_for_word
from engine.plans.plan import Create, Plan, PlanState, Replace, RiskTier
from engine.plans.policy.values import Limits, Policy, SemanticLimits
from engine.plans.prediction import predict
from engine.plans.queue import Queue
from engine.text.canonical_json import sha256_hex
from engine.workspace.values import LineSpan
from tests.engine.compactor.workspace import NOW, WORDS, Workspace, entry, episodic

SHARD = "memory/semantic/openclaw.md"
BLOCKED = "".join(entry(f"Entry number {n}", 300) for n in range(4))


def sharding(workspace: Workspace, **given: object) -> Plan:
    (plan,) = workspace.plan(**given).also  # type: ignore[arg-type]
    return plan


def contents(plan: Plan) -> dict[str, str]:
    return {change.path: change.content for change in plan.changes if isinstance(change, Create | Replace)}


def titles(text: str) -> list[str]:
    return [entry.title for entry in read_entries(text)[0]]


TITLES = (
    "Drain the queue before a schema migration",
    "Rotate the signing keys every ninety days",
    "Restore a backup once a month to test it",
    "Telegram rejects messages above 4096 characters",
    "Split long Telegram messages at paragraph ends",
    "Backups of the ledger take twelve hours to restore",
    "The schema migration of orders needs a lock timeout",
    "Anna prefers short summaries in German",
    "Migrations run on the replica first",
    "Telegram bots lose updates when two pollers run",
    "Store backups in two regions",
    "Budget alerts fire at eighty percent",
)
FULL = "".join(entry(title, 60) for title in TITLES)
"""Nearly the hard limit: the next entry has no room."""
AT_RISK = "".join(entry(title, 55) for title in TITLES)
WAITING = episodic(40, insights=["Always verify a backup against its checksum before the old one is removed"])


def full(**more: str) -> Workspace:
    return Workspace({SHARD: FULL, "memory/episodic/old.md": WAITING, **more})


def test_a24_an_entry_without_room_queues_a_sharding_plan_of_its_own() -> None:
    """Shards of 1,130 to 1,200 tokens were the end: each entry waited, and no plan made room."""
    assert 1150 < WORDS.count(FULL) <= 1200
    single = Workspace({SHARD: FULL.replace("Title:", "Subject:"), "memory/episodic/old.md": WAITING})
    assert single.plan().plan is None, "a shard that cannot be cut: the entry waits"
    outcome = full().plan(options=CompactRequest(routes={1: SHARD}))
    assert outcome.plan is None and "no room" in (outcome.reason_no_action or "")
    (plan,) = outcome.also
    assert (plan.system, plan.trigger, plan.risk_tier) == ("shard", "no_room", RiskTier.C)
    assert "1 entry waits for room: a plan of its own moves entries by topic into" in outcome.report


def test_a31_an_entry_without_room_goes_straight_into_a_new_shard_of_its_topic() -> None:
    """It was appended under a typed APPROVED, and moved out again under the next."""
    shop = full()
    outcome = shop.plan()
    assert outcome.plan is not None and outcome.plan.risk_tier is RiskTier.B
    made = outcome.plan.changes[0]
    assert isinstance(made, Create)
    assert (made.path, made.risk_tier) == ("memory/semantic/backup.md", RiskTier.B)
    assert "a new shard: no other has room" in made.reason and "Always verify a backup" in made.content
    assert "memory/episodic/old.md" in outcome.plan.targets()
    (sharding_plan,) = outcome.also
    assert (sharding_plan.trigger, sharding_plan.after) == ("semantic_risk", UNSET), "it writes nothing that both write"
    assert made.path not in sharding_plan.targets()


def test_a30_a_sharding_that_a_compaction_brings_stands_on_its_outcome(tmp_path: Path) -> None:
    """Both wrote the shard from the same bytes, so that applying either made the other stale."""
    shop = Workspace({SHARD: "".join(entry(title, 49) for title in TITLES), "memory/episodic/old.md": WAITING})
    outcome = shop.plan(options=CompactRequest(routes={1: SHARD}))
    assert outcome.plan is not None and outcome.plan.risk_tier is RiskTier.C
    (second,) = outcome.also
    assert second.after is not UNSET and second.targets() >= {SHARD} and second.warnings[0].endswith("apply that first")
    queue = Queue(tmp_path)
    first = queue.put(outcome.plan, NOW)
    second = queue.put(msgspec.structs.replace(second, after=first.digest), NOW)
    hashes = {path: sha256_hex(data) for path, data in shop.files.items()}

    def states(**more: str) -> list[str]:
        queue.mark_stale((hashes | more).get, first.policy_sha256, NOW)
        return [one.state.value for one in queue.entries()]

    assert states() == ["pending", "pending"], "the second waits"
    content = predict(first, tuple(change.n for change in first.changes), shop.read).contents
    assert next(one.sha256 for one in second.inputs if one.path == SHARD) in content
    queue.set_state(first.id, PlanState.REJECTED, "no", NOW)
    assert states() == ["rejected", "stale"]
    assert queue.entry(second.id).state_reason == f"it stands on {first.id}, which is rejected"


def test_a24_shards_are_named_by_topic_and_the_old_one_keeps_the_general_part() -> None:
    plan = sharding(Workspace({SHARD: FULL}))
    *_, last = plan.changes
    assert isinstance(last, Replace) and last.path == SHARD
    assert {path: titles(text) for path, text in contents(plan).items()} == {
        "memory/semantic/backups.md": [TITLES[2], TITLES[5], TITLES[10]],
        "memory/semantic/migration.md": [TITLES[0], TITLES[6], TITLES[8]],
        "memory/semantic/telegram.md": [TITLES[3], TITLES[4], TITLES[9]],
        SHARD: [TITLES[1], TITLES[7], TITLES[11]],
    }


def test_a24_once_it_is_applied_what_waited_is_appended_where_it_belongs() -> None:
    workspace = Workspace({SHARD: FULL})
    for path, text in contents(sharding(workspace)).items():
        workspace.files[path] = text.encode()
    workspace.files["memory/episodic/old.md"] = WAITING.encode()
    plan = workspace.planned()
    (row,) = plan.facts["entries"]
    assert (row["shard"], row["why"], row["risk_tier"]) == ("memory/semantic/backups.md", "it names “backup”", "B")
    assert "memory/semantic/backups.md (it names “backup”)" in plan.changes[0].reason
    assert "memory/episodic/old.md" in plan.targets()


def test_a24_one_part_is_never_applied_without_the_other() -> None:
    plan = sharding(full())
    for change in plan.changes:
        assert plan.missing_requirements((change.n,))
    assert not plan.missing_requirements(tuple(change.n for change in plan.changes))


def test_a24_names_that_are_taken_are_not_given_again() -> None:
    """Neither those of shards there are, nor one that the compaction beside it creates."""
    names = ("memory/semantic/Backup.md", "memory/semantic/telegram.md")
    insights = ["Always verify a backup first", "Never rotate keys while the nightly invoice run works"]
    shop = full(**{names[0]: entry("Other"), "memory/episodic/old.md": episodic(40, insights=insights)})
    routes: dict[int | str, str] = {"*keys*": names[1], "*backup*": SHARD}
    outcome = shop.plan(options=CompactRequest(routes=routes))
    assert outcome.plan is not None and names[1] in outcome.plan.targets()
    made = {change.path for change in outcome.also[0].changes if isinstance(change, Create)}
    assert made and not {path.casefold() for path in made} & {name.casefold() for name in names}


def test_a24_headings_that_a_person_wrote_name_the_shards() -> None:
    rules = "".join(
        f"## {heading}\n\n" + "".join(entry(f"{heading[0]}{n}", 80) for n in range(4)) for heading in HEADINGS
    )
    shop = Workspace({SHARD: "# Knowledge\n\n" + rules, "memory/episodic/old.md": WAITING})
    plan = sharding(shop)
    assert {path.rpartition("/")[2] for path in contents(plan)} <= {
        "openclaw.md",
        "nightly-jobs.md",
        "people.md",
        "house-style.md",
    }
    for path, text in contents(plan).items():
        assert path == SHARD or text.startswith("## ")
    assert contents(plan)[SHARD].startswith("# Knowledge\n")


HEADINGS = ("Nightly jobs", "People", "House style")


def test_a24_where_titles_share_nothing_words_of_the_text_name_the_shard() -> None:
    """Titles such as “Prices are data” and “Quiet hours” share no word; two of any were the name before."""
    titles = ("Prices are data", "Quiet hours", "Totals add up", "Two states", "Alerts first", "Runbooks")
    about = ("the customer", "the depot")
    text = "".join(
        f"Title: {title}\nContext: x.\nDurable Insight: It is for {about[n % 2]} to decide {'so ' * 140}.\n"
        for n, title in enumerate(titles)
    )
    plan = sharding(Workspace({SHARD: text, "memory/episodic/old.md": WAITING}))
    names = {path.rpartition("/")[2] for path in contents(plan)} - {"openclaw.md"}
    assert names and names <= {"customer.md", "depot.md"}


def test_a22_a_blocked_shard_gets_a_plan_of_its_own() -> None:
    workspace = Workspace({SHARD: BLOCKED, "memory/working/2026-03-01.md": "It shipped.\n"})
    outcome = workspace.plan()
    plan = sharding(workspace)
    assert outcome.plan is not None
    assert outcome.plan.risk_tier is RiskTier.B
    assert (plan.system, plan.trigger, plan.risk_tier) == ("shard", "semantic_hard", RiskTier.C)
    assert {change.risk_tier for change in plan.changes} == {RiskTier.C}
    assert SHARD not in outcome.plan.targets()
    assert "blocked: a plan of its own moves entries" in outcome.report


def test_a22_it_comes_also_where_there_is_nothing_else_to_do() -> None:
    outcome = Workspace({SHARD: BLOCKED}).plan()
    assert outcome.plan is None
    assert [plan.system for plan in outcome.also] == ["shard"]


@pytest.mark.parametrize("text", [BLOCKED, FULL, FULL.rstrip("\n")], ids=["blocked", "full", "no end"])
@pytest.mark.parametrize("frame", ["{}", "\ufeff---\nby: hand\n---\n# Shard\r\n\r\n{}\r\n<!-- from x.md:1-2 -->"])
def test_a24_every_entry_is_kept_word_for_word(text: str, frame: str) -> None:
    text = frame.format(text.replace("\n", "\r\n") if "\r" in frame else text)
    workspace = full(**{SHARD: text})
    plan = sharding(workspace)
    assert [gate.id for gate in plan.gates if gate.passed] == ["word_for_word"]
    prediction = predict(plan, tuple(change.n for change in plan.changes), workspace.read)
    after = [data.decode() for data in prediction.contents.values()]
    assert sorted(line for part in after for line in part.splitlines(keepends=True)) == sorted(
        text.splitlines(keepends=True)
    )
    assert sorted(piece.text for part in after for piece in cut(part).pieces) == sorted(
        piece.text for piece in cut(text).pieces
    )


def test_a24_the_gate_sees_a_line_that_is_lost_changed_or_doubled() -> None:
    text = "a\nb\nc\n"
    good = [((LineSpan("x", 1, 1), LineSpan("x", 3, 3)), "a\nc\n"), ((LineSpan("x", 2, 2),), "b\n")]
    assert is_word_for_word(text, good)
    assert not is_word_for_word(text, good[:1])
    assert not is_word_for_word(text, [*good, good[1]])
    assert not is_word_for_word(text, [good[0], ((LineSpan("x", 2, 2),), "B\n")])
    assert not is_word_for_word(text, [good[0], ((LineSpan("x", 2, 4),), "b\n")])


TEXTS = st.lists(
    st.sampled_from(
        ["Title: a\n", "title: queue b\r\n", "Context: c\n", "\n", "## head\n", "# top\n", "word " * 30 + "\n",
         "no end", "\u2028", "```\n", "**Title:** queue\n", "## queue\n"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(TEXTS)
def test_a24_pieces_are_the_text_again_and_no_entry_is_cut(text: str) -> None:
    whole = cut(text)
    assert whole.preamble + "".join(piece.text for piece in whole.pieces) == text
    lines = text.count("\n", 0, len(whole.preamble)) + 1
    for piece in whole.pieces:
        assert piece.start == lines and piece.text.count("\n") in (piece.end - lines, piece.end - lines + 1)
        assert piece.text.lstrip(" *").casefold().startswith(("title:", "#"))
        lines = piece.end + 1


@given(TEXTS, st.integers(1, 60), st.integers(0, 60))
def test_a24_each_piece_is_in_one_part_and_the_parts_have_room(text: str, most: int, keep: int) -> None:
    pieces = cut(text).pieces
    sizes = [WORDS.count(piece.text) for piece in pieces]
    division = divide(pieces, sizes, PartSize(most=most, keep=min(keep, most)), frozenset())
    parts = [division.general, *(topic.members for topic in division.topics)]
    assert sorted(index for part in parts for index in part) == list(range(len(pieces)))
    assert all(list(part) == sorted(part) for part in parts) and (division.general or not pieces)
    assert all(sum(sizes[index] for index in part) <= most or len(part) == 1 for part in parts)
    for topic in division.topics:
        assert topic.name and not {"/", ".", "\n"} & set(topic.name) and len(topic.name) <= LONGEST_NAME


def test_a24_the_new_shards_leave_room_and_the_plan_says_how_large_they_are() -> None:
    plan = sharding(Workspace({SHARD: BLOCKED}))
    (shard,) = plan.facts["shards"]
    sizes = {SHARD: shard["tokens_after"]} | {new["path"]: new["tokens"] for new in shard["new_shards"]}
    assert sizes == {path: WORDS.count(text) for path, text in contents(plan).items()}
    assert all(size <= 600 for size in sizes.values())


def test_a24_an_entry_larger_than_a_shard_is_said_to_be_so() -> None:
    limits = Policy(limits=Limits(semantic=SemanticLimits(soft=20, risk=22, hard=24)))
    outcome = Workspace({"memory/episodic/old.md": WAITING}).plan(policy=limits)
    assert outcome.also == () and "larger than a shard may be: shorten it" in outcome.report


@pytest.mark.parametrize("text", ["word " * 2000, entry("Only one", 1500)])
def test_an_entry_too_large_by_itself_is_never_cut(text: str) -> None:
    outcome = Workspace({SHARD: text}).plan()
    assert outcome.also == ()
    assert "it cannot be sharded: it has only one entry" in outcome.report


def test_a_shard_without_titles_is_cut_at_its_headings() -> None:
    text = "# Knowledge\n" + "".join(f"## Part {n}\n{'word ' * 300}\n" for n in range(4))
    parts = contents(sharding(Workspace({SHARD: text})))
    assert len(parts) > 1 and sorted("".join(parts.values()).split("\n")) == sorted(text.split("\n"))


@pytest.mark.parametrize(("words", "suggested"), [(700, False), (850, True)])
def test_at_risk_sharding_is_suggested_where_nothing_can_be_cut(words: int, suggested: bool) -> None:
    """compactor §Semantic Risk Trigger: suggest semantic sharding in report."""
    outcome = Workspace({SHARD: entry("Large", words), "memory/working/2026-03-01.md": "x\n"}).plan()
    assert outcome.also == ()
    assert ("consider sharding" in outcome.report) is suggested
    assert ("above the risk line; it cannot be sharded: it has only one entry" in outcome.report) is suggested


@pytest.mark.parametrize("why", ["waits", "blocked"])
def test_a24_a_shard_at_risk_is_cut_along_with_one_that_has_no_room(why: str) -> None:
    """With nothing waiting for it, a shard stood at risk for as long as twenty weeks."""
    risky, fine = "memory/semantic/telegram.md", "memory/semantic/vault.md"
    shop = full(
        **{risky: AT_RISK, fine: entry("The seal of the vault", 500)} | ({SHARD: BLOCKED} if why != "waits" else {})
    )
    plan = sharding(shop)
    assert {change.path for change in plan.changes if isinstance(change, Replace)} == {SHARD, risky}
    assert "above the risk line: a plan of its own moves entries" in plan.report
    parts = contents(plan)
    assert all(WORDS.count(text) <= 900 for text in parts.values()) and fine not in parts
    group = {change.n for change in plan.changes if change.path == SHARD or SHARD in {s.path for s in change.sources}}
    assert not plan.missing_requirements(tuple(group)), "it can be approved without the shard at risk"


def test_a24_a_shard_at_risk_that_cannot_be_cut_leaves_the_plan_as_it_is() -> None:
    risky = "memory/semantic/other.md"
    outcome = full(**{risky: entry("Only one", 800)}).plan()
    (plan,) = outcome.also
    assert risky not in plan.targets()
    assert "above the risk line; it cannot be sharded: it has only one entry" in outcome.report


def test_a24_a_shard_at_risk_is_cut_with_nothing_waiting() -> None:
    """It stood at risk for twenty weeks, until an entry had no room."""
    plan = sharding(Workspace({SHARD: AT_RISK}))
    assert plan.trigger == "semantic_risk" and plan.risk_tier is RiskTier.C
    assert all(WORDS.count(text) <= 900 for text in contents(plan).values())
    scheduled = Workspace({SHARD: AT_RISK}).plan(options=CompactRequest(scheduled=True))
    assert scheduled.plan is None and [plan.system for plan in scheduled.also] == ["shard"]


def test_a24_a_shard_that_an_entry_takes_above_the_risk_line_is_cut() -> None:
    text = "".join(entry(title, 49) for title in TITLES)
    assert 1000 < WORDS.count(text) <= 1020
    outcome = Workspace({SHARD: text, "memory/episodic/old.md": WAITING}).plan(
        options=CompactRequest(routes={1: SHARD})
    )
    assert outcome.plan is not None and outcome.plan.risk_tier is RiskTier.C
    (plan,) = outcome.also
    assert plan.trigger == "semantic_risk" and plan.targets() >= {SHARD}
    assert "above the risk line: a plan of its own" in plan.report


def test_sharding_asks_what_any_semantic_step_asks() -> None:
    history = CompactorHistory(applied=False, last_semantic_at=NOW)
    plan = sharding(Workspace({SHARD: BLOCKED}), history=history)
    assert [confirmation.id for confirmation in plan.confirmations] == ["first_run", "cooldown"]


def test_a24_two_shards_without_room_are_one_plan_and_share_no_name() -> None:
    """Each Tier C plan is one approval: two shards that are full in one week are one."""
    other = "memory/semantic/whatsapp-bot.md"
    outcome = Workspace({SHARD: BLOCKED, other: BLOCKED, "memory/episodic/openclaw.md": episodic(40)}).plan()
    (plan,) = outcome.also
    assert {change.path for change in plan.changes if isinstance(change, Replace)} == {SHARD, other}
    assert len(plan.targets()) == len(plan.changes) and all(gate.passed for gate in plan.gates)
    assert outcome.plan is not None and not plan.targets() & outcome.plan.targets()


def test_a_scheduled_run_offers_it_too() -> None:
    outcome = Workspace({SHARD: BLOCKED}).plan(options=CompactRequest(scheduled=True))
    assert [plan.system for plan in outcome.also] == ["shard"]


def test_the_limits_of_the_policy_decide() -> None:
    limits = Policy(limits=Limits(semantic=SemanticLimits(soft=9000, risk=10_000, hard=12_000)))
    assert Workspace({SHARD: BLOCKED}).plan(policy=limits).also == ()
