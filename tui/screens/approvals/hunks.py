"""Refuses the hunks of a change, which makes the rest a new plan, and comments on its lines. Approves nothing."""

from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.screen import Screen

from engine.errors import MemdeckError
from engine.monitoring.comments import DiffComment
from engine.plans.diff import FileDiff
from engine.plans.plan import Change, Plan
from engine.plans.plan_hunks import ChangeHunks
from engine.services.engine import Engine
from tui.dialogs.line_input import AskLine
from tui.present.approvals import hunks as view
from tui.present.spans import Line, ListRow, ListRows, Span, error_lines, key_line
from tui.present.words import noun, safe
from tui.screen_host import ScreenHost
from tui.screens.approvals.refusals import ask_refusal
from tui.screens.hosted import OneList
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine

_KEYS = key_line(
    ("space", "refuse"), ("enter", "plan the rest…"), ("m", "mark lines"), ("c", "comment"), ("C", "copy"),
    ("esc", "close"),
)  # fmt: skip

Comments = tuple[DiffComment, ...]
_QUOTED = 4  # lines shown above the field of a comment


class HunkScreen(OneList, Screen[str | None], scope="hunks"):
    """Walks through the hunks of a change; returns the id of the new plan, empty if there is none."""

    def __init__(
        self, plan: Plan, change: Change, diff: FileDiff, *, fixed: str = "", commented: Callable[[], None]
    ) -> None:
        """Takes `fixed`, why no hunk can be refused any more, and `commented`, called after comments change."""
        super().__init__()
        self._commented = commented
        self._comments: tuple[DiffComment, ...] = ()
        self._held: int | None = None  # the row from which lines are marked
        self._plan, self._change, self._diff, self._fixed = plan, change, diff, fixed
        self._there: ChangeHunks | None = None
        self._lines: tuple[view.HunkLine, ...] = ()
        self._marks: frozenset[int] = frozenset()
        self._warned = False

    def compose(self) -> ComposeResult:
        yield OneLine(ident="plan")
        yield OneLine(ident="whole")
        yield LineList(ident="hunks", empty="reading…")
        yield OneLine(ident="keys")

    def on_mount(self) -> None:
        named: Line = (Span(f"{safe(self._plan.id)}  ", "muted"), Span(safe(self._change.path), "strong"))
        self.query_one("#plan", OneLine).show(ListRow(named))
        self.query_one("#keys", OneLine).show(ListRow(_KEYS))
        self.query_one("#whole", OneLine).display = False
        self._list.focus()
        self._commenting = CommentActions(self.deck, self._plan, self._change.n, self._took_comments)
        self._commenting.read()
        plan, number = self._plan, self._change.n
        self.deck.bridge.read(lambda engine: engine.hunks.of_change(plan, number), self._took, self._could_not)

    def _took(self, there: ChangeHunks) -> None:
        self._there, self._lines = there, view.hunk_lines(there, self._diff, self._comments)
        self.query_one("#whole", OneLine).display = bool(self._note)
        self.query_one("#whole", OneLine).show(ListRow((Span(f"▲ {safe(self._note)}", "warn"),)))
        self._list.show_empty("this change has no lines")
        self._show_rows()

    @property
    def _note(self) -> str:
        """The warning to read before refusing a hunk; empty if there is none."""
        together = self._there.whole if self._there is not None else ""
        return self._fixed or (f"its hunks go together: {together}" if together else "")

    def _show_rows(self, at: int | None = None) -> None:
        if self._there is None:
            return
        self._list.name_it(view.hunks_title(self._there, self._marks), ())
        self._list.show(view.HunkRows(self._there, self._lines, self._marks, self._range), at)

    # The operator's word on each

    def action_refuse(self) -> None:
        """Marks the hunk under the cursor as refused, or removes the mark, and goes to the next."""
        if self._there is None or not self._lines:
            return
        if self._fixed:
            self.deck.say(self._fixed, severity="warning")
            return
        number = self._lines[self._list.cursor].hunk
        self._marks, self._warned = self._marks ^ {number}, False
        self._show_rows(self._heading(number + 1) if number < self._there.hunks[-1].number else None)

    def _heading(self, number: int) -> int:
        headings = (
            at for at, line in enumerate(self._lines) if line.kind is None is line.comment and line.hunk == number
        )
        return next(headings, self._list.cursor)

    def action_next(self, by: int) -> None:
        if self._lines:
            self._list.go(self._heading(self._lines[self._list.cursor].hunk + by))

    # Comments on lines

    @property
    def _range(self) -> range:
        if self._held is None:
            return range(0)
        return range(min(self._held, self._list.cursor), max(self._held, self._list.cursor) + 1)

    def _took_comments(self, comments: tuple[DiffComment, ...]) -> None:
        if self._there is not None and comments != self._comments:
            self._commented()
        self._comments, self._held = comments, None
        if self._there is not None:
            self._lines = view.hunk_lines(self._there, self._diff, comments)
            self._show_rows()

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        if self._held is not None:
            self._show_rows()

    def action_hold(self) -> None:
        """Begins a range of lines that follows the cursor, or ends it."""
        self._held = self._list.cursor if self._held is None and self._lines else None
        self._show_rows()

    def action_comment(self) -> None:
        """Asks for a comment on the marked range, or on the line under the cursor."""
        rows = self._range or range(self._list.cursor, self._list.cursor + 1)
        self._commenting.ask([self._lines[at] for at in rows if at < len(self._lines) and self._lines[at].kind])

    def action_drop_comment(self) -> None:
        comment = self._lines[self._list.cursor].comment if self._lines else None
        if comment is None:
            self.deck.say("put the cursor on a comment")
        else:
            self._commenting.drop(comment.number)

    def action_copy_comments(self) -> None:
        self._commenting.copy()

    # The rest as a plan of its own

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        """Asks about the marked hunks; where none is marked, about the one under the cursor."""
        plan, there = self._plan, self._there
        if there is not None and self._lines and self._fixed:
            self.deck.say(self._fixed, severity="warning")
        elif there is not None and self._lines:
            wanted = self._marks or {self._lines[self._list.cursor].hunk}
            names = [hunk.name for hunk in there.hunks if hunk.number in wanted]
            ask_refusal(self.deck, plan, lambda engine: engine.hunks.refusal(plan, names), self.dismiss)

    def _could_not(self, error: MemdeckError) -> None:
        self._list.show(ListRows())
        self._list.show_empty("", error_lines(error))

    def action_close(self) -> None:
        """Leaves the screen; if marks would be lost, the first time only warns."""
        if (lost := self.unfinished()) and not self._warned:
            self._warned = True
            self.deck.say(lost, severity="warning")
        else:
            self.dismiss(None)

    def unfinished(self) -> str:
        number = len(self._marks)
        return (
            f"{noun(number, 'marked hunk')} not in a plan yet: enter makes one, esc again drops them" if number else ""
        )


class CommentActions:
    """Starts one action per method; `changed` gets the plan's comments in the screen's thread."""

    def __init__(self, app: ScreenHost, plan: Plan, change: int, changed: Callable[[Comments], None]) -> None:
        self._app, self._plan, self._change, self._changed = app, plan, change, changed

    def read(self) -> None:
        plan = self._plan.id
        self._app.bridge.read(lambda engine: engine.comments.of_plan(plan), self._changed)

    def ask(self, lines: Sequence[view.HunkLine]) -> None:
        """Asks for a comment on these lines: those of the new file, or else the removed ones."""
        new = [line.new for line in lines if line.new is not None]
        numbers = new or [line.old for line in lines if line.old is not None and line.kind is not None]
        if not numbers:
            self._app.say("put the cursor on a line")
        elif self._app.may_write():
            told = [line for line in lines if not new or line.new is not None]
            self._ask(f"{self._change}:{min(numbers)}-{max(numbers)}", told, old=not new)

    def _ask(self, place: str, lines: Sequence[view.HunkLine], *, old: bool) -> None:
        plan = self._plan.id

        def kept(engine: Engine, text: str) -> Comments:
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

        def dropped(engine: Engine) -> Comments:
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
