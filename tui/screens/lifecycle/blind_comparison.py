"""Compares a replay blindly: a session's entries on two sides, and which are better (§8.7)."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen

from engine.errors import MemdeckError
from engine.lifecycle.replay.figures import BlindAnswer, BlindPair, BlindStanding, ReplayFigures
from tui.present import lifecycle as view
from tui.present.spans import ListRow, Span, error_lines, hint
from tui.present.words import safe
from tui.screens.hosted import Hosted
from tui.widgets.line_block import LineBlock
from tui.widgets.one_line import OneLine
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from engine.services.engine import Engine

_JUDGE = hint("`1` or `2` is better  `t` tie  `n` neither  ")
_READ = hint("`↓` `tab` read both sides to their end  ")
_BACK, _CLOSE = hint("`z` undo the answer  "), hint("`esc` close")
Found = tuple[BlindPair | None, BlindStanding, ReplayFigures]


class BlindScreen(Hosted, Screen[None], scope="blind"):
    """Shows the next session without an answer; keys judge it once both sides were shown, or undo an answer."""

    def __init__(self, plan: str) -> None:
        super().__init__()
        self._plan = plan
        self._pair: BlindPair | None = None
        self._judged = 0
        self._shown: dict[TextPane, int] = {}
        """The number of lines of each side that were on screen, from the first without a gap."""

    def compose(self) -> ComposeResult:
        yield OneLine(ident="session")
        yield LineBlock(ident="standing")
        with Horizontal():
            yield TextPane(ident="one", hang=2)
            yield TextPane(ident="two", hang=2)
        yield OneLine(ident="keys")

    def on_mount(self) -> None:
        for pane in self.query(TextPane):
            self.watch(pane, "scroll_y", self._look, init=False)
        plan = self._plan
        self.deck.bridge.read(lambda engine: _next(engine, plan), self._took, self._could_not)

    def _took(self, answer: Found) -> None:
        self._pair, standing, figures = answer
        self.query_one("#standing", LineBlock).show(*((Span(words, "accent"),) for words in view.blind_words(standing)))
        done = view.judged_words(standing)
        sides = (
            view.pair_lines(self._pair) if self._pair is not None else (((Span(done),),), view.figure_lines(figures))
        )
        session = safe(self._pair.session) if self._pair is not None else ""
        self.query_one("#session", OneLine).show(ListRow((Span(session, "strong"),)))
        self._judged = standing.after + standing.before + standing.tie + standing.neither
        self._shown.clear()
        titles = ("1", "2") if self._pair is not None else ("Blind comparison", "Figures")
        for name, title, lines in zip(("one", "two"), titles, sides, strict=True):
            pane = self.query_one(f"#{name}", TextPane)
            pane.name_it((Span(title, "title"),), ())
            pane.show(lines)
        self.call_after_refresh(self._look)

    def on_text_pane_laid(self) -> None:
        """Counts the shown lines from 0, since another width has other lines."""
        self._shown.clear()
        self._look()

    def _look(self) -> None:
        """Notes the visible lines of both sides, and names the keys that work now."""
        for pane in self.query(TextPane):
            top, shown = pane.scroll_offset.y, self._shown.get(pane, 0)
            if top <= shown:
                self._shown[pane] = max(shown, top + pane.scrollable_content_region.height)
        judge = () if self._pair is None else _JUDGE if self._is_whole else _READ
        self.query_one("#keys", OneLine).show(ListRow((*judge, *(_BACK if self._judged else ()), *_CLOSE)))

    @property
    def _is_whole(self) -> bool:
        return all(self._shown.get(pane, 0) >= pane.lines_laid_out for pane in self.query(TextPane))

    def _could_not(self, error: MemdeckError) -> None:
        self.query_one("#one", TextPane).show(error_lines(error))

    def action_answer(self, answer: str) -> None:
        """Saves the answer about this session and goes to the next; ignored before both sides were shown."""
        pair, plan = self._pair, self._plan
        if pair is None or not self._is_whole:
            return
        self._pair = None  # a second key before the answer is kept judges nothing

        def keep(engine: "Engine") -> Found:
            engine.replays.answer(plan, pair.session, BlindAnswer(answer))
            return _next(engine, plan)

        self.deck.bridge.read(keep, self._took, self._could_not)

    def action_undo_answer(self) -> None:
        """Undoes the last answer and shows its session again."""
        plan = self._plan
        if not self._judged:
            return
        self._pair, self._judged = None, 0  # neither key does anything until this is done
        self.deck.bridge.read(
            lambda engine: _next(engine, plan, engine.replays.take_back(plan)), self._took, self._could_not
        )


def _next(engine: "Engine", plan: str, session: str = "") -> Found:
    """Returns the pair of a session, or the next one without an answer."""
    answers = engine.replays.answers(plan)
    left = [each for each in engine.replays.pairs(plan) if each.session not in answers]
    pair = next((each for each in left if session in ("", each.session)), None)
    return pair, engine.replays.standing(plan), engine.replays.figures(plan)
