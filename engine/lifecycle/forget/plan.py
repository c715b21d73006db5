"""Plans to forget: every place that says it, with what happens there and why some stay (decision D62)."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from engine.lifecycle.forget.pending_words import FACT, PendingWords
from engine.lifecycle.forget.places import WordPlace
from engine.plans.draft import Draft
from engine.plans.plan import Append, Confirmation, Create, QualityGate, Replace, RiskTier
from engine.plans.planning import Planning
from engine.plans.status import PlanOutcome
from engine.plans.system import System
from engine.text.canonical_json import sha256_hex

_NOTE = "memory/forgotten.md"
NO_UNDO = "it cannot be undone: what goes is kept nowhere"


class HistoryFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The refs that would be written anew with git's history, and what of others would be lost with it."""

    refs: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def plan_forgetting(
    planning: Planning, words: PendingWords, places: Sequence[WordPlace], history: HistoryFacts | None
) -> PlanOutcome:
    """Makes the plan of all places; those beside the workspace are cleared once it is applied. `history`: what it
    would touch, None where git's history stays."""
    draft = Draft(planning)
    for place in places:
        if place.text is not None:
            draft.bind(place.path, _sha256(planning, place.path))
            reason = f"{place.kind}: {_lines(place)}, {place.what}"
            draft.write(Replace, place.path, place.text, reason, RiskTier.C, sources=())
    report = "".join(f"{line}\n" for line in _report(places))
    left = [place for place in places if place.left]
    warnings = [NO_UNDO, *(f"stays in {place.path}: {place.left}" for place in left)]
    facts: dict[str, Any] = {FACT: msgspec.to_builtins(words), "places": [_json(place) for place in places]}
    gate = QualityGate("no_words_left", passed=True, detail="no changed file says it any more")
    if not any(place.count for place in places):
        return PlanOutcome(plan=None, reason_no_action="nothing says it", report=report, facts=facts)
    if not draft.changes:
        _note(draft, planning)
    return draft.outcome(
        System.FORGET,
        "nothing says it",
        report=report,
        facts=facts,
        gates=(gate,),
        confirmations=_confirmations(history),
        warnings=(*warnings, *_history_warnings(history)),
    )


def _note(draft: Draft, planning: Planning) -> None:
    """Notes in a file that something was forgotten: a plan is applied by what it changes, and no note says it."""
    line = f"- {planning.today}: something was forgotten in what is kept beside the notes\n"
    if _NOTE in planning.snapshot.files:
        draft.write(Append, _NOTE, line, "no note says it; what is beside them is cleared", RiskTier.C)
    else:
        draft.write(Create, _NOTE, f"# Forgotten\n\n{line}", "no note says it; what is beside them is", RiskTier.C)


def _sha256(planning: Planning, path: str) -> str:
    files = planning.snapshot.files
    return files[path].sha256 if path in files else sha256_hex(planning.snapshot.reader(path))


def _confirmations(history: HistoryFacts | None) -> Iterable[Confirmation]:
    """Asks once more where what others made or keep would be lost with the history."""
    if history is not None and history.others:
        told = "; ".join(history.others)
        yield Confirmation("history", f"Rewrite git's history, though it is not yours alone ({told})?")


def _history_warnings(history: HistoryFacts | None) -> Iterable[str]:
    if history is not None:
        yield f"git's history is rewritten, {len(history.refs)} refs and tags: {', '.join(history.refs[:12])}"
        yield "ids of commits change, and signatures of commits and tags are lost"


def _report(places: Sequence[WordPlace]) -> Iterable[str]:
    changed = sum(1 for place in places if not place.left)
    yield f"{changed} places lose it, {len(places) - changed} keep it"
    for place in places:
        yield f"  {place.kind}: {place.path}, {_lines(place)}: {place.left or place.what}"


def _lines(place: WordPlace) -> str:
    if not place.lines:
        return f"{place.count:,} times"
    more = f" and {len(place.lines) - 6} more" if len(place.lines) > 6 else ""
    return f"line {', '.join(map(str, place.lines[:6]))}{more}"


def _json(place: WordPlace) -> dict[str, Any]:
    what = "stays" if place.left else "goes"
    return {"path": place.path, "kind": place.kind, "lines": list(place.lines), what: place.left or place.what}
