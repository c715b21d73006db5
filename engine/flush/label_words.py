"""The words by which a line labels what it says, of each language, and the patterns made of them (B5, B6, B26)."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec

from engine.errors import Damaged
from engine.flush.items import CODES, SURE, FlushCategory

LABELS: dict[str, FlushCategory] = {
    "decision": FlushCategory.DECISION,
    "fact": FlushCategory.FACT,
    "configuration": FlushCategory.CONFIGURATION,
    "completed": FlushCategory.PROGRESS,
    "open": FlushCategory.PROGRESS,
    "learning": FlushCategory.LEARNING,
    "kept": FlushCategory.KEPT,
    "promote": FlushCategory.LEARNING,
}
_ROLES = ("decision", "fact", "configuration", "learning", "promote", "rationale", "source", "confidence", "priority")
_COLON = r"[*_]{0,2}\s*[:：][*_]{0,2}\s*"
_APART = r"[|｜;；,，(（*_—–-]"
_OPENS, _CLOSES = r"[\[【(（]\s*", r"\s*[\]】)）]"
_VALUE = r"(?P<value>`[^`]+`|\"[^\"]+\"|\S*\d\S*|\S+(?=[.;]?\s*$))"
"""A value is quoted, has a digit, or ends its line: "updated `README.md` to tell more" sets nothing."""
_CLAUSE = r"(?!\d|(?:then|last|when)\b)(?:\S+\s+){2}\S"
"""A clause has three words at least and begins with no date: "since it is one file", not "since 2019"."""
FOLDER = Path(__file__).parent / "languages"
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
Word = Annotated[str, msgspec.Meta(pattern=r"\S")]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


_KEYS = (
    "decision", "choice", "fact", "configuration", "set", "to", "completed", "open", "rationale", "because", "clause",
    "source", "confidence", "learning", "kept", "promote", "priority", "of",
)  # fmt: skip
LabelWords = msgspec.defstruct(
    "LabelWords",
    [*((key, tuple[Word, ...]) for key in _KEYS), ("levels", Mapping[Word, Share])],
    frozen=True,
    forbid_unknown_fields=True,
)
"""The words of one language, as `languages/en.toml` explains them."""


def _named(name: str) -> str:
    """A label's words as a group of its name, with the letters of its numbers: `DEC-4`."""
    code = rf"{CODES[LABELS[name]]}(?:-\d+)?|" if LABELS[name] in CODES else ""
    return rf"(?P<{name}>{code}{either(name)})"


