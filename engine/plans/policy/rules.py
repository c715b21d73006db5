"""Checks the policy's rules between values, and those that no type can express."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from itertools import chain
from pathlib import PurePath
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import msgspec

from engine.errors import Refused
from engine.history.gitmodules import NAME
from engine.plans.plan import Plan, RiskTier
from engine.plans.policy.values import GitPolicy, LlmPolicy, Policy, SearchPolicy
from engine.workspace.paths import relative_path

_PLAIN_FOLDER = re.compile(r"[^\s\"'\\*?\[\]!#]+")


class BrokenRule(msgspec.Struct, frozen=True):
    """The dotted key at fault, what is wrong, and what to do."""

    key: str
    what: str
    hint: str = ""


def broken_rule(policy: Policy) -> BrokenRule | None:
    """Gives the first rule that the policy breaks; None if there is none."""
    return next((rule for rule in (*_order(policy), *_rest(policy)) if rule), None)


def _order(policy: Policy) -> Iterator[BrokenRule | None]:
    semantic = policy.limits.semantic
    if semantic.soft > semantic.risk:
        what = f"({semantic.soft}) is above limits.semantic.risk ({semantic.risk})"
        yield BrokenRule("limits.semantic.soft", what, "soft ≤ risk ≤ hard")
    if semantic.risk > semantic.hard:
        what = f"({semantic.risk}) is above limits.semantic.hard ({semantic.hard})"
        yield BrokenRule("limits.semantic.risk", what, "soft ≤ risk ≤ hard")


def _rest(policy: Policy) -> Iterator[BrokenRule | None]:
    yield _zone(policy.zone)
    yield _embedder(policy.search)
    yield _address(policy.llm)
    yield _digest(policy.digest.command)
    yield from _push(policy.git)
    for key, folders in (
        ("git.outside", policy.git.outside),
        ("lifecycle.transcript_roots", policy.lifecycle.transcript_roots),
        ("verify.repositories", chain.from_iterable(policy.verify.repositories.items())),
    ):
        for folder in folders:
            if not PurePath(folder).is_absolute():
                yield BrokenRule(key, f"must hold absolute paths, not {folder!r}")
    for name, address in policy.git.shared.items():
        if NAME.fullmatch(name) is None:
            yield BrokenRule("git.shared", f"{name!r} is no name of a folder", "small letters, digits, _ and -")
        elif problem := _remote_problem(address):
            hint = "for example https://example.org/team.git"
            yield BrokenRule("git.shared", f"the address of {name} {problem}", hint)
    for name, command in policy.git.filters.items():
        if not name.strip() or not command.strip():
            yield BrokenRule("git.filters", "must give each filter's name its command")
    for folder in policy.git.private:
        if problem := _private_folder(folder):
            yield BrokenRule("git.private", problem, "for example knowledge/private")


def _remote_problem(address: str) -> str:
    from engine.history.push import remote_problem  # few policies name a remote, and it needs all of git

    return remote_problem(address)


def _is_branch(name: str) -> bool:
    from engine.history.repository import BRANCH_NAME

    return BRANCH_NAME.fullmatch(f"refs/heads/{name}") is not None


def _private_folder(folder: str) -> str:
    """Gives the reason why `.gitattributes` cannot name a folder as private; empty where it can."""
    try:
        relative_path(folder)
    except Refused as refusal:
        return f"holds {folder!r}: {refusal.message}"
    return "" if _PLAIN_FOLDER.fullmatch(folder) else f"holds {folder!r}, which has a blank, a quote or one of \\*?[]!#"


def _push(git: GitPolicy) -> Iterator[BrokenRule | None]:
    """Checks that pushes have a remote and a branch that the operator named."""
    if git.remote and (problem := _remote_problem(git.remote)):
        yield BrokenRule("git.remote", problem, "for example git@example.org:me/memory.git")
    if git.branch and not _is_branch(git.branch):
        yield BrokenRule("git.branch", "is no name of a branch", "for example main")
    for key in ("remote", "branch"):
        if git.push and not getattr(git, key):
            yield BrokenRule(f"git.{key}", "must be named where git.push is on", "or set git.push: false")


def _address(llm: LlmPolicy) -> BrokenRule | None:
    """Checks a model's address: plain http only to this machine, or from a local model to its own network."""
    at_home = llm.provider == "local"
    hint = "for example http://localhost:11434" if at_home else "leave it empty for Anthropic's own"
    try:
        parts = urlsplit(llm.url)
        host = parts.hostname or ""
    except ValueError:
        return BrokenRule("llm.url", "is no address", hint)
    if not llm.url:
        return BrokenRule("llm.url", "must name the server of a local model", hint) if at_home else None
    near = host in ("127.0.0.1", "::1", "localhost") or (at_home and _is_private(host))
    if (host and parts.scheme == "https") or (parts.scheme == "http" and near):
        return None
    return BrokenRule("llm.url", "must be an https address, or one of this machine", hint)


def _is_private(host: str) -> bool:
    try:
        return ip_address(host).is_private
    except ValueError:
        return False


def _embedder(search: SearchPolicy) -> BrokenRule | None:
    if search.embedder == "endpoint" and not search.model:
        return BrokenRule("search.model", "must name the model to ask for", "or set search.embedder: auto")
    if search.embedder == "endpoint" and not search.url.startswith(("https://", "http://")):
        return BrokenRule("search.url", "must be an http address", "or set search.embedder: auto")
    return None


def _digest(command: tuple[str, ...]) -> BrokenRule | None:
    """Checks the digest's command: a name in PATH or an absolute path, which does not depend on the folder."""
    if command and not command[0].strip():
        return BrokenRule("digest.command", "must begin with a program", "for example [msmtp, you@example.org]")
    if command and "/" in command[0] and not PurePath(command[0]).is_absolute():
        return BrokenRule("digest.command", f"must begin with a name or an absolute path, not {command[0]!r}")
    return BrokenRule("digest.command", "holds a NUL") if any("\0" in word for word in command) else None


def _zone(name: str) -> BrokenRule | None:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        from rapidfuzz import process

        best = process.extractOne(name, available_timezones(), score_cutoff=60)
        hint = f"did you mean {best[0]}?" if best else "for example Europe/Berlin"
        return BrokenRule("zone", f"is not a time zone: {name!r}", hint)
    return None


def may_run_by_itself(plan: Plan, policy: Policy) -> bool:
    """Tells whether the policy lets this plan run without a person: every change of tier A, no question, and made
    under this very policy. Tiers B and C are refused even if a policy allows them."""
    return (
        bool(plan.changes)
        and all(change.risk_tier is RiskTier.A for change in plan.changes)
        and not plan.confirmations
        and not plan.simulated_clock
        and plan.policy_sha256 == policy.sha256
        and "A" in policy.approval.auto
    )
