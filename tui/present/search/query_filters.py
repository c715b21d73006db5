"""Defines a question to the search: a query with filters, or a note; puts the filters into words."""

from collections.abc import Iterator, Sequence
from datetime import date

import msgspec

from engine.search.values import Category, SearchAnswer
from tui.present.search.day_spans import day_words
from tui.present.spans import Line, Span


class Filters(msgspec.Struct, frozen=True):
    """The limits of a search."""

    category: Category | None = None
    since: date | None = None
    until: date | None = None
    operators: bool = False
    days: bool = True  # days in the query count

    @property
    def any(self) -> bool:
        return self != Filters()


class SearchState(msgspec.Struct, frozen=True):
    """A question: a query with its filters, or the path of a note to find similar ones."""

    text: str = ""
    filters: Filters = Filters()
    like: str = ""

    @property
    def nothing(self) -> bool:
        return not self.text.strip() and not self.like


class SearchOutcome(msgspec.Struct, frozen=True):
    """The answer to a question, and how many milliseconds it took."""

    asked: SearchState
    answer: SearchAnswer
    milliseconds: float


def filter_words(filters: Filters) -> Line:
    """Returns `any category · any date`, with active filters in another colour."""
    return joined([Span(words, "warn" if narrows else "muted") for words, narrows in filters_in_words(filters)])


def category_words(category: Category) -> str:
    """Returns the name of a category; `memory tier` in full, since risk has tiers too."""
    return "memory tier" if category is Category.TIER else category.value


def joined(spans: Sequence[Span]) -> Line:
    return (spans[0], *(part for span in spans[1:] for part in (Span(" · ", "muted"), span)))


def filters_in_words(filters: Filters) -> Iterator[tuple[str, bool]]:
    """Yields each filter in words, and whether it is active."""
    yield (category_words(filters.category), True) if filters.category else ("any category", False)
    yield day_words(filters.since, filters.until), bool(filters.since or filters.until)
    if filters.operators:
        yield "+must -not word*", True
    if not filters.days:
        yield "days in the query ignored", True
