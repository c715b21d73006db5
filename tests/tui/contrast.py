"""How well colours are told apart (WCAG 2.1), and what is asked of each."""

from rich.color import Color

from tui.present.spans import Role

TEXT, TEXT_OF_HIGH_CONTRAST = 4.5, 7.0
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
"""These carry no text: ends of bars, what is not filled, marks; WCAG asks 3:1 of graphics that say something."""


def least_of_text(theme: str) -> float:
    """The contrast that every text of a theme has with its ground: AAA in the high-contrast theme, AA in others."""
    return TEXT_OF_HIGH_CONTRAST if theme == "contrast" else TEXT


def luminance(color: Color) -> float:
    def linear(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    assert color.triplet is not None
    red, green, blue = color.triplet
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


def contrast(first: Color, second: Color) -> float:
    """The ratio of lightness, from 1 to 21."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)
