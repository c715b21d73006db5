"""Runs `topics watch` and `topics tune`: prints what sessions activate as JSON lines, and plans thresholds."""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.schedule.heartbeat import FOLLOWER
from engine.services.heartbeat import HeartbeatService
from engine.sessions.feed import Begin
from engine.sessions.messages import LineProblem
from engine.sessions.monitor import Monitor, MonitorStep
from engine.text.secrets.detector import redacted
from engine.topics.decision import Decision
from engine.topics.decision_log import LogEntry, Useful
from engine.topics.output_hints import HintOutcome
from tui.cli.outcomes import dry_run
from tui.cli.output import Answer, Piece, Styled, TextTable, fields, stderr
from tui.cli.plan_json import outcome_json
from tui.cli.settings import Settings, command, opened
from tui.present.topics.funnel_figures import lost_words
from tui.present.words import noun
from tui.system.given_path import absolute_path

POLL_SECONDS = 0.1  # seconds between two looks at the sessions when nothing waits to be read
BEAT = timedelta(minutes=5)  # time between two signs of life
AT_ONCE = 200  # messages that are decided before they are printed


@command("watch")
def watch_command(settings: Settings, paths: Sequence[str], follow: bool, begin: str | None, only_active: bool) -> int:
    if begin and not follow:
        raise UsageError("--from goes with --follow", hint="without it whole files are read")
    console = opened(settings)
    sessions, problems = console.sessions, stderr(settings.no_color)
    for problem in console.topics.current().problems:
        problems.line(f"memdeck: {problem.path}:{problem.line}: {problem.message}")
    places = [Path(path).expanduser() for path in paths]
    if not follow:
        told = _read(sessions.read_all(places), only_active)
    else:
        start = Begin(begin) if begin else Begin.LAST
        watched = places and sessions.monitor(places, begin=start, consumer="watch", alone=True)
        with closing(watched or sessions.monitor(begin=start, consumer="watch")) as monitor:
            told = _follow(monitor, console.heartbeat, console.real_now, only_active)
    for line in told:
        problems.line("memdeck: ", line)
    return 0


def _read(files: Iterable[tuple[tuple[LogEntry, ...], dict[LineProblem, int]]], only_active: bool) -> list[str]:
    """Prints what the messages of files activate, and returns what was skipped."""
    skipped: Counter[LineProblem] = Counter()
    for entries, problems in files:
        _print(entries, only_active)
        skipped.update(problems)
    return _skipped(skipped)


def _follow(
    monitor: Monitor, heartbeat: HeartbeatService, clock: Callable[[], datetime], only_active: bool
) -> list[str]:
    """Prints until it is interrupted, and returns what was skipped and what failed."""
    reading, next_beat = MonitorStep(), clock()
    try:
        while True:
            if (now := clock()) >= next_beat:
                heartbeat.beat(FOLLOWER)
                next_beat = now + BEAT
            reading = monitor.step(now, AT_ONCE)
            _print(reading.decided, only_active)
            if not reading.feed.behind:
                time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        heartbeat.ended(FOLLOWER)
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
    """Returns the keys of `topics match`, and the message's place; `steering` has the outcome of each hint."""
    result, funnel = entry.result, entry.result.funnel
    given = [each for each in entry.steered if each.verdict is HintOutcome.GIVEN]
    return {
        "id": entry.key,
        **fields(entry, "session source line role"),
        "time": entry.said_at.isoformat() if entry.said_at else None,
        **fields(entry, "injected text"),
        "candidates": list(result.candidates),
        "scores": dict(result.scores),
        "decisions": [_decision(decision) for decision in result.decisions],
        "active": list(result.active),
        "corrections": [fields(each, "topic hint") for each in given],
        "steering": [fields(each, "topic verdict") for each in entry.steered],
        "context": [_active(each) for each in entry.woken.active],
        "funnel": {**fields(funnel, "tier1 tier2"), "gate": funnel.gated, "active": funnel.active},
        "ms": round(funnel.tier1_ms + funnel.tier2_ms + funnel.gate_ms, 3),
        "usd": funnel.cost_usd,
    }


