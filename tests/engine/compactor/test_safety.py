"""Every safety constraint and every bullet of drift prevention, each with a test that tries to break it."""

import ast
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine.compactor
from engine.compactor.options import CompactorHistory, CompactRequest
from engine.plans.operation import Rename, Write
from engine.plans.plan import Append, Create, Move, Plan, Replace, RiskTier
from engine.plans.policy.values import EpisodicLimits, Limits, Policy, WorkingLimits
from engine.plans.prediction import predict
from engine.text.canonical_json import sha256_hex
from engine.workspace.layout import META_PATH
from tests.engine.compactor.workspace import NOW, TODAY, Workspace, days_ago, entry, episodic
from tests.turn import examples

INSIGHT = "Always drain the queue before a schema migration"
SHARD = "memory/semantic/openclaw.md"
EAGER = Policy(
    limits=Limits(
        working=WorkingLimits(files=0, tokens=0, age_days=0, eligible_days=-9),
        episodic=EpisodicLimits(files=0, tokens=0, age_days=0, eligible_days=-9),
        cooldown_hours=24,
    )
)
"""A policy that asks for more than the specification allows."""


def note(age: int, text: str = "It shipped.\n") -> str:
    return f"---\ndate: {days_ago(age)}\n---\n{text}"


def applied(workspace: Workspace, plan: Plan) -> dict[str, bytes]:
    """The files after applying the whole plan."""
    prediction = predict(plan, tuple(change.n for change in plan.changes), workspace.read)
    files = dict(workspace.files)
    for effect in prediction.effects:
        match effect:
            case Write():
                files[effect.path] = prediction.contents[effect.after]
            case Rename():
                assert effect.to not in files
                files[effect.to] = files.pop(effect.path)
            case _:
                raise AssertionError(effect)
    return files


NAMES = st.sampled_from(["a", "b", "A", "c d", "ü", "x-archived-2026-03-15", "2026-01-05"])
BODIES = st.sampled_from(
    [
        "",
        "It shipped.\n",
        "Decided to wait because of rain.\nLesson: always drain the queue before a migration.\n",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n",
        "key AKIAQ3EXAMPLE7ZK4M2X here\n",
        "no final newline",
        "Title: x\nContext: y\nDurable Insight: z\n",
    ]
)
FILES = st.dictionaries(
    st.tuples(st.sampled_from(["working", "episodic", "semantic", "archive"]), NAMES),
    st.tuples(st.integers(-3, 60), BODIES, st.booleans()),
    max_size=9,
)


def build(made: dict[tuple[str, str], tuple[int, str, bool]]) -> Workspace:
    files: dict[str, str] = {}
    for (folder, name), (age, body, compiled) in made.items():
        text = episodic(age, [f"Always keep {name} in mind for {age} days"]) if compiled else note(age, body)
        files[f"memory/{folder}/{name}.md"] = text
    return Workspace(files)


@settings(max_examples=examples(150), deadline=None)
@given(FILES, st.booleans())
def test_whatever_the_workspace_the_constraints_hold(
    made: dict[tuple[str, str], tuple[int, str, bool]], eager: bool
) -> None:
    """All constraints at once, on generated workspaces, under the default policy and one that asks for too much."""
    workspace = build(made)
    outcome = workspace.plan(policy=EAGER if eager else Policy())
    for plan in (outcome.plan, *outcome.also):
        if plan is None:
            continue
        assert all(gate.passed for gate in plan.gates), plan.gates
        files = applied(workspace, plan)
        _nothing_is_lost(workspace.files, files)
        _young_files_stay(workspace, files)
        if plan.system == "compact":
            _semantic_only_grows(workspace.files, files)
        _only_our_folders_change(workspace.files, files)


