"""Finds the cue words of a sentence, all languages at once, in one pass of a linear-time engine."""

import re
from functools import cache
from typing import Any

from engine.models.cues import CJK, HEADINGS, LATIN, SPEAKERS, Cue

_MEMORY = 64 << 20


class CueMatcher:
    """One RE2 set over every pattern of `cues`; building it takes a few milliseconds, once."""

    def __init__(self) -> None:
        import re2

        options = re2.Options()
        options.max_mem = _MEMORY
        options.case_sensitive = False
        options.log_errors = False
        self._set: Any = re2.Set.SearchSet(options)
        self._cues: list[Cue] = []
        for cue, patterns in LATIN.items():
            for pattern in patterns:
                # RE2's \b knows ASCII only, so a word's edge is spelt out for Ä and é.
                self._add(cue, rf"(?:^|[^\pL\pN_])(?:{pattern})(?:$|[^\pL\pN_])")
        for cue, patterns in CJK.items():
            for pattern in patterns:
                self._add(cue, pattern)
        self._set.Compile()

    def _add(self, cue: Cue, pattern: str) -> None:
        self._set.Add(pattern)
        self._cues.append(cue)

    def cues(self, sentence: str) -> frozenset[Cue]:
        """The classes of cue words that occur in `sentence`."""
        found = self._set.Match(sentence)
        return frozenset(self._cues[index] for index in found) if found else _NONE


_NONE: frozenset[Cue] = frozenset()


@cache
def matcher() -> CueMatcher:
    return CueMatcher()


_NUMBERING = re.compile(r"^[\W\d_]+|[\W_]+$")
_TAGS = re.compile(r"\s*\[[^\]]*\]\s*$")
_HEADING_ROLE = {role: re.compile(rf"(?:{names})", re.IGNORECASE) for role, names in HEADINGS.items()}
_SPEAKER = {speaker: re.compile(rf"(?:{names})", re.IGNORECASE) for speaker, names in SPEAKERS.items()}


@cache
def heading_role(title: str) -> str:
    """`decision`, `insight`, `outcome` or `open` where a heading or a key says so, else an empty string."""
    bare = _NUMBERING.sub("", _TAGS.sub("", title[:80]))
    for role, names in _HEADING_ROLE.items():
        if names.fullmatch(bare):
            return role
    return ""


@cache
def speaker_role(name: str) -> str:
    """`user` or `assistant` where a chat label says so, else an empty string."""
    bare = _NUMBERING.sub("", name[:40])
    for speaker, names in _SPEAKER.items():
        if names.fullmatch(bare):
            return speaker
    return ""
