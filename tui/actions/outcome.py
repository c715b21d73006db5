"""Tells how an operation ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.plans.operation import OperationState
from tui.present import glyphs
from tui.present.words import noun

if TYPE_CHECKING:  # all of it comes when something is set going, none of it before the first paint
    from engine.plans.operation import Operation
    from tui.screen_host import ScreenHost


def say_done(app: ScreenHost, operation: Operation, verb: str) -> None:
    """A toast with the number of changes and the state; `verb` is what was asked for."""
    sign = glyphs.OPERATION_STATES[operation.state]
    words = f"{operation.id} · {noun(len(operation.done), 'change')} · {sign.word}"
    good = operation.state is OperationState.DONE
    app.say(
        f"{sign.glyph} {words} · z undoes it" if good and verb == "Applied" else f"{sign.glyph} {words}",
        title=verb if good else f"{verb}, with problems",
        severity="information" if good else "warning",
    )
