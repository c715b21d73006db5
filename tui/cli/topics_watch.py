"""`topics watch` and `topics tune`: what sessions wake, as JSON lines; better thresholds, as a plan."""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.errors import UsageError
from engine.sessions.feed import Begin
from engine.sessions.messages import LineProblem
from engine.sessions.monitor import Monitor, MonitorStep
from engine.text.secrets.outgoing import redacted
from engine.topics.decision import Decision
from engine.topics.decision_log import LogEntry, Useful
from engine.topics.steering import HintOutcome
from tui.cli.output import print_json, stderr, stdout
from tui.cli.plan_json import outcome_json
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console
from tui.present.topics.figures import lost_words
from tui.present.words import noun

if TYPE_CHECKING:
    from engine.services.topics import TopicService

POLL_SECONDS = 0.1
"""Seconds between two looks at the sessions when nothing waits to be read."""
AT_ONCE = 200
"""Messages that are decided before they are printed."""


@command("watch", short_help="What sessions activate, a JSON line per message.")
@click.argument("paths", nargs=-1, metavar="[PATH]…")
@click.option("--follow", is_flag=True, help="Go on as the files grow, from where the last run was.")
@click.option(
    "--from",
    "begin",
    type=click.Choice([begin.value for begin in Begin]),
    help="With --follow, where to begin: after what was read before (default), at the start, at the end.",
)
@click.option("--active", "only_active", is_flag=True, help="Only messages that activate a topic or bring a hint.")
def watch_command(settings: Settings, paths: Sequence[str], follow: bool, begin: str | None, only_active: bool) -> None:
    """Reads session files (the workspace's transcripts where no PATH is named) and prints what each message activates.

    Without --follow it reads the files whole, once. Every decision goes into the log, each message once.
    """
    if begin and not follow:
        raise UsageError("--from goes with --follow", hint="without it whole files are read")
    with open_console(settings) as console:
        sessions, problems = console.sessions, stderr(settings.no_color)
        for problem in console.topics.current().problems:
            problems.line(f"memdeck: {problem.path}:{problem.line}: {problem.message}")
        places = [Path(path).expanduser() for path in paths]
        if not follow:
            _read(settings, sessions.read_all(places), only_active)
            return
        start = Begin(begin) if begin else Begin.LAST
        monitor = (
            sessions.monitor_only(places, begin=start) if places else sessions.monitor(begin=start, consumer="watch")
        )
        try:
            told = _follow(monitor, console.real_now, only_active)
        finally:
            monitor.close()
        for line in told:
            problems.line("memdeck: ", line)


def _read(
    settings: Settings, files: Iterable[tuple[tuple[LogEntry, ...], dict[LineProblem, int]]], only_active: bool
) -> None:
    skipped: Counter[LineProblem] = Counter()
    for entries, problems in files:
        _print(entries, only_active)
        skipped.update(problems)
    for line in _skipped(skipped):
        stderr(settings.no_color).line("memdeck: ", line)


def _follow(monitor: Monitor, clock: Callable[[], datetime], only_active: bool) -> list[str]:
    """Prints until it is interrupted; then what was skipped, and what was amiss."""
    reading = MonitorStep()
    try:
        while True:
            reading = monitor.step(clock(), AT_ONCE)
            _print(reading.decided, only_active)
            if not reading.feed.behind:
                time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        lost = lost_words(reading.feed)
        return [*reading.problems, *([lost] if lost else []), *_skipped(reading.feed.skipped)]


def _skipped(counts: Mapping[LineProblem, int]) -> list[str]:
    return [f"{noun(count, 'line')} skipped: {reason.value}" for reason, count in sorted(counts.items())]


def _print(entries: Sequence[LogEntry], only_active: bool) -> None:
    for entry in entries:
        if not only_active or entry.result.active or entry.result.corrections:
            sys.stdout.write(json.dumps(redacted(entry_json(entry)), ensure_ascii=True) + "\n")
    sys.stdout.flush()


def entry_json(entry: LogEntry) -> dict[str, Any]:
    """The keys of `topics match`, and where the message stands; `steering` says what became of each hint."""
    result, funnel = entry.result, entry.result.funnel
    return {
        "id": entry.key,
        "session": entry.session,
        "source": entry.source,
        "line": entry.line,
        "role": entry.role,
        "time": entry.said_at.isoformat() if entry.said_at else None,
        "injected": entry.injected,
        "text": entry.text,
        "candidates": list(result.candidates),
        "scores": dict(result.scores),
        "decisions": [_decision(one) for one in result.decisions],
        "active": list(result.active),
        "corrections": [
            {"topic": one.topic, "hint": one.hint} for one in entry.steered if one.verdict is HintOutcome.GIVEN
        ],
        "steering": [{"topic": one.topic, "verdict": one.verdict.value} for one in entry.steered],
        "context": [_active(one) for one in entry.woken.active],
        "funnel": {"tier1": funnel.tier1, "tier2": funnel.tier2, "gate": funnel.gated, "active": funnel.active},
        "ms": round(funnel.tier1_ms + funnel.tier2_ms + funnel.gate_ms, 3),
        "usd": funnel.cost_usd,
    }


