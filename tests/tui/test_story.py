"""The story of a memory, from an empty folder through a week of work (autopoiesis §10.1 to §10.4, §11).

The agent has the server of `memdeck mcp` behind the official SDK's client, what its program captures, and its own
files; the operator has the commands and the console. Nothing of either is replaced but the terminal.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from engine.extraction import judge
from engine.plans.plan import PlanState, QueueEntry, RiskTier
from engine.services.engine import Engine
from tests.engine.history.repos import git
from tests.engine.lifecycle.test_replay import better
from tests.tui.conftest import Deck, answer, console_of, deck, holds, look_through, settled, shows
from tui.cli.main import main
from tui.dialogs.confirm import ConfirmDialog
from tui.widgets.word_field import WordField

MEMORY = "knowledge/memory/MEMORY.md"
TOPIC = r"""---
type: topic
description: review of pull requests
activation: auto
triggers:
  - type: pattern
    match: '\b(PR|pull request|review)\b'
subscriptions:
  - knowledge/procedures/code-review.md
---
# PR review

Read the tests first, then the code that just came in.
"""
REVIEWING = "---\ntype: procedure\n---\n\n# Code review\n\n- Run the linter.\n"
DECIDED = "We decided to keep the invoices in SQLite because one file is easy to back up."
CORE = "---\ntype: memory\nline_count: 10\n---\n\n# Core Memory\n\n## Key Decisions\n\n## Lessons Learned\n"
MISSED = "Heliotrope opens the vault."
POLICY = "zone: UTC\ngit: {commit_others: true}\n"


@pytest.fixture(autouse=True)
def the_dialog_goes_by_the_clock_of_its_engine() -> None:
    """Its engine's clock is the real one."""


class Story:
    """One workspace with its agent and its operator, in the last week that is over."""

    def __init__(self, base: Path) -> None:
        self.folder = base / "agent"
        today = datetime.now(UTC).date()
        self.monday: date = today - timedelta(days=today.weekday() + 7)

    def day(self, number: int, at: str) -> str:
        """An instant of that day of the week, 0 for Monday."""
        return f"{self.monday + timedelta(days=number)}T{at}Z"

    def commands(self, *arguments: str) -> None:
        """A command that the operator types; it ends well."""
        assert main(["-w", str(self.folder), *arguments]) == 0, arguments

    def captures(self, name: str, number: int, *said: str) -> None:
        """The agent's program sends a session of that day to `memdeck capture`, to its end."""
        events: list[dict[str, Any]] = [
            {"event": "start", "session_id": name, "started": self.day(number, "10:00:00"), "topic": name},
            *(
                {"event": "message", "role": "user", "content": text, "time": self.day(number, f"10:{turn:02}:00")}
                for turn, text in enumerate(said, 1)
            ),
            {"event": "end", "ended": self.day(number, "10:30:00")},
        ]
        lines = "".join(json.dumps(one) + "\n" for one in events)
        command = [sys.executable, "-m", "tui.cli", "-w", str(self.folder), "capture"]
        subprocess.run(command, input=lines, text=True, check=True, capture_output=True)

    @asynccontextmanager
    async def agent(self) -> AsyncIterator[Client]:
        """The agent's program starts `memdeck mcp`, as its settings say."""
        arguments = ["-m", "tui.cli", "-w", str(self.folder), "mcp", "--agent", "silas"]
        server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ), cwd=Path.cwd())
        async with Client(stdio_client(server)) as client:
            yield client

    @asynccontextmanager
    async def console(self) -> AsyncIterator[Deck]:
        """The operator opens the console."""
        with Engine.open(self.folder) as engine:
            async with deck(engine, (160, 60)) as pilot:
                yield pilot

    def waiting(self) -> list[QueueEntry]:
        with Engine.open(self.folder) as engine:
            return [entry for entry in engine.plans.queue() if entry.state is PlanState.PENDING]

    def text(self, path: str) -> str:
        return (self.folder / path).read_text("utf-8")

    def subjects(self) -> list[str]:
        return git(self.folder, "log", "--format=%s").split("\n")


async def asks(agent: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await agent.call_tool(tool, arguments)
    assert not result.is_error, result
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def approves(pilot: Deck, plan: QueueEntry) -> None:
    """Opens a plan, looks at all of it, answers what is asked, and says yes with a key or, for tier C, the word."""
    console = console_of(pilot)
    await console.open_plan(plan.id)
    await settled(pilot)
    await pilot.press("ctrl+a")
    await holds(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog), "the dialog")
    dialog = pilot.app.screen
    assert isinstance(dialog, ConfirmDialog)
    await holds(pilot, lambda: bool(dialog.query(WordField)), "its field")
    for _ in dialog._ask.confirmations:
        await answer(pilot, "y", *"yes", "enter")
    await look_through(pilot)
    await answer(pilot, *("y" if plan.risk_tier is not RiskTier.C else (*"APPROVED", "enter")))
    await settled(pilot)
    await shows(pilot, "✓ applied")


async def refuses(pilot: Deck, plan: QueueEntry, reason: str) -> None:
    await console_of(pilot).open_plan(plan.id)
    await settled(pilot)
    await pilot.press("r", *reason, "enter")
    await settled(pilot)
    await shows(pilot, "✗ rejected")


