"""Refusing hunks of a plan: exactly the text with the others, another digest, and checks that are made again."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Stale, UsageError
from engine.plans.line_hunks import lines_of, parts_between, without
from engine.plans.partial_refusal import FACT, again_without, plan_without, refusal
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
from engine.plans.plan_hunks import hunks_of, named_hunks
from engine.plans.trust_label import Trust, TrustLabel
from engine.text.canonical_json import sha256_hex
from engine.workspace.values import LineSpan, WorkspaceIdentity

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
LINES = st.lists(st.sampled_from(["a\n", "- b\n", "- c\n", "\n", "  d\r\n"]), max_size=12)
LAST = st.sampled_from(["", "e", "a"])
NUMBERS = st.sets(st.integers(1, 6))
NOTE, OTHER, EPISODIC = "memory/working/a.md", "memory/working/b.md", "memory/episodic/a.md"
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


def without_hunks(plan: Plan, wanted: dict[int, frozenset[int]], reason: str, read: Any) -> Plan | None:
    return plan_without(plan, refusal(plan, wanted, read), reason, read)


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
    for hunk in reversed(parts_between(old, new)):
        if hunk.number not in refused:
            expected[slice(*hunk.left)] = new[slice(*hunk.right)]
    assert part.text == "".join(expected)
    there = lines_of(part.text)
    assert all(there[place] == new[line] for line, place in part.places.items())


@given(LINES, LINES)
def test_none_refused_is_the_text_after_and_all_refused_the_one_before(before: list[str], after: list[str]) -> None:
    old, new = "".join(before), "".join(after)
    every = {hunk.number for hunk in parts_between(lines_of(old), lines_of(new))}
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
    every = [hunk.number for hunk in parts_between(lines_of(old), lines_of(new))]
    refused = data.draw(st.sets(st.sampled_from(every), min_size=1)) if every else set()
    made = without_hunks(plan, {1: frozenset(refused)}, "no", reader(files))
    assert made is not None
    assert made.digest != plan.digest
    part = without(old, new, refused).text
    written = {one.path: one.content for one in made.changes if isinstance(one, Replace)}
    assert written.pop(OTHER) == "y\n"
    assert written == ({} if part == old else {NOTE: part})
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
    told = {"plan": plan.id, "digest": plan.digest, "hunks": ["1#2"], "gone": [], "reason": "too long"}
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


@pytest.mark.parametrize("name", ["", "#1", "a#1", "1#0", "1#4", "9", "9#1", "1#1\n", "1#1#9999999"])
def test_a_hunk_that_there_is_not_is_named(name: str) -> None:
    files = {NOTE: OLD}
    with pytest.raises(UsageError):
        without_hunks(a_plan(files, replace(NOTE, NEW)), named_hunks([name]), "no", reader(files))


# ── What belongs together ───────────────────────────────────────────────────────────────────────────────────────────


ARCHIVED = Move(n=2, path=NOTE, risk_tier=RiskTier.B, reason="", to="memory/archive/a.md", requires=(1,))


def entries(*more: Change) -> Plan:
    """Two entries into one shard, the stamp of the day, and the archive moves of their notes."""
    made = tuple(
        Append(
            n=n, path=OTHER, risk_tier=RiskTier.C, reason="", content=f"Title: {n}\n", sources=(LineSpan(NOTE, n, n),)
        )
        for n in (1, 2)
    )
    stamp = replace("memory/.meta.json", "now\n", n=3, requires_any=(1, 2))
    moves = tuple(
        Move(n=n + 3, path=f"{n}.md", risk_tier=RiskTier.B, reason="", to=f"memory/archive/{n}.md", requires=(n,))
        for n in (1, 2)
    )
    rows = [{"entry": n, "change": n, "waits": None} for n in (1, 2)]
    files = {NOTE: OLD, OTHER: "x\n", "memory/.meta.json": "then\n", "1.md": "1\n", "2.md": "2\n"}
    return a_plan(files, *made, stamp, *moves, *more, system="compact", facts={"entries": rows})


def reads(plan: Plan) -> Any:
    return reader({NOTE: OLD, OTHER: "x\n", "memory/.meta.json": "then\n", "1.md": "1\n", "2.md": "2\n"})


def test_a_summary_is_refused_with_the_move_that_needs_it() -> None:
    """Refusing a hunk was refused 33 times of 33: "only as a whole: change 2 needs it whole"."""
    files = {NOTE: OLD, "memory/x.md": "x\n"}
    summary = Create(n=1, path=OTHER, risk_tier=RiskTier.B, reason="", content="summary\n")
    plan = a_plan(files, summary, ARCHIVED, replace("memory/x.md", "y\n", n=3))
    refused = refusal(plan, {1: frozenset({1})}, reader(files))
    assert refused.changes == {1, 2} and refused.words == "hunk 1#1 and with it change 2"
    assert [(one.change, one.why) for one in refused.along] == [(2, "it goes with change 1")]
    assert [one.path for one in cut(files, plan, "1#1").changes] == ["memory/x.md"]
    assert [one.path for one in cut(files, plan, "2").changes] == [OTHER, "memory/x.md"], "a move alone"


def test_an_entry_goes_with_its_move_and_the_last_one_with_the_time_stamp() -> None:
    plan = entries()
    left = without_hunks(plan, {1: frozenset()}, "no", reads(plan))
    assert left is not None
    assert [(one.n, one.path) for one in left.changes] == [(1, OTHER), (2, "memory/.meta.json"), (3, "2.md")]
    assert left.missing_requirements((1, 2, 3)) == {}
    rows = [*left.facts["entries"]]
    assert [(row["change"], row["waits"]) for row in rows] == [(None, "it was refused"), (1, None)]
    assert refusal(plan, {1: frozenset(), 2: frozenset()}, reads(plan)).changes == {1, 2, 3, 4, 5}
    assert without_hunks(plan, {1: frozenset(), 2: frozenset()}, "no", reads(plan)) is None


def test_a_plan_made_again_in_other_words_is_still_without_what_was_refused() -> None:
    plan = entries()
    left = without_hunks(plan, {1: frozenset()}, "not mine", reads(plan))
    assert left is not None
    again = again_without(left, plan, reads(plan))
    assert [one.path for one in again.changes] == [one.path for one in left.changes]
    assert again.facts[FACT] == left.facts[FACT]
    assert again_without(plan, plan, reads(plan)) is plan


def test_hunks_under_one_account_go_together_and_the_reason_is_told() -> None:
    files = {NOTE: OLD, OTHER: "x\n"}
    gates = (QualityGate("account", True, "21 = 21"),)
    plan = a_plan(files, replace(NOTE, NEW), replace(OTHER, "y\n", n=2), system="condense", gates=gates)
    refused = refusal(plan, {1: frozenset({2})}, reader(files))
    (along,) = refused.along
    assert refused.changes == {1} and "the plan check account: it says of every entry what becomes of it" in along.why
    made = cut(files, plan, "1#2")
    assert [one.path for one in made.changes] == [OTHER] and made.gates == gates


SUMMARY = "---\nsource: a\n---\n# Compiled: a\n## Summary\n- one\n  and more\n- two\n## Decisions\n- three\n"


def test_each_bullet_of_a_new_summary_is_a_hunk_and_the_note_is_archived_whole_without_one() -> None:
    """A review took whole notes alone: a stranger refused sixteen good lines with one that was bad."""
    files = {NOTE: OLD}
    gates = tuple(QualityGate(name, True) for name in ("schema", "coverage", "append_only"))
    origins = tuple(LineOrigin(line, LineSpan(NOTE, line, line)) for line in (6, 8, 10))
    summary = Create(n=1, path=EPISODIC, risk_tier=RiskTier.B, reason="", content=SUMMARY, origins=origins)
    plan = a_plan(files, summary, ARCHIVED, system="compact", gates=gates)
    there, _ = hunks_of(plan, reader(files))
    assert [one.added[0] for one in there.hunks] == ["---\n", "- one\n", "- two\n", "## Decisions\n", "- three\n"]
    assert there.whole == ""
    made = cut(files, plan, "1#2")
    change, move = made.changes
    assert isinstance(change, Create) and change.content == SUMMARY.replace("- one\n  and more\n", "")
    assert [(one.line, one.source.start) for one in change.origins] == [(6, 8), (8, 10)]
    assert isinstance(move, Move) and made.gates == gates
    assert without_hunks(plan, named_hunks(["1#1"]), "no", reader(files)) is None, "no note without its head"


LISTS = "# Compiled: a\n## Summary\n- squad:\n  - one\n  - deep:\n    - two\n  - three\n- four\n## Decisions\n- five\n"


@pytest.mark.parametrize(
    ("wanted", "gone"),
    [
        ("1#3", "  - one\n"),
        ("1#5", "  - deep:\n    - two\n"),
        ("1#4", "  - deep:\n    - two\n"),
        ("1#2", "- squad:\n  - one\n  - deep:\n    - two\n  - three\n"),
        ("1#3 1#5 1#6", "- squad:\n  - one\n  - deep:\n    - two\n  - three\n"),
        ("1#7", "- four\n"),
    ],
)
def test_a_line_of_a_list_is_refused_alone_and_a_leading_line_with_its_items(wanted: str, gone: str) -> None:
    summary = Create(n=1, path=EPISODIC, risk_tier=RiskTier.B, reason="", content=LISTS)
    files = {NOTE: OLD}
    plan = a_plan(files, summary, ARCHIVED, system="compact")
    made = without_hunks(plan, named_hunks(wanted.split()), "no", reader(files))
    assert made is not None and isinstance(made.changes[0], Create)
    assert made.changes[0].content == LISTS.replace(gone, "")


def test_lines_that_change_one_by_one_are_hunks_one_by_one() -> None:
    old, new = ["- one van\n", "- two\n", "end\n"], ["- one vans\n", "- two vans\n", "end\n"]
    assert [(one.left, one.right) for one in parts_between(old, new)] == [((0, 1), (0, 1)), ((1, 2), (1, 2))]
    assert len(parts_between(old, ["- one\n", "end\n"])) == 1, "nobody knows which became which"
    apart = parts_between(["- No VAT on it\n", "end\n"], ["- The difference was 61 EUR\n", "end\n"])
    assert [(one.left, one.right) for one in apart] == [((0, 1), (0, 0)), ((1, 1), (0, 1))]
    assert len(parts_between(["Title: a\n"], ["Title: b\n", "Context: c\n", "<!-- d -->\n"])) == 1


def test_what_came_from_outside_still_does_without_some_of_its_lines() -> None:
    """The rest of a proposal became the agent's own text, since the label was made anew (G27)."""
    files = {NOTE: OLD}
    label = TrustLabel(Trust.UNTRUSTED, "proposed by claude")
    (change,) = cut(files, a_plan(files, replace(NOTE, NEW, trust=label)), "1#1").changes
    assert change.trust == label
    flagged = TrustLabel(Trust.UNTRUSTED, f"{NOTE}: line 3 of change 1: command")
    (change,) = cut(files, a_plan(files, replace(NOTE, NEW, trust=flagged)), "1#1").changes
    assert change.trust is msgspec.UNSET


