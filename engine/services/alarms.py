"""Alarms for the front ends, the worst first: losses, late jobs, full windows, lines that fall off (G26)."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from itertools import takewhile
from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.context.load.fallen_lines import FallenLine
from engine.context.load.simulation import fallen_by_file
from engine.context.platforms.catalog import NAMES, shipped
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError, Refused, UsageError
from engine.plans.memory_status import Alarm, Status
from engine.plans.operation import OperationState, Write, id_order
from engine.plans.prediction import manifest
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.text.canonical_json import sha256_hex
from engine.workspace.layout import IDENTITY_FILES, MEMORY_MD_PATHS
from engine.workspace.paths import FileMissing

if TYPE_CHECKING:
    from engine.lifecycle.consolidation.sudden_losses import LastingFile, LastingFiles, Loss, SeenFile
    from engine.monitoring.revert.plan import RevertSide
    from engine.services.changes import ChangeService
    from engine.services.context import ContextService
    from engine.services.heartbeat import HeartbeatService
    from engine.services.sessions import SessionService

_FULL_WINDOWS = ("emergency", "compact")  # bands that are an alarm, the worst first
_ANCHORED = timedelta(days=7)
"""The time for which a file is also compared with the operator's last look, so that many small losses add up."""
_NEVER_CUT = ("whole", "entries")  # rules by which a platform loads all of a file
_CLOCKS = timedelta(minutes=2)  # a file's time and that of the call which wrote it may lie so far apart


