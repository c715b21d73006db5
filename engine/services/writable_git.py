"""Gives the workspace's repository to those who write to it, or says why it may not be written."""

from engine.errors import Refused
from engine.history.repository import NoRepository, Repository
from engine.services.open_workspace import OpenWorkspace


def check_commits(opened: OpenWorkspace) -> None:
    """`Refused` where the policy lets nothing be written to git."""
    if not opened.policy.git.commit:
        raise Refused("the policy's git.commit is off: nothing is written to git", where="git.commit")


def writable_repository(opened: OpenWorkspace) -> Repository:
    """The repository of the workspace; `Refused` with the reason where it may not be written."""
    check_commits(opened)
    repository = opened.git.repository()
    if isinstance(repository, NoRepository):
        raise Refused(repository.reason or "there is no git here", where="git", hint="memdeck init begins one")
    return repository


def clear_cut_off(opened: OpenWorkspace, repository: Repository) -> None:
    """Clears what a git of ours that was killed left in the repository."""
    from engine.history.left_over import clear_left_over

    clear_left_over(repository, opened.git.written_by_owner(repository), opened.git.scratch)
