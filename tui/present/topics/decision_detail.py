"""Shows a message or a decision with all evidence: why it activated a topic, or why not."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from engine.topics.activation import Active
from engine.topics.decision import Decision, GateAnswer, TriggerEvidence
from engine.topics.decision_log import LogEntry, Useful
from engine.topics.output_hints import HintOutcome
from tui.present.glyphs import LOST, WOKE
from tui.present.spans import Line, ListRow, Role, Span
from tui.present.topics.message_stream import Marks, decision_row, hint_row
from tui.present.topics.verdicts import MARKS, kilobytes, role_of, rule_reason, rule_words
from tui.present.words import milliseconds, noun, safe, text_lines, words_of

LABEL = 9  # cells of the names at the left
_AROUND = 60  # characters of the message shown on each side of what matched
_LONGEST = 6_000  # characters of a message beside its decisions; the log has it whole
_BAR = 16  # cells of a score's bar


NOTHING = text_lines("no_decision")  # the lines while there is no message


def fact(name: str, *spans: Span) -> Line:
    return (Span(f"{name:<{LABEL}}", "muted"), *spans)


def shown(entry: LogEntry, part: int, marks: Marks) -> tuple[Line, ...]:
    """Shows a row of the stream in full: the message (-1), one of its decisions, or one of its hints."""
    if part < 0:
        return message_detail(entry, marks)
    if part >= len(entry.decisions):
        return hint_detail(entry, part - len(entry.decisions))
    decision = entry.decisions[part]
    return decision_detail(entry, decision, marks.get((entry.key, decision.topic)))


def message_detail(entry: LogEntry, marks: Marks) -> tuple[Line, ...]:
    """Shows the whole message with its matches marked, and every decision about it."""
    name, role = role_of(entry)
    at = entry.said_at or entry.at
    name_of = entry.source.rpartition("/")[2]
    where = f"{name_of}:{entry.line}" if entry.line else name_of
    lines: list[Line] = [
        fact("who", Span(name, role), Span(f"  {at:%Y-%m-%d %H:%M:%S}", "muted")),
        fact("session", Span(safe(entry.session), "muted")),
        fact("where", Span(safe(where), "muted")),
        (),
        *_said(entry, [each for decision in entry.decisions for each in decision.evidence]),
    ]
    if entry.left_out:
        lines.append(fact("", Span(f"… and {entry.left_out:,} more characters that are not kept here", "muted")))
    if entry.tool_calls:
        calls = ", ".join(" ".join((call.name, *call.paths[:3])) for call in entry.tool_calls[:6])
        if entry.text.strip():
            lines.append(())
        lines.append(fact("tools", Span(safe(calls))))
    lines.append(())
    if not entry.injected:
        lines += _tiers(entry)
    else:
        lines.append(fact("injected", Span("put there by a hook or a summary: it never activates anything", "info")))
    lines += [_inline(decision_row(each, marks.get((entry.key, each.topic)))) for each in entry.decisions]
    lines += [_inline(hint_row(steered)) for steered in entry.steered]
    lines += [
        fact("twin", Span(f"{safe(each.topic)} stays out: {safe(each.by)} says the same", "warn"))
        for each in entry.woken.excluded
    ]
    decided = {decision.topic for decision in entry.decisions}
    lines += [
        fact("judged", MARKS[useful].span, Span(f"  {safe(topic)}, no candidate", "muted"))
        for (key, topic), useful in marks.items()
        if key == entry.key and topic not in decided
    ]
    lines += [fact("degraded", Span(safe(reason), "warn")) for reason in entry.result.degraded]
    return tuple(lines)


def decision_detail(entry: LogEntry, decision: Decision, mark: Useful | None) -> tuple[Line, ...]:
    """Shows a decision: rule, evidence of each stage, the gate's answer, and what was loaded."""
    sign = WOKE if decision.activated else LOST
    lines: list[Line] = [
        fact("outcome", sign.span),
        fact(
            "rule",
            Span(rule_words(decision.rule), "strong"),
            Span(f"  {rule_reason(decision.rule)} · rule:{decision.rule.value}", "muted"),
        ),
        *_tier1(entry, decision),
        *_tier2(decision),
        *_gate(decision),
        *_pulled_in(entry, decision),
    ]
    if mark is not None:
        lines += [(), fact("judged", MARKS[mark].span)]
    return tuple(lines)


