"""What must be so on every picture, each as a function that names what is not."""

import re
import tempfile
from collections.abc import Iterator
from functools import cache

from rich.cells import cell_len, get_character_cell_size
from rich.color import Color
from rich.style import Style
from textual._border import BORDER_CHARS
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets._toast import Toast

from tests.gallery.doors import DOORS
from tests.gallery.scene import Scene
from tests.gallery.stage import Played, strips
from tests.tui.contrast import GRAPHIC, contrast, least_of_text
from tests.tui.hostile import FORBIDDEN
from tui.present.spans import Role
from tui.toolkit.painter import BaseScreen
from tui.widgets import themes
from tui.widgets.text_pane import TextPane

_WORDS = re.compile(r"\w")


def wrong(app: Played, scene: Scene) -> list[str]:
    """Everything that is wrong with what is on screen now, in words."""
    lines = strips(app)
    return [
        *elsewhere(app, scene),
        *odd_lines(lines, app.size.width, app.size.height),
        *steering(lines),
        *faint(app, lines),
        *broken_borders(app, lines),
        *empty_boxes(app, lines),
        *unindented(app, lines),
        *no_footer(app, lines),
        *foreign(lines),
    ]


def elsewhere(app: Played, scene: Scene) -> Iterator[str]:
    """The scene did not arrive at what it shows."""
    if not scene.is_front(app):
        yield f"{type(app.screen).__name__} over {type(app.page).__name__} is in front, not {scene.on.__name__}"
    door = DOORS.get(scene.name)
    if door is not None and door not in app.doors:
        yield f"it was opened by {app.doors}, not by {door}"


def odd_lines(lines: list[Strip], width: int, height: int) -> Iterator[str]:
    """Lines that are not exactly as wide as the terminal, or too many or few of them."""
    if len(lines) != height:
        yield f"{len(lines)} lines in a terminal of {height}"
    for y, line in enumerate(lines):
        if (apart := sum(map(get_character_cell_size, line.text))) != cell_len(line.text):
            yield f"line {y} takes {apart} cells in a terminal that joins no clusters: {line.text!r}"
        if cell_len(line.text) != width:
            yield f"line {y} takes {cell_len(line.text)} of {width} cells: {line.text!r}"


def steering(lines: list[Strip]) -> Iterator[str]:
    """Characters that steer a terminal, hide text or turn it round, and live links."""
    for y, line in enumerate(lines):
        for segment in line:
            if FORBIDDEN.search(segment.text):
                yield f"line {y} holds a control character: {segment.text!r}"
            if segment.style is not None and (segment.style.link or "@click" in segment.style.meta):
                yield f"line {y} can be clicked: {segment.text!r}"


def foreign(lines: list[Strip]) -> Iterator[str]:
    """Folders of the machine that draws."""
    for y, line in enumerate(lines):
        if tempfile.gettempdir() + "/" in line.text:
            yield f"line {y} names a folder of this machine: {line.text!r}"


# Colours


def faint(app: Played, lines: list[Strip]) -> Iterator[str]:
    """Words of less contrast than can be read, and signs that cannot be made out, outside of what a dialog dims."""
    hints = app.screen_stack[0].query_one("#hints").region
    for region in _undimmed(app):
        for y in region.line_range:
            for segment in lines[y].crop(region.x, region.right):
                pair = _colors(segment.style)
                if pair is None or not segment.text.strip():
                    continue
                least = _least(app.looks.chosen, pair[0], segment.text, hinting=y in hints.line_range)
                if contrast(*pair) < least:
                    seen = f"{contrast(*pair):.2f} < {least}, {pair[0].name} on {pair[1].name}"
                    yield f"line {y}: {segment.text.strip()!r} has a contrast of {seen}"


def _least(theme: str, color: Color, text: str, *, hinting: bool) -> float:
    """What is asked of a colour: of words more than of what is drawn.

    Among the hints, keys that do nothing now are as faint as a rule: WCAG asks nothing of what is switched off.
    """
    drawn = [role for role, found in _graphic_colors(theme).items() if found == color]
    if _WORDS.search(text):
        return GRAPHIC["rule"] if hinting and "rule" in drawn else least_of_text(theme)
    return min((GRAPHIC[role] for role in drawn), default=1.0)


