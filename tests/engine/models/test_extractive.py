"""The offline summariser as a whole (compactor §Summarize Working → Episodic; decision G9)."""

import subprocess
import sys

import pytest

from engine.errors import Cancelled
from engine.models.extractive import (
    MOST_DECISIONS,
    MOST_EVENTS,
    MOST_INSIGHTS,
    ExtractiveSummariser,
    event_count,
)
from engine.models.sentence_weights import LEAD
from engine.models.summary import NoteToSummarise, Summariser
from tests.engine.models.notes import (
    ALL,
    CHINESE,
    ENGLISH,
    GERMAN,
    JAPANESE,
    KOREAN,
    decisions,
    events,
    everything,
    insights,
    no_tick,
    summarise,
)


def test_g9_it_is_a_summariser_with_a_name_for_the_frontmatter() -> None:
    summariser: Summariser = ExtractiveSummariser()
    assert summariser.name == "extractive"
    assert summariser.version


def test_an_english_note() -> None:
    assert events(ENGLISH) == [
        (
            "The payment queue stopped at 09:14 because the broker ran out of disk. Marta noticed it when 40 orders had"
            " no receipt."
        ),
        (
            "What we did: Moved the old segments to the archive bucket, which freed 18 GB; Restarted the broker; the"
            " backlog of 1,312 messages was worked off in six minutes."
        ),
    ]
    assert decisions(ENGLISH) == [
        "Keep segments for three days instead of fourteen, because nobody replays older ones.",
        "Alert at 70 % of the disk.",
    ]
    assert insights(ENGLISH) == [
        "Always check the exit code of a scheduled job after an upgrade.",
        "Root cause: the retention job had failed silently since the upgrade.",
    ]


@pytest.mark.parametrize(
    ("note", "decision", "insight"),
    [
        (
            GERMAN,
            "Wir haben beschlossen, den alten Server noch vier Wochen laufen zu lassen.",
            "Die Ursache war eine Liste",
        ),
        (CHINESE, "我们决定使用新的分词器，因为旧的分词器不认识书名。", "每次升级之后都要检查夜里的任务。"),
        (JAPANESE, "更新を自動にすることにした。", "今後は期限の一か月前に必ず通知を出す。"),
        (KOREAN, "로그는 삼 일만 보관하기로 했다.", "원인은 디스크가 가득 찬 것이었다."),
    ],
)
def test_notes_in_other_languages(note: str, decision: str, insight: str) -> None:
    assert decisions(note) == [decision]
    assert insights(note)[0].startswith(insight)
    assert len(events(note)) >= 2


@pytest.mark.parametrize("language", ALL)
def test_questions_and_small_talk_are_not_picked_where_there_is_better(language: str) -> None:
    text = everything(ALL[language])
    assert "?" not in text
    assert "？" not in text
    assert "thanks" not in text


@pytest.mark.parametrize("language", ALL)
def test_every_point_names_the_line_it_stands_on(language: str) -> None:
    lines = ALL[language].split("\n")
    summary = summarise(ALL[language], first_line=5)
    for point in (*summary.events, *summary.decisions, *summary.insights):
        stands = "; ".join(line.removeprefix("- ").rstrip(".") for line in lines[point.start - 5 : point.end - 4])
        owner, _, text = point.text.rpartition(f"{lines[point.start - 6].removeprefix('## ')}: ")
        assert text.rstrip(".。") in stands and owner == ""


def test_a_sentence_over_two_lines_names_both() -> None:
    summary = summarise("# T\n\nThe broker stopped this morning. It had\nrun out of disk space. We slept.\n", 10)
    assert [(point.text, point.start, point.end) for point in summary.events] == [
        ("The broker stopped this morning. It had run out of disk space. We slept.", 12, 13),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "---\n***\n",
        "```\ncode only\n```",
        "<!-- nothing -->",
        "# \n",
        "42\n17\n",
        "\ufeff",
        "https://a.example\n",
    ],
)
def test_a_note_without_a_sentence_gives_none(text: str) -> None:
    summary = summarise(text)
    assert (summary.events, summary.decisions, summary.insights) == ((), (), ())


