"""Nothing hidden stays hidden, and nothing visible changes (decision G13)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.safe_text import (
    Hidden,
    cell_width,
    clip,
    hidden_characters,
    visible,
    visible_line,
)
from tests.turn import part

ANY_TEXT = st.text(st.characters(codec=None), max_size=200)
STYLE = {0xFE0E, 0xFE0F}
TONES = range(0x1F3FB, 0x1F400)


def forbidden(char: str) -> bool:
    """What may never reach a screen, told from the Unicode data and not from the module's own list."""
    code = ord(char)
    category = unicodedata.category(char)
    if char == "\n" or code in STYLE:
        return False
    visible_format = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    return (
        category in ("Cc", "Cs", "Zl", "Zp")
        or (category == "Cf" and code not in visible_format)
        or 0xE0000 <= code <= 0xE0FFF
        or code in (0x115F, 0x1160, 0x3164, 0xFFA0, 0x034F)
    )


@given(ANY_TEXT)
def test_no_forbidden_character_survives_and_a_second_pass_changes_nothing(text: str) -> None:
    shown = visible(text)
    assert not [hex(ord(char)) for char in shown if forbidden(char)]
    assert visible(shown) == shown
    line = visible_line(text)
    assert "\n" not in line
    assert visible_line(line) == line


@pytest.mark.sampled(1)
def test_every_code_point_alone_is_shown_or_safe() -> None:
    for code in part(range(0x110000)):
        char = chr(code)
        shown = visible(char)
        assert not any(map(forbidden, shown)), hex(code)
        if not forbidden(char) and char.isprintable() and code not in STYLE and code not in TONES:
            assert shown == char or unicodedata.category(char) in ("Mn", "Lo"), hex(code)


@given(st.text(st.characters(categories=["L", "N", "P", "S"], max_codepoint=0x2FFF)))
def test_printable_text_is_left_alone(text: str) -> None:
    invisible_letters = {"\u115f", "\u1160"}
    if not invisible_letters & set(text) and not any(ord(char) in TONES for char in text):
        assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]52;c;ZXZpbA==\x07", "␛]52;c;ZXZpbA==␇"),
        ("\x9b2J", "⟨U+009B⟩2J"),
        ("a\x00b\x7f", "a␀b␡"),
        ("user\u202egpj.exe", "user⟨U+202E⟩gpj.exe"),
        ("a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩"),
        ("pass\u200bword", "pass⟨U+200B⟩word"),
        ("co\xadop", "co⟨U+00AD⟩op"),
        ("a\ufeffb", "a⟨U+FEFF⟩b"),
        ("one\u2028two\u2029", "one⟨U+2028⟩two⟨U+2029⟩"),
        ("x\U000e0041\U000e007f", "x⟨U+E0041⟩⟨U+E007F⟩"),
        ("x\U000e0100", "x⟨U+E0100⟩"),
        ("\ufff9a\ufffb", "⟨U+FFF9⟩a⟨U+FFFB⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("\udc80", "⟨x80⟩"),
        ("👨\u200d👩", "👨⟨U+200D⟩👩"),
        ("👍🏽 x🏽\ufe0f", "👍⟨U+1F3FD⟩ x⟨U+1F3FD⟩⟨U+FE0F⟩"),
        ("❤\ufe0f 1\ufe0f\u20e3", "❤\ufe0f 1\ufe0f\u20e3"),
        ("a\ufe0f\ufe0f", "a⟨U+FE0F⟩⟨U+FE0F⟩"),
        ("❤\ufe0f\ufe0f", "❤\ufe0f⟨U+FE0F⟩"),
        ("g\ufe01", "g⟨U+FE01⟩"),
        ("a\tb\r\n", "a⇥   b␍\n"),
        ("e\u0301 é 中文 한국어 😀 [@click=app.quit]x[/]", "e\u0301 é 中文 한국어 😀 [@click=app.quit]x[/]"),
    ],
)
def test_known_attacks_become_tokens(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible_line(text) == shown.replace("\n", "␊")


def _shown(data: bytes) -> str:
    return visible(data.decode("utf-8", "surrogateescape"))


def test_bytes_that_are_not_utf8_are_shown_one_by_one() -> None:
    assert _shown(b"ok \xff\xfe \xed\xa0\x80 \xc3\xa9\x1b") == "ok ⟨xFF⟩⟨xFE⟩ ⟨xED⟩⟨xA0⟩⟨x80⟩ é␛"


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_can_be_shown(data: bytes) -> None:
    assert not any(map(forbidden, _shown(data)))


def test_hidden_characters_are_named_counted_and_placed() -> None:
    text = "\ufeffok\tplain\r\nsee \u202ethis\u202e\nand \x1b[2J\ud800 a\ufe0f"
    assert hidden_characters(text) == (
        Hidden("⟨U+202E⟩", "RIGHT-TO-LEFT OVERRIDE", 2, 2),
        Hidden("␛", "CONTROL CHARACTER", 1, 3),
        Hidden("⟨U+D800⟩", "LONE SURROGATE", 1, 3),
        Hidden("⟨U+FE0F⟩", "VARIATION SELECTOR-16", 1, 3),
    )
    assert hidden_characters("plain\ttext\r\n ❤\ufe0f") == ()


@given(ANY_TEXT)
def test_hidden_characters_are_those_that_visible_replaces(text: str) -> None:
    """A skin tone is uncovered as well, for its width, but hides nothing from a reader."""
    shown = text.removeprefix("\ufeff").translate(dict.fromkeys(TONES))
    quiet = visible(shown) == shown.replace("\t", "⇥   ").replace("\r", "␍")
    assert quiet == (not hidden_characters(text))


def test_widths_count_cells() -> None:
    assert [cell_width(text) for text in ("", "abc", "中文", "e\u0301", "😀", "⟨U+202E⟩")] == [0, 3, 4, 1, 2, 8]


@given(st.text(max_size=60), st.integers(min_value=-2, max_value=40))
def test_clipped_text_fits_and_is_a_prefix(text: str, width: int) -> None:
    line = visible_line(text)
    cut = clip(line, width)
    assert cell_width(cut) <= max(width, 0)
    assert cut == line or cut == "" or line.startswith(cut[:-1])
    assert clip(line, cell_width(line)) == line
