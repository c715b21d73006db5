"""Pulls memory stores of Anthropic's service into a review, and sends approved notes (decisions G10, G11). A push sends
whole notes, and replaces only texts unchanged since the last pull."""

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
from engine.state.workspace_lock import hold
from engine.text.canonical_json import digest, sha256_hex
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import find_secrets
from engine.workspace.foreign_text import is_served
from engine.workspace.paths import FileMissing
from engine.workspace.values import Tick

if TYPE_CHECKING:
    from engine.services.plans import PlanService


class StorePull(msgspec.Struct, frozen=True):
    """The review of a store's texts, and the texts that no workspace can contain, each with the reason."""

    outcome: PlanOutcome
    texts: int
    problems: tuple[str, ...]


class OutgoingText(msgspec.Struct, frozen=True):
    """A note to be sent. `expected`: the sha256 that the store's text must have; empty for a new one."""

    path: str
    id: str
    expected: str
    text: str


class StorePush(msgspec.Struct, frozen=True):
    """The notes that a push would send, which an approval confirms by its digest, and those it would not."""

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
        """It leaves the machine, and cannot be undone."""
        return RiskTier.C


class SentText(msgspec.Struct, frozen=True):
    """A note and its outcome at the store."""

    path: str
    state: Sending

    @property
    def is_sent(self) -> bool:
        return self.state is Sending.SENT


class StoreService:
    """Pulls and pushes. It approves nothing; the key comes from the environment and is never recorded."""

    def __init__(self, opened: OpenWorkspace, plans: "PlanService") -> None:
        self._opened, self._plans, self._folder = opened, plans, StoreFolder(opened.state.path / "stores")

    def all(self) -> tuple[StoreRecord, ...]:
        """The pulled stores, by their ids. Asks the service nothing."""
        return tuple(self._folder.all())

    def pull(self, ident: str, tick: Tick | None = None) -> StorePull:
        """Fetches all texts of a store, and queues a review that brings its changes into the workspace."""
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
        """Lists what a push would send: the named notes, otherwise those changed only here since the last pull. Asks
        and sends nothing. Raises `UsageError` for a store that was never pulled."""
        record = self._settled(ident)
        if not self._folder.has(ident):
            raise UsageError("it was never pulled", where=ident, hint=f"memdeck store pull {ident}")
        problems: list[str] = []
        found = [self._changed(record, path, paths, problems) for path in sorted(paths or record.base)]
        chosen = [note for note in found if note is not None]
        diffs = [_diff(record, note) for note in chosen]
        return StorePush(ident, self._opened.policy.llm.url, tuple(chosen), tuple(diffs), tuple(problems))

    def push(self, approved: StorePush, approval: Approval) -> tuple[SentText, ...]:
        """Sends exactly the approved notes. Raises `Stale` if a note has changed since."""
        opened, ident = self._opened, approved.store
        if opened.what_if is not None:
            raise Refused("nothing is sent under a what-if clock", where=ident, hint="leave --now out")
        with hold(opened.state, now=self._opened.real_clock(), purpose=f"pushing to {ident}"):
            numbers, tier = approved.numbers, approved.risk_tier
            check_approval(opened.context, approval, target=approved.digest, numbers=numbers, tier=tier)
            opened.context.check_policy()
            if self.outgoing(ident, [text.path for text in approved.texts]).digest != approved.digest:
                raise Stale("a note or the store's text is another one by now", where=ident, hint="look at it again")
            named = [[text.path, text.expected, sha256_hex(text.text.encode())] for text in approved.texts]
            said = {"store": ident, "approval": msgspec.to_builtins(approval), "texts": named}
            opened.audit.append("store push", self._opened.real_clock(), said)
        return self._sent_one_by_one(approved)

    def _sent_one_by_one(self, approved: StorePush) -> tuple[SentText, ...]:
        """Sends each text, and records its outcome. Stops at the service's first failure."""
        sent: list[SentText] = []
        try:
            for text in approved.texts:
                sent.append(SentText(text.path, self._sent(approved.store, text)))  # noqa: PERF401 (kept as it comes)
        except StoreFailed as failed:
            before = f"{len(sent):,} of {len(approved.texts):,} notes were dealt with before"
            raise StoreFailed(f"{failed.message}; {before}", where=failed.where, hint=failed.hint) from failed
        finally:
            said = {"store": approved.store, "texts": [[note.path, note.state.value] for note in sent]}
            self._opened.audit.append("store pushed", self._opened.real_clock(), said)
        return tuple(sent)

    def _sent(self, ident: str, note: OutgoingText) -> Sending:
        remote, made = self._remote(ident), note.id
        if note.expected:
            state = remote.update(note.id, note.expected, note.text)
        else:
            state, made = remote.create(f"/{note.path}", note.text)
        if state is Sending.SENT:
            record = self._folder.load(ident)
            now = StoredText(made, f"/{note.path}", sha256_hex(note.text.encode()), note.text)
            record.base[note.path] = record.seen[note.path] = now
            self._folder.save(record)
        return state

    def _remote(self, ident: str) -> MemoryStore:
        opened = self._opened
        return MemoryStore(ident, opened.env, key_variable=opened.policy.llm.key_variable, url=opened.policy.llm.url)

    def _settled(self, ident: str) -> StoreRecord:
        """The record with the current common texts: equal on both sides, or brought in by the plan."""
        record = self._folder.load(ident)
        planned = self._brought_in(record.plan)
        for path, stored in record.seen.items():
            if path in planned or self._note(path) == stored.text.encode():
                record.base[path] = stored
        for path in [path for path in record.base if path not in record.seen]:
            if self._note(path) is None:
                del record.base[path]
        return record

    def _brought_in(self, plan: str) -> frozenset[str]:
        """The notes that the plan of the last pull changed, once it was applied completely."""
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
        """A note that differs from the store's, or None. A note that is not sent is reported as a problem."""
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


def _diff(record: StoreRecord, note: OutgoingText) -> FileDiff:
    there = record.seen.get(note.path)
    return file_diff(note.path, there.text.encode() if there else None, note.text.encode())


def _unsendable(data: bytes) -> str:
    """Returns the reason for which a note must not leave the machine; empty if it may."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "it is not UTF-8 text"
    if found := find_secrets(text):
        return f"it holds a {found[0]}: nothing of it is sent"
    return f"it is larger than the {LARGEST:,} bytes that a store takes" if len(data) > LARGEST else ""


def _by_note(texts: Sequence[StoredText], private: Sequence[str]) -> tuple[dict[str, StoredText], tuple[str, ...]]:
    """The texts by the workspace's paths, and the reasons for which others have none."""
    found: dict[str, StoredText] = {}
    problems: list[str] = []
    for text in sorted(texts, key=lambda text: text.path):
        path, why = text.path.removeprefix("/"), ""
        if not is_served(path, private):
            why = "no note of a workspace can have this path"
        elif any(str(folder) in found for folder in PurePosixPath(path).parents):
            why = "a note lies where its folder would be"
        if why:
            problems.append(Refused(why, where=visible_line(text.path)[:200]).line())
        else:
            found[path] = text
    return found, tuple(problems)
