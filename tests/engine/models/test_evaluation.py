"""What summaries keep of real notes, beside the baselines that `make eval` prints in full."""

from pathlib import Path

import pytest

from tests.benchmarks.evaluate_summaries import Sample, asked_later, kept, memaware, mentioned_later


@pytest.mark.sampled(4)
@pytest.mark.parametrize("field", ["evidence_transcripts", "evidence_days"])
def test_answers_survive_better_than_in_first_or_central_or_random_lines(shared_data: Path, field: str) -> None:
    share, _, others = kept(memaware(field)[::3])
    assert share > max(others.values())


def test_chinese_words_that_come_up_again_survive(shared_data: Path) -> None:
    share, _, others = kept(mentioned_later("cn"))
    assert share > max(others.values())


def test_samples_ask_for_what_the_note_holds(shared_data: Path) -> None:
    samples: list[Sample] = asked_later("cn")
    assert samples
    assert all(sample.asked for sample in samples)
