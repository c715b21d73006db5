"""The workspace as it was, and as it will be after a plan, to be searched and compiled; nothing of it is written there.
Notes that the plan does not touch are read where they lie. The index begins as a copy of the one there is, and only
what changes is brought in, so that ten thousand notes cost as little as ten."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from engine.errors import UsageError
from engine.services.context import ContextService
from engine.services.note_flags import FlagService
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.services.recall import RecallService
from engine.services.search import SearchService
from engine.services.tree import TreeService
from engine.state.database import StateDatabase
from engine.topics.files.topic_file import FOLDER
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot
from engine.workspace.unscanned import snapshot_after

if TYPE_CHECKING:
    from engine.monitoring.recall.past_tree import PastTree
    from engine.services.engine import Engine
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
                context = ContextService(there, found, lambda: heard, _no_sessions, FlagService(there))
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


@contextmanager
def past_workspace(
    recall: RecallService, at: datetime, env: Mapping[str, str], policy_file: Path | None = None
) -> "Iterator[tuple[Engine, PastTree]]":
    """An engine on the notes of then, and what is known of them; all of it is removed afterwards. The operator's
    records (queue, cooldown, fixed nodes) are not of then, so none are there."""
    from engine.services.engine import Engine

    tree = recall.tree(at)
    with tempfile.TemporaryDirectory(prefix="memdeck-past-") as place:
        workspace, state = Path(place, "workspace"), Path(place, "state")
        with disk_errors("the notes of then cannot be laid out"):
            _write(workspace, recall.contents(tree, tuple(tree.files)), tree)
        apart = {**env, "XDG_STATE_HOME": str(state), "XDG_CACHE_HOME": str(state)}
        with Engine.open(workspace, policy_file=policy_file, now=at, env=apart, read_only=True) as engine:
            yield engine, tree


def _write(workspace: Path, contents: Mapping[str, bytes], tree: "PastTree") -> None:
    """Writes the notes, each with the date at which it is known."""
    workspace.mkdir(mode=0o700)
    for folder in sorted({path.rpartition("/")[0] for path in contents}):
        (workspace / folder).mkdir(parents=True, exist_ok=True)
    for path, data in contents.items():
        file = workspace / path
        file.write_bytes(data)
        known = tree.files[path].at or tree.at
        os.utime(file, (known.timestamp(), known.timestamp()))
