"""Memory stores of Anthropic's service: pulled into a review, and sent what the operator approved (decisions G10, G11).
A push sends whole notes, each only in place of the very text that was seen at the last pull."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError, Refused, Stale, UsageError
from engine.extras.stores.memory_store import LARGEST, MemoryStore, Sending, StoredText, StoreFailed
from engine.extras.stores.store_folder import StoreFolder, StoreRecord
from engine.lifecycle.requests import FolderRequest
from engine.plans.apply.preconditions import check_approval
from engine.plans.diff import FileDiff, file_diff
from engine.plans.operation import Approval
from engine.plans.plan import PlanState, RiskTier
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.state.folder import hold
from engine.text.canonical_json import digest, sha256_hex
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import find_secrets
from engine.workspace.foreign_text import is_served
from engine.workspace.paths import FileMissing
from engine.workspace.values import Tick

if TYPE_CHECKING:
    from engine.services.plans import PlanService


class StorePull(msgspec.Struct, frozen=True):
    """The review of what a store has, and the texts that no workspace can hold, each with the reason."""

    outcome: PlanOutcome
    texts: int
    problems: tuple[str, ...]


class OutgoingText(msgspec.Struct, frozen=True):
    """A note to be sent. `expected` is the sha256 that the store's text must have; empty for one that is new there."""

    path: str
    id: str
    expected: str
    text: str


class StorePush(msgspec.Struct, frozen=True):
    """All that a push would send, to which an approval binds by its digest, and what it would not, with reasons."""

    store: str
    url: str
    texts: tuple[OutgoingText, ...]
    diffs: tuple[FileDiff, ...]
    problems: tuple[str, ...]

    @property
    def digest(self) -> str:
        return digest({"store": self.store, "url": self.url, "texts": msgspec.to_builtins(self.texts)})

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(range(1, len(self.texts) + 1))

    @property
    def risk_tier(self) -> RiskTier:
        """It leaves the machine, and no undo takes it back."""
        return RiskTier.C


class SentText(msgspec.Struct, frozen=True):
    """A note and what became of it at the store."""

    path: str
    state: Sending

    @property
    def is_sent(self) -> bool:
        return self.state is Sending.SENT


