"""Similar titles (compactor §Duplicate Detection, decision A14)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.semantic.entry import KnownTitle
from engine.compactor.semantic.pollution import TitleIndex, normal_title, ratio_percent, similar
from engine.plans.plan import Append
from tests.engine.compactor.workspace import Workspace, entry, episodic

INSIGHT = "Drain the queue before a schema migration"


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("Blue-green deploys!", "blue green DEPLOYS", True),
        ("Straße sperren", "STRASSE sperren", True),
        ("Ｆｕｌｌ width titles", "full width titles", True),
        ("Deploys", "Backups", False),
        ("aaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaabbb", True),
        ("aaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaabbbb", False),
        ("12345678", "12345678 abcdefg", True),
        ("1234567", "1234567 abcde", False),
        ("12345678", "12345678 abcdefgh", False),
        ("12345678", "abc 12345678", True),
        ("!!!", "!!!", True),
        ("!!!", "???", False),
        ("队列必须先清空", "队列必须先清空。", True),
    ],
)
def test_a14_titles_are_similar_by_ratio_or_by_substring(left: str, right: str, expected: bool) -> None:
    assert similar(normal_title(left), normal_title(right)) is expected


def test_a14_the_ratio_itself_counts() -> None:
    """17 of 20 characters in common: exactly 0.85."""
    left, right = "a" * 20, "a" * 17 + "b" * 3
    assert ratio_percent(left, right) == 85
    assert similar(left, right)
    assert not similar("a" * 100, "a" * 84 + "b" * 16)


@given(st.text(max_size=30), st.text(max_size=30))
def test_a14_similarity_has_no_direction_and_a_title_is_like_itself(left: str, right: str) -> None:
    one, other = normal_title(left), normal_title(right)
    assert similar(one, other) == similar(other, one)
    assert similar(one, one)
    assert normal_title(one) == one


def test_a14_the_most_similar_title_comes_first() -> None:
    index = TitleIndex([KnownTitle("Blue green deploy", "a.md", 1), KnownTitle("Blue green deploys", "b.md", 9)])
    assert [found.other.path for found in index.duplicates("blue-green deploys")] == ["b.md", "a.md"]


def test_a14_all_shards_are_searched_and_nothing_is_merged() -> None:
    files = {
        "memory/episodic/old.md": episodic(40, [INSIGHT]),
        "memory/semantic/openclaw.md": entry("Unrelated"),
        "memory/semantic/whatsapp-bot.md": entry("drain the queue, before a schema-migration"),
    }
    plan = Workspace(files).planned()
    (append,) = [change for change in plan.changes if isinstance(change, Append)]
    assert append.path == "memory/semantic/openclaw.md"
    assert INSIGHT in append.content
    assert [c.id for c in plan.confirmations] == [f"duplicate:{append.n}"]
    question = plan.confirmations[0].question
    assert "“Queue before a schema migration”" in question
    assert "drain the queue, before a schema-migration" in question
    assert "memory/semantic/whatsapp-bot.md:1" in question
    assert any("similar title" in warning for warning in append.warnings)
    assert "Duplicate check: WARNING" in plan.report


def test_a14_two_entries_of_one_plan_are_compared_too() -> None:
    files = {
        "memory/episodic/a.md": episodic(41, [INSIGHT]),
        "memory/episodic/b.md": episodic(40, [f"{INSIGHT}, or jobs are lost"]),
    }
    plan = Workspace(files).planned()
    assert [c.id for c in plan.confirmations] == ["duplicate:2"]
    assert "another entry of this plan" in plan.confirmations[0].question


@pytest.mark.parametrize("before", [False, True])
def test_a14_what_stands_there_word_for_word_is_offered_and_not_taken_again(before: bool) -> None:
    """One decision, told in three notes, became three entries with three questions."""
    files = {"memory/episodic/b.md": episodic(40, [f"{INSIGHT}."])}
    if before:
        files["memory/semantic/openclaw.md"] = f"Title: Queues\nContext: A move.\nDurable Insight: {INSIGHT}\n"
    else:
        files["memory/episodic/a.md"] = episodic(41, [INSIGHT])
    plan = Workspace(files).planned()
    assert plan.confirmations == ()
    assert sum("semantic" in change.path for change in plan.changes) == (0 if before else 1)
    assert "stands word for word in" in plan.report


def test_a14_without_duplicates_the_check_passes_and_asks_nothing() -> None:
    plan = Workspace({"memory/episodic/a.md": episodic(41, [INSIGHT])}).planned()
    assert plan.confirmations == ()
    assert "Duplicate check: PASS" in plan.report
    assert next(gate for gate in plan.gates if gate.id == "duplicates").passed


def test_an_unreadable_shard_makes_the_check_incomplete_and_says_so() -> None:
    workspace = Workspace(
        {"memory/episodic/a.md": episodic(41, [INSIGHT])}, skipped=[("memory/semantic/odd.md", "not UTF-8")]
    )
    assert any("duplicate check could not read memory/semantic/odd.md" in text for text in workspace.planned().warnings)


def test_a34_what_says_the_same_by_meaning_is_asked_about_and_what_differs_is_told() -> None:
    """Titles were compared by letters: five wordings of one fact were five entries."""
    known = "The database listens on port 5433 behind the proxy in the office."
    shard = f"Title: Where orders live\nDurable Insight: {known}\n"
    for said, asked in (
        ("Behind the office proxy the database listens on port 5433.", "again? says nearly the same"),
        ("The database listens on port 5434 behind the proxy in the office.", "changed (5433 and 5434)?"),
        ("The database does not listen on port 5433 behind the proxy in the office.", "changed (one of them says no)?"),
    ):
        files = {"memory/episodic/a.md": episodic(40, [said]), "memory/semantic/openclaw.md": shard}
        (question,) = Workspace(files).planned().confirmations
        assert asked in question.question.replace("changed (5434 and 5433)", "changed (5433 and 5434)")
    other = episodic(40, ["The roof of the shed needs new felt before the autumn rain."])
    far = {"memory/episodic/a.md": other, "memory/semantic/openclaw.md": shard}
    assert Workspace(far).planned().confirmations == ()
