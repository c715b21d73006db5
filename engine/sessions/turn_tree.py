"""Finds the turns of a session that were given up, in the tree that its lines form (decision D58)."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.text.transcript_marks import Speaker


class TreeLine(NamedTuple):
    """A line with its id and that of the line it follows. `group`: the message of which it is a part. `role` is the
    speaker of its words; None for results of tools, notes of the program and the like."""

    ident: str
    parent: str
    role: Speaker | None = None
    group: str = ""


class _Below(NamedTuple):
    """The spoken lines from an entry on, by their places in the file: the first, the last, who began, a user's."""

    first: int
    last: int
    role: Speaker | None
    asks: bool


_NOTHING = _Below(2**62, -1, None, False)


def abandoned(entries: Iterable[TreeLine], leaf: str = "") -> frozenset[str]:
    """The ids of lines that were provably given up; `leaf` is the line that the tool itself says was the last. Given up
    is what was asked anew or answered anew from the same line on: all of it was said before the branch that replaced
    it. Lines without a parent, with one that is missing, and those in a circle are never given up."""
    return _Tree(entries).abandoned(leaf)


class _Tree:
    def __init__(self, entries: Iterable[TreeLine]) -> None:
        self._nodes: dict[str, TreeLine] = {}
        for entry in entries:
            if entry.ident:
                self._nodes.setdefault(entry.ident, entry)
        self._children: dict[str, list[str]] = {}
        roots = []
        for ident, entry in self._nodes.items():
            if entry.parent in self._nodes and entry.parent != ident:
                self._children.setdefault(entry.parent, []).append(ident)
            else:
                roots.append(ident)
        self._order = list(self._down(roots))
        self._below = self._summed()

    def abandoned(self, leaf: str) -> frozenset[str]:
        led = frozenset(self._up(leaf))
        dead = set[str]()
        for ident in self._order:
            if ident not in dead and len(self._children.get(ident, ())) > 1:
                dead.update(self._down(self._given_up(self._children[ident], led)))
        groups = {self._nodes[ident].group for ident in self._order if ident not in dead}
        gone = set[str]()
        # From above to below: a result stays where its call stays, and a message with all of its lines.
        for ident in (one for one in self._order if one in dead):
            entry = self._nodes[ident]
            is_part = entry.group in groups if entry.group else entry.role is None and entry.parent not in gone
            if not is_part:
                gone.add(ident)
        return frozenset(gone)

    def _given_up(self, children: list[str], led: frozenset[str]) -> Iterator[str]:
        spoken = [child for child in children if self._below[child].last >= 0]
        if len(spoken) < 2:
            return
        kept = next((child for child in spoken if child in led), "") or max(
            spoken, key=lambda one: self._below[one].last
        )
        anew = self._below[kept]
        for child in spoken:
            old = self._below[child]
            # Two that grew side by side were both gone on with, unless the tool says which it was.
            is_before = old.last < anew.first or kept in led
            # An answer that was cut short by the next question was said all the same.
            if child != kept and is_before and (old.asks or anew.role is Speaker.AGENT):
                yield child

    def _summed(self) -> dict[str, _Below]:
        places = {ident: place for place, ident in enumerate(self._nodes)}
        below: dict[str, _Below] = {}
        for ident in reversed(self._order):
            role = self._nodes[ident].role
            own = _NOTHING if role is None else _Below(places[ident], places[ident], role, role is Speaker.USER)
            parts = [own, *(below[child] for child in self._children.get(ident, ()))]
            first = min(parts, key=lambda one: one.first)
            below[ident] = _Below(
                first.first, max(one.last for one in parts), first.role, any(one.asks for one in parts)
            )
        return below

    def _down(self, idents: Iterable[str]) -> Iterator[str]:
        waiting = list(idents)[::-1]
        while waiting:
            ident = waiting.pop()
            yield ident
            waiting.extend(reversed(self._children.get(ident, ())))

    def _up(self, ident: str) -> Iterator[str]:
        seen = set[str]()
        while ident in self._nodes and ident not in seen:
            seen.add(ident)
            yield ident
            ident = self._nodes[ident].parent