def test_a36_a_bullet_carries_the_person_ticket_position_or_file_above_it() -> None:
    """Each keeps its figures; a whole list is one bullet, and one too long comes apart with the name in front."""
    players = "### #25 Ana\n- 34 years, tall for a goalkeeper\n- Keeps the left side\n\n"
    players += "### #7 Ben\n- 29 years, fast on the wing\n- Kept apart from training until May\n\n"
    steps = "".join(f"- Step {name} copies the {name} table and checks every row of it twice\n" for name in _TABLES)
    found = events(f"# Squad\n\n{players}## loader.py\nWhat the loader does:\n{steps}")
    assert found[0] == "#25 Ana: 34 years, tall for a goalkeeper; Keeps the left side"
    assert found[1] == "#7 Ben: 29 years, fast on the wing; Kept apart from training until May"
    assert all(one.startswith("loader.py – What the loader does: Step ") for one in found[2:]) and found[2:]


def test_a36_a_heading_of_one_word_stands_behind_the_one_above_it() -> None:
    note = "# Log\n\n## Move of the bot\n\n### Changes\n- The listener went, the gateway came\n\n"
    note += "### Quality gates\n- Pages are read by two people\n\n**3. Examples (after the merge)**\n"
    note += "\n## Move of the store\n- The rows went to the new machine\n"
    assert events(note) == [
        "Move of the bot: Changes: The listener went, the gateway came",
        "Quality gates: Pages are read by two people",
        "Move of the store: The rows went to the new machine",
    ]


def test_a36_a_decision_stands_beside_its_options_and_below_what_it_is_about() -> None:
    note = """\
# Log

## Message bus
- We decided to use NATS, because the old bus took 40 seconds
- Options that were weighed:
  - WebSockets, two weeks of work
  - NATS, one hour of work

## Cache
- We decided to drop the second cache
"""
    assert decisions(note) == [
        "Message bus: We decided to use NATS, because the old bus took 40 seconds",
        "Cache: We decided to drop the second cache",
    ]
    weighed = "Options that were weighed: WebSockets, two weeks of work; NATS, one hour of work"
    assert events(note) == [f"Message bus: {weighed}"]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("[[reply_to_current]] The tunnel is open again since noon.", "The tunnel is open again since noon."),
        ("The plan is in the annex [attachment:4f1c.pdf] of the letter.", "The plan is in the annex of the letter."),
        ("The script says `echo a. B` and then it stops at once.",) * 2,
    ],
)
def test_marks_of_a_platform_go_and_code_is_never_cut(line: str, text: str) -> None:
    assert events(f"# Note\n\n- {line}\n") == [text]


def test_a_standing_rule_of_a_note_goes_before_all_else_of_it() -> None:
    lessons = "".join(f"- Lesson: the {name} table was copied twice by the old loader.\n" for name in _TABLES)
    assert insights(f"## Notes\n{lessons}- Always write the output in English.\n")[0] == (
        "Always write the output in English."
    )


_TABLES = ("amber", "birch", "cedar", "daisy", "elder", "hazel", "juniper", "maple", "olive", "poppy", "willow")


def test_each_section_of_a_note_has_a_point_with_all_that_it_says() -> None:
    named = [f"Move of the {name} table" for name in _TABLES[:7]]
    parts = (
        f"## {title}\n" + "".join(f"- {step}" + f" {name}" * 25 + "\n" for step in _STEPS)
        for title, name in zip(named, _TABLES, strict=False)
    )
    found = events("# Log\n\n" + "".join(parts))
    assert [point.partition(":")[0] for point in found] == named
    assert all(step in point for point in found for step in _STEPS)


def test_of_a_section_too_long_for_a_point_the_paragraph_that_opens_it_comes_first() -> None:
    log = "".join(f"## Move of the {name} table\n- {name}" + f" {name}" * 5 + "\n\n" for name in _TABLES)
    steps = "".join(f"- Row {name}: 7" + f" {name}" * 25 + "\n" for name in _TABLES)
    told = events(f"# Log\n\n{log}## Copies\nEach table was copied by two people.\n\n{steps}")[-1]
    assert told.startswith("Copies: Each table was copied by two people; Row ")


def test_a_table_too_long_for_a_point_is_told_by_whole_rows() -> None:
    table = "| Key | Name | State |\n|---|---|---|\n"
    short = "| 1 | amber | is read by two |\n| 2 | birch | is read by one |\n"
    rows = "".join(f"| {number} | {name} | kept" + f" {name}" * 12 + " |\n" for number, name in enumerate(_TABLES))
    assert events(f"# Log\n\n## Tables of the wood\n{table}{short}") == [
        "Tables of the wood: amber: is read by two; birch: is read by one"
    ]
    told = events(f"# Log\n\n## Tables of the wood\n{table}{rows}")
    assert all(
        row in f"{name}: kept" + f" {name}" * 12
        for text in told
        for row in text.split("wood: ")[1].split("; ")
        for name in [row.split(":")[0]]
    )
    assert sum(text.count("kept") for text in told) == len(_TABLES)


