"""Finds the project or person of the workspace that a sentence names."""

import re
import unicodedata
from collections.abc import Collection

_PROJECT = re.compile(r"knowledge/projects/([^/]+)/[^/]+\.md")
_PERSON = re.compile(r"knowledge/people/([^/_][^/]*)\.md")


def project_of(quote: str, paths: Collection[str]) -> str:
    """The project of the workspace that a sentence names; empty for none."""
    return _known(_PROJECT, quote, paths)


def person_of(quote: str, paths: Collection[str]) -> str:
    """The person of the workspace that a sentence names; empty for none."""
    return _known(_PERSON, quote, paths)


def _known(pattern: re.Pattern[str], quote: str, paths: Collection[str]) -> str:
    """The project or person of the workspace that a sentence names; the longest name wins, empty for none."""
    said = f" {_words(quote)} "
    names = {found[1] for path in paths if (found := pattern.fullmatch(path)) is not None}
    named = [name for name in names if f" {_words(name)} " in said]
    return max(sorted(named), key=len, default="")


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text).casefold()))
