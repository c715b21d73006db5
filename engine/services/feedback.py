"""The operator's feedback for the agent: as text over MCP, and as a section of a file that a platform loads."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from engine.compactor.semantic.entry_edit import EDITS, earlier
from engine.context.compile.pieces import fenced, harmless, trust_of
from engine.context.platforms.catalog import platforms
from engine.errors import MemdeckError, UsageError
from engine.monitoring import feedback
from engine.monitoring.comments import DiffComments
from engine.plans.plan import QueueEntry
from engine.plans.policy.values import Policy
from engine.plans.queue import Queue
from engine.plans.trust import Trust
from engine.services.open_workspace import OpenWorkspace
from engine.state.database import StateDatabase
from engine.text.safe_text import without_markers
from engine.workspace.foreign_text import is_served
from engine.workspace.layout import MEMORY_MD_PATHS
from engine.workspace.snapshot import Snapshot

MOST_EDITED = 40  # the newest plans that are looked through for edits of the operator
_FIRST = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")


class FeedbackService:
    """Tells what the operator said. It writes nothing."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def rows(self, limit: int = feedback.MOST) -> tuple[feedback.FeedbackRow, ...]:
        """The last refusals, edits and comments, newest first."""
        return feedback_rows(self._opened.queue, self._opened.database, limit)

    def lines(self, serves: feedback.Serves) -> tuple[str, ...]:
        """The same as an agent may see it: the operator's words, and what comes from files between fences (D40)."""
        return told(self.rows(), serves)


def feedback_rows(
    queue: Queue, database: StateDatabase, limit: int = feedback.MOST
) -> tuple[feedback.FeedbackRow, ...]:
    """The last refusals, edits and comments, newest first."""
    entries = queue.entries()
    systems = {entry.id: entry.system for entry in entries}
    comments = feedback.commented(DiffComments(database).all(), lambda plan: systems.get(plan, "a plan"))
    return feedback.newest((*feedback.refusals(entries), *_edits(queue, entries), *comments), limit)


def told(rows: Sequence[feedback.FeedbackRow], serves: feedback.Serves) -> tuple[str, ...]:
    """The rows as lines for an agent that asks, with fences that nothing inside can forge (decision D40)."""
    return feedback.feedback_lines(rows, serves, _fence, harmless)


def written(rows: Sequence[feedback.FeedbackRow], private: Sequence[str]) -> tuple[str, ...]:
    """The rows as lines of a file that every session loads: nothing of MEMORY.md (decision D4), and no trust label."""

    def serves(path: str) -> bool:
        return is_served(path, private) and path not in MEMORY_MD_PATHS

    return feedback.feedback_lines(
        rows, serves, lambda text, source, _: feedback.code_fence(text, source), without_markers
    )


def _fence(text: str, source: str, operators: bool) -> str:
    return fenced(text, "feedback", source, Trust.OPERATOR if operators else trust_of(text))


def _edits(queue: Queue, entries: Sequence[QueueEntry]) -> Iterator[feedback.FeedbackRow]:
    """The semantic entries that the operator reworded, as the newest plans tell."""
    looked = [entry for entry in reversed(entries) if entry.system == "compact" and not entry.damage][:MOST_EDITED]
    for entry in looked:
        edits: dict[int, str] = {}
        with suppress(MemdeckError):
            edits = earlier(queue.load(entry.id), EDITS)
        for text in edits.values():
            yield feedback.FeedbackRow(
                kind=feedback.FeedbackKind.EDITED,
                at=entry.made_at,
                system=entry.system,
                said="an entry was written in these words instead",
                paths=tuple(path for path in entry.targets if path.startswith("memory/semantic/"))[:1],
                quoted=tuple(line for line in text.split("\n") if line.strip()),
            )


def loaded_file(policy: Policy, snapshot: Snapshot, asked: Sequence[str]) -> str:
    """The file for the section: the one that is asked for, or the first there is; empty for none. `UsageError` for one
    that no platform loads whole: MEMORY.md has a cap and is pruned, folders are others'."""
    files = [file for platform in platforms(policy) for file in platform.files.values()]
    able = dict.fromkeys(place for file in files for place in file.places if "/" not in place)
    able = {place: None for place in (*_FIRST, *able) if place in able and place not in MEMORY_MD_PATHS}
    if len(asked) > 1 or any(path not in able for path in asked):
        raise UsageError("no platform loads this file whole", where=asked[-1][:200], hint=f"one of: {', '.join(able)}")
    return asked[0] if asked else next((place for place in able if place in snapshot.files), "")
