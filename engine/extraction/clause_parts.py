"""Splits a clause at verbs and prepositions into subject, value and what is given up (D61)."""

import re
from typing import NamedTuple

import msgspec

from engine.extraction.address_words import AddressWords

_HEAVIEST = ("rename", "replace", "drop", "own", "by", "opt", "take", "put", "prefer", "be")
"""The main verb of a clause is the first of these that it has."""
_CLOCK = re.compile(r"(?<![\w.])(\d{1,2})(?:[:.](\d\d))? ?([ap])\.?m\b\.?")
_NUMBER = re.compile(r"(?<![A-Za-z0-9_⟦:/#-])(?<![a-z]\.)v?(\d+(?:[.,:]\d+)*)(?:st|nd|rd|th)?(?![\d⟧/-]|[a-zäöü]{4})")


class _Places(NamedTuple):
    """The parts that make subject, value and what is given up, for a clause with one of the parts in `needs`."""

    needs: str
    subject: str
    value: str
    left: str = "left"


_VALUED = _Places("to at as", "pre obj for", "to at as")
_OWNED = (
    _Places("to", "pre obj for at", "to"),
    _Places("pre", "obj for as at", "pre"),
    _Places("", "for as at", "obj"),
)
_PLACES: dict[str, tuple[_Places, ...]] = {
    "take": (_Places("obj", "pre for as at", "obj to"), _Places("pre", "for as at", "pre to")),
    "opt": (_Places("at", "for as", "at"), _Places("", "as at", "for obj")),
    "own": _OWNED,
    "by": _OWNED,
    "replace": (
        _Places("to", "for as at", "to", "pre obj left"),
        _Places("pre", "for as at", "pre", "obj left"),
        _Places("", "as at", "for", "obj left"),  # "swapped one for the other"
    ),
    "rename": (
        _Places("left", "pre obj", "to as at"),
        _Places("to as at", "pre obj", "to as at", "pre obj"),
        _Places("", "pre", "obj", ""),
    ),
    "put": (_Places("", "pre obj for", "to at as"),),
    # A verb that is not known is part of the subject.
    "": (_VALUED, _Places("", "pre obj for", "left", "")),
}


class ClauseParts(msgspec.Struct, frozen=True):
    """The parts of a clause: `pre` before the verb, `obj` after it, others named by the preposition's role."""

    text: str
    verb: str
    parts: dict[str, list[str]]

    def raw(self, names: str) -> str:
        """Joins the texts of the named parts."""
        return " ".join(run for name in names.split() for run in self.parts.get(name, ()))

    def placed(self, words: AddressWords) -> tuple[str, str, str]:
        """Returns the subject, the value and what is given up."""
        if self.verb == "be":
            return self._copula(None if words.joined else words.marks["owned"])
        runs = self.parts.get("for", [])
        if self.verb == "opt" and "at" not in self.parts and len(runs) > 1:  # "für die Abrechnung … für Postgres"
            return f"{' '.join(runs[:-1])} {self.raw('as')}", runs[-1], self.raw("left")
        if self.verb == "take" and not self._has("obj pre"):  # "für die Abrechnung Postgres zu nehmen"
            *subject, value = self.raw("for").split() or [""]
            return f"{' '.join(subject)} {self.raw('as at')}", f"{value} {self.raw('to')}", self.raw("left")
        if (
            self.verb == "own"
            and words.language == "de"
            and _begins(words.marks["owned"], self.raw("pre"), self.raw("obj"))
        ):
            return self.raw("pre for as at"), self.raw("obj to"), self.raw("left")  # "Den Chor leitet Frau Öz"
        places = next((place for place in _PLACES[self.verb] if not place.needs or self._has(place.needs)), _VALUED)
        return self.raw(places.subject), self.raw(places.value), self.raw(places.left)

    def _copula(self, owned: re.Pattern[str] | None) -> tuple[str, str, str]:
        left = self.raw("left")
        if not self._has("obj"):
            value = self.raw("to at as")
            return self.raw("pre for"), value or left, left if value else ""
        if not self._has("pre") and (self._has("to") or (self._has("at") and not self._has("for"))):
            return self.raw("obj for"), self.raw("at to"), left
        if self._has("pre") and self._has("to"):  # "the page is built with Astro"
            return self.raw("pre obj for"), self.raw("to at"), left
        before, value, place = self.raw("pre"), self.raw("obj"), self.raw("at")
        if owned is not None and _begins(owned, value, before):
            before, value = value, before  # "Jonas is our accountant" says who the accountant is
        if "⟦" in place:  # "hay is given at seven"
            return f"{before} {self.raw('for')}", f"{value} {place} {self.raw('as')}", left
        return f"{before} {self.raw('for')} {place}", f"{value} {self.raw('as')}", left

    def _has(self, names: str) -> bool:
        return any(self.parts.get(name) for name in names.split())


def _begins(owned: re.Pattern[str], one: str, other: str) -> bool:
    """Tells whether the first part is a role, "our accountant", and the second its holder."""
    return owned.match(one) is not None and owned.match(other) is None


def clause_parts(clause: str, words: AddressWords) -> ClauseParts:
    """Splits a lower-case clause; days, months and numbers become signs such as `⟦number:5⟧`."""
    text, parts = signed(clause, words), dict[str, list[str]]()
    role, verbs, at = "pre", list[str](), 0
    for mark in (*words.roles.finditer(text), None):
        if run := text[at : mark.start() if mark else len(text)].strip():
            parts.setdefault(role, []).append(run)
        if mark is None:
            break
        at, kind = mark.end(), (mark.lastgroup or "").rpartition("_")[0]
        if kind in _HEAVIEST:
            verbs.append(kind)
            role = "to" if kind == "by" else "obj"
        elif kind != "noise":
            role = kind
    if near := parts.pop("near", []):  # "bei" names the place where nothing else does
        parts.setdefault("for" if parts.keys() & {"at", "to", "as", "obj"} else "at", []).extend(near)
    return ClauseParts(clause, next((kind for kind in _HEAVIEST if kind in verbs), ""), parts)


def signed(clause: str, words: AddressWords) -> str:
    """Replaces days, months and numbers in a clause by signs."""
    text = _CLOCK.sub(lambda match: f" ⟦number:{_hour(match)}⟧ ", clause)
    for pattern, value in words.values:
        text = pattern.sub(f" ⟦{value}⟧ ", text)
    return _NUMBER.sub(lambda match: f" ⟦number:{match[1].replace(',', '').lstrip('0') or '0'}⟧ ", text)


def _hour(found: re.Match[str]) -> str:
    hour = int(found[1]) % 12 + (12 if found[3] == "p" else 0)
    return f"{hour}:{found[2]}" if found[2] and found[2] != "00" else str(hour)
