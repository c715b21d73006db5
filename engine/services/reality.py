"""Verifies notes for the front ends: judges their claims by the repository they are about, and records verdicts."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path

import msgspec

from engine.context.probes.probe import ProbeAnswer
from engine.errors import Unreachable
from engine.history.repository import Repository, find_repository
from engine.lifecycle.lint.links import LinkRules, is_elsewhere
from engine.lifecycle.reality.claim import Claim, ClaimKind
from engine.lifecycle.reality.judgement import ClaimJudge, ClaimVerdict, JudgedClaim, is_dated
from engine.lifecycle.reality.plan import line_of, plan_marks
from engine.lifecycle.reality.repository_view import RepositoryView, is_there
from engine.lifecycle.references.file_links import is_silent, links_of_file
from engine.lifecycle.requests import VerifyRequest
from engine.plans.planning import Planning, PlanOutcome
from engine.services.open_workspace import OpenWorkspace
from engine.state.table import Instant, StateTable, Table
from engine.text.canonical_json import sha256_hex
from engine.text.secrets.detector import redact
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot

_DECIDED = (ClaimVerdict.GONE, ClaimVerdict.MOVED, ClaimVerdict.DIFFERS, ClaimVerdict.HOLDS)
"""The verdict of a line is the first of these among its claims' verdicts."""


class VerifiedLine(msgspec.Struct, frozen=True):
    """The last verification of a line: its time, its verdict, and since when; None for `since` at the first."""

    at: Instant
    verdict: ClaimVerdict
    since: Instant | None = None


class VerifiedMemory(msgspec.Struct, frozen=True):
    """The claims of notes with their verdicts, each line's verdict `before`, and when it `turned`, by PATH:LINE."""

    repository: str
    git: bool
    claims: tuple[JudgedClaim, ...]
    before: Mapping[str, VerifiedLine]
    turned: Mapping[str, Instant]

    def is_news(self, claim: JudgedClaim) -> bool:
        """Tells whether the claim's line held before and does not now."""
        known = self.before.get(line_of(claim))
        return known is not None and known.verdict is ClaimVerdict.HOLDS is not claim.verdict in _DECIDED


