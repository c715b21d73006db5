"""A question's words are found as if every line were cut into words, and files without them are skipped."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from engine.tree.browse.day_words import AskedWords, folded
from engine.tree.browse.find import LineMatcher
from engine.tree.nodes.things import terms

FORMS = """
    dying dies lying tied skies sky happy happily happiness generalisation relational hoped hoping running ran biked
    Movie's movies O’Neil STRASSE Straße größer word5 word50 p95 v2.1 東京都 京都 長跑 을지로 C++ .net co-op news idly
""".split()  # noqa: SIM905  (a table reads better than a list of quoted words)
LINES = st.lists(st.lists(st.sampled_from(FORMS), max_size=5).map(" ".join), max_size=6).map("\n".join)


@given(LINES, LINES)
def test_words_are_counted_as_in_all_lines_cut_into_words(text: str, question: str) -> None:
    asked = {term.key for term in terms(question)}
    every = Counter(term.key for line in text.split("\n") for term in terms(line) if term.key in asked)
    assert AskedWords(asked).counts(text) == every


@given(LINES, st.lists(st.sampled_from(FORMS), min_size=1, max_size=3).map(" ".join))
def test_no_file_is_skipped_that_holds_a_line_which_matches(text: str, question: str) -> None:
    matches = LineMatcher(question)
    if any(matches(line) for line in text.split("\n")):
        assert matches.may_match(text)
    keys = {term.key for term in terms(question)}
    if keys and any(keys <= {term.key for term in terms(line)} for line in text.split("\n")):
        assert matches.may_match(text)
        assert AskedWords(keys).may_all_stand_in(folded(text))