def _nothing_is_lost(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    kept = {sha256_hex(data) for data in after.values()}
    for path, data in before.items():
        grown = path.startswith("memory/semantic/") and after.get(path, b"").startswith(data)
        assert sha256_hex(data) in kept or grown, path
        if path not in after:
            assert any(p.startswith("memory/archive/") and other == data for p, other in after.items())


def _young_files_stay(workspace: Workspace, after: dict[str, bytes]) -> None:
    for path, facts in workspace.snapshot().files.items():
        tier = path.split("/")[1]
        if tier in ("working", "episodic") and facts.date.age_days(TODAY) < 7:
            assert after[path] == workspace.files[path]
        if tier == "archive":
            assert after[path] == workspace.files[path]


def _semantic_only_grows(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    for path, data in before.items():
        if path.startswith("memory/semantic/"):
            assert after[path].startswith(data)


def _only_our_folders_change(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    for path in after.keys() - before.keys():
        assert path.startswith(("memory/episodic/", "memory/archive/", "memory/semantic/")) or path == META_PATH


# ── the eleven safety constraints, in the order of the specification ─────────────────────────────────────────────────


def test_never_delete_files_without_moving_them_to_the_archive() -> None:
    workspace = Workspace({"memory/working/a.md": note(9), "memory/episodic/b.md": episodic(40)})
    plan = workspace.planned()
    gone = workspace.files.keys() - applied(workspace, plan).keys()
    moves = {change.path: change.to for change in plan.changes if isinstance(change, Move)}
    assert gone == moves.keys() == {"memory/working/a.md", "memory/episodic/b.md"}
    assert all(to.startswith("memory/archive/") for to in moves.values())


@pytest.mark.parametrize("age", [-400, -1, 0, 1, 6])
def test_never_compact_files_less_than_seven_days_old_whatever_the_policy_says(age: int) -> None:
    files = {"memory/working/a.md": note(age), "memory/episodic/b.md": episodic(age, [INSIGHT])}
    assert Workspace(files).plan(policy=EAGER).plan is None
    assert Workspace({"memory/working/a.md": note(7)}).plan(policy=EAGER).plan is not None


def test_never_alter_semantic_memory() -> None:
    """Shards with odd bytes, no final newline, and text that is no entry keep every byte."""
    odd = "\ufeffTitle: a\r\nrubbish \x1b[0m\r\n\r\nTitle: a\r\nlast line".encode()
    workspace = Workspace({SHARD: odd, "memory/episodic/b.md": episodic(40, [INSIGHT])})
    plan = workspace.planned()
    assert applied(workspace, plan)[SHARD].startswith(odd)
    assert not any(isinstance(change, Replace | Move) and change.path == SHARD for change in plan.changes)


def test_never_compact_files_already_in_episodic_to_working() -> None:
    workspace = Workspace({f"memory/episodic/{age}.md": episodic(age, [f"{INSIGHT} {age}"]) for age in (8, 31, 90)})
    plan = workspace.planned()
    assert not any(path.startswith("memory/working/") for path in plan.targets())


def test_never_write_governance_debug_or_logs_to_semantic() -> None:
    bad = [
        "Tier C needs APPROVED before it is executed",
        "TODO: look at this again",
        "2026-01-01 10:00:00 ERROR it broke",
    ]
    plan = Workspace({"memory/episodic/b.md": episodic(40, bad, bad, bad)}).planned()
    assert [change.path for change in plan.changes] == ["memory/episodic/b.md"]
    assert {text.rpartition(": ")[2] for text in plan.facts["refused"]} >= {"tier definition", "debug note"}
    assert "Not taken into semantic memory:" in plan.report


def test_never_bypass_schema_validation() -> None:
    """Nothing that reads as a field of the schema gets out of its own field."""
    tricky = "Title: forged Context: forged Durable Insight: forged words here"
    workspace = Workspace({"memory/episodic/b.md": episodic(40, [tricky, "Context: only this and nothing else"])})
    plan = workspace.planned()
    assert next(gate for gate in plan.gates if gate.id == "schema").passed
    data = applied(workspace, plan).get(SHARD, b"").decode()
    assert data.count("\nDurable Insight: ") == data.count("Title: ") - data.count(": Title: ")


def test_never_ignore_the_cooldown() -> None:
    recent = CompactorHistory(applied=True, last_semantic_at=NOW - timedelta(hours=23, minutes=59))
    workspace = Workspace({"memory/episodic/b.md": episodic(50, [INSIGHT])})
    for options in (
        CompactRequest(),
        CompactRequest(scheduled=True),
        CompactRequest(routes={1: "memory/semantic/z.md"}),
    ):
        plan = workspace.planned(history=recent, options=options)
        assert "cooldown" in [confirmation.id for confirmation in plan.confirmations]
    forged = Workspace({**workspace.files, META_PATH: '{"lastCompactionAt": "2001-01-01T00:00:00Z"}'})
    assert "cooldown" in [c.id for c in forged.planned(history=recent).confirmations]


def test_always_preserve_full_history_in_the_archive() -> None:
    body = "It shipped.\n" * 5_000 + "\x0b odd \u2028 text, no final newline"
    workspace = Workspace({"memory/working/a.md": note(9, body)})
    files = applied(workspace, workspace.planned())
    assert files["memory/archive/a-archived-2026-03-15.md"] == workspace.files["memory/working/a.md"]


def test_always_enforce_the_entry_schema() -> None:
    plan = Workspace({"memory/episodic/b.md": episodic(40, [INSIGHT])}).planned()
    lines = plan.changes[0].content.splitlines()  # type: ignore[union-attr]
    assert [line.partition(":")[0] for line in lines[:3]] == ["Title", "Durable Insight", "<!--260203"]


def test_always_check_duplicates_before_an_append() -> None:
    workspace = Workspace({SHARD: entry(INSIGHT.upper()), "memory/episodic/b.md": episodic(40, [INSIGHT])})
    plan = workspace.planned()
    assert [confirmation.id for confirmation in plan.confirmations] == ["duplicate:1"]
    assert {item.path for item in plan.inputs} >= {SHARD}, "a title added meanwhile makes the plan stale"


def test_always_check_size_limits_before_an_append() -> None:
    workspace = Workspace({SHARD: entry("Large", 910), "memory/episodic/b.md": episodic(40, [INSIGHT])})
    outcome = workspace.plan()
    assert outcome.plan is None
    assert "no room in memory/semantic/openclaw.md" in outcome.report


# ── drift prevention ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("words", [0, 700, 850, 1500])
def test_no_automatic_semantic_trimming(words: int) -> None:
    """However full a shard is, no line of it is lost or changed: sharding moves whole entries (A24)."""
    workspace = Workspace({SHARD: entry("Large", words) + entry("Other", 100), "memory/working/a.md": note(9)})
    outcome = workspace.plan()
    for plan in filter(None, (outcome.plan, *outcome.also)):
        after = applied(workspace, plan)
        left = Counter(line for path, data in after.items() if "/semantic/" in path for line in data.splitlines())
        assert left == Counter(workspace.files[SHARD].splitlines())


def test_no_destructive_edits() -> None:
    """The one file that a compaction may replace is its own stamp."""
    workspace = Workspace(
        {
            META_PATH: "{}",
            SHARD: entry("x"),
            "memory/working/a.md": note(9),
            "memory/episodic/b.md": episodic(40, [INSIGHT]),
        }
    )
    replaced = [change.path for change in workspace.planned().changes if isinstance(change, Replace)]
    assert replaced == [META_PATH]


def test_no_duplicate_auto_merge() -> None:
    workspace = Workspace({SHARD: entry(INSIGHT), "memory/episodic/b.md": episodic(40, [INSIGHT])})
    data = applied(workspace, workspace.planned())[SHARD]
    assert data.decode().count(f"Title: {INSIGHT}\n") == data.decode().count(f"Durable Insight: {INSIGHT}\n") == 1


def test_no_execution_tier_logic_of_the_workspace() -> None:
    """A workspace's own rules decide nothing: the same plan with and without them (decision A16)."""
    files = {"memory/working/a.md": note(9)}
    rules = {**files, "OPERATING_RULES.md": "Tier A: everything. Approved: all. limits: {semantic: {hard: 99999}}\n"}
    assert Workspace(files).planned().digest == Workspace(rules).planned().digest


def test_no_bypass_of_the_unified_diff() -> None:
    """Every change carries its whole new content or is a pure move: there is nothing that a diff could not show."""
    workspace = Workspace({"memory/working/a.md": note(9), "memory/episodic/b.md": episodic(40, [INSIGHT])})
    plan = workspace.planned()
    assert all(isinstance(change, Create | Append | Replace | Move) for change in plan.changes)
    assert not any(change.risk_tier is RiskTier.A for change in plan.changes), "nothing here runs by itself"


def test_no_change_to_archive_behaviour() -> None:
    files = {"memory/archive/old-archived-2025-01-01.md": note(400), "memory/working/a.md": note(9)}
    plan = Workspace(files).planned()
    assert not any(change.path.startswith("memory/archive/") for change in plan.changes)


def test_the_planner_reads_no_clock_and_writes_nothing() -> None:
    """G6: no module of the compactor names a clock, a random number, or anything that opens a file."""
    banned = {"utcnow", "now", "today", "monotonic", "perf_counter", "time_ns", "uuid4"}
    banned |= {"open", "write_text", "write_bytes", "unlink"}
    for module in sorted(Path(engine.compactor.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                assert name not in banned, f"{module.name}:{node.lineno} calls {name}"


def test_g1_the_word_tier_never_stands_alone() -> None:
    for module in sorted(Path(engine.compactor.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else ""
            assert name not in ("tier", "tiers", "layer"), f"{module.name}:{getattr(node, 'lineno', 0)}"


def test_g6_the_same_arguments_give_the_same_plan() -> None:
    files = {"memory/working/a.md": note(9), "memory/episodic/b.md": episodic(40, [INSIGHT])}
    plans = {Workspace(dict(reversed(files.items()))).planned().digest, Workspace(files).planned().digest}
    assert len(plans) == 1
    assert Workspace(files).planned(now=NOW + timedelta(seconds=1)).digest not in plans


def test_g8_what_only_the_modification_time_dates_is_marked() -> None:
    workspace = Workspace({"memory/working/a.md": "It shipped.\n"}, mtimes={"memory/working/a.md": date(2026, 3, 1)})
    compiled, moved = workspace.planned().changes
    assert any(text.startswith("low confidence") for text in compiled.warnings)
    assert isinstance(moved, Move)


def test_g8_a_future_date_counts_as_age_zero_and_warns() -> None:
    workspace = Workspace({"memory/working/a.md": note(-3), "memory/working/b.md": note(9)})
    plan = workspace.planned()
    assert "memory/working/a.md is dated 2026-03-18, in the future: it counts as 0 days old" in plan.warnings
    assert "memory/working/a.md" not in plan.targets()


def test_g8_tomorrow_in_utc_is_today_in_tokyo() -> None:
    workspace = Workspace({"memory/working/a.md": note(-1), "memory/working/b.md": note(9)})
    evening = NOW + timedelta(hours=18)
    assert workspace.planned(now=evening, zone="Asia/Tokyo").warnings == ()
    assert workspace.planned(now=evening).warnings != ()
