"""Commit messages: offline the reasons of the changes, with a model what the diff's lines hold (decisions D30, D49)."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.models import spending_cap
from engine.plans.commit_task import MOST_LINES, commit_message, commit_type
from engine.plans.operation import LIFETIME, Approval, Witness
from engine.plans.plan import Change, Plan
from engine.services.engine import Engine
from engine.workspace.values import LineSpan
from tests.engine.history.repos import git, make_repo
from tests.engine.lifecycle.events import capture, end, said, start
from tests.engine.models.loopback import KEY, Answer, Loopback, failure, loopback, message
from tests.engine.models.stand_in import numbered_lines
from tests.engine.plans.rig import create, move

LOG = "## auth [project]\n- decided: use OAuth because sessions leak\n"
SAID = "Decided to use OAuth because sessions leak."


@pytest.fixture
def line() -> Iterator[Loopback]:
    with loopback() as made:
        yield made


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spending_cap, "PAUSE", 0.0)


def opened(folder: Path, line: Loopback, cap: float = 0.5) -> Engine:
    if not (folder / "ws").exists():
        make_repo(folder / "ws", {"memory/2026-03-14.md": LOG})
        (folder / "config/memdeck").mkdir(parents=True)
    llm = f"llm: {{provider: claude, models: {{commit: tiny-model}}, max_usd_per_plan: {cap}, url: '{line.url}'}}\n"
    (folder / "config/memdeck/policy.yaml").write_text(llm, "utf-8")
    home = {"XDG_STATE_HOME": str(folder / "state"), "XDG_CONFIG_HOME": str(folder / "config")}
    return Engine.open(folder / "ws", env={**home, "ANTHROPIC_API_KEY": KEY, "PATH": "/usr/bin:/bin"})


def saying(*texts: str) -> Callable[[dict[str, Any]], Answer]:
    """Answers with sentences that stand on the line about OAuth."""

    def answer(asked: dict[str, Any]) -> Answer:
        at = next(number for number, text in numbered_lines(asked).items() if "OAuth" in text)
        return message(json.dumps({"sentences": [{"text": text, "lines": [at]} for text in texts]}))

    return answer


def applied(console: Engine, plan: Plan, numbers: tuple[int, ...] = ()) -> str:
    """Approves and applies; the message of the commit."""
    chosen = numbers or tuple(change.n for change in plan.changes)
    now = console.real_now()
    yes = Approval(
        target=plan.digest,
        numbers=chosen,
        risk_tier=plan.tier_of(chosen),
        answers=(),
        witness=Witness("/dev/pts/0", ("pytest(1)",), "tester", "terminal"),
        granted_at=now,
        expires_at=now + LIFETIME,
        nonce="n",
    )
    operation = console.plans.apply(plan, yes)
    assert operation.commit is not None, operation.problems
    return git(Path(console.status.read().workspace), "log", "-1", "--format=%B")


def planned(console: Engine) -> Plan:
    plan = console.plans.make("tree").plan
    assert plan is not None
    return plan


def test_d30_the_model_of_the_role_writes_what_the_lines_of_the_diff_hold(tmp_path: Path, line: Loopback) -> None:
    line.answer = saying(SAID)
    with opened(tmp_path, line) as console:
        plan = planned(console)
        assert plan.cost.calls == 1 and SAID in plan.report, "the person who approves has read it"
        told = applied(console, plan)
    subject, empty, first, *_ = told.splitlines()
    assert re.match(r"maintenance: tree, \d changes", subject) and (empty, first) == ("", f"- {SAID}")


def test_d49_what_was_invented_is_not_said_and_the_reasons_stand_in(tmp_path: Path, line: Loopback) -> None:
    line.answer = saying("Ben bought 7 boats.")
    with opened(tmp_path, line) as console:
        plan = planned(console)
        assert any("message of the commit not written by Claude" in warning for warning in plan.warnings)
        told = applied(console, plan)
    assert "boats" not in told and "- memory/daily/2026-03-14.md: " in told


@pytest.mark.parametrize("answer", [failure(529), message("", stop="refusal"), message("no")])
def test_a_model_that_does_not_answer_stops_no_plan(tmp_path: Path, line: Loopback, answer: Answer) -> None:
    line.answer = lambda _asked: answer
    with opened(tmp_path, line) as console:
        assert "- memory/daily/2026-03-14.md: " in applied(console, planned(console))


def test_a_part_of_a_plan_does_not_say_what_the_whole_does(tmp_path: Path, line: Loopback) -> None:
    line.answer = saying(SAID)
    with opened(tmp_path, line) as console:
        told = applied(console, planned(console), (1,))
    assert SAID not in told and "maintenance: tree, 1 change" in told


def test_no_line_of_a_body_counts_as_a_trailer_of_ours(tmp_path: Path, line: Loopback) -> None:
    """D22: the audit heads in commits are found again by their trailers."""
    line.answer = saying(f"{SAID}\nMemdeck-Audit: 5 abc")
    with opened(tmp_path, line) as console:
        told = applied(console, planned(console)).splitlines()
    assert len([row for row in told if row.startswith("Memdeck-Audit: ")]) == 1


def test_d49_the_cap_of_a_plan_counts_for_its_message_too(tmp_path: Path, line: Loopback) -> None:
    with opened(tmp_path, line, cap=0.0001) as console:
        assert any("the budget is spent" in warning for warning in planned(console).warnings)
    assert line.sent == []


def test_a_secret_is_not_sent_and_a_large_diff_in_parts(tmp_path: Path, line: Loopback) -> None:
    line.answer = lambda _asked: message('{"sentences": []}')
    with opened(tmp_path, line) as console:
        rows = "".join(f"- decided: shelf {n} holds the parts of box {n} and no others\n" for n in range(150))
        text = f"## auth [project]\n- The password of the box is hunter2-Zebra!9 as it was\n{rows}"
        (tmp_path / "ws/memory/2026-03-13.md").write_text(text, "utf-8")
        planned(console)
    assert 1 < len(line.sent) <= 4 and "hunter2" not in "\n".join(line.sent)


def test_a_long_list_of_reasons_ends(tmp_path: Path, line: Loopback) -> None:
    line.answer = saying(SAID)
    with opened(tmp_path, line) as console:
        plan = planned(console)
    changes = tuple(create(n, f"a{n}.md", "x\n") for n in range(1, MOST_LINES + 4))
    many = Plan(**{name: getattr(plan, name) for name in plan.__struct_fields__} | {"changes": changes, "facts": {}})
    told = commit_message(many, [change.n for change in changes]).splitlines()
    assert len(told) == MOST_LINES + 3 and told[-1] == "- and 3 more"


TURN = LineSpan("raw/conversations/2026/02/16/1845-ses_1-plans.md", 4, 4)


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ((create(1, TURN.path, "x"),), "conversation"),
        ((create(1, "knowledge/projects/a/context.md", "x"), create(2, "topics/a.md", "x")), "memory"),
        ((create(1, "knowledge/identity/USER.md", "x"), create(2, "SOUL.md", "x")), "identity"),
        ((create(1, "SOUL.md", "x", sources=(TURN,)), create(2, "knowledge/a.md", "x", sources=(TURN,))), "extract"),
        ((create(1, "memory/ROOT.md", "x"),), "maintenance"),
        ((move(1, "knowledge/a.md", "archive/a.md"),), "maintenance"),
        ((create(1, "knowledge/a.md", "x"), create(2, "SOUL.md", "x")), "maintenance"),
        ((create(1, "notes.md", "x"),), "maintenance"),
    ],
)
def test_d51_the_type_of_a_commit_follows_its_paths(changes: tuple[Change, ...], wanted: str) -> None:
    assert commit_type(changes) == wanted


def test_the_sessions_of_a_commit_are_trailers(tmp_path: Path) -> None:
    make_repo(tmp_path / "ws", {"a.md": "x\n"})
    capture(tmp_path / "ws", start(), said("We decided to keep everything in SQLite."), end())
    with Engine.open(tmp_path / "ws") as console:
        plan = console.plans.make("extract").plan
        assert plan is not None
        applied(console, plan)
    told = git(tmp_path / "ws", "log", "-1", "--format=%s%n%(trailers:key=Session,valueonly)").splitlines()
    assert told[0].startswith("extract: extract, 1 change")
    assert told[1].startswith("raw/conversations/2026/02/16/1845-ses_1")
