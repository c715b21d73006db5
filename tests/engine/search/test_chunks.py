"""Notes in pieces: by turn, by heading, nothing lost (decision D13)."""

from hypothesis import given
from hypothesis import strategies as st

from engine.search.indexing.chunks import LONGEST, chunks
from engine.text.document import split_lines

TRANSCRIPT = """# Planning

## 09:00 — user
Where do we stand?

## 09:01 — agent
## Not a turn
Here:
```
# no heading either
```
"""


def test_d13_a_transcript_is_cut_at_its_turns_and_nowhere_else() -> None:
    found = list(chunks(TRANSCRIPT, first_line=5))
    assert [(piece.start, piece.role) for piece in found] == [(5, ""), (7, "user"), (10, "agent")]
    assert "no heading either" in found[2].text
    assert found[2].headings == ("Planning",)


def test_a_note_is_cut_at_its_headings_and_knows_the_path_to_each() -> None:
    found = list(chunks("intro\n# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne\n"))
    assert [piece.headings for piece in found] == [(), ("A",), ("A", "B"), ("A", "B", "C"), ("A", "D"), ("E",)]


def test_a_heading_in_a_fence_is_none() -> None:
    assert len(list(chunks("# A\n~~~\n# not\n~~~\ntext\n"))) == 1


def test_d13_what_lies_behind_8000_characters_is_not_cut_off() -> None:
    found = list(chunks("\n\n".join(f"paragraph {number} " + "word " * 60 for number in range(100)) + "\nneedle\n"))
    assert any("needle" in piece.text for piece in found)
    assert max(len(piece.text) for piece in found) <= LONGEST + 400


@given(
    st.lists(st.sampled_from(["# a", "## 10:00 — user", "text", "", "```", "x" * 900, "## b", "### c"]), max_size=60)
)
def test_every_line_is_in_exactly_one_chunk_in_order(lines: list[str]) -> None:
    text = "\n".join(lines)
    joined: list[str] = []
    at = 3
    for piece in chunks(text, first_line=3):
        assert piece.start == at
        at = piece.end + 1
        joined += piece.text.split("\n")
    assert joined == split_lines(text)
