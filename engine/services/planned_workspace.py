"""The workspace as it will be after a plan, to be searched and compiled: nothing of it is written where the agent is.

Notes that the plan does not touch are read where they lie. The index begins as a copy of the one there is, and only
what changes is brought in, so that ten thousand notes cost as little as ten.
"""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from engine.errors import UsageError
from engine.services.context import ContextService
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.services.search import SearchService
from engine.services.tree import TreeService
from engine.state.database import StateDatabase
from engine.topics.files.topic_file import FOLDER
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot
from engine.workspace.snapshot_after import snapshot_after

if TYPE_CHECKING:
    from engine.services.topics import TopicService

After = Mapping[str, bytes | None]
"""The bytes that files will have, None for what moves away."""


class PlannedServices(NamedTuple):
    """The notes as they will be, and the services that are asked of them."""

    snapshot: Snapshot
    search: SearchService
    context: ContextService
    tree: TreeService


@contextmanager
def planned_workspace(
    opened: OpenWorkspace, after: After, search: SearchService, topics: "TopicService"
) -> Iterator[PlannedServices]:
    """The services over the notes as they will be; all that was made for them is removed afterwards."""
    parts = opened.parts
    snapshot = snapshot_after(opened.fresh(look=False), after, parts.counter, opened.now())
    with tempfile.TemporaryDirectory(prefix="memdeck-plan-") as place:
        workspace, state = Path(place, "workspace"), Path(place, "state")
        with disk_errors("the notes of the plan cannot be laid out"):
            state.mkdir(mode=0o700)
            _write_topics(workspace, snapshot)
        with WorkspaceRoot.open(workspace) as root:
            there = OpenWorkspace(replace(parts, root=root, database=StateDatabase(state)), opened.env, snapshot)
            found = search.apart(there)
            heard = topics.apart(there.parts)
            try:
                context = ContextService(there, found, lambda: heard, _no_sessions)
                yield PlannedServices(snapshot, found, context, TreeService(OpenWorkspace(parts, opened.env, snapshot)))
            finally:
                heard.close()
                found.close()
                there.parts.database.close()


def _write_topics(workspace: Path, snapshot: Snapshot) -> None:
    """Writes the files of the topics, which are read from the workspace's own folder."""
    workspace.mkdir(mode=0o700)
    for path in snapshot.files:
        if path.startswith(FOLDER):
            file = workspace / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(snapshot.reader(path))


def _no_sessions() -> NoReturn:
    raise UsageError("a planned workspace has no sessions")
