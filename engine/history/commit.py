"""Commits exactly the given paths by git's plumbing, without the index, on top of the commit that was read (D22)."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.errors import MemdeckError
from engine.history.crypt_setup import check_filtered, filtered, ignored, is_encrypted
from engine.history.exploration_start import clear_left_over
from engine.history.git import GitFailed, GitTooSlow
from engine.history.git_hazards import OperatorSettings, operator_settings, rules_obstacle
from engine.history.git_index import held_index, index_lines, updated_index
from engine.history.gitmodules import FILE as GITMODULES
from engine.history.gitmodules import FOLDER as SHARED
from engine.history.gitmodules import shared_entries, shared_name
from engine.history.new_objects import NewObjects, as_git_writes, commit_bytes, committed_filters, stamp, sync_objects
from engine.history.new_repository import as_its_owner, hand_over
from engine.history.refs import common_folder, move_branch, sync_ref
from engine.history.repository import Repository
from engine.history.request import CommitReport, CommitRequest, Content, Person, ReadFile, messages
from engine.history.trees import LINK, REPOSITORY, Folders, PathEntry, above, changed_tree, entry_at, read_folders
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.workspace.layout import lies_in

_ATTEMPTS = 8  # commits that are made for one request while others move the branch; after these the commit is owed
_FEW = 8  # up to so many blobs are written with the commit, a file each; more go into one pack by `fast-import`
_RECENT = 50  # commits among which that of an earlier, killed call is looked for by its trailers


class _IndexBehind(MemdeckError):
    """The branch moved, but the index could not be updated: its lock stays until the index is updated."""


@dataclass
class _Work:
    """One commit while it is being made. Facts that cost a call of git are asked for once."""

    repository: Repository
    request: CommitRequest
    read: ReadFile
    folder: Path
    problems: list[str]

    @property
    def index(self) -> Path:
        return self.folder / "index"

    @cached_property
    def settings(self) -> OperatorSettings:
        return operator_settings(self.repository.git)

    @cached_property
    def id_length(self) -> int:
        return 64 if self.repository.git.line("rev-parse", "--show-object-format") == "sha256" else 40

    def objects(self, known: str) -> NewObjects:
        """Gives an empty collection of objects with ids as long as `known`, an id of the repository, or empty."""
        return NewObjects(long=(len(known) or self.id_length) == 64)

    @cached_property
    def committer(self) -> Person:
        """The name and address of git's settings, or memdeck's; always memdeck's where somebody else is the author."""
        own = self.settings.person if self.request.author is None else Person("", "")
        own = as_git_writes(Person(visible_line(own.name), visible_line(own.email)))
        return Person(own.name or "memdeck", own.email or "memdeck@localhost")


def commit_paths(repository: Repository, request: CommitRequest, read: ReadFile) -> CommitReport:
    """Makes one commit of `request.paths` on HEAD, under the index lock; reports git's errors. It is owed during a
    merge, a rebase or another's lock. Left out: ignored or missing paths, and unnamed encrypting filters."""
    problems: list[str] = []
    try:
        with _scratch(request.scratch) as folder:
            work = _Work(as_its_owner(repository, folder), request, read, folder, problems)
            clear_left_over(repository, work.repository.git, request.scratch)
            return _commit(work)
    except (MemdeckError, OSError) as error:
        return _owed(visible_line(error.line() if isinstance(error, MemdeckError) else str(error)), problems)


def _owed(what: str, problems: Sequence[str] = ()) -> CommitReport:
    return CommitReport(None, (*problems, f"not committed: {what}"), owed=what)


@contextmanager
def _scratch(parent: Path) -> Iterator[Path]:
    """Makes a private temporary folder for git's files and removes those that a crash left."""
    for left in parent.glob("git-*"):
        shutil.rmtree(left, ignore_errors=True)
    with TemporaryDirectory(prefix="git-", dir=parent) as folder:
        yield Path(folder)


def _commit(work: _Work) -> CommitReport:
    if what := work.repository.under_way():
        return _owed(f"{what} is under way")
    ours = (work.repository.prefix + path for path in work.request.paths)
    if waits := rules_obstacle(work.repository.git.top, ours, work.settings.rule_files):
        return _owed(visible_line(waits))
    why = ""
    for _ in range(_ATTEMPTS):
        old, recent = _recent(work)
        # A call that was killed may have moved the branch already: its trailers tell.
        wanted = set(_trailer_lines(work.request))
        known = next((commit for commit, lines in recent if wanted <= set(lines)), "")
        if known:
            return _followed(work, known, old)
        work.problems.clear()
        folders = read_folders(work.repository.git, old, _places(work))
        objects = work.objects(old)
        if not (entries := _entries(work, old, folders, objects)):
            return CommitReport(None, tuple(work.problems))
        new = _commit_object(work, old, folders, entries, objects)
        try:
            why = _moved_with_index(work, new, old, folders, entries)
        except _IndexBehind as error:
            return _index_owed(work, new, error)
        if not why:
            return CommitReport(new, tuple(work.problems))
    return _owed(why, work.problems)