def hint_detail(entry: LogEntry, at: int) -> tuple[Line, ...]:
    """Shows a hint of an output trigger, and why it was given or held back (decision D20)."""
    steered = entry.steered[at]
    why = words_of("hints", HintOutcome)[steered.verdict]
    lines: list[Line] = [
        fact("hint", Span("» ", "warn"), Span(safe(steered.hint))),
        fact("topic", Span(safe(steered.topic), "strong")),
        fact("outcome", Span(steered.verdict.value, "strong"), Span(f"  {why}", "muted")),
    ]
    if steered.until is not None:
        lines.append(fact("again", Span(f"from {steered.until:%H:%M:%S} on")))
    return (*lines, (), *_said(entry, ()))


def active_rows(active: Sequence[Active], now: datetime, sessions: int) -> tuple[ListRow, ...]:
    """Lists the active topics with their cost and the time left."""
    return tuple(_active_row(active, now, several=sessions > 1) for active in active)


def _active_row(active: Active, now: datetime, *, several: bool) -> ListRow:
    left = max(0, int((active.until - now).total_seconds()))
    time = f"{left // 3600} h" if left >= 7200 else f"{left // 60} min" if left >= 60 else f"{left} s"
    cost = Span(f"{'!' if active.left_out else ''}{kilobytes(active.cost)}", "warn" if active.left_out else "muted")
    session = (Span(f"  {safe(active.session[:12])}", "muted"),) if several else ()
    return ListRow(
        (Span(f"{WOKE.glyph} ", WOKE.role), Span(safe(active.topic)), *session),
        (cost, Span(f"  {time:>6} left", "muted")),
    )


def active_detail(topic: Active) -> tuple[str, tuple[Line, ...]]:
    """Lists the files that an active topic loaded, and those that it omitted."""
    lines: list[Line] = [
        fact("session", Span(safe(topic.session))),
        fact(
            "since",
            Span(f"{topic.since:%H:%M:%S}, activated {noun(topic.woken, 'time')}, until {topic.until:%H:%M:%S}"),
        ),
        fact("cost", Span(f"{kilobytes(topic.cost)} of {kilobytes(topic.limit)}")),
        (),
    ]
    for file in topic.files:
        shared = (Span("  already there", "muted"),) if file.shared else ()
        lines.append((Span(f"{kilobytes(file.size):<{LABEL}}", "muted"), Span(safe(file.path)), *shared))
    lines += [
        (Span(f"{'omitted':<{LABEL}}", "warn"), Span(safe(gone.path)), Span(f"  {safe(gone.reason)}", "warn"))
        for gone in topic.left_out
    ]
    return safe(topic.topic), tuple(lines)


def _tiers(entry: LogEntry) -> Iterable[Line]:
    funnel = entry.result.funnel
    yield fact("stage 1", Span(f"{funnel.tier1} of {noun(funnel.topics, 'topic')} matched"), _took(funnel.tier1_ms))
    if funnel.tier1 or entry.decisions:
        yield fact("stage 2", Span(f"{funnel.tier2} scored enough"), _took(funnel.tier2_ms))
        cost = f" · ${funnel.cost_usd:.4f}" if funnel.cost_usd else ""
        asked = (Span(f"asked about {funnel.gated}"), _took(funnel.gate_ms), Span(cost, "muted"))
        yield fact("gate", *(asked if funnel.gated else (Span("not asked", "muted"),)))


def _took(milli: float) -> Span:
    return Span(f" · {milliseconds(milli)}", "muted")


def _tier1(entry: LogEntry, decision: Decision) -> Iterable[Line]:
    if not decision.tier1:
        yield fact("stage 1", Span("no trigger matched: similarity alone"))
    for evidence in decision.evidence[:6]:
        line = f"  line {evidence.line}" if evidence.line else ""
        place = f"  at {evidence.start}–{evidence.end}" if evidence.end else ""
        yield fact("stage 1", Span(f"{evidence.trigger} ", "strong"), Span(safe(evidence.what[:120])))
        yield fact(
            "", Span("matched ", "muted"), Span(f"“{safe(evidence.found)}”", "here"), Span(place + line, "muted")
        )
    if decision.evidence:
        yield from (fact("", *line) for line in _text(entry, decision.evidence, around=True))


