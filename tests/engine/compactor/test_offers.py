"""Facts as a source, what is offered beside the first three, and what goes to the archive without having been taken."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.extraction.candidates import extract
from engine.compactor.extraction.durability import fleeting_rules, statement
from engine.compactor.extraction.entry_title import entry_title
from engine.compactor.extraction.found import MOST_ENTRIES, MOST_TOGETHER, Found, ranked, together
from engine.compactor.extraction.sections import read_note
from engine.compactor.extraction.situation import consequence, words_of
from engine.compactor.notes.left_out import CHANGED, HIDDEN, left_out
from engine.compactor.options import CompactRequest
from engine.compactor.semantic.entry_edit import entries_of
from engine.errors import Blocked, UsageError
from engine.models.facts import fact_text
from engine.models.summary import Point
from engine.plans.plan import Append, Create, Move, Plan
from tests.engine.compactor.workspace import Workspace, days_ago, episodic, of_kind

DAY = date(2026, 1, 5)
LESSONS = [
    "Exports are checked by their row count.",
    "The backup disk is changed every second Friday.",
    "Invoices go out on the last working day.",
    "The printer needs the driver of 2019.",
    "Guests get the blue key.",
]
FACTS = """\
---
source-date: 2026-01-05
summary: extractive
archived-as: memory/archive/day-archived.md
---
# Compiled: day.md
## Summary
- The plumber came.
## Decisions
(none)
## Extracted Insights
(none)
## Facts
- My sister Clara is allergic to peanuts, so never suggest a recipe with them
- I moved to 14 Elm Street in March 2025
"""
WHOLE = """\
# Day

## 09:00 dinner

user: We talk about the dinner on Sunday for eight guests.
user: My sister Clara is allergic to peanuts, so never suggest a recipe with them.

## 11:00 post and parcels

