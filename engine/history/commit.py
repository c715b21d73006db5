"""Commits exactly the given paths by plumbing: private index, compare-and-swap of the branch (decision D22)."""

import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha1, sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from engine.errors import MemdeckError
from engine.history.branch import move_branch
from engine.history.commit_trailers import messages
from engine.history.git import SHORT, Git
from engine.history.git_filters import check_filtered, filtered, filters_of, ignored, is_encrypted
from engine.history.git_hazards import rules_obstacle
from engine.history.git_index import held_index, updated_index
from engine.history.gitmodules import FILE as GITMODULES
from engine.history.gitmodules import FOLDER as SHARED
from engine.history.gitmodules import shared_entries, shared_name
from engine.history.owner import as_its_owner, hand_over
from engine.history.repository import Repository
from engine.history.request import CommitReport, CommitRequest, Content, Person, ReadFile
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.workspace.layout import lies_in

_ATTEMPTS = 8
"""Commits that are made for one request while others move the branch; after these the commit is owed."""
_FEW = 8
"""Up to so many blobs are written one by one; for more, one `fast-import` is cheaper."""
_RECENT = 50
"""Commits among which that of an earlier, killed call is looked for by its trailers."""
_LINK, _REPOSITORY = "120000", "160000"


class _IndexBehind(MemdeckError):
    """The branch moved, and the index could not follow: its lock stays until it does."""


class _Entry(msgspec.Struct, frozen=True):
    """A path in the new tree; `blob` None takes it out."""

    path: str
    mode: str
    blob: str | None


@dataclass
class _Work:
    """One commit in the making. Facts that cost a call of git are asked for once."""

    repository: Repository
    request: CommitRequest
    read: ReadFile
    folder: Path
    problems: list[str]

    @property
    def index(self) -> Path:
        return self.folder / "index"

    @cached_property
    def id_length(self) -> int:
        """Hexadecimal digits of the repository's ids."""
        return 64 if self.repository.git.line("rev-parse", "--show-object-format") == "sha256" else 40

    def blob_id(self, data: bytes) -> str:
        """The id that git gives to these bytes."""
        algorithm = sha256 if self.id_length == 64 else sha1
        return algorithm(b"blob %d\0%s" % (len(data), data)).hexdigest()

    @cached_property
    def identity(self) -> dict[str, str]:
        """The name git is set up with, or ours; and the real time. Where there is an author, ours beside it."""
        git, at, author = self.repository.git, self.request.at, self.request.author
        own = _operator(git) if author is None else Person("", "")
        committer = Person(visible_line(own.name) or "memdeck", visible_line(own.email) or "memdeck@localhost")
        people = {"AUTHOR": author or committer, "COMMITTER": committer}
        facts = {f"GIT_{who}_NAME": one.name for who, one in people.items()}
        facts |= {f"GIT_{who}_EMAIL": one.email for who, one in people.items()}
        return facts | {f"GIT_{who}_DATE": f"@{int(at.timestamp())} {at:%z}" for who in people}


def _operator(git: Git) -> Person:
    """The name and the address that git is set up with, the last ones set; empty where there are none."""
    rows = git.attempt("config", "-z", "--get-regexp", r"^user\.(name|email)$", timeout=SHORT)[1].split(b"\0")
    told = dict(row.decode("utf-8", "replace").partition("\n")[::2] for row in rows)
    return Person(told.get("user.name", "").strip(), told.get("user.email", "").strip())


def commit_paths(repository: Repository, request: CommitRequest, read: ReadFile) -> CommitReport:
    """Makes one commit of `request.paths` on top of HEAD, under the lock of the index. Never raises for what git says.

    A foreign commit in between is built upon; nothing is committed while a merge or the like is under way, nor while
    another git holds the index: then the commit is owed. Left out and reported: what git ignores, what a filter should
    encrypt that the policy does not name, what is no file.
    """
    problems: list[str] = []
    try:
        with _scratch(request.scratch) as folder:
            return _commit(_Work(as_its_owner(repository, folder), request, read, folder, problems))
    except (MemdeckError, OSError) as error:
        what = visible_line(error.line() if isinstance(error, MemdeckError) else str(error))
        return _owed(what, problems)


