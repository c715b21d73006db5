"""The four data flows of the specification, each as a test that reads like it (autopoiesis §10.1 to §10.4)."""

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.api import Memory, Message, SessionEnd, SessionStart, Topic, TopicActivation
from engine.extraction import judge
from engine.lifecycle.requests import (
    BranchesRequest,
    CondensePart,
    CondenseRequest,
    ExtractRequest,
    PrunePart,
    PruneRequest,
    ReplayRequest,
)
from engine.plans.plan import Create, Move, Plan, Replace, RiskTier
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services.engine import Engine
from engine.topics.messages import Direction
from tests.engine.history.repos import git, make_repo
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.test_replay import better
from tests.engine.models.loopback import KEY, loopback, message

SUNDAY = datetime(2026, 2, 22, 23, 0, tzinfo=UTC)
MEMORY = "knowledge/memory/MEMORY.md"
REVIEW = r"""---
type: topic
description: review of pull requests on GitHub
activation: gated
triggers:
  - type: pattern
    match: '\b(PR|pull request|review)\b'
subscriptions:
  - knowledge/procedures/code-review.md
---
# PR review

Review the pull request: read the tests first, then the code that just came in.
"""
EMAIL = """---
type: topic
description: email triage
activation: auto
triggers:
  - type: keywords
    words: [email, inbox]
---
# Email triage

Sort the inbox by urgency.
"""
FILES = {
    MEMORY: "---\ntype: memory\nline_count: 10\n---\n\n# Core Memory\n\n## Key Decisions\n\n## Lessons Learned\n",
    "knowledge/identity/SOUL.md": "---\ntype: identity\nrole: soul\n---\n\n# Soul\n\nI am Silas.\n",
    "knowledge/procedures/code-review.md": "---\ntype: procedure\n---\n\n# Code review\n\n- Run the linter.\n",
    "topics/github-pr-review.md": REVIEW,
    "topics/email-triage.md": EMAIL,
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "ws", FILES)


def config(tmp_path: Path, policy: str) -> dict[str, str]:
    (tmp_path / "c/memdeck").mkdir(parents=True, exist_ok=True)
    (tmp_path / "c/memdeck/policy.yaml").write_text(policy, "utf-8")
    return {"XDG_STATE_HOME": str(tmp_path / "s"), "XDG_CONFIG_HOME": str(tmp_path / "c"), "ANTHROPIC_API_KEY": KEY}


def subjects(workspace: Path) -> list[str]:
    return git(workspace, "log", "--format=%s").split("\n")


def active(memory: Memory, woken: Sequence[TopicActivation]) -> list[Topic]:
    return [topic for topic in memory.topics if topic.id in {one.topic for one in woken}]


def condensed(console: Engine, part: CondensePart) -> PlanOutcome:
    return console.plans.make("condense", PlanRequest(CondenseRequest(only=(part,))))


def applied(console: Engine, outcome: PlanOutcome) -> Plan:
    approve(console, outcome.plan)
    assert outcome.plan is not None
    return outcome.plan


