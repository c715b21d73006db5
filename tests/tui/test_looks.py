"""Themes are whole and readable, glyphs are single cells, and the last wall lets nothing through."""

import re
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import Color as RichColor
from rich.color import ColorSystem, ColorType
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color

import themes as theme_files
from engine.errors import UsageError
from tests.prepared import three_plans
from tests.tui.conftest import console_of, deck, screen_text, settled
from tests.tui.contrast import GRAPHIC, least_of_text
from tests.tui.contrast import contrast as contrast
from tui.app import MemdeckApp
from tui.present import glyphs
from tui.present.choices import Choice, found
from tui.present.spans import ROLES, Role
from tui.shell.theme_choice import ThemeChoice
from tui.system.terminal import shows_ascii_only
from tui.widgets import themes
from tui.widgets.output_wall import Wall
from tui.widgets.role_style import role_style, span_style

BACKGROUNDS_ONLY: tuple[Role, ...] = ("cursor", "cursor_blurred")


OWN_COLOURS = tuple(name for name in themes.names() if not themes.theme(name).ansi)
BARS: tuple[Role, ...] = ("bar_ok", "bar_warn", "bar_risk", "bar_blocked", "bar_empty", "mark")
LENDING: tuple[Role, ...] = ("md_heading", "md_mark", "md_code", "md_link", "md_meta")
"""Roles that lend their letters' look to others, and so stand on their grounds."""
LENT_TO: tuple[Role, ...] = ("added", "added_word", "removed", "removed_word", "same")


def test_there_are_dark_light_high_contrast_colour_blind_safe_and_terminal_themes() -> None:
    assert themes.names()[0] == "night"
    assert {"night", "dusk", "paper", "mist", "contrast", "safe", "terminal"} <= set(themes.names())
    assert sum(themes.theme(name).dark for name in OWN_COLOURS) >= 2
    assert sum(not themes.theme(name).dark for name in OWN_COLOURS) >= 2


@pytest.mark.parametrize("name", themes.names())
def test_a_theme_gives_every_role_a_style_and_no_other(name: str) -> None:
    assert set(themes._read(name)["styles"]) == set(ROLES)


def grounds_of(name: str) -> list[RichColor]:
    """What text stands on: the screen, the edges, dialogs, and the line under the cursor."""
    theme, styles = themes.theme(name), themes.styles(name)
    under = [styles[role].bgcolor for role in BACKGROUNDS_ONLY]
    found = [RichColor.parse(color) for color in (theme.background, theme.surface, theme.panel) if color]
    return found + [ground for ground in under if ground is not None]


@pytest.mark.parametrize("name", OWN_COLOURS)
def test_every_text_is_readable_on_every_ground_it_stands_on(name: str) -> None:
    """WCAG AA: 4.5:1 for text, 3:1 for what is drawn; 7:1 for text in the high-contrast theme."""
    styles, text = themes.styles(name), least_of_text(name)
    for role in ROLES:
        if role in BACKGROUNDS_ONLY:
            continue
        style, least = styles[role], GRAPHIC.get(role, text)
        assert style.color is not None
        for ground in [style.bgcolor] if style.bgcolor else grounds_of(name)[: None if least >= 4.5 else 1]:
            assert contrast(style.color, ground) >= least, (role, style.color.name, ground.name)
    foreground = RichColor.parse(themes.theme(name).foreground or "")
    assert all(contrast(foreground, ground) >= text for ground in grounds_of(name)), "what is typed into fields"


@pytest.mark.parametrize("name", OWN_COLOURS)
def test_words_of_markdown_are_readable_on_what_they_are_lent_to(name: str) -> None:
    styles = themes.styles(name)
    for lent in LENT_TO:
        for role in LENDING:
            letters, ground = styles[role].color, styles[lent].bgcolor
            if letters is not None and ground is not None:
                assert contrast(letters, ground) >= least_of_text(name), (role, lent, letters.name, ground.name)


@pytest.mark.parametrize("name", OWN_COLOURS)
def test_a_text_with_a_ground_of_its_own_is_readable_under_a_cursor_too(name: str) -> None:
    styles = themes.styles(name)
    for role in ROLES:
        for cursor in BACKGROUNDS_ONLY if styles[role].bgcolor and role not in (*GRAPHIC, *BACKGROUNDS_ONLY) else ():
            shown = span_style(name, Style(), role, None, styles[cursor])
            assert shown.color is not None and shown.bgcolor is not None
            assert contrast(shown.color, shown.bgcolor) >= least_of_text(name), (role, cursor)


