"""Checks a model's sentence against the lines that it names, to refuse what is invented. Numbers with units, dates,
names and quoted words must be in the lines; a denial needs a denial; most other words must be the lines' own. Of
invented sentences 198 of 200 are refused, and 94 of 96 made after the rules; of faithful ones none of 100
(`tests/engine/models/test_grounding.py`). Swapped names are not noticed."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from engine.text.language import HAN, HANGUL, KANA, SMALL, TOLD
from engine.text.pattern_file import PatternFile
from engine.text.words import fold, stems_of

_WORDS = PatternFile(__package__, "evidence_words.toml", "named counted measured behind_names telling denials")


def _rows(table: str) -> list[list[str]]:
    return [row.split() for row in _WORDS.texts[table].split(";")]


MONTHS: Final = {name: number for number, names in enumerate(_rows("named"), 1) for name in names}
NUMBER_WORDS: Final = {word: str(number) for number, words in enumerate(_rows("counted")) for word in words}
UNITS: Final = {name: names[0] for names in _rows("measured") for name in names}
VERBS, REPORTED = _WORDS.words("behind_names"), _WORDS.words("telling")

MOST_NEW = 0.2  # share of a sentence's own words that may be none of its lines'
MOST_NEW_WIDE = 0.4  # the same of pairs of characters, in scripts without spaces
_AKIN = 6  # letters that a word has in common with one of another form
_CLAUSE = re.compile(r"[.;!?](?=\s|$)|[,，]\s?(?:and |but |und |aber )?")
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATES = (
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)\b"),
    re.compile(r"(?:(?P<y>\d{4})年)?(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]"),
    re.compile(r"(?<![\w.])(?P<d>[0-3]?\d)\.(?P<m>[01]?\d)\.(?P<y>\d{4})?(?!\d)"),
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of )?(?P<m>{_MONTH})\b\.?(?:,?\s+(?P<y>\d{{4}}))?", re.I),
    re.compile(rf"\b(?P<m>{_MONTH})\b\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<y>\d{{4}}))?", re.I),
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*(?:\s?(?P<unit>%|[A-Za-zµ]+)(?![\w]))?")
_GROUPS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|`([^`]+)`|「([^」]+)」|(?<!\w)'([^']+)'(?!\w)")
_IDENTIFIER = re.compile(r"[\w~]*[A-Za-z0-9](?:[/_.@:#+-]+\w+)+|\b(?=\w*[A-Za-z])(?=\w*\d)\w+|\b[a-z]+[A-Z]\w*")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_WIDE = re.compile(f"[{HAN}{KANA}{HANGUL}]+")
_OTHERS = str.maketrans("，。、；：？！“”„", ',..;:?!"""')


def ungrounded(sentence: str, sources: Sequence[str]) -> str:
    """Says what in the sentence its sources lack, in a few words; empty if nothing."""
    whole = _plain(" ".join(sources))
    text = _plain(sentence)
    for found in (
        _quotes(sentence, whole),
        _dates(text, whole),
        _numbers(text, whole),
        _names(sentence, whole),
        _units(text, whole),
        _denial(text, [clause for source in sources for clause in _CLAUSE.split(_plain(source))]),
        _words(text, whole),
    ):
        for what in found:
            return what
    return ""


def _plain(text: str) -> str:
    return " ".join(_GROUPS.sub("", text.translate(_OTHERS)).split())


def _quotes(sentence: str, whole: str) -> Iterator[str]:
    held = whole.casefold()
    for match in _QUOTED.finditer(sentence):
        quoted = _plain(next(filter(None, match.groups()))).casefold().strip(" .,;:!?")
        if quoted not in held:
            yield "quoted words"


def _dates(text: str, whole: str) -> Iterator[str]:
    held = set(_dates_in(whole))
    for year, month, day in _dates_in(text):
        same = [known for known in held if known[1:] == (month, day) and (not known[0] or not year or known[0] == year)]
        if not same:
            yield "a date"


def _dates_in(text: str) -> Iterator[tuple[int, int, int]]:
    """Yields year (0 if none), month and day of each date."""
    for pattern in _DATES:
        for match in pattern.finditer(text):
            named = match["m"].casefold()
            yield int(match["y"] or 0), MONTHS.get(named) or int(named), int(match["d"])


def _without_dates(text: str) -> str:
    for pattern in _DATES:
        text = pattern.sub(" ", text)
    return text


def _numbers(text: str, whole: str) -> Iterator[str]:
    """Yields a message for a number that is not in the lines, or has another unit there."""
    held = dict.fromkeys(_numbers_in(whole))
    values = {value for value, _ in held}
    for value, unit in _numbers_in(_without_dates(text)):
        units = {other for same, other in held if same == value and other}
        if value not in values or (unit and units and unit not in units):
            yield "a number"


