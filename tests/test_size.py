"""The size of the product is a figure that anybody can print, and it stays below its limit."""

from pathlib import Path

import pytest

from tests.size import MOST, PRODUCT, RoomSize, files_of, room_of, rows, sizes
from tests.turn import ROOT

MODULE = "def short() -> None:\n    return\n\n\ndef long() -> None:\n    a = 1\n    b = a\n    return\n"


def test_lines_are_counted_by_room_and_by_what_a_file_is(tmp_path: Path) -> None:
    made = {
        "engine/plans/a.py": MODULE,
        "engine/plans/words.toml": "a = 1\n",
        "engine/plans/packed.bin": "x\n",
        "engine/api.py": "a = 1\n",
        "tests/engine/plans/test_a.py": "a = 1\nb = 2\n",
        "tests/folders.py": "a = 1\n",
        "docs/a.md": "a\n",
    }
    for path, text in made.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    rooms = sizes(tmp_path, [*made, "engine/plans/gone.py"])
    assert rooms == {
        "engine": RoomSize(1, 0, 0, ()),
        "engine/plans": RoomSize(8, 2, 1, (2, 4)),
        "tests": RoomSize(0, 1, 0, ()),
    }
    *_, plans, _, whole = rows(rooms)
    assert plans.split() == ["engine/plans", "8", "2", "1", "2", "3", "4"]
    assert whole.split()[:5] == ["all", "9", "3", "1", "2"]


@pytest.mark.parametrize("path", ["README.md", "screenshots/make.py", "tests/data.jsonl", "tui/a.bin"])
def test_what_belongs_to_no_room_is_left_out(path: str) -> None:
    assert room_of(path) == ("", "")


def test_the_product_is_below_its_limit() -> None:
    try:
        files = files_of(ROOT)
    except (OSError, ValueError):
        pytest.skip("no repository here")
    rooms = sizes(ROOT, [path for path in files if path.startswith(tuple(f"{top}/" for top in PRODUCT))])
    assert sum(size.product for size in rooms.values()) <= MOST
