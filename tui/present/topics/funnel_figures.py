"""Shows the funnel, the rates and the topics: how much each stage lets through, and errors in topic files."""

from collections.abc import Collection, Iterable
from datetime import timedelta

from engine.sessions.feed import Batch
from engine.sessions.monitor import MonitorStep
from engine.topics.decision_log import LogEntry
from engine.topics.rates import Tally
from engine.topics.topic import Topic, TopicProblem, TopicSet
from tui.present.glyphs import LISTENS, OFF, WOKE
from tui.present.spans import LazyRows, Line, ListRow, Role, Span, fitting, hint, plain
from tui.present.topics.decision_detail import fact
from tui.present.words import count, file_name, milliseconds, noun, percent, safe, size, text_lines

_SLOW = timedelta(seconds=2)  # a lag above this is worth a colour
_BESIDE_BAR = 54  # cells of a step beside its bar, up to `−1,000 dropped`


STOPPED: Line = (Span("Live", "title"), Span("  ✗ stopped · ", "blocked"), *hint("`ctrl+r` tries again"))


def live_title(
    reading: MonitorStep | None, *, paused: int | None, following: bool, shown: str, width: int = 1000
) -> Line:
    """Returns `Live · 2 sessions · lag 0.0 s · 14/min`, with as many facts as fit before the filter and the pause."""
    if reading is None:
        return (Span("Live", "title"), Span("  starting…", "muted"))
    feed = reading.feed
    behind: Role = "warn" if feed.lag > _SLOW else "muted"
    facts: list[Line] = [
        (Span("Live", "title"),),
        (Span(noun(feed.sessions, "session"), "muted"),),
        (Span(f"lag {_seconds(feed.lag)}", behind),),
        (Span(f"{count(reading.pace.per_minute)}/min", "muted"),),
    ]
    if feed.pending > 1024:
        facts.append((Span(f"{size(feed.pending)} to read", behind),))
    state = _held(paused, following, shown)
    return (*fitting(facts, Span(" · ", "muted"), width - len(plain(state))), *state)


def _held(paused: int | None, following: bool, shown: str) -> Line:
    line: Line = ()
    if paused is not None:
        line = (Span(f" · paused, {noun(paused, 'new message')} · ", "warn"), *hint("`p` goes on"))
    elif not following:
        line = (Span(" · not following, ", "muted"), Span("G", "key"), Span(" does", "muted"))
    return (*line, Span(f" /{safe(shown)}", "warn")) if shown else line


def _seconds(lag: timedelta) -> str:
    seconds = lag.total_seconds()
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def funnel_lines(tally: Tally, reading: MonitorStep | None, width: int) -> tuple[Line, ...]:
    """Draws a bar of messages passed and dropped for each step, then the gate, latency and cost."""
    bar = max(6, min(28, width - _BESIDE_BAR))
    steps = (
        ("stage 1", tally.heard, tally.candidates, "matched a trigger"),
        ("stage 2", tally.candidates, tally.scored, "scored enough"),
        ("active", tally.scored, tally.active, "activated a topic"),
    )
    return (*(_step(tally, bar, *step) for step in steps), _gate(tally), _costs(tally, reading, width))


def _step(tally: Tally, bar: int, name: str, came: int, passed: int, words: str) -> Line:
    share = tally.passed(passed)
    full = round(share * bar)
    dropped = f" −{count(came - passed)} dropped" if came > passed else ""
    return (
        Span(f"{name:<8}", "muted"),
        Span("━" * full, "line_ok"),
        Span("─" * (bar - full), "line_empty"),
        Span(f" {count(passed):>6} {percent(share):>5} {words:<17}"),
        Span(dropped, "muted"),
    )


def _gate(tally: Tally) -> Line:
    if not tally.asked:
        return (Span("gate    ", "muted"), Span("not asked"))
    asked = f"asked of {count(tally.asked)} of {count(tally.scored)}"
    return (Span("gate    ", "muted"), Span(f"{asked}, refused {count(tally.asked - tally.said_yes)}"))


