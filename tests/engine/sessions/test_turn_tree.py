"""The turns that were given up, in trees as real files have them: with gaps, circles, several roots (D58)."""

from hypothesis import given
from hypothesis import strategies as st

from engine.sessions.turn_tree import TreeLine, abandoned
from engine.text.transcript_marks import Speaker

USER, AGENT = Speaker.USER, Speaker.AGENT


def tree(*rows: str) -> list[TreeLine]:
    """Entries from rows `id parent role [group]`; `-` stands for none."""
    roles = {"u": USER, "a": AGENT, "-": None}
    parts = [[*row.split(), ""] for row in rows]
    return [TreeLine(one[0], one[1].strip("-"), roles[one[2]], one[3]) for one in parts]


def test_a_rewind_gives_up_what_was_asked_before_it_d58() -> None:
    entries = tree("1 - u", "2 1 a", "3 2 u", "4 3 a", "5 2 u", "6 5 a")
    assert abandoned(entries) == abandoned(entries, "6") == {"3", "4"}


def test_the_line_that_the_tool_calls_the_last_decides_d58() -> None:
    entries = tree("1 - u", "2 1 a", "3 2 u", "4 3 a", "5 2 u", "6 5 a")
    assert abandoned(entries, "4") == abandoned(entries, "3") == {"5", "6"}
    assert abandoned(entries, "nowhere") == {"3", "4"}


def test_results_of_tools_that_were_called_at_once_are_no_branches_d58() -> None:
    """Two calls of one message: the result of the first hangs beside the second."""
    entries = tree("1 - u", "2 1 a m1", "3 2 a m1", "r2 2 -", "r3 3 -", "4 r2 a m2", "5 4 u")
    assert abandoned(entries) == frozenset()


def test_what_hangs_on_a_branch_that_was_given_up_goes_with_it_d58() -> None:
    entries = tree("1 - u", "2 1 a m1", "3 2 u", "4 3 a m2", "r 4 -", "5 r a m3", "6 2 u", "7 6 a m4")
    assert abandoned(entries) == {"3", "4", "r", "5"}


def test_an_answer_is_given_up_for_another_answer_only_d58() -> None:
    assert abandoned(tree("1 - u", "2 1 a m1", "3 1 a m2")) == {"2"}
    assert abandoned(tree("1 - u", "2 1 a m1", "3 1 u")) == frozenset()


def test_branches_that_grew_side_by_side_were_both_gone_on_with_d58() -> None:
    """A session that two terminals have open."""
    entries = tree("1 - u", "2 1 a", "3 2 u", "4 2 u", "5 3 a", "6 4 a")
    assert abandoned(entries) == frozenset()


def test_a_rewind_within_a_rewind_d58() -> None:
    entries = tree("1 - u", "2 1 a", "3 2 u", "4 3 a", "5 4 u", "6 4 u", "7 6 a", "8 2 u", "9 8 a")
    assert abandoned(entries) == {"3", "4", "5", "6", "7"}
    assert abandoned(entries[:7]) == {"5"}


def test_nothing_is_given_up_that_hangs_on_nothing_known_d58() -> None:
    assert abandoned(tree("1 - u", "2 1 a", "3 gone u", "4 3 a", "5 gone u", "6 - u", "7 6 a")) == frozenset()
    assert abandoned(tree("1 2 u", "2 1 a", "3 2 u", "4 2 u", "5 5 u")) == frozenset()


ENTRIES = st.lists(
    st.tuples(st.integers(0, 12), st.integers(-1, 14), st.sampled_from([USER, AGENT, None]), st.integers(0, 3)),
    max_size=40,
).map(lambda rows: [TreeLine(str(a), str(b) if b >= 0 else "", role, f"m{g}" if g else "") for a, b, role, g in rows])


@given(ENTRIES, st.integers(0, 14).map(str))
def test_what_was_gone_on_with_is_never_given_up_d58(entries: list[TreeLine], leaf: str) -> None:
    gone = abandoned(entries, leaf)
    parents: dict[str, str] = {}
    for one in entries:
        parents.setdefault(one.ident, one.parent)
    assert gone <= set(parents)
    ends = [leaf] if leaf in parents else []
    ends += [ident for ident, parent in parents.items() if parent not in parents or parent == ident]
    for end in ends:
        at, seen = end, set[str]()
        while at in parents and at not in seen:
            assert at not in gone
            seen.add(at)
            at = parents[at]
    spoken = [one.ident for one in entries if one.role is not None]
    assert not spoken or set(spoken) - gone, "something that was said stays"


@given(st.lists(st.sampled_from([USER, AGENT, None]), max_size=60))
def test_a_plain_chain_loses_nothing_d58(roles: list[Speaker | None]) -> None:
    assert abandoned(TreeLine(str(at), str(at - 1), role) for at, role in enumerate(roles)) == frozenset()


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6))
def test_every_rewind_leaves_one_path_d58(kept: int, old: int, new: int) -> None:
    """A chain, a branch of questions and answers at its end, and another that replaced it."""
    roles = (USER, AGENT)
    entries = [TreeLine(f"k{at}", f"k{at - 1}", roles[at % 2]) for at in range(2 * kept)]
    for name, count in (("o", old), ("n", new)):
        above = f"k{2 * kept - 1}"
        for at in range(count):
            entries.append(TreeLine(f"{name}{at}", above, roles[at % 2]))
            above = f"{name}{at}"
    assert abandoned(entries) == {f"o{at}" for at in range(old)}
