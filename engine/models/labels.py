"""Maps a heading, a `key:` or a chat label to the role of its text."""

import re
from functools import lru_cache
from typing import Literal, TypeVar

import msgspec

from engine.text.pattern_file import converted, pattern_file

Role = Literal["decision", "insight", "outcome", "open", ""]
Speaker = Literal["user", "assistant", ""]
RoleName = TypeVar("RoleName", bound=str)

_LETTERED = re.compile(r"(?s)[^\W\d_](?:.*[^\W\d_])?")
_TAGS = re.compile(r"\s*\[[^\]]*\]\s*$")


def _names(table: str) -> list[str]:
    return [name.strip() for line in table.split("\n") for name in line.split(",") if name.strip()]


class _Labels(msgspec.Struct, forbid_unknown_fields=True):
    headings: dict[Role, str]
    telling: dict[Role, str]
    telling_cjk: dict[Role, str]
    speakers: dict[Speaker, str]
    keys: dict[Literal["say_more", "parts"], str]


def _by_name(section: dict[RoleName, str]) -> dict[str, RoleName]:
    return {name: role for role, table in section.items() for name in _names(table)}


_LABELS = converted(pattern_file(__package__, "labels.toml"), _Labels, "engine/models/labels.toml")
_ROLE_OF, _SPEAKER_OF = _by_name(_LABELS.headings), _by_name(_LABELS.speakers)
_TELLING, _TELLING_CJK = _by_name(_LABELS.telling), _by_name(_LABELS.telling_cjk)
_SAY_MORE, _PARTS = (frozenset(_names(_LABELS.keys[name])) for name in ("say_more", "parts"))


def _bare(name: str) -> str:
    """Gives a name from its first letter to its last, in small letters."""
    found = _LETTERED.search(name)
    return found[0].casefold() if found else ""


@lru_cache(maxsize=4096)
def heading_role(title: str) -> Role:
    """Returns the role of the text under a heading or after a key; empty if the title does not tell."""
    bare = _bare(_TAGS.sub("", title[:80]))
    if bare in _ROLE_OF:
        return _ROLE_OF[bare]
    words = bare.split()
    told = [_TELLING[word] for word in words if word in _TELLING] if len(words) <= 5 else []
    if told:
        return "open" if "open" in told else told[0]  # "Decisions pending" holds none
    if len(bare) <= 10:
        for part, role in _TELLING_CJK.items():
            if part in bare:
                return role
    return ""


@lru_cache(maxsize=4096)
def key_role(key: str) -> Role:
    """Returns the role of a `key:` that begins a line, if the whole name is known; else empty."""
    return _ROLE_OF.get(_bare(key[:40]), "")


@lru_cache(maxsize=4096)
def comes_off(key: str) -> bool:
    """Tells whether a line is as clear without this key: true for `decision:`, false for `why:` and `open:`."""
    bare = _bare(key[:40])
    return _ROLE_OF.get(bare, "open") != "open" and bare not in _SAY_MORE


@lru_cache(maxsize=4096)
def speaker_of(name: str) -> Speaker:
    """Returns the speaker that a chat label names; empty for another name."""
    return _SPEAKER_OF.get(_bare(name[:40]), "")


@lru_cache(maxsize=4096)
def is_part(title: str) -> bool:
    """Tells whether a heading names a part of any note, like `Notes`, and no content."""
    return _bare(title[:80]) in _PARTS
