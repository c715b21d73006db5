"""The lines of `.gitattributes` by which git-crypt encrypts the private folders, and what is said of them (D22)."""

import msgspec

from engine.history.git_filters import CRYPT

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
