"""Sends questions as batches, waits, and fetches the answers: saved at each step, and booked before they are judged. A
stopped run leaves its batches with the service; the next run with the same questions takes them up."""

import os
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec.structs import asdict

from engine.extras.batches.batch_records import BatchFolder, BatchRecord, BatchState
from engine.extras.batches.claude_batches import BatchResult, ClaudeBatches, UnclearBatch
from engine.models.claude import END_TURN, ModelFailed
from engine.models.cost_ledger import CostLedger, LedgerLine, OverBudget
from engine.models.model_task import NOTHING_USED, ModelQuestion, Usage
from engine.models.spending_cap import Budget
from engine.services.answers import AnswerFolder
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible

MOST_QUESTIONS, MOST_BYTES = 10_000, 100_000_000  # of one batch; the service takes 100,000 and 256 MB
PAUSES = (2.0, 60.0)  # seconds between two looks at a batch: at first, and at most
_STEP = 0.2  # seconds after which a waiting run looks whether it was stopped
_FAILURES = 5  # looks in a row without an answer, behind which a run goes on without the batch
_SKEW = timedelta(minutes=5)  # the service's clock may be behind ours by this much


class BatchDesk:
    """The batches of one workspace and one key."""

    def __init__(
        self,
        batches: ClaudeBatches,
        records: BatchFolder,
        ledger: CostLedger,
        answers: AnswerFolder,
        *,
        clock: Callable[[], datetime],
        url: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._batches, self._records, self._ledger, self._answers = batches, records, ledger, answers
        self._clock, self._url, self._sleep = clock, url, sleep

    def ask(
        self, questions: Mapping[str, ModelQuestion], budget: Budget, plan: str, tick: Callable[[], None]
    ) -> dict[str, str]:
        """Asks and waits. Returns the end of each question's answer: `end_turn` for one that was kept. Raises what
        `tick` raises. Questions that are already under way are not sent again."""
        ends: dict[str, str] = {}
        # Noted under the lock and sent without it: sending may take long, and others must see what is under way.
        with self._records.locked():
            waited = self._under_way(questions, budget)
            taken = {ident for record in waited for ident in record.most}
            fresh = {ident: question for ident, question in questions.items() if ident not in taken}
            made = self._made(fresh, budget, plan, ends)
        for record in made:
            waited.append(self._sent(record, {ident: questions[ident] for ident in record.most}, budget))
        for record in waited:
            ends |= self._ends(record, budget, tick)
        return {ident: ends[ident] for ident in questions if ident in ends}

    def _under_way(self, questions: Mapping[str, ModelQuestion], budget: Budget) -> list[BatchRecord]:
        """The open batches that contain some of the questions. A batch that was never sent is forgotten."""
        found = []
        for record in self._records.all():
            if record.state is BatchState.MADE and record.pid != os.getpid():
                self._ledger.release(record.id)
                self._records.remove(record.id)
            elif record.state is not BatchState.DONE and not questions.keys().isdisjoint(record.most):
                found.append(record)
                for most in record.most.values():
                    budget.take_over(most)
        return found

    def _made(
        self, questions: Mapping[str, ModelQuestion], budget: Budget, plan: str, ends: dict[str, str]
    ) -> list[BatchRecord]:
        """Records the batches to send, each question with its reservation."""
        parts: list[dict[str, Usage]] = [{}]
        size = 0
        for ident, question in questions.items():
            length = _size(question)
            try:
                most = budget.reserve(length, question.max_tokens)
            except OverBudget:
                ends[ident] = f"the budget is spent (llm.max_usd_per_plan: {budget.cap:g})"
                continue
            if len(parts[-1]) >= MOST_QUESTIONS or size + length > MOST_BYTES:
                parts.append({})
                size = 0
            parts[-1][ident] = most
            size += length
        made = []
        for part in parts:
            if part:
                record = self._record(part, questions[next(iter(part))], budget, plan)
                self._records.save(record)
                self._ledger.hold(record.id, _held(record))
                made.append(record)
        return made

    def _record(self, most: Mapping[str, Usage], question: ModelQuestion, budget: Budget, plan: str) -> BatchRecord:
        now = self._clock()
        digest = sha256_hex("\n".join((str(now), str(os.getpid()), *most)).encode())[:8]
        return BatchRecord(
            id=f"{now:%Y%m%d-%H%M%S}-{digest}",
            state=BatchState.MADE,
            role=question.role.value,
            model=question.model,
            plan=plan,
            made_at=now,
            pid=os.getpid(),
            url=self._url,
            price=budget.price,
            most=most,
        )

    def _sent(self, record: BatchRecord, questions: Mapping[str, ModelQuestion], budget: Budget) -> BatchRecord:
        """Sends a batch once. One that was certainly not made is forgotten, an uncertain one reported as unclear."""
        # On disk before it is sent: creating a batch twice would be paid twice (decision D48).
        self._records.save(record := msgspec.structs.replace(record, state=BatchState.SENDING))
        try:
            remote = self._batches.create(questions)
        except ModelFailed as failed:
            self._records.remove(record.id)
            self._ledger.release(record.id)
            for most in record.most.values():
                budget.settle(most, NOTHING_USED, billed=False)
            return msgspec.structs.replace(record, state=BatchState.DONE, ends=dict.fromkeys(record.most, str(failed)))
        except UnclearBatch as unclear:
            record = msgspec.structs.replace(record, state=BatchState.UNCLEAR, why=str(unclear))
        else:
            record = msgspec.structs.replace(record, state=BatchState.SENT, remote=remote)
        self._records.save(record)
        return record

    # ── waiting ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _ends(self, record: BatchRecord, budget: Budget, tick: Callable[[], None]) -> Mapping[str, str]:
        """Waits for a batch. Returns by question the end of its answer, or the reason why there is none."""
        pause, failures = PAUSES[0], 0
        while True:
            tick()
            found = self._records.load(record.id) if record.state is not BatchState.DONE else record
            if found is None:
                return dict.fromkeys(record.most, "its batch was forgotten")
            record = self.clarified(found)
            match record.state:
                case BatchState.DONE:
                    return record.ends
                case BatchState.UNCLEAR:
                    return dict.fromkeys(record.most, self._unclear(record))
                case BatchState.SENT:
                    try:
                        done = self.fetched(record)
                        failures = 0
                    except ModelFailed as failed:
                        done, failures = None, failures + 1
                        # The batch stays open in the records; `memdeck batches` fetches it later.
                        if failures == _FAILURES or failed.stop in ("other host", "http 404"):
                            return dict.fromkeys(record.most, f"batch {record.remote}: {failed}; memdeck batches")
                    if done is not None:
                        self._settle(done, budget)
                        return done.ends
            self._wait(pause, tick)
            pause = min(PAUSES[1], pause * 1.3)

    def _wait(self, seconds: float, tick: Callable[[], None]) -> None:
        for _ in range(round(seconds / _STEP)):
            tick()
            self._sleep(_STEP)

    def _settle(self, record: BatchRecord, budget: Budget) -> None:
        """Reports a batch's cost to the budget, from its lines in the ledger."""
        lines = {line.id: line for line in self._ledger.lines()}
        for ident, most in record.most.items():
            line = lines.get(_line_id(record, ident))
            budget.settle(most, line.usage if line is not None else NOTHING_USED, billed=line is not None)

    def clarified(self, record: BatchRecord) -> BatchRecord:
        """The record, marked unclear if the process that was sending it has ended."""
        if not record.lost:
            return record
        record = msgspec.structs.replace(record, state=BatchState.UNCLEAR, why="memdeck ended while it was being sent")
        self._records.save(record)
        return record

    def candidates(self, record: BatchRecord) -> tuple[str, ...]:
        """The ids of the service's batches that an unclear one may have become: of the same size, and not yet known."""
        known = {known_record.remote for known_record in self._records.all()}
        found = self._batches.made_since(record.made_at - _SKEW)
        return tuple(batch.id for batch in found if batch.size == len(record.most) and batch.id not in known)

    def _unclear(self, record: BatchRecord) -> str:
        try:
            found = ", ".join(self.candidates(record)) or "none that fits"
        except ModelFailed as failed:
            found = f"nothing, for {failed}"
        return f"nobody knows whether batch {record.id} was made ({record.why}); the service has {found}"

    # ── fetching ───────────────────────────────────────────────────────────────────────────────────────────────────

    def fetched(self, record: BatchRecord) -> BatchRecord | None:
        """Fetches, books and keeps the answers of a finished batch; None while it runs. Safe to repeat."""
        standing = self._batches.standing(record.remote)
        if not standing.ended:
            return None
        answers = self._batches.results(record.remote) if standing.results else ()
        results = {result.custom_id: result for result in answers}
        if not standing.results and not standing.archived:
            raise ModelFailed("its answers are not there yet", NOTHING_USED)
        if results and results.keys().isdisjoint(record.most):
            raise ModelFailed("its answers are to other questions", NOTHING_USED)
        # Booked before the answers are looked at (decision D49).
        lines = [line for ident in record.most if (line := self._line(record, ident, results.get(ident))) is not None]
        self._ledger.book_all(record.id, lines)
        ends = {ident: self._kept(ident, results.get(ident)) for ident in record.most}
        done = msgspec.structs.replace(record, state=BatchState.DONE, ends=ends, usd=sum(line.usd for line in lines))
        self._records.save(done)
        return done

    def forgotten(self, record: BatchRecord) -> None:
        """Gives a batch up. Its highest possible cost is booked, unless nothing was sent."""
        if record.state is BatchState.MADE:
            self._ledger.release(record.id)
        elif record.state is not BatchState.DONE:
            self._ledger.book_all(record.id, [msgspec.structs.replace(_held(record), estimated=True, stop="forgotten")])
        self._records.remove(record.id)

    def _line(self, record: BatchRecord, ident: str, result: BatchResult | None) -> LedgerLine | None:
        """The line in the ledger for one question; None for one that is not billed."""
        if result is not None and result.kind in ("errored", "canceled", "expired"):
            return None
        reply = result.reply if result is not None else None
        said = reply.usage if reply is not None else None
        # Without a word of the service: the most that it can have been.
        used = msgspec.structs.replace(said or record.most[ident], batch=True)
        return LedgerLine(
            time=self._clock(),
            role=record.role,
            plan=record.plan,
            model=record.model,
            **asdict(used),
            price=record.price,
            usd=record.price.cost(used),
            estimated=said is None,
            stop=reply.stop if reply is not None else "no result",
            id=_line_id(record, ident),
        )

    def _kept(self, ident: str, result: BatchResult | None) -> str:
        """Keeps a whole answer. Returns its end, or the reason why there is none."""
        if result is None:
            return "its batch ended without a result"
        if result.reply is None:
            return f"its batch ended: {result.kind}"
        if result.reply.stop != END_TURN:
            return f"the answer stopped early ({visible(result.reply.stop)[:40]})"
        try:
            answer: Any = msgspec.json.decode(result.reply.text.encode("utf-8", "replace"))
        except msgspec.DecodeError:
            return "the answer has another form than was asked for"
        self._answers.put_raw(ident, answer)
        return END_TURN


def _size(question: ModelQuestion) -> int:
    text = (question.system + question.prompt).encode("utf-8", "replace")
    return len(text) + len(msgspec.json.encode(question.schema))


def _line_id(record: BatchRecord, ident: str) -> str:
    return f"{record.id}-{ident}"


def _held(record: BatchRecord) -> LedgerLine:
    """A whole batch at its highest possible cost, as one line."""
    return LedgerLine(
        time=record.made_at,
        role=record.role,
        plan=record.plan,
        model=record.model,
        input=0,
        output=sum(usage.output for usage in record.most.values()),
        cache_write=sum(usage.cache_write for usage in record.most.values()),
        cache_write_hour=sum(usage.cache_write_hour for usage in record.most.values()),
        batch=True,
        price=record.price,
        usd=record.usd_at_most,
        estimated=True,
        id=record.id,
    )
