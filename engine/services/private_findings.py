"""Checks git for private files: in clear, to be committed in clear, or with a foreign filter (D22)."""

from collections.abc import Iterator
from pathlib import Path

from engine.history import crypt_setup
from engine.history.crypt_setup import filters_of, is_crypt
from engine.history.repository import Repository
from engine.plans.policy.values import GitPolicy
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line
from engine.workspace.values import Finding, notice

_FORGET = "git filter-repo takes old versions out; the words count as known from then on"
_ENCRYPT = "memdeck init --private"


def facts_of(repository: Repository) -> tuple[object, ...]:
    """Gives a value that changes with the repository's refs and settings and with git-crypt's key."""
    try:
        config = sha256_hex((Path(repository.git.folder) / "config").read_bytes())
    except OSError:
        config = ""
    return crypt_setup.state_of_refs(repository), config, crypt_setup.is_without_key(repository.git)


def private_findings(
    repository: Repository, rules: GitPolicy, private: tuple[str, ...], *, named: bool
) -> Iterator[Finding]:
    """Finds `private` files in clear in git, and a foreign filter. `named`: `.gitattributes` names git-crypt."""
    folders = rules.private
    for file in crypt_setup.private_in_clear(repository, folders):
        yield _in_clear(file)
    yield from _settings(repository, folders, named=named)
    names = {repository.prefix + path: path for path in private}
    drivers = filters_of(repository, list(names), repository.git.folder / "index") if names else {}
    what = "private, but no filter encrypts it: the agent's git would commit it in clear"
    for name, path in names.items():
        driver = drivers.get(name, "")
        if not is_crypt(driver) and driver not in rules.filters:
            yield notice("private_open", visible_line(path), what, _ENCRYPT)


def _in_clear(file: crypt_setup.PrivateFile) -> Finding:
    versions = "1 version" if file.in_clear == 1 else f"{file.in_clear:,} versions"
    now = ", today's too" if file.now else ""
    what = f"private, but in clear in git: {versions}{now}"
    return notice("private_in_clear", visible_line(file.path), what, f"{_ENCRYPT}; {_FORGET}" if file.now else _FORGET)


def _settings(repository: Repository, folders: tuple[str, ...], *, named: bool) -> Iterator[Finding]:
    """Reports a filter that `.gitattributes` names and git's settings lack, or have as another program."""
    state = crypt_setup.crypt_state(repository.git)
    if state.settings is crypt_setup.CryptSettings.OTHER:
        what = f"git's settings name another filter than your git-crypt: {state.other}"
        yield notice("private_filter", ".git/config", what, state.fix)
    elif state.settings is crypt_setup.CryptSettings.NONE and named:
        locked = crypt_setup.is_without_key(repository.git) and crypt_setup.holds_locked(repository, folders)
        if not locked:
            what = "git knows no filter git-crypt, which .gitattributes names: the agent's git commits in clear"
            yield notice("private_filter", ".git/config", what, _ENCRYPT)