class StoreService:
    """Pulls and pushes. It approves nothing; the key is read from the environment and stands in no record."""

    def __init__(self, opened: OpenWorkspace, plans: "PlanService") -> None:
        self._opened, self._plans, self._folder = opened, plans, StoreFolder(opened.state.path / "stores")

    def all(self) -> tuple[StoreRecord, ...]:
        """The stores that were pulled, by their ids. Nothing is asked."""
        return tuple(self._folder.all())

    def pull(self, ident: str, tick: Tick | None = None) -> StorePull:
        """Fetches all texts of a store, and queues a review that brings what changed there into the workspace."""
        record = self._settled(ident)
        texts = tuple(self._remote(ident).texts())
        seen, problems = _by_note(texts, self._opened.policy.git.private)
        record.seen, record.plan = seen, ""
        with self._opened.lock, disk_errors("keeping a copy of the store failed"):
            self._folder.save(record)
            before, after = self._folder.copies(record)
        outcome = self._plans.make("review", PlanRequest(FolderRequest(str(before), str(after)), tick=tick))
        record.plan = outcome.plan.id if outcome.plan is not None else ""
        with disk_errors("keeping a copy of the store failed"):
            self._folder.save(record)
        return StorePull(outcome, len(texts), problems)

    def outgoing(self, ident: str, paths: Collection[str] = ()) -> StorePush:
        """Lists what a push would send: the named notes, else those of the last pull that were changed here alone.
        Nothing is asked and nothing is sent. `UsageError` for a store that was never pulled."""
        record = self._settled(ident)
        if not self._folder.has(ident):
            raise UsageError("it was never pulled", where=ident, hint=f"memdeck store pull {ident}")
        problems: list[str] = []
        found = [self._changed(record, path, paths, problems) for path in sorted(paths or record.base)]
        chosen = [one for one in found if one is not None]
        diffs = [_diff(record, one) for one in chosen]
        return StorePush(ident, self._opened.policy.llm.url, tuple(chosen), tuple(diffs), tuple(problems))

    def push(self, approved: StorePush, approval: Approval) -> tuple[SentText, ...]:
        """Sends what the operator approved, and nothing else; `Stale` where a note is another one by now."""
        opened, ident = self._opened, approved.store
        if opened.what_if is not None:
            raise Refused("nothing is sent under a what-if clock", where=ident, hint="leave --now out")
        with hold(opened.state, now=self._opened.real_clock(), purpose=f"pushing to {ident}"):
            numbers, tier = approved.numbers, approved.risk_tier
            check_approval(opened.context, approval, target=approved.digest, numbers=numbers, tier=tier)
            opened.context.check_policy()
            if self.outgoing(ident, [one.path for one in approved.texts]).digest != approved.digest:
                raise Stale("a note or the store's text is another one by now", where=ident, hint="look at it again")
            named = [[one.path, one.expected, sha256_hex(one.text.encode())] for one in approved.texts]
            said = {"store": ident, "approval": msgspec.to_builtins(approval), "texts": named}
            opened.audit.append("store push", self._opened.real_clock(), said)
        return self._sent_one_by_one(approved)

    def _sent_one_by_one(self, approved: StorePush) -> tuple[SentText, ...]:
        """Sends each text, and records what became of it; the first failure of the service ends it."""
        sent: list[SentText] = []
        try:
            for one in approved.texts:
                sent.append(SentText(one.path, self._sent(approved.store, one)))  # noqa: PERF401 (kept as it comes)
        except StoreFailed as failed:
            before = f"{len(sent):,} of {len(approved.texts):,} notes were dealt with before"
            raise StoreFailed(f"{failed.message}; {before}", where=failed.where, hint=failed.hint) from failed
        finally:
            said = {"store": approved.store, "texts": [[one.path, one.state.value] for one in sent]}
            self._opened.audit.append("store pushed", self._opened.real_clock(), said)
        return tuple(sent)

    def _sent(self, ident: str, one: OutgoingText) -> Sending:
        remote, made = self._remote(ident), one.id
        if one.expected:
            state = remote.update(one.id, one.expected, one.text)
        else:
            state, made = remote.create(f"/{one.path}", one.text)
        if state is Sending.SENT:
            record = self._folder.load(ident)
            now = StoredText(made, f"/{one.path}", sha256_hex(one.text.encode()), one.text)
            record.base[one.path] = record.seen[one.path] = now
            self._folder.save(record)
        return state

    def _remote(self, ident: str) -> MemoryStore:
        opened = self._opened
        return MemoryStore(ident, opened.env, key_variable=opened.policy.llm.key_variable, url=opened.policy.llm.url)

    def _settled(self, ident: str) -> StoreRecord:
        """The record with the texts on which both agree by now: equal here and there, or brought in by the plan."""
        record = self._folder.load(ident)
        planned = self._brought_in(record.plan)
        for path, one in record.seen.items():
            if path in planned or self._note(path) == one.text.encode():
                record.base[path] = one
        for path in [path for path in record.base if path not in record.seen]:
            if self._note(path) is None:
                del record.base[path]
        return record

    def _brought_in(self, plan: str) -> frozenset[str]:
        """The notes that the plan of the last pull changed, once it was applied as a whole."""
        with suppress(MemdeckError):
            entry = self._opened.queue.entry(plan) if plan else None
            if entry is not None and entry.state is PlanState.APPLIED:
                return frozenset(entry.targets)
        return frozenset()

    def _note(self, path: str) -> bytes | None:
        try:
            return self._opened.root.read(path)
        except FileMissing:
            return None

    def _changed(
        self, record: StoreRecord, path: str, paths: Collection[str], problems: list[str]
    ) -> OutgoingText | None:
        """A note that is another one than at the store; None where it is not, or is not sent, which is told."""
        there, base, where = record.seen.get(path), record.base.get(path), visible_line(path)
        try:
            data = self._note(path) if is_served(path, self._opened.policy.git.private) else None
        except MemdeckError as error:
            problems.append(error.line())
            return None
        if data is None:
            problems.append(f"{where}: not here; what the store has stays there" if base else f"{where}: no such note")
            return None
        if there is not None and data == there.text.encode():
            return None
        why = _unsendable(data)
        if not why and path not in paths and there != base:
            what = "has changed since" if there is not None else "is gone"
            why = f"the store's {what}: decide the review of the last pull, or name the note to send it all the same"
        if why:
            problems.append(f"{where}: {why}")
            return None
        return OutgoingText(path, there.id if there else "", there.sha256 if there else "", data.decode())


def _diff(record: StoreRecord, one: OutgoingText) -> FileDiff:
    there = record.seen.get(one.path)
    return file_diff(one.path, there.text.encode() if there else None, one.text.encode())


def _unsendable(data: bytes) -> str:
    """Says why a note does not leave the machine; empty where it may."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "it is not UTF-8 text"
    if found := find_secrets(text):
        return f"it holds a {found[0]}: nothing of it is sent"
    return f"it is larger than the {LARGEST:,} bytes that a store takes" if len(data) > LARGEST else ""


def _by_note(texts: Sequence[StoredText], private: Sequence[str]) -> tuple[dict[str, StoredText], tuple[str, ...]]:
    """The texts by the workspace's paths, and why others have none."""
    found: dict[str, StoredText] = {}
    problems: list[str] = []
    for one in sorted(texts, key=lambda one: one.path):
        path, why = one.path.removeprefix("/"), ""
        if not is_served(path, private):
            why = "no note of a workspace can have this path"
        elif any(str(folder) in found for folder in PurePosixPath(path).parents):
            why = "a note lies where its folder would be"
        if why:
            problems.append(Refused(why, where=visible_line(one.path)[:200]).line())
        else:
            found[path] = one
    return found, tuple(problems)