def _decision(one: Decision) -> dict[str, Any]:
    evidence = [{"trigger": e.trigger, "what": e.what, "start": e.start, "end": e.end} for e in one.evidence]
    return {
        "topic": one.topic,
        "rule": one.rule.value,
        "gate": one.gate.value,
        "activated": one.activated,
        "score": one.score,
        "evidence": evidence,
        "reason": one.reason,
    }


def _active(one: Any) -> dict[str, Any]:
    return {
        "topic": one.topic,
        "until": one.until.isoformat(),
        "bytes": one.cost,
        "files": [file.path for file in one.files],
        "left_out": {gone.path: gone.reason for gone in one.left_out},
    }


@command("tune", short_help="Better thresholds and patterns from what was judged, as a plan.")
@click.option(
    "--judge",
    nargs=3,
    multiple=True,
    metavar="MESSAGE TOPIC yes|no|unsure",
    help="Say of a message in the log whether a topic was right to become active (or should have been).",
)
@click.option("--log", "show_log", is_flag=True, help="The decisions that could be judged, newest last.")
@click.option("-n", "count", type=click.IntRange(1, 50_000), default=50, help="How many of them (default 50).")
def tune_command(settings: Settings, judge: Sequence[tuple[str, str, str]], show_log: bool, count: int) -> None:
    """Proposes changes of topic files that would have decided better on the judged messages, and queues them.

    Precision and recall stand before and after each change. Nothing is written before it is approved.
    """
    from engine.plans.planning import PlanRequest

    with open_console(settings) as console:
        if show_log or judge:
            entries = console.topics.recent(50_000)
            if judge:
                _judge(settings, console.topics, entries, judge)
                return
            marks = {(one.message, one.topic): one.useful for one in console.topics.judgements()}
            _show_log(settings, entries, marks, count)
            return
        with progress(settings) as tick:
            outcome = console.plans.make("tune", PlanRequest(tick=tick))
        if settings.json:
            print_json(outcome_json(console, "tune", outcome))
            return
        printer = stdout(settings.no_color)
        printer.block(outcome.report.rstrip("\n"))
        if outcome.plan is None:
            printer.line(f"no plan: {outcome.reason_no_action or 'nothing to do'}")
        else:
            printer.line(f"queued {outcome.plan.id} · {noun(len(outcome.plan.changes), 'topic')}")
            printer.line(f"see it with `memdeck show {outcome.plan.id} --diff`")


def _judge(
    settings: Settings, topics: "TopicService", entries: Sequence[LogEntry], judge: Sequence[tuple[str, str, str]]
) -> None:
    known = {entry.key: entry for entry in entries}
    made = []
    for message, topic, useful in judge:
        if message not in known:
            raise UsageError("no such message in the log", where=message, hint="memdeck topics tune --log")
        if useful not in tuple(Useful):
            raise UsageError("a judgement is yes, no or unsure", where=useful, hint="--judge MESSAGE TOPIC yes")
        made.append(topics.judge(known[message], topic, Useful(useful)))
    if settings.json:
        print_json(made)
        return
    for one in made:
        stdout(settings.no_color).line(f"{one.message}  {one.topic}  {one.useful.value}")


def _show_log(
    settings: Settings, entries: Sequence[LogEntry], marks: Mapping[tuple[str, str], Useful], count: int
) -> None:
    rows = [(entry, decision) for entry in entries for decision in entry.decisions][-count:]
    if settings.json:
        print_json(
            [
                {"message": entry.key, "at": entry.at, "text": entry.text, **_decision(decision)}
                | {"useful": marks.get((entry.key, decision.topic))}
                for entry, decision in rows
            ]
        )
        return
    printer = stdout(settings.no_color)
    printer.table(
        [
            [
                entry.key,
                decision.topic,
                "active" if decision.activated else "not active",
                decision.rule.value,
                str(marks.get((entry.key, decision.topic), "–")),
                entry.text[:60].replace("\n", " "),
            ]
            for entry, decision in rows
        ]
    )
    if not rows:
        printer.line("no decision is in the log yet: `memdeck topics watch` makes some")
