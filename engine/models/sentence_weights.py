"""Weighs sentences; `tests/benchmarks/evaluate_summaries.py` measures the figures."""

import re
from functools import lru_cache
from typing import Literal

from engine.models.cue_matcher import Cue
from engine.models.sentence_candidates import ReadNote, SentenceCandidate
from engine.text.language import HAN, HANGUL, KANA, Language

Class = Literal["decision", "insight", ""]

LEAD: dict[Language, float] = {"en": 0.4, "de": 0.4, "zh": 0.2, "ja": 0.2, "ko": 0.2}  # first sentence over the last
_ROLE = {"decision": 1.5, "insight": 1.3, "outcome": 1.4, "open": 0.7, "": 1.0}  # by the heading above it
_KIND = {"paragraph": 1.0, "item": 1.0, "quote": 0.8, "row": 0.6, "heading": 0.3}  # a row is seldom a sentence
_SPEAKER = {"assistant": 0.5, "user": 1.2, "": 1.0}  # what a user says is asked for later more than what is explained
_CUES: dict[Cue, float] = {
    "decision": 1.3, "plan": 1.2, "insight": 1.1, "outcome": 1.4, "fact": 1.4,
    "chat": 0.7, "request": 0.6, "loose": 0.85,
}  # fmt: skip
_AGAINST: dict[Cue, Cue] = {"decision": "not_decision", "plan": "not_decision", "insight": "not_insight"}
_ADVICE = 1.8  # what an assistant recommends, lists, or says to be done is asked for later, its other sentences are not
_EXACT = 1.25  # with a figure or with quoted or marked words: names and numbers are what is asked for later
_QUESTION = 0.5  # weight of a question
_WIDE = re.compile(f"[{HAN}{KANA}{HANGUL}]")
_WORD = re.compile(f"[^\\W{HAN}{KANA}{HANGUL}]+")
_FEWEST_CHARACTERS = 6  # characters of a sentence that may be a decision or an insight
_SHORT, _LONG = 5, 60  # words between which a sentence reads well; a character of a wide script is half a word


def weights_of(reading: ReadNote) -> list[float]:
    """Returns the weight of each sentence of a note, by place, speaker, form and length."""
    lead, count = LEAD[reading.language], len(reading.candidates)
    return [
        round(
            _own_weight(c.role, c.kind, c.speaker, c.question, c.exact, c.cues)
            * (1 + lead * (1 - place / count))
            * _length_weight(c.text),
            6,
        )
        for place, c in enumerate(reading.candidates)
    ]


def _length_weight(text: str) -> float:
    """Returns a factor below 1 for text that is too short or too long to read well."""
    length = len(_WORD.findall(text)) + len(_WIDE.findall(text)) / 2
    return 0.15 + 0.17 * length if length < _SHORT else min(1.0, _LONG / length)


@lru_cache(maxsize=8192)
def _own_weight(role: str, kind: str, speaker: str, question: bool, exact: bool, cues: frozenset[Cue]) -> float:
    weight = _ROLE[role] * _KIND[kind] * _SPEAKER[speaker]
    if question:
        weight *= _QUESTION
    if exact:
        weight *= _EXACT
    if speaker == "assistant" and "advice" in cues:
        weight *= _ADVICE
    for cue, factor in _CUES.items():
        if cue in cues and _AGAINST.get(cue) not in cues:
            weight *= factor
    return weight


def class_of(candidate: SentenceCandidate) -> Class:
    """Classifies a sentence as decision or insight; as decision if both (compactor §2)."""
    if (
        candidate.question
        or candidate.kind == "heading"
        or candidate.role == "open"
        or len(candidate.text) < _FEWEST_CHARACTERS
    ):
        return ""
    cues = candidate.cues if candidate.kind != "row" else frozenset[Cue]()
    own = candidate.speaker != "assistant"
    if "not_decision" not in cues and (candidate.role == "decision" or "decision" in cues or (own and "plan" in cues)):
        return "decision"
    if "not_insight" not in cues and (candidate.role == "insight" or "insight" in cues or (own and "rule" in cues)):
        return "insight"
    return ""