def _moved_with_index(work: _Work, new: str, old: str, folders: Folders, entries: Sequence[PathEntry]) -> str:
    """Moves the branch and the index; gives the reason if it could not, empty if it did. Raises `IndexLocked`."""
    git = work.repository.git
    with held_index(git.folder, git.owner) as index:
        if what := work.repository.under_way():
            return f"{what} is under way"
        # Durable before the branch moves: after it only a rename is left that could fail.
        index.write(updated_index(git, folders, index_lines(entries, len(new)), work.folder))
        index.keep()
        try:
            # Only if it still stands at `old`, to which the index belongs.
            subject = visible_line(redact(work.request.subject))
            why = move_branch(work.repository, new, old, subject, _logged(work), work.request.scratch)
        except (MemdeckError, OSError):
            if work.repository.head() == old:
                index.let_go()
            raise
        if why:
            index.let_go()
            return why
        try:
            index.replace()
        except OSError as error:
            raise _IndexBehind(str(error)) from error
    return ""


def _logged(work: _Work) -> dict[str, str]:
    who = work.committer
    facts = {"NAME": who.name, "EMAIL": who.email, "DATE": f"@{stamp(work.request.at)}"}
    return {f"GIT_COMMITTER_{key}": value for key, value in facts.items()}


def _recent(work: _Work) -> tuple[str, list[tuple[str, list[str]]]]:
    """Reads the commit of HEAD, or empty, and the recent commits with their message lines, newest first."""
    try:
        recent = list(messages(work.repository.git, "HEAD", f"--max-count={_RECENT}"))
    except GitTooSlow:
        raise
    except GitFailed:
        if work.repository.head():
            raise
        recent = []
    return recent[0][0] if recent else "", recent


def _places(work: _Work) -> list[str]:
    prefix, paths = work.repository.prefix, work.request.paths
    shared = [] if prefix or GITMODULES not in paths else [SHARED]
    return [*(prefix + path for path in paths), *shared]


def _followed(work: _Work, commit: str, head: str) -> CommitReport:
    """Updates the index for a commit that an earlier call made before it was interrupted."""
    git = work.repository.git
    sync_ref(common_folder(git), work.repository.branch() or "HEAD")
    now = read_folders(git, head, _places(work))
    paths = [work.repository.prefix + path for path in work.request.paths]
    paths = [path for path in paths if _mode_at(now, SHARED + shared_name(path)) != REPOSITORY]
    entries = [_as_committed(now, path) for path in paths] + _shared_links(work, now)
    before = read_folders(git, git.commit_id(f"{commit}^1"), _places(work))
    try:
        with held_index(git.folder, git.owner) as index:
            index.write(updated_index(git, before, index_lines(entries, len(commit)), work.folder))
            index.replace()
    except (MemdeckError, OSError) as error:
        return _index_owed(work, commit, error)
    return CommitReport(commit, tuple(work.problems))


def _index_owed(work: _Work, commit: str, error: MemdeckError | OSError) -> CommitReport:
    what = error.line() if isinstance(error, MemdeckError) else str(error)
    told = f"the index does not show the commit yet: {visible_line(what)}"
    return CommitReport(commit, (*work.problems, told), owed=told)


def _entries(work: _Work, old: str, folders: Folders, objects: NewObjects) -> list[PathEntry]:
    links = _shared_links(work, folders)
    paths = _committable(work, folders, links)
    paths = _still_ours(work, paths, old, folders)
    blobs = _contents(work, paths, committed_filters(work.repository, paths, folders, work.index))
    ids = _blob_ids(work, [content.data for content in blobs.values()], objects)
    known = {path: mode for path in paths if (mode := _mode_at(folders, path))}
    entries = [PathEntry(path, known[path], None) for path in paths if path not in blobs and path in known]
    entries += [
        PathEntry(path, known.get(path) or ("100755" if content.executable else "100644"), blob)
        for (path, content), blob in zip(blobs.items(), ids, strict=True)
    ]
    return entries + links


def _mode_at(folders: Folders, path: str) -> str:
    """Gives the mode of a committed path, that of a file for a symbolic link; empty where nothing is committed."""
    entry = entry_at(folders, path)
    mode = "" if entry is None else entry.file_mode
    return "100644" if mode == LINK else mode


def _as_committed(folders: Folders, path: str) -> PathEntry:
    entry = entry_at(folders, path)
    return PathEntry(path, "100644", None) if entry is None else PathEntry(path, entry.file_mode, entry.id)


def _shared_links(work: _Work, folders: Folders) -> list[PathEntry]:
    """Gives the submodule entry of each changed shared repository, at its pin; removes an entry without a pin."""
    prefix, paths = work.repository.prefix, work.request.paths
    if prefix or GITMODULES not in paths:
        return []
    content = work.read(GITMODULES)
    pins = {name: entry.pin for name, entry in shared_entries(content.data if content is not None else b"").items()}
    written = {shared_name(path) for path in paths} - {""}
    known = {name for name in written | pins.keys() if _mode_at(folders, SHARED + name) == REPOSITORY}
    return [PathEntry(SHARED + name, REPOSITORY, pins.get(name)) for name in sorted(known | (written & pins.keys()))]