async def test_a_week_from_an_empty_folder_to_a_memory_that_was_made_anew(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = Story(tmp_path)
    story.folder.mkdir()
    (own_home / "config/memdeck").mkdir(parents=True)
    (own_home / "config/memdeck/policy.yaml").write_text(POLICY, "utf-8")

    await an_empty_folder_becomes_a_workspace(story)
    async with story.agent() as agent:
        await on_monday_a_conversation_is_kept(story, agent)
        await on_tuesday_a_topic_wakes_and_a_refusal_is_heard(story, agent)
    await on_sunday_the_week_is_condensed(story)
    await a_better_extractor_makes_the_knowledge_anew(story, monkeypatch)


async def an_empty_folder_becomes_a_workspace(story: Story) -> None:
    """§11, phase 1: nothing is there before the operator approved it."""
    story.commands("init")
    assert list(story.folder.iterdir()) == []
    (plan,) = story.waiting()
    async with story.console() as pilot:
        await approves(pilot, plan)
        await pilot.press("1", "m")
        await settled(pilot)
    assert (story.folder / "knowledge").is_dir() and (story.folder / ".git").is_dir()
    assert story.waiting() == []


async def on_monday_a_conversation_is_kept(story: Story, agent: Client) -> None:
    """§10.1: captured turn by turn, committed at its end, found by the agent; its own files are committed for it."""
    await asyncio.to_thread(story.captures, "storage", 0, DECIDED, MISSED)
    (transcript,) = (story.folder / "raw/conversations").rglob("*-storage.md")
    assert DECIDED in transcript.read_text("utf-8") and story.subjects()[0].startswith("conversation: ")
    found = await asks(agent, "memory_search", query="where do we keep the invoices", limit=3)
    assert str(transcript.relative_to(story.folder)) in [one["path"] for one in found["results"]]

    (story.folder / "knowledge/procedures").mkdir(exist_ok=True)
    (story.folder / "knowledge/procedures/code-review.md").write_text(REVIEWING, "utf-8")
    note = {
        "path": "knowledge/projects/billing.md",
        "action": "create",
        "content": "# Billing\n\n- Invoices: SQLite.\n",
    }
    made = await asks(agent, "memory_propose", **note, reason="we decided it")
    assert made["state"] == "pending" and not (story.folder / note["path"]).exists()
    await asks(agent, "memory_propose", path=MEMORY, action="create", content=CORE, reason="what I always know")
    async with story.console() as pilot:
        await shows(pilot, "code-review.md")
        for plan in story.waiting():
            await approves(pilot, plan)
    assert story.text(note["path"]) == note["content"]
    assert {one["state"] for one in (await asks(agent, "memory_proposals"))["proposals"]} == {"applied"}
    story.commands("schedule", "--run", "commits")
    assert story.subjects()[0].startswith("memory: ")
    assert "knowledge/procedures/code-review.md" in git(story.folder, "ls-files")


async def on_tuesday_a_topic_wakes_and_a_refusal_is_heard(story: Story, agent: Client) -> None:
    """§10.2: a topic that the agent proposed wakes by its pattern; what is refused stays refused, with the reason."""
    await asks(agent, "memory_propose", path="topics/pr-review.md", action="create", content=TOPIC, reason="reviews")
    billing = await asks(agent, "memory_get", path="knowledge/projects/billing.md")
    other = {"path": "knowledge/projects/billing.md", "action": "replace", "content": "# Billing\n\n- Nobody pays.\n"}
    await asks(agent, "memory_propose", **other, base_sha256=billing["sha256"], reason="a guess")
    async with story.console() as pilot:
        topic, guess = sorted(story.waiting(), key=lambda entry: "topics/pr-review.md" not in entry.targets)
        await approves(pilot, topic)
        await refuses(pilot, guess, "no guesses")
    asked = "Can you review the PR that just came in?"
    prompt = str((await agent.call_tool("memory_context", {"message": asked})).content)
    assert "Read the tests first" in prompt and "Run the linter." in prompt
    again = await agent.call_tool("memory_propose", {**other, "base_sha256": billing["sha256"], "reason": "a guess"})
    assert again.is_error and "no guesses" in str(again.content)
    assert "no guesses" in str(await agent.read_resource("memory://feedback"))
    assert "- Invoices: SQLite." in story.text("knowledge/projects/billing.md")


async def on_sunday_the_week_is_condensed(story: Story) -> None:
    """§10.3: journal, MEMORY.md and knowledge come from the transcript, each by a plan."""
    for system in ("condense", "condense", "extract"):
        story.commands("plan", system)
        async with story.console() as pilot:
            for plan in story.waiting():
                await approves(pilot, plan)
    assert DECIDED in story.text(f"knowledge/journal/{story.monday}.md")
    assert DECIDED in story.text(MEMORY) and MISSED not in story.text(MEMORY)
    assert story.waiting() == []


async def a_better_extractor_makes_the_knowledge_anew(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    """§10.4: a replay by a new extractor is compared, merged as a plan of tier C, and can be taken back."""
    before = {path: path.read_bytes() for path in (story.folder / "knowledge").rglob("*.md")}
    with monkeypatch.context() as patched:
        patched.setattr(judge, "VERSION", "v2-decisions")
        patched.setattr(judge, "judged_entries", better)
        story.commands("plan", "replay", "--name", "v2-decisions")
    assert {path: path.read_bytes() for path in (story.folder / "knowledge").rglob("*.md")} == before
    (plan,) = story.waiting()
    assert plan.risk_tier is RiskTier.C
    async with story.console() as pilot:
        await approves(pilot, plan)
        texts = [path.read_text("utf-8") for path in (story.folder / "knowledge").rglob("*.md")]
        assert any(MISSED in text for text in texts)
        await pilot.press("z")
        await holds(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog), "the question")
        await look_through(pilot)
        await answer(pilot, "y")
        await settled(pilot)
    assert {path: path.read_bytes() for path in before} == before
    story.commands("log", "--verify")
    story.commands("check", "--deep")
    assert git(story.folder, "status", "--porcelain") == ""
