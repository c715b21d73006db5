"""Opens readers: reports, notes, the source of a line, links, the life of a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.plans.plan import Plan
from engine.workspace.values import LineSpan
from tui.present.spans import Span
from tui.present.words import safe

if TYPE_CHECKING:  # all of it comes when something is set going, none of it before the first paint
    from engine.lifecycle.references.file_links import NoteLinks
    from engine.services.line_life import LineLife
    from tui.screen_host import ScreenHost

_AROUND = 5  # lines shown before and after those that a line was made from
_EVERY_LINE = 1 << 30  # more lines than any note has


class NoteReaders:
    """Reads in a thread, then shows a reader over the screen."""

    def __init__(self, app: ScreenHost) -> None:
        self._app = app

    def show_report(self, plan: Plan) -> None:
        from tui.dialogs.text_reader import TextReader

        text = plan.report or "this plan came without a report"
        lines = tuple((Span(safe(line)),) for line in text.split("\n"))
        self._app.push_screen(TextReader(f"Report of {safe(plan.id)}", lines, hang=2))

    def show_digest(self) -> None:
        from tui.screens.approvals.past_runs import ReportsScreen

        self._app.push_screen(ReportsScreen())

    def show_source(self, span: LineSpan | None) -> None:
        """Shows the lines of another file that a line was made from."""
        if span is None:
            self._app.say("this line came from no other file")
            return
        wanted = LineSpan(span.path, max(1, span.start - _AROUND), span.end + _AROUND)

        def show(texts: tuple[str, ...]) -> None:
            from tui.dialogs.text_reader import TextReader
            from tui.present.source_lines import named, source_lines

            lines = source_lines(span, wanted.start, texts)
            if not self._app.in_dialog:
                self._app.push_screen(TextReader(named(span), lines))

        self._app.bridge.look(lambda engine: engine.plans.source_lines(wanted), show)

    def show_note(self, path: str, line: int = 0) -> None:
        """Shows a whole note as it is now, scrolled to `line` (from 1; 0 for its beginning)."""
        whole = LineSpan(path, 1, _EVERY_LINE)

        def show(texts: tuple[str, ...]) -> None:
            from tui.dialogs.text_reader import TextReader
            from tui.present.markdown import body_start
            from tui.present.source_lines import note_lines

            if not self._app.in_dialog:
                at = line - 1 if line > 0 else body_start(texts)
                self._app.push_screen(TextReader(safe(path), note_lines(texts), at=at))

        self._app.bridge.look(lambda engine: engine.plans.source_lines(whole), show)

    def show_links(self, path: str) -> None:
        """Lists the backlinks and links of a note, and goes to the chosen one."""
        self._app.bridge.read(lambda engine: engine.references.links(path), self._show_links)

    def _show_links(self, links: NoteLinks) -> None:
        from tui.dialogs.picker import Picker
        from tui.present.note_links import chosen_place, link_choices

        def chosen(value: str) -> None:
            place = chosen_place(links, value)
            self._open_rung(place) if place is not None else self._app.say("it leads to no note")

        if not (rows := link_choices(links)):
            self._app.say("it has no link, and no note links to it", title=safe(links.path))
        elif not self._app.in_dialog:
            title = f"Links of {safe(links.path)}"
            self._app.ask(Picker(title, rows, placeholder="which link", foot="goes there", grouped=True), chosen)

    def show_life(self, path: str, line: int) -> None:
        """Follows a line of a note (from 1) from its raw log up to ROOT and semantic memory."""
        self._app.bridge.read(lambda engine: engine.tree.life(path, line), self._show_life)

    def _show_life(self, life: LineLife) -> None:
        from tui.screens.tree.line_life import LifeScreen

        self._app.ask(LifeScreen(life), self._open_rung)

    def _open_rung(self, span: LineSpan) -> None:
        self._app.call_later(self._app.open_file, span.path, span.start)
