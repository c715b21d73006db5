"""Finds cue words of all languages in a sentence, in linear time. A filter first looks for words that a pattern needs.
One RE2 set of all patterns would be a single pass, but builds its automaton for 1 s over 60,000 sentences in each
process; filters take 0.1 s."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, get_args

from engine.text.pattern_file import WordTables, re2_options

Cue = Literal[
    "decision", "plan", "not_decision", "insight", "rule", "not_insight",
    "outcome", "fact", "open", "chat", "small_talk", "request", "advice", "loose",
]  # fmt: skip
CUES: tuple[Cue, ...] = get_args(Cue)
FACT_FORMS = (
    "deed", "shared_deed", "named_kin", "own_thing", "habit", "taste", "standing", "dated", "state", "called",
    "told", "said", "lasting", "wishing", "would", "asking", "leaning", "wishing_so",
    "number", "lead_in", "behind", "clause", "begun", "condition",
)  # fmt: skip
TABLES = WordTables("engine.models", {"cues": CUES, "facts": FACT_FORMS})

QUESTION_ENDS = ("?", "？", "吗", "呢", "吗。", "呢。", "か。", "か", "까", "나요", "까.", "나요.", "؟")

_MEMORY = 8 << 20  # bytes that RE2 may use for the set of all cues
_GOES_ON = re.compile(r"\\\n\s*")
_NONE: frozenset[Cue] = frozenset()


class CueMatcher:
    """A filter over the patterns of some cues; building it takes 2 ms a cue, once."""

    def __init__(self, wanted: frozenset[Cue]) -> None:
        import re2

        self._options = re2_options(_MEMORY, fold=True)
        self._filter: Any = re2.Filter()
        self._cues: list[Cue] = []
        self._known: dict[tuple[int, ...], frozenset[Cue]] = {}
        for cue in filter(wanted.__contains__, CUES):
            # RE2's \b knows ASCII only, so a word's edge is spelt out for Ä and é.
            self._add(cue, r"(?:^|[^\pL\pN_])(?:", r")(?:$|[^\pL\pN_])", TABLES.lines(f"cues.{cue}", edges=True))
            self._add(cue, "", "", TABLES.lines(f"cues.{cue}", edges=False))
        self._filter.Compile()

    def _add(self, cue: Cue, before: str, behind: str, lines: Sequence[str]) -> None:
        import re2

        if not lines:
            return
        try:
            self._filter.Add(f"{before}{'|'.join(lines)}{behind}", self._options)
        except re2.error:
            for line in lines:
                TABLES.checked(line, lambda pattern: re2.compile(pattern, self._options), re2.error)
            raise
        self._cues.append(cue)

    def cues(self, sentence: str) -> frozenset[Cue]:
        """Returns the cues in a sentence."""
        if not (found := self._filter.Match(sentence)):
            return _NONE
        key = tuple(found)
        if key not in self._known:
            self._known[key] = frozenset(self._cues[index] for index in key)
        return self._known[key]


def alternatives(table: str) -> str:
    """Joins a table with one alternative a line to one pattern."""
    return "|".join(line.strip() for line in _GOES_ON.sub("", table).split("\n") if line.strip())


@cache
def matcher(wanted: frozenset[Cue] = frozenset(CUES)) -> CueMatcher:
    """Returns this process's matcher of these cues."""
    return CueMatcher(wanted)
