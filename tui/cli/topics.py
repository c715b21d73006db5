"""Runs `topics`: lists topics, and shows what a message, a webhook or passing time activates."""

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from importlib import import_module
from typing import IO, Any

import click
import msgspec

from engine.errors import UsageError
from engine.text.secrets.detector import redacted
from engine.topics.decision_log import LogEntry
from engine.topics.messages import CronEvent, Direction, Event, Message, ToolCall, WebhookEvent
from engine.topics.output_hints import HintOutcome
from engine.topics.topic import Topic, TopicProblem, TopicSet
from tui.cli.output import Answer, Piece, Printer, Styled, Text, TextTable, stderr
from tui.cli.settings import Settings, command, group, open_console, opened
from tui.present.glyphs import FAILED
from tui.present.words import noun


class BadLine(Exception):
    """A line that is no message; `str` gives the reason."""


class _Said(msgspec.Struct):
    """A message as another program writes it."""

    text: str
    id: str | int | float | None = None
    direction: Direction = Direction.INPUT
    session: str | None = None
    time: str | None = None
    tool_calls: list[ToolCall] = []
    paths: list[str] = []
    injected: bool = False
    mood: float = 0.0


_DECODER = msgspec.json.Decoder(_Said)


def read_message(line: bytes) -> tuple[Any, Message]:
    """Returns the id as written, and the message. Raises `BadLine`."""
    try:
        said = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadLine(str(error)) from None
    calls = [*said.tool_calls, *([ToolCall("", tuple(said.paths))] if said.paths else [])]
    return said.id, Message(
        id="" if said.id is None else str(said.id),
        text=said.text,
        direction=said.direction,
        time=_instant(said.time),
        session=said.session or "",
        tool_calls=tuple(calls),
        injected=said.injected,
        mood=max(-1.0, min(1.0, said.mood)),
    )


def _instant(written: str | None) -> datetime | None:
    if not written:
        return None
    try:
        at = datetime.fromisoformat(written)
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise BadLine(f"`time` is no ISO 8601 instant: {written[:40]!r}") from None


def answer(entry: LogEntry, said_id: Any) -> dict[str, Any]:
    """Returns the answer of `CLI.md`, then the evidence; `corrections` has the given hints, `withheld` the others."""
    values: dict[str, Any] = msgspec.to_builtins(entry.result)
    given = [each for each in entry.steered if each.verdict is HintOutcome.GIVEN]
    kept = [each for each in entry.steered if each.verdict is not HintOutcome.GIVEN]
    values |= {
        "id": said_id,
        "corrections": [{"topic": each.topic, "hint": each.hint} for each in given],
        "withheld": [{"topic": each.topic, "hint": each.hint, "reason": each.verdict.value} for each in kept],
    }
    first = ("id", "candidates", "scores", "decisions", "active", "corrections")
    return {key: values[key] for key in (*first, *(key for key in values if key not in first))}


LONGEST_LINE = 4 << 20  # bytes of one message's line
FIRST_LOOK = timedelta(minutes=1)
"""The time before now that the first `event cron` covers; later ones begin where the last ended."""

SUBCOMMANDS = dict.fromkeys(("match", "list", "event"), "tui.cli.topics")
SUBCOMMANDS |= dict.fromkeys(("watch", "follow", "tune"), "tui.cli.topics_watch")


class TopicCommands(click.Group):
    """Loads a subcommand when it is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = SUBCOMMANDS.get(cmd_name)
        return getattr(import_module(module), f"{cmd_name}_command") if module else None


topics_command = group("topics", __name__, cls=TopicCommands)


@command("match")
def match_command(settings: Settings, apart: bool) -> int:
    problems, skipped = stderr(settings.no_color), 0
    with open_console(settings) as console, console.topics.stream(apart=apart) as stream:
        _say_disabled(console.topics.current(), problems)
        for number, line in enumerate(_lines(sys.stdin.buffer), 1):
            if not line.strip():
                continue
            try:
                said_id, message = read_message(line)
            except BadLine as bad:
                skipped += 1
                problems.line(f"memdeck: line {number}: {bad}; skipped")
                continue
            _print_line(answer(stream.hear(message, console.now()), said_id))
    if skipped:
        problems.line(f"memdeck: {noun(skipped, 'line')} skipped")
        return UsageError.exit_code
    return 0


def _say_disabled(topics: TopicSet, problems: Printer) -> None:
    if disabled := {problem.path for problem in topics.problems if problem.error}:
        problems.line(f"memdeck: {noun(len(disabled), 'topic file')} disabled by errors, see `memdeck topics list`")


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yields lines as they arrive; of one that is too long, an unreadable beginning."""
    while line := stream.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and not line.endswith(b"\n") and line:
            line = stream.readline(LONGEST_LINE + 1)


