"""Plans a workspace's missing folders, git settings, scripts and hooks (autopoiesis §3, §11; D23, D24, D51)."""

from collections.abc import Collection, Mapping
from enum import StrEnum

import msgspec

from engine.history.crypt_setup import CRYPT
from engine.history.hook_scripts import CALL_OURS, HOOK_FOLDER, HOOKS
from engine.plans.git_places import INIT
from engine.plans.plan import Append, Change, Create, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.canonical_json import sha256_hex
from engine.text.pattern_file import pattern_file
from engine.workspace.values import Capability

KEEP = ".gitkeep"  # the empty file by which git keeps an empty folder

_LAYOUT = pattern_file(__package__, "layout.toml")
_OF_CAPABILITY = {Capability(name): tuple(folders) for name, folders in _LAYOUT["folders"].items()}

IGNORE = ".gitignore"
ATTRIBUTES = ".gitattributes"
LINES: Mapping[str, tuple[str, ...]] = {path: tuple(text.splitlines()) for path, text in _LAYOUT["lines"].items()}
"""The lines of each file of git settings, by its path."""

_CALL = '#!/bin/sh\n# Written by memdeck init; {about}\nexec memdeck --workspace "$(dirname -- "$0")/.." {call} "$@"\n'
SCRIPTS: Mapping[str, str] = {path: _CALL.format(**script) for path, script in _LAYOUT["scripts"].items()}
"""The text of each script by its path: a call of `memdeck` (decision D35)."""


def own_marks(change: Change) -> frozenset[int]:
    """Gives the lines of a hook or script with exactly memdeck's text, which are no instructions to the agent."""
    if isinstance(change, Create) and change.content == {**SCRIPTS, **HOOKS}.get(change.path):
        return frozenset(range(1, change.content.count("\n") + 1))
    return frozenset()


def folders_of(capabilities: Collection[Capability]) -> tuple[str, ...]:
    """Gives the folders of a workspace with these capabilities; without any, those of autopoiesis."""
    wanted = [capability for capability in _OF_CAPABILITY if capability in capabilities] or [Capability.AUTOPOIESIS]
    return tuple(dict.fromkeys(folder for capability in wanted for folder in _OF_CAPABILITY[capability]))


def missing_lines(path: str, present: bytes) -> tuple[str, ...]:
    """Gives the git settings that a file lacks; a person's line about the same pattern counts."""
    lines = present.decode("utf-8", "replace").splitlines()
    known = {line.strip().removeprefix("!").split()[0] for line in lines if line.strip().removeprefix("!")}
    missing: list[str] = []
    heading = ""
    for line in LINES[path]:
        if line.startswith("#") or not line:
            heading = line or heading
        elif line.split()[0] not in known:
            missing += [heading, line] if heading else [line]
            heading = ""
    return tuple(missing)


_HEADING = "# Encrypted by git-crypt"


class Encryption(msgspec.Struct, frozen=True):
    """The private folders, git-crypt, and what prevents encryption. `named`: memdeck's commits encrypt too."""

    folders: tuple[str, ...]
    program: str
    problem: str
    fix: str
    named: bool

    @property
    def obstacle(self) -> str:
        """The reason why nothing can be encrypted, and the fix; empty where it can."""
        if not self.folders:
            return "nothing is encrypted: the policy's git.private names no folder"
        return f"nothing is encrypted: {self.problem} · {self.fix}" if self.problem else ""

    def missing(self, present: bytes) -> tuple[str, ...]:
        """Gives the lines that are missing, or that precede another filter line, since the last one counts."""
        wanted = [f"/{folder}/** filter={CRYPT} diff={CRYPT}" for folder in self.folders]
        there = [line.strip() for line in present.decode("utf-8", "replace").splitlines()]
        others = [number for number, line in enumerate(there) if "filter" in line and line not in wanted]
        counting = set(there[others[-1] + 1 :] if others else there)
        lines = [line for line in wanted if line not in counting]
        return (_HEADING, *lines) if lines else ()

    def words(self, added: tuple[str, ...]) -> list[str]:
        """Gives the report's lines about encryption."""
        said = []
        if added:
            said.append(f"Private, and encrypted in git: {', '.join(self.folders)}.")
            said.append(f"Applying it first lets {self.program} make its key in .git/git-crypt where there is none.")
        said.append("Keep a copy of the key elsewhere: git-crypt export-key FILE. Without it nobody reads them again.")
        if not self.named:
            line = f"git: {{filters: {{{CRYPT}: {self.program} clean}}}}"
            said.append(f"memdeck's own commits leave private files out until the policy has: {line}")
        return said


class GitFolder(StrEnum):
    """The workspace's repository: its own, none yet, another folder's, or none wanted."""

    OWN = "own"
    NEW = "new"
    ELSEWHERE = "elsewhere"
    OFF = "off"


