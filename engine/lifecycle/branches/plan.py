"""Plans the end of explorations and replays: each branch becomes a tag, and nothing is deleted (§3.3, §10.4, D55).
The plan renames the branch's file, so that it goes stale when the branch moves, and can be undone."""

from collections.abc import Collection, Iterable, Mapping

import msgspec

from engine.errors import UsageError
from engine.history.explorations import EXTRACT, PREFIX, Exploration
from engine.plans.git_places import BRANCHES, PACKED, TAGS, is_branch_name
from engine.plans.plan import Create, Replace
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line

_HEADS, _TAGS = ".git/refs/heads/", f".git/refs/tags/{TAGS}"
_LOGS, _TAG_LOGS = ".git/logs/refs/heads/", f".git/logs/refs/tags/{TAGS}"


class BranchFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The explorations, and git's files about them by path. `tags`: names that exist below `TAGS`."""

    explorations: tuple[Exploration, ...]
    files: Mapping[str, bytes]
    tags: frozenset[str]
    head: str  # the branch that the workspace itself has checked out


def loose_path(branch: str) -> str:
    """Gives the file of a branch that is not packed."""
    return f"{_HEADS}{branch}"


def log_path(branch: str) -> str:
    return f"{_LOGS}{branch}"


def plan_branches(planning: Planning, files: BranchFiles, named: Collection[str]) -> PlanOutcome:
    """Plans the end of explorations older than a week, or of the named ones; `UsageError` for an unknown one."""
    asked = {name if name.startswith((PREFIX, EXTRACT)) else f"{PREFIX}{name}": name for name in named}
    there = {exploration.branch for exploration in files.explorations}
    if unknown := [name for branch, name in asked.items() if branch not in there]:
        hint = "memdeck explore lists them"
        raise UsageError("there is no such exploration", where=visible_line(unknown[0][:100]), hint=hint)
    chosen = [one for one in files.explorations if (one.branch in asked if named else one.is_old(planning.now))]
    ends = _Ends(planning, files)
    for one in chosen:
        ends.add(one)
    return ends.outcome()


class _Ends:
    def __init__(self, planning: Planning, found: BranchFiles) -> None:
        self._planning, self._found = planning, found
        self._draft = Draft(planning)
        self._taken = set(found.tags)
        self._packed: dict[str, int] = {}
        self._said: list[str] = []

    def add(self, exploration: Exploration) -> None:
        """Adds the changes that end an exploration, or the reason why it stays."""
        branch, why = exploration.branch, self._objection(exploration)
        if why:
            self._said.append(f"  {visible_line(branch)} stays: {why}")
            return
        tag = self._free(branch)
        days = (self._planning.now - exploration.begun).days
        reason = f"begun {days:,} days ago; its commit {exploration.commit[:12]} stays as the tag {TAGS}{tag}"
        number = self._ref(exploration, tag, reason)
        if self._is_packed(branch):
            self._packed[branch] = number
        if log_path(branch) in self._found.files:
            self._move(log_path(branch), f"{_TAG_LOGS}{tag}", "git's log of it goes along", number)
        for path, data in self._found.files.items():
            if path.startswith(".git/worktrees/") and data == f"ref: refs/heads/{branch}\n".encode():
                self._replace(path, f"{exploration.commit}\n", "its folder names the commit from now on", [number])
        folder = f" · its folder {visible_line(exploration.folder)} stays as it is" if exploration.folder else ""
        self._said.append(f"  {branch} → tag {TAGS}{tag} · {days:,} days{folder}")

    def _objection(self, exploration: Exploration) -> str:
        if not is_branch_name(exploration.name):
            return "a name of several parts; git branch -m renames it"
        if self._found.head == f"refs/heads/{exploration.branch}":
            return "the workspace itself has it checked out"
        if (loose := self._found.files.get(loose_path(exploration.branch))) is None:
            return "" if self._is_packed(exploration.branch) else "git keeps it in no file that a plan may change"
        return "" if loose == f"{exploration.commit}\n".encode() else "git's file of it holds no commit"

    def _is_packed(self, branch: str) -> bool:
        return any(_is_line_of(line, branch) for line in self._packed_lines())

    def _packed_lines(self) -> list[bytes]:
        return self._found.files.get(PACKED, b"").splitlines(keepends=True)

    def _free(self, branch: str) -> str:
        tag = next(one for one in (branch, *(f"{branch}-{n}" for n in range(2, 10_000))) if one not in self._taken)
        self._taken.add(tag)
        return tag

    def _ref(self, exploration: Exploration, tag: str, reason: str) -> int:
        if loose_path(exploration.branch) in self._found.files:
            return self._move(loose_path(exploration.branch), f"{_TAGS}{tag}", reason)
        return self._draft.write(Create, f"{_TAGS}{tag}", f"{exploration.commit}\n", reason)

    def _move(self, path: str, to: str, reason: str, *requires: int) -> int:
        self._draft.bind(path, sha256_hex(self._found.files[path]))
        return self._draft.move(path, to, reason, requires=requires)

    def _replace(self, path: str, content: str, reason: str, requires: Iterable[int]) -> None:
        self._draft.bind(path, sha256_hex(self._found.files[path]))
        self._draft.write(Replace, path, content, reason, requires=requires)

    def outcome(self) -> PlanOutcome:
        if self._packed:
            rest = (row for row in self._packed_lines() if not any(_is_line_of(row, name) for name in self._packed))
            text = b"".join(rest).decode("utf-8", "surrogateescape")
            why = "the branches leave the list in which git keeps packed ones"
            self._replace(PACKED, text, why, self._packed.values())
        none = "none of them can be ended by a plan" if self._said else "no exploration is older than a week"
        first = "Explorations end, and a tag keeps the outcome of each. Nothing is deleted."
        rows = [first, *self._said] if self._draft.changes else self._said
        return self._draft.outcome(BRANCHES, none, report="".join(f"{row}\n" for row in rows), facts={})


def _is_line_of(line: bytes, branch: str) -> bool:
    return line.rstrip(b"\n").endswith(f" refs/heads/{branch}".encode())
