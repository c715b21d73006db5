"""What every run reports, as text and as JSON (compactor §Reporting Requirements, §Output Format, decision A18)."""

import json

from engine.compactor.options import CompactorHistory
from engine.plans.policy.values import Limits, Policy, SemanticLimits
from tests.engine.compactor.workspace import EXACT, NOW, Workspace, days_ago, entry, episodic

INSIGHT = "Always drain the queue before a schema migration"
FILES = {
    "memory/working/a.md": f"---\ndate: {days_ago(12)}\n---\nIt shipped.\n",
    "memory/working/b.md": f"---\ndate: {days_ago(2)}\n---\nIt runs.\n",
    "memory/episodic/old.md": episodic(40, [INSIGHT]),
    "memory/episodic/new.md": episodic(20),
    "memory/semantic/openclaw.md": entry("Old"),
}


def test_a18_the_text_block_is_the_one_of_the_specification() -> None:
    lines = Workspace(FILES).planned().report.splitlines()
    assert lines[0].startswith("🗑️ Memory Compaction (dry run")
    assert lines[1:4] == [
        "📦 Working→Episodic: 1 files compacted",
        "📚 Episodic→Semantic: 1 insights extracted",
        "📁 Archived: 2 files moved",
    ]
    block = lines[lines.index("📊 Semantic Status:") + 1 :][:5]
    assert block[0].startswith("   • Current size: ~15 tokens → ~")
    assert block[1:] == [
        "   • Soft limit (900): OK",
        "   • Hard limit (1200): OK",
        "   • Duplicate check: PASS",
        "   • Cooldown: OK",
    ]


def test_a18_warnings_stand_in_the_block() -> None:
    limits = Policy(limits=Limits(semantic=SemanticLimits(soft=20, risk=30, hard=60)))
    history = CompactorHistory(applied=True, last_semantic_at=NOW)
    report = Workspace(FILES).planned(policy=limits, history=history).report
    for line in ("Soft limit (20): WARNING", "Hard limit (60): OK", "Cooldown: WARNING"):
        assert f"   • {line}" in report


def test_every_reporting_requirement_is_in_the_text() -> None:
    report = Workspace(FILES).planned().report
    for line in (
        "Working: 2 files | 20 tokens | oldest 12 days | 1 eligible",
        "Episodic: 2 files | ",
        "oldest 40 days | 1 eligible",
        "Semantic: 15 tokens in the largest shard (words*1.3)",
        "Thresholds evaluated:",
        "   working_age: 12 > 10, fired",
        "   episodic_age: 40 ≤ 45, not met",
        "Trigger: working_age",
        "Risk tier: B by the thresholds, before extraction; the plan is B",
        "Cooldown: free, no semantic compaction yet",
    ):
        assert line in report


def test_every_reporting_requirement_is_in_the_json() -> None:
    facts = json.loads(json.dumps(Workspace(FILES).planned().facts))
    assert facts["working"] == {"files": 2, "tokens": 20, "oldest_days": 12, "eligible": 1}
    assert facts["episodic"]["files"] == 2
    assert facts["semantic"]["tokens"] == 15
    assert facts["semantic"]["shards"][0]["path"] == "memory/semantic/openclaw.md"
    assert {"id": "working_age", "value": 12, "threshold": 10, "fired": True, "detail": ""} in facts["thresholds"]
    assert (facts["trigger"], facts["risk_tier"], facts["risk_tier_before_extraction"]) == ("working_age", "B", "B")
    assert facts["cooldown"]["active"] is False
    assert (facts["files_compacted"], facts["insights_extracted"], facts["files_archived"]) == (1, 1, 2)
    assert facts["reason_no_action"] is None


def test_without_action_the_reason_stands_in_both() -> None:
    outcome = Workspace({"memory/working/b.md": FILES["memory/working/b.md"]}).plan()
    assert f"No action taken: {outcome.reason_no_action}" in outcome.report
    assert "🗑️ Memory Compaction (no action)" in outcome.report
    assert "Memory" in outcome.report
    assert outcome.facts["reason_no_action"] == outcome.reason_no_action


def test_the_plan_carries_its_report_and_its_facts() -> None:
    outcome = Workspace(FILES).plan()
    assert outcome.plan is not None
    assert (outcome.plan.report, outcome.plan.facts) == (outcome.report, outcome.facts)


def test_g7_the_counter_is_named_beside_the_figures_and_decides_them() -> None:
    words, exact = Workspace(FILES).planned(), Workspace(FILES, tokens=EXACT).planned()
    assert (words.tokenizer, exact.tokenizer) == ("words*1.3", "o200k_base")
    assert "(o200k_base)" in exact.report
    assert words.facts["semantic"]["tokens"] != exact.facts["semantic"]["tokens"]


def test_g13_hostile_names_and_titles_are_shown_as_visible_tokens() -> None:
    files = {
        "memory/working/\u202egnp.md": f"---\ndate: {days_ago(12)}\n---\nIt shipped.\n",
        "memory/semantic/\x1b[31m.md": entry("Large", 900),
    }
    outcome = Workspace(files, skipped=[("memory/working/\u200bx", "odd\x07")]).plan()
    assert not set(outcome.report) & set("\u202e\x1b\u200b\x07")
    assert "␛[31m" in outcome.report


def test_g6_times_on_disk_and_in_the_report_have_an_offset() -> None:
    history = CompactorHistory(applied=True, last_semantic_at=NOW)
    plan = Workspace(FILES).planned(history=history)
    assert "active until 2026-03-16T03:00:00+00:00" in plan.report
    assert NOW.isoformat() in next(c.content for c in plan.changes if c.path.endswith(".json"))  # type: ignore[union-attr]
