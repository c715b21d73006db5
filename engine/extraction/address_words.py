"""Loads the words by which each language states a value, one file a language, on first use (D61)."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

import msgspec

from engine.text.pattern_file import converted, fault, made_of, pattern_file

LANGUAGES = ("en", "de", "zh")
_LATIN, _CHINESE = LANGUAGES[:2], LANGUAGES[2]
_TABLES = {
    "tell": "words",
    "clauses": "lead reason but",
    "roles": "for as near at to left",
    "verbs": "take opt put be own by prefer replace rename drop",
    "attributes": "place job name have",
    "marks": "changed beside doubt hearsay past was negated noise passing ours others orders refers mine empty owned",
    "forms": "whole",
    "values": "days months numbers",
}
"""The keys of a file; `en.toml` explains each."""
_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W_]+")
_PLACE = re.compile(r"(?<![A-Za-z<])([TVX])(?![A-Za-z>])")
_UMLAUT = re.compile(r"[äöüß]")


class AddressWords(msgspec.Struct, frozen=True):
    """The compiled words of a language. A group's name in `roles` is the role of the part after a match."""

    language: str
    lead: re.Pattern[str]
    clause_ends: re.Pattern[str]
    roles: re.Pattern[str]
    marks: Mapping[str, re.Pattern[str]]
    attributes: Mapping[str, re.Pattern[str]]
    forms: tuple[re.Pattern[str], ...]
    values: tuple[tuple[re.Pattern[str], str], ...]
    empty: frozenset[str]

    @property
    def joined(self) -> bool:
        """True if the language writes words without blanks between them."""
        return self.language == _CHINESE


def words_of(sentence: str) -> AddressWords:
    """Returns the words of a lower-case sentence's language; English if no language leads."""
    if _HAN.search(sentence):
        return address_words(_CHINESE)
    told = [*_WORD.findall(sentence), *_UMLAUT.findall(sentence)]
    return address_words(max(_LATIN, key=lambda language: sum(word in _telling(language) for word in told)))


@cache
def _telling(language: str) -> frozenset[str]:
    return frozenset(" ".join(_table(language)["tell"]["words"]).split())


@cache
def _table(language: str) -> dict[str, dict[str, list[str]]]:
    """Reads the tables of a language's file, in which each line is a pattern."""
    name = f"address_tables/{language}.toml"
    where = f"engine/extraction/{name}"
    tables = pattern_file(__package__, name)
    given = {f"{table}.{key}" for table, keys in tables.items() for key in keys}
    wanted = {f"{table}.{key}" for table, keys in _TABLES.items() for key in keys.split()}
    for key in sorted(given ^ wanted):
        raise fault(where, key, f"it is {'unknown' if key in given else 'missing'}")
    for table, keys in tables.items():
        for key, lines in keys.items():
            for line in converted(lines, list[str], f"{where}, {table}.{key}"):
                made_of(re.compile, line, where, f"{table}.{key}")
    return tables


@cache
def address_words(language: str) -> AddressWords:
    """Returns the compiled words of a language."""
    table, edge = _table(language), "" if language == _CHINESE else r"\b"
    clauses, values = table["clauses"], table["values"]
    kinds = {**table["roles"], **table["verbs"], "noise": table["marks"]["noise"]}
    ends = r"[;；。!！]|,|，|: |、(?=\S{4})| [–—-] |[()（）]"
    cuts = [
        f"(?P<but>{_any(clauses['but'], edge)})",
        f"(?P<reason>{_any(clauses['reason'], edge)})",
        f"(?P<end>{ends})",
    ]
    lines = sorted(((line, kind) for kind, each in kinds.items() for line in each), key=lambda row: -len(row[0]))
    # A group name occurs once in a pattern: the number of the line tells it from the others of its kind.
    roles = "|".join(f"(?P<{kind}_{at}>{_edged(line, edge)})" for at, (line, kind) in enumerate(lines))
    named = [("day", 1, values["days"]), ("month", 1, values["months"]), ("number", 2, values["numbers"])]
    found = [
        (re.compile(_edged(line, edge)), f"{kind}:{at}")
        for kind, first, each in named
        for at, line in enumerate(each, first)
    ]
    return AddressWords(
        language=language,
        lead=re.compile(f"(?:{_any(clauses['lead'], '')})[\\s,，:：]*"),
        clause_ends=re.compile("|".join(cuts)),
        roles=re.compile(roles),
        marks={key: re.compile(_any(lines, edge)) for key, lines in table["marks"].items() if key != "empty"},
        attributes={key: re.compile(_any(lines, edge)) for key, lines in table["attributes"].items()},
        forms=tuple(re.compile(_PLACE.sub(r"(?P<\1>.+?)", line)) for line in table["forms"]["whole"]),
        values=tuple(found),
        empty=frozenset(" ".join(table["marks"]["empty"]).split()),
    )


def _any(lines: Iterable[str], edge: str) -> str:
    return "|".join(_edged(line, edge) for line in lines) or r"(?!)"


def _edged(line: str, edge: str) -> str:
    """Adds word boundaries to a pattern, except where it begins or ends with a sign."""
    before = edge if re.match(r"[\w(]", line) else ""
    after = edge if line[-1:].isalnum() or line[-1:] in ")?]+*" else ""
    return f"{before}(?:{line}){after}"
