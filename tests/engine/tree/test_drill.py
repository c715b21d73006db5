"""Drilling from ROOT down: what a parent says of its children, and how much room each of them has to say it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tree.browse.browser import Browser
from engine.tree.browse.day_words import DayWords
from engine.tree.browse.drill import Said, child_of, drill, said_in, scores, stems, told_days
from engine.tree.browse.find import day_words, drilled_to, find
from engine.tree.levels import ROOT_PATH, NodeLevel, month_of_week
from engine.tree.nodes.node_source import raw_tokens
from engine.tree.nodes.node_summary import node_summary, room_for
from engine.tree.nodes.phrases import telegram
from engine.tree.nodes.things import stem
from engine.tree.source_references import raw_day
from engine.workspace.dates import week_of
from tests.benchmarks.corpora.generated import engineering_log
from tests.engine.tree.rig import TreeRig, entry, long_log
from tests.engine.tree.test_node_summary import WORDS, read

MARCH, APRIL = "memory/monthly/2026-03.md", "memory/monthly/2026-04.md"


def said_of(*lines: str) -> dict[str, list[str]]:
    return said_in(ROOT_PATH, ("---\ntype: root\n---\n" + "\n".join(lines) + "\n").encode())


@pytest.mark.parametrize(
    "forms",
    [
        ("movie", "movies", "Movie's"),
        ("bike", "bikes", "biking"),
        ("plan", "planned", "planning"),
        ("party", "parties"),
        ("dish", "dishes"),
        ("watch", "watched", "watching"),
    ],
)
def test_the_forms_of_a_word_share_a_stem(forms: Sequence[str]) -> None:
    assert len({stem(form) for form in forms}) == 1
    assert stem(forms[0])


def test_a_month_is_a_word_and_a_modal_verb_is_none() -> None:
    assert stems("it may rain in May") == ("rain", "may")


def test_root_says_of_a_month_what_its_days_weeks_and_stretches_say() -> None:
    said = said_of(
        "- 2026-03-02: zebra", "- 2026-W11: giraffe", "- 2026-03: okapi", "- 2025-12~2026-03: lynx", "- 2026-01~02: owl"
    )
    assert said[MARCH] == ["zebra", "giraff", "okapi", "lynx"]
    assert said["memory/monthly/2025-12.md"] == ["lynx"]
    assert said["memory/monthly/2026-01.md"] == ["lynx", "owl"]
    assert APRIL not in said


def test_a_word_counts_once_for_each_day_root_tells_of() -> None:
    said = said_of("- 2026-03-02:7 a zebra and a zebra", "- 2026-03-02: zebra", "- 2026-03-03: zebra")
    assert said[MARCH].count("zebra") == 2


@pytest.mark.parametrize(
    "line", ["- 2026-13: zebra", "- 2026-W60: zebra", "- 2026-02-30: zebra", "- 0000-00~99: zebra"]
)
def test_periods_that_do_not_exist_lead_nowhere(line: str) -> None:
    assert said_of(line) == {}


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=300))
def test_any_root_can_be_read(text: str) -> None:
    for child in said_in(ROOT_PATH, text.encode()):
        assert child.startswith("memory/monthly/")


def test_rare_words_weigh_more_and_repeats_ever_less() -> None:
    children = {"a": ["red"] * 3, "b": ["red", "blue"], "c": ["red"], "d": ["green"]}
    found = scores(["red", "blue"], children)
    assert found["b"] > found["a"] > found["c"] > found["d"] == 0
    assert found["a"] < 3 * found["c"]


def test_drilling_reads_the_beam_on_each_level_and_ends_where_something_was_said() -> None:
    tree: Mapping[str, Said] = {
        ROOT_PATH: {MARCH: ["zebra"], APRIL: ["owl"]},
        MARCH: {"memory/weekly/2026-W10.md": ["zebra"], "memory/weekly/2026-W11.md": []},
        "memory/weekly/2026-W10.md": {"memory/daily/2026-03-02.md": ["zebra"], "memory/daily/2026-03-03.md": []},
    }
    found = drill("the zebras?", lambda path: tree.get(path, {}), beam=1)
    assert found.days == ("memory/daily/2026-03-02.md",)
    assert found.read == (ROOT_PATH, MARCH, "memory/weekly/2026-W10.md")
    assert drill("a lynx", lambda path: tree.get(path, {})).days == ()
    named = drill("owl", lambda path: tree.get(path, {}), beam=1, named=[date(2026, 3, 3)])
    assert named.days == ("memory/daily/2026-03-03.md",)


@pytest.mark.sampled(3)
def test_a_question_no_line_holds_whole_leads_to_its_day(rig: TreeRig) -> None:
    for number in range(2, 29):
        rig.log(f"2026-03-{number:02}", long_log(f"chores {number}", 230, f"chore{number}"))
    rig.log("2026-03-11", entry("garden", "the pump of the greenhouse drips", "planted tomatoes beside the fence"))
    rig.at("2026-04-20").cycle(drain=True)
    reach = find(Browser(rig.survey()), "did we plant tomatoes near a greenhouse in winter?")
    assert not reach.hits
    assert reach.likely[0] == "memory/daily/2026-03-11.md"
    assert reach.drilled <= 7
    named = drilled_to(Browser(rig.survey()), "what was on March 5th?")
    assert named.days[0] == "memory/daily/2026-03-05.md"


def test_a_node_that_cannot_be_read_ends_no_search(rig: TreeRig) -> None:
    rig.log("2026-03-11", entry("garden", "tomatoes beside the fence"))
    rig.at("2026-04-20").cycle(drain=True)
    survey = rig.survey()
    (rig.folder / ROOT_PATH).unlink()
    assert drilled_to(Browser(survey), "March 11th").days == ("memory/daily/2026-03-11.md",)


# ── room by what a node stands for ─────────────────────────────────────────────────────────────────────────────────


def test_nodes_state_how_much_raw_log_they_stand_for(rig: TreeRig) -> None:
    rig.log("2026-03-10", long_log("work", 400))
    rig.log("2026-03-11", entry("garden", "tomatoes"))
    rig.at("2026-04-20").cycle(drain=True)
    below = sum(rig.tokens.count(rig.body(f"memory/2026-03-{day}.md")) for day in (10, 11))
    assert rig.values("memory/weekly/2026-W11.md")["raw-tokens"] == str(below)
    assert rig.values(MARCH)["raw-tokens"] == str(below)


def test_every_day_has_its_say_in_its_week_and_an_eventful_one_more() -> None:
    def log(day: int, count: int) -> str:
        return "".join(f"- Decided to move zebra{day}x{n} to stable{day}y{n} because it snows\n" for n in range(count))

    reads = [read(log(2, 1), "memory/2026-03-02.md"), read(log(3, 300), "memory/2026-03-03.md")]
    made = node_summary(NodeLevel.WEEKLY, reads, WORDS, raw_tokens=6_000)
    days = Counter(raw_day(line.spans[0].path) for line in made.lines if line.spans)
    assert days[date(2026, 3, 3)] > 10 * days[date(2026, 3, 2)] > 0


def test_a_summary_has_room_by_what_it_stands_for_within_bounds() -> None:
    assert room_for(NodeLevel.WEEKLY, 0) < room_for(NodeLevel.WEEKLY, 10_000) < room_for(NodeLevel.WEEKLY, 30_000)
    assert room_for(NodeLevel.WEEKLY, 10**9) == room_for(NodeLevel.WEEKLY, 10**8)


@pytest.mark.parametrize("stated", ["", "-5", "1e9", "９９", "9" * 40, ["7"]])
def test_what_is_no_size_counts_as_its_own(stated: str | list[str]) -> None:
    assert raw_tokens("memory/daily/2026-03-02.md", {"raw-tokens": stated}, 120) in (120, 99)
    assert raw_tokens("memory/2026-03-02.md", {"raw-tokens": "99999"}, 120) == 120


PLANTED = (
    ("move the billing database to Postgres 16", "move the billing database"),
    ("drop support for Windows 7 clients", "drop support for Windows"),
    ("hire Marta as the second support engineer", "hire Marta"),
    ("use Stripe instead of Adyen for cards", "take cards by Stripe"),
    ("keep backups for 90 days in Frankfurt", "keep backups in Frankfurt"),
    ("rename the product to Lanternfish", "rename the product"),
    ("close the Zurich office in autumn", "close the office in Zurich"),
    ("write the new importer in Rust", "write the importer in Rust"),
    ("raise the price of the team plan to 29 euros", "raise the price of the team plan"),
    ("stop the newsletter and write a blog", "stop the newsletter"),
    ("give every customer a key of its own", "give customers a key"),
    ("move meetings to Tuesday mornings", "move meetings to Tuesday"),
    ("replace Jenkins by another runner", "replace Jenkins"),
)
USUAL = (
    "checked the stop orders of the bot", "the bot was three percent below its last high", "quiet hours until six",
    "the access token was refreshed", "ran the nightly tests", "answered the mail of two customers",
    "restarted the bot after an update", "reviewed the open requests", "wrote the weekly note for the team",
)  # fmt: skip


@pytest.mark.sampled(3)
def test_months_are_told_apart_by_what_was_decided_in_them(rig: TreeRig) -> None:
    """A year of logs that say the same, with thirteen decisions: each stands in its month, in ROOT, and is found."""
    planted: dict[date, tuple[str, str]] = {}
    for number in range(180):
        day = date(2025, 2, 1) + timedelta(days=2 * number)
        lines = [f"- {number * n % 9} times {one}, {number * n % 89} percent\n" for n, one in enumerate(USUAL, 1)]
        if number % 14 == 5 and len(planted) < len(PLANTED):
            planted[day] = PLANTED[len(planted)]
            lines.append(f"- Decided to {planted[day][0]} because the old way costs too much\n")
        rig.log(day, "## Trading bot\n" + "".join(lines))
    rig.at("2026-02-20").cycle(drain=True)
    assert len(planted) == 13
    root = rig.body(ROOT_PATH).split("## Historical Summary")[1].split("## Topics Index")[0]
    assert sum(telegram(one) in root for one, _ in planted.values()) >= 12
    months = {day: rig.body(f"memory/monthly/{month_of_week(week_of(day))}.md") for day in planted}
    assert sum(one in months[day] for day, (one, _) in planted.items()) >= 12
    browser, found = Browser(rig.survey()), 0
    words = day_words(browser)
    for day, (_, asked) in planted.items():
        found += drilled_to(browser, f"when did we decide to {asked}?", words).days[0] == f"memory/daily/{day}.md"
    assert found >= 12


def test_a_drill_shows_the_lines_that_lead_to_its_days(rig: TreeRig) -> None:
    for number in range(2, 16):
        rig.log(f"2026-03-{number:02}", long_log(f"chores {number}", 230, f"chore{number}"))
    rig.log("2026-03-11", entry("garden", "Decided to plant tomatoes beside the fence because of the wind"))
    rig.at("2026-04-20").cycle(drain=True)
    found = find(Browser(rig.survey()), "when did we plant tomatoes?")
    assert found.likely[0] == "memory/daily/2026-03-11.md"
    shown = [line.text for line in found.on_the_way]
    assert MARCH in {line.path for line in found.on_the_way} and len(set(shown)) == len(shown)
    assert all("tomatoes" in line.text for line in found.on_the_way)
    assert rig.text(MARCH).split("\n")[next(o for o in found.on_the_way if o.path == MARCH).number - 1]


def test_three_beams_read_a_quarter_of_a_small_tree_at_most(rig: TreeRig) -> None:
    logs = engineering_log(40, 2, 4)
    for day, text in logs.items():
        rig.log(day, text)
    rig.at("2025-10-20").cycle(drain=True)
    browser = Browser(rig.survey())
    for asked in (
        "when did we cap quotas per tenant?",
        "what breaks when the disk is full?",
        "which vendor did we ask?",
    ):
        lines = "\n".join(line.text for line in find(browser, asked).on_the_way if line.path != ROOT_PATH)
        read = rig.tokens.count(rig.text(ROOT_PATH)) + rig.tokens.count(lines)
        assert read <= 0.25 * sum(map(rig.tokens.count, logs.values()))


@pytest.mark.parametrize(
    "question",
    ["what was on 5 March 2026?", "was war am 5. März 2026?", "2026年3月5日做了什么"],
)
def test_a_day_that_a_question_names_comes_first(rig: TreeRig, question: str) -> None:
    for number in range(1, 19):
        rig.log(f"2026-03-{number:02}", entry(f"chores {number}", f"swept room{number}"))
    rig.at("2026-03-19").cycle(drain=True)
    assert drilled_to(Browser(rig.survey()), question).days[0] == "memory/daily/2026-03-05.md"


def test_a_question_that_names_a_week_leads_to_its_days(rig: TreeRig) -> None:
    for number in range(1, 19):
        rig.log(f"2026-03-{number:02}", entry(f"chores {number}", f"swept room{number}"))
    rig.at("2026-03-19").cycle(drain=True)
    found = drilled_to(Browser(rig.survey()), "what was two weeks ago?").days
    assert found and {raw_day(one.replace("daily/", "")) for one in found} <= {date(2026, 3, n) for n in range(2, 9)}


def test_a_stretch_that_holds_all_words_outweighs_a_day_that_holds_them_apart() -> None:
    apart = "\n".join(f"- {word} and nothing else {'x' * 900}" for word in ("zebra", "owl", "lynx"))
    words = DayWords({"apart": apart, "together": "- zebra owl lynx\n" + "- other words\n" * 300})
    scores = words.scores(stems("zebra owl lynx"))
    assert scores["together"] > scores["apart"]
    assert words.scores(stems("giraffe")) == {} and DayWords({}).scores(("zebra",)) == {}


def test_children_are_weeks_of_a_month_and_days_of_a_week() -> None:
    day = date(2026, 1, 1)
    assert child_of(ROOT_PATH, day) == "memory/monthly/2026-01.md"
    assert child_of("memory/monthly/2026-01.md", day) == "memory/weekly/2026-W01.md"
    assert child_of("memory/weekly/2026-W01.md", day) == "memory/daily/2026-01-01.md"


def test_the_day_that_roots_own_line_names_comes_first(rig: TreeRig) -> None:
    """A review asked when a coffee maker was bought and missed the day that stands in ROOT word for word."""
    for number in range(2, 16):
        rig.log(
            f"2026-03-{number:02}",
            f"- Which coffee maker shall I buy for office {number}?\n- Mara compared the coffee maker {number}\n" * 3,
        )
    rig.log("2026-03-05", "- I bought a coffee maker at Bergmann for 89 euros\n- The office is open on Fridays\n")
    rig.at("2026-04-20").cycle(drain=True)
    assert "- 2026-03-05: bought coffee maker at Bergmann" in rig.body(ROOT_PATH)
    found = find(Browser(rig.survey()), "when did I buy a coffee maker at Bergmann's?")
    assert found.likely[0] == "memory/daily/2026-03-05.md"
    assert "memory/daily/2026-03-05.md" in find(Browser(rig.survey()), "when did I buy a coffee maker?").likely
    asked = stems("when did I buy a coffee maker?")
    root, days = rig.text(ROOT_PATH).encode(), {f"memory/daily/2026-03-{n:02}.md": 1.0 for n in range(2, 16)}
    assert max(told := told_days(root, asked, days), key=lambda path: told[path]) == "memory/daily/2026-03-05.md"
