"""Tells what a decision, a preference or a correction is about, and what it chooses there (decision D45).

A sentence of no known form has no standpoint: it is superseded by nothing and supersedes nothing.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

import msgspec

from engine.extraction import subject_forms as forms

MOST_VALUE, MOST_SUBJECT = 4, 6
"""Words of what is chosen, and of what it is about; more is no simple choice."""
_LONGEST = 400
"""Characters of a sentence that may say a choice; a longer one is no simple choice."""
_WORD = re.compile(r"[^\W_]+(?:[-./+'’#][^\W_]+)*[+#]*")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_GOES_ON = re.compile(r"\\\n\s*")
_END = " \t.!。！…;；,，"


class Standpoint(msgspec.Struct, frozen=True):
    """The choice of a sentence: its subject, what is chosen and what is given up, as words without order or case.

    `negated`: what is named is just what is not chosen. `beside`: it replaces nothing.
    """

    subject: frozenset[str]
    value: frozenset[str]
    left: frozenset[str] = frozenset()
    negated: bool = False
    beside: bool = False

    def contradicts(self, earlier: "Standpoint") -> bool:
        """Tells whether both cannot hold: another choice on the same subject, its opposite, or what was given up."""
        if self.beside:
            return False
        same = self.subject == earlier.subject
        if self.negated or earlier.negated:
            return same and bool(self.subject) and self.value == earlier.value and self.negated != earlier.negated
        if self.left and self.left == earlier.value:
            return same or not self.subject
        return same and bool(self.subject) and self.value != earlier.value


@lru_cache(maxsize=20_000)
def standpoint(sentence: str) -> Standpoint | None:
    """The choice that a sentence says, None where it says none in a known form."""
    if len(sentence) > _LONGEST:
        return None
    han = _HAN.search(sentence) is not None
    text = _without_leads(sentence.casefold().replace("’", "'").strip(_END), han=han)
    negated, beside = (re.search(one, text) is not None for one in (forms.NEGATIONS, forms.BESIDE))
    plain = re.sub(r"^(?:not to |to |never |don't |do not |nicht |nie )+", "", text)
    plain = plain if han else re.sub(forms.NEGATIONS.replace("against|", ""), " ", plain)
    plain = plain if han else " ".join(plain.split())
    for pattern in _patterns(han=han):
        found = pattern.fullmatch(plain)
        if found is not None:
            return _made({**found.groupdict()}, negated=negated, beside=beside)
    return None


def _made(parts: dict[str, str | None], *, negated: bool, beside: bool) -> Standpoint | None:
    subject, value, left = (_words(parts.get(name) or "") for name in ("T", "V", "X"))
    if not 0 < len(value) <= MOST_VALUE or len(subject) > MOST_SUBJECT or len(left) > MOST_VALUE:
        return None
    return Standpoint(subject, value, left, negated, beside) if subject or left else None


def _words(text: str) -> frozenset[str]:
    """The words that name something, without the ending of a plural; Chinese as one word."""
    if _HAN.search(text):
        plain = "".join(one for one in text if one not in forms.EMPTY_CHINESE and not one.isspace())
        return frozenset({plain} if plain else ())
    words = (word for word in _WORD.findall(text) if word not in forms.EMPTY)
    return frozenset(word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] != "s" else word for word in words)


def _without_leads(text: str, *, han: bool) -> str:
    table = forms.CHINESE_LEADS if han else forms.LEADS
    end = "" if han else r"(?:\s+|\Z)"
    pattern = _compiled("|".join(f"(?:{one})" for one in _lines(table)), end)
    while (found := pattern.match(text)) is not None and found.end():
        text = text[found.end() :]
    return text.lstrip(_END)


@cache
def _compiled(alternatives: str, end: str) -> re.Pattern[str]:
    return re.compile(f"(?:{alternatives}){end}")


@cache
def _patterns(*, han: bool) -> tuple[re.Pattern[str], ...]:
    """The forms as patterns, those that say more first."""
    tables = (forms.CHINESE,) if han else (forms.ENGLISH, forms.GERMAN)
    return tuple(_pattern(line) for table in tables for line in _lines(table))


def _pattern(form: str) -> re.Pattern[str]:
    """The pattern of a form; `V1` and `T1` are one word and one to three."""
    made = form.replace("V1", r"(?P<V>\S+)").replace("T1", r"(?P<T>\S+(?: \S+){0,2})")
    return re.compile(re.sub(r"(?<![A-Za-z<])([TVX])(?![A-Za-z>0-9])", r"(?P<\1>.+?)", made))


def _lines(table: str) -> Iterator[str]:
    return (line.strip() for line in _GOES_ON.sub("", table).split("\n") if line.strip())
