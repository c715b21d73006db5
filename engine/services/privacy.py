"""Private files for the front ends: those that git has in clear, or would commit in clear (decision D22)."""

from engine.errors import MemdeckError
from engine.plans.memory_status import Degraded
from engine.services.open_workspace import OpenWorkspace
from engine.workspace.layout import lies_in
from engine.workspace.values import Finding


class PrivacyService:
    """Checks private files. It runs no filter, and reads git's history only after a change."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened
        self._key: object = None
        self._found: tuple[Finding, ...] = ()

    def findings(self) -> tuple[Finding, ...]:
        """Reports private files that git has in clear or would commit in clear, and a foreign filter."""
        from engine.services.private_findings import facts_of, private_findings

        if (repository := self._opened.git.usable()) is None:
            return ()
        with self._opened.lock:
            private, attributes = self._paths(), self._attributes()
            key = (facts_of(repository), private, attributes)
            if key != self._key:
                rules = self._opened.policy.git
                self._found = tuple(private_findings(repository, rules, private, named=b"git-crypt" in attributes))
                self._key = key
            return self._found

    def alarms(self) -> tuple[Degraded, ...]:
        """Gives the findings in one line for the status; runs no git in a workspace without private files."""
        if not self._paths() and b"git-crypt" not in self._attributes():
            return ()
        try:
            found = self.findings()
        except MemdeckError:
            return ()  # that git does not answer is told already
        if not found:
            return ()
        more = f", and {len(found) - 1:,} more: memdeck check" if len(found) > 1 else ""
        return (Degraded(id="private", what=f"{found[0].what}: {found[0].where}{more}", fix=found[0].fix),)

    def _paths(self) -> tuple[str, ...]:
        folders = self._opened.policy.git.private
        return tuple(path for path in self._opened.fresh(look=False).files if lies_in(path, folders))

    def _attributes(self) -> bytes:
        return self._opened.root.read_or_none(".gitattributes") or b""
