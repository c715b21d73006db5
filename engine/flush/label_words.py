"""Loads the label words of each language, and makes the patterns of labels (B5, B6, B26)."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec

from engine.flush.items import CODES, SURE, FlushCategory
from engine.text.pattern_file import converted, made_of, pattern_file

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
"""The words of one language; `languages/en.toml` explains them."""


def _named(name: str) -> str:
    """Returns a label's words as a named group, with its numbered code: `DEC-4`."""
    code = rf"{CODES[LABELS[name]]}(?:-\d+)?|" if LABELS[name] in CODES else ""
    return rf"(?P<{name}>{code}{either(name)})"


@cache
def patterns() -> dict[str, re.Pattern[str]]:
    """Returns the patterns of `forms.toml` by name, filled with the words of all languages."""
    read = tomllib.loads((FOLDER.parent / "forms.toml").read_text("utf-8"))
    known = {"LABELS": "|".join(map(_named, LABELS)), "high": f"(?:{either('levels', SURE)})"}
    known |= {key: f"(?:{either(key)})" for key in (*_KEYS, "levels")}
    for name, part in read["parts"].items():
        known[name] = _filled(part, known)
    forms = ((name, f"(?i){_filled(form, known)}") for name, form in read["forms"].items())
    return {name: made_of(re.compile, form, "engine/flush/forms.toml", f"forms.{name}") for name, form in forms}


def _filled(form: str, known: Mapping[str, str]) -> str:
    return re.sub(r"(?<!\?P)<(\w+)>", lambda name: known[name[1]], form)


def role_of(cell: str) -> str:
    """Returns the label or field that a table's column head names; empty for another head."""
    found = patterns()["role"].fullmatch(cell.strip("*_ "))
    return (found.lastgroup or "") if found is not None else ""


def is_kept(word: str) -> bool:
    """Tells whether a word means a high priority."""
    return patterns()["level"].fullmatch(word.strip("*_ ")) is not None


def label_words(name: str) -> dict[str, Any]:
    """Reads a language's file; raises `Damaged` with the file and the wrong key."""
    table = pattern_file(__package__, f"languages/{name}")
    return msgspec.structs.asdict(converted(table, LabelWords, f"engine/flush/languages/{name}"))


@cache
def _languages() -> tuple[dict[str, Any], ...]:
    return tuple(label_words(file.name) for file in sorted(FOLDER.glob("*.toml")))


@cache
def _levels() -> dict[str, float]:
    return {word.casefold(): share for language in _languages() for word, share in language["levels"].items()}


@cache
def either(name: str, least: float = 0) -> str:
    """Returns a pattern of all languages' words under a key, the longest first; confidence words from `least` on."""
    words = {word.casefold() for language in _languages() for word in language[name]}
    strong = (word for word in words if name != "levels" or _levels()[word] >= least)
    return "|".join(map(_bounded, sorted(strong, key=lambda word: (-len(word), word))))


def level_of(word: str) -> float | None:
    """Returns the share that a confidence word means; None if unknown (decision B6)."""
    return _levels().get(word.casefold())


def _bounded(word: str) -> str:
    """Returns a word as a pattern; Chinese, Japanese and Korean words have no boundaries."""
    escaped = re.escape(word).replace(r"\ ", r"\s+")
    if _CJK.search(word):
        return escaped
    return (r"(?<!\w)" if word[0].isalnum() else "") + escaped + (r"(?!\w)" if word[-1].isalnum() else "")