def test_10_1_a_new_conversation(workspace: Path, tmp_path: Path) -> None:
    env = config(tmp_path, "git: {commit_others: true}\n")
    now = datetime(2026, 2, 16, 18, 45, tzinfo=UTC)
    with Memory(workspace, "silas", env=env, clock=lambda: now) as memory:
        session = SessionStart(session_id="ses_abc", started="2026-02-16T18:45:00Z", topic="inbox")
        begun = asyncio.run(memory.capture.on_session_start(session))
        said = "Please sort my inbox. We decided to answer every email within a day."
        asyncio.run(memory.capture.on_message(session, "user", said, {"time": "2026-02-16T18:45:00Z"}))
        assert begun.path == "raw/conversations/2026/02/16/1845-ses_abc.md"
        assert f"## 18:45 — user\n{said}\n" in (workspace / begun.path).read_text("utf-8")

        woken = memory.watchers("ses_abc").process(said, "input")
        assert [one.topic for one in woken] == ["email-triage"]
        history = [Message(id="1", text=said, direction=Direction.INPUT, time=now, session="ses_abc")]
        prompt = memory.compiler().compile(said, active(memory, woken), history, [])
        order = ("I am Silas.", "# Core Memory", "Sort the inbox by urgency.", said)
        places = [prompt.index(text) for text in order]
        assert places == sorted(places)

        reply = "I sorted the inbox: three are urgent."
        asyncio.run(memory.capture.on_tool_call(session, "mail", "list", "12 found", {"time": "2026-02-16T18:46:00Z"}))
        asyncio.run(memory.capture.on_message(session, "agent", reply, {"time": "2026-02-16T18:46:00Z"}))
        assert [one.topic for one in memory.watchers("ses_abc").process(reply, "output")] == []

        ended = SessionEnd(ended="2026-02-16T19:32:00Z", tokens_in=120, tokens_out=40)
        done = asyncio.run(memory.capture.on_session_end(session, ended))
        assert done.path.startswith("raw/conversations/2026/02/16/1845-ses_abc-")
        assert "ended: 2026-02-16T19:32:00Z\n" in (workspace / done.path).read_text("utf-8")
        assert subjects(workspace)[0].startswith("conversation: ")
        outcome = asyncio.run(memory.extractor.extract_from_session(done.path))
        assert outcome.plan is not None and "answer every email within a day" in str(outcome.plan.changes)

    (workspace / "knowledge/reference").mkdir()
    (workspace / "knowledge/reference/mail.md").write_text("# Mail\n\n- The agent wrote this.\n", "utf-8")
    with Engine.open(workspace, env=env, clock=lambda: now) as console:
        assert console.repository.commit_others().commits
    assert subjects(workspace)[0].startswith("memory: ")


def test_10_2_a_topic_is_activated_tier_by_tier(workspace: Path, tmp_path: Path) -> None:
    asked = "Can you review the PR that just came in?"
    with loopback() as server:
        server.answer = lambda _asked: message(json.dumps({"answer": "YES", "reason": "a review is asked for"}))
        env = config(tmp_path, f"llm: {{provider: claude, models: {{gate: small}}, url: '{server.url}'}}\n")
        with Memory(workspace, "silas", env=env) as memory:
            assert memory.patterns.match(asked) == {"github-pr-review"}
            scored = dict(memory.similarity.score(asked))
            assert scored["github-pr-review"] > 0.15 > scored.get("email-triage", 0.0)
            (woken,) = memory.watchers("ses_pr").process(asked, "input")
            prompt = memory.compiler().compile(asked, active(memory, [woken]), [], [])
        assert len(server.sent) == 1 and "github-pr-review" in server.sent[0]
    assert woken.topic == "github-pr-review"
    assert woken.files == ("topics/github-pr-review.md", "knowledge/procedures/code-review.md")
    assert "read the tests first" in prompt and "Run the linter." in prompt