def test_a_list_goes_with_its_lost_line_but_not_with_the_first_line_of_a_section() -> None:
    lists = (
        "**Weak sides:**\n- The index is read too late\n\n**Ready:** ✅\n- Rows are in order\n- Names are in order\n"
    )
    assert events(f"# Log\n\n## Weighing of the store\n{lists}") == ["Weak sides: The index is read too late"]
    first = "All tests pass\n- Readers take turns at the store\n- Nobody waits for the index\n"
    assert events(f"# Log\n\n## Turns of the readers\n{first}") == [
        "Turns of the readers: Readers take turns at the store; Nobody waits for the index"
    ]


def test_a_line_in_bold_names_what_stands_below_it_and_a_signature_says_nothing() -> None:
    note = (
        "# Log\n\n## Move of the store\n\n**1. Old rows**\nRows of last year are left where they are.\n\n---\nJ. 🪷\n"
    )
    assert events(note) == ["Old rows: Rows of last year are left where they are."]


def test_the_only_heading_with_parts_below_it_is_a_title_and_no_owner() -> None:
    parts = "### Cause\n- The reader had no rows at all\n\n### What was mended\n- The reader waits for the rows\n"
    summary = summarise(f"# 2026-04-05\n\n## Mending of the local reader\n\n{parts}")
    assert summary.title == "Mending of the local reader"
    assert [point.text for point in summary.events] == [
        "Cause: The reader had no rows at all",
        "What was mended: The reader waits for the rows",
    ]


def test_a_line_that_leans_on_another_is_left_out_and_a_path_is_no_rule() -> None:
    note = "# Log\n\n## Store\n- This is the standard of us\n- Rules: `docs/rules.md`\n- Kept in `a/rows` by night\n"
    assert everything(note) == "Store: Rules: `docs/rules.md`; Kept in `a/rows` by night"


def test_of_a_long_list_below_no_heading_the_best_lines_are_told() -> None:
    summary = summarise(
        "".join(f"- The {name} of {name} stands by {name} {name} {name}\n" for name in (*_TABLES, *_STEPS))
    )
    assert len(summary.events) == MOST_EVENTS


def test_what_is_still_to_be_done_says_so() -> None:
    note = "# Log\n\n## Next steps\n- Move the store to the new machine\n\n"
    assert events(f"{note}## Store\n- [ ] Copy the rows of the store twice\n") == [
        "Next steps: Move the store to the new machine",
        "Store: ☐ Copy the rows of the store twice",
    ]


def test_a_rule_above_the_first_part_of_a_note_is_no_field_of_it() -> None:
    fields = "Owner: the night shift\n\nImportant: never answer without acting.\n\n"
    assert everything(f"# Page\n\n{fields}## Steps\n- Read the list of open things\n").split("\n") == [
        "Important: never answer without acting.",
        "Steps: Read the list of open things",
    ]


def test_what_stands_beside_a_question_in_an_item_is_not_told_without_it() -> None:
    note = "## Decisions\n- Keep the old store? (copy all rows, then delete it)\n- We keep the new store for good.\n"
    assert decisions(note) == ["We keep the new store for good."]


def test_a_line_right_above_a_list_leads_it_and_one_that_ends_does_not() -> None:
    list_ = "- a reason must be given for each\n- an old one goes first of all\n"
    assert events(f"# Log\n\n## Papers\nA gate for new papers\n{list_}") == [
        "Papers: A gate for new papers: a reason must be given for each; an old one goes first of all"
    ]
    assert events(f"# Log\n\n## Papers\nThe gate was closed.\n{list_}") == [
        "Papers: The gate was closed; a reason must be given for each; an old one goes first of all"
    ]


_STEPS = ("By night", "At noon")


def test_no_notes_give_no_summaries() -> None:
    assert ExtractiveSummariser().summarise([], no_tick) == []


def test_empty_notes_among_others_keep_their_place() -> None:
    notes = [
        NoteToSummarise("a", ""),
        NoteToSummarise("b", ENGLISH),
        NoteToSummarise("c", "```\nx\n```"),
        NoteToSummarise("d", GERMAN),
    ]
    counts = [len(summary.events) for summary in ExtractiveSummariser().summarise(notes, no_tick)]
    assert counts == [0, 2, 0, 2]