def _print_line(value: dict[str, Any]) -> None:
    said = {"id": value["id"]} if "id" in value else {}  # the program's own, by which it knows its message
    sys.stdout.write(json.dumps(redacted(value) | said, ensure_ascii=True) + "\n")
    sys.stdout.flush()


@command("event")
def event_command(settings: Settings, kind: str, names: Sequence[str], text: str, since: str | None) -> int:
    console = opened(settings)
    with console.topics.stream() as stream:
        now = console.now()
        if kind == "webhook":
            event = _webhook(names, text)
        else:
            event = _cron(names, _since(since, now) or console.schedule.last_cron(now - FIRST_LOOK), now)
        entry = stream.event(event, now)
        if kind == "cron" and since is None:
            console.schedule.keep_cron(now)
        _print_line(answer(entry, event.id))
    return 0


def _webhook(names: Sequence[str], text: str) -> Event:
    if not 1 <= len(names) <= 2:
        raise UsageError("a webhook has a source and at most one event", hint="memdeck topics event webhook email new")
    source, event = [*names, ""][:2]
    return WebhookEvent(id=f"webhook:{source}:{event}", source=source, event=event, text=text)


def _cron(names: Sequence[str], since: datetime, now: datetime) -> Event:
    if names:
        raise UsageError(f"cron takes no name, not {names[0]!r}", hint="memdeck topics event cron --since TIME")
    return CronEvent(id=f"cron:{now.isoformat()}", since=since, until=now)


def _since(written: str | None, now: datetime) -> datetime | None:
    if written is None:
        return None
    from engine.workspace.dates import instant

    try:
        return instant(written, now, "UTC", day_at=time.min, past=True)
    except UsageError as error:
        raise UsageError(f"{written!r} is not a date or time", where="--since", hint=error.hint) from None


@command("list")
def list_command(settings: Settings) -> Answer:
    topics = opened(settings).topics.current()
    errors = [problem for problem in topics.problems if problem.error]
    remarks = [problem for problem in topics.problems if not problem.error]
    facts = {"topics": [_topic_json(topic) for topic in topics.topics], "errors": errors, "remarks": remarks}
    return Answer(facts, _topic_rows(topics.topics, errors, remarks))


def _topic_rows(topics: Sequence[Topic], errors: Sequence[TopicProblem], remarks: Sequence[TopicProblem]) -> Text:
    if not topics and not errors:
        yield "no topics: a topic is a file topics/NAME.md that begins with `type: topic`"
    yield TextTable([_row(topic) for topic in topics])
    for problem in errors:
        yield Styled(f"{FAILED.glyph} ", fg="red"), Styled(_where(problem), bold=True), f"  {problem.message}"
    for problem in remarks:
        yield Styled("! ", fg="yellow"), Styled(_where(problem), bold=True), f"  {problem.message}"
    if errors:
        disabled = len({problem.topic for problem in errors})
        yield f"{noun(len(topics), 'topic')}, {noun(disabled, 'file')} disabled by errors"


def _where(problem: TopicProblem) -> str:
    return f"{problem.path}:{problem.line}"


def _topic_json(topic: Topic) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(topic)
    values.pop("instructions")
    return values


def _row(topic: Topic) -> list[Piece]:
    kinds = list(dict.fromkeys(trigger.kind for trigger in topic.triggers))
    wakes = [*kinds, *(["similarity"] if topic.similarity_only else [])]
    return [
        Styled(topic.id, fg="cyan", bold=True),
        topic.activation.value,
        topic.priority.value,
        ", ".join(wakes) or "—",
        f"{topic.max_context_kb:g} KB",
        Styled("" if topic.enabled else "off", fg="yellow"),
        topic.title,
    ]
