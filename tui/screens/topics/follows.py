"""Following more session files than the workspace's own: naming one, seeing what is followed, letting go of one."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import MemdeckError
from engine.sessions.follows import Follows
from tui.dialogs.line_input import AskLine
from tui.dialogs.picker import Picker
from tui.present.choices import Choice
from tui.present.spans import Span
from tui.present.words import home, noun
from tui.system.given_path import absolute_path

if TYPE_CHECKING:
    from tui.screens.topics.page import TopicsPage

LONGEST_NAME = 48  # cells of a followed path
_ANOTHER = "another"


def follow_files(page: "TopicsPage") -> None:
    """Asks for a path, or first what to do where some are followed already."""
    known = page.heard.followed
    if not known.there and not known.missing:
        _ask(page)
        return
    choices = (
        Choice("another file or folder…", value=_ANOTHER),
        *(Choice(_name(path), value=str(path), section="stop following") for path in known.there),
        *(Choice(_name(path), value=str(path), section="not there, forget") for path in known.missing),
    )

    def chosen(value: str) -> None:
        if value == _ANOTHER:
            _ask(page)
        else:
            _let_go(page, Path(value))

    page.deck.ask(Picker("Followed session files", choices), chosen)


def say_missing(page: "TopicsPage") -> None:
    """Says at the start what was followed and is not there any more."""
    missing = page.heard.followed.missing
    if missing:
        names = ", ".join(_name(path) for path in missing[:3])
        more = f" and {noun(len(missing) - 3, 'other')}" if len(missing) > 3 else ""
        page.deck.say(f"not there, so not followed: {names}{more}; f forgets it", title="Topics", severity="warning")


def _ask(page: "TopicsPage") -> None:
    dialog = AskLine(
        (Span("Follow session files", "title"),), "a file or a folder, such as ~/.claude/projects", "follow"
    )
    page.deck.ask(dialog, lambda text: _follow(page, absolute_path(text)))


def _follow(page: "TopicsPage", path: Path) -> None:
    def followed(now: Follows) -> None:
        page.follow(now)
        page.deck.say(f"{_name(path)}: followed until you stop it (f)", title="Following")

    def refused(error: MemdeckError) -> None:
        page.deck.say(error.line(), title="Not followed", severity="error")

    page.deck.bridge.read(lambda engine: engine.sessions.follow(path), followed, refused)


def _let_go(page: "TopicsPage", path: Path) -> None:
    def gone(now: Follows) -> None:
        page.follow(now)
        page.deck.say(f"{_name(path)} is not followed any more", title="Topics")

    page.deck.bridge.read(lambda engine: engine.sessions.unfollow(path), gone)


def _name(path: Path) -> str:
    """A path as it is shown; of a long one its end."""
    name = home(str(path), os.environ.get("HOME", ""))
    return name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}"
