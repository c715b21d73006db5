"""What makes one sentence weigh more than another. The figures are chosen by `tests/benchmarks/evaluate_summaries.py`."""

from engine.models.candidates import Candidate
from engine.models.language import Language

LEAD: dict[Language, float] = {"en": 0.5, "de": 0.5, "zh": 1.0, "ja": 1.0, "ko": 1.0}
"""How much more the first sentence of a note weighs than the last."""
DIVERSITY = 0.6
"""Share of a score that likeness to what was picked before takes away."""

_ROLE = {"decision": 1.5, "insight": 1.3, "outcome": 1.4, "open": 0.7, "": 1.0}
_KIND = {"paragraph": 1.0, "item": 1.0, "quote": 0.8, "row": 0.6, "heading": 0.3}
_SPEAKER = {"assistant": 0.7, "user": 1.0, "": 1.0}
_SHORT = 5
_LONG = 45


def prior(candidate: Candidate, language: Language, place: float, words: int) -> float:
    """Weight of a sentence before its words are looked at; `place` is 0 for the first of the note, near 1 for the last."""
    weight = (
        (1 + LEAD[language] * (1 - place)) * _ROLE[candidate.role] * _KIND[candidate.kind] * _SPEAKER[candidate.speaker]
    )
    if not candidate.leads:
        weight *= 0.85
    if candidate.question:
        weight *= 0.5
    return weight * _length_weight(words) * _cue_weight(candidate)


def _length_weight(words: int) -> float:
    if words < _SHORT:
        return 0.15 + 0.17 * words
    return 1.0 if words <= _LONG else max(0.4, _LONG / words)


def _cue_weight(candidate: Candidate) -> float:
    weight = 1.0
    if "decision" in candidate.cues and "not_decision" not in candidate.cues:
        weight *= 1.3
    if "outcome" in candidate.cues:
        weight *= 1.2
    if "chat" in candidate.cues:
        weight *= 0.6
    return weight


def class_of(candidate: Candidate) -> str:
    """`decision`, `insight` or an empty string for all else (compactor §2)."""
    if candidate.question or candidate.kind == "heading" or len(candidate.text) < 6:
        return ""
    if "not_decision" not in candidate.cues and (candidate.role == "decision" or "decision" in candidate.cues):
        return "decision"
    if "not_insight" not in candidate.cues and (candidate.role == "insight" or "insight" in candidate.cues):
        return "insight"
    return ""