@pytest.mark.parametrize("name", OWN_COLOURS)
def test_the_row_under_the_cursor_is_seen_without_its_hue(name: str) -> None:
    """In dialogs of the light themes it was as light as the ground, and another colour alone told it apart."""
    theme, row = themes.theme(name), themes.styles(name)["cursor"].bgcolor
    assert row is not None
    for color in (theme.background, theme.surface, theme.panel):
        assert color is not None and contrast(row, RichColor.parse(color)) >= 1.1, color


@pytest.mark.parametrize("name", OWN_COLOURS)
def test_the_part_of_a_bar_that_is_not_filled_is_seen_in_dialogs_too(name: str) -> None:
    """In the dialog that approves, the ground of a gauge was that of the dialog, and its marks stood in the air."""
    theme, ground = themes.theme(name), themes.styles(name)["bar_empty"].bgcolor
    assert ground is not None
    assert {themes.styles(name)[role].bgcolor for role in BARS} == {ground}, "one bar has one ground"
    for color in (theme.background, theme.surface, theme.panel):
        assert color is not None and contrast(ground, RichColor.parse(color)) >= 1.1, color


@pytest.mark.parametrize("name", OWN_COLOURS)
def test_a_found_word_is_seen_in_a_heading_by_its_hue(name: str) -> None:
    """In the high-contrast theme both were yellow, and letters a little bolder alone told them apart."""
    found, heading = (themes.styles(name)[role].color for role in ("accent", "md_heading"))
    assert found is not None and heading is not None
    hues = abs(Color.from_rich_color(found).hsl.h - Color.from_rich_color(heading).hsl.h)
    assert min(hues, 1 - hues) >= 0.1, hues


@pytest.mark.parametrize("name", OWN_COLOURS)
def test_the_border_of_the_focused_pane_is_seen(name: str) -> None:
    theme = themes.theme(name)
    border, ground = RichColor.parse(theme.variables["border"]), RichColor.parse(theme.background or "")
    assert contrast(border, ground) >= 3.0
    assert contrast(border, RichColor.parse(theme.variables["border-blurred"])) >= 1.5


@pytest.mark.parametrize("name", OWN_COLOURS)
def test_the_border_of_the_focused_pane_is_seen_among_those_of_a_what_if_clock(name: str) -> None:
    """By its lightness or by a far hue: in the high-contrast theme it was yellow among yellow ones."""
    theme = themes.theme(name)
    focused, supposed = Color.parse(theme.variables["border"]), Color.parse(theme.warning or "")
    hues = abs(focused.hsl.h - supposed.hsl.h)
    assert contrast(focused.rich_color, supposed.rich_color) >= 1.5 or min(hues, 1 - hues) >= 0.25, hues


def test_the_terminal_theme_names_only_the_terminals_own_colours() -> None:
    for style in themes.styles("terminal").values():
        for color in (style.color, style.bgcolor):
            assert color is None or color.type in (ColorType.STANDARD, ColorType.DEFAULT)


def test_no_black_letters_are_bold_in_the_terminals_own_colours() -> None:
    """Many terminals show bold as bright: black letters were grey ones then, on yellow and on cyan."""
    for role, style in themes.styles("terminal").items():
        assert not (style.bold and style.color is not None and style.color.name == "black"), role


# Viénot, Brettel and Mollon: what red- and green-blind eyes see of linear RGB.
BLIND = {
    "protan": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "deutan": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
}
TOLD_APART: tuple[tuple[Role, Role], ...] = (("ok", "warn"), ("ok", "blocked"), ("ok", "risk"), ("warn", "blocked"))


def seen(color: RichColor, kind: str) -> tuple[float, float, float]:
    """A colour as the square roots of linear light that a colour-blind eye tells apart: near to even steps."""
    assert color.triplet is not None
    linear = [(value / 255) ** 2.2 for value in color.triplet]
    mixed = (max(0.0, sum(w * part for w, part in zip(row, linear, strict=True))) for row in BLIND[kind])
    red, green, blue = (value ** (1 / 2.2) for value in mixed)
    return red, green, blue


