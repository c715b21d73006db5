"""Tells whether a sentence states a value that lasts: an address of its own, said of what is the speaker's (D61)."""

import re

from engine.extraction.address_words import words_of
from engine.extraction.addresses import Address, addresses

_LONGEST = 160
"""Characters; a longer sentence tells a story. Of Chinese less than half."""
_UNSURE = ("prefer", "quality", "have")
"""Attributes that other rules tell better."""
_COLON = re.compile(r": |：")
_SURE = frozenset({"own", "place", "name"})


def says_value(sentence: str) -> bool:
    """Tells whether a person says, of something that is theirs, what holds: "staging port is 5434 now"."""
    text = sentence.lower().replace("’", "'")
    words = words_of(text)
    longest = _LONGEST * 2 // 5 if words.joined else _LONGEST
    head = _COLON.split(text, maxsplit=1)[0]
    announced = len(head) < len(text) and words.marks["changed"].search(head) is not None  # "final convention: …"
    if len(text) > longest or (len(head) < len(text) and not announced) or text.startswith("["):
        return False
    ours = announced or words.marks["ours"].search(text) is not None
    if words.marks["orders"].search(text) or (not ours and words.marks["others"].search(text)):
        return False
    definite = words.joined or words.marks["owned"].match(text) is not None
    return any(_states(one, ours=ours or words.joined, definite=definite) for one in addresses(sentence))


def _states(one: Address, *, ours: bool, definite: bool) -> bool:
    if one.negated:
        return len(one.content) > 1 and (one.verb == "drop" or (ours and one.changed))
    told = one.attribute == "quality" and ours and len(one.subject) > 1
    if not one.holds or (one.attribute.startswith(_UNSURE) and not told):
        return False
    sure = bool(one.typed | one.value & one.names) or one.changed or one.moved or one.attribute in _SURE
    return (ours or (sure and (definite or bool(one.verb)))) and (bool(one.subject) or (ours and len(one.run) > 1))
