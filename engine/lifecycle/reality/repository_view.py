"""Reads a repository or folder: files, targets, versions, settings, commits, branches and removed files. Nothing of
it is executed: files are read without following links, git by its plumbing (decision D22)."""

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain, islice

import msgspec

from engine.errors import MemdeckError
from engine.history.git import Git, GitFailed
from engine.text.pattern_file import converted, made_of, pattern_file
from engine.workspace.layout import is_closed_folder
from engine.workspace.paths import WorkspaceRoot

MOST_FILES = 200_000  # files and commits of a repository that are listed
_MOST_READ = 300  # files of a tool that are read for targets, versions or settings, those near the top first
_MOST_BYTES = 512 * 1024  # of one file
_FILE = "engine/lifecycle/reality/project_files.toml"


class _ToolRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A row of the table: a form of line in a kind of file."""

    files: tuple[str, ...]
    gives: str
    line: str
    name: str = ""
    from_: str = msgspec.field(name="from", default="")
    to: str = ""


class _Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    row: tuple[_ToolRow, ...]
    aliases: dict[str, str]
    port_files: str
    port_line: str


class FileFact(msgspec.Struct, frozen=True):
    """A name with its value, and the line that says so."""

    name: str
    value: str
    path: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


class RepositoryView:
    """One repository, or a folder without git; each part is read when first used."""

    def __init__(self, root: WorkspaceRoot, git: Git | None) -> None:
        self.root, self.git, self.top = root, git, root.identity.path

    def _lines(self, *command: str, end: str = "\0") -> list[str]:
        """Gives the output of a git command, split at `end`; empty where it fails or there is no git."""
        try:
            out = b"".join(self.git.stream(*command)) if self.git is not None else b""
        except GitFailed:
            return []
        return [part for part in out.decode("utf-8", "replace").split(end) if part]

    @cached_property
    def files(self) -> frozenset[str]:
        listed = self._lines("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return frozenset(islice(listed if self.git is not None else self._walked(), MOST_FILES))

    def _walked(self) -> Iterator[str]:
        for folder, names, files in os.walk(self.top):
            names[:] = sorted(name for name in names if not is_closed_folder(name))
            yield from (f"{folder}/{file}"[len(self.top) + 1 :] for file in files)

    @cached_property
    def folders(self) -> frozenset[str]:
        folders: set[str] = set()
        for path in self.files:
            while (path := path.rpartition("/")[0]) and path not in folders:
                folders.add(path)
        return frozenset(folders)

    @cached_property
    def by_name(self) -> Mapping[str, tuple[str, ...]]:
        """The files and folders by the last part of their path, in lower case."""
        return _by_name(chain(self.files, self.folders))

    def has(self, path: str) -> bool:
        """Tells whether a file or folder exists, listed or not; links are not followed."""
        return path in self.folders or is_there(self.root, path)

    @cached_property
    def _tables(self) -> _Tables:
        return converted(pattern_file(__package__, "project_files.toml"), _Tables, _FILE)

    @cached_property
    def facts(self) -> Mapping[str, Mapping[str, tuple[FileFact, ...]]]:
        """The values in tools' files, by `version`, `own`, `setting` or `target RUNNER`, then by name."""
        by_kind: dict[str, dict[str, list[FileFact]]] = {row.gives: {} for row in self._tables.row}
        listed = sorted(self.files, key=lambda path: (path.count("/"), path))
        for row in self._tables.row:
            for path in [path for path in listed if _named(path, row.files)][:_MOST_READ]:
                text = (self.root.read_or_none(path, _MOST_BYTES) or b"").decode("utf-8", "replace")
                for fact in _row_facts(row, path, text):
                    by_kind[row.gives].setdefault(fact.name, []).append(fact)
        versions = by_kind["version"]
        versions |= {said: versions[name] for said, name in self._tables.aliases.items() if name in versions}
        return {gives: {name: tuple(some) for name, some in named.items()} for gives, named in by_kind.items()}

    @cached_property
    def ports(self) -> tuple[FileFact, ...]:
        """The ports in lines of files other than notes, each with the whole line."""
        line = made_of(re.compile, self._tables.port_line, _FILE, "port_line")
        found = list[FileFact]()
        for row in self._lines("grep", "-z", "-n", "-I", "-i", "-E", "-e", self._tables.port_files, end="\n"):
            path, number, text = (*row.split("\0", 2), "", "")[:3]
            if number.isdecimal() and not path.endswith(".md"):
                values = (value for match in line.finditer(text[:1000]) for value in match.groups() if value)
                found += (FileFact(text[:1000], value, path, int(number)) for value in values)
        return tuple(found)

    @cached_property
    def is_whole(self) -> bool:
        """Tells whether the whole history is here."""
        return 0 < len(self.commits.ids) < MOST_FILES and not (self.git and (self.git.folder / "shallow").exists())

    @cached_property
    def commits(self) -> "CommitIds":
        return CommitIds(sorted(self._lines("rev-list", "--all", "--reflog", f"--max-count={MOST_FILES}", end="\n")))

    @cached_property
    def branches(self) -> frozenset[str]:
        """The names of local and remote branches, and of tags."""
        names = self._lines("for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/remotes", end="\n")
        return frozenset(name.split("/", 3 if name.startswith("refs/remotes/") else 2)[-1] for name in names)

    def ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """Gives the paths that git ignores, which therefore cannot count as missing."""
        asked = "\0".join(f"./{path}" for path in dict.fromkeys(paths))
        if self.git is None or not asked:
            return frozenset()
        # It knows no literal paths, so `./` keeps it from reading a leading colon as something special.
        literal = {"GIT_LITERAL_PATHSPECS": "0"}
        _, out, _ = self.git.attempt("check-ignore", "-z", "--no-index", "--stdin", stdin=asked.encode(), more=literal)
        return frozenset(path.removeprefix("./") for path in out.decode("utf-8", "replace").split("\0")) - {""}

    @cached_property
    def removed(self) -> Mapping[str, tuple[str, str]]:
        """The newest commit that removed or renamed a path, and its new path, empty if there is none."""
        commits: dict[str, tuple[str, str]] = {}
        commit, kinds = "", ("--no-merges", "-M100%", "-l400", "--diff-filter=DR", "--name-status")
        parts = iter(self._lines("log", "-z", *kinds, "--format=%x01%h", "HEAD"))
        for part in (part.lstrip("\n") for part in parts):
            if part.startswith("\x01"):
                commit = part[1:].strip()
            elif part[:1] in ("D", "R"):
                commits.setdefault(next(parts, ""), (commit, next(parts, "") if part[0] == "R" else ""))
        return commits

    @cached_property
    def removed_by_name(self) -> Mapping[str, tuple[str, ...]]:
        return _by_name(self.removed)