def _costs(tally: Tally, reading: MonitorStep | None, width: int) -> Line:
    spent = f", ${tally.usd:.4f}" if tally.usd else ""
    calls = f"{noun(tally.gate_calls, 'topic gate call')}{spent}" if tally.gate_calls else "no call of the topic gate"
    facts: list[Line] = [(Span("cost    ", "muted"), Span(calls))]
    if tally.gate_failed:
        facts.append((Span(f"✗ {noun(tally.gate_failed, 'topic gate failure')}", "blocked"),))
    pace = reading.pace if reading is not None else None
    if pace is not None and pace.p95_ms > 0:  # before the first message there is nothing to tell
        facts.append((Span(f"p50 {milliseconds(pace.p50_ms)}, p95 {milliseconds(pace.p95_ms)}"),))
    if tally.corrections:
        facts.append((Span(noun(tally.corrections, "hint")),))
    return fitting(facts, Span(" · "), width)


def funnel_title(tally: Tally, *, replay: bool) -> Line:
    return (Span("This replay" if replay else "Today", "title"), Span(f" {noun(tally.messages, 'message')}", "muted"))


def skipped_words(feed: Batch, missing: int = 0) -> str:
    """Says what was not read of session files, or empty; `missing` counts followed paths that are gone."""
    parts = [f"{number:,} {reason.value}" for reason, number in sorted(feed.skipped.items())]
    told = f"skipped lines: {', '.join(parts)}" if parts else ""
    left = f"{noun(feed.left_out, 'file')} not followed: too many, or an unusable name" if feed.left_out else ""
    gone = f"{noun(missing, 'followed path')} not there: f forgets" if missing else ""
    return " · ".join(filter(None, (gone, lost_words(feed), told, left)))


def lost_words(feed: Batch) -> str:
    """Says how many bytes were cut from session files before they were read; empty if there is none."""
    return f"{feed.lost:,} bytes lost: cut or overwritten before they were read" if feed.lost else ""


class TopicFigureRows(LazyRows[TopicProblem | Topic]):
    """Shows errors first, then every topic with its priority and its activations."""

    def __init__(self, topics: TopicSet, active: Collection[str] = ()) -> None:
        super().__init__((*worst_first(topics.problems), *topics.topics))
        self._active = active

    def made(self, item: TopicProblem | Topic) -> ListRow:
        return _problem_row(item) if isinstance(item, TopicProblem) else _topic_row(item, item.id in self._active)


def worst_first(problems: Iterable[TopicProblem]) -> tuple[TopicProblem, ...]:
    return tuple(sorted(problems, key=lambda problem: (not problem.error, problem.path, problem.line)))


def _problem_row(problem: TopicProblem) -> ListRow:
    mark = Span("✗ ", "blocked") if problem.error else Span("! ", "warn")
    where = Span(f"{file_name(problem.path)}:{problem.line} ", "info")
    return ListRow((mark, where, Span(safe(problem.message))))


def _topic_row(topic: Topic, active: bool) -> ListRow:
    sign = WOKE if active else LISTENS if topic.enabled else OFF
    mark = Span(f"{sign.glyph} ", sign.role)
    own = f" ≥ {topic.similarity_threshold:g}" if topic.similarity_threshold is not None else ""
    right = f"{topic.priority.value} · {topic.activation.value}{own}" if topic.enabled else OFF.word
    return ListRow((mark, Span(safe(topic.id), "text" if topic.enabled else "muted")), (Span(right, "muted"),))


