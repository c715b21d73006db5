"""The shard that an entry goes to: the one it belongs to, or as the operator says, one or many at once (A21, A24)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.options import CompactRequest
from engine.compactor.semantic.entry_edit import (
    earlier,
    entries_of,
    matches,
    numbered_routes,
    read_route,
    route_problem,
    routed,
)
from engine.compactor.semantic.shards import checked_route
from engine.compactor.semantic.topic_words import nouns, topic_words
from engine.errors import UsageError
from engine.plans.plan import Create, RiskTier
from engine.workspace.values import MemoryTier
from tests.engine.compactor.workspace import WORDS, Workspace, days_ago, entry, episodic

SHARD = "memory/semantic/openclaw.md"
BACKUPS, BOT = "memory/semantic/backups.md", "memory/semantic/telegram-bot.md"
INSIGHTS = [
    "Always verify a backup before the old one is removed",
    "Never restart the message broker during a deploy",
    "A Telegram bot must have one poller and no more",
]


def workspace(insights: list[str] = INSIGHTS, **more: str) -> Workspace:
    files = {f"memory/episodic/{n}.md": episodic(60 - n, [insight]) for n, insight in enumerate(insights)}
    return Workspace({**files, SHARD: entry("Other"), BACKUPS: entry("One"), BOT: entry("Two"), **more}, tokens=WORDS)


def shards(shop: Workspace, **given: object) -> list[tuple[str, str]]:
    plan = shop.planned(options=CompactRequest(**given))  # type: ignore[arg-type]
    return [(row["shard"], row["why"] or "") for row in plan.facts["entries"]]


def test_a24_an_entry_goes_to_the_shard_that_it_names_and_says_so() -> None:
    assert shards(workspace()) == [(BACKUPS, "it names “backup”"), (SHARD, ""), (BOT, "it names “telegram bot”")]
    (first, *_) = entries_of(workspace().planned())
    assert (first.shard, first.why) == (BACKUPS, "it names “backup”")


def test_a24_an_entry_goes_where_the_titles_are_about_the_same() -> None:
    titles = ("The restore of a ledger takes hours", "Test the restore of each ledger", "A ledger has one writer")
    shop = workspace(["Never start the restore of a ledger on a Friday"], **{BACKUPS: "".join(map(entry, titles))})
    assert shards(shop) == [(BACKUPS, "its entries too are about “ledger”, “restore”")]


def test_a24_words_that_every_shard_has_decide_nothing() -> None:
    """Reasons such as “a customer asked” stand in entries of every topic."""
    common = entry("A customer of the shop asked") + entry("The customer and the shop")
    shop = workspace(["The customer of the shop waits"], **{SHARD: common, BACKUPS: common, BOT: common})
    assert shards(shop) == [(SHARD, "")]
    one_word = workspace(["The customer waits"], **{BACKUPS: entry("A customer asked") + entry("The customer left")})
    assert shards(one_word) == [(SHARD, "")]


def test_a32_what_says_who_the_user_is_goes_to_their_own_shard_while_that_has_room() -> None:
    facts = ["My sister Clara is allergic to peanuts", "I prefer trains to flights on trips below 600 km"]
    note = episodic(40).partition("## Extracted")[0] + "## Facts\n" + "".join(f"- {fact}.\n" for fact in facts)
    shop = Workspace({"memory/episodic/a.md": note})
    assert set(shards(shop)) == {("memory/semantic/user.md", "it says who the user is")}
    assert shards(workspace(["The press needs oil before each long run"])) == [(SHARD, "")]


def test_a32_an_index_has_one_line_a_shard_and_is_none() -> None:
    shop = workspace(INSIGHTS[:1], **{SHARD: entry("Mill – oil"), BACKUPS: entry("Restore"), BOT: entry("Poller")})
    plan = shop.planned()
    (index,) = (change for change in plan.changes if change.path == "memory/semantic/_index.md")
    assert isinstance(index, Create) and index.risk_tier is RiskTier.A
    lines = index.content.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["- backups.md", "- openclaw.md", "- telegram-bot.md"]
    assert lines[1].startswith("- openclaw.md: Mill")
    shop.files[index.path] = index.content.encode()
    assert index.path not in {facts.path for facts in shop.snapshot().tier(MemoryTier.SEMANTIC)}
    with pytest.raises(UsageError):
        checked_route(index.path)


def test_a21_with_the_default_shard_alone_everything_goes_there() -> None:
    shop = Workspace({"memory/episodic/a.md": episodic(40, INSIGHTS), SHARD: entry("Backup") + entry("Telegram bot")})
    assert {shard for shard, _ in shards(shop)} == {SHARD}


def test_a24_the_name_of_the_default_shard_draws_nothing_to_another() -> None:
    shop = workspace(["Always restart openclaw after an update"], **{"memory/semantic/openclaw-2.md": entry("Other")})
    assert shards(shop) == [(SHARD, "")]


def test_a21_many_entries_are_routed_at_once_by_a_pattern_of_titles() -> None:
    """One route for each entry took twenty options in one week."""
    shop = workspace([*INSIGHTS, "Backups stand in two regions", "The backup key is in the vault"])
    found = shards(shop, routes={"*BACKUP*": BOT, 5: SHARD})
    assert [shard for shard, _ in found] == [BOT, SHARD, BOT, BOT, SHARD]
    assert found[0][1] == "your route"


def test_a21_routes_by_pattern_are_kept_so_that_a_further_edit_keeps_them() -> None:
    plan = workspace().planned(options=CompactRequest(routes={"*backup*": BOT}))
    assert earlier(plan, "routes") == {1: BOT}
    assert numbered_routes(plan, {"*broker*": BACKUPS, "*": SHARD, 1: BOT}) == {1: BOT, 2: BACKUPS, 3: SHARD}


@pytest.mark.parametrize("routes", [{"*nothing*": BOT}, {4: BOT}, {"*backup*": "../x.md"}, {"*backup*": ""}])
def test_a21_a_route_that_no_entry_has_or_that_is_no_shard_is_an_error(routes: dict[int | str, str]) -> None:
    with pytest.raises(UsageError):
        workspace().plan(options=CompactRequest(routes=routes))


def test_a21_a_number_comes_before_a_pattern_and_an_earlier_pattern_first() -> None:
    titles = {1: "A backup", 2: "A bot", 3: "Backups"}
    assert routed({"*bot*": BOT, "*b*": SHARD, 3: BACKUPS}, titles) == {1: SHARD, 2: BOT, 3: BACKUPS}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("memory/semantic/x.md", ("", "memory/semantic/x.md")),
        ("memory/semantic/a=b.md", ("", "memory/semantic/a=b.md")),
        ("*backup*=memory/semantic/x.md", ("*backup*", "memory/semantic/x.md")),
        ("* = *=memory/semantic/x.md", ("* = *", "memory/semantic/x.md")),
        ("3=memory/semantic/a=b.md", ("3", "memory/semantic/a=b.md")),
        ("*x* = memory/semantic/x.md", ("*x*", "memory/semantic/x.md")),
        ("a=b=../x.md", ("a=b", "../x.md")),
        ("3=memory/semantic/x.md", ("3", "memory/semantic/x.md")),
        ("", ("", "")),
    ],
)
def test_a21_pattern_and_path_are_told_apart(written: str, read: tuple[str, str]) -> None:
    assert read_route(written) == read


def test_a21_what_is_written_as_the_shard_is_checked_with_its_pattern() -> None:
    assert route_problem(f"*backup*={BACKUPS}") == ""
    assert route_problem("*backup*=../x.md") and route_problem("*backup*=")


@given(st.text(max_size=40), st.text(max_size=40))
def test_a21_no_pattern_and_no_title_breaks_the_match(pattern: str, title: str) -> None:
    assert isinstance(matches(pattern, title), bool) and matches("*", title)
    assert isinstance(read_route(pattern)[0], str) and isinstance(route_problem(pattern), str)


@given(st.text(max_size=200))
def test_words_of_any_text_stand_in_it_and_can_be_a_name(text: str) -> None:
    for word in topic_words(text):
        assert word.stem and word.text.isalpha() and word.start < word.end


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Drain the queue before a schema migration", {"queue", "schema", "migration"}),
        ("Backups must never overlap the invoice run", {"backups", "invoice"}),
        ("Die Sicherung läuft nie während der Rechnung", {"sicherung", "rechnung"}),
        ("备份必须验证", {"备份", "验证"}),
    ],
)
def test_a_verb_before_an_article_or_after_must_names_no_topic(text: str, found: set[str]) -> None:
    assert set(nouns(text).values()) == found


def test_a24_a_route_by_topic_never_changes_the_number_of_an_entry() -> None:
    shop = workspace(INSIGHTS, **{"memory/working/a.md": f"---\ndate: {days_ago(9)}\n---\nIt shipped.\n"})
    before = [one.source for one in entries_of(shop.planned())]
    after = [one.source for one in entries_of(shop.planned(options=CompactRequest(routes={"*": SHARD})))]
    assert before == after