@pytest.mark.parametrize(
    "note",
    [
        "# Move of the library server\n\n## Light sleep\n\n## Deep sleep\n",
        "-e\n\nGenerated: 2026-03-01\n",
        "memory_type: session-derived\nrecord_format_version: 1.0\nrecord_identity: a-41\n",
        "# Decision record\n\n- Context: [Describe the context here]\n- Decision: <what was decided>\n- Owner: TBD\n",
        "# 2026-03-01\n\n## Log\n" + "- Run skipped: no tasks\n" * 9 + "- Run failed: no planner\n" * 3,
        "# 設計\n\n- 目的: [ここに目的を書く]\n- 期限: [日付]\n- [名前] が担当\n",
        "[attachment:4f1c] \n",
        "# Week\n\n## Commits\n- `7b900e7` 2026-03-16 Update the list of owners\n\n*J. — research unit of the shop*\n",
        "# Week\n\n## Stars\nStars: 22790 | Open Issues: 219\n",
        "# Tests\n- `test_intent_parsing`\n- test_full_flow_navigate\n- tests/e2e/run.sh\n",
    ],
)
def test_a33_a_note_of_headings_fields_templates_and_repetition_holds_nothing(note: str) -> None:
    assert summarise(note).is_empty


@pytest.mark.parametrize(("sentences", "count"), [(1, 3), (12, 3), (13, 4), (30, 4), (31, 5), (9_999, 5)])
def test_three_to_five_events_by_how_much_there_is_to_tell(sentences: int, count: int) -> None:
    assert event_count(sentences) == count


def test_decisions_are_never_said_again_as_events() -> None:
    text = "- We decided to keep the broker.\n- We decided to paint the kitchen green.\n- We chose the train to Bonn.\n"
    assert len(decisions(text)) == 3
    assert events(text) == []
    more = (
        text
        + "- The sun shone over the garden all day.\n- A heron stood beside the pond.\n- Nobody was late for lunch.\n"
    )
    assert not set(events(more)) & set(decisions(more))


def test_the_same_thing_is_said_once() -> None:
    text = "".join(f"- The nightly import of the stock failed again, attempt {n}.\n" for n in range(9))
    assert len(events(text + "- The heron stood beside the pond.\n- Soup was served at noon.\n")) == 3
    assert "attempt 0." in everything(text + "- The heron stood beside the pond.\n")
    assert everything(text) == "", "a log of one line says nothing"


def test_decisions_and_insights_have_a_bound_and_the_rest_is_counted() -> None:
    names = "amber birch cedar daisy elder fern grass hazel iris juniper kelp lotus maple nettle olive poppy".split()  # noqa: SIM905
    text = "".join(
        f"- We decided to plant {a} where {b} stood.\n- Never mix {b} with {a}.\n"
        for a, b in zip(names, names[::-1], strict=True)
    )
    summary = summarise(text)
    assert len(summary.decisions) <= MOST_DECISIONS
    assert len(summary.insights) <= MOST_INSIGHTS
    assert any("further or repeated decision" in reason for reason in summary.dropped)


def test_points_stand_in_the_order_of_the_note() -> None:
    for note in ALL.values():
        summary = summarise(note)
        for part in (summary.events, summary.decisions):
            assert [point.start for point in part] == sorted(point.start for point in part)


def test_a_mixed_note_is_read_in_all_its_languages() -> None:
    german, chinese, korean = (
        "Wir haben beschlossen, zu warten.",
        "我们决定使用新的分词器。",
        "로그는 삼 일만 보관하기로 했다.",
    )
    text = f"# Mixed\n\n{german}\n\n{chinese}\n\n{korean}\n"
    assert len(decisions(text)) == 3


def test_a_chat_keeps_what_the_person_said() -> None:
    text = """\
user: I moved the shop's files to the new bucket on Monday, all 412 of them.
assistant: That's great! Here are some tips for working with buckets.
assistant: Buckets are a common way of keeping files in the cloud for many teams.
user: Thanks! We decided to delete the old bucket in June.
assistant: Great, let me know if there is anything else I can help you with.
"""
    assert "I moved the shop's files to the new bucket on Monday, all 412 of them." in events(text)
    assert decisions(text) == ["We decided to delete the old bucket in June."]


def test_a_raw_log_of_hipocampus() -> None:
    text = """\
## Login timeout [project]
- request: people are logged out after five minutes
- analysis: the cookie has a lifetime of 300 seconds, set by the old proxy
- decisions: Keep the session on the server.
- outcome: fixed and rolled out to all shops on Monday
- references: pull request 112

## Deploys [feedback]
- rule: never deploy on a Friday afternoon
- why: the person on call is alone then
- how-to-apply: refuse deploys after 14:00
"""
    assert decisions(text) == ["Login timeout: Keep the session on the server."]
    assert insights(text)[0] == (
        "Deploys: never deploy on a Friday afternoon; why: the person on call is alone then; how-to-apply: refuse"
        " deploys after 14:00"
    )
    assert "fixed and rolled out to all shops on Monday" in events(text)[0]


