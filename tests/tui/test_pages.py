"""A page composes panes and stays small, and a key runs few functions of ours."""

import inspect
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import tui
from tests.prepared import three_plans
from tests.tui.conftest import deck, settled
from tui.registry.screens import PLACES, ScreenEntry

MOST_LINES = 400
"""Lines of a page's class with those of its bases, the toolkit's aside."""
MOST_FUNCTIONS = 165
"""Distinct functions: crumbs and hints of the other plan, and its diff laid out; its head and rows are kept."""
PAINTING = frozenset({"render_line", "render_lines", "_paint", "_lay_out", "apply"})
"""Functions that draw lines: which of them run depends on what is in view, not on the key."""
ROOT = str(Path(tui.__file__).parents[1])


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.id)
def test_a_page_with_its_bases_has_few_lines(place: ScreenEntry) -> None:
    """Bases are those of the screens: the toolkit is below every widget, as Textual is."""
    module, _, name = place.page.partition(":")
    classes = [
        kind for kind in getattr(import_module(module), name).__mro__ if kind.__module__.startswith("tui.screens.")
    ]
    lines = sum(len(inspect.getsourcelines(kind)[0]) for kind in classes)
    assert lines <= MOST_LINES
    assert len(classes) <= 4, "a page is not one class cut into several"


class Called:
    """Counts the functions of ours that run, but for those that paint."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._painting: FrameType | None = None

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        ours = code.co_filename.startswith((f"{ROOT}/tui/", f"{ROOT}/engine/"))
        if event == "call" and self._painting is None:
            if ours and code.co_name in PAINTING:
                self._painting = frame
            elif ours and not code.co_name.startswith("<"):
                self.names.add(f"{code.co_filename.removeprefix(ROOT)}:{code.co_qualname}")
        elif event == "return" and frame is self._painting:
            self._painting = None


@pytest.mark.own_painting
async def test_one_key_in_approvals_runs_few_functions() -> None:
    async with deck(three_plans()) as pilot:
        for key in ("2", "j", "k"):  # both plans are read by then
            await pilot.press(key)
            await settled(pilot)
        called = Called()
        sys.setprofile(called)
        await pilot.press("j")
        await settled(pilot)
        sys.setprofile(None)
        assert len(called.names) <= MOST_FUNCTIONS, sorted(called.names)
