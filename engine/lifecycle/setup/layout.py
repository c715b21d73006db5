"""The folders, git settings and scripts that `memdeck init` gives a workspace (autopoiesis §3.1, §3.7, §3.8, D35), and
the lines of `.gitattributes` by which git-crypt encrypts the private folders (D22)."""

from collections.abc import Collection, Mapping

import msgspec

from engine.history.git_filters import CRYPT
from engine.history.hook_scripts import HOOKS
from engine.plans.plan import Change, Create
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
"""The text of each script, by its path: a thin call of `memdeck` (decision D35)."""


def own_marks(change: Change) -> frozenset[int]:
    """The lines of a hook or script that are ours, word for word: no attempt of anybody's to steer the agent."""
    if isinstance(change, Create) and change.content == {**SCRIPTS, **HOOKS}.get(change.path):
        return frozenset(range(1, change.content.count("\n") + 1))
    return frozenset()


def folders_of(capabilities: Collection[Capability]) -> tuple[str, ...]:
    """The folders of a workspace with these capabilities; one without any becomes that of autopoiesis."""
    wanted = [one for one in _OF_CAPABILITY if one in capabilities] or [Capability.AUTOPOIESIS]
    return tuple(dict.fromkeys(folder for one in wanted for folder in _OF_CAPABILITY[one]))


def missing_lines(path: str, present: bytes) -> tuple[str, ...]:
    """The lines of git settings that a file lacks. What a person wrote of a pattern, or against it, decides. A comment
    comes only with a line below it."""
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
    """The private folders, the operator's git-crypt, and what keeps it from encrypting here. `named`: the policy names
    the filter, so that our own commits encrypt as well."""

    folders: tuple[str, ...]
    program: str
    problem: str
    fix: str
    named: bool

    @property
    def obstacle(self) -> str:
        """Says why nothing can be encrypted, and what to do; empty where it can."""
        if not self.folders:
            return "nothing is encrypted: the policy's git.private names no folder"
        return f"nothing is encrypted: {self.problem} · {self.fix}" if self.problem else ""

    def missing(self, present: bytes) -> tuple[str, ...]:
        """The lines that are missing, or that another line about filters comes behind: the last one counts."""
        wanted = [f"/{folder}/** filter={CRYPT} diff={CRYPT}" for folder in self.folders]
        there = [line.strip() for line in present.decode("utf-8", "replace").splitlines()]
        others = [number for number, line in enumerate(there) if "filter" in line and line not in wanted]
        counting = set(there[others[-1] + 1 :] if others else there)
        lines = [line for line in wanted if line not in counting]
        return (_HEADING, *lines) if lines else ()

    def words(self, added: tuple[str, ...]) -> list[str]:
        """The lines of a plan's report about it."""
        said = []
        if added:
            said.append(f"Private, and encrypted in git: {', '.join(self.folders)}.")
            said.append(f"Applying it first lets {self.program} make its key in .git/git-crypt where there is none.")
        said.append("Keep a copy of the key elsewhere: git-crypt export-key FILE. Without it nobody reads them again.")
        if not self.named:
            line = f"git: {{filters: {{{CRYPT}: {self.program} clean}}}}"
            said.append(f"memdeck's own commits leave private files out until the policy has: {line}")
        return said
