"""The bands of MEMORY.md: a limit belongs to the lower band (decision D23)."""

import pytest

from engine.workspace.layout import memory_md_band


@pytest.mark.parametrize(
    ("lines", "band"),
    [(0, "ok"), (180, "ok"), (181, "warning"), (200, "warning"), (201, "full"), (220, "full"), (221, "over")],
)
def test_d23_a_limit_belongs_to_the_lower_band(lines: int, band: str) -> None:
    assert memory_md_band(lines) == band
