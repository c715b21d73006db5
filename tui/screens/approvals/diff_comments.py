"""Lets the operator write and drop comments on a change, and copy all of them as a prompt."""

from collections.abc import Callable, Sequence

from engine.monitoring.comments import DiffComment
from engine.plans.plan import Plan
from engine.services.engine import Engine
from tui.dialogs.line_input import AskLine
from tui.present.approvals.hunks import HunkLine
from tui.present.spans import Line, Span
from tui.present.words import noun, safe
from tui.screen_host import ScreenHost

Comments = tuple[DiffComment, ...]
_QUOTED = 4  # lines shown above the field of a comment


class CommentActions:
    """Starts one action per method; `changed` gets the plan's comments in the screen's thread."""

    def __init__(self, app: ScreenHost, plan: Plan, change: int, changed: Callable[[Comments], None]) -> None:
        self._app, self._plan, self._change, self._changed = app, plan, change, changed

    def read(self) -> None:
        plan = self._plan.id
        self._app.bridge.read(lambda engine: engine.comments.of_plan(plan), self._changed)

    def ask(self, lines: Sequence[HunkLine]) -> None:
        """Asks for a comment on these lines: those of the new file, or else the removed ones."""
        new = [line.new for line in lines if line.new is not None]
        numbers = new or [line.old for line in lines if line.old is not None and line.kind is not None]
        if not numbers:
            self._app.say("put the cursor on a line")
        elif self._app.may_write():
            told = [line for line in lines if not new or line.new is not None]
            self._ask(f"{self._change}:{min(numbers)}-{max(numbers)}", told, old=not new)

    def _ask(self, place: str, lines: Sequence[HunkLine], *, old: bool) -> None:
        plan = self._plan.id

        def kept(engine: Engine, text: str) -> "Comments":
            engine.comments.add(plan, place, text, old=old)
            return engine.comments.of_plan(plan)

        def answered(text: str) -> None:
            self._app.bridge.look(lambda engine: kept(engine, text), self._changed)

        body: list[Line] = [(Span(safe(line.text), "muted"),) for line in lines[:_QUOTED]]
        if len(lines) > _QUOTED:
            body.append((Span(f"and {noun(len(lines) - _QUOTED, 'line')} more", "muted"),))
        dialog = AskLine("Comment", "what should the agent know of this?", "keeps the comment", body=tuple(body))
        self._app.ask(dialog, answered)

    def drop(self, number: int) -> None:
        """Removes a comment."""
        plan = self._plan.id

        def dropped(engine: Engine) -> "Comments":
            engine.comments.drop(plan, number)
            return engine.comments.of_plan(plan)

        if self._app.may_write():
            self._app.bridge.look(dropped, self._changed)

    def copy(self) -> None:
        """Copies all comments on the plan as one prompt for the agent."""
        plan = self._plan.id

        def took(text: str) -> None:
            if text:
                self._app.copy_out(text)
            else:
                self._app.say("no comment yet: c on a line writes one")

        self._app.bridge.read(lambda engine: engine.comments.prompt(plan), took)
