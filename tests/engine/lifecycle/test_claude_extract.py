"""Extraction by Claude, with the real SDK from a server on loopback: it names sentences and writes none (D30, D44)."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.extraction.extraction_task import EntryFinder
from engine.extraction.judge import VERSION, judged_entries
from engine.models import spending_cap
from engine.models.cost_ledger import CostLedger
from engine.models.model_task import RuleModel
from engine.plans.plan import Create, Replace
from engine.plans.planning import PlanOutcome
from engine.services.engine import Engine
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn
from tests.engine.lifecycle.events import capture, end, said, start
from tests.engine.models.loopback import KEY, Answer, Loopback, failure, loopback, message
from tests.engine.models.stand_in import numbered_lines
from tests.turn import examples

AT = datetime(2026, 2, 16, 18, 46, tzinfo=UTC)
DECIDED = "We decided to keep everything in SQLite."
QUIET = "Frida was waiting for the night train."


@pytest.fixture
def line() -> Iterator[Loopback]:
    with loopback() as made:
        yield made


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spending_cap, "PAUSE", 0.0)


class Place:
    def __init__(self, folder: Path, line: Loopback) -> None:
        self.folder, self.line, self.notes = folder, line, folder / "notes"
        (self.notes / "knowledge").mkdir(parents=True)
        (folder / "config/memdeck").mkdir(parents=True)
        llm = f"llm: {{provider: claude, models: {{extract: small-model}}, url: '{line.url}'}}\n"
        (folder / "config/memdeck/policy.yaml").write_text(llm, "utf-8")

    def outcome(self) -> PlanOutcome:
        home = {"XDG_STATE_HOME": str(self.folder / "state"), "XDG_CONFIG_HOME": str(self.folder / "config")}
        with Engine.open(self.notes, env={**home, "ANTHROPIC_API_KEY": KEY}) as console:
            return console.plans.make("extract")

    def lines(self) -> list[str]:
        plan = self.outcome().plan
        assert plan is not None
        texts = [change.content for change in plan.changes if isinstance(change, Create | Replace)]
        return [row for text in texts for row in text.splitlines() if "<!-- x:" in row]


@pytest.fixture
def place(tmp_path: Path, line: Loopback) -> Place:
    return Place(tmp_path, line)


def naming(**kinds: str) -> Callable[[dict[str, Any]], Answer]:
    """Answers that each sentence with the word is of the kind."""

    def answer(asked: dict[str, Any]) -> Answer:
        lines = numbered_lines(asked).items()
        found = [{"line": n, "kind": kind} for n, text in lines for word, kind in kinds.items() if word in text]
        return message(json.dumps({"entries": found}))

    return answer


def test_d30_the_model_of_the_role_names_sentences_that_no_rule_knows(place: Place) -> None:
    place.line.answer = naming(Frida="person")
    capture(place.notes, start(), said(f"{QUIET} {DECIDED}"), end())
    plan = place.outcome().plan
    assert plan is not None and plan.model is not None
    assert (plan.model.name, plan.model.version) == ("claude", "small-model prompt 1")
    assert plan.trigger == "claude small-model prompt 1"
    (row,) = place.lines()
    assert QUIET in row
    (file,) = (place.folder / "state").rglob("ledger.jsonl")
    (paid,) = CostLedger(file).lines()
    assert (paid.role, paid.model, plan.cost.calls) == ("extract", "small-model", 1)


def test_d44_what_the_agent_said_is_inferred_whatever_the_model_answers(place: Place) -> None:
    place.line.answer = naming(Frida="person", boat="preference")
    capture(place.notes, start(), said(QUIET, "agent"), said("The boat is blue.", "agent"), end())
    outcome = place.outcome()
    assert outcome.plan is None and outcome.facts["counts"] == {"inferred": 1}


def test_questions_what_was_rejected_and_secrets_are_not_asked_about(place: Place) -> None:
    key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    place.line.answer = naming()
    capture(place.notes, start(), said(f"Shall we buy a boat? {QUIET} The token is {key} for now."), end())
    assert place.outcome().plan is None
    (sent,) = place.line.sent
    assert "Frida" in sent and "boat" not in sent and key not in sent


FAILURES: dict[str, Callable[[dict[str, Any]], Answer]] = {
    "overloaded": lambda _asked: failure(529),
    "refused": lambda _asked: message("", stop="refusal"),
    "cut": lambda _asked: message('{"entries": [{"li', stop="max_tokens"),
    "another kind": lambda _asked: message('{"entries": [{"line": 1, "kind": "rumour"}]}'),
    "a number that is not there": lambda _asked: message('{"entries": [{"line": 99, "kind": "fact"}]}'),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_where_no_usable_answer_comes_the_rules_read_and_it_is_said(place: Place, kind: str) -> None:
    place.line.answer = FAILURES[kind]
    capture(place.notes, start(), said(f"{QUIET} {DECIDED}"), end())
    outcome = place.outcome()
    assert outcome.plan is not None
    assert any("1 of 1 parts not read by Claude" in warning for warning in outcome.plan.warnings)
    (row,) = place.lines()
    assert DECIDED in row and outcome.facts["extractor"] == VERSION


def test_a_second_run_asks_nothing_anew(place: Place) -> None:
    place.line.answer = naming(Frida="person")
    capture(place.notes, start(), said(QUIET), end())
    first, second = place.outcome().plan, place.outcome().plan
    assert first is not None and second is not None and first.changes == second.changes
    assert len(place.line.sent) == 1


SAID = st.tuples(
    st.sampled_from(list(Speaker)), st.sampled_from([DECIDED, QUIET, "yes", "I suggest tea."]), st.integers(1, 400)
)


@settings(max_examples=examples(30))
@given(st.lists(SAID, max_size=12))
def test_the_rules_find_the_same_in_parts(rows: list[tuple[Speaker, str, int]]) -> None:
    turns = [
        SessionTurn(
            source="t.md",
            line=at,
            session="s",
            role=role,
            text=text + " Tea." * 5 * many,
            said_at=AT + timedelta(minutes=at),
        )
        for at, (role, text, many) in enumerate(rows, 1)
    ]
    (parts,) = EntryFinder(RuleModel()).found([turns], lambda done, total: None)
    assert [entry for part in parts for entry in part.entries] == list(judged_entries(turns))


def test_d29_a_long_session_is_read_in_parts_and_nothing_of_it_is_cut() -> None:
    said = [QUIET + " Tea." * 500] * 40 + [DECIDED]
    turns = [
        SessionTurn(source="t.md", line=at, session="s", role=Speaker.USER, text=text, said_at=AT)
        for at, text in enumerate(said, 1)
    ]
    (parts,) = EntryFinder(RuleModel()).found([turns], lambda done, total: None)
    assert len(parts) > 1
    assert [entry.turn.line for part in parts for entry in part.entries] == [len(said)]
