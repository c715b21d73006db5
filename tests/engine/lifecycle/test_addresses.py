"""Addresses of facts: a later value at the same address supersedes, with or without a reason (decision D61)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.extraction.address_words import LANGUAGES, address_words
from engine.extraction.addresses import addresses
from engine.extraction.relations import Relation, relation, says_same
from engine.extraction.sentence_kinds import says_value

PAIRS = [line.split("\t") for line in (Path(__file__).parent / "statement_pairs.tsv").read_text("utf-8").splitlines()]
"""Language, `r` replaces, `w` withdraws or `n` neither, the earlier and the later sentence."""
JOINS = "We decided to use Postgres for the billing database because of joins."
OPS = "We decided to use SQLite for the billing database because ops is simpler."


@pytest.mark.parametrize(("language", "kind", "earlier", "later"), PAIRS)
def test_d61_a_later_value_at_the_same_address_supersedes_and_no_other(
    language: str, kind: str, earlier: str, later: str
) -> None:
    assert language in LANGUAGES
    assert (relation(later, earlier) is Relation.REPLACES) == (kind != "n")


SAME = [
    ("The port of billing is 5433.", "Billing listens on port 5433."),
    ("The port of billing is 5433.", "billing's port is 5433"),
    ("We use Postgres for the ledger.", "The ledger is stored in Postgres."),
    ("We deploy on Fridays.", "Deploys are on Friday."),
]
SENTENCES = sorted({sentence for pair in (*SAME, *(pair[2:] for pair in PAIRS)) for sentence in pair})


@pytest.mark.parametrize(("one", "other"), SAME)
def test_d62_sentences_say_one_value_at_one_address_in_other_words(one: str, other: str) -> None:
    assert says_same(one, other)


@given(st.sampled_from(SENTENCES), st.sampled_from(SENTENCES))
def test_d62_what_says_the_same_replaces_nothing_whichever_comes_first(one: str, other: str) -> None:
    same = says_same(one, other)
    assert same == says_same(other, one)
    assert not same or Relation.NONE is relation(one, other) is relation(other, one)


@pytest.mark.parametrize(("language", "kind", "earlier", "later"), [pair for pair in PAIRS if pair[1] != "n"])
def test_d62_what_replaces_a_statement_does_not_say_the_same(
    language: str, kind: str, earlier: str, later: str
) -> None:
    assert not says_same(earlier, later), (language, kind)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (JOINS, OPS),
        (OPS, JOINS),
        (JOINS, "Let's use SQLite for the billing database instead."),
        (JOINS, "We picked SQLite as our billing database."),
        ("The port is 5433.", "The port is 5434."),
        ("The port is 5433.", "port is 5434 now"),
        (
            "We decided to sign notes as 'by AI (Claude)'.",
            "No, correction: we decided to sign notes with the model name instead.",
        ),
        (
            "No, correction: we decided to sign notes with the model name instead.",
            "Final convention, it replaces the earlier ones: we sign notes exactly as 'Agent'.",
        ),
    ],
)
def test_d61_what_the_field_reported_supersedes(earlier: str, later: str) -> None:
    assert relation(later, earlier) is Relation.REPLACES
    assert relation(later, later) is Relation.NONE


@pytest.mark.parametrize(
    "sentence",
    [
        "Ana said they decided to use Oracle at her old company.",
        "Should we use Oracle for the billing database?",
        "We may use Oracle for the billing database.",
        "Until March the billing database was Oracle.",
        "Lena hat gehört, dass die Abrechnung auf Oracle läuft.",
        "Vielleicht nehmen wir Oracle für die Abrechnung.",
        "听说他们的账单用Oracle。",
        "我们也许会用Oracle做账单。",
    ],
)
def test_d61_questions_plans_hearsay_and_the_past_have_no_address(sentence: str) -> None:
    assert addresses(sentence) == ()


def test_d61_a_reason_is_no_part_of_the_address() -> None:
    (plain,) = addresses("We decided to use Postgres for the billing database.")
    (reasoned,) = addresses(JOINS)
    (turned,) = addresses("Because of joins, we use Postgres for the billing database.")
    assert (plain.subject, plain.value) == (reasoned.subject, reasoned.value) == (turned.subject, turned.value)
    assert plain.subject == {"bill", "databas"} and plain.value == {"postgr"}


@pytest.mark.parametrize(
    "sentence",
    ["we use pnpm in the web repo", "Staging API port is 5434 now.", "Wir versenden mit DHL.", "前端由小林负责。"],
)
def test_d61_what_a_person_says_of_what_is_theirs_states_a_value(sentence: str) -> None:
    assert says_value(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "try again with -v",
        "Nothing beats a good rain in April.",
        "I'm looking for some new bike routes to try out.",
        "translate to german pls: we never ship on fridays",
        "Tom says we use npm in the web repo.",
        "We talked about some new bands.",
        "听起来非常棒。",
        "我最近在学习绘画。",
    ],
)
def test_d61_talk_requests_and_words_of_others_state_no_value(sentence: str) -> None:
    assert not says_value(sentence)


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_has_readings_and_a_relation(one: str, other: str) -> None:
    assert all(reading.content == reading.content for reading in addresses(one))
    assert relation(one, other) in Relation and relation(one, one) is not Relation.REPLACES


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_a_language_are_patterns_without_groups_of_their_own(language: str) -> None:
    words = address_words(language)
    named = set(words.roles.groupindex.values()) | set(words.clause_ends.groupindex.values())
    assert words.roles.groups == len(words.roles.groupindex) and named