class RealityService:
    """Verifies memory. Writes only the verdicts of lines and when they were verified."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened, self._table = opened, Table(opened.database, StateTable.VERIFIED_LINES)

    def verify(self, repository: str = "", *, dated: bool = False, ask: bool = False) -> VerifiedMemory:
        """Judges the claims of notes; `dated`: those about a day too; `ask`: asks web addresses, if the policy
        allows it, except those in private notes. `Unreachable` where there is no repository."""
        with self._opened.lock:
            view, claims = _judged(self._opened, self._opened.fresh(look=True), repository, dated=dated)
        if ask and self._opened.policy.verify.urls == "ask":
            from engine.lifecycle.reality.addresses import answered_claims  # it loads TLS

            claims = tuple(answered_claims(claims, self._opened.policy.git.private))
        with self._opened.lock:
            asked = [claim for claim in claims if claim.claim.kind is ClaimKind.URL and claim.verdict in _DECIDED]
            self._remember({_url_key(claim.claim): claim.verdict for claim in asked})
            claims = tuple(_as_answered(self._opened, claims))
            known = self._table.values(VerifiedLine)
            before = {line_of(claim): known[key] for claim in claims if (key := _key(claim)) in known}
            decided = sorted(
                (claim for claim in claims if claim.verdict in _DECIDED), key=lambda one: -_DECIDED.index(one.verdict)
            )
            after = self._remember({_key(claim): claim.verdict for claim in decided})
        turned = {line_of(claim): at for claim in decided if (at := after[_key(claim)].since) is not None}
        return VerifiedMemory(view.top, view.git is not None, tuple(_without_secrets(claims)), before, turned)

    def ask_addresses(self, repository: str = "") -> None:
        """Asks the web addresses of the notes, where the policy lets it, so that a plan knows what is gone."""
        if self._opened.policy.verify.urls == "ask":
            self.verify(repository, ask=True)

    def turned_probes(self, answers: Iterable[ProbeAnswer]) -> dict[ProbeAnswer, Instant]:
        """Records which probes hold; gives those whose answer changed, with the time."""
        keys = {f"probe#{sha256_hex(msgspec.json.encode(one.probe))[:24]}": one for one in answers if not one.problem}
        held = {key: ClaimVerdict.HOLDS if one.held else ClaimVerdict.GONE for key, one in keys.items()}
        return {keys[key]: line.since for key, line in self._remember(held).items() if line.since is not None}

    def _remember(self, verdicts: Mapping[str, ClaimVerdict]) -> dict[str, VerifiedLine]:
        """Records verdicts of lines or probes; gives each with the time of its last change."""
        known, now = self._table.values(VerifiedLine), self._opened.real_clock()
        old = {key: known.get(key, VerifiedLine(now, verdict)) for key, verdict in verdicts.items()}
        new = {
            key: VerifiedLine(now, verdict, old[key].since if old[key].verdict is verdict else now)
            for key, verdict in verdicts.items()
        }
        if not self._opened.supposing and self._opened.what_if is None and not self._opened.database.read_only:
            with self._table.change() as rows:
                for key, line in new.items():
                    rows.put(key, msgspec.json.encode(line))
        return new


def _without_secrets(claims: Iterable[JudgedClaim]) -> Iterator[JudgedClaim]:
    clean = cache(redact)  # most lines hold several claims
    for judged in claims:
        row, value, claim = clean(judged.claim.row), clean(judged.value), judged.claim
        if row != claim.row or value != judged.value:
            claim = msgspec.structs.replace(claim, row=row, text=clean(claim.text) if claim.text in row else "⟨secret⟩")
            judged = msgspec.structs.replace(judged, claim=claim, value=value)
        yield judged


def _key(claim: JudgedClaim) -> str:
    """Gives the key of a line: its path and a hash, so that the state has none of its words."""
    return f"{claim.claim.path}#{sha256_hex(claim.claim.row.strip().encode('utf-8', 'replace'))[:24]}"


def _url_key(claim: Claim) -> str:
    return f"url#{sha256_hex(claim.text.partition('#')[0].encode('utf-8', 'replace'))[:24]}"


def _as_answered(opened: OpenWorkspace, claims: Iterable[JudgedClaim]) -> Iterator[JudgedClaim]:
    """Yields the claims; a web address that was last found missing counts as gone, if the policy allows asking."""
    rows = Table(opened.database, StateTable.VERIFIED_LINES)
    known = rows.values(VerifiedLine) if opened.policy.verify.urls == "ask" else {}
    for claim in claims:
        last = known.get(_url_key(claim.claim)) if claim.claim.kind is ClaimKind.URL else None
        if last is not None and last.verdict is ClaimVerdict.GONE and claim.verdict is ClaimVerdict.UNKNOWN:
            claim = JudgedClaim(claim.claim, ClaimVerdict.GONE, why=f"it answered so on {last.at.date()}")
        yield claim


def plan_verifying_of(opened: OpenWorkspace, planning: Planning, asked: VerifyRequest) -> PlanOutcome:
    """Plans marks for claims that are gone, or corrections of the named lines."""
    try:
        view, claims = _judged(opened, planning.snapshot, asked.repository)
    except Unreachable as error:
        if asked.repository:
            raise
        # A scheduled job goes on: the disk with the repository may only be away.
        return PlanOutcome(plan=None, reason_no_action=f"the repository is not there: {error.where}")
    return plan_marks(planning, tuple(_as_answered(opened, claims)), frozenset(asked.take), view.top)


def _judged(
    opened: OpenWorkspace, snapshot: Snapshot, named: str, *, dated: bool = False
) -> tuple[RepositoryView, tuple[JudgedClaim, ...]]:
    """Judges the notes by the repository, named or the policy's or workspace's; no archived ones or transcripts."""
    workspace, paths = opened.root.identity.path, snapshot.files.keys()
    name = named or opened.policy.verify.repositories.get(workspace, "")
    # The operator named it, so that its git folder may lie anywhere, as that of a linked worktree does.
    found = find_repository(Path(name).resolve(), ("/",), opened.env) if name else opened.git.repository()
    git = found.git if isinstance(found, Repository) and not (name and found.prefix) else None
    with WorkspaceRoot.open(Path(name) if name else git.top if git is not None else Path(workspace)) as root:
        view, top = RepositoryView(root, git), root.identity.path
        prefix = f"{workspace[len(top) + 1 :]}/" if workspace.startswith(f"{top}/") else ""
        judge = ClaimJudge(view, opened.planning(snapshot).today, paths, partial(is_there, opened.root), prefix)
        links, claims = LinkRules(paths, snapshot.content), list[JudgedClaim]()
        for path in sorted(path for path in paths if not is_silent(path) and (dated or not is_dated(path))):
            data = snapshot.content(path)
            linked = {(claim.claim.line, claim.claim.start): claim for claim in _judged_links(path, data, links)}
            told = judge.judged(path, data.decode("utf-8", "replace"))
            rest = (claim for claim in told if (claim.claim.line, claim.claim.start) not in linked)
            claims += sorted((*rest, *linked.values()), key=lambda claim: (claim.claim.line, claim.claim.start))
    return view, tuple(claims)


def _judged_links(path: str, data: bytes, links: LinkRules) -> Iterator[JudgedClaim]:
    text = data.decode("utf-8", "replace")
    rows = text.split("\n")
    for link, meant in links_of_file(path, data, links.names):
        if not link.target or (not meant.path and is_elsewhere(path, link)):
            continue
        start = link.start - text.rfind("\n", 0, link.start) - 1
        claim = Claim(ClaimKind.LINK, path, link.line, start, text[link.start : link.end], row=rows[link.line - 1])
        only = meant.path or ("" if meant.several else links.only(link))
        verdict = ClaimVerdict.UNKNOWN if meant.several else ClaimVerdict.MOVED if only else ClaimVerdict.GONE
        why = "several notes have that name" if meant.several else "" if only else "there is no such note"
        yield JudgedClaim(claim, ClaimVerdict.HOLDS if meant.path else verdict, only, "" if meant.path else only, why)
