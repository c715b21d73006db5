"""Terms by number: what a message shares with a topic is what counting words and pairs of words as text gives."""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.text.words import cut
from engine.topics.similarity.lexical_scorers import Vocabulary

_TEXT = st.lists(st.sampled_from(["red", "green", "blue", "日本語", "öl", "un known"]), max_size=12).map(" ".join)


def _counted(text: str) -> Counter[str]:
    words = cut(text).words
    return Counter([*words, *map(" ".join, pairwise(words))])


@given(passages=st.lists(_TEXT, max_size=4), message=_TEXT)
def test_words_and_pairs_are_counted(passages: list[str], message: str) -> None:
    vocabulary = Vocabulary(pairs=True)
    learned = vocabulary.learn(passages)
    topic: Counter[str] = sum(map(_counted, passages), Counter())
    assert len(vocabulary) == len(learned.ids) == len(topic)
    assert sorted(learned.counts.tolist()) == sorted(topic.values())

    said = _counted(message)
    shared = sorted(count for term, count in said.items() if term in topic)
    assert sorted(vocabulary.known(message).counts.tolist()) == shared


@given(passages=st.lists(_TEXT, max_size=4), message=_TEXT)
def test_a_number_stands_for_one_term_for_ever(passages: list[str], message: str) -> None:
    vocabulary = Vocabulary(pairs=True)
    first = vocabulary.learn(passages)
    vocabulary.learn([message])
    again = vocabulary.learn(passages)
    assert first.ids.tolist() == again.ids.tolist()
    assert first.counts.tolist() == again.counts.tolist()


def test_words_alone_where_pairs_are_not_wanted() -> None:
    vocabulary = Vocabulary(pairs=False)
    vocabulary.learn(["red green"])
    assert len(vocabulary) == 2
    assert len(vocabulary.known("green red blue").ids) == 2
    assert vocabulary.count("green red blue") == 3