def _tier2(decision: Decision) -> Iterable[Line]:
    if decision.score is None:
        yield fact("stage 2", Span("no score was needed", "muted"))
        return
    full = round(min(1.0, decision.score) * _BAR)
    bar = (Span("▕", "rule"), Span("█" * full, "bar_ok"), Span(" " * (_BAR - full), "bar_empty"), Span("▏", "rule"))
    yield fact("stage 2", Span(f"{decision.score:.2f} ", "strong"), *bar)
    for score in decision.scores:
        yield fact("", Span(f"{safe(score.scorer):<10} {score.raw:.3f} → {score.calibrated:.2f}", "muted"))


def _gate(decision: Decision) -> Iterable[Line]:
    if decision.gate is GateAnswer.NONE and not decision.reason:
        yield fact("gate", Span("not asked", "muted"))
        return
    role: Role = "ok" if decision.gate is GateAnswer.YES else "warn"
    cached = ", from the cache" if decision.cached else ""
    cost = f", ${decision.cost_usd:.4f}" if decision.cost_usd else ""
    how = f"  by {safe(decision.gate_by or '?')}{cached}, {milliseconds(decision.latency_ms)}{cost}"
    yield fact("gate", Span(decision.gate.value, role), Span(how, "muted"))
    if decision.reason:
        yield fact("", Span(safe(decision.reason)))


def _pulled_in(entry: LogEntry, decision: Decision) -> Iterable[Line]:
    woken = next((activation for activation in entry.woken.active if activation.topic == decision.topic), None)
    if woken is not None:
        yield fact("context", Span(f"{kilobytes(woken.cost)} of {kilobytes(woken.limit)}, until {woken.until:%H:%M}"))
        for file in woken.files:
            yield fact("", Span(safe(file.path)), Span(f"  {kilobytes(file.size)}", "muted"))
        for gone in woken.left_out:
            yield fact("", Span(f"without {safe(gone.path)}: {safe(gone.reason)}", "warn"))
    elif decision.pulled_in:
        yield fact("context", Span(safe(", ".join(decision.pulled_in))))
    for twin in entry.woken.excluded:
        if twin.topic == decision.topic:
            yield fact("twin", Span(f"stays out: {safe(twin.by)} says the same", "warn"))


def _said(entry: LogEntry, evidence: Iterable[TriggerEvidence]) -> Iterable[Line]:
    for number, line in enumerate(_text(entry, evidence) if entry.text.strip() else ()):
        yield fact("" if number else "said", *line)


def _text(entry: LogEntry, evidence: Iterable[TriggerEvidence], *, around: bool = False) -> Iterable[Line]:
    """Shows the message with its matches marked; `around` shows only the text around the first match."""
    text = entry.text[:_LONGEST]
    spans = sorted({(match.start, match.end) for match in evidence if 0 <= match.start < match.end <= len(text)})
    start, end = 0, len(text)
    if around:
        if not spans:
            return
        start, end = max(0, spans[0][0] - _AROUND), min(len(text), spans[0][1] + _AROUND)
    pieces: list[Span] = [Span("…", "muted")] if start else []
    at = start
    for first, last in spans:
        if at <= first and last <= end:
            pieces += [Span(text[at:first]), Span(text[first:last], "here")]
            at = last
    pieces.append(Span(text[at:end]))
    yield from _broken(pieces)


def _broken(pieces: Iterable[Span]) -> Iterable[Line]:
    line: list[Span] = []
    for piece in pieces:
        first, *rest = piece.text.split("\n")
        line.append(Span(safe(first), piece.role))
        for part in rest:
            yield tuple(line)
            line = [Span(safe(part), piece.role)]
    yield tuple(line)


def _inline(row: ListRow) -> Line:
    return fact("", *row.left[1:], *row.extra, Span("  "), *row.right)
