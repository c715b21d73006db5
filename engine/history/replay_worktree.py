"""Keeps a replay on a branch `extract/NAME` in a folder of its own: each step becomes a commit (§10.4, D28) of the
replay's own bytes. The files are written to the folder afterwards, without following links or replacing edits."""

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, Refused
from engine.history.commit import commit_paths
from engine.history.exploration_start import explore
from engine.history.explorations import EXTRACT, explorations
from engine.history.git import read_regular
from engine.history.repository import GITFILE_BYTES, NoRepository, Repository, find_repository
from engine.history.repository_history import TreeFile, blobs, tree_of
from engine.history.request import CommitRequest, Content, Trailer
from engine.text.canonical_json import canonical_json, sha256_hex
from engine.text.safe_text import visible_line
from engine.workspace.paths import WorkspaceRoot, open_folder_at, relative_path
from engine.workspace.system_calls import write_all

TRAILER = "Memdeck-Replay"
_NONE = TreeFile("", "", 0)


class ReplayWorktree(msgspec.Struct, frozen=True, kw_only=True):
    """The branch of a replay, checked out in a folder. `commits`: those above `base`, the newest first."""

    branch: str
    folder: Path
    base: str
    commits: tuple[str, ...]
    done: frozenset[str]  # the trailers of the steps that are committed
    repository: Repository
    filters: Mapping[str, str]
    private: tuple[str, ...]
    scratch: Path

    def commit(self) -> str:
        return self.repository.head()

    def keep(self, subject: str, files: Mapping[str, bytes], at: datetime) -> None:
        """Commits these bytes as one step, unless the step is committed already; `Refused` where git cannot."""
        trailer = Trailer(TRAILER, f"{self.branch} {_sign(subject, files)}")
        if trailer.value in self.done:
            return
        request = CommitRequest(
            paths=tuple(files),
            subject=subject,
            trailers=(trailer,),
            at=at,
            filters=self.filters,
            scratch=self.scratch,
            private=self.private,
        )
        report = commit_paths(self.repository, request, lambda path: Content(files[path]))
        if report.owed:
            raise Refused(report.owed, where=self.branch, hint="once that is over, run it again: it goes on")
        if report.problems:
            raise Refused(report.problems[0], where=self.branch, hint="leave --branch away")

    def contents(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Gives the bytes of these paths in the newest commit, without paths that it lacks."""
        tree = tree_of(self.repository, self.commit())
        there = {path: tree[path].blob for path in paths if path in tree}
        data = blobs(self.repository, there.values())
        return {path: data[blob] for path, blob in there.items() if blob in data}

    def settle(self, after: Mapping[str, bytes], present: Callable[[str], bytes | None]) -> tuple[str, ...]:
        """Writes the files; gives a line for each unwritten one. `Refused` if the branch has another replay."""
        then, now = tree_of(self.repository, self.base), tree_of(self.repository, self.commit())
        others = [path for path, file in now.items() if path not in after and then.get(path) != file]
        held = self.contents(others)
        if other := next((path for path in others if held.get(path) != present(path)), None):
            hint = f"choose another --name, or end it: memdeck plan branches --take {self.branch}"
            what = f"the branch holds another replay, which changed {visible_line(other)}"
            raise Refused(what, where=self.branch, hint=hint)
        return tuple(filter(None, (self._lay_out(path, data) for path, data in after.items())))

    def _lay_out(self, path: str, data: bytes) -> str:
        """Writes one file; gives the reason if somebody edited it or a link is in its place, else an empty text."""
        place = self.repository.prefix + path
        try:
            with WorkspaceRoot.open(self.folder) as root:
                present = root.read(place) if root.lstat(place) is not None else None
            if present == data:
                return ""
            if present is not None and not self._is_ours(path, present):
                return f"{visible_line(path)} was edited in {visible_line(str(self.folder))}: it stays there"
            write_below(self.folder, place, data)
        except (MemdeckError, OSError) as error:
            why = error.line() if isinstance(error, MemdeckError) else str(error)
            return f"{visible_line(path)} is not laid out: {visible_line(why)}"
        return ""

    def _is_ours(self, path: str, data: bytes) -> bool:
        """Tells whether the bytes are those of this path in some commit of the branch or in its base."""
        blob = self.repository.git.run("hash-object", "--no-filters", "--stdin", stdin=data).decode().strip()
        commits = dict.fromkeys((self.commit(), *self.commits, self.base))
        return any((tree_of(self.repository, commit).get(path) or _NONE).blob == blob for commit in commits)


def replay_worktree(
    repository: Repository,
    name: str,
    folder: Path,
    *,
    filters: Mapping[str, str],
    private: tuple[str, ...],
    scratch: Path,
) -> ReplayWorktree:
    """Gives the replay's branch, begun at HEAD if missing. `Refused` for foreign commits or no folder."""
    known = next((one for one in explorations(repository) if one.branch == f"{EXTRACT}{name}"), None)
    if known is None:
        explore(repository, name, folder, scratch, EXTRACT)
        known = next(one for one in explorations(repository) if one.branch == f"{EXTRACT}{name}")
    place = Path(known.folder) if known.folder else None
    if place is None or not place.is_dir():
        hint = f"memdeck plan branches --take {known.branch}, or another --name"
        raise Refused("the branch of this replay has no folder", where=known.branch, hint=hint)
    own = _worktree(repository, place, known.branch)
    made = _commits(own, repository.head(), known.branch)
    # The parent of the replay's first commit is where the branch began.
    name = f"{next(reversed(made))}^1" if made else "HEAD"
    return ReplayWorktree(
        branch=known.branch,
        folder=place,
        base=own.git.commit_id(name),
        commits=tuple(made),
        done=frozenset(made.values()),
        repository=own,
        filters=filters,
        private=private,
        scratch=scratch,
    )


def _worktree(repository: Repository, folder: Path, branch: str) -> Repository:
    """Gives the repository as seen from the folder; `Refused` where the folder belongs to another repository."""
    main = repository.git.folder
    found = find_repository(folder, (str(main),), repository.git.env)
    if isinstance(found, NoRepository):
        raise Refused(found.reason or "it is no folder of git's any more", where=str(folder))
    common = read_regular(found.git.folder / "commondir", GITFILE_BYTES).strip()
    # Both ways: the folder's records lie in ours, and lead back to us.
    if found.git.folder.parent != Path(os.path.realpath(main / "worktrees")) or common != b"../..":
        raise Refused("its git folder is not the workspace's", where=str(folder), hint="choose another --name")
    if found.branch() != f"refs/heads/{branch}":
        raise Refused(f"it has another branch than {branch} checked out", where=str(folder))
    return Repository(found.git, repository.prefix)


def _commits(repository: Repository, main: str, branch: str) -> dict[str, str]:
    """Gives the branch's own commits with their trailers, newest first; `Refused` where somebody else made one."""
    form = f"--format=%H%x00%(trailers:key={TRAILER},valueonly,separator=%x00)"
    rows = repository.git.run("log", "--first-parent", form, "HEAD", "--not", main).decode("utf-8", "replace")
    commits = {row.partition("\0")[0]: row.partition("\0")[2].strip() for row in rows.splitlines() if row}
    if any(not value.startswith(f"{branch} ") for value in commits.values()):
        hint = "memdeck review brings what stands there; for a replay choose another --name"
        raise Refused("the branch holds commits that no replay made", where=branch, hint=hint)
    return commits


def _sign(subject: str, files: Mapping[str, bytes]) -> str:
    return sha256_hex(canonical_json([subject, sorted((path, sha256_hex(data)) for path, data in files.items())]))[:16]


def write_below(folder: Path, path: str, data: bytes) -> None:
    """Writes a file below a folder, without following any link."""
    *parents, name = relative_path(path).split("/")
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        for parent in parents:
            with suppress(FileExistsError):
                os.mkdir(parent, dir_fd=fd)
            fd, above = open_folder_at(fd, parent), fd
            os.close(above)
        # A name has at most 255 bytes, and keeps room for what stands around it.
        part = f".{name[:200]}.part"
        file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644, dir_fd=fd)
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise Refused("something else is in its place", where=path)
            write_all(file, data)
        finally:
            os.close(file)
        os.rename(part, name, src_dir_fd=fd, dst_dir_fd=fd)
    finally:
        os.close(fd)
