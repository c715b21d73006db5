"""Asks Claude yes or no about a message and a topic, within a budget (decision D19, §5.2)."""

from collections.abc import Callable
from datetime import datetime
from typing import Literal

import msgspec

from engine.models.claude import ModelFailed
from engine.models.cost_ledger import CostLedger, OverBudget
from engine.models.egress import Unsendable, outgoing
from engine.models.model_task import Price, closed_schema, task_prompt
from engine.models.spending_cap import Budget, LanguageModel, PaidModel
from engine.text.safe_text import visible
from engine.topics.gate.question import DESCRIPTION_LENGTH, MESSAGE_LENGTH, GateFailed, GateQuestion, GateVerdict

MAX_TOKENS = 300  # tokens of an answer: yes or no, and a sentence of reason
FAILURES = 3  # calls in a row that may fail before the gate rests for `REST` questions
REST = 20
"""Questions that are skipped after `FAILURES` failures in a row, so that a dead line delays no message."""

SCHEMA = closed_schema(answer={"type": "string", "enum": ["YES", "NO"]}, reason={"type": "string"})


class _Answer(msgspec.Struct):
    answer: Literal["YES", "NO"]
    reason: str = ""


class ClaudeGate:
    """Asks the model that the policy names; without an answer nothing is activated."""

    keeps = True

    def __init__(
        self,
        model: LanguageModel,
        *,
        price: Price,
        max_usd: float,
        ledger: CostLedger,
        timer: Callable[[], float],
        clock: Callable[[], datetime],
    ) -> None:
        """`max_usd`: the cap on all answers of this gate; 0 for no calls. `clock`: real time."""
        self.name = model.model
        budget = Budget(max_usd, ledger=ledger, price=price, role="gate", model=model.model, clock=clock, timer=timer)
        self._model = PaidModel(model, budget)
        self._failures = 0
        self._resting = 0

    def ask(self, question: GateQuestion) -> GateVerdict:
        """Returns the answer; raises `GateFailed`."""
        if self._resting:
            self._resting -= 1
            raise GateFailed(f"the last {FAILURES} calls failed; trying again after {self._resting} more questions")
        try:
            prompt = prompt_of(question)
        except Unsendable as error:
            raise GateFailed(str(error)) from error
        try:
            answer, cost = self._model.ask(
                system=task_prompt("gate").text, prompt=prompt, schema=SCHEMA, answer=_Answer, max_tokens=MAX_TOKENS
            )
        except OverBudget:
            cap = f"{self._model.budget.cap:g}"
            raise GateFailed(f"the topic gate's budget is spent (llm.max_usd_per_plan: {cap})") from None
        except ModelFailed as failed:
            self._failed()
            raise GateFailed(str(failed)) from failed
        except OSError as error:  # what cannot be booked is not asked
            raise GateFailed(f"the ledger cannot be written: {error.strerror or error}") from error
        self._failures = 0
        return GateVerdict(yes=answer.answer == "YES", by=self.name, reason=answer.reason.strip()[:200], cost_usd=cost)

    def _failed(self) -> None:
        self._failures += 1
        if self._failures >= FAILURES:
            self._failures, self._resting = 0, REST


def prompt_of(question: GateQuestion) -> str:
    """Puts message and topic between marks that they cannot contain, hidden characters visible, secrets masked."""
    topic = question.topic
    named = f"{_safe(topic.id, 100)} — {_safe(topic.title, 100)}"
    return (
        f"<topic>{named}: {_safe(topic.description, DESCRIPTION_LENGTH)}</topic>\n"
        f"<message>{_safe(question.message, MESSAGE_LENGTH)}</message>\n"
        "Should the topic become active?"
    )


def _safe(text: str, length: int) -> str:
    return visible(outgoing(text, length))[:length].replace("<", "‹").replace(">", "›")
