"""The rows of a report: the first of many, and how many more there are."""

from collections.abc import Mapping, Sequence

REPORT_ROWS = 60  # rows of a report on notes of the workspace; the plan's changes name the others
IMPORT_ROWS = 40  # rows of a report on notes from elsewhere, and problems with them; they may be many thousands


def first_rows(rows: Sequence[str], most: int, where: str = "") -> tuple[str, ...]:
    """The first rows, at most so many, and a row that counts the others; `where` says where those stand."""
    more = len(rows) - most
    return (*rows[:most], f"  … and {more:,} more{where}") if more > 0 else tuple(rows)


def by_ending(unread: Mapping[str, int]) -> list[str]:
    """Counts what was not read of a place by the ending of its files, as rows say it."""
    return [f"{count:,} × {ending}" for ending, count in sorted(unread.items())]
