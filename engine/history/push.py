"""Pushes one branch and the memory tags to the remote of the operator's policy, never forced (decision D22). git
runs in a bare repository of memdeck that points to the workspace's objects: so no remote, address, hook, helper or
command of the agent counts, but the operator's git settings do."""

import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from engine.errors import Refused
from engine.history.git import LONG, GitFailed, clean_environment, git_program, run_limited
from engine.history.repository import Repository
from engine.history.tags import MemoryTag
from engine.text.safe_text import visible_line
from engine.workspace.system_calls import find_program

PROTOCOLS = ("https", "ssh", "file")  # all that git may speak here; `ext::` and its like start programs
_SCP = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9][A-Za-z0-9.-]*:(?!:)[^\s]+")
_CARRIED = ("SSH_AUTH_SOCK", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR")
REMOTE_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.askPass=false",
    # It names a command.
    "core.gitProxy=",
    "protocol.allow=never",
    *(f"protocol.{name}.allow=always" for name in PROTOCOLS),
)
"""The settings with which git speaks to another repository."""
_SETTINGS = (*REMOTE_SETTINGS, "push.gpgSign=false", "push.recurseSubmodules=no", "push.followTags=false")


def remote_problem(remote: str) -> str:
    """Gives the reason why an address may not be pushed to; empty for https, ssh and absolute paths."""
    if not remote.isprintable() or remote != remote.strip() or remote.startswith("-"):
        return "is no address"
    if _SCP.fullmatch(remote) or (remote.startswith("/") and "::" not in remote):
        return ""
    try:
        parts = urlsplit(remote)
        password, host = parts.password, parts.hostname
    except ValueError:
        return "is no address"
    if "::" in remote.partition("/")[0] or parts.scheme not in PROTOCOLS:
        return f"must be one of {', '.join(PROTOCOLS)}, or an absolute path"
    if password is not None:
        return "must hold no password: git's own credential helper keeps it"
    if parts.scheme == "file":
        return "" if not host and parts.path.startswith("/") else "must name an absolute path"
    return "" if host and not host.startswith("-") else "names no host"


def push(
    repository: Repository, remote: str, branch: str, tags: Sequence[MemoryTag], scratch: Path, env: Mapping[str, str]
) -> str:
    """Pushes branch and tags; gives the remote's commit. `GitFailed`; `Refused` for an address not allowed."""
    if problem := remote_problem(remote) or leads_inside(remote, repository.git.top):
        raise Refused(problem, where="git.remote")
    git = repository.git
    if not (commit := git.commit_id(f"refs/heads/{branch}")):
        raise GitFailed(f"there is no branch {branch} here", where="git.branch")
    # By ids, and without `+`: nothing at the remote is overwritten.
    refs = [f"{commit}:refs/heads/{branch}", *(f"{tag.commit}:refs/tags/{tag.name}" for tag in tags)]
    # From a bare repository of our own: the workspace's settings may rewrite addresses and name commands.
    with tempfile.TemporaryDirectory(prefix="push-", dir=scratch) as place:
        common = git.line("rev-parse", "--path-format=absolute", "--git-common-dir")
        _bare(Path(place), Path(common or git.folder) / "objects", long=len(commit) == 64)
        settings = [part for item in _SETTINGS for part in ("-c", item)]
        options = ("--porcelain", "--no-verify", "--no-signed", "--no-recurse-submodules", "--no-force")
        command = [git_program(git.top, env), *settings, "push", *options, "--end-of-options", remote, *refs]
        code, out, err = run_limited(
            command, stdin=b"", env=remote_environment(Path(place), git.top, env), timeout=LONG, cwd=Path(place)
        )
    if code != 0:
        raise GitFailed(visible_line(" · ".join(_said(out, err)))[:400] or f"ended with {code}", where="git push")
    return commit


def leads_inside(remote: str, top: Path) -> str:
    """Gives the reason why an address may not be used: it leads into the workspace; empty if it does not."""
    path = urlsplit(remote).path if remote.startswith("file:") else remote if remote.startswith("/") else ""
    if not path:
        return ""
    place = Path(os.path.realpath(path))
    return "lies in the workspace" if place == top or top in place.parents else ""


def _bare(place: Path, objects: Path, *, long: bool) -> None:
    """Makes a bare repository without refs that uses the workspace's objects."""
    for name in ("objects/info", "refs/heads"):
        (place / name).mkdir(parents=True)
    (place / "HEAD").write_text("ref: refs/heads/none\n", "ascii")
    version = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
    plain = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
    (place / "config").write_text(version if long else plain, "ascii")
    (place / "objects/info/alternates").write_bytes(os.fsencode(f"{objects}\n"))


def remote_environment(place: Path, top: Path, env: Mapping[str, str]) -> dict[str, str]:
    """Gives git's environment with the allowed protocols, the ssh agent and the network settings added."""
    ssh = find_program("ssh", top, env)
    found = clean_environment(env, top) | {name: env[name] for name in _CARRIED if name in env}
    found |= {"GIT_DIR": str(place), "GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS)}
    return found | {"GIT_SSH_COMMAND": f"{shlex.quote(ssh)} -o BatchMode=yes" if ssh else "false"}


def _said(out: bytes, err: bytes) -> Iterator[str]:
    """Yields the refs that the remote refused, or git's last lines."""
    rows = out.decode("utf-8", "replace").splitlines()
    refused = [" ".join(row.split("\t")[1:]) for row in rows if row.startswith("!")]
    yield from refused or [line.removeprefix("fatal: ") for line in err.decode("utf-8", "replace").splitlines()[-2:]]
