"""Finds which of many patterns match a text, by one RE2 set for all topics and a small one for recent changes.
Compiling 10,000 patterns takes a second, too long after each edit of a topic."""

from collections.abc import Hashable, Mapping
from typing import Any, Generic, TypeVar

from engine.topics.patterns.regex import ALWAYS, BadPattern, compiled, pattern_set

Key = TypeVar("Key", bound=Hashable)

FEW = 64  # so many changed patterns are always left in a set of their own
SHARE = 8  # more than the eighth part of all, and one set is made of everything again


class _Compiled(Generic[Key]):
    """Patterns by key, in one set or, if RE2 lacks memory, two halves. A set without memory reports no match, so each
    set has an additional pattern that always matches; if that is missing, the set is split."""

    def __init__(self, patterns: Mapping[Key, str], fold: bool) -> None:
        self.patterns = dict(patterns)
        self._keys = tuple(patterns)
        self._fold = fold
        self._set: Any = self._one() if patterns else None
        self._halves: tuple[_Compiled[Key], ...] = ()
        if patterns and self._set is None:
            self._halves = self._split()

    def hits(self, data: bytes) -> list[Key]:
        if self._set is not None:
            found = self._set.Match(data) or ()
            if len(self._keys) in found:
                return [self._keys[at] for at in found if at < len(self._keys)]
            self._set, self._halves = None, self._split()
        if not self._halves and self._keys:
            text = data.decode()
            return [key for key, each in self.patterns.items() if compiled(each, fold=self._fold).search(text)]
        return [key for half in self._halves for key in half.hits(data)]

    def _one(self) -> Any:
        try:
            found = pattern_set([*self.patterns.values(), ALWAYS], fold=self._fold)
        except BadPattern:
            return None
        return found if len(self._keys) in (found.Match(b"") or ()) else None

    def _split(self) -> "tuple[_Compiled[Key], ...]":
        """Returns two halves; none for a single pattern, which is then searched alone."""
        middle = len(self._keys) // 2
        halves = (self._keys[:middle], self._keys[middle:]) if middle else ()
        return tuple(_Compiled({key: self.patterns[key] for key in half}, self._fold) for half in halves)


class PatternSets(Generic[Key]):
    """The patterns of all topics by key. Immutable: `changed` returns another one that shares compiled sets."""

    def __init__(self, patterns: Mapping[Key, str], *, fold: bool = True) -> None:
        self._fold = fold
        self._patterns = dict(patterns)
        self._base = _Compiled(patterns, fold)
        self._recent: _Compiled[Key] | None = None

    def changed(self, patterns: Mapping[Key, str]) -> "PatternSets[Key]":
        """Returns sets for other patterns, compiling only the new ones while they are few."""
        base = self._base.patterns
        new = {key: text for key, text in patterns.items() if base.get(key) != text}
        gone = len(base) - (len(patterns) - len(new))
        if len(new) + gone > max(FEW, len(patterns) // SHARE):
            return PatternSets(patterns, fold=self._fold)
        other: PatternSets[Key] = PatternSets.__new__(PatternSets)
        other._fold = self._fold
        other._patterns = dict(patterns)
        other._base = self._base
        other._recent = _Compiled(new, self._fold) if new else None
        return other

    def hits(self, data: bytes) -> list[Key]:
        """Returns the keys of all patterns that match in the UTF-8 text."""
        recent = self._recent
        live, new = self._patterns, recent.patterns if recent is not None else {}
        found = [key for key in self._base.hits(data) if key in live and key not in new]
        return found + recent.hits(data) if recent is not None else found