def _owed(what: str, problems: Sequence[str] = ()) -> CommitReport:
    return CommitReport(None, (*problems, f"not committed: {what}"), owed=what)


@contextmanager
def _scratch(parent: Path) -> Iterator[Path]:
    """A private folder for git's files; what a crash left of earlier ones goes with it."""
    for left in parent.glob("git-*"):
        shutil.rmtree(left, ignore_errors=True)
    with TemporaryDirectory(prefix="git-", dir=parent) as folder:
        yield Path(folder)


def _commit(work: _Work) -> CommitReport:
    what = work.repository.under_way()
    if what:
        return _owed(f"{what} is under way")
    waits = rules_obstacle(work.repository.git, (work.repository.prefix + path for path in work.request.paths))
    if waits:
        return _owed(visible_line(waits))
    why = ""
    for _ in range(_ATTEMPTS):
        old = work.repository.head()
        # A call that was killed may have moved the branch already: its trailers tell.
        known = _already(work, old)
        if known:
            return _followed(work, known, old)
        work.problems.clear()
        entries = _build_index(work, old)
        if not entries:
            return CommitReport(None, tuple(work.problems))
        new = _commit_object(work, old)
        try:
            why = _moved_with_index(work, new, old, _index_lines(entries, len(new)))
        except _IndexBehind as error:
            return _index_owed(work, new, error)
        if not why:
            return CommitReport(new, tuple(work.problems))
    return _owed(why, work.problems)


def _moved_with_index(work: _Work, new: str, old: str, lines: bytes) -> str:
    """Moves the branch, and the index with it; why not, where somebody was faster. `IndexLocked` as `held_index`."""
    git = work.repository.git
    with held_index(git.folder, git.owner) as index:
        # Under the index's lock again, for no commit by git's own command can move the branch from here on.
        if work.repository.head() != old:
            return "the branch kept changing"
        if what := work.repository.under_way():
            return f"{what} is under way"
        # Durable before the branch moves: after it only a rename is left that could fail.
        index.write(updated_index(git, old, lines, work.folder))
        hand_over(git, new, old)
        index.keep()
        try:
            why = move_branch(work.repository, new, old, visible_line(redact(work.request.subject)), work.identity)
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


def _already(work: _Work, head: str) -> str:
    """The recent commit that bears our trailers, where an earlier call came that far."""
    wanted = set(_trailer_lines(work.request))
    recent = messages(work.repository.git, head, f"--max-count={_RECENT}")
    return next((commit for commit, lines in recent if wanted <= set(lines)), "")


def _followed(work: _Work, commit: str, head: str) -> CommitReport:
    """Lets the index follow a commit that an earlier call made before it was cut off."""
    git = work.repository.git
    tree = dict(_modes_and_blobs(git.run("ls-tree", "-r", "-z", "--full-tree", head)))
    paths = [work.repository.prefix + path for path in work.request.paths]
    paths = [path for path in paths if tree.get(SHARED + shared_name(path), ("",))[0] != _REPOSITORY]
    entries = [_Entry(path, *tree.get(path, ("100644", None))) for path in paths]
    entries += _shared_links(work, {path: mode for path, (mode, _) in tree.items()})
    old = git.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^1")
    try:
        with held_index(git.folder, git.owner) as index:
            index.write(updated_index(git, old, _index_lines(entries, len(commit)), work.folder))
            index.replace()
    except (MemdeckError, OSError) as error:
        return _index_owed(work, commit, error)
    return CommitReport(commit, tuple(work.problems))


def _index_owed(work: _Work, commit: str, error: MemdeckError | OSError) -> CommitReport:
    what = error.line() if isinstance(error, MemdeckError) else str(error)
    told = f"the index does not show the commit yet: {visible_line(what)}"
    return CommitReport(commit, (*work.problems, told), owed=told)


