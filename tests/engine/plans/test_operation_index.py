"""The index of operations names what reading every record would find, and costs nothing but time where it is lost."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.plans.operation import Operation, OperationState, Write
from engine.plans.past_effects import took_place
from engine.plans.records.operation_index import OperationIndex, Side
from engine.plans.records.operations import Operations
from engine.state.private_files import write_private
from tests.engine.plans.rig import Rig, append, create, move
from tests.engine.plans.test_operations import make
from tests.turn import examples

NOTE = "memory/working/a.md"


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    made = Rig(tmp_path / "ws", tmp_path / "home")
    made.write(NOTE, "agent\n")
    made.apply(append(1, NOTE, "ours\n"))
    made.apply(create(1, "memory/episodic/e.md", "made\n"))
    made.apply(move(1, NOTE, "memory/archive/a.md"))
    return made


def touching(rig: Rig, *names: str) -> list[str]:
    rig.ctx = rig.open()
    return [one.id[-1] for one in rig.ctx.operations.index.touching(lambda: names)]


def file_of(rig: Rig) -> Path:
    return rig.ctx.state.path / "operations.db"


def test_only_operations_that_touched_a_path_are_named_the_newest_first(rig: Rig) -> None:
    assert touching(rig, NOTE) == ["3", "1"]
    assert touching(rig, "memory/archive/a.md") == ["3"]
    assert touching(rig, "nowhere.md") == []
    assert touching(rig, NOTE, "memory/episodic/e.md") == ["3", "2", "1"]


def test_names_learnt_on_the_way_are_followed_back(rig: Rig) -> None:
    names = ["memory/archive/a.md"]
    for operation in rig.ctx.operations.index.touching(lambda: names):
        names.extend(effect.path for effect in operation.effects)
        assert operation.id[-1] in "31"
    assert set(names) == {"memory/archive/a.md", NOTE}


def test_what_came_since_is_added_and_what_still_runs_is_read(rig: Rig) -> None:
    assert touching(rig, NOTE) == ["3", "1"]
    rig.write(NOTE, "anew\n")
    rig.apply(append(1, NOTE, "more\n"))
    rig.ctx.operations.save(replace(make("o-20990101-0001"), state=OperationState.RUNNING))
    assert touching(rig, NOTE) == ["1", "4", "3", "1"], "the running one too: it may touch anything"


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 200])
def test_a_damaged_index_is_made_anew(rig: Rig, damage: bytes) -> None:
    expected = touching(rig, NOTE)
    file_of(rig).write_bytes(damage)
    assert touching(rig, NOTE) == expected
    assert file_of(rig).stat().st_size > 4096


def test_without_a_place_for_the_index_the_answers_stay_the_same(rig: Rig) -> None:
    expected = touching(rig, NOTE)
    file_of(rig).unlink()
    file_of(rig).mkdir()
    assert touching(rig, NOTE) == expected
    assert [path for _, path, _ in rig.ctx.operations.index.displaced()] == [NOTE]


def test_a_record_that_was_damaged_and_is_whole_again_is_named(rig: Rig) -> None:
    (first,) = rig.ctx.state.operations.glob("o-*-0001.json")
    whole = first.read_bytes()
    write_private(first, b"")
    assert touching(rig, NOTE) == ["3"]
    write_private(first, whole)
    assert touching(rig, NOTE) == ["3", "1"]


words = st.lists(
    st.sampled_from(["alpha\n", "beta\n", "β ligature ﬁ\n", 'say "no" to it\n', "a\0b alphabet\n"]), max_size=4
)


@given(
    versions=st.lists(st.tuples(words, words, st.booleans()), min_size=1, max_size=12),
    text=st.sampled_from(["alpha", "bet", "β l", "ﬁ", 'y "no"', "to it", "b al", "zzz", "a\nb"]),
    committed=st.booleans(),
    first=st.integers(0, 12),
)
@settings(max_examples=examples(60), deadline=None)
def test_no_operation_that_changed_a_line_with_the_text_is_missed(
    tmp_path_factory: pytest.TempPathFactory,
    versions: list[tuple[list[str], list[str], bool]],
    text: str,
    committed: bool,
    first: int,
) -> None:
    store = Operations(tmp_path_factory.mktemp("index") / "operations")
    store.folder.mkdir()
    kept: dict[str, list[Side]] = {}

    def sides(operation: Operation) -> Sequence[Side]:
        return kept[operation.id]

    def add(number: int) -> None:
        before, after, in_git = versions[number]
        name = f"o-20260315-{number + 1:04d}"
        kept[name] = [("a.md", "".join(before).encode(), "".join(after).encode())]
        store.save(replace(make(name), effects=(Write("a.md", "1", "2"),), done=(0,), commit="c" if in_git else None))

    for number in range(min(first, len(versions))):
        add(number)
    list(store.index.holding("alpha", sides, committed=committed))
    for number in range(first, len(versions)):
        add(number)
    named = [one.id for one, _ in store.index.holding(text, sides, committed=committed)]
    assert named == sorted(named, reverse=True) and len(named) == len(set(named))
    for name, [(_, before, after)] in kept.items():
        lines = [set((side or b"").decode().split("\n")) for side in (before, after)]
        changed = any(text in line for line in lines[0] ^ lines[1])
        told_by_git = not committed and versions[int(name[-4:]) - 1][2]
        assert (name in named) or not changed or told_by_git
        assert not (name in named and told_by_git)


def test_a_search_that_was_broken_off_leaves_nothing_out(rig: Rig) -> None:
    def sides(operation: Operation) -> list[Side]:
        return [(operation.effects[index].path, None, b"ours\n") for index in took_place(operation)]

    asked = rig.ctx.operations.index.holding("ours", sides, committed=True)
    next(iter(asked))
    asked.close()  # type: ignore[attr-defined]
    assert len(list(rig.ctx.operations.index.holding("ours", sides, committed=True))) == 3
    read: list[str] = []

    def noted(operation: Operation) -> list[Side]:
        read.append(operation.id)
        return sides(operation)

    index = OperationIndex(file_of(rig), rig.ctx.operations.outlines, rig.ctx.operations.named)
    assert len(list(index.holding("nowhere", noted, committed=True))) == 0 and read == []
