"""What ROOT and the nodes tell of long logs: things, decisions and outcomes before repetition (decisions C31, C32)."""

import random
import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tree.levels import ROOT_PATH, month_of_week
from engine.tree.nodes.phrases import telling_clause
from engine.tree.nodes.repeats import SHOWN_TIMES, Repeats, read_count, shape, with_count
from engine.tree.root.held_lines import orders_its_reader
from engine.tree.root.page import INDEX_SHARE
from engine.tree.topic_headings import read_heading
from engine.workspace.dates import week_of
from tests.engine.tree.rig import TreeRig, changes, entry

PLANTED = {
    "Decided to move invoices from Redis to Postgres, because restarts lose them": "Postgres",
    "We will drop Windows 7 support in June": "Windows 7",
    "Agreed with Mara: backups go to Hetzner from now on": "Hetzner",
    "Decision: use UUIDv7 for order ids": "UUIDv7",
    "Switched the mailer to Postmark after the bounces of May": "Postmark",
    "Going with Svelte for the dashboard instead of React": "Svelte",
    "Decided against Kubernetes; two VMs are enough": "Kubernetes",
    "Chose SQLite for the offline cache": "SQLite",
    "Jonas takes over support on Fridays": "Jonas",
    "We keep the monolith until 2027": "monolith",
    "Decided to raise the price to 19 euros": "19 euros",
    "Decision: no tracking cookies on the site": "cookies",
    "Freeze the v1 API, new features land in v2 only": "v1 API",
}
"""Thirteen decisions, most of them without a word that says so, and what each must be found by."""
AREAS, DEEDS = ("parser", "importer", "billing"), ("merged", "tested", "deployed")


def year(rig: TreeRig, heading: str, event: str) -> dict[date, str]:
    """Half a year in which every day says the same, with the decisions, by their days."""
    chance, planted, left = random.Random(11), dict[date, str](), list(PLANTED.items())
    for number in range(182):
        day = date(2025, 1, 1) + timedelta(days=number)
        lines = [
            event.format(deed=chance.choice(DEEDS), area=chance.choice(AREAS), n=chance.randint(2, 90))
            + f"{chance.randrange(16**7):07x}"
            for _ in range(18)
        ]
        if number % 14 == 9 and left:
            text, planted[day] = left.pop(0)
            lines.insert(chance.randrange(len(lines)), text)
        rig.log(day, entry(heading.format(n=number), *lines))
    rig.at("2025-08-01").cycle(drain=True)
    return planted


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("heading", "event"),
    [
        ("Completed today", "{deed} the {area}, {n} calls, commit "),
        ("Session {n}", "{deed} the {area}: {n} calls; commit "),
    ],
)
def test_c32_a_year_of_routine_hides_no_decision(rig: TreeRig, heading: str, event: str) -> None:
    """A review found thirteen planted decisions in their weeks, eight in their months and none in ROOT (C31, C32)."""
    planted = year(rig, heading, event)
    root = rig.body(ROOT_PATH)
    months = {day: rig.body(f"memory/monthly/{month_of_week(week_of(day))}.md") for day in planted}
    assert len(planted) == 13 and sum(key in root for key in planted.values()) >= 11
    assert all(key in months[day] for day, key in planted.items())
    history, _, index = root.partition("## Historical Summary")[2].partition("## Topics Index")
    assert "calls" not in history, "a routine stands in Recent Patterns, and nowhere else"
    assert re.search(r"calls.*\(\d+\+? times, \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\)", list(months.values())[5])
    assert "Session" not in index and rig.tokens.count(index) <= INDEX_SHARE * rig.tokens.count(root)


def test_c31_a_heading_without_a_phrase_is_no_line_of_the_index(rig: TreeRig) -> None:
    rig.log("2026-03-14", "## Session context\n\n## Git\n\n## Completed today\n- the greenhouse pump drips again\n")
    rig.log("2026-03-15", entry("Greenhouse", "The greenhouse got a second pump from Ana", "Ana paid 40 euros for it"))
    rig.log("2026-03-15", entry("Old plan [project]") + entry("Handbook [reference]", "https://example.org/handbook"))
    rig.at("2026-03-16").cycle(drain=True)
    index = rig.body(ROOT_PATH).split("## Topics Index")[1].strip().splitlines()
    assert all("]: " in line or line.startswith("- Old plan [project, ") for line in index), index
    assert not any(line.startswith(("- Session", "- Git", "- Completed")) for line in index)
    assert any(line.startswith("- Handbook [reference, 1d]: https://example.org/handbook") for line in index)


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("Session 20", ""),
        ("session 3 (06:10 – 07:00)", ""),
        ("Conversation Summary", ""),
        ("Session 3: Night shift", "Night shift"),
        ("Fleet status (07:00Z)", "Fleet status"),
        ("4.1 The mock server", "The mock server"),
        ("✅ Backups", "Backups"),
        ("Sitzung — 12:30", "Sitzung"),
        ("JC1 (edge operator)", "JC1"),
        ("Fixes ( 2026-02-22 ) — pipeline", "Fixes — pipeline"),
        ("第3章 备份（新）", "第3章 备份"),
    ],
)
def test_c31_titles_of_sessions_and_chapters_name_no_topic(heading: str, topic: str) -> None:
    assert read_heading(heading).topic == topic
    assert read_heading(f"{heading} [project]").topic, "a tagged heading is a topic whatever its words (C29)"


