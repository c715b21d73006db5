"""Replays for the front ends: their changes in figures, and a blind comparison (§8.7)."""

import msgspec

from engine.errors import UsageError
from engine.lifecycle.replay.figures import (
    BlindAnswer,
    BlindPair,
    BlindStanding,
    ReplayFigures,
    blind_pairs,
    blind_standing,
    replay_figures,
)
from engine.plans.plan import Plan
from engine.services.open_workspace import OpenWorkspace
from engine.state.table import StateTable, Table


class ReplayService:
    """Asks which entries of a session are better, without telling which are the replay's."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened
        self._answers = Table(opened.database, StateTable.BLIND_ANSWERS)

    def pairs(self, plan_id: str) -> tuple[BlindPair, ...]:
        """Gives the sessions whose entries a replay's plan changes; `UsageError` for another plan."""
        return blind_pairs(self._plan(plan_id))

    def answers(self, plan_id: str) -> dict[str, BlindAnswer]:
        """Gives the answers so far, by session."""
        least = f"{self._plan(plan_id).digest} "
        rows = self._answers.values(BlindAnswer, least)
        return {key.removeprefix(least): answer for key, answer in rows.items() if key.startswith(least)}

    def answer(self, plan_id: str, session: str, answer: BlindAnswer) -> None:
        """Stores the operator's answer on a session; `UsageError` where the plan has no such pair."""
        if session not in {pair.session for pair in self.pairs(plan_id)}:
            raise UsageError("the replay has no such session to compare", where=session[:200])
        key = f"{self._plan(plan_id).digest} {session}"
        with self._answers.change() as rows:
            rows.drop(key)  # the answers are listed as they were given first, and the last one is the newest
            rows.put(key, msgspec.json.encode(answer))

    def take_back(self, plan_id: str, session: str = "") -> str:
        """Removes the answer on a session, by default the newest, and gives the session; `UsageError` for none."""
        answers = self.answers(plan_id)
        gone = session or next(reversed(answers), "")
        if gone not in answers:
            raise UsageError("no such session is judged", where=gone[:200], hint=f"memdeck replay {plan_id}")
        with self._answers.change() as rows:
            rows.drop(f"{self._plan(plan_id).digest} {gone}")
        return gone

    def standing(self, plan_id: str) -> BlindStanding:
        """Gives the number of judged sessions, and the share that the replay won."""
        return blind_standing(self._plan(plan_id), self.answers(plan_id))

    def figures(self, plan_id: str) -> ReplayFigures:
        """Compares present knowledge with the replay's, in figures."""
        return replay_figures(self._plan(plan_id))

    def _plan(self, plan_id: str) -> Plan:
        plan = self._opened.queue.load(plan_id)
        if plan.system != "replay":
            raise UsageError("that plan is no replay", where=plan.id, hint="memdeck plan replay")
        return plan