@cache
def _graphic_colors(theme: str) -> dict[Role, Color | None]:
    return {role: themes.styles(theme)[role].color for role in GRAPHIC}


def _colors(style: Style | None) -> tuple[Color, Color] | None:
    """What is written and on what; None where the terminal's own colours are used."""
    if style is None or style.color is None or style.bgcolor is None or style.conceal:
        return None
    if style.color.triplet is None or style.bgcolor.triplet is None:
        return None
    return (style.bgcolor, style.color) if style.reverse else (style.color, style.bgcolor)


def _undimmed(app: Played) -> list[Region]:
    """What is to be read: a page; a dialog that dims its page; a dialog and its page, but for the hints of the page."""
    if type(app.screen) is BaseScreen:
        return [app.size.region]
    own = [_region(app, child) for child in app.screen.children if child.display and not _is_system(child)]
    alpha, (width, height) = app.screen.styles.background.a, app.size
    return [*own, Region(0, 0, width, height - 1)] if alpha in (0, 1) else own


# Borders and edges


def broken_borders(app: Played, lines: list[Strip]) -> Iterator[str]:
    """Boxes and panes that reach out of the screen, or whose border is not whole."""
    covered = [_region(app, toast) for toast in app.screen.query(Toast)]
    for widget in _bordered(app.screen):
        region = _region(app, widget)
        if not app.size.region.contains_region(region):
            yield f"{widget!r} reaches out of the screen: {region} in {app.size}"
        elif not any(region.overlaps(other) for other in covered):
            yield from _gaps(widget, region, lines)


def _bordered(screen: Screen[object]) -> Iterator[Widget]:
    """Widgets on screen with a border on all sides."""
    for widget in screen.walk_children(Widget):
        if widget.is_on_screen and widget.region and all(kind for kind, _ in widget.styles.border):
            yield widget


def _gaps(widget: Widget, region: Region, lines: list[Strip]) -> Iterator[str]:
    kind = widget.styles.border_top[0]
    (top_left, _, top_right), (left, _, right), (low_left, _, low_right) = BORDER_CHARS[kind]
    first, last = region.y, region.bottom - 1
    wanted = {(region.x, first): top_left, (region.right - 1, first): top_right}
    wanted |= {(region.x, last): low_left, (region.right - 1, last): low_right}
    for y in range(first + 1, last):
        wanted |= {(region.x, y): left, (region.right - 1, y): right}
    for (x, y), char in wanted.items():
        found = lines[y].crop(x, x + 1).text
        if found != char:
            yield f"the border of {widget!r} has {found!r} for {char!r} at column {x}, line {y}"
            return


def empty_boxes(app: Played, lines: list[Strip]) -> Iterator[str]:
    """Boxes and panes in which no word stands: one that has nothing to show says so."""
    for widget in _bordered(app.screen):
        inner = _region(app, widget).shrink((1, 1, 1, 1)).intersection(app.size.region)
        if inner.area and not any(lines[y].crop(inner.x, inner.right).text.strip() for y in inner.line_range):
            yield f"{widget!r} is an empty box"


def unindented(app: Played, lines: list[Strip]) -> Iterator[str]:
    """Texts that begin right at the border of their pane."""
    for pane in filter(lambda widget: isinstance(widget, TextPane), _bordered(app.screen)):
        region = _region(app, pane)
        for y in region.shrink((1, 1, 1, 1)).intersection(app.size.region).line_range:
            if _WORDS.match(lines[y].crop(region.x + 1, region.x + 2).text):
                yield f"line {y} of {pane!r} begins at its border: {lines[y].text!r}"
                return


def no_footer(app: Played, lines: list[Strip]) -> Iterator[str]:
    """The last line of a page is the hints, and nothing lies over them but what asks for a line itself."""
    hints = app.screen_stack[0].query_one("#hints")
    if type(app.screen) is not BaseScreen or not hints.display:
        return
    if hints.region != Region(0, app.size.height - 1, app.size.width, 1) or not lines[-1].text.strip():
        yield f"the last line is not the hints: {lines[-1].text!r}"


def _region(app: Played, widget: Widget) -> Region:
    return app.screen.find_widget(widget).region


def _is_system(widget: Widget) -> bool:
    """What the toolkit puts on every screen: toasts and tooltips."""
    return widget.has_class("-textual-system")
