"""Transcripts in the workspace's zone: their paths and headings, and the instants that are read from them again."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.extras.importers.session import ImportedSession
from engine.extras.importers.transcripts import NewTranscript, transcript_of
from engine.lifecycle.capture.events import SessionEnd, SessionStart, SpokenTurn
from engine.lifecycle.capture.transcript_text import TranscriptText, closed_path, open_path
from engine.lifecycle.lint.files import transcript_faults
from engine.lifecycle.lint.links import read_head
from engine.lifecycle.requests import CondensePart, CondenseRequest, ImportRequest
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.services.transcripts import closed_transcripts, transcript_turns
from engine.sessions.line_buffer import RawLine
from engine.sessions.transcript import Transcript
from engine.text.transcript_marks import Speaker
from tests.engine.extras.other_tools import lines
from tests.engine.extras.test_imports import put
from tests.engine.lifecycle.events import capture, end, said, start, transcripts

ZONES = st.sampled_from(sorted(available_timezones() - {"localtime"}))
CHANGES = st.sampled_from(
    [
        ("America/New_York", "2026-11-01T05:00"),  # an hour comes twice
        ("America/New_York", "2026-03-08T06:30"),  # an hour is left out
        ("Australia/Lord_Howe", "2026-04-04T14:30"),  # half an hour comes twice
        ("America/St_Johns", "2010-11-07T02:00"),  # back over midnight, a minute after it
        ("Pacific/Apia", "2011-12-30T09:30"),  # a day is left out
        ("Africa/Monrovia", "1972-01-07T00:30"),  # an offset with seconds
    ]
)
MOMENTS = st.tuples(ZONES, st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)).map(lambda at: at.isoformat()))
STEPS = st.lists(st.integers(0, 200_000).map(lambda seconds: timedelta(seconds=seconds)), max_size=8)
MINUTES = st.lists(st.integers(0, 5_400).map(lambda seconds: timedelta(seconds=seconds)), max_size=8)
WALKS = st.one_of(st.tuples(CHANGES, MINUTES), st.tuples(MOMENTS, STEPS))


def turns(began: datetime, steps: Sequence[timedelta]) -> list[SpokenTurn]:
    """A user's turns, the first at once, each so long after the one before."""
    times = [began]
    for step in steps:
        times.append(times[-1] + step)
    return [SpokenTurn(role=Speaker.USER, content=f"Turn {n}.", time=at.isoformat()) for n, at in enumerate(times)]


def read(path: str, text: str) -> list[datetime | None]:
    """The instants of its turns as every system reads them."""
    reader, found = Transcript(path), list[datetime | None]()
    for number, line in enumerate(text.split("\n"), 1):
        found += [one.message.time for one in reader.read(RawLine(number, line.encode(), number))]
    return [*found, *(one.message.time for one in reader.pause())]


def to_the_minute(at: datetime) -> datetime:
    """By the offset alone: a zone may have no such minute as the one that is cut off."""
    offset = at.utcoffset()
    assert offset is not None
    return at.replace(second=0, microsecond=0, tzinfo=timezone(offset)).astimezone(UTC)


def imported(began: datetime, events: Sequence[SpokenTurn]) -> ImportedSession:
    return ImportedSession(session="s-1", source="s-1.jsonl", events=tuple(events), topic="zones")


@given(WALKS)
def test_every_instant_is_read_as_it_was_to_the_minute(walk: tuple[tuple[str, str], list[timedelta]]) -> None:
    """D42: over midnight, over an hour that comes twice and one that is left out; and a lint finds no fault."""
    (zone, at), steps = walk
    began = datetime.fromisoformat(at).replace(tzinfo=UTC)
    events, begin = turns(began, steps), SessionStart(session_id="s", started=began.isoformat(), zone=zone)
    text = TranscriptText(begin)
    body = "".join(map(text.add, events))
    whole = text.closing(SessionEnd(ended=events[-1].time)) + body
    local = [datetime.fromisoformat(one.time).astimezone(ZoneInfo(zone)) for one in events]
    path = closed_path(begin, "zones")
    assert read(path, whole) == [to_the_minute(one) for one in local]
    assert path.startswith(f"raw/conversations/{local[0]:%Y/%m/%d/%H%M}-") and open_path(begin)[:35] == path[:35]
    assert [line for line in body.split("\n") if line.startswith("## ")] == [f"## {one:%H:%M} — user" for one in local]
    assert list(transcript_faults(read_head(path, whole.encode())[0])) == []


