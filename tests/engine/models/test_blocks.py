"""How a note is read as blocks of prose with their lines."""

import pytest

from engine.models.block_reader import Block
from engine.models.blocks import Parsed, read_blocks
from engine.models.plain_line import clean_lines
from engine.models.session_lines import left_out_lines


def parse(text: str) -> Parsed:
    lines = clean_lines(text)
    return read_blocks(lines, left_out_lines(lines))


def blocks(text: str) -> list[Block]:
    return list(parse(text).blocks)


def texts(text: str) -> list[str]:
    return [block.text for block in blocks(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one line\nstill the same\n\nanother", ["one line still the same", "another"]),
        ("- a\n- b\n  goes on\n* c\n+ d\n1. e\n2) f", ["a", "b goes on", "c", "d", "e", "f"]),
        ("- [ ] open task\n- [x] done task", ["open task", "done task"]),
        ("> quoted\n> words\n\nplain", ["quoted words", "plain"]),
        ("| name | size |\n|---|---|\n| disk | 18 GB |", ["disk · 18 GB"]),
        ("Title of it\n===\n\ntext", ["text"]),
        ("Title of it\n---\n\ntext", ["text"]),
        ("中文换行\n不加空格", ["中文换行不加空格"]),
        ("한국어 줄은\n띄어 쓴다", ["한국어 줄은 띄어 쓴다"]),
        ("***\n- \n>\n|\n", []),
        ("https://a.example/b\n<https://c.example>\n[name](https://d.example)\n![](e.png)", []),
        ("see https://a.example for more", ["see https://a.example for more"]),
    ],
)
def test_markdown_becomes_one_text_per_block(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_every_character_knows_its_line() -> None:
    (block,) = blocks("first line\nsecond line\nthird")
    assert [block.line(block.text.index(word)) for word in ("first", "second", "third")] == [0, 1, 2]


def test_a_key_says_what_its_item_and_the_items_below_it_are() -> None:
    found = blocks(
        "- decisions:\n  - use the archive bucket\n- outcome: the queue is empty again since noon\n- other: x"
    )
    assert [(block.text, block.role) for block in found] == [
        ("use the archive bucket", "decision"),
        ("the queue is empty again since noon", "outcome"),
        ("other: x", ""),
    ]


def test_a_line_with_a_colon_says_what_the_list_below_it_is() -> None:
    found = blocks("**Decisions:**\n- keep three days\n\nplain text\n- not a decision")
    assert [(block.text, block.role) for block in found] == [
        ("keep three days", "decision"),
        ("plain text", ""),
        ("not a decision", ""),
    ]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("- decision: keep the logs for three days", "keep the logs for three days"),
        ("- **Decision**: keep the logs for three days", "keep the logs for three days"),
        ("- 决定：日志只保留三天时间", "日志只保留三天时间"),
        ("- outcome: done", "outcome: done"),
        ("- why: nobody had time to look at it", "why: nobody had time to look at it"),
        ("- open: who pays for the bigger disk", "open: who pays for the bigger disk"),
        ("- Farid: the law wants the invoice", "Farid: the law wants the invoice"),
    ],
)
def test_a_key_comes_off_only_where_the_value_says_as_much_without_it(line: str, text: str) -> None:
    assert texts(line) == [text]


def test_feedback_sections_hold_rules() -> None:
    found = blocks("## Deploys [feedback]\n- rule: never on a Friday\n\n## Other [project]\n- text")
    assert [block.role for block in found] == ["insight", ""]


def test_chat_labels_say_who_speaks() -> None:
    found = blocks("user: I moved the files.\nassistant: Good.\nThey look fine.\n**User:** Thanks.\n")
    assert [(block.text, block.speaker) for block in found] == [
        ("I moved the files.", "user"),
        ("Good. They look fine.", "assistant"),
        ("Thanks.", "user"),
    ]


def test_headings_of_turns_say_who_speaks() -> None:
    found = blocks("## 11:07 — user\nI moved.\n\n## 11:08 — agent\nNoted.\n\n### Details\nMore.\n\n## Later\nPlain.")
    assert [block.speaker for block in found] == ["user", "assistant", "assistant", ""]


def test_a_name_across_an_assistant_is_a_speaker_and_comes_off() -> None:
    found = blocks("- Jo: I moved.\n- AI: Where to?\n- Jo: To Bonn.\n- AI: Nice.\n- Note: once only")
    assert [(block.text, block.speaker) for block in found] == [
        ("I moved.", "user"),
        ("Where to?", "assistant"),
        ("To Bonn.", "user"),
        ("Nice.", "assistant"),
        ("Note: once only", "assistant"),
    ]


def test_a_name_that_speaks_once_below_its_heading_comes_off() -> None:
    found = blocks("## 09:00 张志强\n\n- 张志强: 今天我去了射击场。\n- AI: 听说很刺激。\n- 注意: 只有一次")
    assert [(block.text, block.speaker) for block in found] == [
        ("今天我去了射击场。", "user"),
        ("听说很刺激。", "assistant"),
        ("注意: 只有一次", "assistant"),
    ]
    (alone,) = blocks("## Rollout\n\nRollout: done by noon.")
    assert alone.text == "Rollout: done by noon.", "without an assistant nobody speaks"


def test_b3_temporary_reaches_a_section_an_item_with_its_own_or_a_paragraph() -> None:
    text = """\
## Scratch [TEMPORARY]
gone
### deeper
gone too
## Kept
- item [TEMPORARY]
  - nested goes too
- stays

This goes,
all of it. [TEMPORARY]

This stays.
"""
    parsed = parse(text)
    assert [block.text for block in parsed.blocks] == ["stays", "This stays."]
    assert parsed.dropped["temporary line"] == 8
    assert parsed.headings == [("Kept", 4)]


def test_b3_a_paragraph_of_an_item_goes_with_it() -> None:
    assert texts("- item [TEMPORARY]\n\n  more of it\n\n- stays\n\n  with this") == ["stays", "with this"]
    assert texts("first\n\n- item [TEMPORARY]\n\nno more of it") == ["first", "no more of it"]


def test_b4_curate_wins_over_temporary() -> None:
    assert texts("Keep me. [TEMPORARY] [CURATE]") == ["Keep me."]


def test_what_is_left_out_is_counted() -> None:
    dropped = parse("***\nhttps://a.example\n```\ncode\n```\ntext").dropped
    assert dict(dropped) == {"markup-only line": 1, "link-only line": 1, "code line": 3}
