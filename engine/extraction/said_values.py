"""Tells whether a sentence states a value that lasts: an address of its own, said of what is the speaker's (D61)."""

from engine.extraction.address_words import words_of
from engine.extraction.addresses import Address, addresses

_LONGEST = 160
"""Characters; a longer sentence tells a story. Of Chinese less than half."""
_UNSURE = ("prefer", "quality", "have")
"""Attributes that other rules tell better."""
_SURE = frozenset({"own", "place", "name"})


def says_value(sentence: str) -> bool:
    """Tells whether a person says, of something that is theirs, what holds: "staging port is 5434 now"."""
    text = sentence.lower().replace("’", "'")
    words = words_of(text)
    longest = _LONGEST * 2 // 5 if words.joined else _LONGEST
    if len(text) > longest or ": " in text or "：" in text or text.startswith("["):
        return False
    ours = words.marks["ours"].search(text) is not None
    if words.marks["orders"].search(text) or (not ours and words.marks["others"].search(text)):
        return False
    definite = words.joined or words.marks["owned"].match(text) is not None
    return any(_states(one, ours=ours or words.joined, definite=definite) for one in addresses(sentence))


def _states(one: Address, *, ours: bool, definite: bool) -> bool:
    if one.negated or not one.holds or one.attribute.startswith(_UNSURE):
        return False
    sure = bool(one.typed) or one.changed or one.moved or one.attribute in _SURE
    return (ours or (sure and (definite or bool(one.verb)))) and (bool(one.subject) or (ours and len(one.run) > 1))