def test_two_changes_of_one_file_and_files_of_git_go_whole() -> None:
    files = {NOTE: OLD, OTHER: "x\n"}
    more = Append(n=2, path=NOTE, risk_tier=RiskTier.B, reason="", content="x\n")
    plan = a_plan(files, replace(NOTE, NEW), more, replace(NOTE, "all anew\n", n=3))
    assert refusal(plan, {1: frozenset({1})}, reader(files)).changes == {1, 3}, "the last was written on what goes"
    assert refusal(plan, {2: frozenset({1})}, reader(files)).changes == {2, 3}
    hook = Create(n=1, path=".git/hooks/pre-commit", risk_tier=RiskTier.B, reason="", content="#!/bin/sh\n")
    assert refusal(a_plan({}, hook, system="init"), {1: frozenset({1})}, reader({})).changes == {1}
    new = Create(n=1, path="memory/c.md", risk_tier=RiskTier.B, reason="", content="new\n")
    onto = Append(n=2, path="memory/c.md", risk_tier=RiskTier.B, reason="", content="more\n")
    assert refusal(a_plan({}, new, onto), {1: frozenset()}, reader({})).changes == {1, 2}
    assert refusal(a_plan({}, new, onto), {2: frozenset({1})}, reader({})).changes == {2}


@given(st.lists(st.tuples(st.sets(st.integers(1, 6), max_size=2), st.sets(st.integers(1, 6), max_size=2))), st.data())
def test_what_is_left_never_lacks_what_it_requires(needs: list[tuple[set[int], set[int]]], data: st.DataObject) -> None:
    known = set(range(1, len(needs) + 1))
    changes = tuple(
        Create(
            n=n,
            path=f"memory/{n}.md",
            risk_tier=RiskTier.B,
            reason="",
            content="x\n",
            requires=tuple(sorted(needed & known - {n})),
            requires_any=tuple(sorted(either & known - {n})),
        )
        for n, (needed, either) in enumerate(needs, 1)
    )
    plan = a_plan({}, *changes)
    refused = data.draw(st.sets(st.sampled_from(sorted(known)), min_size=1)) if known else set()
    left = without_hunks(plan, {n: frozenset() for n in refused}, "no", reader({}))
    if left is not None:
        assert left.missing_requirements(tuple(one.n for one in left.changes)) == {}
        assert not {f"memory/{n}.md" for n in refused} & {one.path for one in left.changes}


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
