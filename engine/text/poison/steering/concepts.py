"""Names what a sentence speaks of: concepts, each with its words in five languages (concepts.toml)."""

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any

from engine.text.poison.folded_text import fold

_MEMORY = 64 << 20  # bytes for the automaton of all words
_GAP = r"[^\w\n]{1,6}"


@lru_cache(maxsize=1)
def concept_words() -> dict[str, dict[str, tuple[str, ...]]]:
    """The words of each concept by language, as written."""
    table = tomllib.loads(files(__package__).joinpath("concepts.toml").read_text("utf-8"))
    return {name: {lang: _listed(words) for lang, words in langs.items()} for name, langs in table.items()}


def _listed(words: str) -> tuple[str, ...]:
    return tuple(" ".join(word.split()) for word in words.split(",") if word.strip())


def pattern(word: str) -> str:
    """RE2's pattern for one word of the list, over folded text in lower case."""
    plain = fold(word).text.lower()
    if not plain.isascii() and "ß" not in plain and "œ" not in plain and "æ" not in plain:
        return re.escape(plain)
    body = _GAP.join(re.escape(part).replace(r"\*", r"[^\W\d_]*") for part in plain.split())
    before = r"\b" if plain[0].isalnum() else ""
    after = r"\b" if plain[-1].isalnum() else ""
    return before + body + after


def concept_pattern(name: str) -> str:
    """RE2's pattern for all words of one concept."""
    return "|".join(pattern(word) for words in concept_words()[name].values() for word in words)


def compiled(name: str) -> Any:
    """RE2's automaton for one concept: which word of a sentence speaks of it."""
    import re2

    return re2.compile(concept_pattern(name), _options())


@lru_cache(maxsize=1)
def concept_names() -> tuple[str, ...]:
    """The concepts in the order of their numbers."""
    return tuple(concept_words())


@lru_cache(maxsize=1)
def automaton() -> Any:
    """One automaton for all concepts; its answer is the numbers of those that a sentence holds."""
    import re2

    found = re2.Set.SearchSet(_options())
    for name in concept_names():
        found.Add(concept_pattern(name).encode())
    found.Compile()
    return found


def _options() -> Any:
    import re2

    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    return options
