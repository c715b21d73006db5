"""One question at a time: a new one stops the one under way, and only what is wanted is taken."""

from collections.abc import Callable
from typing import Any, cast

import pytest

from engine.errors import Damaged, MemdeckError
from engine.search.values import SearchAnswer
from engine.search.values import SearchMethod as Kind
from tui.bridge.engine_threads import Bridge
from tui.present.search.query_filters import SearchOutcome, SearchState
from tui.screens.search import query_field as search_asking
from tui.screens.search.query_field import LiveQuery


class Later:
    """A bridge whose answers come when the test says so."""

    def __init__(self) -> None:
        self.calls: list[tuple[Callable[[SearchOutcome], None], Callable[[MemdeckError], None]]] = []

    def find(self, call: object, done: Callable[[SearchOutcome], None], failed: Callable[[MemdeckError], None]) -> None:
        self.calls.append((done, failed))

    def answer(self, text: str) -> None:
        self.calls.pop(0)[0](
            SearchOutcome(SearchState(text), SearchAnswer(query=text, hits=(), engine=Kind.HYBRID), 1.0)
        )


@pytest.fixture
def bridge() -> Later:
    return Later()


def asking(bridge: Later, taken: list[Any]) -> LiveQuery:
    return LiveQuery(lambda: cast("Bridge", bridge), taken.append, taken.append)


def test_an_answer_to_a_question_that_nobody_waits_for_is_not_shown(bridge: Later) -> None:
    taken: list[Any] = []
    one = asking(bridge, taken)
    for text in ("d", "de", "dep"):
        one.ask(SearchState(text))
    assert len(bridge.calls) == 1
    bridge.answer("d")
    assert taken == []
    bridge.answer("dep")
    assert [found.asked.text for found in taken] == ["dep"] and not one.busy and not one.is_slow


def test_the_same_question_asked_again_is_answered_anew(bridge: Later) -> None:
    taken: list[Any] = []
    one = asking(bridge, taken)
    one.ask(SearchState("d"))
    one.ask(SearchState("d"))
    bridge.answer("d")
    assert taken == []  # it was told to stop, and may be less than there is
    bridge.answer("d")
    assert len(taken) == 1 and bridge.calls == []


def test_nothing_asked_ends_it(bridge: Later) -> None:
    taken: list[Any] = []
    one = asking(bridge, taken)
    one.ask(SearchState("d"))
    one.ask(SearchState(""))
    bridge.answer("d")
    assert taken == [] and bridge.calls == [] and not one.busy and not one.is_slow


def test_an_error_of_a_question_that_is_over_is_not_said(bridge: Later) -> None:
    taken: list[Any] = []
    one = asking(bridge, taken)
    one.ask(SearchState("d"))
    one.ask(SearchState("de"))
    bridge.calls.pop(0)[1](Damaged("gone"))
    assert taken == []
    bridge.calls.pop(0)[1](Damaged("gone"))
    assert len(taken) == 1 and not one.busy


def test_only_a_long_wait_is_said(bridge: Later, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(search_asking, "monotonic", lambda: now[0])
    one = asking(bridge, [])
    one.ask(SearchState("d"))
    assert not one.is_slow
    now[0] += 0.2
    one.ask(SearchState("de"))
    now[0] += 0.2
    waits = [one.is_slow]  # counted from the first that has no answer
    for text in ("d", "de"):
        bridge.answer(text)
        waits.append(one.is_slow)
    assert waits == [True, True, False]