class CommitIds:
    """The ids of commits, and every beginning of them."""

    def __init__(self, ids: list[str]) -> None:
        self.ids = ids

    def __contains__(self, beginning: object) -> bool:
        at = bisect_left(self.ids, str(beginning))
        return at < len(self.ids) and self.ids[at].startswith(str(beginning))


def is_there(root: WorkspaceRoot, path: str) -> bool:
    """Tells whether a folder has a file or folder at a path that does not lead out of it."""
    try:
        return root.lstat(path) is not None
    except MemdeckError:
        return False


def _by_name(paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    paths_of: dict[str, list[str]] = {}
    for path in sorted(paths):
        paths_of.setdefault(path.rpartition("/")[2].casefold(), []).append(path)
    return {name: tuple(some) for name, some in paths_of.items()}


def _named(path: str, patterns: tuple[str, ...]) -> bool:
    name = path.rpartition("/")[2]
    return any(name == one or ("*" in one and fnmatchcase(name, one)) for one in patterns)


def _row_facts(row: _ToolRow, path: str, text: str) -> Iterator[FileFact]:
    where = f"row, {row.files[0]}"
    begins, ends, line = (made_of(re.compile, one, _FILE, where) for one in (row.from_, row.to or r"\Z.", row.line))
    inside = not row.from_
    for number, said in enumerate(text.split("\n"), 1):
        if row.from_ and begins.search(said):
            inside = True
        elif inside and ends.search(said):
            inside = False
        elif inside and (found := line.search(said[:2_000])):
            parts = found.groupdict()
            name = row.name or parts.get("name") or ""
            yield FileFact(
                name.casefold() if row.gives in ("version", "setting") else name,
                (parts.get("value") or "").strip(),
                path,
                number,
            )
