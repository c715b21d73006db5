"""Each constant that a decision gives stands once, in the module that `docs/rules.md` names as its home."""

import pytest

from docs import rules

SOURCES = rules.sources()


@pytest.mark.parametrize("constant", rules.CONSTANTS, ids=lambda constant: constant.home)
def test_a_constant_of_a_decision_has_one_home(constant: rules.Constant) -> None:
    assert rules.other_homes(SOURCES, constant.home) == ()


@pytest.mark.parametrize(
    ("home", "second", "name"),
    [
        ("LINES = (('warning', 180), ('full', 200))", "BANDS = ((200, 'full'), (180, 'warning'))", "BANDS"),
        ("LINES = (180, 200)", "class Bands:\n    warning: int = 180\n    full: int = 200", "Bands"),
        ("LINES = (180, 200)", "def band(lines: int) -> bool:\n    return lines > 200 or lines > 180", "band"),
        ("LINE_WEIGHT = 1.75", "class Model:\n    weight: float = 1.75", "Model.weight"),
        ("LINES_SHARD = 'a.md'", "SHARD = 'a.md'", "SHARD"),
    ],
)
def test_a_second_home_is_found(home: str, second: str, name: str) -> None:
    sources = {"engine/one.py": home, "engine/two.py": second}
    assert rules.other_homes(sources, f"engine.one:{home.partition(' ')[0]}") == (f"engine/two.py: {name}",)


def test_the_same_number_of_something_else_is_no_second_home() -> None:
    sources = {"engine/one.py": "OLD_DAYS = 30", "engine/two.py": "JOURNAL_DAYS = 30\nSECONDS = 30.0"}
    assert rules.other_homes(sources, "engine.one:OLD_DAYS") == ()


def test_a_decision_is_cited_in_prose_and_in_names_of_tests_alone() -> None:
    text = '"""Selects files (decisions A4, G8; promise B7)."""\n\nA1 = 5  # for D22 nothing, by decision C7\n'
    named = "def test_g5_b16_a_job_runs_once() -> None: ...\n"
    found = rules.cited({"engine/a.py": text, "tests/test_a.py": named})
    assert set(found) == {"A4", "G8", "C7", "G5", "B16"} and found["G5"] == {"tests/test_a.py"}