class AlarmService:
    """Compares files that platforms always load with their earlier state, which is kept in the operator's state."""

    def __init__(
        self,
        opened: OpenWorkspace,
        changes: "ChangeService",
        context: "ContextService",
        sessions: "SessionService",
        heartbeat: "HeartbeatService",
    ) -> None:
        self._opened, self._changes, self._context, self._sessions = opened, changes, context, sessions
        self.heartbeat = heartbeat

    def of_status(self, status: Status) -> tuple[Alarm, ...]:
        """Gives every alarm, the worst first: losses, full windows, stopped events, late jobs, lines that fall off."""
        stopped = self.heartbeat.stopped()
        told = {alarm.detail.partition(":")[0] for alarm in stopped}
        return (*self.losses(), *_windows(status), *stopped, *_late(status, told), *self._falling())

    def losses(self) -> tuple[Alarm, ...]:
        """Compares the files, and gives an alarm for each loss that the operator has not decided."""
        return tuple(_alarm(file.path, file.loss) for file in self._looked() if file.loss is not None)

    def look(self) -> None:
        """Records the present files; called after each operation, so that its changes count as no loss."""
        with suppress(MemdeckError):
            self._looked()

    def accept(self, path: str) -> None:
        """Accepts a loss as right, which ends its alarm; `UsageError` where there is none."""
        if self._opened.database.read_only:
            raise Refused("nothing is recorded with --read-only", hint="leave --read-only out")
        one = next((file for file in self._looked() if file.path == path and file.loss is not None), None)
        if one is None:
            raise UsageError("no loss of this file waits for an answer", where=path, hint="memdeck status lists alarms")
        data, _ = self._present(path)
        with disk_errors("accepting a loss failed"):
            self._files.save(self._settled(one, self._seen(data)))

    def side(self, path: str) -> "RevertSide | None":
        """Gives the change that made a loss, for a revert, with later changes to the same lines."""
        from engine.monitoring.revert.plan import RevertSide, taken_back

        one = self._files.load(path)
        if one is None or one.loss is None:
            return None
        before, after, (present, _) = one.loss.before, one.loss.after, self._present(path)
        old, new, now = (data.decode("utf-8", "replace") for data in (before, after or b"", present or b""))
        if present is None or after is None or taken_back(old, new, now).overlaps:
            after = present
        return RevertSide(path=path, before=before, after=after, told=f"the loss: {path} {one.loss.detail()}")

    # ── what is there, and what was ────────────────────────────────────────────────────────────────────────────────

    @property
    def _files(self) -> "LastingFiles":
        from engine.lifecycle.consolidation.sudden_losses import LastingFiles

        return LastingFiles(self._opened.state.path / "lasting")

    def _looked(self) -> "list[LastingFile]":
        """Compares each lasting file with its record; gives the records, and stores them unless time is simulated."""
        opened, files, found = self._opened, self._files, []
        with self._opened.lock, disk_errors("comparing with what was loaded failed"):
            for path in lasting_paths():
                old = files.load(path)
                new = self._taken_in(path, old)
                if new is not None and new is not old and not (opened.database.read_only or opened.what_if):
                    files.save(new)
                found += [] if new is None else [new]
        return found

    def _taken_in(self, path: str, old: "LastingFile | None") -> "LastingFile | None":
        from engine.lifecycle.consolidation.sudden_losses import LARGEST, LastingFile

        data, problem = self._present(path)
        if data is not None and len(data) > LARGEST:
            return old
        if old is None:
            seen = self._seen(data)
            return LastingFile(path=path, last=seen, anchor=seen, operation=self._newest()) if data else None
        if old.loss is None and not problem and old.last.sha256 == (None if data is None else sha256_hex(data)):
            return replace(old, anchor=old.last) if self._is_past(old) else old
        return self._judged(old, data, problem)

    def _is_past(self, old: "LastingFile") -> bool:
        """Tells whether the file's state at the operator's last look is too old to compare with."""
        if old.anchor == old.last:
            return False
        looked = self._changes.looked_at()
        is_old = self._opened.real_clock() - old.anchor.at > _ANCHORED
        return is_old or (looked is not None and looked > max(old.anchor.at, old.last.at))

    def _judged(self, old: "LastingFile", data: bytes | None, problem: str) -> "LastingFile":
        """Gives the new record of a file that changed: a loss, a plain change, or a change by an operation."""
        from engine.lifecycle.consolidation.sudden_losses import Loss, loss_in_words

        if old.loss is not None:
            lost = data == old.loss.after or loss_in_words(old.path, old.loss.before, data, problem)
            return old if lost else self._settled(old, self._seen(data))
        first, ours = self._ours(old)
        if ours and (first == old.last.sha256 or old.last.sha256 is None):
            return self._settled(old, self._seen(data))  # a plan of ours took out what a person approved
        for base in (old.last, old.anchor):
            if what := loss_in_words(old.path, base.data, data, problem):
                until = self._written(old.path, base.at)
                by = self._by(old.path, base, data, until)
                loss = Loss(what=what, since=base.at, until=until, before=base.data, after=data, by=by)
                return replace(old, loss=loss)
        return replace(old, last=self._seen(data), operation=self._newest())

    def _settled(self, old: "LastingFile", seen: "SeenFile") -> "LastingFile":
        return replace(old, last=seen, anchor=seen, operation=self._newest(), loss=None)

    def _seen(self, data: bytes | None) -> "SeenFile":
        from engine.lifecycle.consolidation.sudden_losses import SeenFile

        return SeenFile(None if data is None else sha256_hex(data), data or b"", self._opened.real_clock())

    def _present(self, path: str) -> tuple[bytes | None, str]:
        """Reads the file; gives None with the reason where it cannot be read."""
        try:
            return self._opened.root.read(path), ""
        except FileMissing:
            return None, ""
        except MemdeckError as error:
            return None, error.message

    def _newest(self) -> str:
        return next((one.id for one in self._opened.operations if one.state is not OperationState.RUNNING), "")

    def _ours(self, old: "LastingFile") -> tuple[str | None, bool]:
        """Gives the hash that the first operation since the record found at the path, and whether there was one."""
        new = takewhile(lambda one: id_order(one.id) > id_order(old.operation), self._opened.operations)
        for operation in reversed(list(new)):
            done = [operation.effects[i] for i in operation.done]
            if old.path in manifest(done):
                mine = next((write for write in done if isinstance(write, Write) and write.path == old.path), None)
                return (mine.before if mine is not None else old.last.sha256), True
        return None, False

    def _written(self, path: str, since: datetime) -> datetime:
        """Gives the time at which a file was written, by the disk, or now where the disk's time is impossible."""
        now, at = self._opened.real_clock(), self._opened.written_at(path)
        return at if at is not None and since <= at <= now else now

    def _by(self, path: str, base: "SeenFile", data: bytes | None, until: datetime) -> str:
        """Names who made a loss, if a session's call or a dream's mark or lock shows it; empty otherwise."""
        from engine.monitoring.consolidations.bursts import LOCKS, TITLES, shown_by

        with suppress(MemdeckError, OSError):
            for edit in reversed(self._sessions.edits_of((path,)) if data is not None else ()):
                wrote = edit.new.encode("utf-8", "replace")
                agrees = wrote == data if edit.old is None else wrote in (data or b"")
                if base.at - _CLOCKS <= edit.at <= until + _CLOCKS and agrees:
                    return f"by a call of session {edit.session[:12]}, line {edit.turn}"
        for tool in LOCKS:
            if shown := shown_by(tool, base.data, data or b"", until, self._opened.written_at):
                return f"by {TITLES[tool]}, as {shown} shows"
        return ""

    # ── lines that fall off ────────────────────────────────────────────────────────────────────────────────────────

    def _falling(self) -> Iterator[Alarm]:
        """Yields an alarm for each file over a cap with lines that a platform in use does not load."""
        known, (limits, total) = self._opened.fresh(look=False).files, _caps()
        files = [known[path] for path in limits if path in known]
        over = any(facts.lines > limits[facts.path][0] or facts.size > limits[facts.path][1] for facts in files)
        if not over and sum(facts.size for facts in files) <= total:
            return
        views: dict[str, dict[str, tuple[FallenLine, ...]]] = {}
        with suppress(MemdeckError):
            views = fallen_by_file(self._context.loads(SessionKind.MAIN))
        for path, by_platform in views.items():
            (worst, lines), *others = sorted(by_platform.items(), key=lambda one: -len(one[1]))
            detail = f"{worst} does not load {len(lines):,} lines, from line {lines[0].line} on"
            detail += "".join(f"; {title} {len(lines):,}" for title, lines in others)
            fix = "memdeck plan prune" if path in MEMORY_MD_PATHS else "memdeck load names them"
            yield Alarm(id="falling", path=path, detail=detail, fix=fix)


