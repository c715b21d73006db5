"""The digest for the front ends: makes it, sends it by the operator's command, and records when."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTPUTF8
from pathlib import Path, PurePath

from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError, UsageError
from engine.extraction.entry import PROMOTED, EntryKind
from engine.extraction.sentence_kinds import kind_of_line
from engine.flush.items import FlushCategory
from engine.flush.stated_lines import stated_lines
from engine.history.explorations import Exploration, explorations
from engine.history.git import GitFailed, run_limited
from engine.models.cost_ledger import CostLedger
from engine.models.model_task import RuleModel
from engine.monitoring.digest import USUAL, FallingFile, WeeklyDigest, weekly_digest
from engine.monitoring.learnt import MOST_NOTES, DatedNote, Quote, best, notes_between, quoted
from engine.plans.flags import poisoned_lines
from engine.services.context import ContextService
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.services.status import StatusService
from engine.services.transcript_entries import found_entries
from engine.services.transcripts import closed_transcripts
from engine.text.safe_text import visible_line
from engine.workspace.dates import instant, transcript_day
from engine.workspace.snapshot import Snapshot
from engine.workspace.system_calls import find_program, search_path

LAST = "last"  # in the place of an instant: since the last digest that was sent or read
RUN = "digest"  # the name under which the last digest is remembered
NEAR = 0.9  # share of a cap from which on a file is told as about to fall off


class DigestService:
    """Makes the digest of a period. Writes only the time of the last digest."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue, status: StatusService, context: ContextService) -> None:
        self._opened, self._queue, self._status, self._context = opened, queue, status, context

    def since(self, text: str = LAST) -> datetime:
        """Gives the period's start: `last` (else a week ago) or an instant in words; `UsageError` for the future."""
        opened, now = self._opened, self._opened.now()
        if text.strip().casefold() == LAST:
            last = opened.last_runs.all().get(RUN)
            return last if last is not None and last < now else now - USUAL
        at = instant(text, now, opened.policy.zone, past=True)
        if at >= now:
            raise UsageError("is still to come", where=repr(text), hint="try 7d, monday or 2026-03-08")
        return at

    def make(self, since: datetime) -> WeeklyDigest:
        """Makes the digest from `since` until now, with what is ahead."""
        with self._opened.lock:
            status = self._status.read()
            notes, quoted = self._learnt(self._opened.fresh(look=False), since)
            return weekly_digest(
                workspace=self._opened.root.identity.path,
                since=since,
                until=status.now,
                simulated_clock=status.simulated_clock,
                notes=notes,
                learnt=quoted,
                entries=self._queue.entries(),
                operations=self._opened.operations.since(since),
                falling=tuple(self._falling()),
                trends=self._status.trends(status),
                ledger=CostLedger(self._opened.state.ledger).lines(),
                explorations=self._explorations(),
                alarms=status.alarms,
                flags=self._context.flags.look().flags,
            )

    def send(self, subject: str, text: str) -> None:
        """Sends the text by the operator's command, and records that it was sent; raises as `give`."""
        folder = Path(self._opened.root.identity.path)
        give(self._opened.policy.digest.command, visible_line(subject), text, folder, self._opened.env)
        self.read()

    def read(self) -> datetime:
        """Records that the operator has the digest, so that the next one begins now; gives this instant."""
        self._opened.record_run(RUN)
        return self._opened.now()

    def _learnt(self, snapshot: Snapshot, since: datetime) -> tuple[int, tuple[Quote, ...]]:
        """Gives the number of notes and sessions in the period, and the best sentences of them."""
        zone = self._opened.policy.time_zone
        first, last = since.astimezone(zone).date(), self._opened.now().astimezone(zone).date()
        found = notes_between(snapshot.files.values(), first, last)
        paths = [path for path in closed_transcripts(snapshot) if first <= (transcript_day(path) or first) <= last]
        told = list(self._said(snapshot, paths)) if paths else []
        for facts in found[:MOST_NOTES]:
            # A note that changed since, or is no UTF-8, cannot be shown.
            with suppress(MemdeckError, UnicodeDecodeError):
                text = snapshot.content(facts.path).decode("utf-8")
                told += quoted(DatedNote(facts.path, facts.date.day, text), kinds_of_lines)
        said = best(quote for quote in told if first <= quote.day <= last)
        # What looks like poison is no lesson (decision G30).
        return len(found) + len(paths), tuple(quote for quote in said if not poisoned_lines(quote.text))

    def _said(self, snapshot: Snapshot, paths: Sequence[str]) -> Iterator[Quote]:
        """Yields the entries of sessions that were stated or confirmed (decision D59)."""
        read = found_entries(self._opened, self._opened.planning(snapshot), paths, RuleModel())
        for one in (entry for session in read.sessions for part in session for entry in part.entries):
            line = read.lines.get((one.turn.source, one.turn.line, one.quote), 0)
            if line and one.grade in PROMOTED:
                day = one.turn.day(self._opened.policy.time_zone)
                yield Quote(text=one.quote, kind=one.kind, path=one.turn.source, line=line, end=line, day=day)

    def _explorations(self) -> tuple[Exploration, ...]:
        """Gives every exploration; none without git or where git fails, which the status tells."""
        repository = self._opened.git.usable()
        with suppress(MemdeckError):
            return () if repository is None else explorations(repository)
        return ()

    def _falling(self) -> Iterator[FallingFile]:
        """Yields the files that a main session on a platform in use loads only in part, or that are nearly full."""
        for load in self._context.loads(SessionKind.MAIN):
            for file in load.files if load.used else ():
                tight = min(file.caps, key=lambda cap: cap.headroom / cap.cap, default=None)
                if tight is not None and (file.fallen or tight.value >= tight.cap * NEAR):
                    yield FallingFile(
                        platform=load.platform.title,
                        path=file.path,
                        unit=tight.unit.value,
                        value=tight.value,
                        cap=tight.cap,
                        lines=len(file.fallen),
                    )