def test_10_3_memory_is_condensed_each_day_each_sunday_and_the_old_journals_go(workspace: Path, tmp_path: Path) -> None:
    env = config(tmp_path, "zone: UTC\n")
    old = workspace / "knowledge/journal/2025-11-01.md"
    old.parent.mkdir(parents=True)
    old.write_text("---\ntype: journal\ndate: 2025-11-01\n---\n\n## 2025-11-01\n\n- Old.\n", "utf-8")
    decided = "We decided to keep the invoices in SQLite."
    with Memory(workspace, "silas", env=env, clock=lambda: SUNDAY) as memory:
        session = SessionStart(session_id="ses_1", started="2026-02-12T23:30:00Z", topic="storage")
        asyncio.run(memory.capture.on_session_start(session))
        asyncio.run(memory.capture.on_message(session, "user", decided, {"time": "2026-02-12T23:31:00Z"}))
        asyncio.run(memory.capture.on_session_end(session, SessionEnd(ended="2026-02-12T23:40:00Z")))

    monday = datetime(2026, 2, 16, 4, 30, tzinfo=UTC)
    with Engine.open(workspace, env=env, clock=lambda: monday) as console:
        daily = applied(console, condensed(console, CondensePart.DAILY))
        assert [one.path for one in daily.changes] == ["knowledge/journal/2026-02-12.md"]
        weekly = applied(console, condensed(console, CondensePart.WEEKLY))
        assert [(one.path, one.risk_tier) for one in weekly.changes] == [(MEMORY, RiskTier.C)]
        assert f"- 2026-02-12: {decided}" in (workspace / MEMORY).read_text("utf-8")
        assert console.plans.make("prune", PlanRequest(PruneRequest(only=(PrunePart.MEMORY,)))).plan is None
        pruned = applied(console, console.plans.make("prune", PlanRequest(PruneRequest(only=(PrunePart.JOURNALS,)))))
        moves = [(one.path, one.to) for one in pruned.changes if isinstance(one, Move)]
        assert moves == [("knowledge/journal/2025-11-01.md", "archive/journal/2025-11-01.md")]
        assert console.plans.make("condense").plan is None
    types = [subject.partition(":")[0] for subject in subjects(workspace)[:3]]
    assert set(types) <= {"maintenance", "memory", "extract"} and git(workspace, "status", "--porcelain", "raw") == ""


def test_10_4_knowledge_is_reconstructed_compared_and_merged_as_a_plan(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = config(tmp_path, "zone: UTC\n")
    missed = "Heliotrope opens the vault."
    with Memory(workspace, "silas", env=env, clock=lambda: SUNDAY) as memory:
        session = SessionStart(session_id="ses_1", started="2026-02-09T10:00:00Z", topic="vault")
        asyncio.run(memory.capture.on_session_start(session))
        for text in ("We decided to keep everything in SQLite.", missed):
            asyncio.run(memory.capture.on_message(session, "user", text, {"time": "2026-02-09T10:01:00Z"}))
        done = asyncio.run(memory.capture.on_session_end(session, SessionEnd(ended="2026-02-09T10:05:00Z")))
    with Engine.open(workspace, env=env, clock=lambda: SUNDAY) as console:
        applied(console, console.plans.make("extract", PlanRequest(ExtractRequest(transcripts=(done.path,)))))
        before = {one: one.read_bytes() for one in (workspace / "knowledge").rglob("*.md")}

        monkeypatch.setattr(judge, "VERSION", "v2-decisions")
        monkeypatch.setattr(judge, "judged_entries", better)
        asked = ReplayRequest("v2-decisions", branch=True)
        outcome = console.plans.make("replay", PlanRequest(asked))
        assert outcome.plan is not None and outcome.plan.risk_tier is RiskTier.C
        assert {one: one.read_bytes() for one in (workspace / "knowledge").rglob("*.md")} == before
        assert git(workspace, "log", "--format=%s", "HEAD..extract/v2-decisions").split("\n") == [
            "memory: week 2026-W07 rolled up", "extract: replay by v2-decisions"
        ]  # fmt: skip
        stat = git(workspace, "diff", "HEAD..extract/v2-decisions", "--stat", "--", "knowledge/")
        assert MEMORY in stat, "compared with main"
        assert "1 rows = 1 kept + 0 omitted + 0 of yours" in [one.detail for one in outcome.plan.gates]
        applied(console, outcome)
        for change in outcome.plan.changes:
            assert isinstance(change, Create | Replace)
            assert (workspace / change.path).read_text("utf-8") == change.content
            assert git(workspace, "show", f"extract/v2-decisions:{change.path}") == change.content.rstrip("\n")
        assert any(missed in one.content for one in outcome.plan.changes if isinstance(one, Create | Replace))
        applied(console, console.plans.make("branches", PlanRequest(BranchesRequest(("extract/v2-decisions",)))))
        assert git(workspace, "branch", "--list", "extract/*") == ""
        again = console.plans.make("replay", PlanRequest(ReplayRequest("again")))
        assert again.plan is None
