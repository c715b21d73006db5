"""Shows a letter at each pane and screen name; pressing it goes there."""

from collections.abc import Sequence
from typing import NamedTuple

from textual import events
from textual.app import ComposeResult

from tui.present.spans import ListRow, Span
from tui.registry.screens import PLACES
from tui.shell.host import ShellHost
from tui.toolkit.painter import Dialog
from tui.widgets.line_block import LineBlock
from tui.widgets.one_line import OneLine

LETTERS = "asdfghjklqwertyuiopzxcvbnm"


class JumpTarget(NamedTuple):
    """The cell of a letter on the screen, and where it leads: a pane of the page, or a screen."""

    x: int
    y: int
    pane: str = ""
    place: str = ""


class Jump(Dialog[JumpTarget | None], scope="jump"):
    """Returns the target whose letter was pressed, or None on any other key."""

    AUTO_FOCUS = ""

    def __init__(self, targets: Sequence[JumpTarget]) -> None:
        super().__init__()
        self._targets = dict(zip(LETTERS, targets, strict=False))

    def compose(self) -> ComposeResult:
        for letter, target in self._targets.items():
            label = LineBlock((Span(f" {letter} ", "hidden"),), ident=f"to-{letter}")
            label.styles.offset = (target.x, target.y)
            yield label
        how = OneLine(ident="how")
        how.show(ListRow((Span("press a letter to go there   "), Span("esc", "key"), Span(" stays here", "muted"))))
        yield how

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        self.dismiss(self._targets.get(event.key))

    def on_click(self) -> None:
        self.dismiss(None)


def targets(app: ShellHost, header: OneLine) -> list[JumpTarget]:
    """Returns the visible panes, then the names of the screens in the header."""
    from tui.present.header_hints import place_at

    places = []
    for name in app.page.reachable:
        region = app.page.pane(name).region
        if region.width > 2 and region.height > 0:
            places.append(JumpTarget(region.x, region.y, pane=name))
    for place in PLACES:
        at = next((x for x in range(header.size.width) if place_at(header.row, x) == place.id), None)
        if at is not None and place.id != app.stage.here:
            places.append(JumpTarget(header.region.x + at, header.region.y, place=place.id))
    return places


def jump(app: ShellHost, header: OneLine) -> None:
    """Shows the letters, then goes to the chosen target."""

    def went(target: JumpTarget) -> None:
        if target.place:
            app.call_later(app.action_go, target.place)
        else:
            app.page.turn_to(target.pane)

    app.ask(Jump(targets(app, header)), went)
