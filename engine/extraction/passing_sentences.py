"""Tells which sentences of a person are over with their session: requests, roles, pasted text, words of reaction."""

import re
from functools import cache

from engine.extraction.words import TABLES, pattern
from engine.models.cue_matcher import alternatives

_REACTIONS = r"""
    (?:wow|oh|ah|yum|haha|ha|hmm|well|great|good|nice|yes|yeah)?[,.!]?\s*(?:it|that|this)(?:'s|’s| is| was| sounds\
        | seems)(?: \w+){0,2} (?:good|great|nice|interesting|amazing|fascinating|disheartening|sad|cool|helpful\
        |reassuring|crazy|incredible|frustrating|inspiring|shocking|surprising|fantastic|wonderful|encouraging\
        |comforting|unfortunate|concerning|impressive|awesome|relief|shame|pity|point)\b
    (?:good|great|nice|glad|happy|relieved|sad|interesting) to (?:know|hear|see|learn)\b
    (?:wow|yum|oh)\b[,!]
    (?:that|it|this) (?:makes|make) (?:\w+ )?(?:\w+ )?sense\b
    (?:es|das) ist (?:so |sehr |wirklich )?(?:gut|schön|interessant|schade|toll|spannend)(?:,| zu)
"""
_FIRST_PERSON = (
    r"(?i)\b(?:i|i'm|im|i've|my|mine|myself|me|we|our|ours|us|ich|mein\w*|mir|mich|wir|uns|unser\w*|je|mon|ma|mes|nous|notre"
    r"|nos|yo|mi|mis|nosotros|nuestr\w+)\b|\bj['’]|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
_OPENS_QUOTE = re.compile(r"[\"“„«‘](?!.*[\"”“»’])")


def is_passing(sentence: str) -> bool:
    """Tells whether a sentence asks for something, gives a role, or says no more than what the answer was worth."""
    return bool(
        _request().match(sentence)
        or _OPENS_QUOTE.match(sentence)
        or (_reaction().match(sentence) and not is_own(sentence))
    )


def is_asked(sentence: str) -> bool:
    """Tells whether a sentence asks for something, however shortly, gives a role or advises."""
    return bool(pattern("passing.asked").search(sentence) or _request().match(sentence))


def is_own(sentence: str) -> bool:
    """Tells whether a sentence speaks of the one who says it; in scripts that leave the person out each one may."""
    return _first_person().search(sentence) is not None


@cache
def _request() -> re.Pattern[str]:
    """A request that holds for later sessions is a rule."""
    first, anywhere = ("|".join(TABLES.lines("passing.request", edges=edges)) for edges in (True, False))
    return re.compile(rf"(?i)\s*(?!.*(?:{TABLES.alternatives('passing.lasting')}))(?:{first}|.{{0,12}}?(?:{anywhere}))")


@cache
def _reaction() -> re.Pattern[str]:
    return re.compile(rf"(?i)\s*(?:{alternatives(_REACTIONS)})")


@cache
def _first_person() -> re.Pattern[str]:
    return re.compile(_FIRST_PERSON)