@pytest.mark.parametrize("kind", BLIND)
def test_the_colour_blind_safe_theme_keeps_states_and_sides_apart(kind: str) -> None:
    styles = themes.styles("safe")
    pairs = [(styles[one].color, styles[other].color) for one, other in TOLD_APART]
    pairs += [
        (styles["added"].bgcolor, styles["removed"].bgcolor),
        (styles["bar_ok"].color, styles["bar_blocked"].color),
    ]
    for one, other in pairs:
        assert one is not None and other is not None
        assert sum((a - b) ** 2 for a, b in zip(seen(one, kind), seen(other, kind), strict=True)) ** 0.5 > 0.15


def test_an_unknown_theme_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="night"):
        themes.theme("neon")


def test_themes_are_files_beside_their_package() -> None:
    files = {path.stem for path in Path(theme_files.__file__).parent.glob("*.toml")}
    assert files == set(themes.names())


@pytest.mark.parametrize("name", themes.names())
async def test_every_theme_draws_the_console(name: str) -> None:
    async with deck(three_plans(), theme=name) as pilot:
        assert "semantic shard over its risk line" in screen_text(pilot)


def all_signs() -> list[glyphs.Sign]:
    signs = [value for value in vars(glyphs).values() if isinstance(value, glyphs.Sign)]
    for table in (glyphs.RISK_TIERS, glyphs.BANDS, glyphs.PLAN_STATES, glyphs.OPERATION_STATES, glyphs.FINDINGS):
        signs.extend(table.values())
    return signs


def test_the_whole_language_is_listed_and_a_word_always_looks_the_same() -> None:
    listed = [sign for _, signs in glyphs.LANGUAGE for sign in signs]
    assert set(all_signs()) <= set(listed)
    looks: dict[str, set[tuple[str, str]]] = {}
    for sign in listed:
        looks.setdefault(sign.word, set()).add((sign.glyph, sign.role))
    assert {word: look for word, look in looks.items() if len(look) > 1} == {}


def test_signs_are_made_in_one_module_alone() -> None:
    root = Path(glyphs.__file__).parents[1]
    made = {path.name for path in root.rglob("*.py") if re.search(r"(?<!class )\bSign\(", path.read_text("utf-8"))}
    assert made == {"glyphs.py"}


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


def test_in_ascii_too_no_two_states_have_the_same_sign() -> None:
    glyphs_of: dict[str, set[str]] = {}
    for sign in all_signs():
        glyphs_of.setdefault(glyphs.in_ascii(sign.glyph), set()).add(sign.glyph)
    assert {ascii_sign: found for ascii_sign, found in glyphs_of.items() if len(found) > 1} == {}


def test_in_ascii_an_arrow_and_a_limit_are_no_comparison() -> None:
    assert glyphs.in_ascii("1,078 → 1,177 > 1,020") == "1,078-> 1,177 > 1,020"
    assert glyphs.in_ascii("→ archive ≤ 10 ≥ 3 ←/→") == "->archive<= 10>= 3 </>"


@given(st.text(alphabet="→≤≥▶●✓ a>", max_size=12))
def test_ascii_is_as_wide_as_what_it_spells(text: str) -> None:
    assert cell_len(glyphs.in_ascii(text)) == cell_len(text) and glyphs.in_ascii(text).isascii()


@given(st.text())
def test_the_wall_lets_no_control_character_through_and_moves_nothing(text: str) -> None:
    (segment,) = Wall().apply([Segment(text, Style(link="http://x"))], Color(0, 0, 0))
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", segment.text)
    assert segment.style is not None and segment.style.link is None


async def test_the_wall_stands_behind_every_widget() -> None:
    async with deck(three_plans()) as pilot:
        header = pilot.app.query_one("#header")
        assert any(isinstance(filter_, Wall) for filter_ in header.get_line_filters())


async def test_no_color_is_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with deck(three_plans()) as pilot:
        text = screen_text(pilot)
        assert "▲ semantic shard over its risk line" in text and " others did not fire" in text
        colors = {
            segment.style.color.triplet
            for strip in pilot.app.screen._compositor.render_strips()
            for segment in strip
            if segment.style and segment.style.color and segment.style.color.triplet
        }
        assert all(max(color) - min(color) <= 2 for color in colors)


MINE = """
name = "mine"
title = "Mine"
dark = true
based_on = "night"
[styles]
ok = "bold #00ff00"
"""


