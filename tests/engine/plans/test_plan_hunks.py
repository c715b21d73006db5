"""Refusing hunks of a plan: exactly the text with the others, another digest, and checks that are made again."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused, Stale, UsageError
from engine.plans.line_hunks import hunks_between, lines_of, without
from engine.plans.plan import (
    Append,
    Change,
    Create,
    Input,
    LineOrigin,
    Move,
    Plan,
    QualityGate,
    Replace,
    RiskTier,
)
from engine.plans.plan_hunks import FACT, hunks_of, named_hunks, without_hunks
from engine.text.canonical_json import sha256_hex
from engine.workspace.values import LineSpan, WorkspaceIdentity

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d\r\n"]), max_size=12)
LAST = st.sampled_from(["", "e", "a"])
NUMBERS = st.sets(st.integers(1, 6))
NOTE, OTHER = "memory/working/a.md", "memory/working/b.md"
OLD = "".join(f"line {number}\n" for number in range(1, 21))
NEW = OLD.replace("line 3\n", "three\n").replace("line 10\n", "").replace("line 17\n", "line 17\nmore\n")


def a_plan(files: dict[str, str], *changes: Change, **more: Any) -> Plan:
    inputs = tuple(Input(path, sha256_hex(text.encode())) for path, text in files.items())
    new = tuple(Input(one.path, None) for one in changes if isinstance(one, Create))
    return Plan(
        id="p-20260315-0001",
        system=more.pop("system", "proposal"),
        trigger="asked",
        workspace=WorkspaceIdentity("/tmp/agent", 1, 1),
        now=NOW,
        zone="UTC",
        simulated_clock=False,
        made_at=NOW,
        policy_sha256="0" * 64,
        tokenizer="o200k_base",
        inputs=(*inputs, *new),
        changes=changes,
        **more,
    )


def replace(path: str, content: str, n: int = 1, **more: Any) -> Replace:
    return Replace(n=n, path=path, risk_tier=RiskTier.C, reason="asked", content=content, **more)


def reader(files: dict[str, str]) -> Any:
    return lambda path: files[path].encode()


def cut(files: dict[str, str], plan: Plan, *names: str) -> Plan:
    made = without_hunks(plan, named_hunks(names), "too long", reader(files))
    assert made is not None
    return made


# ── Texts ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@given(LINES, LAST, LINES, LAST, NUMBERS)
def test_a_text_without_hunks_is_exactly_the_text_with_the_others(
    before: list[str], end: str, after: list[str], last: str, refused: set[int]
) -> None:
    old, new = lines_of("".join(before) + end), lines_of("".join(after) + last)
    part = without("".join(old), "".join(new), refused)
    expected = list(old)
    for hunk in reversed(hunks_between(old, new)):
        if hunk.number not in refused:
            expected[slice(*hunk.left)] = new[slice(*hunk.right)]
    assert part.text == "".join(expected)
    there = lines_of(part.text)
    assert all(there[place] == new[line] for line, place in part.places.items())


@given(LINES, LINES)
def test_none_refused_is_the_text_after_and_all_refused_the_one_before(before: list[str], after: list[str]) -> None:
    old, new = "".join(before), "".join(after)
    every = {hunk.number for hunk in hunks_between(lines_of(old), lines_of(new))}
    assert without(old, new, set()).text == new
    assert without(old, new, every).text == old


# ── Plans ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@given(LINES, LINES, st.data())
def test_a_plan_without_hunks_has_another_digest_and_writes_just_the_rest(
    before: list[str], after: list[str], data: st.DataObject
) -> None:
    old, new = "".join(before), "".join(after)
    files = {NOTE: old, OTHER: "x\n"}
    plan = a_plan(files, replace(NOTE, new), replace(OTHER, "y\n", n=2))
    every = [hunk.number for hunk in hunks_between(lines_of(old), lines_of(new))]
    refused = data.draw(st.sets(st.sampled_from(every))) if every else set()
    made = without_hunks(plan, {1: frozenset(refused)}, "no", reader(files))
    assert made is not None
    assert made.digest != plan.digest
    part = without(old, new, refused).text
    written = {one.path: one.content for one in made.changes if isinstance(one, Replace)}
    assert written.pop(OTHER) == "y\n"
    assert written == ({} if refused and part == old else {NOTE: part})
    assert [one.n for one in made.changes] == list(range(1, len(made.changes) + 1))


def test_hunks_are_counted_as_a_revert_counts_them() -> None:
    files = {NOTE: OLD}
    (there,) = hunks_of(a_plan(files, replace(NOTE, NEW)), reader(files))
    assert there.whole == ""
    assert [(one.name, one.left, one.right, one.removed, one.added) for one in there.hunks] == [
        ("1#1", 3, 3, ("line 3\n",), ("three\n",)),
        ("1#2", 10, 10, ("line 10\n",), ()),
        ("1#3", 18, 17, (), ("more\n",)),
    ]


def test_what_was_refused_is_told_and_the_old_facts_and_warnings_stay() -> None:
    files = {NOTE: OLD}
    facts = {"reason": "learnt", "commit": {"lines": ["a model's words on all of it"]}}
    plan = a_plan(files, replace(NOTE, NEW), facts=facts, report="asked\n", warnings=("careful",), also=("p-1",))
    made = cut(files, plan, "1#2")
    assert (made.id, made.also, made.warnings) == ("", (), ("careful",))
    told = {"plan": plan.id, "digest": plan.digest, "hunks": ["1#2"], "reason": "too long"}
    assert made.facts == {"reason": "learnt", FACT: [told]}
    assert made.report == f"Without hunk 1#2 of {plan.id}: too long\n\nasked\n"
    again = cut(files, msgspec.structs.replace(made, id="p-20260315-0002"), "1#1")
    assert [one["hunks"] for one in again.facts[FACT]] == [["1#2"], ["1#1"]]
    (change,) = again.changes
    assert isinstance(change, Replace) and change.content == OLD.replace("line 17\n", "line 17\nmore\n")


def test_lines_keep_their_origins_at_their_new_places() -> None:
    files = {NOTE: OLD}
    origins = tuple(LineOrigin(line, LineSpan("raw.md", line, line)) for line in (3, 17))
    made = cut(files, a_plan(files, replace(NOTE, NEW, origins=origins)), "1#1", "1#2")
    assert [(one.line, one.source.start) for one in made.changes[0].origins] == [(18, 17)]
    appended = Append(n=1, path=NOTE, risk_tier=RiskTier.B, reason="", content="x\ny\n", origins=origins[:0])
    (there,) = hunks_of(a_plan(files, appended), reader(files))
    assert [(one.right, one.added) for one in there.hunks] == [(21, ("x\n", "y\n"))]


def test_a_change_without_any_hunk_left_goes_and_the_others_are_counted_again() -> None:
    files = {NOTE: OLD, OTHER: "x\n"}
    new = Create(n=1, path="memory/working/c.md", risk_tier=RiskTier.B, reason="", content="new\n")
    plan = a_plan(files, new, replace(NOTE, NEW, n=2), replace(OTHER, "y\n", n=3))
    made = cut(files, plan, "1#1", "2#1#2#3")
    assert [(one.n, one.path) for one in made.changes] == [(1, OTHER)]
    assert [item.path for item in made.inputs] == [OTHER]
    assert without_hunks(plan, named_hunks(["1#1", "2#1#2#3", "3#1"]), "no", reader(files)) is None


@pytest.mark.parametrize("name", ["1", "#1", "1#", "a#1", "1#0", "1#4", "9#1", "1#1\n", "1#1#9999999"])
def test_a_hunk_that_there_is_not_is_named(name: str) -> None:
    files = {NOTE: OLD}
    with pytest.raises(UsageError):
        without_hunks(a_plan(files, replace(NOTE, NEW)), named_hunks([name]), "no", reader(files))


# ── What belongs together ───────────────────────────────────────────────────────────────────────────────────────────


def refusal(plan: Plan, files: dict[str, str], name: str = "1#1") -> str:
    with pytest.raises(Refused) as refused:
        without_hunks(plan, named_hunks([name]), "no", reader(files))
    return refused.value.line()


def test_a_summary_whose_source_goes_to_the_archive_is_refused_whole() -> None:
    files = {NOTE: OLD}
    summary = Create(n=1, path=OTHER, risk_tier=RiskTier.B, reason="", content="summary\n")
    move = Move(n=2, path=NOTE, risk_tier=RiskTier.B, reason="", to="memory/archive/a.md", requires=(1,))
    plan = a_plan(files, summary, move)
    assert "change 2 needs it whole" in refusal(plan, files)
    assert "it is moved as it is" in refusal(plan, files, "2#1")


def test_an_account_that_would_not_add_up_is_refused_with_the_check_and_a_way_out() -> None:
    files = {NOTE: OLD}
    plan = a_plan(files, replace(NOTE, NEW), system="condense", gates=(QualityGate("account", True, "21 = 21"),))
    said = refusal(plan, files)
    assert "plan check account: it says of every entry what becomes of it, and would not add up" in said
    assert f"memdeck apply {plan.id} --only" in said
    assert "extraction" in refusal(msgspec.structs.replace(plan, system="extract"), files)


def test_two_changes_of_one_file_and_files_of_git_are_refused_whole() -> None:
    files = {NOTE: OLD}
    more = Append(n=2, path=NOTE, risk_tier=RiskTier.B, reason="", content="x\n")
    assert "change 2 is of the same file" in refusal(a_plan(files, replace(NOTE, NEW), more), files)
    hook = Create(n=1, path=".git/hooks/pre-commit", risk_tier=RiskTier.B, reason="", content="#!/bin/sh\n")
    assert "git reads this file as a whole" in refusal(a_plan({}, hook, system="init"), {})


def test_a_file_that_changed_meanwhile_is_stale_and_one_that_is_no_text_refused() -> None:
    plan = a_plan({NOTE: OLD}, replace(NOTE, NEW))
    with pytest.raises(Stale):
        without_hunks(plan, {1: frozenset({1})}, "no", reader({NOTE: OLD + "late\n"}))
    data = b"\xff\xfe\x00"
    binary = msgspec.structs.replace(plan, inputs=(Input(NOTE, sha256_hex(data)),))
    (there,) = hunks_of(binary, lambda _: data)
    assert there.whole == "it is not UTF-8 text"


def test_checks_of_the_planner_are_made_again() -> None:
    files = {NOTE: OLD}
    lines = QualityGate("lines", True, "each fix replaces one line")
    fixed = OLD.replace("line 3\n", "three\n").replace("line 9\n", "nine\n")
    made = cut(files, a_plan(files, replace(NOTE, fixed), system="lint", gates=(lines,)), "1#1")
    assert made.gates == (lines,)
    broken = cut(files, a_plan(files, replace(NOTE, NEW), system="lint", gates=(lines,)), "1#2")
    assert [(gate.id, gate.passed) for gate in broken.gates] == [("lines", False)]
