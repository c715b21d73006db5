"""Git for a program that runs an agent: commits of what the agent changed, tags, a push; the policy decides (§9.2)."""

import asyncio

from engine.errors import Refused
from engine.history.tags import TagKind
from engine.monitoring.agent_commits import AgentCommits
from engine.services.engine import Engine
from engine.services.repository import TagsMade


class MemoryGit:
    """Writes to the workspace's repository as the schedule does. No file of the workspace changes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def batch_commit(self, message: str | None = None) -> AgentCommits:
        """Commits what the agent changed, a commit for each type; `message` stands for "N files changed by the agent".
        `Refused` where the policy's `git.commit_others` is off (decision D34)."""
        if not self._engine.repository.commits_others:
            raise Refused("the policy lets nobody commit the agent's changes", where="git.commit_others")
        return await asyncio.to_thread(self._engine.repository.commit_others, message or "")

    async def tag_daily(self) -> TagsMade:
        """Tags the last commit of each day and each week that is over and has no tag yet."""
        return await asyncio.to_thread(self._engine.repository.tag_days)

    async def tag_milestone(self, name: str) -> str:
        """Tags what is committed now, and gives the tag's whole name; `Refused` where it names another commit."""
        return await asyncio.to_thread(self._engine.repository.tag, TagKind.MILESTONE, name)

    async def push(self) -> str:
        """Pushes the branch and the tags where the policy's `git.push` says so, and tells what was done; else empty."""
        return await asyncio.to_thread(self._engine.repository.push)
