"""Opens the workspace as it was at an instant: its notes in a private folder, read-only, under the clock of then."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.services.open_workspace import disk_errors
from engine.services.recall import RecallService

if TYPE_CHECKING:
    from engine.monitoring.recall.past_tree import PastTree
    from engine.services.engine import Engine


@contextmanager
def past_workspace(
    recall: RecallService, at: datetime, env: Mapping[str, str], policy_file: Path | None = None
) -> "Iterator[tuple[Engine, PastTree]]":
    """An engine on the notes of then, and what is known of them; all of it is removed afterwards.

    The operator's records (queue, cooldown, fixed nodes) are not of then, so none are there.
    """
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
