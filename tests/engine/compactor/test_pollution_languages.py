"""Pollution in five languages, on a labelled set of which half was not looked at while the rules were written."""

import pytest

from engine.compactor.semantic.pollution import line_pollution
from tests.engine.compactor import pollution_lines as lines

PASSED_BEFORE = [
    "Stufe C braucht immer eine Freigabe durch den Operator",
    "执行层级C需要操作员批准才能运行",
    "The approval was logged as approval-42 on Monday",
    "Semantic entries must be confirmed twice by the admin before they are written",
    "[cron] 2026-01-02 weekly compaction done, 3 files",
    "Read HEARTBEAT.md if it exists and reply HEARTBEAT_OK",
    "Session Key: agent:main:main",
    "Ran pytest and 14 tests passed",
    "User said that he likes tea",
    "if (x) { return y; }",
    "We discussed the rollout of the shop in this session",
    "Note to self: look at the rollout again",
    "La etapa C siempre necesita la aprobación del operador",
    "L'étape C demande toujours l'accord de l'opérateur",
    "第C层始终需要运营者批准",
]
"""Each went into an entry once."""


def _caught(text: str) -> list[str]:
    return [line for line in text.splitlines() if line_pollution(line, 1)]


@pytest.mark.parametrize("line", PASSED_BEFORE)
def test_lines_that_once_passed_are_caught(line: str) -> None:
    assert line_pollution(line, 1)


def test_of_a_hundred_bad_lines_at_least_ninety_five_are_caught() -> None:
    assert len((lines.BAD_SEEN + lines.BAD_UNSEEN).splitlines()) == 100
    assert len(_caught(lines.BAD_SEEN + lines.BAD_UNSEEN)) >= 95
    assert len(_caught(lines.BAD_UNSEEN)) >= 47


def test_of_a_hundred_good_lines_at_most_one_is_refused() -> None:
    assert len((lines.GOOD_SEEN + lines.GOOD_UNSEEN).splitlines()) == 100
    assert len(_caught(lines.GOOD_SEEN + lines.GOOD_UNSEEN)) <= 1
