"""The cooldown of the semantic step and its stamp (compactor §Semantic Compaction Cooldown, decision A12)."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.limits.cooldown import MetaFile, cooldown, read_meta, stamped
from engine.compactor.options import CompactorHistory
from engine.errors import Refused
from engine.plans.plan import Create, Replace
from engine.workspace.layout import META_PATH
from tests.engine.compactor.workspace import NOW, SEEN, Workspace, episodic

INSIGHT = "Always drain the queue before a schema migration"
OLD = {"memory/episodic/old.md": episodic(40, [INSIGHT])}


def meta_of(text: str | bytes) -> MetaFile:
    return read_meta(Workspace({META_PATH: text}).read)


def stamp(moment: datetime) -> str:
    return json.dumps({"lastCompactionAt": moment.isoformat()})


def test_a12_the_later_of_our_record_and_the_file_counts() -> None:
    hour = timedelta(hours=1)
    own = CompactorHistory(last_semantic_at=NOW - 30 * hour)
    assert cooldown(meta_of(stamp(NOW - 2 * hour)), own, NOW, 24).last == NOW - 2 * hour
    own = CompactorHistory(last_semantic_at=NOW - hour)
    assert cooldown(meta_of(stamp(NOW - 40 * hour)), own, NOW, 24).last == NOW - hour
    assert cooldown(MetaFile(), CompactorHistory(), NOW, 24).last is None


@pytest.mark.parametrize(("seconds", "active"), [(-1, True), (0, False), (1, False)])
def test_a12_the_cooldown_ends_after_a_full_day(seconds: int, active: bool) -> None:
    last = NOW - timedelta(hours=24, seconds=seconds)
    state = cooldown(meta_of(stamp(last)), SEEN, NOW, 24)
    assert (state.active, state.until) == (active, last + timedelta(hours=24))


def test_a12_a_future_stamp_is_active_and_warns() -> None:
    state = cooldown(meta_of(stamp(NOW + timedelta(days=900))), SEEN, NOW, 24)
    assert state.active
    assert "future" in state.warning
    farthest = cooldown(meta_of('{"lastCompactionAt": "9999-12-31T23:59:59+00:00"}'), SEEN, NOW, 24)
    assert farthest.active


def test_a12_a_stamp_with_another_offset_or_none_is_understood() -> None:
    tokyo = datetime(2026, 3, 15, 11, 0, tzinfo=timezone(timedelta(hours=9)))
    assert cooldown(meta_of(stamp(tokyo)), SEEN, NOW, 24).until == datetime(2026, 3, 16, 2, 0, tzinfo=UTC)
    assert meta_of('{"lastCompactionAt": "2026-03-14T10:00:00"}').stamp == datetime(2026, 3, 14, 10, tzinfo=UTC)
    assert meta_of('{"lastCompactionAt": "2026-03-14T10:00:00.000Z"}').stamp == datetime(2026, 3, 14, 10, tzinfo=UTC)


def test_a12_what_is_wrong_with_the_file_is_said_in_words() -> None:
    def problem(data: bytes) -> str:
        return read_meta(lambda _path: data).problem

    assert problem(b"{\n  oops") == f"{META_PATH} is skipped: it is not JSON (line 2, column 3)"
    assert problem(b"\xff") == f"{META_PATH} is skipped: it is not UTF-8"


@pytest.mark.parametrize(
    "data",
    [
        b"not json",
        b"[]",
        b'{"lastCompactionAt": 5}',
        b'{"lastCompactionAt": "soon"}',
        b"\xff\xfe",
        b'{"a": 1, "a": 2}',
        b"[" * 100_000,
        b'{"x": "' + b"y" * 70_000 + b'"}',
    ],
)
def test_a12_an_unreadable_file_warns_is_left_alone_and_our_own_record_counts(data: bytes) -> None:
    history = CompactorHistory(applied=True, last_semantic_at=NOW - timedelta(hours=1))
    workspace = Workspace({**OLD, META_PATH: data})
    plan = workspace.planned(history=history)
    assert [c.id for c in plan.confirmations] == ["cooldown"]
    assert any("is skipped" in warning for warning in plan.warnings)
    assert META_PATH not in plan.targets()
    assert "Cooldown: WARNING" in plan.report


def test_a12_a_file_that_cannot_be_opened_is_a_problem_and_no_error() -> None:
    def refuse(path: str) -> bytes:
        raise Refused("a link; links are not followed", where=path)

    assert "a link" in read_meta(refuse).problem


def test_a12_the_stamp_comes_with_a_semantic_write_and_needs_one() -> None:
    plan = Workspace({**OLD}).planned()
    meta = next(change for change in plan.changes if change.path == META_PATH)
    assert isinstance(meta, Create)
    assert json.loads(meta.content) == {"lastCompactionAt": NOW.isoformat()}
    append = next(change.n for change in plan.changes if change.path.startswith("memory/semantic/"))
    assert plan.missing_requirements((meta.n,)) == {meta.n: (append,)}
    assert plan.missing_requirements((append, meta.n)) == {}


def test_a12_any_one_of_several_entries_is_enough_for_the_stamp() -> None:
    plan = Workspace(
        {"memory/episodic/old.md": episodic(40, [INSIGHT, "Never restart the broker during a deploy"])}
    ).planned()
    meta = next(change for change in plan.changes if change.path == META_PATH)
    assert meta.requires_any == (1, 2)
    assert plan.missing_requirements((2, meta.n)) == {2: (1,)}, "the second entry needs the shard that the first makes"
    assert plan.missing_requirements((1, meta.n)) == {}


def test_a12_no_semantic_write_means_no_stamp_and_no_question() -> None:
    history = CompactorHistory(applied=True, last_semantic_at=NOW - timedelta(hours=1))
    files = {"memory/episodic/empty.md": episodic(40), "memory/working/2026-03-01.md": "A note.\n"}
    plan = Workspace(files).planned(history=history)
    assert META_PATH not in plan.targets()
    assert plan.confirmations == ()
    assert "Cooldown: active until 2026-03-16T02:00:00+00:00" in plan.report


def test_a12_the_question_is_about_the_semantic_changes_only() -> None:
    """Approving the notes alone asks nothing; any entry among the chosen changes does."""
    history = CompactorHistory(applied=True, last_semantic_at=NOW)
    plan = Workspace({**OLD, "memory/working/2026-03-01.md": "A note.\n"}).planned(history=history)
    entries = tuple(change.n for change in plan.changes if change.path.startswith("memory/semantic/"))
    notes = tuple(change.n for change in plan.changes if "2026-03-01" in change.path)
    assert plan.confirmations_of(notes) == ()
    assert [one.id for one in plan.confirmations_of(entries)] == ["cooldown"]


def test_a12_unknown_keys_and_layout_of_the_file_are_kept() -> None:
    text = '{\n    "version": 3,\n    "lastCompactionAt" : "2026-01-01T00:00:00Z",\n    "by": "ü"\n}\n'
    new = stamped(meta_of(text), NOW)
    assert new == text.replace("2026-01-01T00:00:00Z", NOW.isoformat())


def test_a12_a_stamp_inside_another_value_is_not_taken_for_ours() -> None:
    text = '{"history": {"lastCompactionAt": "2025-01-01T00:00:00Z"}, "lastCompactionAt": "2026-01-01T00:00:00Z"}'
    new = json.loads(stamped(meta_of(text), NOW))
    assert new == {"history": {"lastCompactionAt": "2025-01-01T00:00:00Z"}, "lastCompactionAt": NOW.isoformat()}


@given(st.dictionaries(st.text(max_size=20), st.integers() | st.text(max_size=20) | st.none(), max_size=6))
def test_a12_every_other_key_survives(keys: dict[str, object]) -> None:
    keys.pop("lastCompactionAt", None)
    new = json.loads(stamped(meta_of(json.dumps(keys)), NOW))
    assert new == {**keys, "lastCompactionAt": NOW.isoformat()}


def test_the_meta_file_is_an_input_so_that_a_change_makes_the_plan_stale() -> None:
    absent = Workspace(OLD).planned()
    assert {item.path: item.sha256 for item in absent.inputs}[META_PATH] is None
    present = Workspace({**OLD, META_PATH: stamp(NOW - timedelta(days=9))}).planned()
    assert {item.path: item.sha256 for item in present.inputs}[META_PATH] is not None
    assert isinstance(next(c for c in present.changes if c.path == META_PATH), Replace)


def test_a_policy_without_cooldown_never_asks() -> None:
    assert not cooldown(meta_of(stamp(NOW)), SEEN, NOW, 0).active
