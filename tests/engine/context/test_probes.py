"""Probes: questions that memory must answer, asked of the notes as they will be after a plan."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.context.probes.file import MOST, read_probes, suggestions, yaml_of
from engine.context.probes.probe import Probe, ProbeAnswer, ProbeChange, ProbeOutcome, judged
from engine.errors import Blocked
from engine.plans.annotation import PROBES
from engine.plans.plan import Append, Create, Input, Move, Plan, Replace, RiskTier
from engine.services.engine import Engine
from engine.text.canonical_json import sha256_hex
from tests.engine.context.test_context_service import FILES, NOW

ASKED = """\
probes:
  - {question: What is repainted in May?, expect: zebra crossing}
  - {question: Who is asked before a switch of the depot?, expect: "ask  FARID"}
  - {question: how are releases made, expect: releases are blue-green, where: prompt}
  - {question: how are releases made, not: releases are rolling, where: prompt}
  - {question: what does the depot speak, expect: the depot speaks events, where: tree}
  - {question: what is the capital, expect: Paris}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        file = tmp_path / "agent" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (tmp_path / "config/memdeck").mkdir(parents=True)
    (tmp_path / "config/memdeck/probes.yaml").write_text(ASKED)
    return tmp_path / "agent"


def opened(folder: Path) -> Engine:
    env = {f"XDG_{name}_HOME": str(folder.parent / name.lower()) for name in ("STATE", "CONFIG", "CACHE")}
    return Engine.open(folder, env=env, clock=lambda: NOW)


@pytest.fixture
def console(folder: Path) -> Iterator[Engine]:
    with opened(folder) as engine:
        yield engine


def planned(console: Engine, *changes: Append | Create | Move | Replace) -> Plan:
    parts = console.plans._opened
    read = {change.path: parts.root.read_or_none(change.path) for change in changes}
    absent = {change.to: None for change in changes if isinstance(change, Move)}
    return Plan(
        system="tree",
        trigger="cycle",
        workspace=parts.root.identity,
        now=NOW,
        zone="UTC",
        simulated_clock=False,
        made_at=NOW,
        policy_sha256=parts.policy.sha256,
        tokenizer="o200k_base",
        inputs=tuple(Input(path, None if data is None else sha256_hex(data)) for path, data in (read | absent).items()),
        changes=changes,
    )


def replaced(n: int, path: str, content: str) -> Replace:
    return Replace(n=n, path=path, risk_tier=RiskTier.C, reason="", content=content)


def outcomes(console: Engine, *changes: Append | Create | Move | Replace) -> list[str]:
    return [change.outcome.value for change in console.probes.of_plan(planned(console, *changes))]


def test_each_probe_is_asked_where_it_says(console: Engine) -> None:
    answers = console.probes.ask()
    assert [answer.held for answer in answers] == [True, True, True, True, True, False]
    assert answers[0].found == ("knowledge/reference/zebra.md",) and answers[4].found == ("memory/ROOT.md",)
    assert not any(answer.problem for answer in answers) and all(answer.probe.own for answer in answers)


def test_a_plan_is_asked_as_it_will_be_before_anyone_approves(console: Engine, folder: Path) -> None:
    console.plans._opened.scan()
    before = {path: (folder / path).read_bytes() for path in FILES}
    memory = replaced(1, "knowledge/memory/MEMORY.md", "# Core Memory\n\n- releases are rolling\n")
    zebra = replaced(2, "knowledge/reference/zebra.md", "# Zebra\n\nIts capital is Paris.\n")
    root = replaced(3, "memory/ROOT.md", "# Root\n\n- nothing\n")
    assert outcomes(console, memory, zebra, root) == ["lost", "kept", "lost", "lost", "lost", "gained"]
    assert outcomes(console) == ["kept"] * 5 + ["unmet"]
    assert {path: (folder / path).read_bytes() for path in FILES} == before
    assert [answer.held for answer in console.probes.ask()] == [True, True, True, True, True, False]


