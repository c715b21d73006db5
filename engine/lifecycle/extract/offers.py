"""Keeps the entries that an extraction does not promote by itself, so that the operator can accept them (D44)."""

from collections.abc import Callable, Collection, Iterable, Iterator

from engine.extraction.entry import PROMOTED, ExtractedEntry
from engine.lifecycle.extract.review import ReviewedEntry


class Offers:
    """Divides the entries of an extraction: those that may be promoted, and those that are offered."""

    def __init__(
        self,
        accepted: Collection[str],
        is_known: Callable[[str], bool],
        line_of: Callable[[ExtractedEntry], int | None],
        told: Callable[[ExtractedEntry, int], ReviewedEntry],
    ) -> None:
        """`accepted` are ids that the operator accepts; `told` makes the offer of an entry said on that line."""
        self._accepted, self._is_known, self._line_of, self._told = frozenset(accepted), is_known, line_of, told
        self._offered: dict[str, ReviewedEntry] = {}
        self._taken: dict[str, ExtractedEntry] = {}
        self._promoted: set[str] = set()

    @property
    def offered(self) -> tuple[ReviewedEntry, ...]:
        """The entries that the operator may accept, in the order in which they were said; each once."""
        return tuple(one for one in self._offered.values() if one.id not in self._promoted)

    @property
    def taken(self) -> tuple[ExtractedEntry, ...]:
        """The entries below the grades of promotion that are promoted, for the operator accepts them."""
        return tuple(one for one in self._taken.values() if one.id not in self._promoted)

    def promotable(self, entries: Iterable[ExtractedEntry]) -> Iterator[ExtractedEntry]:
        """Yields the entries that may be promoted, and keeps the others as offers."""
        for entry in entries:
            if entry.grade in PROMOTED:
                self._promoted.add(entry.id)
                yield entry
            elif entry.id in self._accepted:
                self._taken.setdefault(entry.id, entry)
                yield entry
            elif entry.id not in self._offered and not self._is_known(entry.id):
                line = self._line_of(entry)
                if line is not None:
                    self._offered[entry.id] = self._told(entry, line)
