"""Words verified claims, for the command and the console."""

from typing import Any

from msgspec import to_builtins

from engine.lifecycle.reality.judgement import ClaimVerdict, JudgedClaim
from engine.lifecycle.reality.plan import WRONG, line_of, told
from engine.services.reality import VerifiedMemory
from tui.present.glyphs import CLAIMS
from tui.present.spans import Line, ListRow, Span
from tui.present.words import moment, safe


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