def test_the_notes_of_a_plan_are_laid_out_where_nobody_else_may_look(
    console: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes = dict[str, int]()
    make = Path.mkdir

    def mkdir(path: Path, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        if path.parent.name.startswith("memdeck-plan-"):
            modes[path.name] = mode
        make(path, mode, parents, exist_ok)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    console.probes.of_plan(planned(console, replaced(1, "memory/ROOT.md", "# ROOT\n")))
    assert modes == {"state": 0o700, "workspace": 0o700}


def test_what_moves_is_found_where_it_goes_and_a_new_note_is_found_at_once(console: Engine) -> None:
    console.plans._opened.scan()
    move = Move(
        n=1, path="knowledge/reference/zebra.md", to="archive/knowledge/zebra-2.md", risk_tier=RiskTier.B, reason=""
    )
    new = Create(n=2, path="knowledge/capital.md", risk_tier=RiskTier.B, reason="", content="The capital is Paris.\n")
    first, *_, last = console.probes.of_plan(planned(console, move, new))
    assert first.outcome is ProbeOutcome.KEPT and "archive/knowledge/zebra-2.md" in first.after.found
    assert last.outcome is ProbeOutcome.GAINED and last.after.found == ("knowledge/capital.md",)


def test_a_topic_that_a_plan_changes_is_heard_as_it_will_be(console: Engine, folder: Path) -> None:
    asked = "probes:\n  - {question: the depot, expect: Be careful with the depot., where: prompt}\n"
    (folder.parent / "config/memdeck/probes.yaml").write_text(asked)
    console.plans._opened.scan()
    deaf = FILES["topics/depot.md"].replace("words: [depot]", "words: [harbour]")
    quiet = replaced(1, "topics/depot.md", deaf.replace("Be careful", "Take care"))
    assert outcomes(console, quiet) == ["lost"] and outcomes(console) == ["kept"]


def test_the_outcome_stands_on_every_plan_of_the_queue(console: Engine) -> None:
    console.plans._opened.scan()
    zebra = replaced(1, "knowledge/reference/zebra.md", "# Zebra\n\nGone.\n")
    plan = console.plans._queue.file(planned(console, zebra))
    (gate,) = (gate for gate in plan.gates if gate.id == PROBES)
    assert gate.passed and gate.detail == "4 kept, 1 lost, 1 unmet"
    (warning,) = (one for one in plan.warnings if one.startswith("probe: "))
    assert warning.startswith("probe: lost: 'What is repainted in May?' in search, ") and "probes.yaml #1" in warning
    assert [fact["outcome"] for fact in plan.facts[PROBES]] == ["lost", "kept", "kept", "kept", "kept", "unmet"]
    again = console.plans._queue.file(planned(console, zebra))
    assert again.id == plan.id, "the same plan is the same entry"


def test_without_probes_a_plan_says_nothing_of_them(console: Engine, folder: Path) -> None:
    (folder.parent / "config/memdeck/probes.yaml").unlink()
    console.plans._opened.scan()
    plan = console.plans._queue.file(planned(console, replaced(1, "USER.md", "# User\n\nBob decides.\n")))
    assert not [gate for gate in plan.gates if gate.id == PROBES] and PROBES not in plan.facts


def test_the_policy_may_block_on_a_loss_of_the_operators_own(folder: Path) -> None:
    (folder.parent / "config/memdeck/policy.yaml").write_text("probes: {on_loss: block}\n")
    with opened(folder) as console:
        console.plans._opened.scan()
        plan = console.plans._queue.file(planned(console, replaced(1, "knowledge/reference/zebra.md", "# Zebra\n")))
        assert [gate.passed for gate in plan.gates if gate.id == PROBES] == [False]
        from engine.plans.apply.preconditions import check_plan

        with pytest.raises(Blocked, match="the plan check probes did not pass: 4 kept, 1 lost") as caught:
            check_plan(console.plans._opened.context, plan, None, (1,))
        assert caught.value.exit_code == 6


def test_a_probe_of_the_workspace_warns_and_never_blocks(folder: Path) -> None:
    (folder.parent / "config/memdeck/policy.yaml").write_text("probes: {on_loss: block}\n")
    (folder.parent / "config/memdeck/probes.yaml").rename(folder / "probes.yaml")
    with opened(folder) as console:
        console.plans._opened.scan()
        plan = console.plans._queue.file(planned(console, replaced(1, "knowledge/reference/zebra.md", "# Zebra\n")))
        assert [gate.passed for gate in plan.gates if gate.id == PROBES] == [True]
        assert any(one.startswith("probe: lost") and "probes.yaml #1" in one for one in plan.warnings)
        assert not any(answer.probe.own for answer in console.probes.ask())


def test_a_probe_that_cannot_be_asked_is_unknown_and_no_loss_passes_for_it(folder: Path) -> None:
    long = "word " * 90
    (folder.parent / "config/memdeck/probes.yaml").write_text(
        f"probes:\n  - {{question: {long}, expect: x, where: prompt}}\n"
    )
    (folder.parent / "config/memdeck/policy.yaml").write_text(
        "probes: {on_loss: block}\ncontext: {prompt_tokens: 90}\n"
    )
    with opened(folder) as console:
        console.plans._opened.scan()
        plan = console.plans._queue.file(planned(console, replaced(1, "USER.md", "# User\n")))
        assert [(gate.passed, gate.detail) for gate in plan.gates if gate.id == PROBES] == [(False, "1 unknown")]


def test_suggestions_hold_now_and_can_be_read_back(console: Engine, folder: Path) -> None:
    found = console.probes.suggest(3)
    assert len(found) == 3 and "locks expire" not in [one.expect for one in found], "two words tell too little"
    text = yaml_of(found)
    (folder / "probes.yaml").write_text(text)
    (folder.parent / "config/memdeck/probes.yaml").unlink()
    answers = console.probes.ask()
    assert len(answers) == 3 and all(answer.held for answer in answers)
    assert not set(console.probes.suggest(9)) & set(found), "what is asked already is not suggested"


# ── the file ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("probes: [{question: a, expect: b, not: c}]", "one of `expect:` and `not:`"),
        ("probes: [{question: a}]", "one of `expect:` and `not:`"),
        ("probes: [{expect: a}]", "no `question:`"),
        ("probes: [{question: a, expect: b, where: mind}]", "`where:` is one of search, prompt, tree"),
        ("probes: [{question: a, expect: b, run: rm}]", "unknown key `run`"),
        ("probes: [{question: [a], expect: b}]", "each value must be a text"),
        ("probes: {question: a}", "must be a list"),
        ("probes: [a]", "must have a `question:`"),
        ("probes: [&a {question: a, expect: b}, *a]", "an anchor"),
        (f"probes: [{{question: {'a' * 501}, expect: b}}]", "longer than 500"),
        ("probes: [" + "{question: a, expect: b}, " * (MOST + 1) + "]", "after the first 200"),
    ],
)
def test_a_bad_probe_is_named_and_the_others_are_asked(text: str, said: str) -> None:
    found = read_probes(text.encode(), "probes.yaml", "/srv/agent", own=False)
    assert said in " ".join(problem.message for problem in found.problems)
    assert len(found.probes) in (0, MOST)


