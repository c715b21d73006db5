"""Consolidations by other tools: a burst is one item, with its account, and is taken back as a plan."""

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused, UsageError
from engine.monitoring.agent_changes import AgentAction, AgentChange
from engine.monitoring.consolidations.bursts import (
    GAP,
    MANY,
    SPAN,
    MemoryTool,
    NoteChangeAt,
    find_bursts,
    is_openclaw,
    owners,
)
from engine.monitoring.consolidations.records import candidates, unrecorded
from engine.plans.plan import Move, Plan, Replace, RiskTier
from engine.services.consolidations import ConsolidationItem
from engine.services.engine import Engine
from engine.text.canonical_json import sha256_hex
from tests.engine.lifecycle.applying import approve

AT = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
ENTRIES = [f"- 2026-02-{day:02}: decision {day} of billing stands\n" for day in range(1, 21)]
MEMORY = f"# Memory\n\n## Decisions\n\n{''.join(ENTRIES)}\n## Lessons\n\n- look at the queue before a deploy\n"
PROMOTED = "\n## Promoted From Short-Term Memory (2026-03-15)\n\n<!-- openclaw-memory-promotion:memory:x -->\n"
DREAMT = MEMORY.replace("".join(ENTRIES[5:15]), "") + f"{PROMOTED}- ls -la NO_REPLY [score=0.853 recalls=4]\n"
OPENCLAW = {"SOUL.md": "# Soul\n", "MEMORY.md": MEMORY, "memory/2026-03-14.md": "# 2026-03-14\n\n- a deploy\n"}
INDEX = "".join(f"- [Topic {n}](topic_{n}.md) — hook {n}\n" for n in range(6))
TOPIC = "---\nname: topic-{n}\ndescription: d\ntype: project\n---\nFact {n} stands.\n\n**Why:** reason {n}\n"
CLAUDE = {"MEMORY.md": INDEX, **{f"topic_{n}.md": TOPIC.format(n=n) for n in range(6)}}
CODEX = {
    f"memories/{name}.md": f"v1\n\n- a{name}\n- b{name}\n" for name in ("memory_summary", "MEMORY", "raw_memories")
}
LETTA = {
    f"system/{name}.md": f"---\ndescription: {name}\n---\n- a {name}\n- b {name}\n"
    for name in ("human", "persona", "team")
}