@cache
def patterns() -> dict[str, re.Pattern[str]]:
    levels, sure, priority = either("levels"), either("confidence"), f"(?:{either('priority')})"
    figure = rf"(?:\d*[.,]?\d+(?:\s?%|\s?(?:/|{either('of')})\s?\d+)?|{levels})"
    plain = rf"(?:\d*[.,]\d+|\d+\s?%|\d+\s?(?:/|{either('of')})\s?\d+|{levels})"
    kept = rf"(?:{either('kept')}|{either('levels', SURE)})"
    known = rf"{_OPENS}{kept}(?:\s+{priority})?{_CLOSES}"
    promote = rf"{_OPENS}(?:{either('promote')}){_CLOSES}[:：]?"
    made = {
        "choice": f"(?:{either('choice')})",
        "label": rf"(?:{_OPENS}{kept}{_CLOSES}\s*)?[*_]{{0,2}}(?:{'|'.join(map(_named, LABELS))})(?:\s*#?\d+)?"
        rf"(?:\s*{_OPENS}(?P<note>[^\])）】\n]{{1,60}}?){_CLOSES})?[*_]{{0,2}}"
        rf"(?P<sep>\s*[:：]|\s+[—–-]+(?=\s)|\s*[|｜]|$)[*_]{{0,2}}\s*(?P<text>.*)",
        "set": rf"(?:{either('set')})\s*(?:`(?:(?P<key>[^`=\s]+)`\s?.{{0,80}}?(?:{either('to')}|=|→|->)\s*{_VALUE}"
        rf"|(?P<whole>[^`=]+=[^`]+)`)|(?P<bare>[\w.-]+=[^\s=,;]+))",
        "why": rf"\s*{_APART}*\s*[*_]{{0,2}}(?:(?:{either('rationale')}){_COLON}|(?:{either('because')})\s*"
        rf"|(?:{either('clause')})\s+(?={_CLAUSE}))(?P<why>\S.*)",
        "field": rf"[*_]{{0,2}}(?:(?:{either('rationale')}){_COLON}(?P<rationale>\S.*)"
        rf"|(?:{either('source')}){_COLON}(?P<source>\S.*)|(?:{sure}){_COLON}(?P<confidence>{figure})\W*$)",
        "source": rf"\s*{_APART}*\s*[*_]{{0,2}}(?:{either('source')}){_COLON}(?P<source>[^|｜;；()（）*]+)[)）]?",
        "confidence": rf"\s*{_APART}*\s*(?:{sure})[*_]{{0,2}}\s*[:：=]?[*_]{{0,2}}\s*(?P<figure>{figure})[)）]?"
        rf"|(?:^|\s*[|｜;；,，(（—–])\s*(?P<before>{figure})\s+(?:{sure})[)）]?",
        "front": rf"{_OPENS}(?P<figure>[01]?[.,]\d+)(?P<before>){_CLOSES}",
        "end": rf"(?:[|｜—–-]\s*|{_OPENS})(?P<figure>{plain})(?:{_CLOSES})?\s*$",
        "within": rf"(?<=[.!?。！？])\s*(?=[*_]{{0,2}}(?:{either('decision')}|{either('fact')}){_COLON})",
        "role": "|".join(rf"(?P<{name}>{either(name)})" for name in _ROLES),
        "level": kept,
        "promote": rf"^{promote}|{promote}$",
        "kept": rf"^{known}|{known}$|{priority}\s*[:：=]\s*[*_]*{kept}",
    }
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in made.items()}


def role_of(cell: str) -> str:
    """The label or the field that the head of a table's column is; empty for any other."""
    found = patterns()["role"].fullmatch(cell.strip("*_ "))
    return (found.lastgroup or "") if found is not None else ""


def is_kept(word: str) -> bool:
    """Tells whether a word for a priority is a high one."""
    return patterns()["level"].fullmatch(word.strip("*_ ")) is not None


def label_words(file: Path) -> dict[str, Any]:
    """The words of a file, by their keys; `Damaged` names the file and the key that is wrong."""
    try:
        return msgspec.structs.asdict(msgspec.convert(tomllib.loads(file.read_text("utf-8")), LabelWords))
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise Damaged(str(error), where=f"flush/languages/{file.name}", hint="correct it, as en.toml says") from error


@cache
def _languages() -> tuple[dict[str, Any], ...]:
    return tuple(label_words(file) for file in sorted(FOLDER.glob("*.toml")))


@cache
def _levels() -> dict[str, float]:
    return {word.casefold(): share for language in _languages() for word, share in language["levels"].items()}


@cache
def either(name: str, least: float = 0) -> str:
    """A pattern of every language's words under a key, the longest first; the edges of a word in letters hold.

    Of the words for a confidence those that stand for `least` or more.
    """
    words = {word.casefold() for language in _languages() for word in language[name]}
    strong = (word for word in words if name != "levels" or _levels()[word] >= least)
    return "|".join(map(_bounded, sorted(strong, key=lambda word: (-len(word), word))))


def level_of(word: str) -> float | None:
    """The share that a word for a confidence stands for (decision B6)."""
    return _levels().get(word.casefold())


def _bounded(word: str) -> str:
    """A word as a pattern: Chinese, Japanese and Korean ones stand next to others without a space."""
    escaped = re.escape(word).replace(r"\ ", r"\s+")
    if _CJK.search(word):
        return escaped
    return (r"(?<!\w)" if word[0].isalnum() else "") + escaped + (r"(?!\w)" if word[-1].isalnum() else "")
