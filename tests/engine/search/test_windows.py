"""Stretches of short chunks: what neighbouring turns say together."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.ranking.file_scores import IN_TURNS, NOTES, TURNS, RankingWeights, by_stretches, weights_of
from engine.search.ranking.lexical import Lexical
from engine.search.ranking.postings import K1, SATURATED, B, Posting
from engine.search.vectors.layout import Layout
from tests.engine.search.place import SearchPlace


def laid_out(files: list[list[int]]) -> Layout:
    """Files by the numbers of words of their chunks; the first chunk has the number 1."""
    counts = np.array([len(one) for one in files], np.int64)
    first = 1 + np.cumsum(counts) - counts
    lengths = np.array([0, *(words for one in files for words in one)], np.int32)
    places = np.array([0, *(at for at, one in enumerate(files) for _ in one)], np.int32)
    return Layout(first, np.arange(1, len(files) + 1), counts, lengths, places)


def said(layout: Layout, often: list[list[int]]) -> Lexical:
    """Terms by how often each chunk says them."""
    postings, total = [], np.zeros(len(layout.lengths))
    for one in often:
        row = np.array([0, *one][: len(layout.lengths)])
        chunks = np.flatnonzero(row)
        values = row[chunks].astype(float)
        postings.append(Posting(chunks, values, values, values))
        total[chunks] += values
    chunks = np.flatnonzero(total)
    return Lexical(chunks, total[chunks], tuple(postings))


@given(st.data())
def test_the_best_stretch_is_that_of_a_slow_and_plain_count(data: st.DataObject) -> None:
    files = data.draw(st.lists(st.lists(st.integers(1, 30), min_size=2, max_size=7), min_size=1, max_size=4))
    layout = laid_out(files)
    size = int(layout.counts.sum())
    often = data.draw(st.lists(st.lists(st.integers(0, 3), min_size=size, max_size=size), min_size=1, max_size=3))
    words = said(layout, often)
    beside = data.draw(st.integers(0, 4))
    found = by_stretches(words, layout, beside)
    spans = {
        int(chunk): range(max(int(low), int(chunk) - beside), min(int(low + count), int(chunk) + beside + 1))
        for chunk in words.chunks
        for low, count in [(layout.first[layout.places[chunk]], layout.counts[layout.places[chunk]])]
    }
    lengths = {chunk: sum(int(layout.lengths[at]) for at in span) for chunk, span in spans.items()}
    mean = sum(lengths.values()) / max(1, len(lengths))
    expected = np.zeros(len(files))
    for chunk, span in spans.items():
        score = 0.0
        for row in often:
            held, count = sum(value > 0 for value in row), sum(row[at - 1] for at in span)
            score += (
                np.log1p((size - held + 0.5) / (held + 0.5))
                * SATURATED * count / (count + K1 * (1 - B + B * lengths[chunk] / mean))
            )  # fmt: skip
        expected[layout.places[chunk]] = max(expected[layout.places[chunk]], score)
    assert found == pytest.approx(expected)


def test_the_workspace_decides_by_the_median_of_its_files_and_never_the_file() -> None:
    short, long = [IN_TURNS - 1] * 3, [IN_TURNS] * 3
    assert weights_of(laid_out([short, short, long])) is TURNS
    assert weights_of(laid_out([short, long, long])) is NOTES
    assert weights_of(laid_out([[IN_TURNS - 40, IN_TURNS + 38]])) is TURNS  # the mean of a file, not its longest
    assert weights_of(Layout(*(np.zeros(0, np.int64),) * 3, *(np.zeros(0, np.int32),) * 2)) is NOTES


@pytest.mark.parametrize("weights", [TURNS, NOTES])
def test_words_give_one_at_most_on_either_scale(weights: RankingWeights) -> None:
    assert weights.stretch + weights.whole + weights.best == 1


def test_words_of_neighbouring_turns_count_together(tmp_path: Path) -> None:
    place = SearchPlace(tmp_path)
    idle = ["How was the day over there?", "Quite long but fine, thanks a lot.", "It rained here again all morning."]

    def chat(*turns: str) -> str:
        return "# Chat\n" + "".join(f"\n## 10:{n:02} — Ada\n{turn}\n" for n, turn in enumerate(turns))

    near = chat(*idle, "The copper kettle is gone.", "Sold at the harbour market?", *idle, *idle)
    far = chat("The copper kettle is gone.", *idle, *idle, *idle, "Sold at the harbour market?")
    place.write("raw/conversations/2026/03/01/1000-a.md", far)
    place.write("raw/conversations/2026/03/01/1000-b.md", near)
    for number in range(8):
        place.write(f"raw/conversations/2026/03/02/100{number}-c.md", chat(*idle, *idle, *idle))
    assert place.paths("copper kettle sold harbour umbrella")[:1] == ["raw/conversations/2026/03/01/1000-b.md"]
