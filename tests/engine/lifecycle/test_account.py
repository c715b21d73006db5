"""The account of a plan: whatever goes in is told of once, and what is not told of is named."""

from hypothesis import given
from hypothesis import strategies as st

from engine.lifecycle.account import Account

NAMES = st.frozensets(st.sampled_from("abcdef"))


@given(NAMES, NAMES, NAMES, NAMES)
def test_d25_an_account_is_exact_only_where_its_parts_are_what_went_in(
    entries: frozenset[str], kept: frozenset[str], archived: frozenset[str], left_out: frozenset[str]
) -> None:
    account = Account(entries=entries, kept=kept, archived=archived, left_out=left_out)
    total = len(kept) + len(archived) + len(left_out)
    assert account.exact == (kept | archived | left_out == entries and total == len(entries))
    assert set(account.unexplained) == entries - kept - archived - left_out
    assert ("unexplained" in account.line("files")) == (not account.exact)
    assert (account.facts()["unexplained"] == 0) == account.exact


def test_a_dropped_entry_is_named() -> None:
    account = Account(entries=frozenset("abc"), kept=frozenset("a"), archived=frozenset("b"))
    assert account.line("entries") == "3 entries = 1 kept + 0 merged + 1 archived + 0 omitted; unexplained: c"