def _modes_and_blobs(listing: bytes) -> Iterator[tuple[str, tuple[str, str]]]:
    for row in os.fsdecode(listing).split("\0"):
        facts, _, path = row.partition("\t")
        if path:
            yield path, (facts[:6], facts.rpartition(" ")[2])


def _build_index(work: _Work, old: str) -> list[_Entry]:
    """Fills the private index with HEAD's tree and our paths; returns our entries, none where nothing is left."""
    git = work.repository.git
    git.run(*(("read-tree", old) if old else ("read-tree", "--empty")), index=work.index)
    modes = dict(_modes(git.run("ls-files", "--stage", "-z", index=work.index), _named(work)))
    links = _shared_links(work, modes)
    paths = _committable(work, modes)
    paths = _still_ours(work, paths, old)
    blobs = _contents(work, paths)
    ids = _write_blobs(work, [content.data for content in blobs.values()])
    entries = [_Entry(path, modes.get(path, "100644"), None) for path in paths if path not in blobs and path in modes]
    entries += [_Entry(path, modes.get(path, _mode(blobs[path])), blob) for path, blob in zip(blobs, ids, strict=True)]
    entries += links
    lines = _index_lines(entries, len(old) or work.id_length)
    git.run("update-index", "-z", "--index-info", stdin=lines, index=work.index)
    return entries


def _mode(content: Content) -> str:
    """The mode of a path that is new to git."""
    return "100755" if content.executable else "100644"


def _named(work: _Work) -> frozenset[str]:
    """Our paths as git names them, and the folders that they lie in."""
    paths = [Path(work.repository.prefix + path) for path in work.request.paths]
    return frozenset(str(one) for path in paths for one in (path, *path.parents))


def _modes(listing: bytes, wanted: Collection[str]) -> Iterator[tuple[str, str]]:
    """Path and mode of each entry of `ls-files --stage -z` that is wanted or shared from elsewhere.

    A link that became a file gets a file's mode.
    """
    for row in os.fsdecode(listing).split("\0"):
        facts, _, path = row.partition("\t")
        if path in wanted or path.startswith(SHARED):
            yield path, "100644" if facts.startswith(_LINK) else facts[:6]


def _shared_links(work: _Work, modes: Mapping[str, str]) -> list[_Entry]:
    """The entries of shared repositories that the request writes in, as submodules at their pins; gone without one.

    Their notes are no files of this repository. The pins are those of `.gitmodules` as it is committed with them.
    """
    prefix, paths = work.repository.prefix, work.request.paths
    if prefix or GITMODULES not in paths:
        return []
    content = work.read(GITMODULES)
    pins = {name: entry.pin for name, entry in shared_entries(content.data if content is not None else b"").items()}
    written = {shared_name(path) for path in paths} - {""}
    known = {name for name in written | pins.keys() if modes.get(SHARED + name) == _REPOSITORY}
    return [_Entry(SHARED + name, _REPOSITORY, pins.get(name)) for name in sorted(known | (written & pins.keys()))]


def _committable(work: _Work, modes: Mapping[str, str]) -> list[str]:
    """Our paths as git names them, without those it must not get."""
    paths = [work.repository.prefix + path for path in dict.fromkeys(work.request.paths)]
    shared = {link.path for link in _shared_links(work, modes)}
    paths = [path for path in paths if SHARED + shared_name(path) not in shared]
    foreign = [path for path in paths if _in_other_repository(path, modes, work.repository.git.top)]
    paths = [path for path in paths if path not in foreign]
    left_out = ignored(work.repository, paths, work.index) if paths else frozenset()
    _report(work, "inside another repository", foreign)
    _report(work, "ignored by git", [path for path in paths if path in left_out])
    return [path for path in paths if path not in left_out]


def _in_other_repository(path: str, modes: Mapping[str, str], top: Path) -> bool:
    parts = path.split("/")
    folders = ["/".join(parts[:n]) for n in range(1, len(parts))]
    return any(modes.get(folder) == _REPOSITORY or (top / folder / ".git").exists() for folder in folders)