class PresentFiles(msgspec.Struct, frozen=True):
    """The existing files and folders of an init. `files`: bytes by path, None for no readable file."""

    folders: frozenset[str]
    files: Mapping[str, bytes | None]
    git: GitFolder
    hooks_elsewhere: str = ""  # the folder from which git runs hooks, where those of `.git/hooks` never run


def wanted_paths() -> tuple[str, ...]:
    """Gives every path that an init may write."""
    return (*LINES, *SCRIPTS, *HOOKS)


def plan_init(planning: Planning, present: PresentFiles, encryption: Encryption | None = None) -> PlanOutcome:
    """Plans what is missing; gives the reason where nothing is missing, or where the asked encryption is impossible."""
    reason = encryption.obstacle if encryption is not None else ""
    if not reason and encryption is not None and present.git in (GitFolder.ELSEWHERE, GitFolder.OFF):
        reason = f"nothing is encrypted: {_GIT[present.git]}"
    if reason:
        return PlanOutcome(plan=None, reason_no_action=reason, report=f"{reason}\n", facts={"git": present.git.value})
    setup = _Setup(planning, present)
    setup.folders()
    setup.settings(IGNORE)
    setup.settings(ATTRIBUTES, encryption)
    setup.programs(SCRIPTS, RiskTier.B, "a thin call of memdeck")
    if present.git in (GitFolder.OWN, GitFolder.NEW):
        who = "a hook of yours may call it" if present.hooks_elsewhere else "git runs it"
        setup.programs(HOOKS, RiskTier.C, f"{who}: read it before you approve")
    return setup.outcome()


class _Setup:
    def __init__(self, planning: Planning, present: PresentFiles) -> None:
        self._planning, self._present = planning, present
        self._draft = Draft(planning)
        self._kept: list[str] = []
        self._said: list[str] = []

    def folders(self) -> None:
        """Adds each missing folder by the empty file that keeps it in git."""
        for folder in folders_of(self._planning.snapshot.capabilities):
            if folder not in self._present.folders:
                self._draft.write(Create, f"{folder}/{KEEP}", "", "the folder is missing")

    def settings(self, path: str, encryption: Encryption | None = None) -> None:
        """Adds the lines that a file of git settings lacks, private folders last, since the last line counts."""
        if (data := self._present.files.get(path, b"")) is None:
            self._kept.append(f"{path} is no file that can be read")
            return
        private = () if encryption is None else encryption.missing(data)
        self._said += [] if encryption is None else encryption.words(private)
        if path not in self._present.files:
            text, tier = "\n".join((*LINES[path], *private, "")), RiskTier.B if encryption is None else RiskTier.C
            self._draft.write(Create, path, text, "git settings of a workspace", tier)
            return
        missing = (*missing_lines(path, data), *private)
        if not missing:
            return
        end = "\r\n" if b"\r\n" in data else "\n"
        before = "" if not data or data.endswith(b"\n") else end
        self._draft.bind(path, sha256_hex(data))
        text = before + "".join(f"{line}{end}" for line in missing)
        reason = f"{sum(not line.startswith('#') for line in missing)} patterns are missing"
        self._draft.write(Append, path, text, reason, RiskTier.C if private else RiskTier.B)

    def programs(self, texts: Mapping[str, str], tier: RiskTier, reason: str) -> None:
        """Adds scripts or hooks that do not exist."""
        for path, text in texts.items():
            if path not in self._present.files:
                self._draft.write(Create, path, text, reason, tier)
            elif self._present.files[path] != text.encode():
                self._kept.append(f"{path} is there already and stays as it is")

    def outcome(self) -> PlanOutcome:
        elsewhere = self._present.hooks_elsewhere
        never = f"git never runs hooks of {HOOK_FOLDER}: core.hooksPath is {elsewhere}; {CALL_OURS}"
        unused = [never] if elsewhere else []
        said = [_GIT[self._present.git], *unused, *self._said, *self._kept]
        facts = {"git": self._present.git.value, "kept": list(self._kept)}
        if count := len(self._draft.changes):
            said.insert(0, f"{count} files are missing; nothing that is there changes.")
        none = "the workspace has its folders, git settings and hooks"
        return self._draft.outcome(INIT, none, report="\n".join((*said, "")), facts=facts, warnings=unused)


_GIT = {
    GitFolder.OWN: "The hooks come into the workspace's own repository.",
    GitFolder.NEW: "Applying it begins a git repository in the workspace (branch main).",
    GitFolder.ELSEWHERE: "The workspace's repository is another folder's: it gets no hooks from here.",
    GitFolder.OFF: "The policy's git.commit is off, so no repository is begun and no hook is added.",
}