def _committable(work: _Work, folders: Folders, links: Sequence[PathEntry]) -> list[str]:
    paths = [work.repository.prefix + path for path in dict.fromkeys(work.request.paths)]
    shared = {link.path for link in links}
    paths = [path for path in paths if SHARED + shared_name(path) not in shared]
    foreign = [path for path in paths if _in_other_repository(path, folders, work.repository.git.top)]
    paths = [path for path in paths if path not in foreign]
    new = [path for path in paths if entry_at(folders, path) is None]
    left_out = ignored(work.repository, new, work.index) if new else frozenset()
    _report(work, "inside another repository", foreign)
    _report(work, "ignored by git", [path for path in paths if path in left_out])
    return [path for path in paths if path not in left_out]


def _in_other_repository(path: str, folders: Folders, top: Path) -> bool:
    upper = above(path)[1:]
    return any(_mode_at(folders, one) == REPOSITORY or (top / one / ".git").exists() for one in upper)


def _still_ours(work: _Work, paths: list[str], head: str, now: Folders) -> list[str]:
    """Gives the paths that nobody else committed since the commit became owed."""
    since = work.request.since
    if since is None or since.base == head or not paths:
        return paths
    then = read_folders(work.repository.git, since.base or "", paths)
    objects = work.objects(head)
    taken = []
    for path in paths:
        present = _as_committed(now, path).blob or ""
        met = since.before(path.removeprefix(work.repository.prefix))
        expected = {"" if met is None else objects.id_of("blob", met)}
        if since.base is not None:
            expected.add(_as_committed(then, path).blob or "")
        if present not in (expected if since.base is not None else expected | {""}):
            taken.append(path)
    _report(work, "committed by others since", taken)
    return [path for path in paths if path not in taken]


def _contents(work: _Work, paths: list[str], drivers: Mapping[str, str]) -> dict[str, Content]:
    """Reads the bytes of each path; removes from `paths` the paths that may not be committed."""
    contents: dict[str, Content] = {}
    in_clear: list[str] = []
    for path in paths.copy():
        try:
            name = path.removeprefix(work.repository.prefix)
            content, driver = work.read(name), drivers.get(path, "")
            private = lies_in(name, work.request.private)
            if content is not None and (driver or private) and not is_encrypted(content.data, driver):
                command = work.request.filters.get(driver) if driver else None
                if command is None:
                    in_clear.append(path)
                    paths.remove(path)
                    continue
                data = filtered(command, path, content.data, work.repository, work.repository.git.env)
                check_filtered(path, content.data, data, driver, private=private)
                content = Content(data, content.executable)
        except MemdeckError as error:
            work.problems.append(f"omitted from the commit: {visible_line(error.line())}")
            paths.remove(path)
            continue
        if content is not None:
            contents[path] = content
    unfiltered = [path for path in in_clear if path not in drivers]
    in_clear = [path for path in in_clear if path in drivers]
    _report(work, "to be filtered by " + ", ".join(sorted({drivers[path] for path in in_clear})), in_clear)
    _report(work, "private, and .gitattributes names no filter that encrypts it", unfiltered)
    return contents


def _report(work: _Work, why: str, paths: Sequence[str]) -> None:
    if paths:
        named = ", ".join(visible_line(path) for path in paths[:3])
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        work.problems.append(f"omitted from the commit ({why}): {named}{more}")


def _blob_ids(work: _Work, contents: list[bytes], objects: NewObjects) -> list[str]:
    """Gives the ids of the contents, without filters. Many are written at once, a few go with the commit."""
    if len(contents) <= _FEW:
        return [objects.add("blob", data) for data in contents]
    stream = b"".join(b"blob\ndata %d\n%s\n" % (len(data), data) for data in contents)
    work.repository.git.run("fast-import", "--quiet", "--done", stdin=stream + b"done\n")
    return [objects.id_of("blob", data) for data in contents]


def _commit_object(work: _Work, old: str, folders: Folders, entries: Sequence[PathEntry], objects: NewObjects) -> str:
    tree = changed_tree(folders, entries, lambda data: objects.add("tree", data))
    told = [visible_line(redact(line)) for line in (work.request.subject, *work.request.body)]
    # Each line a bullet, so that none can be read as a trailer of ours.
    body = [f"- {line.removeprefix('- ')}" for line in told[1:]]
    message = "\n".join((told[0], "", *body, *([""] if body else []), *_trailer_lines(work.request), ""))
    author = work.request.author or work.committer
    new = objects.add("commit", commit_bytes(tree, old, author, work.committer, work.request.at, message))
    git = work.repository.git
    objects.write(git)
    hand_over(git, new, old)
    # The branch may come through a power cut that happens later: what it names is there before it.
    sync_objects(common_folder(git), (*objects.by_id, *(entry.blob for entry in entries if entry.blob)))
    return new


def _trailer_lines(request: CommitRequest) -> list[str]:
    return [f"{trailer.key}: {visible_line(trailer.value)}" for trailer in request.trailers]
