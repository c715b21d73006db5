"""Finds the given-up turns of a session, in the tree of its lines (decision D58)."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.text.transcript_marks import Speaker


class TreeLine(NamedTuple):
    """A line with its id and its parent's. `group`: its message; `role`: its speaker, None for results and notes."""

    ident: str
    parent: str
    role: Speaker | None = None
    group: str = ""


class _Below(NamedTuple):
    """The spoken lines at and below an entry: first and last place in the file, first speaker, whether a user asks."""

    first: int
    last: int
    role: Speaker | None
    asks: bool


_NOTHING = _Below(2**62, -1, None, False)


def abandoned(entries: Iterable[TreeLine], leaf: str = "") -> frozenset[str]:
    """Returns the ids of lines certainly given up: a question or answer repeated from the same parent, after all of the
    old branch. `leaf`: the tool's last line. Lines without a sound parent are never given up."""
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
        for ident in (line for line in self._order if line in dead):
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
            spoken, key=lambda child: self._below[child].last
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
            first = min(parts, key=lambda part: part.first)
            below[ident] = _Below(
                first.first, max(part.last for part in parts), first.role, any(part.asks for part in parts)
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
