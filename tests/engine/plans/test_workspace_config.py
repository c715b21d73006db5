"""Safety keys in the agent's own file: found, told with their value, never heeded (decisions G12, A28)."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from engine.plans.policy.workspace_keys import FINDING_ID, MOST, workspace_safety_keys
from engine.text.safe_text import visible_line

TUNING = b"search:\n  bm25_weight: 0.4\ngit:\n  auto_commit: true\nlifecycle: {memory_line_cap: 200}\n"


def told(text: bytes) -> list[str]:
    return [finding.what for finding in workspace_safety_keys(text)]


def test_g12_safety_keys_in_the_workspace_are_reported_and_tuning_is_not() -> None:
    assert told(TUNING) == []
    assert told(TUNING + b"approval: {auto: [A, B, C]}\nLimits: {}\ngit-x: 1\n") == [
        'the safety key `approval.auto` is ignored here: ["A","B","C"]',
        "the safety key `Limits` is ignored here: {}",
    ]
    assert told(b"git: {auto_push: true, filters: {x: rm -rf}}") == [
        "the safety key `git.auto_push` is ignored here: true",
        "the safety key `git.filters.x` is ignored here: rm -rf",
    ]
    assert told(b"limits:\n  cooldown-hours: 0\n") == ["the safety key `limits.cooldown-hours` is ignored here: 0"]
    assert told(b"just text") == []


@pytest.mark.parametrize("text", [b"a: &x 1", b"\xff", b"limits: ["])
def test_a_file_that_cannot_be_read_is_told(text: bytes) -> None:
    (finding,) = workspace_safety_keys(text)
    assert finding.id == FINDING_ID and "cannot be read" in finding.what


def test_values_are_shown_without_secrets_and_hidden_characters() -> None:
    secret = "sk-ant-api03-" + "Ab3" * 31 + "AA"
    (what,) = told(b'llm: {key: "' + secret.encode() + b'"}')
    assert secret not in what and secret[:30] not in what
    (what,) = told(b'policy: "a\\x1b[31m\\u202eb"')
    assert "\x1b" not in what and "\u202e" not in what


def test_thousands_of_keys_are_counted() -> None:
    found = told(b"limits:\n" + b"".join(b"  k%d: 1\n" % n for n in range(1000)))
    assert len(found) == MOST and found[-1].startswith("981 more")


@given(st.dictionaries(st.sampled_from(["approval", "llm", "search"]), st.text(max_size=200)))
def test_every_safety_key_is_told_once_on_one_short_line(values: dict[str, str]) -> None:
    found = told(yaml.safe_dump(values, allow_unicode=True).encode())
    wanted = set(values) - {"search"}
    assert len(found) == len(wanted) or "cannot be read" in found[0]
    assert all(visible_line(line) == line and len(line) < 400 for line in found)