@given(WALKS, ZONES, ZONES, st.integers(0, 9))
def test_a_session_that_is_there_in_whichever_zone_comes_no_second_time(
    walk: tuple[tuple[str, str], list[timedelta]], then: str, now: str, at: int
) -> None:
    """Part of it was imported under one zone, the rest under another; old ones are in UTC."""
    began = datetime.fromisoformat(walk[0][1]).replace(tzinfo=UTC)
    events = turns(began, walk[1])
    there: dict[str, bytes] = {}
    for zone, until in (("UTC", at // 3), (then, at), (now, len(events))):
        made = transcript_of(imported(began, events[: until + 1]), "claude-code", zone, there, there.__getitem__)
        if made is not None:
            assert isinstance(made, NewTranscript)
            names = (made.path, *(f"{made.path.removesuffix('.md')}-{n}.md" for n in (2, 3)))
            there[next(name for name in names if name not in there)] = made.content.encode()
    for zone in ("UTC", then, now):
        assert transcript_of(imported(began, events), "claude-code", zone, there, there.__getitem__) is None


@pytest.fixture
def new_york(own_home: Path) -> Path:
    file = own_home / "config" / "memdeck" / "policy.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("zone: America/New_York\n")
    return file


def row(at: str, text: str, ident: str) -> dict[str, object]:
    return {"type": "user", "uuid": ident, "sessionId": "s-1", "timestamp": at, "message": {"content": text}}


def test_an_evening_in_new_york_lies_on_its_own_day(tmp_path: Path, new_york: Path) -> None:
    """Its path, its head, its headings, its entries and its journal; and what a change of the zone makes of it."""
    (tmp_path / "there").mkdir()
    (tmp_path / "ws/knowledge").mkdir(parents=True)
    rows = (
        row("2026-02-17T01:00:00Z", "We decided to keep everything in SQLite.", "u1"),
        row("2026-02-17T05:10:00Z", "It is late.", "u2"),
    )
    (tmp_path / "there/s-1.jsonl").write_bytes(lines(*rows))
    asked = PlanRequest(ImportRequest("claude-code", str(tmp_path / "there")))
    with Engine.open(tmp_path / "ws") as console:
        (path,) = put(tmp_path / "ws", console.plans.make("import", asked).plan)
    text = (tmp_path / "ws" / path).read_text("utf-8")
    assert path.startswith("raw/conversations/2026/02/16/2000-s_1_")
    assert "started: 2026-02-16T20:00:00-05:00\nended: 2026-02-17T00:10:00-05:00\nzone: America/New_York\n" in text
    assert "## 20:00 — user" in text and "<!-- 2026-02-17 -->\n\n## 00:10 — user" in text
    with Engine.open(tmp_path / "ws") as console:
        assert console.plans.make("import", asked).plan is None
        condensed = console.plans.make("condense", PlanRequest(CondenseRequest(only=(CondensePart.DAILY,)))).plan
        assert condensed is not None and "knowledge/journal/2026-02-16.md" in {one.path for one in condensed.changes}
        extracted = console.plans.make("extract").plan
        assert extracted is not None and "2026-02-16" in str(extracted.changes) and "02-17" not in extracted.report
    for zone in ("UTC", "Asia/Kolkata"):
        new_york.write_text(f"zone: {zone}\n")
        with Engine.open(tmp_path / "ws") as console:
            assert console.plans.make("import", asked).plan is None


def test_a_session_that_is_captured_keeps_the_zone_that_it_began_in(tmp_path: Path, new_york: Path) -> None:
    """Whoever sends its start names no zone, and a policy that changes meanwhile moves no open file."""
    first = start(at="2026-02-17T01:00:00Z", zone="Asia/Tokyo")
    capture(tmp_path, first, said("One.", at="2026-02-17T01:00:00Z"))
    new_york.write_text("zone: Asia/Kolkata\n")
    capture(
        tmp_path,
        first,
        said("One.", at="2026-02-17T01:00:00Z"),
        said("Two.", at="2026-02-17T01:05:00Z"),
        end("2026-02-17T01:06:00Z"),
    )
    ((path, data),) = transcripts(tmp_path).items()
    assert path.startswith("raw/conversations/2026/02/16/2000-ses_1-") and b"## 20:05 \xe2\x80\x94 user\n" in data


@pytest.mark.parametrize("head", ["started: 0001-01-01T00:00:00+05:00", "started: 9999-12-31T23:30:00-05:00"])
def test_no_head_and_no_mark_is_an_error_of_the_reader(head: str) -> None:
    marks = "<!-- 0001-01-01 +14:00 -->\n\n## 00:10 — user\nx\n\n<!-- 2026-13-01 -->\n<!-- 2026-01-01 +99:99 -->\n"
    text = f"---\n{head}\n---\n\n## 23:59 — user\nx\n\n## 01:00 — user\ny\n\n{marks}\n## 07:00 — user\nz\n"
    assert len(read("raw/conversations/2026/02/16/2000-s-x.md", text)) == 4


def test_a_transcript_of_a_zone_that_there_is_not_is_none_of_ours(tmp_path: Path) -> None:
    began = datetime(2026, 2, 17, 1, tzinfo=UTC)
    session = imported(began, turns(began, []))
    made = transcript_of(session, "claude-code", "UTC", (), dict[str, bytes]().__getitem__)
    assert isinstance(made, NewTranscript)
    there = {made.path: made.content.replace("tags:", "zone: ../../etc/passwd\ntags:").encode()}
    assert transcript_of(session, "claude-code", "UTC", there, there.__getitem__) is not None


def test_the_files_of_every_tool_give_the_same_turns_in_every_zone_and_come_no_second_time(
    tmp_path: Path, own_home: Path, shared_data: Path
) -> None:
    policy = own_home / "config" / "memdeck" / "policy.yaml"
    policy.parent.mkdir(parents=True)
    cases = sorted(case for case in (shared_data / "sessions").glob("*/*") if case.is_dir())
    for case in cases:
        kind = case.parent.name.replace("claude-export", "claude")
        asked = PlanRequest(ImportRequest(kind, str(case)))
        found = []
        for zone in ("UTC", "America/New_York"):
            policy.write_text(f"zone: {zone}\n")
            folder = tmp_path / kind / case.name / zone
            (folder / "knowledge").mkdir(parents=True)
            with Engine.open(folder) as console:
                put(folder, console.plans.make("import", asked).plan)
                snapshot, root = console._opened.fresh(look=True), console._opened.root
                turns = (turn for path in closed_transcripts(snapshot) for turn in transcript_turns(root, path))
                found.append(sorted((one.said_at, one.role, one.text) for one in turns))
                assert [one for one in console.maintenance.lint() if one.path.startswith("raw/")] == []
        assert found[0] == found[1] and found[0], case
        with Engine.open(tmp_path / kind / case.name / "UTC") as console:
            assert console.plans.make("import", asked).plan is None, case
    assert len(cases) > 30
