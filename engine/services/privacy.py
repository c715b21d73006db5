"""Private files for the front ends: those that git has in clear, or would take in clear (decision D22)."""

from collections.abc import Iterator
from pathlib import Path

from engine.errors import MemdeckError
from engine.history.crypt_setup import CryptSettings, crypt_state, is_without_key
from engine.history.git_filters import filters_of, is_crypt
from engine.history.private_text import PrivateFile, holds_locked, private_in_clear, state_of_refs
from engine.history.repository import NoRepository, Repository
from engine.plans.status import Degraded
from engine.services.open_workspace import OpenWorkspace
from engine.services.wiring import Wiring
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line
from engine.workspace.findings import Finding, FindingKind
from engine.workspace.layout import lies_in
from engine.workspace.snapshot import Snapshot

_ATTRIBUTES = ".gitattributes"
_FORGET = "git filter-repo takes old versions out; the words count as known from then on"
_ENCRYPT = "memdeck init --private"


class PrivacyService:
    """Looks at private files. It runs no filter, and asks git for its history only where something moved."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened
        self._key: object = None
        self._found: tuple[Finding, ...] = ()

    def findings(self) -> tuple[Finding, ...]:
        """Private files that git has in clear, those it would take in clear, and a filter that is not ours."""
        parts = self._opened.parts
        repository = parts.git.repository()
        if isinstance(repository, NoRepository):
            return ()
        with self._opened.lock:
            private = _private_paths(parts, self._opened.fresh(look=False))
            key = (state_of_refs(repository), _facts(repository), private, _attributes(parts))
            if key != self._key:
                self._found = tuple(_findings(parts, repository, private))
                self._key = key
            return self._found

    def alarms(self) -> tuple[Degraded, ...]:
        """The same in one line, for the status. A workspace without private files asks git nothing."""
        parts, snapshot = self._opened.parts, self._opened.fresh(look=False)
        if not _private_paths(parts, snapshot) and b"git-crypt" not in _attributes(parts):
            return ()
        try:
            found = self.findings()
        except MemdeckError:
            return ()  # that git does not answer is told already
        if not found:
            return ()
        more = f", and {len(found) - 1:,} more: memdeck check" if len(found) > 1 else ""
        return (Degraded(id="private", what=f"{found[0].what}: {found[0].where}{more}", fix=found[0].fix),)


def _private_paths(parts: Wiring, snapshot: Snapshot) -> tuple[str, ...]:
    """The notes on the disk that lie in a private folder."""
    return tuple(path for path in snapshot.files if lies_in(path, parts.policy.git.private))


def _attributes(parts: Wiring) -> bytes:
    return parts.read_or_none(_ATTRIBUTES) or b""


def _facts(repository: Repository) -> tuple[str, bool]:
    """A value that changes with the settings of the repository and with git-crypt's key."""
    config = Path(repository.git.folder) / "config"
    try:
        return sha256_hex(config.read_bytes()), is_without_key(repository.git)
    except OSError:
        return "", is_without_key(repository.git)


def _findings(parts: Wiring, repository: Repository, private: tuple[str, ...]) -> Iterator[Finding]:
    folders = parts.policy.git.private
    for file in private_in_clear(repository, folders):
        yield _in_clear(file)
    yield from _settings(repository, folders, named=b"git-crypt" in _attributes(parts))
    names = {repository.prefix + path: path for path in private}
    drivers = filters_of(repository, list(names), repository.git.folder / "index") if names else {}
    own = parts.policy.git.filters
    for path in (path for name, path in names.items() if not _encrypts(drivers.get(name, ""), own)):
        what = "private, but no filter encrypts it: the agent's git would commit it in clear"
        yield _finding("private_open", visible_line(path), what, _ENCRYPT)


def _encrypts(driver: str, own: "dict[str, str]") -> bool:
    return is_crypt(driver) or driver in own


def _in_clear(file: PrivateFile) -> Finding:
    versions = "1 version" if file.in_clear == 1 else f"{file.in_clear:,} versions"
    now = ", today's too" if file.now else ""
    what = f"private, but in clear in git: {versions}{now}"
    return _finding(
        "private_in_clear", visible_line(file.path), what, _FORGET if not file.now else f"{_ENCRYPT}; {_FORGET}"
    )


def _settings(repository: Repository, folders: tuple[str, ...], *, named: bool) -> Iterator[Finding]:
    """A filter that `.gitattributes` names and git's settings do not know, or know as somebody else's program."""
    state = crypt_state(repository.git)
    if state.settings is CryptSettings.OTHER:
        what = f"git's settings name another filter than your git-crypt: {state.other}"
        yield _finding("private_filter", ".git/config", what, state.fix)
    elif state.settings is CryptSettings.NONE and named:
        locked = is_without_key(repository.git) and holds_locked(repository, folders)
        if not locked:
            what = "git knows no filter git-crypt, which .gitattributes names: the agent's git commits in clear"
            yield _finding("private_filter", ".git/config", what, _ENCRYPT)


def _finding(what_id: str, where: str, what: str, fix: str) -> Finding:
    return Finding(kind=FindingKind.NOTICE, id=what_id, where=where, what=what, fix=fix)
