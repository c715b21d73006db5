"""Reads git's own files of explorations, which a plan may remove."""

from collections.abc import Iterator

from engine.errors import MemdeckError
from engine.history.explorations import Exploration, explorations
from engine.history.repository import Repository
from engine.history.tags import memory_tags
from engine.lifecycle.branches.plan import BranchFiles, log_path, loose_path
from engine.plans.apply.git_record import GitRecord
from engine.plans.git_places import PACKED, TAGS, is_branch_name
from engine.workspace.paths import WorkspaceRoot


def branch_files(root: WorkspaceRoot, git: GitRecord) -> BranchFiles:
    """Gives the explorations in the workspace's own repository; none without one."""
    repository = git.usable()
    if repository is None or not _is_own(root, repository):
        return BranchFiles(explorations=(), files={}, tags=frozenset(), head="")
    found = explorations(repository)
    tags = frozenset(tag.name.removeprefix(TAGS) for tag in memory_tags(repository))
    files = {path: data for path in _paths(repository, found) if (data := root.read_or_none(path)) is not None}
    return BranchFiles(explorations=found, files=files, tags=tags, head=repository.branch() or "")


def _is_own(root: WorkspaceRoot, repository: Repository) -> bool:
    folder = repository.git.folder
    return str(folder) == f"{root.identity.path}/.git" and not (folder / "commondir").exists()


def _paths(repository: Repository, found: tuple[Exploration, ...]) -> Iterator[str]:
    if not found:
        return
    yield PACKED
    for exploration in found:
        if is_branch_name(exploration.name):
            yield from (loose_path(exploration.branch), log_path(exploration.branch))
    try:
        folder = repository.git.folder / "worktrees"
        names = sorted(place.name for place in folder.iterdir()) if folder.is_dir() else []
    except (OSError, MemdeckError):
        return
    yield from (f".git/worktrees/{name}/HEAD" for name in names if name.isprintable() and "\\" not in name)