user: The post still goes to the old flat of last year.
user: By the way, I moved to 14 Elm Street in March 2025.
"""


def compacted(*insights: str) -> Workspace:
    return Workspace({f"memory/episodic/{days_ago(40)}.md": episodic(40, insights=insights)})


def written(plan: Plan) -> list[str]:
    return [one.content for one in plan.changes if isinstance(one, Append | Create) and "semantic" in one.path]


def test_facts_are_a_source_and_say_what_was_going_on_in_the_whole_note() -> None:
    space = Workspace({f"memory/episodic/{days_ago(40)}.md": FACTS, "memory/archive/day-archived.md": WHOLE})
    texts = written(space.planned())
    assert any(
        "Title: Sister Clara – allergic to peanuts\n" in text
        and "never suggest a recipe with them\n" in text
        and "Operational Impact" not in text
        for text in texts
    ), texts


def test_a_fact_whose_subject_only_the_sentence_before_names_is_offered_and_not_taken() -> None:
    note = read_note("## Facts\n- I bought it in May for 799 dollars at Best Buy\n")
    found = extract("memory/episodic/x.md", note, DAY, chosen=False)
    assert not found.candidates
    assert [offer.why for offer in found.offers] == ["leans on what was said before"]


def test_a_fact_that_counts_from_its_day_has_the_day_in_its_context() -> None:
    note = read_note("## Summary\n- The flat was painted.\n## Facts\n- I adopted 2 cats called Mia and Leo last week\n")
    (found,) = extract("memory/episodic/x.md", note, DAY, chosen=False).candidates
    assert found.entry.context == "2026-01-05"


def test_more_than_three_insights_are_offered_under_further_numbers() -> None:
    plan = compacted(*LESSONS).planned()
    entries = entries_of(plan)
    assert [entry.number for entry in entries] == [1, 2, 3, 4, 5]
    assert [entry.offered is None for entry in entries] == [True] * MOST_ENTRIES + [False, False]
    assert entries[3].text is not None
    assert "Durable Insight: The printer needs the driver of 2019." in entries[3].text


def test_an_edit_takes_an_offer_and_the_other_numbers_stay() -> None:
    space = compacted(*LESSONS)
    offered = entries_of(space.planned())[4]
    assert offered.text is not None
    plan = space.planned(options=CompactRequest(edits={5: offered.text}))
    assert len(written(plan)) == MOST_ENTRIES + 1
    assert "Guests get the blue key" in written(plan)[-1]
    rows = {entry.number: entry for entry in entries_of(plan)}
    assert rows[5].change is not None
    assert rows[4].offered is not None
    assert rows[5].offered is None


def test_a_refused_sentence_is_taken_only_in_words_that_pass() -> None:
    space = compacted("TODO: the gate of the garden stays shut at night")
    (offered,) = entries_of(space.planned())
    assert offered.offered == "debug note"
    with pytest.raises(Blocked):
        space.plan(options=CompactRequest(edits={1: offered.text or ""}))
    better = "Title: The garden gate is shut at night\nContext: A.\nDurable Insight: It stays shut at night.\n"
    assert "It stays shut at night" in written(space.planned(options=CompactRequest(edits={1: better})))[0]


def test_a_number_that_is_neither_an_entry_nor_an_offer_is_refused() -> None:
    with pytest.raises(UsageError):
        compacted(*LESSONS).plan(options=CompactRequest(edits={6: "Title: x\n"}))


def test_what_goes_to_the_archive_without_having_been_taken_is_named() -> None:
    plan = compacted(*LESSONS).planned()
    (move,) = (one for one in of_kind(plan, Move) if one.path.startswith("memory/episodic/"))
    named = [line for line in move.dropped if line.startswith("not kept: ")]
    assert [line.partition("“")[2].partition("”")[0] for line in named] == LESSONS[MOST_ENTRIES:]


@pytest.mark.parametrize(
    "sentence",
    [
        "Key insight: the queue is drained first",
        "Key learning: **Root cause:** the queue is drained first",
        "**Lesson learned #2:** the queue is drained first",
        "Fix — the queue is drained first",
        "💡 Takeaway: the queue is drained first",
        "Wichtigste Erkenntnis: the queue is drained first",
        "Ursache: the queue is drained first",
        "Leçon apprise : the queue is drained first",
        "Point clé : À retenir : the queue is drained first",
        "Lección aprendida: the queue is drained first",
        "Causa raíz: the queue is drained first",
        "根本原因：the queue is drained first",
        "关键教训: the queue is drained first",
    ],
)
def test_lead_ins_come_off_in_every_language(sentence: str) -> None:
    assert statement(sentence) == "the queue is drained first"


def test_a_sentence_that_begins_like_a_lead_in_keeps_its_words() -> None:
    for sentence in ("Fix the door before winter", "Results of the test came by post", "Problem 3 was solved by Ana"):
        assert statement(sentence) == sentence


def test_a_lead_in_does_not_hide_a_duplicate() -> None:
    shard = "Title: NEVER retry a post that returned an ID\nContext: A.\nDurable Insight: It doubles.\n"
    space = Workspace(
        {
            "memory/semantic/openclaw.md": shard,
            f"memory/episodic/{days_ago(40)}.md": episodic(
                40, insights=["Key learning: NEVER retry a post that returned an ID."]
            ),
        }
    )
    assert space.planned().facts["duplicates"]


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("The disk fills at night, so never start the copy after ten.", "never start the copy after ten"),
        ("Der Zug hält nicht, deshalb immer früher fahren.", "immer früher fahren"),
        ("Il est allergique, donc jamais de noix.", "jamais de noix"),
        ("数据库很慢，所以不要在白天运行报告。", "不要在白天运行报告"),
        ("Deploys on Friday break the shop; never deploy on a Friday.", "never deploy on a Friday"),
        ("Der Zug hält nicht in Bonn; immer früher fahren.", "immer früher fahren"),
        ("数据库很慢；不要在白天运行报告。", "不要在白天运行报告"),
        ("Deploys on Friday break the shop, never deploy on a Friday.", "never deploy on a Friday"),
        ("The log fills the disk. Always rotate it daily.", "Always rotate it daily"),
        ("数据库很慢，不要在白天运行报告。", "不要在白天运行报告"),
        ("If the replica lags, never switch over to it.", ""),
        ("Paul came late, never on Mondays.", ""),
        ("It rained, so we stayed at home.", ""),
        ("It rained; we stayed at home.", ""),
    ],
)
def test_what_follows_from_a_sentence_is_its_impact(sentence: str, what: str) -> None:
    assert consequence(sentence) == what


def test_lines_left_out_of_a_summary_are_shown_with_their_reasons_and_secrets_are_not() -> None:
    key = "AKIA" + "Q7Z3NVX2LMTR5WYB"
    note = f"# Day\n\n08:00 heartbeat: ok\nThe boiler was replaced.\nthe key is {key}\n\nNO_REPLY\n"
    path = f"memory/working/{days_ago(20)}.md"
    space = Workspace({path: note})
    plan = space.planned()
    found = left_out(plan, space.read)
    assert [(one.line, one.reason, one.text) for one in found] == [
        (3, "routine heartbeat line", "08:00 heartbeat: ok"),
        (5, "line holding a secret", HIDDEN),
        (7, "line of an injected prompt", "NO_REPLY"),
    ]
    space.files[path] += b"more\n"
    assert [(one.line, one.reason) for one in left_out(plan, space.read)] == [(0, CHANGED)]
    del space.files[path]
    assert [one.line for one in left_out(plan, space.read)] == [0]


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("I bought 4 lamps in Bonn today", "a passing event or mood"),
        ("I sold my previous one for $200 in Bonn", "leans on what was said before"),
        ("I have a ton of them from 3 trips to Lyon", "leans on what was said before"),
    ],
)
def test_facts_that_say_nothing_later_are_offered_and_not_taken(sentence: str, why: str) -> None:
    found = extract("memory/episodic/x.md", read_note(f"## Facts\n- {sentence}\n"), DAY, chosen=False)
    assert not found.candidates
    assert [offer.why for offer in found.offers] == [why]


def test_an_assistants_advice_is_no_lesson_unless_a_person_chose_it() -> None:
    note = read_note("## Extracted Insights\n- Remember to pace yourself and take breaks when you need them\n")
    assert not extract("memory/episodic/x.md", note, DAY, chosen=False).candidates
    assert extract("memory/episodic/x.md", note, DAY, chosen=True).candidates


def facts_of(*sections: tuple[str, ...]) -> Workspace:
    """An episodic file with the facts of every section, and the note that it was compiled from."""
    facts = "".join(f"- {fact}\n" for section in sections for fact in section)
    whole = "".join(
        f"## Talk {number}\n" + "".join(f"user: {fact}.\n" for fact in section)
        for number, section in enumerate(sections, 1)
    )
    head = FACTS.partition("- My sister")[0]
    return Workspace({f"memory/episodic/{days_ago(40)}.md": head + facts, "memory/archive/day-archived.md": whole})


ELSE = (
    "My dentist is Dr Okafor on Hill Road 12",
    "I prefer the window seat on flights over 3 hours",
    "My brother Paul lives in Lisbon",
    "I sold the red bicycle to Karin for 240 euros",
    "My landlord is called Mister Brandt",
)


def test_facts_of_one_section_share_an_entry_and_each_names_its_lines() -> None:
    space = facts_of(("I moved to 14 Elm Street in March 2025", "My landlord is called Mister Brandt"), (ELSE[1],))
    plan = space.planned()
    home, seat = written(plan)
    assert "Insight: I moved to 14 Elm Street in March 2025. My landlord is called Mister Brandt.\n" in home
    assert f"Insight: {ELSE[1]}\n" in seat
    one = next(change for change in plan.changes if isinstance(change, Append | Create) and change.content == home)
    lines = {span.start for span in one.sources if span.path.startswith("memory/episodic/")}
    assert lines >= {14, 15}
    assert {origin.source.start for origin in one.origins if origin.line == 2} == {14, 15}


def test_facts_of_other_sections_never_share_an_entry_and_are_offered() -> None:
    """A title named one thing, and its insight went on with seven others."""
    plan = facts_of(*((fact,) for fact in ELSE)).planned()
    insights = {text.partition("Insight: ")[2].partition("\n")[0] for text in written(plan)}
    assert len(insights) == MOST_ENTRIES and insights <= set(ELSE)
    offered = {offer["text"].partition("Insight: ")[2].partition("\n")[0] for offer in plan.facts["offers"]}
    assert insights | offered >= set(ELSE)


def test_a_question_is_no_fact_and_a_month_nothing_in_common() -> None:
    assert fleeting_rules("I've got a question about the lore of Sekiro.")
    assert not fleeting_rules("I have two dogs and a cat.")
    assert not words_of("The invoice over 480 euros was paid") & words_of("The outage of Sunday is over")
    assert not words_of("Mia starts school in September") & words_of("It needs water until September")


def test_a_note_of_few_sections_keeps_them_apart() -> None:
    texts = written(facts_of((ELSE[0],), (ELSE[1],), (ELSE[2],)).planned())
    assert sorted(text.partition("Insight: ")[2].partition("\n")[0] for text in texts) == sorted(ELSE[:3])


@given(st.lists(st.tuples(st.integers(1, 60), st.sampled_from((0.8, 1.2, 3.0)), st.booleans()), max_size=30))
def test_no_fact_is_lost_or_said_twice_by_sharing(drawn: list[tuple[int, float, bool]]) -> None:
    found = ranked(
        Found(point=Point(f"fact {index} " + "w" * length, index + 1, index + 1), rank=rank, fact=fact)
        for index, (length, rank, fact) in enumerate(drawn)
    )
    shared = together(found, None)
    said = [point for one in shared for point in one.points]
    assert len(said) == len(set(said))
    assert all(one.point in said for one in found if not one.fact)
    assert all(len(one.points) <= MOST_TOGETHER for one in shared)


def test_a_long_fact_ends_before_a_further_clause() -> None:
    short = "I usually get home around 6:30 pm on weekdays, and then I cook for four"
    assert fact_text(f"{short} and read a long book about the old town and its river") == short
    assert fact_text("I moved to 14 Elm Street in March") == "I moved to 14 Elm Street in March"


def fact_beside(*lines: str) -> str:
    """The entry of a fact that stands among these lines of its note."""
    fact = "My sister Clara is allergic to peanuts"
    head = FACTS.partition("## Facts")[0]
    note = "".join(f"{line}\n" for line in lines).replace("FACT", f"{fact}.")
    files = {f"memory/episodic/{days_ago(40)}.md": f"{head}## Facts\n- {fact}\n"}
    return written(Workspace(files | {"memory/archive/day-archived.md": f"# Day\n\n{note}"}).planned())[0]


def test_a29_a_context_stands_only_where_it_explains() -> None:
    reason = "Key insight: The dinner for Clara on Sunday is without satay because a spoon of it would kill her."
    assert "Context: The dinner for Clara on Sunday is without satay because" in fact_beside(reason, "FACT")
    for beside in ("- Clara comes to the dinner on Sunday.", "- The boiler was serviced because it leaked."):
        assert "Context:" not in fact_beside(beside, "- FACT")
    assert "Context:" not in fact_beside("user: I'm sorry to hear that, because I like her.", "user: FACT")


def test_a_rule_in_the_next_sentence_is_the_impact() -> None:
    assert "Operational Impact: never serve her satay\n" in fact_beside("user: FACT", "user: So never serve her satay.")
    assert "Operational Impact" not in fact_beside("user: FACT", "user: She lives in Bonn with two cats.")
    assert "Operational Impact" not in fact_beside("user: FACT", "assistant: Never serve her satay.")


def test_a29_the_heading_of_the_section_names_the_subject() -> None:
    space = facts_of(ELSE)
    whole = space.files["memory/archive/day-archived.md"]
    assert written(space.planned())[0].startswith("Title: Talk 1 – ")
    space.files["memory/archive/day-archived.md"] = whole.replace(b"Talk 1", b"09:06 ses_b277836352")
    assert "ses_b277836352" not in written(space.planned())[0]


def test_what_an_assistant_says_of_itself_is_no_fact() -> None:
    said = "I prefer the window seat on flights over 3 hours"
    head = FACTS.partition("## Summary")[0]
    space = Workspace(
        {
            f"memory/episodic/{days_ago(40)}.md": f"{head}## Summary\n- {said}\n",
            "memory/archive/day-archived.md": f"user: Where would you sit?\nassistant: {said}.\n",
        }
    )
    assert not written(space.planned())
    space.files["memory/archive/day-archived.md"] = f"user: {said}.\n".encode()
    assert written(space.planned())


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("In fact, I've gained 6 followers in May", "I've gained 6 followers in May"),
        ("I remember that I bought the 4K set on 27 November", "I bought the 4K set on 27 November"),
        ("I remember the 4K set of November", "I remember the 4K set of November"),
    ],
)
def test_a_fact_is_told_without_what_leads_to_it(sentence: str, fact: str) -> None:
    assert fact_text(sentence) == fact


def test_a_long_fact_is_never_cut_within_a_name_nor_before_the_clause_it_needs() -> None:
    tail = "at the shop on the corner of the old square where my aunt once worked for nine years"
    sale = f"I remember well that winter coat from the Friends and Family sale of last November {tail}"
    assert not fact_text(sale).endswith("Friends")
    posts = "I think that is because I have not been posting as often in March, and when I do post, it is late at night"
    assert not fact_text(posts).endswith("I do post")


def test_a29_the_title_of_two_facts_names_both() -> None:
    assert entry_title(["My name is Ana.", "I live in Porto."]) == "Ana – Porto"


def test_a_third_fact_of_another_matter_gets_an_entry_of_its_own() -> None:
    facts = ["My sister Clara is allergic to peanuts", "I moved to 14 Elm Street in 2025", "My cat Tom is 7 years old"]
    text = "# Day\n\n" + "".join(f"user: {fact}.\n" for fact in facts)
    lines = "".join(f"- {fact}\n" for fact in facts)
    files = {
        f"memory/episodic/{days_ago(40)}.md": f"{FACTS.partition('- My sister')[0]}{lines}",
        "memory/archive/day-archived.md": text,
    }
    texts = written(Workspace(files).planned())
    assert len(texts) == 2 and sum("Tom" in one for one in texts) == 1
    assert not any("Clara" in one and "Elm" in one and "Tom" in one for one in texts)


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm also thinking of inviting Sarah",
        "I have a class on Thursday",
        "我有一个烦恼",
        "I wore it for a few days now",
    ],
)
def test_a_thought_or_one_day_is_no_fact_that_lasts(sentence: str) -> None:
    assert fleeting_rules(sentence)


def test_the_context_of_a_fact_is_no_farewell_and_says_something_new() -> None:
    fact = "I moved to 14 Elm Street in March 2025"
    for other in (
        "Not yet, but I'm sure I will have one soon.",
        f"Recently {fact}, which was hard work.",
        "我们下次再聊，再见！",
    ):
        files = {
            f"memory/episodic/{days_ago(40)}.md": f"{FACTS.partition('- My sister')[0]}- {fact}\n",
            "memory/archive/day-archived.md": f"# Day\n\nuser: {other}\nuser: {fact}.\nassistant: I see.\n",
        }
        (text,) = written(Workspace(files).planned())
        assert "Context:" not in text


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("HiLo contract shipped (commit `70b53c9`); the frontends are still stubs", "a state that passes"),
        ("系统运行正常，等待下一次检查", "a state that passes"),
        ("The nightly suite ran in 42 seconds on the new machine", "the result of one run"),
        ("The form for the grant has to be sent by 2026-01-20", "a deadline that is over"),
        ("SwarmProposal API mismatch", "fragment"),
    ],
)
def test_a35_states_results_and_deadlines_that_are_over_are_offered_and_say_why(sentence: str, why: str) -> None:
    note = read_note(f"## Extracted Insights\n- {sentence}\n")
    found = extract("memory/episodic/x.md", note, DAY, chosen=False)
    assert found.candidates == () and why in found.offers[0].why
    assert extract("memory/episodic/x.md", note, DAY, chosen=True).candidates, "what a person chose is taken"


def test_a35_a_rule_about_a_state_is_taken() -> None:
    note = read_note("## Extracted Insights\n- Never deploy while a migration is still running\n")
    assert extract("memory/episodic/x.md", note, DAY, chosen=False).candidates
