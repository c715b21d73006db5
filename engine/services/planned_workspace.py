"""The workspace in the past or after a plan, for searches and prompts, with a copy of the index."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from engine.monitoring.recall.past_tree import PastTree
from engine.services.context import ContextService
from engine.services.note_flags import FlagService
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.services.recall import RecallService
from engine.services.references import ReferenceService
from engine.services.search import SearchService
from engine.services.sessions import SessionService
from engine.services.topics import TopicService
from engine.services.tree import TreeService
from engine.state.database import StateDatabase
from engine.topics.files.topic_file import FOLDER
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot
from engine.workspace.unscanned import snapshot_after

After = Mapping[str, bytes | None]  # the bytes that files will have, None for what moves away


class PlannedServices(NamedTuple):
    """The notes in that state, and services over them."""

    snapshot: Snapshot
    search: SearchService
    context: ContextService
    tree: TreeService


@contextmanager
def planned_workspace(
    opened: OpenWorkspace, after: After, search: SearchService, topics: TopicService
) -> Iterator[PlannedServices]:
    """Opens services over the notes after a plan; removes all temporary files afterwards."""
    snapshot = snapshot_after(opened.fresh(look=False), after, opened.counter, opened.now())
    with tempfile.TemporaryDirectory(prefix="memdeck-plan-") as place:
        workspace, state = Path(place, "workspace"), Path(place, "state")
        with disk_errors("the notes of the plan cannot be laid out"):
            state.mkdir(mode=0o700)
            _write(workspace, {path: snapshot.reader(path) for path in snapshot.files if path.startswith(FOLDER)})
        with WorkspaceRoot.open(workspace) as root:
            there = opened.apart(snapshot, root, StateDatabase(state))
            searched, heard = search.apart(there), topics.apart(there)
            try:
                context = ContextService(there, searched, heard, SessionService(there, heard), FlagService(there))
                yield PlannedServices(snapshot, searched, context, TreeService(opened.apart(snapshot)))
            finally:
                heard.close()
                searched.close()
                there.database.close()


class PastFolder(NamedTuple):
    """A folder with the notes of an instant, an environment without the operator's records, and the past tree."""

    workspace: Path
    env: Mapping[str, str]
    tree: PastTree


@contextmanager
def past_folder(recall: RecallService, at: datetime, env: Mapping[str, str]) -> Iterator[PastFolder]:
    """Writes the notes of an instant to a temporary folder; the operator's records are not included."""
    tree = recall.tree(at)
    with tempfile.TemporaryDirectory(prefix="memdeck-past-") as place:
        workspace, state = Path(place, "workspace"), Path(place, "state")
        with disk_errors("the notes of then cannot be laid out"):
            _write(workspace, recall.contents(tree, tuple(tree.files)), tree)
        yield PastFolder(workspace, {**env, "XDG_STATE_HOME": str(state), "XDG_CACHE_HOME": str(state)}, tree)


@contextmanager
def past_context(recall: RecallService, at: datetime, opened: OpenWorkspace) -> Iterator[ContextService]:
    with past_folder(recall, at, opened.env) as past:
        there = OpenWorkspace(
            past.workspace, policy_file=None, what_if=at, env=past.env, real_clock=opened.real_clock, read_only=True
        )
        search, topics = SearchService(there, ReferenceService(there)), TopicService(there)
        search.writes = True  # the folder is thrown away
        try:
            yield ContextService(there, search, topics, SessionService(there, topics), FlagService(there))
        finally:
            search.close()
            topics.close()
            there.close()


def _write(workspace: Path, contents: Mapping[str, bytes], tree: PastTree | None = None) -> None:
    workspace.mkdir(mode=0o700)
    for folder in sorted({path.rpartition("/")[0] for path in contents}):
        (workspace / folder).mkdir(parents=True, exist_ok=True)
    for path, data in contents.items():
        file = workspace / path
        file.write_bytes(data)
        if tree is not None:
            known = tree.files[path].at or tree.at
            os.utime(file, (known.timestamp(), known.timestamp()))
