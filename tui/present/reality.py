"""Words verified claims, alone and beside probes and facts, for the command and the console."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from engine.context.probes.probe import ProbeAnswer
from engine.lifecycle.reality.judgement import ClaimVerdict, JudgedClaim
from engine.lifecycle.reality.plan import WRONG, counts_words, line_of, told
from engine.services.reality import VerifiedMemory
from tui.present.context.probes import answer_json, answer_sign, answers_words
from tui.present.glyphs import CLAIMS
from tui.present.spans import Line, ListRow, Span
from tui.present.words import moment, noun, safe

if TYPE_CHECKING:
    from engine.services.engine import Engine


def wrong_claims(memory: VerifiedMemory) -> list[JudgedClaim]:
    """The claims that no longer stand: what held when it was last verified first, then by verdict and place."""
    shown, order = (one for one in memory.claims if one.verdict in WRONG), list(WRONG)
    return sorted(shown, key=lambda one: (not memory.is_news(one), order.index(one.verdict), one.claim.path))


def claim_words(claim: JudgedClaim) -> str:
    """`path src/a.py moved to src/b.py (renamed by 1a2b3c4)`."""
    return safe(f"{claim.claim.kind} {claim.claim.text} {told(claim)}")


def claim_row(memory: VerifiedMemory, claim: JudgedClaim) -> ListRow:
    """A claim with its verdict, what it says, and its line."""
    new = (Span("new ", "warn"),) if memory.is_news(claim) else ()
    said = Span(f" {safe(claim.claim.text)}  ", "strong")
    return ListRow((CLAIMS[claim.verdict].span, said, *new), (Span(f"  {safe(line_of(claim))}", "info"),))


def claim_lines(memory: VerifiedMemory, claim: JudgedClaim) -> tuple[Line, ...]:
    """The whole of one claim, to read beside the list."""
    known = memory.before.get(line_of(claim))
    facts = {
        "claims": f"{claim.claim.kind} {claim.claim.text}",
        "is": told(claim),
        "there": claim.there or "nothing",
        "place": line_of(claim),
        "before": f"{known.verdict}, {moment(known.at)}" if known is not None else "never verified",
    }
    rows: list[Line] = [(Span(f"{name:<8}", "muted"), Span(safe(said))) for name, said in facts.items()]
    return ((Span(safe(claim.claim.row.strip()), "strong"),), (), *rows)


def memory_json(memory: VerifiedMemory) -> dict[str, Any]:
    return {
        "repository": memory.repository,
        "git": memory.git,
        "counts": {each.value: sum(one.verdict is each for one in memory.claims) for each in ClaimVerdict},
        "claims": [_claim_json(memory, one) for one in memory.claims],
    }


def _claim_json(memory: VerifiedMemory, judged: JudgedClaim) -> dict[str, Any]:
    known, row = memory.before.get(line_of(judged)), to_builtins(judged)
    claim = {key: row["claim"][key] for key in ("kind", "path", "line", "start", "text", "about")}
    seen = {"last_verified": known.at.isoformat() if known else None, "news": memory.is_news(judged)}
    return claim | {key: row[key] for key in ("verdict", "there", "value", "why")} | seen


def week(engine: "Engine", answers: Sequence[ProbeAnswer]) -> tuple[dict[str, Any], tuple[Line, ...]]:
    """Probes with these answers, facts and claims, with what changed within a week: as JSON, and to be read."""
    facts, memory = engine.facts.read(), engine.reality.verify()
    since = date.fromisoformat(facts.on) - timedelta(days=7)
    probes = [one for one, at in engine.reality.turned_probes(answers).items() if at.date() >= since]
    new = [one for one in facts.entries if one.day >= since.isoformat()]
    ended = [one for one in facts.entries if one.over and one.ends is not None and (one.ends.day or since) >= since]
    claims = [one for one in memory.claims if (at := memory.turned.get(line_of(one))) and at.date() >= since]
    due = f"{noun(len(facts.cards), 'pair')} to decide, {len(facts.due):,} ended"
    told = [("+", " ← ".join((one.text, *(old.text for old in one.replaced)))) for one in new]
    told += [("◷", one.text) for one in ended]
    lines: list[Line] = [(Span(f"What changed since {since}", "title"),), ()]
    for head, rows in (
        (answers_words(answers), [(answer_sign(one).mark.text, one.probe.question) for one in probes]),
        (f"{noun(len(facts.entries), 'fact')}, {due}", told),
        (counts_words(memory.claims), [(CLAIMS[one.verdict].mark.text, claim_words(one)) for one in claims]),
    ):
        lines += [(Span(head, "strong"),), *((Span(f"  {sign} ", "info"), Span(safe(said))) for sign, said in rows)]
    changed = {"new": new, "ended": ended, "claims": [_claim_json(memory, one) for one in claims]}
    return {
        "since": since,
        "probes": {"asked": len(answers), "held": sum(one.held for one in answers)},
        "facts": {"held": len(facts.entries), "undecided": len(facts.cards), "due": len(facts.due)},
        "claims": memory_json(memory)["counts"],
        "changed": {"probes": [answer_json(one) for one in probes], **changed},
    }, tuple(lines)
