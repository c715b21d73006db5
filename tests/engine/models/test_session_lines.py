"""Lines that an agent's platform wrote are left out and counted; what was said stays, without its chat header."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.labels import heading_role
from engine.models.noise import machine_lines
from engine.models.owners import read_note
from engine.models.session_lines import session_lines, unended_metadata, without_chat_headers
from engine.models.summary import NoteToSummarise
from tests.engine.models.notes import summarise


@pytest.mark.parametrize(
    "line",
    [
        "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.",
        "If nothing needs attention, reply HEARTBEAT_OK.",
        "user: Read HEARTBEAT.md and reply HEARTBEAT_OK",
        "NO_REPLY",
        "assistant: HEARTBEAT_OK",
        "Current time: Monday, February 23rd, 2026 — 10:01 AM (Europe/Berlin)",
        "System: [2026-02-23 10:02:11 GMT+1] Exec completed (mild-sag, code 0) :: up to date",
        "[cron:9f2a weekly-report] Run the weekly report.",
        'toolResult: {"status": "ok"}',
        "[tool: Bash] ls -la",
        "- **Session Key**: agent:main:main",
        "# Session: 2026-02-23 10:01:20 UTC",
        "Sender (untrusted metadata): label: ana",
        "[message_id: 4711]",
        "To: ana.reis@example.com",
        "Processed 120/400 files",
        "Downloading model… 45 % (1.2/2.7 GB)",
        "Step 3/7: installing dependencies",
        "[cron] 2026-11-04 weekly compaction done, 3 files",
        "Ran pytest and 14 tests passed",
        "===== 14 passed, 2 skipped in 3.21s =====",
        "Progress: 50%",
        "- Progress: 12.5 %",
        "Fortschritt: 50 %",
        "进度：50%",
        "/home/agent/workspace/memory/2026-02-23.md",
        "- 08:00 heartbeat: ok",
        "09:30 Heartbeat check — nothing to report",
        "08:00 心跳 正常",
    ],
)
def test_lines_of_the_platform_are_found(line: str) -> None:
    assert list(session_lines(["We moved to Bonn.", line])) == [1]


@pytest.mark.parametrize(
    "line",
    [
        "We decided that the heartbeat runs every two hours.",
        "The cron job of the backup was moved to Sunday, because the disk is busy on weekdays.",
        "11:00 heartbeat: the invoice of the plumber arrived",
        "Source: a letter of the tax office.",
        "The session on Monday was cancelled.",
        "Ana sent the file /home/ana/report.pdf to the bank.",
        "2/3 of the members voted for the new statutes, and one did not come.",
        "Reading three books a month is the plan.",
        "Done with the dentist: the next visit is in May.",
        "HEARTBEAT_OK is what the agent answers at night.",
        "Progress: 50% of the rooms are painted, the kitchen is next.",
    ],
)
def test_sentences_about_such_things_stay(line: str) -> None:
    assert session_lines(["We moved to Bonn.", line]) == {}


def test_a_sessions_metadata_goes_only_near_its_head() -> None:
    lines = [
        "# Session: 2026-02-23 10:01",
        "",
        "- **Source**: telegram",
        "- **Model**: large",
        "user: hello",
        "Source: a",
    ]
    assert set(session_lines(lines)) == {0, 2, 3}


def test_a_heartbeat_that_repeats_itself_goes_with_all_its_copies() -> None:
    lines = [f"- {hour}:00 heartbeat: 3 mails waiting, battery at {hour} %" for hour in (10, 11, 12)]
    assert set(session_lines(lines)) == {0, 1, 2}


@pytest.mark.parametrize(
    "line",
    [
        "[Telegram Ana (@ana_k) id:8812345670 +3m 2026-02-23 10:04 GMT+1] The rent is 1,150 euros.",
        "[23.02.26, 10:04:11] Ana: The rent is 1,150 euros.",
        "11/04/2026, 07:33 - Ben: The rent is 1,150 euros.",
        "[Discord #home id:99120034 2026-04-11 07:33] ben_h (Ben): The rent is 1,150 euros. [from: ben_h (552201)]",
    ],
)
def test_chat_headers_come_off_and_the_message_stays(line: str) -> None:
    (text,) = without_chat_headers([line])
    assert text.endswith("The rent is 1,150 euros.")
    assert not any(sign in text for sign in ("@", "id:", "10:04", "07:33", "9912", "5522"))


def test_literal_line_ends_become_breaks_and_code_keeps_them() -> None:
    assert without_chat_headers(["checked mail\\n- 3 new from the bank\\n"]) == ["checked mail · - 3 new from the bank"]
    assert without_chat_headers(["`\\n` and `\\n\\n` end a line\\n"]) == ["`\\n` and `\\n\\n` end a line\\n"]


@given(st.lists(st.text(st.characters(exclude_characters="\n"), max_size=200), max_size=20))
def test_cleaning_keeps_the_number_of_lines(lines: list[str]) -> None:
    assert len(without_chat_headers(lines)) == len(lines)
    assert all(0 <= index < len(lines) for index in session_lines(lines))


def test_what_is_left_out_is_counted_in_the_summary() -> None:
    summary = summarise("08:00 heartbeat: ok\n\n09:00 heartbeat: ok\n\nThe boiler was replaced on Monday.\n")
    assert [point.text for point in summary.events] == ["The boiler was replaced on Monday."]
    assert summary.dropped == ("2 × routine heartbeat line",)


def test_a_line_that_ends_in_a_colon_takes_its_list_along() -> None:
    summary = summarise(
        "Three faults were found in the release:\n- The cache grows by 2 GB a day.\n- The job runs twice.\n"
    )
    assert summary.events[0].text == (
        "Three faults were found in the release: The cache grows by 2 GB a day; The job runs twice."
    )
    assert (summary.events[0].start, summary.events[0].end) == (1, 3)


def test_a_line_that_leads_to_nothing_is_not_chosen() -> None:
    summary = summarise("Here is what I will do next:\n\nThe boiler was replaced on Monday.\n")
    assert [point.text for point in summary.events] == ["The boiler was replaced on Monday."]
    assert "1 × line that leads to a list" in summary.dropped


@pytest.mark.parametrize(
    "title", ["Leçons apprises", "Lecciones aprendidas", "Erkenntnisse", "教训", "Lessons learned", "学び", "교훈"]
)
def test_headings_of_lessons_in_every_language(title: str) -> None:
    assert heading_role(title) == "insight"


def test_a_short_quiet_line_of_a_heartbeat_log_is_routine_after_an_answer_too() -> None:
    quiet = "# Heartbeat log\n- 08:00 HEARTBEAT_OK\n- 09:30 checked mail, nothing new\n"
    note = f"{quiet}- 10:00 The disk is at 94 %, Farid orders one\n"
    assert [point.text for point in summarise(note).events] == ["The disk is at 94 %, Farid orders one"]


def test_a_line_end_that_nobody_resolved_ends_a_sentence() -> None:
    said = summarise("user: Her birthday is on 14 March, please remember it.\\nAnd she likes tulips more than roses.\n")
    assert [point.text for point in said.events] == [
        "Her birthday is on 14 March, please remember it.",
        "And she likes tulips more than roses.",
    ]
    assert [point.text for point in summarise("The share is \\\\host\\new and holds 40 GB of scans.\n").events] == [
        "The share is \\\\host\\new and holds 40 GB of scans."
    ]


def test_a_line_that_ends_in_a_colon_takes_its_table_along() -> None:
    read = read_note(NoteToSummarise("a.md", "We bought for the party:\n| plates | three |\n| cups | nine |\n"))
    assert [one.text for one in read.candidates] == ["We bought for the party: plates: three; cups: nine"]


@pytest.mark.parametrize(("end", "count"), [("---", 0), ("...", 0), ("....", 3), ("", 3)])
def test_metadata_that_nobody_closed_is_left_out_and_closed_one_is_frontmatter(end: str, count: int) -> None:
    lines = ["---", "title: x", "tags: y", *([end] if end else []), "", "The broker is full."]
    assert unended_metadata(lines) == count


def test_a_line_that_goes_on_is_no_first_entry_of_metadata() -> None:
    assert unended_metadata(["---", "- a", "title: x", "", "The broker is full."]) == 0


@pytest.mark.parametrize(("line", "lines"), [("<!-- a", [0, 1, 2]), ("The broker is full. <!-- a", [1, 2])])
def test_a_comment_of_several_lines_is_left_out_but_for_what_stands_before_it(line: str, lines: list[int]) -> None:
    assert sorted(machine_lines([line, "b", "c -->", "The other is not."])) == lines
