"""Edits a semantic entry in the operator's words, checks it while typing, and makes a new plan of it."""

from collections.abc import Sequence
from typing import NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.widgets import Input, TextArea

from engine.compactor.semantic.entry import SchemaProblem
from engine.compactor.semantic.entry_edit import PlannedEntry
from engine.compactor.semantic.pollution import Duplicate
from engine.errors import MemdeckError
from engine.services.engine import Engine
from tui.present.approvals import entry_checks
from tui.present.spans import Line, Span, hint
from tui.present.words import safe, tail
from tui.screens.hosted import Hosted, Rest
from tui.toolkit.painter import Once
from tui.widgets.line_block import LineBlock
from tui.widgets.painted import Frame

LARGEST = 16_384  # characters of an entry: it has four short lines
_TIGHT = 20  # lines of a terminal below which the dialog draws close together
_REST_SECONDS = 0.3  # titles like this one are looked for once the typing rests this long


class Edited(NamedTuple):
    """The result of editing an entry; None for an unchanged text or shard."""

    text: str | None
    shard: str | None


class EntryEditor(Hosted, Once[Edited | None], scope="entry"):
    """Returns the changed text or shard once both are valid, or None."""

    def __init__(self, plan_id: str, entry: PlannedEntry, titles: Sequence[str] = ()) -> None:
        super().__init__()
        self._plan_id, self._entry, self._titles = plan_id, entry, titles
        self._problems: tuple[SchemaProblem, ...] = ()
        self._similar: tuple[Duplicate, ...] = ()
        self._route_problem = ""
        self._checked = ("", "")  # the text and the shard that the verdict is about
        self._resting = Rest(self)
        self._note = ""
        self._leaving = False

    def compose(self) -> ComposeResult:
        title = Span(f"Entry {self._entry.number} of {safe(self._plan_id)}", "title")
        with Frame(id="box") as box:
            box.name_it((title, Span(f" · from {tail(self._entry.source)}", "muted")))
            yield TextArea(self._entry.text or "", id="text", soft_wrap=True, tab_behavior="focus")
            yield LineBlock(entry_checks.goes_to(self._entry.why), ident="goes-to")
            yield Input(self._entry.shard, compact=True, id="shard", max_length=400, select_on_focus=False)
            yield LineBlock(ident="verdict")
            yield LineBlock(ident="foot")

    def on_resize(self, event: events.Resize) -> None:
        """Shrinks the text on the lowest terminals, so that its problems and the keys stay visible."""
        self.set_class(event.size.height < _TIGHT, "tight")

    def on_mount(self) -> None:
        self._check()
        self._show_foot()

    @property
    def _there(self) -> bool:
        """Tells whether the fields exist: keys may come before them, and answers after they are gone."""
        return self.is_attached and len(self.query("#foot")) == 1

    @property
    def _text(self) -> str:
        field = self.query_one_optional(TextArea)
        return field.text if field is not None else self._entry.text or ""

    @property
    def _shard(self) -> str:
        field = self.query_one_optional("#shard", Input)
        return field.value.strip() if field is not None else self._entry.shard

    @property
    def _edited(self) -> Edited:
        text, shard = self._text, self._shard
        return Edited(
            text if self._entry.offered is not None or text.strip() != (self._entry.text or "").strip() else None,
            shard if shard != self._entry.shard else None,
        )

    # Checking

    @on(TextArea.Changed)
    @on(Input.Changed)
    def _typed(self) -> None:
        self._note, self._leaving = "", False
        self._check()
        self._show_foot()

    def _check(self) -> None:
        """Lets the engine check the present text; ignores the answer about an older text."""
        text, shard = self._text, self._shard

        def read(engine: Engine) -> tuple[tuple[SchemaProblem, ...], str]:
            return engine.entries.problems(text), engine.entries.route_problem(shard)

        def show(checked: tuple[tuple[SchemaProblem, ...], str]) -> None:
            if self._there and (text, shard) == (self._text, self._shard):
                (self._problems, self._route_problem), self._checked = checked, (text, shard)
                self._show_verdict()

        self.deck.bridge.read(read, show, self._could_not)
        self._resting.after(_REST_SECONDS, self._look_for_similar)

    def _look_for_similar(self) -> None:
        text = self._text

        def show(similar: tuple[Duplicate, ...]) -> None:
            if self._there and text == self._text:
                self._similar = similar
                self._show_verdict()

        self.deck.bridge.look(lambda engine: engine.entries.similar_titles(text), show, self._could_not)

    def _could_not(self, error: MemdeckError) -> None:
        if self._there:
            self._note = safe(error.line())
            self._show_foot()

    def _show_verdict(self) -> None:
        lines = (
            *entry_checks.verdict(self._problems, self._route_problem),
            *entry_checks.many(self._shard, self._titles),
            *entry_checks.likeness(self._similar),
            *entry_checks.hidden(self._text),
        )
        self.query_one("#verdict", LineBlock).show(*lines)

    def _show_foot(self) -> None:
        if not self._there:
            return
        keys: Line = (*hint("`ctrl+s` plan again  `ctrl+o` $EDITOR  `tab` shard  `esc`"), Span(" cancel", "strong"))
        note: tuple[Line, ...] = ((Span("! ", "warn"), Span(self._note, "warn")),) if self._note else ()
        self.query_one("#foot", LineBlock).show(*note, keys)

    # Leaving

    def action_save(self) -> None:
        """Returns the changes, if they were checked and are valid."""
        edited = self._edited
        if self._checked != (self._text, self._shard):
            self._say("one moment: it is being checked")
        elif edited == Edited(None, None):
            self._say("nothing was changed")
        elif len(self._text) > LARGEST:
            self._say(f"an entry has at most {LARGEST:,} characters")
        elif (edited.text is not None and self._problems) or (edited.shard is not None and self._route_problem):
            self._say("fix what is marked ✗ first")
        else:
            self.dismiss(edited)

    def _say(self, note: str) -> None:
        self._note = note
        self._show_foot()

    def action_leave(self) -> None:
        """Leaves the editor; if changes would be lost, the first time only warns."""
        if self._edited != Edited(None, None) and not self._leaving:
            self._leaving = True
            self._say("your words would be lost: esc again leaves")
        else:
            self.dismiss(None)

    def action_editor(self) -> None:
        """Opens the text in the operator's editor, and takes the saved text."""
        if not self._there:
            return
        from tui.system.editor import edited

        try:
            text = edited(self.app, "entry.md", self._text.encode("utf-8", "surrogateescape"), 1)
        except MemdeckError as error:
            self._say(safe(error.line()))
            return
        self.query_one(TextArea).load_text(text.decode("utf-8", "replace")[: LARGEST + 1].rstrip("\n"))
