"""Plans what a workspace lacks of its folders, git settings, scripts and hooks (autopoiesis §3, §11; D23, D24, D51).
Only what is missing is added: no line that is there is changed, and no hook of somebody else is touched."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from engine.history.hook_scripts import CALL_OURS, HOOK_FOLDER, HOOKS
from engine.lifecycle.setup.layout import (
    ATTRIBUTES,
    IGNORE,
    KEEP,
    LINES,
    SCRIPTS,
    Encryption,
    folders_of,
    missing_lines,
)
from engine.plans.git_places import INIT
from engine.plans.plan import Append, Create, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.canonical_json import sha256_hex


class GitFolder(StrEnum):
    """The repository that a workspace has: its own, none so far, one of another folder, or none that is wanted."""

    OWN = "own"
    NEW = "new"
    ELSEWHERE = "elsewhere"
    OFF = "off"


class PresentFiles(msgspec.Struct, frozen=True):
    """The files and folders that are there, of all that an init may add. `files`: bytes by path, None for what is no
    file that can be read. A path that is in neither is free."""

    folders: frozenset[str]
    files: Mapping[str, bytes | None]
    git: GitFolder
    hooks_elsewhere: str = ""  # the folder from which git runs hooks, where those of `.git/hooks` never run


def wanted_paths() -> tuple[str, ...]:
    """Every path of a file that an init may add or add to."""
    return (*LINES, *SCRIPTS, *HOOKS)


def plan_init(planning: Planning, present: PresentFiles, encryption: Encryption | None = None) -> PlanOutcome:
    """A plan of what is missing; none where everything is there, or where the encryption that is asked cannot be."""
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
        """Adds each folder that is missing, by the empty file that keeps it in git."""
        for folder in folders_of(self._planning.snapshot.capabilities):
            if folder not in self._present.folders:
                self._draft.write(Create, f"{folder}/{KEEP}", "", "the folder is missing")

    def settings(self, path: str, encryption: Encryption | None = None) -> None:
        """Adds the lines that a file of git settings lacks, at its end; those of private folders last, as git reads."""
        data = self._present.files.get(path, b"")
        if data is None:
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
        """Adds scripts or hooks; one that is there stays as it is."""
        for path, text in texts.items():
            if path not in self._present.files:
                self._draft.write(Create, path, text, reason, tier)
            elif self._present.files[path] != text.encode():
                self._kept.append(f"{path} is there already and stays as it is")

    def outcome(self) -> PlanOutcome:
        """The plan, or the reason why there is none."""
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
