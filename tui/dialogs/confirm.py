"""The confirm dialog: the one place of the console where a person's keys become an `Approval` (decision G11).

No `action_*` method approves: the yes is read from key events alone, after the question was on screen for a quiet 400
ms, and is bound to the digest that the dialog shows.

The dialog stands below the diff, which gives way: what is approved is never under it. Until every change that must be
looked at was on screen, no yes counts (decision G22)."""

import secrets
from datetime import UTC, datetime
from time import monotonic

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.geometry import Region
from textual.message import Message
from textual.widgets import Input

from engine.errors import Refused
from engine.plans.grant import grant, witness
from engine.plans.operation import Approval, ConfirmationAnswer
from tui.dialogs.diff_behind import Behind
from tui.present.approvals.approval_question import ApprovalText, Bound
from tui.present.spans import Line, Span, hint, plain
from tui.present.words import noun, safe
from tui.toolkit.painter import Over
from tui.widgets.key_guard import QUIET_SECONDS, KeyGuard
from tui.widgets.line_block import LineBlock
from tui.widgets.painted import Frame
from tui.widgets.word_field import WordField

_SAFE_KEYS = frozenset({"up", "down", "left", "right", "pageup", "pagedown"})
_CORNERS = 6  # cells of the dialog's border that no title takes
_DIFF_ROWS = 11  # lines that the diff above keeps, its border counted
_NAMED = 5  # changes not yet on the screen that the dialog names
_ROOM_BELOW, _LEAST_BELOW = 9, 6
"""Lines of the dialog besides its body, with and without blank lines: borders, question, field, keys."""
_LOW = 30  # lines of the diff's column below which the dialog has no blanks


class _Box(Frame):
    """The frame of the dialog, as tall as its text."""

    class Sized(Message):
        """Says that the height changed."""

    def on_resize(self) -> None:
        self.post_message(self.Sized())


Approvals = tuple[Approval, ...]