def topic_detail(topics: TopicSet, index: int) -> tuple[str, tuple[Line, ...]]:
    """Shows one row of the list of topics in full."""
    bad = worst_first(topics.problems)
    if index < len(bad):
        problem = bad[index]
        effect = "The topic is disabled until this is fixed." if problem.error else "The topic works nevertheless."
        return safe(problem.path), (
            fact("line", Span(str(problem.line))),
            (),
            (Span(safe(problem.message), "blocked" if problem.error else "warn"),),
            (),
            (Span(effect, "muted"),),
        )
    topic = topics.topics[index - len(bad)]
    own = f" · similarity_threshold {topic.similarity_threshold:g}" if topic.similarity_threshold is not None else ""
    own += " · similarity_only" if topic.similarity_only else ""
    lines: list[Line] = [
        (Span(safe(topic.title), "strong"), Span(f"  {safe(topic.path)}", "muted")),
        (Span(safe(" ".join(topic.description.split()))),),
        (),
        fact("priority", Span(f"{topic.priority.value} · {topic.activation.value}{own}")),
        fact("context", Span(f"at most {topic.max_context_kb:g} kB")),
    ]
    for trigger in topic.triggers:
        scope = f"  {trigger.scope.value}" if trigger.scope.value != "input" else ""
        lines.append(
            fact("trigger", Span(f"{trigger.kind} ", "strong"), Span(safe(trigger.what)), Span(scope, "muted"))
        )
        if trigger.correction_hint:
            lines.append(fact("", Span("» ", "warn"), Span(safe(trigger.correction_hint))))
    lines += [fact("brings", Span(safe(path))) for path in topic.subscriptions]
    for number, said in enumerate(topic.exemplars, 1):
        lines.append(fact("exemplar" if number == 1 else "", Span(f"{number} ", "muted"), Span(safe(said))))
    lines += [(), *((Span(safe(line), "muted"),) for line in topic.instructions.split("\n")[:200])]
    return safe(topic.id), tuple(lines)


def judged_words(judged: int, decisions: int, *, here: bool) -> Line:
    """Returns `y useful n not u unsure 41 of 88 judged`, without keys unless `here`; empty without decisions."""
    if not decisions:
        return ()
    keys: list[Span] = []
    for key, word in (("y", "useful"), ("n", "not"), ("u", "unsure")) if here else ():
        keys += [Span(f"{'  ' if keys else ''}{key}", "key"), Span(f" {word}", "muted")]
    return (*keys, Span(f"{'  ' if keys else ''}{judged:,} of {decisions:,} judged", "muted"))


def empty_lines(topics: TopicSet | None) -> tuple[Line, ...]:
    """Says that no message came yet, and what to do about it."""
    if topics is None:
        return told("reading topics…")
    if not topics.topics and not topics.problems:
        return text_lines("no_topics")
    return (*told(f"no message yet today · {noun(len(topics.topics), 'topic')} listening"), *text_lines("no_message"))


def trouble(words: str) -> tuple[Line, ...]:
    """Shows an error in place of rows: the first line names it, the others say what to do."""
    first, *rest = words.split("\n")
    return ((Span(safe(first), "blocked"),), *(told("\n".join(rest)) if rest else ()))


def told(words: str) -> tuple[Line, ...]:
    """Shows words in place of rows, a line each."""
    return tuple((Span(safe(line), "muted"),) for line in words.split("\n"))


def decision_title(shown: tuple[LogEntry, int] | None) -> Line:
    """Names the shown message, decision or hint."""
    if shown is None:
        return (Span("Decision", "title"),)
    entry, part = shown
    if 0 <= part < len(entry.decisions):
        return (Span("Decision ", "title"), Span(safe(entry.decisions[part].topic), "accent"))
    return (Span("Message" if part < 0 else "Hint", "title"),)


def topics_title(topics: TopicSet | None) -> Line:
    bad = sum(problem.error for problem in topics.problems) if topics is not None else 0
    known = len(topics.topics) if topics is not None else 0
    name: Line = (Span("Topics", "title"), Span(f" ⟨{count(known)}⟩", "muted"))
    return (*name, Span(f" ✗ {count(bad)} broken", "blocked")) if bad else name