Write = Callable[[Mapping[str, str | None]], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "ws"


def written(folder: Path, files: Mapping[str, str | None], at: datetime = AT) -> None:
    """Writes notes as a tool does at an instant; None takes one away."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            file.unlink()
        else:
            file.write_text(text, encoding="utf-8", newline="")
        place = file.parent if text is None else file
        os.utime(place, (at.timestamp(), at.timestamp()))


@pytest.fixture
def opened(folder: Path) -> Iterator[Callable[[Mapping[str, str]], Engine]]:
    """Opens a workspace whose notes the operator has seen."""
    engines: list[Engine] = []

    def open_it(files: Mapping[str, str]) -> Engine:
        written(folder, files, AT - timedelta(days=2))
        engines.append(Engine.open(folder))
        engines[-1].review.looked(look=True)
        return engines[-1]

    yield open_it
    for engine in engines:
        engine.close()


Opened = Callable[[Mapping[str, str]], Engine]


def seen(engine: Engine) -> tuple[ConsolidationItem, ...]:
    engine.review.since_looked(look=True)
    return engine.consolidations.look()


def only(engine: Engine) -> ConsolidationItem:
    (item,) = seen(engine)
    return item


def applied(engine: Engine, plan: Plan | None) -> None:
    assert plan is not None
    approve(engine, plan)
    engine.review.since_looked(look=True)


def test_a_night_of_dreaming_is_one_item_with_its_account(folder: Path, opened: Opened) -> None:
    """Decision D25: what a tool left out is told entry by entry; decision G16: its marks are known."""
    engine = opened(OPENCLAW)
    assert seen(engine) == ()
    written(folder, {"MEMORY.md": DREAMT, "memory/dreaming/deep/2026-03-15.md": "# Deep\n\nran\n", "DREAMS.md": "a\n"})
    item = only(engine)
    one, account = item.consolidation, item.account
    assert (one.tool, one.began, one.ended) == (MemoryTool.OPENCLAW, AT, AT)
    assert [note.path for note in one.notes] == ["DREAMS.md", "MEMORY.md", "memory/dreaming/deep/2026-03-15.md"]
    assert account.line() == "21 entries = 11 kept + 0 moved + 0 merged + 10 lost; 3 new, 1 like junk"
    assert [row.junk for row in account.junk] == ["a mark of the tool that wrote it"]
    assert [note.before for note in one.notes if note.path == "MEMORY.md"] == [MEMORY.encode()]
    assert only(engine).consolidation == one, "it is recorded once"


@pytest.mark.parametrize(
    ("tool", "files", "burst"),
    [
        (
            MemoryTool.CLAUDE_CODE,
            CLAUDE,
            {"MEMORY.md": "- [Topic 0](topic_0.md) — all\n", "topic_1.md": None, "topic_2.md": None},
        ),
        (MemoryTool.CODEX, CODEX, dict.fromkeys(CODEX, "v1\n\n- c\n")),
        (MemoryTool.LETTA, LETTA, dict.fromkeys(LETTA, "---\ndescription: x\n---\n- c\n")),
        (MemoryTool.OPENCLAW, OPENCLAW, {"MEMORY.md": MEMORY.replace("".join(ENTRIES[:MANY]), "")}),
        (MemoryTool.OPENCLAW, {"MEMORY.md": "# M\n\n- one\n"}, {"MEMORY.md": f"# M\n\n- one\n{PROMOTED}- two\n"}),
    ],
)
def test_each_tool_is_known_by_its_notes(
    folder: Path, opened: Opened, tool: MemoryTool, files: dict[str, str], burst: dict[str, str | None]
) -> None:
    engine = opened(files)
    written(folder, burst)
    item = only(engine)
    assert item.consolidation.tool is tool
    assert {note.path for note in item.consolidation.notes} == set(burst)
    assert item.account.before == sum(item.account.facts()[name] for name in ("kept", "moved", "merged", "lost"))


@pytest.mark.parametrize(
    ("files", "change"),
    [
        (OPENCLAW, {"memory/2026-03-14.md": "# 2026-03-14\n\n- a deploy\n" + "- more of the day\n" * 30}),
        (OPENCLAW, {"memory/2026-03-15.md": "# 2026-03-15\n\n- a day\n"}),
        (OPENCLAW, {"MEMORY.md": MEMORY + "- one more lesson\n"}),
        (OPENCLAW, {f"notes/{n}.md": "- x\n" for n in range(20)}),
        (CLAUDE, {"topic_9.md": TOPIC.format(n=9), "MEMORY.md": INDEX + "- [Topic 9](topic_9.md) — hook\n"}),
        ({"knowledge/a.md": MEMORY}, {"knowledge/a.md": "# Memory\n"}),
    ],
)
def test_what_an_agent_writes_day_by_day_is_none(
    folder: Path, opened: Opened, files: dict[str, str], change: dict[str, str]
) -> None:
    engine = opened(files)
    written(folder, change)
    assert seen(engine) == ()


def test_taken_back_whole_the_notes_are_as_before(folder: Path, opened: Opened) -> None:
    engine = opened(OPENCLAW)
    written(folder, {"MEMORY.md": DREAMT, "DREAMS.md": "- dreamt\n"})
    item = only(engine)
    plan = engine.revert.consolidation(item.consolidation.id).plan
    assert plan is not None and plan.system == "revert" and plan.risk_tier is RiskTier.C
    first, second = plan.changes
    assert isinstance(first, Move) and isinstance(second, Replace)
    assert item.consolidation.id in second.reason
    applied(engine, plan)
    assert (folder / "MEMORY.md").read_text("utf-8") == MEMORY and not (folder / "DREAMS.md").exists()
    assert seen(engine) == (), "it is decided on"
    assert [one.taken_back for one in engine.consolidations.all()] == [True]


def test_one_entry_taken_back_leaves_the_rest(folder: Path, opened: Opened) -> None:
    engine = opened(OPENCLAW)
    written(folder, {"MEMORY.md": DREAMT})
    account = only(engine).account
    sixth = next(row.number for row in account.changed if row.entry.text == ENTRIES[5].strip())
    junk = account.junk[0].number
    applied(engine, engine.revert.consolidation("", (sixth, junk)).plan)
    text = (folder / "MEMORY.md").read_text("utf-8")
    assert text == DREAMT.replace(ENTRIES[4], ENTRIES[4] + ENTRIES[5]).replace(
        "- ls -la NO_REPLY [score=0.853 recalls=4]\n", ""
    )
    assert only(engine).is_open, "the rest waits still"
    with pytest.raises(UsageError, match="no such entry"):
        engine.revert.consolidation("", (99,))


def test_later_lines_stay_and_what_overlaps_is_refused(folder: Path, opened: Opened) -> None:
    engine = opened(OPENCLAW)
    written(folder, {"MEMORY.md": DREAMT})
    name = only(engine).consolidation.id
    written(folder, {"MEMORY.md": f"{DREAMT}- written by hand later\n"}, AT + timedelta(hours=5))
    plan = engine.revert.consolidation(name).plan
    assert plan is not None and isinstance(plan.changes[0], Replace)
    assert plan.changes[0].content == f"{MEMORY}- written by hand later\n"
    written(folder, {"MEMORY.md": DREAMT.replace("NO_REPLY", "reworded by hand")}, AT + timedelta(hours=6))
    with pytest.raises(Refused, match="changed later"):
        engine.revert.consolidation(name)


def test_what_our_own_operations_did_is_none(folder: Path, opened: Opened) -> None:
    engine = opened(OPENCLAW)
    written(folder, {"MEMORY.md": DREAMT})
    applied(engine, engine.revert.consolidation(only(engine).consolidation.id).plan)
    assert len(engine.consolidations.all()) == 1
    written(folder, {"MEMORY.md": DREAMT}, AT + timedelta(days=1))
    assert only(engine).consolidation.began == AT + timedelta(days=1), "the next night is another one"


def test_it_stays_when_the_operator_looked_and_goes_when_it_is_kept(folder: Path, opened: Opened) -> None:
    engine = opened(OPENCLAW)
    written(folder, {"MEMORY.md": DREAMT})
    engine.review.looked(look=True)
    item = only(engine)
    assert engine.review.since_looked(look=True).changes == ()
    assert engine.consolidations.keep(item.consolidation.id[-4:], "it was right").consolidation.reason == "it was right"
    assert seen(engine) == ()
    assert engine.revert.consolidation(item.consolidation.id).plan is not None, "it may be taken back later still"


def test_a_burst_that_goes_on_is_the_same_item(folder: Path, opened: Opened) -> None:
    engine = opened(OPENCLAW)
    written(folder, {"MEMORY.md": DREAMT})
    first = only(engine).consolidation
    more = f"{DREAMT}- and a last line\n"
    written(folder, {"MEMORY.md": more, "DREAMS.md": "- dreamt\n"}, AT + GAP)
    one = only(engine).consolidation
    assert one.id == first.id and (one.began, one.ended) == (AT, AT + GAP)
    assert {note.path: (note.before, note.after) for note in one.notes} == {
        "MEMORY.md": (MEMORY.encode(), more.encode()),
        "DREAMS.md": (None, b"- dreamt\n"),
    }


def test_two_nights_are_two_items_each_against_the_one_before(folder: Path, opened: Opened) -> None:
    engine = opened(OPENCLAW)
    written(folder, {"MEMORY.md": DREAMT})
    only(engine)
    second = DREAMT.replace("".join(ENTRIES[15:]), "- all of billing stands\n" * 3)
    written(folder, {"MEMORY.md": second}, AT + timedelta(days=1))
    newer, older = (item.consolidation.notes[0] for item in seen(engine))
    assert (older.before, older.after) == (MEMORY.encode(), DREAMT.encode())
    assert (newer.before, newer.after) == (DREAMT.encode(), second.encode())


def test_a_note_that_moved_away_counts_as_moved(folder: Path, opened: Opened) -> None:
    engine = opened(CLAUDE)
    written(
        folder, {"topic_1.md": None, "old/topic_1.md": CLAUDE["topic_1.md"], "MEMORY.md": "- [Topic 0](topic_0.md)\n"}
    )
    account = only(engine).account
    assert account.facts()["moved"] == 2 and account.facts()["lost"] == 5


def test_nothing_is_recorded_where_nothing_is_written(folder: Path, opened: Opened) -> None:
    opened(OPENCLAW).close()
    written(folder, {"MEMORY.md": DREAMT})
    with Engine.open(folder, read_only=True) as engine:
        item = only(engine)
        with pytest.raises(Refused):
            engine.consolidations.keep(item.consolidation.id)
    assert not list(Path(os.environ["XDG_STATE_HOME"]).rglob("consolidations"))


def test_a_record_that_is_none_is_told_and_passed_over(folder: Path, opened: Opened) -> None:
    engine = opened(OPENCLAW)
    written(folder, {"MEMORY.md": DREAMT})
    only(engine)
    (file,) = Path(os.environ["XDG_STATE_HOME"]).rglob("consolidations/c-*.json")
    file.write_bytes(b'{"id": ')
    assert [item.consolidation.id for item in seen(engine)] == [file.stem], "it is recorded anew"
    (file.parent / "c-x.json").write_bytes(b"[]")
    assert len(seen(engine)) == 1 and engine.consolidations.unreadable() == (str(file.parent / "c-x.json"),)


MINUTES = st.lists(st.integers(0, 200), min_size=1, max_size=12)


@given(MINUTES)
def test_every_change_of_a_tool_is_in_one_burst_at_most(minutes: list[int]) -> None:
    changes = [
        NoteChangeAt(path=f"memory/n{at}.md", before=b"- x\n" * MANY, after=b"", at=AT + timedelta(minutes=minute))
        for at, minute in enumerate(minutes)
    ]
    bursts = find_bursts(changes, {MemoryTool.OPENCLAW: lambda _: True})
    paths = [one.path for burst in bursts for one in burst.changes]
    assert sorted(paths) == sorted(one.path for one in changes)
    for burst in bursts:
        times = sorted(one.at for one in burst.changes if one.at is not None)
        assert times[-1] - times[0] <= SPAN
        assert all(later - earlier <= GAP for earlier, later in pairwise(times))


@given(st.lists(st.text(alphabet="ab/.md\x00é ", max_size=12)))
def test_no_name_of_a_note_is_an_error(paths: list[str]) -> None:
    for owns in owners([*paths, *OPENCLAW, *LETTA, *CLAUDE, *CODEX], lambda _: b"---\ndescription: x\n---\n").values():
        assert all(owns(path) in (True, False) for path in paths)


PATHS = st.sampled_from(["MEMORY.md", "memory/2026-03-14.md", "knowledge/a.md", "knowledge/b.md", "archive/a.md"])
TEXTS = st.sampled_from([None, b"- x\n" * MANY, b"- y\n" * MANY, f"{PROMOTED}- z\n".encode()])
TOOLS = st.sampled_from(
    [{}, {MemoryTool.OPENCLAW: is_openclaw}, {MemoryTool.CODEX: lambda path: path.startswith("knowledge/")}]
)


@given(st.dictionaries(PATHS, st.tuples(TEXTS, TEXTS).filter(lambda sides: sides[0] != sides[1])), TOOLS)
def test_the_changes_that_are_passed_over_unread_make_no_burst(
    sides: dict[str, tuple[bytes | None, bytes | None]], tools: dict[MemoryTool, Callable[[str], bool]]
) -> None:
    listed = [change_of(path, *both) for path, both in sides.items()]
    kept = {one.path for one in candidates(unrecorded(listed, ()), tools)}
    changes = [NoteChangeAt(path=path, before=both[0], after=both[1], at=AT) for path, both in sides.items()]
    assert find_bursts([one for one in changes if one.path in kept], tools) == find_bursts(changes, tools)


def change_of(path: str, before: bytes | None, after: bytes | None) -> AgentChange:
    old, new = (None if data is None else sha256_hex(data) for data in (before, after))
    return AgentChange(path=path, did=AgentAction.CHANGED, before=old, after=new, size_before=0, size_after=0)


def test_of_a_thousand_notes_that_no_tool_rewrites_none_is_read(
    folder: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ten thousand of them unseen, a change on disk was shown after six seconds or with the next one."""
    engine = opened(OPENCLAW)
    written(folder, {f"knowledge/reference/note-{n}.md": f"# Note {n}\n" for n in range(1_000)} | {"MEMORY.md": DREAMT})
    sides, asked = engine.changes.sides, list[str]()

    def counted(change: AgentChange) -> tuple[bytes | None, bytes | None]:
        asked.append(change.path)
        return sides(change)

    monkeypatch.setattr(engine.changes, "sides", counted)
    assert only(engine).consolidation.tool is MemoryTool.OPENCLAW
    assert set(asked) == {"MEMORY.md"}


def test_g26_a_tool_is_named_where_its_mark_or_its_lock_shows_it_and_nowhere_else() -> None:
    """field.md H24: an overwritten MEMORY.md was put down to dreaming."""
    from engine.monitoring.consolidations.bursts import LOCKS, shown_by

    at, never = datetime(2026, 3, 15, 3, 0, tzinfo=UTC), lambda _path: None
    assert shown_by(MemoryTool.OPENCLAW, b"- a\n", b"- b\n", at, never) == ""
    assert shown_by(MemoryTool.OPENCLAW, b"- a\n", b"- b\n" + PROMOTED.encode(), at, never) == "its mark"
    for tool, (lock, *_) in LOCKS.items():
        times = {lock: at - timedelta(minutes=20)}
        assert shown_by(tool, b"- a\n", b"- b\n", at, times.get) == "its lock file"
        assert shown_by(tool, b"- a\n", b"- b\n", at + timedelta(hours=1), times.get) == ""
    assert shown_by(MemoryTool.CODEX, b"", b"", at, lambda _path: at) == ""
