"""Shows claims of memory that are wrong now, each beside its line and what is there instead."""

from engine.lifecycle.reality.judgement import JudgedClaim
from engine.lifecycle.reality.plan import counts_words, line_of
from engine.lifecycle.requests import VerifyRequest
from engine.plans.planning import PlanRequest
from engine.services.reality import VerifiedMemory
from tui.present import verified_claims as view
from tui.present.spans import NOTHING_SELECTED, ListRows, Span, key_line
from tui.present.words import safe
from tui.screens.list_beside_pane import EntriesBesideTurn
from tui.widgets.searchable_pane import LinePlace


class RealityScreen(EntriesBesideTurn[JudgedClaim | None], scope="reality"):
    """Lists the claims that are gone, moved or differ; returns the one whose line to open."""

    KEYS = key_line(("enter", "opens the line"), ("p", "plan the marks"), ("t", "put it right"), ("esc", "back"))
    _memory: VerifiedMemory | None = None
    _wrong: tuple[JudgedClaim, ...] = ()

    def on_mount(self) -> None:
        self.deck.bridge.read(lambda engine: engine.reality.verify(), self._took, self._could_not)

    def _took(self, memory: VerifiedMemory) -> None:
        self._memory, self._wrong = memory, tuple(view.wrong_claims(memory))
        self._head((Span(safe(f"{counts_words(memory.claims)} · by {memory.repository.rpartition('/')[2]}"), "muted"),))
        self._list.name_it((Span("Not so any more", "title"), Span(f" ⟨{len(self._wrong)}⟩", "muted")), ())
        self._list.show_empty("nothing is gone, moved or differs")
        self._list.show(ListRows([view.claim_row(memory, claim) for claim in self._wrong]), 0)
        self._look(0)

    def _under(self) -> JudgedClaim | None:
        return self._list.under(self._wrong)

    @property
    def noted_line(self) -> LinePlace | None:
        claim = self._under()
        return LinePlace(claim.claim.path, claim.claim.line) if claim is not None else None

    def _look(self, index: int) -> None:
        self._text.name_it((Span("Line", "title"),), ())
        claim = self._under()
        self._say(*(view.claim_lines(self._memory, claim) if self._memory and claim else NOTHING_SELECTED))

    def _open(self, index: int) -> None:
        self.dismiss(self._under())

    def action_plan(self, single: bool) -> None:
        """Plans marks for all gone claims, or only the correction of the claim under the cursor."""
        if (claim := self._under()) is not None:
            self.deck.flows.dry_runs.start(
                "verify", PlanRequest(VerifyRequest(take=(line_of(claim),) if single else ()))
            )