def _decision(made: Decision) -> dict[str, Any]:
    evidence = [fields(e, "trigger what start end") for e in made.evidence]
    facts = {**fields(made, "topic rule"), "gate": made.gate, **fields(made, "activated score")}
    return {**facts, "evidence": evidence, "reason": made.reason}


def _active(active: Any) -> dict[str, Any]:
    return {
        "topic": active.topic,
        "until": active.until.isoformat(),
        "bytes": active.cost,
        "files": [file.path for file in active.files],
        "left_out": {gone.path: gone.reason for gone in active.left_out},
    }


@command("tune")
def tune_command(settings: Settings, judge: Sequence[tuple[str, str, str]], show_log: bool, count: int) -> Answer:
    console = opened(settings)
    topics = console.topics
    if judge:
        known = {entry.key: entry for entry in topics.recent(50_000)}
        made = [topics.judge(known[message], topic, useful) for message, topic, useful in _judgements(known, judge)]
        return Answer(made, [f"{each.message}  {each.topic}  {each.useful.value}" for each in made])
    if show_log:
        entries = topics.recent(50_000)
        marks = {(judgement.message, judgement.topic): judgement.useful for judgement in topics.judgements()}
        return _log_answer(entries, marks, count)
    outcome = dry_run(settings, console, "tune")
    lines = [*outcome.report.rstrip("\n").split("\n"), f"no plan: {outcome.reason_no_action or 'nothing to do'}"]
    if outcome.plan is not None:
        lines[-1:] = [f"queued {outcome.plan.id} · {noun(len(outcome.plan.changes), 'topic')}"]
        lines.append(f"see it with `memdeck show {outcome.plan.id} --diff`")
    return Answer(partial(outcome_json, console, "tune", outcome), lines)


def _judgements(
    known: Mapping[str, LogEntry], judge: Sequence[tuple[str, str, str]]
) -> Iterator[tuple[str, str, Useful]]:
    """Yields the judgements in order, so that those before a wrong one are kept."""
    for message, topic, useful in judge:
        if message not in known:
            raise UsageError("no such message in the log", where=message, hint="memdeck topics tune --log")
        if useful not in tuple(Useful):
            raise UsageError("a judgement is yes, no or unsure", where=useful, hint="--judge MESSAGE TOPIC yes")
        yield message, topic, Useful(useful)


def _log_answer(entries: Sequence[LogEntry], marks: Mapping[tuple[str, str], Useful], count: int) -> Answer:
    facts, rows = [], []
    decided = [(entry, decision) for entry in entries for decision in entry.decisions]
    for entry, decision in decided[-count:]:
        useful = marks.get((entry.key, decision.topic))
        facts.append(
            {"message": entry.key, "at": entry.at, "text": entry.text, **_decision(decision), "useful": useful}
        )
        state = "active" if decision.activated else "not active"
        text = entry.text[:60].replace("\n", " ")
        rows.append([entry.key, decision.topic, state, decision.rule.value, str(useful or "–"), text])
    return Answer(
        facts, [TextTable(rows)] if rows else ["no decision is in the log yet: `memdeck topics watch` makes some"]
    )


@command("follow")
def follow_command(settings: Settings, paths: Sequence[str], forgotten: Sequence[str]) -> Answer:
    sessions = opened(settings).sessions
    for path in forgotten:
        sessions.unfollow(absolute_path(path))
    for path in paths:
        sessions.follow(absolute_path(path))
    follows = sessions.followed()
    there, missing = ([str(path) for path in paths] for paths in (follows.there, follows.missing))
    rows: list[list[Piece]] = [[path] for path in there]
    rows += [[Styled("! ", fg="yellow"), path, "  is not there"] for path in missing]
    none = "nothing besides the workspace's own transcripts; memdeck topics follow PATH adds a file or a folder"
    return Answer({"followed": there, "missing": missing}, rows or [none])
