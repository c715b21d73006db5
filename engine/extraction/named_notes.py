"""Finds the project or person of the workspace that a sentence names."""

import re
import unicodedata
from collections.abc import Collection
from functools import partial


def _known(pattern: re.Pattern[str], quote: str, paths: Collection[str]) -> str:
    """Returns the project or person in the workspace that a sentence names, the longest name, or empty."""
    said = f" {_words(quote)} "
    names = {found[1] for path in paths if (found := pattern.fullmatch(path)) is not None}
    return max(sorted(name for name in names if f" {_words(name)} " in said), key=len, default="")


project_of = partial(_known, re.compile(r"knowledge/projects/([^/]+)/[^/]+\.md"))
person_of = partial(_known, re.compile(r"knowledge/people/([^/_][^/]*)\.md"))


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text).casefold()))
