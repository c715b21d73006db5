"""Looks at what a workspace has of all that `memdeck init` may add."""

from pathlib import Path

from engine.errors import MemdeckError
from engine.history.new_repository import may_begin
from engine.lifecycle.setup.layout import folders_of
from engine.lifecycle.setup.plan import GitFolder, PresentFiles, wanted_paths
from engine.services.wiring import Wiring
from engine.workspace.snapshot import Snapshot


def present_files(parts: Wiring, snapshot: Snapshot) -> PresentFiles:
    """The folders and files that are there, and the repository."""
    folders = frozenset(one for one in folders_of(snapshot.capabilities) if _is_there(parts, one))
    files = {path: parts.read_or_none(path) for path in wanted_paths() if _is_there(parts, path)}
    return PresentFiles(folders, files, _git(parts))


def _is_there(parts: Wiring, path: str) -> bool:
    """Tells whether anything is at a path; where a link or a file is on the way to it, something is."""
    try:
        return parts.root.lstat(path) is not None
    except MemdeckError:
        return True


def _git(parts: Wiring) -> GitFolder:
    workspace = Path(parts.root.identity.path)
    own = workspace / ".git"
    if own.is_dir() and not own.is_symlink() and (own / "HEAD").exists():
        return GitFolder.OWN
    if not parts.policy.git.commit:
        return GitFolder.OFF
    return GitFolder.NEW if may_begin(workspace) else GitFolder.ELSEWHERE