class ConfirmDialog(Over[Approvals | None], scope="approval"):
    """Asks each confirmation, then for the yes; returns an `Approval` for each target, or None."""

    AUTO_FOCUS = ""

    def __init__(self, ask: ApprovalText, behind: Behind) -> None:
        super().__init__()
        self._ask, self._behind = ask, behind
        self._answers: dict[tuple[str, str], ConfirmationAnswer] = {}  # by the id of a confirmation and its question
        self._asked = 0
        self._reasoning = False
        self._on_screen = False
        """True once all parts of the dialog exist; earlier keys are ignored."""
        self._void = ""
        self._note = self._left = ""
        """The reason why the last yes did not count; also in `_left` if changes were unseen."""
        self._quiet = KeyGuard()
        self._rows = 0  # lines that the dialog takes

    @property
    def targets(self) -> tuple[str, ...]:
        """The digests that a yes would be bound to."""
        return tuple(bound.target for bound in self._ask.bound)

    def compose(self) -> ComposeResult:
        with _Box(id="box"):
            yield LineBlock(*self._ask.body, ident="body")
            yield LineBlock(ident="question")
            yield Input(compact=True, id="reason", max_length=400, select_on_focus=False)
            yield WordField(label=f"Type {self._ask.word}", ident="word")
            yield LineBlock(ident="foot")

    def on_mount(self) -> None:
        self._name_it()
        self._on_screen = True
        self._take_place()
        if self._void:
            self._show_foot()
        else:
            self._next_question()

    def _name_it(self) -> None:
        """Sets the title; its last words, the meaning of the tier, only if they fit."""
        box, title = self.query_one_optional(_Box), self._ask.title
        if box is None:  # the dialog was left before it was drawn
            return
        fits = len(title) < 2 or cell_len(plain(title)) <= box.outer_size.width - _CORNERS
        box.name_it(title if fits else title[:-1])

    def _take_place(self) -> None:
        """Moves below the diff, as wide as its column; question, field and keys stay visible at any height."""
        if not self.query("#box"):  # the dialog was left before it was drawn
            return
        column, box = self._behind.give_way(self._rows), self.query_one("#box")
        screen = self.app.size
        column = column if column.width else Region(0, 0, screen.width, screen.height - 1)
        box.styles.width = column.width
        box.styles.margin = (0, 0, max(0, screen.height - column.bottom), column.x)
        low = column.height < _LOW
        self.set_class(low, "low")
        below = _LEAST_BELOW if low else _ROOM_BELOW
        self.query_one("#body").styles.max_height = max(2, column.height - _DIFF_ROWS - below)
        self.call_after_refresh(self._name_it)

    @on(_Box.Sized)
    def _sized(self) -> None:
        rows = next((box.outer_size.height for box in self.query("#box")), self._rows)
        if rows != self._rows:
            self._rows = rows
            self._take_place()

    def on_resize(self, event: events.Resize) -> None:
        if self._on_screen:
            self.call_after_refresh(self._take_place)

    def on_unmount(self) -> None:
        super().on_unmount()
        self._behind.give_way(0)

    def void(self, reason: str) -> None:
        """Ends the question because the plan changed; the operator can only leave."""
        self._void = reason
        if not self._on_screen:
            return
        for widget in self.query("Input, WordField"):
            widget.set_class(False, "shown")
        self.set_focus(None)
        self._show_foot()

    def _next_question(self) -> None:
        """Shows the next confirmation, or the yes after the last; keys count after a quiet moment."""
        self._note = ""
        confirming = self._asked < len(self._ask.confirmations)
        question: tuple[Line, ...] = ()
        if confirming:
            question = ((), (Span("? ", "warn"), Span(safe(self._ask.confirmations[self._asked].question), "warn")))
        self.query_one("#question", LineBlock).show(*question)
        field = self.query_one(WordField)
        typed = bool(self._ask.word) and not confirming
        field.set_class(typed, "shown")
        self.set_focus(field if typed else None)
        self._be_quiet()
        self._show_foot()

    def _be_quiet(self) -> None:
        """Ignores keys from the next paint on until a quiet moment has passed."""
        self._quiet = quiet = KeyGuard()
        self.query_one(WordField).rebind(quiet.admits)
        self.call_after_refresh(lambda: quiet.begin(monotonic()))
        self.set_timer(QUIET_SECONDS + 0.05, self._ready)

    def _ready(self) -> None:
        """Shows that keys count now, or waits longer if some came too early."""
        if not self._quiet.over(monotonic()):
            self.set_timer(0.1, self._ready)
            return
        self.query_one(WordField).wake()
        self._show_foot()

    def _show_foot(self) -> None:
        self.query_one("#foot", LineBlock).show(*self._foot())

    def _foot(self) -> tuple[Line, ...]:
        if self._void:
            void: Line = (Span("■ void  ", "blocked"), Span(safe(self._void), "blocked"))
            return (void, (Span("esc", "key"), Span(" close · nothing was written", "muted")))
        leave: Line = (Span("esc", "key"), Span(" cancel", "strong"))
        seen = self._seen()
        note: tuple[Line, ...] = ((Span("! ", "warn"), Span(self._note, "warn")),) if self._note else ()
        if self._reasoning:
            return (*seen, *note, (Span("enter", "key"), Span(" records the reason    ", "muted"), *leave))
        if not self._quiet.over(monotonic()):
            return (*seen, *note, (Span("one moment…    ", "muted"), *leave))
        beside = hint("    `ctrl+d` side by side") if self._ask.similar else ()
        return (*seen, *note, (*self._way_on(), *leave, *beside))

    def _seen(self) -> tuple[Line, ...]:
        """Counts the changes that were on screen, and names the key that shows the rest."""
        shown = self._behind.shown()
        if not shown.total:
            return ()
        page: Line = (Span("   ", "muted"), Span(self._page_key, "key"), Span(" shows the next", "muted"))
        if shown.missing:
            must = f", {len(shown.missing):,} must be" if len(shown.missing) < shown.total - shown.seen else ""
            words = f"○ {shown.seen:,} of {noun(shown.total, 'change')} seen{must}"
            return ((Span(words, "warn"), *page),)
        done = shown.seen == shown.total
        words = f"{'✓' if done else '○'} {shown.seen:,} of {noun(shown.total, 'change')} seen"
        return ((Span(words, "ok" if done else "info"), *(() if done else page)),)

    @property
    def _page_key(self) -> str:
        return "pagedown" if self.focused is not None else "space"

    def _way_on(self) -> Line:
        if self._asked < len(self._ask.confirmations):
            return (Span("y", "key"), Span(" yes, and say why    ", "muted"))
        if self._behind.shown().missing:
            return ()
        if self._ask.word:
            does = self._ask.yes if self._ask.several else self._ask.word
            return (Span("enter", "key"), Span(" ", "muted"), Span(f"[ {does} ]", "accent"), Span("    "))
        return (Span("y", "key"), Span(f" {self._ask.yes}    ", "muted"))

    def on_key(self, event: events.Key) -> None:
        """Reads the yes; `enter` cancels, and no other key acts here or on the page below."""
        if self.focused is None and (event.key == "enter" or event.is_printable):
            event.stop()
        paged = event.key == "space" and self.focused is None
        if (event.key in _SAFE_KEYS or paged) and not self._reasoning:
            event.stop()
            self._behind.scroll_behind("pagedown" if paged else event.key)
            self.call_after_refresh(self.looked)
            return
        if not self._on_screen or self._void or self._reasoning or self.focused is not None:
            return
        counts = self._quiet.admits(event.time)
        # The key that is pressed without looking cancels.
        if event.key == "enter" and counts:
            self.dismiss(None)
        elif event.character == "y" and counts and self._asked < len(self._ask.confirmations):
            self._ask_reason()
        elif event.character == "y" and counts and not self._ask.word:
            self._grant("y")
        self._show_foot()

    def looked(self) -> None:
        """Updates the dialog after more changes were on screen."""
        if self._on_screen:
            if self._left and self._note == self._left:
                self._note = self._left = self._unseen()
            self._show_foot()

    def _unseen(self) -> str:
        """Names the changes that must be viewed first; empty if all were."""
        shown = self._behind.shown()
        # The page may have gone on to another plan while the dialog was open.
        if shown.targets is not None and shown.targets != frozenset(self.targets):
            return "what this asks about is not on screen any more: esc, and ask again"
        listed = ", ".join(shown.missing[:_NAMED]) + ("…" if len(shown.missing) > _NAMED else "")
        many = noun(len(shown.missing), "change")
        return f"not on screen yet: {many} ({listed}) · {self._page_key}" if shown.missing else ""

    def _ask_reason(self) -> None:
        self._reasoning = True
        reason = self.query_one("#reason", Input)
        reason.value = ""
        reason.placeholder = "why, in a few words; it is recorded"
        reason.set_class(True, "shown")
        reason.focus()
        self._show_foot()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        reason = event.value.strip()
        if not reason or self._void:
            self._note = "a reason is recorded with the answer: write one, or esc"
            self._show_foot()
            return
        asked = self._ask.confirmations[self._asked]
        self._answers[asked.id, asked.question] = ConfirmationAnswer(asked.id, reason)
        self._asked += 1
        self._reasoning = False
        self.query_one("#reason", Input).set_class(False, "shown")
        self._next_question()

    def on_word_field_typed(self, event: WordField.Typed) -> None:
        event.stop()
        if self._void:
            return
        if event.text == self._ask.word:
            # How many there are, typed by hand, is the yes to each of them: none of several is of tier C.
            self._grant("y" if self._ask.several else event.text)
            return
        exactly = f"exactly {self._ask.word}{'' if self._ask.several else ', in capitals'}"
        self._note = exactly if event.text else f"type {self._ask.word} first"
        self._show_foot()

    def on_word_field_changed(self, event: WordField.Changed) -> None:
        event.stop()
        if self._note:
            self._note = ""
            self._show_foot()

    def on_word_field_pasted(self, event: WordField.Pasted) -> None:
        event.stop()
        self._be_quiet()
        self._note = "that was pasted, not typed: type the word by hand"
        self._show_foot()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()

    def _grant(self, typed: str) -> None:
        """Makes the approvals of exactly what is on screen, and returns them to the opener."""
        self._note = self._left = self._unseen()
        if self._note:
            self._show_foot()
            return
        try:
            approvals = tuple(self._granted(bound, typed) for bound in self._ask.bound)
        except Refused as error:
            self._note = safe(error.line())
            self._show_foot()
            return
        self.dismiss(approvals)

    def _granted(self, bound: Bound, typed: str) -> Approval:
        return grant(
            target=bound.target,
            numbers=bound.numbers,
            risk_tier=bound.risk_tier,
            typed=typed,
            answers=tuple(self._answers[asked.id, asked.question] for asked in bound.confirmations),
            witness=witness("console"),
            now=datetime.now(UTC),
            nonce=secrets.token_hex(16),
            shown=self._behind.shown().how(bound.target),
        )

    def action_similar(self) -> None:
        if self._ask.similar and not self._reasoning:
            self._behind.show_similar()
