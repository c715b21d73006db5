"""TF-IDF of a batch, against scikit-learn's."""

import numpy as np
import pytest

from engine.models.sentence_vectors import SentenceVectors, words
from engine.text.stop_words import ENGLISH, GERMAN

NOTES = [
    ["The broker ran out of disk.", "Marta moved the old segments of the broker.", "ok"],
    ["We eat soup.", "The soup was cold, and cold soup is no soup."],
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop_me at 3.5!", ["don", "t", "stop_me", "at", "3", "5"]),
        ("“Über” – alles…", ["über", "alles"]),
        ("今天我们", ["今天", "天我", "我们"]),
        ("API서버 v2", ["api", "서버", "v2"]),
        ("好", ["好"]),
        ("", []),
        ("... !", []),
    ],
)
def test_d12_words_and_pairs_of_wide_characters(text: str, expected: list[str]) -> None:
    assert [word.decode() for word in words(text)] == expected


def test_weights_are_those_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    sentences = [sentence for note in NOTES for sentence in note]
    stop_words = sorted(ENGLISH | GERMAN)
    expected = TfidfVectorizer(token_pattern=r"\w+", stop_words=stop_words, sublinear_tf=True).fit_transform(sentences)
    ours = SentenceVectors(NOTES)
    dense = np.zeros((ours.rows, ours.width))
    dense[ours.row, ours.column] = ours.weight
    assert np.allclose(dense @ dense.T, (expected @ expected.T).toarray())
    assert ours.words.tolist() == [6, 8, 1, 3, 10]


def test_the_centre_of_a_note_is_its_own() -> None:
    ours = SentenceVectors(NOTES)
    note = np.array([0, 0, 0, 1, 1])
    scores = ours.centrality(note, np.ones(5))
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores[1] > scores[2] > 0
    alone = SentenceVectors(NOTES[1:]).centrality(np.zeros(2, dtype=np.int64), np.ones(2))
    assert scores[3:].argmax() == alone.argmax()


def test_words_are_weighed_across_the_batch() -> None:
    """What all notes of a batch say tells little about one of them."""
    heron, report = SentenceVectors([["A heron report."]]).weight
    assert heron == report
    heron, report = SentenceVectors([["A heron report."], *([f"The report of room {n}."] for n in range(30))]).weight[
        :2
    ]
    assert heron > 2 * report


def test_sentences_without_a_telling_word_have_no_weight() -> None:
    ours = SentenceVectors([["the of and", "..."], []])
    assert ours.rows == 2
    assert ours.centrality(np.zeros(2, dtype=np.int64), np.ones(2)).tolist() == [0.0, 0.0]
