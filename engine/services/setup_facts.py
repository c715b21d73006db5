"""Finds what a workspace already has of all that `memdeck init` may add."""

from collections.abc import Mapping
from pathlib import Path

from engine.errors import MemdeckError
from engine.history.crypt_setup import CRYPT, CryptSettings, CryptState, crypt_state, is_crypt
from engine.history.hook_scripts import unused_hooks
from engine.history.new_repository import may_begin
from engine.lifecycle.setup.plan import Encryption, GitFolder, PresentFiles, folders_of, wanted_paths
from engine.plans.apply.git_record import GitRecord
from engine.plans.policy.values import GitPolicy
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot
from engine.workspace.system_calls import find_program


def present_files(root: WorkspaceRoot, git: GitRecord, snapshot: Snapshot, *, commits: bool) -> PresentFiles:
    """Gives the existing folders and files, and the repository."""
    folders = frozenset(one for one in folders_of(snapshot.capabilities) if _is_there(root, one))
    files = {path: root.read_or_none(path) for path in wanted_paths() if _is_there(root, path)}
    return PresentFiles(folders, files, _git(root, commits=commits), hooks_elsewhere(root, git))


def hooks_elsewhere(root: WorkspaceRoot, git: GitRecord) -> str:
    """Gives the folder from which git takes hooks instead of the workspace's own; empty if it takes those."""
    repository = git.usable()
    return unused_hooks(repository.git) if repository is not None and _git(root, commits=True) is GitFolder.OWN else ""


def encryption(root: WorkspaceRoot, git: GitRecord, rules: GitPolicy, env: Mapping[str, str]) -> Encryption:
    """Gives the policy's private folders, and git-crypt's state here."""
    if (repository := git.usable()) is not None:
        state = crypt_state(repository.git)
    else:
        state = CryptState(find_program(CRYPT, Path(root.identity.path), env), CryptSettings.NONE)
    named = any(is_crypt(name) for name in rules.filters)
    return Encryption(rules.private, state.program or "", state.problem, state.fix, named)


def _is_there(root: WorkspaceRoot, path: str) -> bool:
    """Tells whether anything is at a path; True too where a link or a file is on the way to it."""
    try:
        return root.lstat(path) is not None
    except MemdeckError:
        return True


def _git(root: WorkspaceRoot, *, commits: bool) -> GitFolder:
    workspace = Path(root.identity.path)
    own = workspace / ".git"
    if own.is_dir() and not own.is_symlink() and (own / "HEAD").exists():
        return GitFolder.OWN
    if not commits:
        return GitFolder.OFF
    return GitFolder.NEW if may_begin(workspace) else GitFolder.ELSEWHERE
