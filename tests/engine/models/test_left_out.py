"""What a summary must not read: secrets, machine-written lines and blocks of other tools (decisions C10, C27, G16)."""

import pytest

from engine.models import noise
from engine.models.plain_line import clean_lines
from engine.models.session_lines import left_out_lines
from tests.engine.models.notes import everything, summarise

KEY = "AKIA" + "Q7Z3NVX2LMTR5WYB"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq3hXv2\nq83jfhAkd82kfla91kdmcn3a\n"
PROSE = "The importer now reads the whole folder in one pass."


def kept(text: str) -> list[str]:
    lines = clean_lines(text)
    return [line for index, line in enumerate(lines) if index not in left_out_lines(lines)]


@pytest.mark.parametrize(
    "block",
    [
        "```python\nprint('hello')\n```",
        "~~~\nraw text\n~~~",
        "- ```\n  inside an item\n  ```",
        "````\n```\nnested\n```\n````",
        'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    run()\nValueError: bad input',
        "java.lang.IllegalStateException: x\n    at com.acme.Shop.pay(Shop.java:42)\nCaused by: java.io.IOException",
        "panic: runtime error\n\tmain.go:12",
        "diff --git a/x b/x\nindex 1234567..89abcde 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new",
        "<!-- a comment\nover two lines -->",
        "[tool: Bash]",
        "2026-03-15 03:00:01,123 INFO worker started",
        "[2026-03-15T03:00:01Z] ERROR worker failed",
        "Mar 15 03:00:01 host cron[12]: (root) CMD (true)",
        "$ npm install",
        '{\n  "name": "x",\n  "size": 3\n}',
        "    indented code",
        "<tool_result>",
        "[tool_result]\nError: Cannot find module 'left-pad'\nnpm ERR! code 1",
        "npm ERR! code 1",
        "[2026-03-15 03:00:01] INFO backup started",
    ],
)
def test_machine_written_lines_go_and_the_prose_around_them_stays(block: str) -> None:
    text = f"{PROSE}\n\n{block}\n\nIt is twice as fast.\n"
    first = block.split("\n")[0]
    assert [line for line in kept(text) if line.strip() and line != first] == [PROSE, "It is twice as fast."]


def test_stack_trace_without_its_header_leaves_only_its_message() -> None:
    text = "java.lang.IllegalStateException: x\n    at com.acme.Shop.pay(Shop.java:42)"
    assert kept(text) == ["java.lang.IllegalStateException: x"]


@pytest.mark.parametrize(
    "line",
    [
        "- a list item - with dashes",
        "At 9 (or so) we met.",
        "tools: hammer and saw",
        "INFO for new colleagues: the door code changed.",
        "{{template}} is the name of the variable",
        "2026-03-15 was a Sunday",
        "The price is $ 5 now",
        "  - a nested item",
        "--- three dashes and words",
    ],
)
def test_prose_that_looks_a_little_like_a_machine_stays(line: str) -> None:
    assert kept(f"- item\n{line}") == ["- item", line]


def test_code_may_stand_below_several_blank_lines_and_not_below_prose() -> None:
    assert kept(f"{PROSE}\n\n\n    make run\n") == [PROSE, "", "", ""]
    assert kept(f"{PROSE}\n    in one pass\n") == [PROSE, "    in one pass", ""]


def test_a_fence_that_is_never_closed_hides_only_itself() -> None:
    assert kept("before\n```\nafter\n") == ["before", "after", ""]


def test_a_comment_that_is_never_closed_hides_nothing() -> None:
    assert "after" in kept("before\n<!-- open\nafter\n")


def test_g16_generated_blocks_of_other_tools_are_left_out_and_counted() -> None:
    block = "<!-- openclaw:dreaming:light:start -->\n- a dream about invoices\n<!-- openclaw:dreaming:light:end -->"
    summary = summarise(f"{PROSE}\n\n{block}\n")
    assert [point.text for point in summary.events] == [PROSE]
    assert any("generated block" in reason and reason.startswith("3") for reason in summary.dropped)


def test_merge_conflicts_are_left_out_and_counted() -> None:
    summary = summarise(f"{PROSE}\n<<<<<<< ours\nleft side\n=======\nright side\n>>>>>>> theirs\n")
    assert [point.text for point in summary.events] == [PROSE]
    assert summary.dropped == ("5 × merge-conflict line",)


@pytest.mark.parametrize(
    "secret",
    [
        f"The key is {KEY} for now.",
        f"The key is {KEY[:6]}\u200b{KEY[6:]} for now.",
        f"The key is **{KEY}** for now.",
        "password: tr0ub4dor&3-horse",
        f"{PEM}-----END RSA PRIVATE KEY-----",
    ],
)
def test_c10_no_secret_reaches_a_summary(secret: str) -> None:
    text = everything(f"We decided to rotate the keys.\n\n{secret}\n\nLesson: never paste a key into a note.\n")
    for word in (KEY, "tr0ub4dor", "MIIEpAIBAAKCAQEA", "q83jfhAkd82kfla91kdmcn3a"):
        assert word not in text
    assert "rotate the keys" in text


def test_c10_a_secret_made_by_joining_lines_is_found_in_the_finished_point() -> None:
    text = everything("We changed the password: \ntr0ub4dor&3-horse and wrote it down on the board.\n")
    assert "tr0ub4dor" not in text


def test_what_machines_wrote_is_found_in_every_part_of_a_long_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "AT_ONCE", 3)
    prose = ["we keep the queue"] * 7
    for at in range(len(prose) + 1):
        lines = [*prose[:at], "```", "x = 1", "```", *prose[at:]]
        assert list(left_out_lines(lines)) == [at, at + 1, at + 2]
    assert left_out_lines(prose) == {}
