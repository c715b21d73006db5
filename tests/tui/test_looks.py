"""Themes are whole and readable, glyphs are single cells, and the last wall lets nothing through."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

import themes as theme_files
from engine.errors import UsageError
from tests.tui.conftest import deck, screen_text
from tests.tui.fake_engine import demo_engine
from tui import themes
from tui.viewmodels import glyphs
from tui.viewmodels.spans import ROLES, Role
from tui.widgets.safety import Wall

# These carry no text: ends of bars, what is not filled, marks; WCAG asks 3:1 of graphics that say something.
GRAPHIC: dict[Role, float] = {
    "rule": 2.5,
    "bar_ok": 3.0,
    "bar_warn": 3.0,
    "bar_risk": 3.0,
    "bar_blocked": 3.0,
    "bar_empty": 1.0,
    "line_ok": 3.0,
    "line_warn": 3.0,
    "line_risk": 3.0,
    "line_blocked": 3.0,
    "line_empty": 1.0,
    "mark": 3.0,
}
BACKGROUNDS_ONLY: tuple[Role, ...] = ("cursor", "cursor_blurred")


def luminance(color: RichColor) -> float:
    def linear(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    assert color.triplet is not None
    red, green, blue = color.triplet
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


def contrast(first: RichColor, second: RichColor) -> float:
    """WCAG 2.1 contrast ratio."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_there_is_a_dark_a_light_and_a_high_contrast_theme() -> None:
    assert themes.names()[0] == "night"
    assert {"night", "paper", "contrast"} <= set(themes.names())
    assert {themes.theme(name).dark for name in themes.names()} == {True, False}


@pytest.mark.parametrize("name", themes.names())
def test_a_theme_gives_every_role_a_style_and_no_other(name: str) -> None:
    assert set(themes._read(name)["styles"]) == set(ROLES)


@pytest.mark.parametrize("name", themes.names())
def test_every_text_is_readable_on_every_ground_it_stands_on(name: str) -> None:
    """WCAG AA: 4.5:1 for text, on the ground, the header, dialogs and under the cursor."""
    theme, styles = themes.theme(name), themes.styles(name)
    grounds = [RichColor.parse(color) for color in (theme.background, theme.surface, theme.panel) if color]
    for role in BACKGROUNDS_ONLY:
        ground = styles[role].bgcolor
        assert ground is not None
        grounds.append(ground)
    for role in ROLES:
        if role in BACKGROUNDS_ONLY:
            continue
        style, least = styles[role], GRAPHIC.get(role, 4.5)
        assert style.color is not None
        for ground in [style.bgcolor] if style.bgcolor else grounds[: None if least == 4.5 else 1]:
            assert contrast(style.color, ground) >= least, (role, style.color.name, ground.name)


def test_an_unknown_theme_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="night"):
        themes.theme("neon")


def test_themes_are_files_beside_their_package() -> None:
    files = {path.stem for path in Path(theme_files.__file__).parent.glob("*.toml")}
    assert files == set(themes.names())


@pytest.mark.parametrize("name", themes.names())
async def test_every_theme_draws_the_console(name: str) -> None:
    async with deck(demo_engine(), theme=name) as pilot:
        assert "semantic_risk" in screen_text(pilot)


def all_signs() -> list[glyphs.Sign]:
    signs = [value for value in vars(glyphs).values() if isinstance(value, glyphs.Sign)]
    for table in (glyphs.RISK_TIERS, glyphs.BANDS, glyphs.PLAN_STATES, glyphs.OPERATION_STATES, glyphs.FINDINGS):
        signs.extend(table.values())
    return signs


def test_a_state_is_a_single_cell_glyph_and_a_word_never_colour_alone() -> None:
    for sign in all_signs():
        assert cell_len(sign.glyph) == 1 and sign.word


def test_each_state_of_a_kind_is_told_apart_without_colour() -> None:
    for table in (glyphs.RISK_TIERS, glyphs.BANDS, glyphs.PLAN_STATES, glyphs.OPERATION_STATES, glyphs.FINDINGS):
        words = [(sign.glyph, sign.word) for sign in table.values()]
        assert len(set(words)) == len(words)


def test_an_ascii_terminal_gets_ascii_for_every_glyph_of_ours() -> None:
    text = "".join(sign.glyph for sign in all_signs()) + "▕█▉▏│━╸┃─╭╮╰╯…→←⟨⟩▌≤−·"
    (segment,) = Wall(ascii_only=True).apply([Segment(text)], Color(0, 0, 0))
    assert segment.text.isascii() and cell_len(segment.text) == cell_len(text)


@given(st.text())
def test_the_wall_lets_no_control_character_through_and_moves_nothing(text: str) -> None:
    (segment,) = Wall().apply([Segment(text, Style(link="http://x"))], Color(0, 0, 0))
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", segment.text)
    assert segment.style is not None and segment.style.link is None


async def test_the_wall_stands_behind_every_widget() -> None:
    async with deck(demo_engine()) as pilot:
        header = pilot.app.query_one("#header")
        assert any(isinstance(filter_, Wall) for filter_ in header.get_line_filters())


async def test_no_color_is_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with deck(demo_engine()) as pilot:
        text = screen_text(pilot)
        assert "▲ semantic_risk" in text and "fired" in text
        colors = {
            segment.style.color.triplet
            for strip in pilot.app.screen._compositor.render_strips()
            for segment in strip
            if segment.style and segment.style.color and segment.style.color.triplet
        }
        assert all(max(color) - min(color) <= 2 for color in colors)
