"""The rows of a table: what is no number counts as none, and those of before a number are named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.state.database import StateDatabase
from engine.state.table import StateTable, TableRows


@pytest.fixture
def rows(tmp_path: Path) -> Iterator[TableRows]:
    database = StateDatabase(tmp_path)
    with database.transaction() as connection:
        yield TableRows(connection, StateTable.FOLLOWED_PATHS)
    database.close()


def test_the_count_of_a_key_is_its_number_and_none_where_there_is_no_number(rows: TableRows) -> None:
    rows.put("a", b"3")
    rows.put("b", b'"three"')
    assert [rows.count(key) for key in ("a", "b", "c")] == [3, 0, 0]


def test_the_rows_up_to_a_number_are_named_by_numbers_and_keys(rows: TableRows) -> None:
    numbers = [rows.add(key, b"1") for key in ("é", "b", "c")]
    assert numbers == [1, 2, 3]
    assert rows.below(2) == ((1, "é"), (2, "b"))
    rows.drop_numbers([1])
    assert rows.below(3) == ((2, "b"), (3, "c"))


def test_each_row_that_is_no_such_value_is_counted_and_left_out(rows: TableRows) -> None:
    for key, body in (("a", b"1"), ("b", b'"two"'), ("c", b"{"), ("d", b"4")):
        rows.put(key, body)
    assert rows.values(int) == {"a": 1, "d": 4} and rows.altered == 2
