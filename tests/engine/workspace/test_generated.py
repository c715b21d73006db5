"""Blocks of other tools are found and left out, human text is not (decision G16)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.workspace.generated import GeneratedBlock, generated_blocks, line_mask, remarks

PROMOTED = """# Memory

- mine

## Promoted From Short-Term Memory (2026-04-05)

<!-- openclaw-memory-promotion:memory:memory/2026-04-04.md:12:14:0123456789ab -->
- a snippet [score=0.853 recalls=4 avg=0.710 source=memory/2026-04-04.md:12-14]
  that goes on
<!-- openclaw-memory-promotion:memory:memory/2026-04-03.md:1:2 -->
- another [score=0.8]
- mine again
"""


def found(text: str) -> list[tuple[str, int, int, bool]]:
    return [(f"{block.tool} {block.kind}", block.start, block.end, block.closed) for block in generated_blocks(text)]


def test_g16_promotions_are_the_comment_and_its_item() -> None:
    assert found(PROMOTED) == [
        ("openclaw promotion-heading", 5, 5, True),
        ("openclaw memory-promotion", 7, 9, True),
        ("openclaw memory-promotion", 10, 11, True),
    ]
    assert line_mask(PROMOTED) == {5, 7, 8, 9, 10, 11}
    assert remarks(PROMOTED) == (
        "openclaw promotion-heading: 1 block, 1 line",
        "openclaw memory-promotion: 2 blocks, 5 lines",
    )


def test_g16_a_promotion_comment_within_a_line_is_that_line() -> None:
    assert found("- x <!-- openclaw-memory-promotion:k -->\n- mine\n") == [("openclaw memory-promotion", 1, 1, True)]


def test_g16_lineage_with_its_trailing_comments() -> None:
    text = "<!-- openclaw-memory-lineage:a,b -->\n- fact\n<!-- trigger: a, b -->\n<!-- importance: 7 -->\n- mine\n"
    assert found(text) == [("openclaw memory-lineage", 1, 4, True)]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_g16_paired_markers_of_both_tools(newline: str) -> None:
    lines = [
        "mine",
        "<!-- openclaw:dreaming:light:start -->",
        "## dream",
        "<!-- openclaw:dreaming:light:end -->",
        "mine",
        "<!-- hipocampus:protocol:start -->",
        "```",
        "<!-- hipocampus:protocol:end -->",
        "mine",
    ]
    assert found(newline.join(lines)) == [
        ("openclaw dreaming:light", 2, 4, True),
        ("hipocampus protocol", 6, 8, True),
    ]


def test_g16_the_synced_root_is_a_section() -> None:
    synced = "<!-- Auto-synced from memory/ROOT.md by hipocampus compact -->"
    text = f"# M\n\n## Compaction Root\n\n{synced}\n### Active\n- x\n\n## Mine\n"
    assert found(text) == [("hipocampus synced-root", 3, 8, True)]


def test_g16_a_block_that_never_ends_reaches_to_the_next_one_or_the_end() -> None:
    text = "a\n<!-- openclaw:dreaming:rem:start -->\nb\n<!-- hipocampus:protocol:start -->\nc\nd\n"
    assert found(text) == [("openclaw dreaming:rem", 2, 3, False), ("hipocampus protocol", 4, 6, False)]
    assert remarks(text)[0] == "openclaw dreaming:rem: 1 block, 2 lines, 1 never closed"
    assert str(generated_blocks(text)[1]) == "hipocampus protocol, lines 4-6, never closed"
    assert found("<!-- openclaw:dreaming:rem:end -->\nmine\n") == [("openclaw dreaming:rem", 1, 1, False)]


def test_merge_conflicts_are_left_out_whole() -> None:
    text = "a\n<<<<<<< HEAD\nours\n||||||| base\nold\n=======\ntheirs\n>>>>>>> branch\nb\n"
    assert found(text) == [("git merge-conflict", 2, 8, True)]
    assert remarks(text) == ("git merge-conflict: 1 block, 7 lines",)


def test_broken_conflicts_and_things_that_look_like_one() -> None:
    assert found("a\n<<<<<<< HEAD\nours\n=======\ntheirs\n") == [("git merge-conflict", 2, 5, False)]
    assert found("a\n<<<<<<< HEAD\nours\nend\n") == [("git merge-conflict", 2, 2, False)]
    assert found("<<<<<<< A\nx\n=======\ny\n<<<<<<< B\nx\n=======\ny\n>>>>>>> B\n") == [
        ("git merge-conflict", 1, 4, False),
        ("git merge-conflict", 5, 9, True),
    ]
    for text in ("Title\n=======\ntext\n", ">>>>>>> quoted\n", "<<<<<<<<< arrows\n", "x <<<<<<< y\n"):
        assert found(text) == []


def test_markers_in_a_code_fence_are_an_example_and_a_conflict_there_is_one() -> None:
    example = "```html\n<!-- openclaw:dreaming:light:start -->\n```\n~~~\n<<<<<<< HEAD\n~~~\n"
    assert found(example) == []
    assert found("````\n```\n<!-- hipocampus:x:start -->\n````\n<!-- hipocampus:x:start -->\n") == [
        ("hipocampus x", 5, 5, False)
    ]
    assert found("```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```\n") == [("git merge-conflict", 2, 6, True)]


def test_ordinary_comments_and_our_own_text_stay() -> None:
    text = "<!-- a comment -->\n## Promoted to manager (2026)\n<!-- openclaw: not a marker -->\n- text\n"
    assert generated_blocks(text) == ()
    assert line_mask("") == frozenset()


MARKS = st.lists(
    st.sampled_from(
        ["text", "", "# h", "## h", "```", "~~~", "- item", "  more", "<<<<<<< a", "=======", ">>>>>>> b"]
        + [
            f"<!-- {tool}:{kind}:{end} -->"
            for tool in ("openclaw", "hipocampus")
            for kind in "xy"
            for end in ("start", "end")
        ]
        + ["<!-- openclaw-memory-promotion:k -->", "<!-- Auto-synced from memory/ROOT.md by hipocampus compact -->"]
        + ["## Consolidated Memory (2026-04-05)"]
    ),
    max_size=30,
)


@given(MARKS, st.sampled_from(["\n", "\r\n"]))
def test_blocks_are_in_order_apart_and_inside(lines: list[str], newline: str) -> None:
    text = newline.join(lines)
    end = 0
    for block in generated_blocks(text):
        assert end < block.start <= block.end <= len(lines)
        end = block.end
    assert line_mask(text) <= set(range(1, len(lines) + 1))


@given(st.text(max_size=200))
def test_any_text_can_be_searched(text: str) -> None:
    assert all(isinstance(block, GeneratedBlock) for block in generated_blocks("<!--" + text))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "line",
    ["<<<<<<< x", "<!-- openclaw:a:start -->", "<!--", "=======", "<!-- openclaw-memory-promotion:k -->\n- x", "```"],
)
@pytest.mark.timeout(60)
def test_hostile_repetition_ends(line: str) -> None:
    blocks = generated_blocks("<!--\n" + f"{line}\n" * 100_000)
    assert all(1 <= block.start <= block.end for block in blocks)
