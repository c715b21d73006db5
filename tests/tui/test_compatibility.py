"""The console paints by Textual's own means where Textual is not built as the toolkit room expects."""

from collections.abc import Iterator

import pytest

from tests.prepared import three_plans
from tests.tui.conftest import deck, settled, shows
from tui.toolkit import compatibility
from tui.toolkit.compatibility import BY_TEXTUAL, differences, own_painting

pytestmark = pytest.mark.own_painting


@pytest.fixture
def asked_again(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(BY_TEXTUAL, raising=False)
    own_painting.cache_clear()
    yield
    own_painting.cache_clear()


@pytest.mark.usefixtures("asked_again")
def test_the_installed_textual_is_built_as_expected() -> None:
    assert differences() == ()
    assert own_painting()


@pytest.mark.usefixtures("asked_again")
@pytest.mark.parametrize(
    ("table", "wanted", "named"),
    [
        ("_MADE", {"textual.widget:Widget": ("_not_made",)}, "textual.widget:Widget._not_made"),
        (
            "_CALLED",
            {"textual.screen:Screen._on_timer_update": ("self", "more")},
            "textual.screen:Screen._on_timer_update",
        ),
        ("_CALLED", {"textual.screen:Screen._gone": ("self",)}, "textual.screen:Screen._gone"),
        ("_CALLED", {"textual._gone:Compositor.draw": ("self",)}, "textual._gone:Compositor.draw"),
        ("_READ", {"textual._compositor:Compositor": ("gone",)}, "textual._compositor:Compositor.gone"),
    ],
)
def test_a_textual_built_otherwise_paints_by_itself(
    table: str, wanted: dict[str, tuple[str, ...]], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compatibility, table, wanted)
    assert differences() == (named,)
    assert not own_painting()


@pytest.mark.usefixtures("asked_again")
@pytest.mark.parametrize("own", [True, False])
async def test_both_ways_of_painting_show_the_same(own: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not own:
        monkeypatch.setenv(BY_TEXTUAL, "textual")
    async with deck(three_plans()) as pilot:
        painter = type(pilot.app.screen._compositor).__name__
        assert painter == ("Painter" if own else "Compositor")
        for key, words in (("2", "Queue"), ("1", "Due"), ("7", "History")):
            await pilot.press(key)
            await shows(pilot, words)
            await settled(pilot)
