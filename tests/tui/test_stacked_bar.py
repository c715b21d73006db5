"""One bar of parts: never wider than its room, each part as wide as its share; what platforms load drawn so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.context.load.simulation import CapReading, LoadedFile, LoadState, PlatformLoad
from engine.context.platforms.catalog import platforms
from engine.context.platforms.platform import CapUnit, SessionKind
from engine.plans.policy.values import Policy
from engine.text.safe_text import cell_width
from tui.present.context.platform_loads import BarPart, load_bar, stacked_bar
from tui.present.spans import plain


@given(
    st.lists(st.tuples(st.text(max_size=9), st.integers(0, 500)), max_size=6),
    st.integers(0, 900),
    st.integers(1, 80),
)
def test_a_bar_fills_its_room_whatever_its_parts(parts: list[tuple[str, int]], whole: int, room: int) -> None:
    line = stacked_bar([BarPart(name, size) for name, size in parts], whole, room)
    assert cell_width(plain(line)) == room + 2
    filled = sum(cell_width(span.text) for span in line[1:-2])
    assert filled == min(room, room * sum(size for _, size in parts) // max(1, whole))


def loaded(name: str, size: int, state: LoadState = LoadState.WHOLE, cap: int = 0) -> LoadedFile:
    caps = (CapReading(CapUnit.CHARACTERS, size, cap),) if cap else ()
    return LoadedFile(name=name, path=name, state=state, text="x" * size, caps=caps)


def a_load(*files: LoadedFile, total: CapReading | None = None) -> PlatformLoad:
    return PlatformLoad(platform=platforms(Policy())[0], session=SessionKind.MAIN, files=files, total=total, used=True)


@pytest.mark.parametrize(
    ("load", "bar"),
    [
        (a_load(loaded("A.md", 0)), ""),
        (a_load(loaded("A.md", 50), loaded("B.md", 50)), f"▕A{'─' * 18}│B{'─' * 18}│▏ 100 characters"),
        (
            a_load(loaded("A.md", 50, cap=100), loaded("B.md", 50, cap=100)),
            f"▕A{'─' * 8}│B{'─' * 8}│{'·' * 20}▏ 100/200 characters",
        ),
        (
            a_load(loaded("A.md", 50, cap=100), total=CapReading(CapUnit.TOKENS, 10, 40)),
            f"▕A{'─' * 8}│{'·' * 30}▏ 10/40 tokens",
        ),
    ],
)
def test_what_a_platform_loads_stands_against_the_caps_it_has(load: PlatformLoad, bar: str) -> None:
    assert plain(load_bar(load)) == bar


def test_a_file_that_is_cut_is_marked_in_the_bar() -> None:
    bar = load_bar(a_load(loaded("A.md", 50), loaded("MEMORY.md", 50, LoadState.CUT)))
    assert [span.role for span in bar if "MEMORY" in span.text] == ["risk"]
