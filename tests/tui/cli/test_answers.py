"""A command gives one answer, and one place prints it: as JSON, as text, with its remarks, its failure and its code."""

import json

import pytest

from engine.errors import Blocked
from tui.cli.output import Answer, Styled, TextTable
from tui.cli.settings import Settings, shown


def never() -> object:
    raise AssertionError("nobody reads it")


def test_json_is_one_value_and_no_text_is_made_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = (str(never()) for _ in range(1))
    answer = Answer(lambda: {"a": (1,)}, text, code=4, remarks=["before"], text_remarks=["said in the JSON"])
    assert shown(Settings(json=True), answer) == 4
    out, err = capsys.readouterr()
    assert json.loads(out) == {"a": [1]} and err == "memdeck: before\n"


def test_text_is_lines_pieces_and_tables_each_made_safe(capsys: pytest.CaptureFixture[str]) -> None:
    table = TextTable([("a", "1"), ("bcd", "22")], frozenset({1}), "  ")
    answer = Answer(never, ["one\x1b[2J", ("two", Styled(" and ", dim=True), "three"), table], text_remarks=["after"])
    assert shown(Settings(), answer) == 0
    out, err = capsys.readouterr()
    assert out == "one␛[2J\ntwo and three\n  a     1\n  bcd  22\n" and err == "memdeck: after\n"


@pytest.mark.parametrize("as_json", [True, False])
def test_a_failure_comes_behind_the_answer(as_json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    answer = Answer({"plan": None}, ["two probes are lost"], error=Blocked("the policy blocks this plan"))
    with pytest.raises(Blocked):
        shown(Settings(json=as_json), answer)
    assert capsys.readouterr().out == ('{\n  "plan": null\n}\n' if as_json else "two probes are lost\n")


def test_a_live_text_is_written_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[str] = []
    monkeypatch.setattr("sys.stdout.flush", lambda: flushed.append("flush"))
    shown(Settings(), Answer(None, ["found", "found again"], live=True))
    assert len(flushed) == 2
