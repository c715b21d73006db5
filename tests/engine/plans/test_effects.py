"""Prediction: a pure simulation that apply must reach (promise A2)."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Refused, Stale
from engine.plans.operation import Effect, Rename, Withdraw, Write
from engine.plans.plan import Change, Input, Plan
from engine.plans.prediction import manifest, paths_of, predict, reverse
from engine.text.canonical_json import sha256_hex
from tests.engine.plans.rig import START, append, create, move, overwrite
from tests.engine.plans.test_queue import make_plan
from tests.turn import examples

FILES = {"memory/a.md": b"alpha\n", "memory/b.md": b"\xef\xbb\xbfbeta\r\n"}


def plan_of(*changes: Change) -> Plan:
    paths = {path for change in changes for path in (change.path, getattr(change, "to", change.path))}
    inputs = tuple(Input(path, sha256_hex(FILES[path]) if path in FILES else None) for path in sorted(paths))
    return msgspec.structs.replace(make_plan(now=START), changes=changes, inputs=inputs)


def effects_of(*changes: Change) -> tuple[Effect, ...]:
    return predict(plan_of(*changes), tuple(c.n for c in changes), FILES.__getitem__).effects


def test_each_change_is_one_effect() -> None:
    assert effects_of(create(1, "memory/new.md", "new\n")) == (Write("memory/new.md", None, sha256_hex(b"new\n")),)
    old = sha256_hex(FILES["memory/a.md"])
    assert effects_of(overwrite(1, "memory/a.md", "x")) == (Write("memory/a.md", old, sha256_hex(b"x")),)
    assert effects_of(move(1, "memory/a.md", "memory/z.md")) == (
        Rename("memory/a.md", "memory/z.md", old, len(FILES["memory/a.md"])),
    )


def test_a11_appends_keep_the_old_bytes_as_a_prefix_and_come_out_as_one_effect() -> None:
    """A11, G14: BOM and CRLF stay; two appends to one file are one write."""
    prediction = predict(
        plan_of(append(1, "memory/b.md", "one\n"), append(2, "memory/b.md", "two\n")), (1, 2), FILES.__getitem__
    )
    (effect,) = prediction.effects
    assert isinstance(effect, Write)
    assert prediction.contents[effect.after] == FILES["memory/b.md"] + b"one\ntwo\n"


def test_later_changes_build_on_earlier_ones() -> None:
    prediction = predict(
        plan_of(create(1, "memory/n.md", "a\n"), append(2, "memory/n.md", "b\n")), (1, 2), FILES.__getitem__
    )
    assert list(prediction.contents.values()) == [b"a\nb\n"]
    assert effects_of(overwrite(1, "memory/a.md", "alpha\n")) == (), "a change that changes nothing has no effect"


def test_only_the_chosen_changes_count() -> None:
    plan = plan_of(create(1, "memory/n.md", "a\n"), overwrite(2, "memory/a.md", "x\n"))
    assert paths_of(predict(plan, (2,), FILES.__getitem__).effects) == ("memory/a.md",)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ((create(1, "memory/a.md", "x"),), "is there already"),
        ((append(1, "memory/a.md", "x"), move(2, "memory/a.md", "memory/z.md")), "both write and move"),
        ((move(1, "memory/a.md", "memory/z.md"), create(2, "memory/a.md", "x")), "both move and write"),
        ((move(1, "memory/a.md", "memory/z.md"), append(2, "memory/z.md", "x")), "both move and write"),
        ((move(1, "memory/a.md", "memory/b.md"),), "taken"),
        ((move(1, "memory/a.md", "memory/z.md"), move(2, "memory/b.md", "memory/z.md")), "taken"),
        ((create(1, "../out.md", "x"),), "not a path inside"),
        ((create(1, "/etc/out.md", "x"),), "absolute"),
        ((create(1, ".git/hooks/post-commit", "x"),), "no plan may write here"),
        ((create(1, "notes/.GIT/config", "x"),), "no plan may write here"),
        ((create(1, ".memdeck/held/x", "x"),), "no plan may write here"),
        ((move(1, "memory/a.md", ".git/config"),), "no plan may write here"),
        ((create(1, "memory/n.md", "\ud800"),), "not valid Unicode"),
    ],
)
def test_g15_what_cannot_be_done_is_refused(changes: tuple[Change, ...], why: str) -> None:
    """G15: paths stay inside and out of git's folder; each path is in one effect at most."""
    with pytest.raises(Refused, match=why):
        effects_of(*changes)


def test_a_needed_file_that_the_plan_did_not_find_is_stale() -> None:
    with pytest.raises(Stale):
        effects_of(append(1, "memory/missing.md", "x"))


def test_reversing_twice_gives_the_effects_again() -> None:
    effects: tuple[Effect, ...] = (Write("n", None, "1"), Write("o", "2", "3"), Rename("a", "b", "4"))
    assert reverse(effects) == (Rename("b", "a", "4"), Write("o", "3", "2"), Withdraw("n", "1"))
    assert reverse(reverse(effects)) == effects
    assert manifest(effects) == {"n": "1", "o": "3", "a": None, "b": "4"}
    assert manifest(reverse(effects)) == {"n": None, "o": "2", "a": "4", "b": None}


@given(st.lists(st.tuples(st.sampled_from(["append", "overwrite"]), st.text(max_size=20)), min_size=1, max_size=6))
@settings(max_examples=examples(200))
def test_a_sequence_on_one_file_is_what_writing_it_would_give(steps: list[tuple[str, str]]) -> None:
    """A2: the simulation equals plain string operations."""
    changes: list[Change] = []
    expected = FILES["memory/a.md"]
    for n, (kind, text) in enumerate(steps, start=1):
        changes.append(append(n, "memory/a.md", text) if kind == "append" else overwrite(n, "memory/a.md", text))
        expected = expected + text.encode() if kind == "append" else text.encode()
    prediction = predict(plan_of(*changes), tuple(range(1, len(steps) + 1)), FILES.__getitem__)
    assert list(prediction.contents.values()) == ([expected] if expected != FILES["memory/a.md"] else [])


def test_predicting_reads_nothing_but_bound_inputs(tmp_path: Path) -> None:
    read: list[str] = []

    def reader(path: str) -> bytes:
        read.append(path)
        return FILES[path]

    predict(plan_of(create(1, "memory/n.md", "x"), append(2, "memory/a.md", "y")), (1, 2), reader)
    assert read == ["memory/a.md"]
    assert list(tmp_path.iterdir()) == []