def kinds_of_lines(lines: Sequence[str]) -> Mapping[int, EntryKind]:
    """Gives the kinds of a note's lines by number: by their label, else by their words."""
    labels = {
        FlushCategory.DECISION: EntryKind.DECISION,
        FlushCategory.FACT: EntryKind.FACT,
        FlushCategory.LEARNING: EntryKind.LESSON,
    }
    heard = {at: kind for at, line in enumerate(lines) if line and (kind := kind_of_line(line)) is not None}
    return heard | {at: labels[one.category] for at, one in stated_lines(lines, (), ()).items if one.category in labels}


TIMEOUT = 60.0  # seconds after which the command is stopped with all that it started
MAILERS = frozenset({"msmtp", "sendmail", "ssmtp", "esmtp", "nullmailer-inject"})
"""Programs that take a whole mail: the text gets a subject and a character set."""
_HINT = "the policy's digest.command names it"


def give(command: Sequence[str], subject: str, text: str, workspace: Path, env: Mapping[str, str]) -> None:
    """Runs the operator's command outside the workspace, without a shell; `MemdeckError` on failure or timeout."""
    if not command:
        raise UsageError("no command is set to send it with", where="digest.command", hint="set it in policy.yaml")
    if (program := find_program(command[0], workspace, env)) is None:
        raise MemdeckError("there is no such program outside the workspace", where=command[0], hint=_HINT)
    clean = {**env, "PATH": search_path(workspace, env)}
    data = message(subject, text) if PurePath(program).name in MAILERS else text.encode()
    try:
        code, _, err = run_limited([program, *command[1:]], stdin=data, env=clean, timeout=TIMEOUT)
    except GitFailed as error:
        raise MemdeckError(error.message, where=program, hint=_HINT) from error
    if code != 0:
        said = " ".join(err.decode("utf-8", "replace").split())[:200]
        raise MemdeckError(f"it ended with {code}{f': {said}' if said else ''}", where=program, hint=_HINT)


def message(subject: str, text: str) -> bytes:
    """Gives the text as a UTF-8 mail with a subject; the command itself names the receiver."""
    mail = EmailMessage(policy=SMTPUTF8.clone(linesep="\n"))
    mail["Subject"] = " ".join(subject.split())
    mail.set_content(text, cte="8bit")
    return bytes(mail)
