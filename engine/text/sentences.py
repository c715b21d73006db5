"""Splits text into sentences in five languages, in one pass."""

import re

from engine.text.language import HAN, KANA, WORDS

_CLOSERS = "\"'”’»)\\]*_`」』）】"
_OPENERS = "\"'„“‘«(\\[`*_「『（【"
_LONGEST_JOIN = 1_000  # characters of a sentence to which the part behind an abbreviation's dot is still joined
# A run of marks is tried once, from its first, so a million dots stay linear; a plain set in front keeps the scan fast.
_END_ASCII = re.compile(
    r"""([.!?](?<![.!?][.!?])(?:(?<!\.)|(?=[.!?]*+["')\]*_`]*+\s["'(\[*_`]*+[^a-z]))[.!?]*+["')\]*_`]*+)(?=\s)"""
)
_END = re.compile(
    rf"([.!?…。！？｡](?<![.!?…。！？｡][.!?…。！？｡])(?:"
    rf"(?<=[。！？｡])[。！？｡]*+[{_CLOSERS}]*+"
    rf"|(?<=[!?…])[.!?…]*+[{_CLOSERS}]*+(?=[\s{HAN}{KANA}])"
    rf"|(?<=\.)[.!?…]*+[{_CLOSERS}]*+(?=\s[{_OPENERS}]*+[^a-zß-öø-ÿ])))"
)
_ABBREVIATIONS = WORDS.words("abbreviations")
_ORDINALS = frozenset(str(number) for number in range(32)) | {f"0{number}" for number in range(10)}
"""Numbers that are ordinals before a dot, like days of a month; a larger number ends a sentence."""


def sentences(text: str) -> list[str]:
    """Splits one line of text into stripped sentences; `text` must not contain a line end."""
    end = _END_ASCII if text.isascii() else _END
    if not end.search(text):
        return [text]
    first, *rest = end.sub("\\1\n", text).split("\n")
    found = [first]
    for part in rest:
        goes_on = (found[-1].endswith(".") and not _is_full_stop(found[-1])) or found[-1].count("`") % 2
        if goes_on and len(found[-1]) < _LONGEST_JOIN:
            found[-1] += part
        else:
            found.append(part)
    return [stripped for part in found if (stripped := part.strip())]


def _is_full_stop(part: str) -> bool:
    """Tells whether the last dot ends a sentence, unlike in "3. Mai", "J. Smith", "J.D. Smith" or "z. B."."""
    # No abbreviation of the table is longer: only the end of a long sentence is looked at.
    word = part[part.rfind(" ", max(0, len(part) - 12)) + 1 : -1].lstrip(_OPENERS)
    if len(word) > 6:
        return True
    initials = all(len(part) == 1 and part.isalpha() for part in word.split("."))
    return not (initials or word in _ORDINALS or word.lower() in _ABBREVIATIONS)
