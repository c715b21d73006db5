"""The rows of a report: the first of many, and how many more there are."""

from collections.abc import Sequence


def first_rows(rows: Sequence[str], most: int, where: str = "") -> tuple[str, ...]:
    """The first rows, at most so many, and a row that counts the others; `where` says where those stand."""
    more = len(rows) - most
    return (*rows[:most], f"  … and {more:,} more{where}") if more > 0 else tuple(rows)
