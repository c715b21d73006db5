"""Loads the judge's tables of words (`languages/*.toml`): forms of each kind, exclusions, requests."""

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
    """Returns a table as one pattern."""
    return TABLES.compiled(key, compiled)


@cache
def compiled(words: str) -> re.Pattern[str]:
    r"""Compiles a pattern that ignores case; `\p{N}` in it is the capital letter of a name that is no article."""
    capital = rf"(?-i:(?!(?:{TABLES.alternatives('names.no_name')})\b)[A-ZÄÖÜ])"
    return re.compile(plain_digits(words).replace(r"\p{N}", capital), re.IGNORECASE)


def plain_digits(words: str) -> str:
    r"""Narrows `\d` to the digits of these languages, which RE2 reads many times faster."""
    return _DIGIT_IN_CLASS.sub(r"\g<1>0-9０-９\g<2>", words).replace(r"\d", "[0-9０-９]")


def plain_marks(text: str) -> str:
    """Writes punctuation as the tables do: wide in Chinese lines, straight apostrophes."""
    lines = text.replace("‘", "'").split("\n")
    return "\n".join(_NARROW.sub(lambda mark: _WIDE[mark[0]], line) if _ASIAN.search(line) else line for line in lines)
