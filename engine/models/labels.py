"""Maps a heading, a `key:` or a chat label to the role of the text below or behind it."""

import re
from functools import lru_cache
from typing import Any, Literal

from engine.text.pattern_file import pattern_file

Role = Literal["decision", "insight", "outcome", "open", ""]
Speaker = Literal["user", "assistant", ""]

_EDGES = re.compile(r"^[\W\d_]+|[\W\d_]+$")
_TAGS = re.compile(r"\s*\[[^\]]*\]\s*$")


def _names(table: str) -> list[str]:
    return [name.strip() for line in table.split("\n") for name in line.split(",") if name.strip()]


def _by_name(section: str) -> dict[str, Any]:
    """The names of a section of the file, each with what it stands for."""
    return {name: role for role, table in _LABELS[section].items() for name in _names(table)}


_LABELS = pattern_file(__package__, "labels.toml")
_ROLE_OF: dict[str, Role] = _by_name("headings")
_SPEAKER_OF: dict[str, Speaker] = _by_name("speakers")
_TELLING: dict[str, Role] = _by_name("telling")
_TELLING_CJK: dict[str, Role] = _by_name("telling_cjk")
_SAY_MORE = frozenset(_names(_LABELS["keys"]["say_more"]))


@lru_cache(maxsize=4096)
def heading_role(title: str) -> Role:
    """Gives the role of the text under a heading, or behind a key; an empty string where the title does not tell."""
    bare = _EDGES.sub("", _TAGS.sub("", title[:80])).casefold()
    if bare in _ROLE_OF:
        return _ROLE_OF[bare]
    words = bare.split()
    if len(words) <= 5:
        for word in words:
            if word in _TELLING:
                return _TELLING[word]
    if len(bare) <= 10:
        for part, role in _TELLING_CJK.items():
            if part in bare:
                return role
    return ""


@lru_cache(maxsize=4096)
def key_role(key: str) -> Role:
    """Gives the role of a `key:` at the start of a line; only names that are known whole."""
    return _ROLE_OF.get(_EDGES.sub("", key[:40]).casefold(), "")


@lru_cache(maxsize=4096)
def comes_off(key: str) -> bool:
    """Tells whether a line says as much without this key: `decision:` does, `why:` and `open:` do not."""
    bare = _EDGES.sub("", key[:40]).casefold()
    return _ROLE_OF.get(bare, "open") != "open" and bare not in _SAY_MORE


@lru_cache(maxsize=4096)
def speaker_of(name: str) -> Speaker:
    """Gives the speaker after a chat label; an empty string for any other name."""
    return _SPEAKER_OF.get(_EDGES.sub("", name[:40]).casefold(), "")
