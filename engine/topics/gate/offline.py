"""Answers without a model, by a rule over the evidence (decision D19)."""

from engine.topics.gate.question import GateQuestion, GateVerdict

RIVALS = 0.3  # the weight of the best other topics' figures against a topic: what resembles many is about none of them
CUT = 0.35
"""The least figure for a yes. Chosen on the development intents of `make eval`, as low as unrelated messages and
neighbouring intents allow."""


def figure(question: GateQuestion) -> float:
    """Returns the score less the rivals' share, on the table's scale."""
    return round(question.score - RIVALS * question.rivals, 6)


class OfflineGate:
    """Says yes to the best candidate at or above the cut, its topic's own if it has one, and to events."""

    name = "offline"
    keeps = False  # its answer depends on the other topics too

    def __init__(self, cut: float = CUT) -> None:
        self._cut = cut

    def ask(self, question: GateQuestion) -> GateVerdict:
        if question.event:
            return GateVerdict(yes=True, by=self.name, reason="an event is certain")
        if not question.best:
            return GateVerdict(yes=False, by=self.name, reason="another candidate is nearer to the message")
        reached = figure(question)
        cut = self._cut if question.topic.gate_cut is None else question.topic.gate_cut
        sign = "≥" if reached >= cut else "<"
        against = f"{RIVALS:g} × {question.rivals:.2f} of other topics"
        reason = f"score {question.score:.2f} − {against} = {reached:.2f} {sign} {cut:g}"
        return GateVerdict(yes=reached >= cut, by=self.name, reason=reason)