def test_what_was_left_out_is_named_with_its_count() -> None:
    assert summarise("```\na\nb\n```\nsome text stands here\n***\n").dropped == (
        "4 × code line",
        "1 × markup-only line",
    )


def test_the_same_notes_give_the_same_summaries_in_another_process() -> None:
    """No dependence on hash seeds, threads or what ran before."""
    script = (
        "from tests.engine.models.notes import *\n"
        "notes = [NoteToSummarise(name, text * 3) for name, text in ALL.items()]\n"
        "print(ExtractiveSummariser().summarise(notes, no_tick))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, threads in (("1", "1"), ("2", "4"))
    }
    assert len(outputs) == 1
    assert "payment queue" in outputs.pop()


def test_a_tick_may_cancel() -> None:
    def cancel(done: int, total: int) -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        ExtractiveSummariser().summarise([NoteToSummarise("a", ENGLISH)], cancel)


def test_ticks_count_up_to_the_total() -> None:
    seen: list[tuple[int, int]] = []
    ExtractiveSummariser().summarise(
        [NoteToSummarise(str(n), ENGLISH) for n in range(45)], lambda done, total: seen.append((done, total))
    )
    assert seen == [(done, 45) for done in (0, 20, 40, 45)]


def test_every_language_has_a_lead() -> None:
    assert set(LEAD) == set(ALL)


@pytest.mark.parametrize(
    ("note", "points"),
    [
        ("# Note 05\n\nThe start page loads in 1.2 s now.\n", ["The start page loads in 1.2 s now."]),
        ("Tägliche Notiz\n\nDer Switch im Keller ist defekt.\n", ["Der Switch im Keller ist defekt."]),
        ("Daily notes\n", []),
    ],
)
def test_a_label_is_no_point_beside_a_sentence(note: str, points: list[str]) -> None:
    assert [point.text for point in summarise(note).events] == points


def test_a_line_that_is_the_name_of_a_section_gives_its_list_a_role() -> None:
    found = summarise(
        "# Choice\n\n教训\n- 部署前必须先备份数据库。\n\nWas noch offen ist:\n- Rückfrage an Petra wegen der Karte\n"
    )
    assert [point.text for point in found.insights] == ["部署前必须先备份数据库。"]


def test_what_is_open_is_no_lesson_of_the_section_above_it() -> None:
    found = summarise(
        "## Erkenntnisse\n- Nachts sperrt es niemanden.\n\nWas noch offen ist:\n- Rückfrage an Petra wegen der Karte\n"
    )
    assert [point.text for point in found.insights] == ["Nachts sperrt es niemanden."]


def test_a_rule_not_to_do_something_is_an_insight() -> None:
    found = summarise("## Notes to self\nDon't schedule deploys on Mondays after 16:00, nobody is around then.\n")
    assert len(found.insights) == 1


def test_a_key_or_a_sign_that_says_what_is_done_stays() -> None:
    note = "# Log\n\n## Board\n- **DONE**: Set up the search of amber\n- **TODO**: Set up the search of birch\n"
    assert "DONE: Set up the search of amber" in events(note)[0]
    (told,) = events("# Log\n\n## Causes\n- ❌ not the network of the house\n- ✅ the browser of the house\n")
    assert told == "Causes: ❌ not the network of the house; the browser of the house"


def test_a_line_of_a_log_below_a_list_is_no_part_of_its_last_item() -> None:
    note = "# Log\n\n## Shift\n- runs in the background of the house\n2026-02-26 18:06: the api of amber failed once\n"
    (told,) = events(note)
    assert told.startswith("Shift: runs in the background of the house; ")


def test_a_heading_of_one_word_leads_to_all_the_items_below_it() -> None:
    items = "- amber goes on by hand, which is slow\n- birch writes the whole fork anew\n- cedar waits for the vendor\n"
    note = f"# Log\n\n## Way of the fork\n\n### Options\n{items}\n## Crew\n- the owner of the house is Dana\n"
    way, _ = summarise(note).events
    assert [line.text for line in way.written[:2]] == [
        "Way of the fork: Options:",
        "amber goes on by hand, which is slow",
    ]