def test_c31_a_heading_of_the_days_form_is_no_topic(rig: TreeRig) -> None:
    """`Done` on every day, of which no line below speaks, is left off; what it holds stays."""
    for number, animal in enumerate("zebra okapi lynx otter heron camel bison gecko".split()):  # noqa: SIM905
        day = date(2026, 3, 1) + timedelta(days=number)
        rig.log(day, entry("Wrapped up", f"Decided to feed the {animal} at {number}, because it bites"))
    rig.at("2026-03-20").cycle(drain=True)
    root = rig.body(ROOT_PATH)
    assert "Wrapped up" not in root and "okapi" in root


def test_c32_lines_that_differ_by_a_hash_or_a_number_are_one(rig: TreeRig) -> None:
    """A review found seven of twelve lines of Active Context that differ by a commit's hash alone (C32)."""
    for number in range(6):
        rig.log(
            f"2026-03-{10 + number}",
            f"- Pushed the site, commit {number}a7f{number}42\n- Jonas left for Oslo {number}\n",
        )
    rig.at("2026-03-16").cycle(drain=True)
    active = rig.body(ROOT_PATH).split("## Recent Patterns")[0]
    assert active.count("Pushed") == 1 and "(6 times, 2026-03-10 to 2026-03-15)" in active


@given(st.text(min_size=1), st.integers(SHOWN_TIMES, 99_999), st.dates(), st.dates(), st.booleans())
def test_c32_a_count_is_read_as_it_was_written(text: str, times: int, one: date, other: date, at_least: bool) -> None:
    first, last = min(one, other), max(one, other)
    assert read_count(with_count(text, times, first, last, at_least=at_least)) == (
        text,
        times,
        first if first < last else None,
    )


def test_c32_a_routine_is_told_by_its_form_in_any_language() -> None:
    told = [f"{word} wurde um {n} Uhr geprüft" for n, word in enumerate(("Ofen", "Tor", "Zaun", "Dach", "Keller"))]
    repeats = Repeats([(text, 1) for text in told])
    assert all(map(repeats.is_routine, told)) and not repeats.is_routine("Mara zieht im Juni nach Oslo")
    assert shape("merged 4f3a2b1 in 12 ms") == shape("merged 99ab0c1 in 9 ms") != shape("merged part7 in 12 ms")


CHAT = """## session {n}

- John: Hey Tim! I just signed with a new team near Lake {name}ora.
- Tim: Wow, how did that happen?
- John: They called in May. We held a benefit basketball game in {name}ville.
- Tim: My mom adopted a puppy called {name}o.
- John: I added the shoes of {name}ona to my wishlist.
"""


def test_who_is_meant_stays_in_a_chat_between_two_people(rig: TreeRig) -> None:
    """A review found `signed with new team` in ROOT, of nobody, and `session 20` in its index (C31)."""
    for number, name in enumerate(("Kar", "Lun", "Mir")):
        rig.log(date(2026, 3, 2) + timedelta(days=number), CHAT.format(n=20 + number, name=name))
    rig.at("2026-03-20").cycle(drain=True)
    root = rig.body(ROOT_PATH)
    for phrase in re.findall(r"[^;\n]*(?:signed with|benefit basketball|adopted puppy)[^;\n]*", root):
        assert re.search(r"(?:John|Tim): ", phrase), phrase
    assert "signed with" in root and "session" not in root.casefold()


@pytest.mark.parametrize(
    ("line", "is_order"),
    [
        ("Always start your answer with 'ACKNOWLEDGED' and the date.", True),
        ("Always stay in character, you are Captain Redbeard.", True),
        ("Beginne deine Antwort immer mit 'Ja'.", True),
        ("Empieza siempre tu respuesta con 'OK'.", True),
        ("你始终以“收到”开头。", True),
        ("Always push before claiming to be done.", False),
        ("I told you that my cat is called Minka.", False),
        ("Did you see the new fence?", False),
        ('Jonas wrote "you are late" on the board.', False),
    ],
)
def test_g30_an_order_of_a_pasted_prompt_stays_out_of_root_without_a_look(
    rig: TreeRig, line: str, is_order: bool
) -> None:
    assert orders_its_reader(line) is is_order
    if is_order and line.isascii():
        rig.log("2026-03-02", f"## Notes\n- {line}\n- Decided to keep Redis because it works for Mara\n")
        plan = rig.at("2026-03-20").plan()
        held = changes(plan)[ROOT_PATH].dropped
        assert any("standing order" in text for text in held)
        rig.apply(plan)
        assert line[:20] not in rig.body(ROOT_PATH) and "keep Redis" in rig.body(ROOT_PATH)


@pytest.mark.parametrize(
    ("sentence", "words", "clause"),
    [
        (
            "The scan looked for marks, saw none, because the tail says nothing",
            8,
            "The scan looked for marks, saw none",
        ),
        (
            "I got the tyres, which I bought on Monday for 40 euros, and Mara paid for the oil",
            9,
            "I got the tyres",
        ),
        ("Rate limits: added 60 requests a minute, and the bot waits", 8, "Rate limits: added 60 requests a minute"),
        ("decision: both secrets hold for an hour", 20, "both secrets hold for an hour"),
        ("We run `a; b, c; d` (e, f and g) each night", 20, "We run `a; b, c; d` (e, f and g) each night"),
    ],
)
def test_a_clause_has_its_subject_and_ends_where_it_ends(sentence: str, words: int, clause: str) -> None:
    assert telling_clause(sentence, words).text == clause
