"""Reads the words by which a line says what it holds: a file for each language, all read at once."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec

from engine.errors import Damaged

FOLDER = Path(__file__).parent / "languages"
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
Word = Annotated[str, msgspec.Meta(pattern=r"\S")]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class LabelWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language, as `languages/en.toml` explains them."""

    decision: tuple[Word, ...]
    choice: tuple[Word, ...]
    fact: tuple[Word, ...]
    configuration: tuple[Word, ...]
    set: tuple[Word, ...]
    to: tuple[Word, ...]
    completed: tuple[Word, ...]
    open: tuple[Word, ...]
    rationale: tuple[Word, ...]
    because: tuple[Word, ...]
    clause: tuple[Word, ...]
    source: tuple[Word, ...]
    confidence: tuple[Word, ...]
    of: tuple[Word, ...]
    levels: Mapping[Word, Share]


def label_words(file: Path) -> LabelWords:
    """The words of a file; `Damaged` names the file and the key that is wrong."""
    try:
        return msgspec.convert(tomllib.loads(file.read_text("utf-8")), LabelWords)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise Damaged(str(error), where=f"flush/languages/{file.name}", hint="correct it, as en.toml says") from error


@cache
def _languages() -> tuple[LabelWords, ...]:
    return tuple(label_words(file) for file in sorted(FOLDER.glob("*.toml")))


@cache
def either(name: str) -> str:
    """A pattern of every language's words under a key, the longest first; the edges of a word in letters hold."""
    words = {word.casefold() for language in _languages() for word in getattr(language, name)}
    return "|".join(map(_bounded, sorted(words, key=lambda word: (-len(word), word))))


def level_of(word: str) -> float | None:
    """The share that a word for a confidence stands for (decision B6)."""
    levels = {known.casefold(): share for language in _languages() for known, share in language.levels.items()}
    return levels.get(word.casefold())


def _bounded(word: str) -> str:
    """A word as a pattern: Chinese, Japanese and Korean ones stand next to others without a space."""
    escaped = re.escape(word).replace(r"\ ", r"\s+")
    if _CJK.search(word):
        return escaped
    return (r"(?<!\w)" if word[0].isalnum() else "") + escaped + (r"(?!\w)" if word[-1].isalnum() else "")