def test_a_probe_may_name_its_workspace() -> None:
    text = (
        b"probes:\n- {question: a, expect: b, workspace: /srv/agent/}\n- {question: c, expect: d, workspace: /other}\n"
    )
    found = read_probes(text, "probes.yaml", "/srv/agent", own=True)
    assert [one.question for one in found.probes] == ["a"] and not found.problems
    assert read_probes(b"", "probes.yaml", "/", own=True) == read_probes(b"probes:\n", "x", "/", own=True)


@given(st.binary(max_size=200))
def test_no_bytes_of_the_workspace_raise(data: bytes) -> None:
    read_probes(data, "probes.yaml", "/srv/agent", own=False)


@given(st.text(max_size=40), st.text(max_size=80), st.booleans())
def test_expect_and_not_are_opposites(wanted: str, text: str, there: bool) -> None:
    if not wanted.strip():
        return
    body = f"{text} {wanted}" if there else text
    kept = judged(Probe(question="q", expect=wanted), [("a", body)])
    absent = judged(Probe(question="q", absent=wanted), [("a", body)])
    assert kept.held is not absent.held and kept.found == absent.found
    assert kept.held or not there


def test_the_outcomes_are_told_apart() -> None:
    probe = Probe(question="q", expect="e")

    def outcome(before: bool, after: bool, problem: str = "") -> ProbeOutcome:
        first, last = ProbeAnswer(probe=probe, held=before), ProbeAnswer(probe=probe, held=after, problem=problem)
        return ProbeChange(before=first, after=last).outcome

    assert [outcome(True, True), outcome(True, False), outcome(False, True), outcome(False, False)] == [
        ProbeOutcome.KEPT,
        ProbeOutcome.LOST,
        ProbeOutcome.GAINED,
        ProbeOutcome.UNMET,
    ]
    assert outcome(True, False, "the index is away") is ProbeOutcome.UNKNOWN


def test_a_secret_is_never_suggested() -> None:
    key = "ghp_" + "a8Kd02mQ" * 4 + "Zx71"
    assert list(suggestions([[("Keys", f"the token of the depot is {key}")]])) == []