def test_a_theme_of_ones_own_says_only_what_differs() -> None:
    mine = themes.parse(MINE, "mine.toml")
    assert mine.styles["ok"] == Style.parse("bold #00ff00")
    assert mine.styles["warn"] == themes.styles("night")["warn"]
    assert mine.theme.background == themes.theme("night").background


def test_a_theme_of_ones_own_has_the_name_of_its_file_and_the_ground_of_what_it_is_based_on() -> None:
    mine = themes.parse('based_on = "paper"\n[base]\nbackground = "#fff8f0"\n', "/home/ana/themes/mine.toml")
    assert (mine.name, mine.title, mine.theme.dark) == ("mine", "mine", False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("ok =", "okk ="), "mine.toml:7: `okk` is no role · did you mean ok?"),
        (('dark = true\nbased_on = "night"\n', ""), "`dark` is missing"),
        (("dark", "darc"), "did you mean dark?"),
        (('"bold #00ff00"', '"bold greeeen"'), "mine.toml:7: `ok`"),
        (('"night"', '"nihgt"'), "did you mean night?"),
        (("[styles]", "[variables]\nborder = 'x'\n[styles]"), "mine.toml:7: `border`: 'x' is no colour"),
        (("[styles]", "[base]\nprimari = '#fff'\n[styles]"), "did you mean primary?"),
        (('title = "Mine"', 'title = "Mine'), "mine.toml:3"),
    ],
)
def test_a_mistake_in_a_theme_is_told_with_its_line(change: tuple[str, str], words: str) -> None:
    with pytest.raises(themes.ThemeError) as told:
        themes.parse(MINE.replace(*change), "mine.toml")
    assert words in told.value.line()


@given(st.text(max_size=80))
def test_no_text_is_more_than_a_theme_error(text: str) -> None:
    with suppress(themes.ThemeError):
        themes.parse(text, "x.toml")


async def test_a_theme_file_is_put_on_again_when_it_changes_and_a_broken_one_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "themes"
    folder.mkdir()
    (folder / "mine.toml").write_text(MINE)
    app = MemdeckApp(three_plans().opening, config=tmp_path)
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        app.commander.run("theme mine")
        await pilot.pause()
        assert role_style(app.theme, "ok") == Style.parse("bold #00ff00")
        (folder / "mine.toml").write_text(MINE.replace("#00ff00", "#0000ff"))
        app.looks.poll()
        await pilot.pause()
        assert role_style(app.theme, "ok") == Style.parse("bold #0000ff")
        (folder / "mine.toml").write_text("[broken")
        app.looks.poll()
        await pilot.pause()
        assert role_style(app.theme, "ok") == Style.parse("bold #0000ff")
        assert any("mine.toml:1" in note.message for note in app._notifications)


async def test_every_theme_can_be_chosen_by_its_name() -> None:
    async with deck(three_plans()) as pilot:
        for name in themes.names():
            console_of(pilot).commander.run(f"theme {name}")
            await pilot.pause()
            assert pilot.app.theme == name


@pytest.mark.parametrize(("system", "theme"), [("standard", "terminal"), ("256", "night"), ("truecolor", "night")])
def test_a_terminal_of_sixteen_colours_gets_its_own(system: str, theme: str) -> None:
    app = MemdeckApp(three_plans().opening, env={"TERM": "linux"})
    app.console._color_system = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT}.get(
        system, ColorSystem.TRUECOLOR
    )
    assert app.default_theme(app.env) == theme


@pytest.mark.parametrize(
    ("env", "ascii_only"),
    [
        ({}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "POSIX", "LC_CTYPE": "de_DE.UTF-8"}, False),
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, True),
        ({"LC_ALL": "de_DE.UTF-8", "LANG": "C"}, False),
    ],
)
def test_who_asks_for_the_locale_c_gets_ascii(
    env: dict[str, str], ascii_only: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.__stderr__", TextIOWrapper(BytesIO(), encoding="utf-8"))
    assert shows_ascii_only(env) is ascii_only


def test_a_theme_of_ones_own_is_found_by_its_name(tmp_path: Path) -> None:
    """The list showed `mine` at the right of a row called `your own`, and said that nothing has that name."""
    (tmp_path / "mine.toml").write_text(MINE)
    looks = ThemeChoice(App[None](), tmp_path, lambda error: None)
    choices = tuple(Choice(looks.title(name), value=name) for name in looks.names())
    assert [choice.value for choice in found(choices, "mine")] == ["mine"]
