"""Reads the judge's tables of words (`languages/*.toml`): what a kind is said by, what takes it out, what is asked."""

import re
from functools import cache

from engine.extraction.entry import EntryKind
from engine.text.pattern_file import WordTables

_DIGIT_IN_CLASS = re.compile(r"(\[[^\]]*)\\d([^\]]*\])")
_ASIAN = re.compile("[\u3400-\u9fff]")
_NARROW = re.compile("(?<=[\u3400-\u9fff])[,:;?!]|,(?=[^\\s\\d])")
_WIDE = {",": "，", ":": "：", ";": "；", "?": "？", "!": "！"}
_KINDS = tuple(kind.value for kind in EntryKind)
_DOUBTS = (
    "conditional", "rejected", "play", "affirmed", "proposal", "but", "doubt", "withdrawn", "advised", "ours",
    "hearsay", "retracted", "standing", "moment", "dated", "purpose", "step", "holds", "announced",
)  # fmt: skip
TABLES = WordTables(
    "engine.extraction",
    {
        "names": ("no_name",),
        "said": _KINDS,
        "own": _KINDS,
        "not_own": _KINDS,
        "doubt": _DOUBTS,
        "passing": ("request", "asked", "lasting", "first_person"),
    },
)
"""`said` are forms of anybody, `own` of a user alone, since an agent in the same form advises or tells a tale;
`not_own` takes one out again: what did not happen or might have, a wish or a plan. `names.no_name` are words with a
capital at the head of a sentence that begin no name."""


@cache
def pattern(key: str) -> re.Pattern[str]:
    """A table as one pattern."""
    return TABLES.compiled(key, compiled)


@cache
def compiled(words: str) -> re.Pattern[str]:
    """A pattern without regard to case; `\\p{N}` in it is the capital letter of a name, and not of an article."""
    capital = rf"(?-i:(?!(?:{TABLES.alternatives('names.no_name')})\b)[A-ZÄÖÜ])"
    return re.compile(plain_digits(words).replace(r"\p{N}", capital), re.IGNORECASE)


def plain_digits(words: str) -> str:
    """A pattern whose `\\d` are the digits of these languages alone, which RE2 reads many times faster."""
    return _DIGIT_IN_CLASS.sub(r"\g<1>0-9０-９\g<2>", words).replace(r"\d", "[0-9０-９]")


def plain_marks(text: str) -> str:
    """The text with the marks that the tables have: those of Chinese lines are wide, whoever typed them."""
    lines = text.replace("‘", "'").split("\n")
    return "\n".join(_NARROW.sub(lambda mark: _WIDE[mark[0]], line) if _ASIAN.search(line) else line for line in lines)