def _numbers_in(text: str) -> Iterator[tuple[str, str]]:
    for match in _NUMBER.finditer(text):
        unit = (match["unit"] or "").casefold()
        digits = match[0][: match.start("unit") - match.start()] if match["unit"] else match[0]
        yield digits.strip().replace(",", ".").lstrip("0").rstrip(".") or "0", UNITS.get(unit, "")
    for number in NUMBER_WORDS.keys() & {word.casefold() for word in _WORD.findall(text)}:
        yield NUMBER_WORDS[number], ""


def _names(sentence: str, whole: str) -> Iterator[str]:
    """Yields a message for an identifier or a capitalised word that is not in the lines."""
    held = whole.casefold()
    for match in _IDENTIFIER.finditer(_without_dates(sentence)):
        if match[0].casefold().strip(".:/") not in held and not match[0].replace("-", "").isdigit():
            yield "a name"
    stems = _stems(whole)
    found = list(_WORD.finditer(sentence))
    for at, match in enumerate(found):
        begins = not at or sentence[: match.start()].rstrip().endswith((".", "!", "?", ":"))
        behind = found[at + 1][0].casefold() if at + 1 < len(found) else ""
        acts = behind in VERBS or (behind.endswith(("s", "ed")) and _holds(behind, stems))
        telling = acts or (match[0].isupper() and len(match[0]) > 1)
        is_name = match[0][0].isupper() and (telling or not begins)
        word = match[0].casefold()
        if is_name and word not in MONTHS and not _is_small(word) and not _holds(word, stems):
            yield "a name"


def _units(text: str, whole: str) -> Iterator[str]:
    """Yields a message for a unit alone, as in `per hour`, that is not in the lines."""
    held = {UNITS[word] for word in _WORD.findall(whole.casefold()) if word in UNITS} | set("%" * ("%" in whole))
    for word in _WORD.findall(text.casefold()):
        if len(word) > 2 and word in UNITS and UNITS[word] not in held:
            yield "a unit"


def _denial(text: str, clauses: Sequence[str]) -> Iterator[str]:
    """Yields a message if the sentence denies and the nearest clause does not, or the reverse."""
    words = set(_content(text))
    shared = [sum(_holds(word, _stems(clause)) for word in words) for clause in clauses]
    denied = [bool(_WORDS["denials"].search(clause)) for clause in clauses]
    if _WIDE.search(text):  # words of these scripts are not told apart: all clauses count
        shared = [1] * len(clauses)
    best = max(shared, default=0)
    near = {says for says, count in zip(denied, shared, strict=True) if count and 2 * count >= best}
    first = {says for says, count in zip(denied, shared, strict=True) if count == best}
    if True not in near if _WORDS["denials"].search(text) else first == {True}:
        yield "a denial"


def _words(text: str, whole: str) -> Iterator[str]:
    runs = [pair for run in _WIDE.findall(text) for pair in (run[at : at + 2] for at in range(max(1, len(run) - 1)))]
    if runs and sum(pair not in whole for pair in runs) > MOST_NEW_WIDE * len(runs):
        yield "words of its own"
    stems = _stems(whole)
    own = [word for word in _content(_without_dates(text)) if not _WIDE.search(word)]
    new = [word for word in own if word not in REPORTED and not _holds(word, stems) and not _is_akin(word, stems)]
    if new and len(new) >= MOST_NEW * len(own):
        yield "words of its own"


def _content(text: str) -> list[str]:
    found = dict.fromkeys(word.casefold() for word in _WORD.findall(text))
    return [word for word in found if len(word) > 2 and not _is_small(word) and word not in NUMBER_WORDS | UNITS]


def _is_akin(word: str, stems: frozenset[str]) -> bool:
    """Tells whether a long word begins like one in the lines: `allergic` and `allergy`."""
    return len(word) > 2 * _AKIN - 5 and any(stem.startswith(word[:_AKIN]) for stem in stems)


def _is_small(word: str) -> bool:
    return word in SMALL or word in TOLD or word.partition("'")[0].partition("’")[0] in SMALL


@lru_cache(maxsize=64)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem for word in _WORD.findall(text) for stem in _forms(word.casefold()))


@lru_cache(maxsize=4096)
def _forms(word: str) -> tuple[str, ...]:
    bare = fold(word.partition("'")[0].partition("’")[0])
    return (bare, *stems_of(bare))


def _holds(word: str, stems: frozenset[str]) -> bool:
    return any(form in stems for form in _forms(word))
