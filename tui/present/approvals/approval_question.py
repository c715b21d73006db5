"""Puts the question of a confirm dialog into words, and names exactly what a yes would approve."""

import msgspec

from engine.plans.flags import plan_trust
from engine.plans.operation import APPROVAL_WORD, Reversal
from engine.plans.plan import Confirmation, Plan, RiskTier
from tui.present import glyphs
from tui.present.approvals.effect_gauges import gauges
from tui.present.approvals.effect_sentence import sentence
from tui.present.approvals.plan_head import TRUST_ROLES, LoadedPlan, flag_spans
from tui.present.history.undo_rows import VERB, effect_words
from tui.present.spans import Line, Span
from tui.present.words import noun, safe, short_digest, tail

_LISTED = 4  # warnings, and files of an undo, that a dialog lists; it counts the others


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """The target of one approval, in the words in which the approval will hold it."""

    target: str
    numbers: tuple[int, ...]
    risk_tier: RiskTier
    confirmations: tuple[Confirmation, ...] = ()


class ApprovalText(msgspec.Struct, frozen=True, kw_only=True):
    """A question answered by one yes, which makes an approval for each of `bound`."""

    title: Line
    body: tuple[Line, ...]
    bound: tuple[Bound, ...]
    word: str  # the word that has to be typed; empty where one key is enough
    yes: str  # the action of the one key, in words: `apply 3 changes`
    similar: bool = False  # true if an entry may repeat one there is, so that the two can be looked at side by side

    @property
    def several(self) -> bool:
        return len(self.bound) > 1

    @property
    def confirmations(self) -> tuple[Confirmation, ...]:
        """Returns the questions that precede the yes, each once, even when several plans ask it."""
        asked = (question for bound in self.bound for question in bound.confirmations)
        return tuple({(question.id, question.question): question for question in asked}.values())


def about_plan(loaded: LoadedPlan, numbers: tuple[int, ...], *, brief: bool = False) -> ApprovalText:
    """Asks whether to apply a plan, or the changes `numbers` of it; `brief` omits the gauges."""
    plan = loaded.plan
    tier = plan.tier_of(numbers)
    sign = glyphs.RISK_TIERS[tier]
    digest = Span(f"digest {short_digest(loaded.digest)}", "accent")
    title = (Span("Approve ", "title"), Span(safe(plan.id), "title"), Span(" · ", "muted"), Span(sign.glyph, sign.role))
    picked = f"{len(numbers):,} of {noun(len(plan.changes), 'change')}: " if len(numbers) < len(plan.changes) else ""
    said = sentence(plan, loaded.sizes, numbers)
    return ApprovalText(
        title=(*title, Span(" · ", "muted"), digest, Span(f" · {sign.word}", "muted")),
        body=(
            (Span(picked, "accent"), *said) if picked else said,
            *(() if brief else gauges(loaded.plan, loaded.sizes, numbers)),
            *((flag,) for flag in flag_spans(loaded, numbers)),
            *_warnings(plan, numbers),
            *_trust(plan),
        ),
        bound=(bound_to(loaded, numbers),),
        word=APPROVAL_WORD if tier is RiskTier.C else "",
        yes=f"apply {noun(len(numbers), 'change')}",
        similar=bool(plan.facts.get("duplicates")),
    )


def bound_to(loaded: LoadedPlan, numbers: tuple[int, ...]) -> Bound:
    """Returns what an approval of the changes `numbers` would be bound to."""
    return Bound(
        target=loaded.digest,
        numbers=numbers,
        risk_tier=loaded.plan.tier_of(numbers),
        confirmations=loaded.plan.confirmations_of(numbers),
    )


def _warnings(plan: Plan, numbers: tuple[int, ...]) -> list[Line]:
    """Lists warnings: the plan's, except about files that a chosen change warns of, then the chosen changes'."""
    picks = set(numbers)
    chosen = [change for change in plan.changes if change.n in picks]
    told = tuple(change.path for change in chosen if change.warnings)
    about: dict[str, list[str]] = {text: [] for text in plan.warnings if not text.startswith(told)}
    for change in chosen:
        for text in change.warnings:
            about.setdefault(text, []).append(change.path)
    different = tuple(about.items())
    lines: list[Line] = []
    for text, paths in different[:_LISTED]:
        lines.append((Span("▲ ", "risk"), *(_about(text, paths) if len(numbers) > 1 else ()), Span(safe(text), "risk")))
    if len(different) > _LISTED:
        lines.append((Span(f"▲ and {noun(len(different) - _LISTED, 'more warning')} beside the diffs", "risk"),))
    if plan.simulated_clock:
        lines.append((Span("! made under a what-if clock", "warn"),))
    return lines


def _trust(plan: Plan) -> list[Line]:
    """Shows the lowest trust label among the sources of changes to lasting memory (decision G13); empty without one."""
    if (label := plan_trust(plan)) is None:
        return []
    return [(Span("lowest trust of its sources: ", "muted"), Span(label.trust.value, TRUST_ROLES[label.trust]))]


def _about(text: str, paths: list[str]) -> Line:
    """Names the file of a warning, or counts the files; empty if the warning names the file itself."""
    if not paths or paths[0] in text:
        return ()
    files = len(set(paths))
    return (Span(f"{tail(paths[0]) if files == 1 else noun(files, 'file')}  ", "strong"),)


def about_reversal(reversal: Reversal, *, brief: bool = False) -> ApprovalText:
    """Asks whether to undo an operation, below its reverse diff (decision G20); `brief` omits file names."""
    digest = Span(f"digest {short_digest(reversal.digest)}", "accent")
    lines: list[Line] = []
    named = map(effect_words, reversal.effects[: 0 if brief else _LISTED])
    lines.extend((Span(f"  {words:<{VERB}}", "muted"), Span(path)) for words, path in named)
    if len(reversal.effects) > _LISTED and not brief:
        lines.append((Span(f"  and {len(reversal.effects) - _LISTED:,} more: ←/→ shows each", "muted"),))
    summary = (
        Span(f"Restores {noun(len(reversal.effects), 'file')} as before "),
        Span(safe(reversal.operation), "strong"),
    )
    return ApprovalText(
        title=(Span("Undo ", "title"), Span(safe(reversal.operation), "title"), Span(" · ", "muted"), digest),
        body=(summary, *lines),
        bound=(Bound(target=reversal.digest, numbers=reversal.numbers, risk_tier=reversal.risk_tier),),
        word="",
        yes=f"undo {noun(len(reversal.effects), 'change')}",
    )
