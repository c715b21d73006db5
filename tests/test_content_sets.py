"""The judged sets for lasting memory have the form that their page tells; nothing of them is printed."""

import json
from pathlib import Path
from typing import Any

import pytest

SETS = Path(__file__).parent / "benchmarks" / "corpora" / "content"
HALVES = ("choose", "held")


def items(half: str, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SETS / half / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("half", HALVES)
def test_a_group_has_five_wordings_and_three_neighbours_that_differ_by_something(half: str) -> None:
    groups = items(half, "near.jsonl")
    assert len({one["group"] for one in groups}) == len(groups) == 40
    assert all((len(one["entries"]), len(one["neighbours"])) == (5, 3) for one in groups)
    texts = [entry["insight"] for one in groups for entry in (*one["entries"], *one["neighbours"])]
    assert len(set(texts)) == len(texts)
    assert all(entry["why"] for one in groups for entry in one["neighbours"])


@pytest.mark.parametrize("half", HALVES)
def test_half_of_the_sentences_are_pollution(half: str) -> None:
    sentences = items(half, "pollution.jsonl")
    assert [sum(one["polluted"] is polluted for one in sentences) for polluted in (True, False)] == [130, 130]
    assert len({one["text"] for one in sentences}) == len({one["id"] for one in sentences}) == 260


@pytest.mark.parametrize("half", HALVES)
def test_a_chain_states_its_values_word_for_word_and_the_last_one_holds(half: str) -> None:
    chains = items(half, "chains.jsonl")
    assert len({one["id"] for one in chains}) == len(chains) == 200
    for one in chains:
        values = [turn["value"] for turn in one["turns"]]
        assert all(turn["value"] in turn["text"] for turn in one["turns"]), one["id"]
        assert (values[-1], values[:-1]) == (one["current"], one["replaced"]), one["id"]
        assert [turn["day"] for turn in one["turns"]] == sorted(turn["day"] for turn in one["turns"]), one["id"]
