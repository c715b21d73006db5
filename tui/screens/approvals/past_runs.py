"""Shows the digest and past dry runs, and compares two of them."""

from textual.app import ComposeResult

from engine.errors import MemdeckError
from engine.monitoring.digest import WeeklyDigest
from engine.monitoring.dry_runs import DryRunReport, ReportDiff, ReportEntry
from engine.services.engine import Engine
from tui.present.approvals import past_runs
from tui.present.spans import Span, key_line
from tui.present.words import safe
from tui.screens.list_beside_pane import ListBesideText
from tui.widgets.line_list import LineList
from tui.widgets.text_pane import TextPane


class ReportsScreen(ListBesideText[None], scope="past-runs"):
    """Lists the digest and dry runs beside the selected page; `space` and `c` compare two runs."""

    def __init__(self) -> None:
        super().__init__()
        self._marked = ""
        self._digest: WeeklyDigest | None = None
        self._newest: DryRunReport | None = None
        self._entries: tuple[ReportEntry, ...] = ()

    def compose(self) -> ComposeResult:
        yield LineList(ident="runs", empty="reading the dry runs…")
        yield TextPane(ident="page", hang=2, as_begun=True)

    def on_mount(self) -> None:
        self._list.name_it((Span("Weekly digest and dry runs", "title"),), _KEYS)
        self.deck.bridge.read(lambda engine: engine.review.reports(), self._took, self._could_not)

    @property
    def _entry(self) -> ReportEntry | None:
        at = self._list.cursor - 1 if self._there else -1
        return self._entries[at] if 0 <= at < len(self._entries) else None

    def _took(self, entries: tuple[ReportEntry, ...]) -> None:
        if not self._there:
            return
        self._entries = entries
        self._show_list(0)
        self._look(self._list.cursor)

    def _show_list(self, cursor: int | None = None) -> None:
        self._list.show(past_runs.RunRows(self._entries, self.deck.now(), self._marked), cursor)

    def _look(self, index: int) -> None:
        entry = self._entry
        self.set_class(entry is None, "digest")
        if entry is None:
            self._read_digest()
        else:
            self._text.name_it(past_runs.title(entry))
            self._read_text(lambda engine: past_runs.page(engine.review.report(entry.id)))

    def _read_digest(self) -> None:
        """Shows the digest with the newest dry run below; read once, since it reads a week of notes."""
        self._text.name_it((Span("Weekly digest", "title"),), (Span("m", "key"), Span(" mark as read", "muted")))
        if self._digest is not None:
            self._show_digest(self._digest, None)
            return
        newest = self._entries[0].id if self._entries else ""
        self._say((Span("reading…", "muted"),))

        def ask(engine: Engine) -> "tuple[WeeklyDigest, DryRunReport | None]":
            return engine.digest.make(engine.digest.since()), engine.review.report(newest) if newest else None

        self.deck.bridge.read(ask, lambda answer: self._show_digest(*answer), self._could_not)

    def _show_digest(self, digest: WeeklyDigest, newest: DryRunReport | None) -> None:
        self._digest, self._newest = digest, newest or self._newest
        if self._there and self._entry is None:
            self._say(*past_runs.digest_page(digest, self._newest))

    def action_read(self) -> None:
        """Marks the digest as read, so that the next one begins here."""
        if self.deck.may_write() and self._digest is not None:
            told = "the next digest begins here"
            self.deck.bridge.read(
                lambda engine: engine.digest.read(), lambda _: self.deck.say(told, title="Marked as read")
            )

    def _could_not(self, error: MemdeckError) -> None:
        if self._there:
            self._text.name_it((Span("Dry run", "title"),))
        super()._could_not(error)

    def action_mark(self) -> None:
        if (entry := self._entry) is not None:
            self._marked = "" if self._marked == entry.id else entry.id
            self._show_list()

    def action_compare(self) -> None:
        """Compares the marked dry run with the one under the cursor, the older first."""
        entry = self._entry
        marked = next((listed for listed in self._entries if listed.id == self._marked), None)
        if entry is None or marked is None or marked is entry:
            self.deck.say("mark one with space, then go to the other", severity="warning")
            return
        if marked.system != entry.system:
            self.deck.say(f"compare two of one system, not {marked.system} with {entry.system}", severity="warning")
            return
        order = [listed.id for listed in reversed(self._entries) if listed.id in (self._marked, entry.id)]

        def show(diff: ReportDiff) -> None:
            if self._there:
                before, after = safe(diff.before.id), safe(diff.after.id)
                self._text.name_it((Span(f"{before} ", "title"), Span("→ ", "muted"), Span(after, "title")))
                self._say(*past_runs.comparison(diff))
                self._text.focus()

        self.deck.bridge.read(lambda engine: engine.review.compare_reports(order[0], order[1]), show, self._could_not)

    def action_close(self) -> None:
        if self._there and self._text.has_focus:
            self._list.focus()
            self._look(self._list.cursor)
        else:
            self.dismiss(None)


_KEYS = key_line(("space", "mark"), ("c", "compare"), ("esc", "back"))
