"""Shows verified claims, alone or beside probes and facts, for the command and the console."""

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
    """Returns the claims that are wrong now: newly wrong ones first, then by verdict and path."""
    shown, order = (claim for claim in memory.claims if claim.verdict in WRONG), list(WRONG)
    return sorted(shown, key=lambda claim: (not memory.is_news(claim), order.index(claim.verdict), claim.claim.path))


def claim_words(claim: JudgedClaim) -> str:
    """Returns `path src/a.py moved to src/b.py (renamed by 1a2b3c4)`."""
    return safe(f"{claim.claim.kind} {claim.claim.text} {told(claim)}")


def claim_row(memory: VerifiedMemory, claim: JudgedClaim) -> ListRow:
    """Shows a claim as a row: verdict, text, and line."""
    new = (Span("new ", "warn"),) if memory.is_news(claim) else ()
    said = Span(f" {safe(claim.claim.text)}  ", "strong")
    return ListRow((CLAIMS[claim.verdict].span, said, *new), (Span(f"  {safe(line_of(claim))}", "info"),))


def claim_lines(memory: VerifiedMemory, claim: JudgedClaim) -> tuple[Line, ...]:
    """Shows one claim in full, beside the list."""
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
        "counts": {each.value: sum(claim.verdict is each for claim in memory.claims) for each in ClaimVerdict},
        "claims": [_claim_json(memory, claim) for claim in memory.claims],
    }


def _claim_json(memory: VerifiedMemory, judged: JudgedClaim) -> dict[str, Any]:
    known, row = memory.before.get(line_of(judged)), to_builtins(judged)
    claim = {key: row["claim"][key] for key in ("kind", "path", "line", "start", "text", "about")}
    seen = {"last_verified": known.at.isoformat() if known else None, "news": memory.is_news(judged)}
    return claim | {key: row[key] for key in ("verdict", "there", "value", "why")} | seen


def week(engine: "Engine", answers: Sequence[ProbeAnswer]) -> tuple[dict[str, Any], tuple[Line, ...]]:
    """Returns probes with these answers, facts and claims, and what changed within a week, as JSON and as lines."""
    facts, memory = engine.facts.read(), engine.reality.verify()
    since = date.fromisoformat(facts.on) - timedelta(days=7)
    probes = [item for item, at in engine.reality.turned_probes(answers).items() if at.date() >= since]
    new = [item for item in facts.entries if item.day >= since.isoformat()]
    ended = [
        item for item in facts.entries if item.over and item.ends is not None and (item.ends.day or since) >= since
    ]
    claims = [item for item in memory.claims if (at := memory.turned.get(line_of(item))) and at.date() >= since]
    due = f"{noun(len(facts.cards), 'pair')} to decide, {len(facts.due):,} ended"
    told = [("+", " ← ".join((item.text, *(old.text for old in item.replaced)))) for item in new]
    told += [("◷", item.text) for item in ended]
    lines: list[Line] = [(Span(f"What changed since {since}", "title"),), ()]
    for head, rows in (
        (answers_words(answers), [(answer_sign(item).mark.text, item.probe.question) for item in probes]),
        (f"{noun(len(facts.entries), 'fact')}, {due}", told),
        (counts_words(memory.claims), [(CLAIMS[item.verdict].mark.text, claim_words(item)) for item in claims]),
    ):
        lines += [(Span(head, "strong"),), *((Span(f"  {sign} ", "info"), Span(safe(said))) for sign, said in rows)]
    changed = {"new": new, "ended": ended, "claims": [_claim_json(memory, item) for item in claims]}
    return {
        "since": since,
        "probes": {"asked": len(answers), "held": sum(item.held for item in answers)},
        "facts": {"held": len(facts.entries), "undecided": len(facts.cards), "due": len(facts.due)},
        "claims": memory_json(memory)["counts"],
        "changed": {"probes": [answer_json(item) for item in probes], **changed},
    }, tuple(lines)