@cache
def lasting_paths() -> tuple[str, ...]:
    """Gives the files that platforms always load and whose entries should last, by the platforms' data."""
    named = (file for name in NAMES for file in shipped(name)["files"].values() if file.get("lasting"))
    identity = (f"knowledge/identity/{name}" for name in IDENTITY_FILES)
    return tuple(dict.fromkeys((*MEMORY_MD_PATHS, *(path for file in named for path in file["places"]), *identity)))


@cache
def _caps() -> tuple[dict[str, tuple[float, float]], float]:
    """Gives the smallest caps by path, in lines and bytes, and the smallest cap of all files together."""
    caps: dict[str, tuple[float, float]] = {}
    for file in (one for name in NAMES for one in shipped(name)["files"].values() if one["rule"] not in _NEVER_CUT):
        sizes = [cap * (4 if unit == "bytes/4" else 1) for unit, cap in file["caps"].items() if unit != "lines"]
        for path in file["places"]:
            lines, size = caps.get(path, (inf, inf))
            caps[path] = min(lines, file["caps"].get("lines", inf)), min(size, *sizes, inf)
    return caps, min(shipped(name).get("total", {}).get("utf16", inf) for name in NAMES)


def _alarm(path: str, loss: "Loss") -> Alarm:
    back = f"memdeck revert {path} reverts it; memdeck changes --accept {path} keeps it"
    link = "a link" in loss.what or "folder" in loss.what
    fix = f"move {path} away, what it leads to stays; then {back}" if link else back
    return Alarm(id="loss", path=path, detail=loss.detail(), fix=fix)


def _windows(status: Status) -> Iterator[Alarm]:
    if status.window.get("band") in _FULL_WINDOWS:
        detail = f"the context window has {status.window.get('tokens', 0):,} tokens: it is compacted soon"
        yield Alarm(id="window", path="", detail=detail, fix="memdeck plan flush, then approve it")


def _late(status: Status, told: set[str]) -> Iterator[Alarm]:
    for job in status.due:
        if job.overdue and job.title not in told:
            fix = f"memdeck schedule --run {job.id}" if job.runs else "memdeck schedule"
            yield Alarm(id="late", path="", detail=f"{job.title}: {job.detail or 'overdue'}", fix=fix)