def _still_ours(work: _Work, paths: list[str], head: str) -> list[str]:
    """The paths without those that somebody else committed since the commit became owed."""
    since = work.request.since
    if since is None or since.base == head or not paths:
        return paths
    git = work.repository.git
    now = dict(_modes_and_blobs(git.run("ls-tree", "-r", "-z", "--full-tree", head))) if head else {}
    listing = git.run("ls-tree", "-r", "-z", "--full-tree", since.base) if since.base else b""
    then = dict(_modes_and_blobs(listing))
    taken = []
    for path in paths:
        present = now.get(path, ("", ""))[1]
        met = since.before(path.removeprefix(work.repository.prefix))
        expected = {"" if met is None else work.blob_id(met)}
        if since.base is not None:
            expected.add(then.get(path, ("", ""))[1])
        if present not in (expected if since.base is not None else expected | {""}):
            taken.append(path)
    _report(work, "committed by others since", taken)
    return [path for path in paths if path not in taken]


def _contents(work: _Work, paths: list[str]) -> dict[str, Content]:
    """Reads the bytes to commit of each path that has some; paths that may not be committed leave `paths`."""
    drivers = filters_of(work.repository, paths, work.index) if paths else {}
    found: dict[str, Content] = {}
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
            found[path] = content
    unfiltered = [path for path in in_clear if path not in drivers]
    in_clear = [path for path in in_clear if path in drivers]
    _report(work, "to be filtered by " + ", ".join(sorted({drivers[path] for path in in_clear})), in_clear)
    _report(work, "private, and .gitattributes names no filter that encrypts it", unfiltered)
    return found


def _report(work: _Work, why: str, paths: Sequence[str]) -> None:
    if paths:
        named = ", ".join(visible_line(path) for path in paths[:3])
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        work.problems.append(f"omitted from the commit ({why}): {named}{more}")


def _write_blobs(work: _Work, contents: list[bytes]) -> list[str]:
    """Writes the contents as they are, no filter applied, and returns their ids."""
    git = work.repository.git
    if len(contents) <= _FEW:
        return [_one_line(git.run("hash-object", "-w", "--no-filters", "--stdin", stdin=data)) for data in contents]
    stream = b"".join(b"blob\ndata %d\n%s\n" % (len(data), data) for data in contents)
    git.run("fast-import", "--quiet", "--done", stdin=stream + b"done\n")
    return [work.blob_id(data) for data in contents]


def _one_line(out: bytes) -> str:
    return out.decode("ascii", "replace").strip()


def _index_lines(entries: Sequence[_Entry], id_length: int) -> bytes:
    """Entries for `update-index --index-info`. Those that leave come first: a folder may take a file's place."""
    gone = [b"0 %s\t%s\0" % (b"0" * id_length, os.fsencode(entry.path)) for entry in entries if entry.blob is None]
    there = [
        f"{entry.mode} {entry.blob}\t".encode() + os.fsencode(entry.path) + b"\0" for entry in entries if entry.blob
    ]
    return b"".join(gone + there)


def _commit_object(work: _Work, old: str) -> str:
    git = work.repository.git
    tree = _one_line(git.run("write-tree", index=work.index))
    parents = ("-p", old) if old else ()
    told = [visible_line(redact(line)) for line in (work.request.subject, *work.request.body)]
    # Each line a bullet, so that none can be read as a trailer of ours.
    body = [f"- {line.removeprefix('- ')}" for line in told[1:]]
    message = "\n".join((told[0], "", *body, *([""] if body else []), *_trailer_lines(work.request), "")).encode()
    return _one_line(git.run("commit-tree", tree, *parents, "-F", "-", stdin=message, more=work.identity))


def _trailer_lines(request: CommitRequest) -> list[str]:
    return [f"{trailer.key}: {visible_line(trailer.value)}" for trailer in request.trailers]
