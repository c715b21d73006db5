"""A document keeps every byte that an edit does not touch (decisions G14, A11)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import MemdeckError
from engine.text.document import BOM, Document, Unreadable, decode, split_lines

TEXT = st.lists(
    st.sampled_from(["a", "é", "中", "😀", "\n", "\r\n", "\r", " ", "\x0b", "\x0c", "\x85", "\u2028", "---"])
).map("".join)
FILES = st.builds(lambda bom, text: bom + text.encode(), st.sampled_from([b"", BOM]), TEXT)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"ok\n\xff", "not UTF-8: byte 0xff on line 2"),
        (b"caf\xe9", "not UTF-8: byte 0xe9 on line 1"),
        (b"cut \xe4\xb8", "not UTF-8: byte 0xe4 on line 1"),
        (b"\xed\xa0\x80", "not UTF-8: byte 0xed on line 1"),
        (b"\xc0\xaf", "not UTF-8: byte 0xc0 on line 1"),
        (b"a\nb\nc\0d", "a NUL byte on line 3"),
        ("héllo".encode("utf-16"), "UTF-16, not UTF-8"),
        (b"\0GITCRYPT\0secret", "locked by git-crypt"),
    ],
)
def test_g14_what_is_not_text_is_unreadable_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as raised:
        Document.from_bytes(data)
    assert raised.value.message == reason
    assert isinstance(raised.value, MemdeckError)


def test_g14_a_bom_is_kept_on_disk_and_not_in_the_text() -> None:
    document = Document.from_bytes(BOM + b"a\xef\xbb\xbfb\n")
    assert document.bom
    assert document.text == "a\ufeffb\n"
    assert document.append("c\n") == BOM + b"a\xef\xbb\xbfb\nc\n"
    assert decode(BOM) == ""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("\n", [""]),
        ("a\r\nb\n", ["a", "b"]),
        ("a\u2028b\x0bc\x0cd\x85e", ["a\u2028b\x0bc\x0cd\x85e"]),
        ("a\rb\r\n\r", ["a\rb", ""]),
    ],
)
def test_c7_lines_end_at_newlines_alone(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@given(st.text(st.sampled_from("ab\n\r "), max_size=30))
def test_c7_lines_are_those_of_splitlines_where_only_newlines_end_them(text: str) -> None:
    plain = text.replace("\r", "")
    assert split_lines(plain) == plain.splitlines()
    assert split_lines(plain.replace("\n", "\r\n")) == plain.splitlines()


@given(FILES, TEXT)
def test_a11_an_append_keeps_all_old_bytes_as_a_prefix(data: bytes, text: str) -> None:
    document = Document.from_bytes(data)
    after = document.append(text)
    assert after.startswith(data)
    added = after[len(data) :]
    assert len(split_lines(decode(after))) == len(document.lines) + len(split_lines(text))
    if document.crlf and "\n" in text:
        assert added.count(b"\n") == added.count(b"\r\n")


def test_append_closes_the_last_line_first_and_uses_the_files_line_ends() -> None:
    assert Document.from_bytes(b"a").append("b\n") == b"a\nb\n"
    assert Document.from_bytes(b"").append("b\n") == b"b\n"
    assert Document.from_bytes(BOM).append("b\n") == BOM + b"b\n"
    assert Document.from_bytes(b"a\r\nb\r\nc").append("d\ne\r\n") == b"a\r\nb\r\nc\r\nd\r\ne\r\n"
    mixed = Document.from_bytes(b"a\r\nb\n")
    assert mixed.newline == "\n"
    assert mixed.append("c\r\n") == b"a\r\nb\nc\n"


@given(FILES, st.data(), TEXT)
def test_g14_a_replaced_span_leaves_every_other_byte(data: bytes, draw: st.DataObject, new: str) -> None:
    document = Document.from_bytes(data)
    start = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.integers(start, len(data)))
    try:
        after = document.replace_span(start, end, new)
    except ValueError:
        assert any(at < len(data) and 0x80 <= data[at] < 0xC0 for at in (start, end))
        return
    assert after[:start] == data[:start]
    assert after[len(after) - (len(data) - end) :] == data[end:]
    middle = after[start : len(after) - (len(data) - end)].decode()
    assert middle == new.replace("\r\n", "\n").replace("\n", document.newline)


def test_spans_outside_the_file_or_inside_a_character_are_refused() -> None:
    document = Document.from_bytes("é\n".encode())
    for start, end in ((-1, 1), (0, 4), (2, 1)):
        with pytest.raises(ValueError, match="no span"):
            document.replace_span(start, end, "")
    with pytest.raises(ValueError, match="cuts a character"):
        document.replace_span(0, 1, "")
    with pytest.raises(ValueError, match="no lines"):
        document.line_span(1, 2)


@given(FILES)
def test_line_spans_cover_the_file_without_gaps(data: bytes) -> None:
    document = Document.from_bytes(data)
    at = len(BOM) if document.bom else 0
    for number, line in enumerate(document.lines, 1):
        start, end = document.line_span(number, number)
        assert start == at
        assert split_lines(data[start:end].decode()) == [line]
        at = end
    assert at == len(data)


def test_lines_are_replaced_by_number() -> None:
    document = Document.from_bytes(BOM + b"one\r\ntwo\r\nthree")
    assert document.replace_span(*document.line_span(2, 2), "2\n") == BOM + b"one\r\n2\r\nthree"
    assert document.replace_span(*document.line_span(3, 3), "3\n") == BOM + b"one\r\ntwo\r\n3\r\n"


def test_c7_the_body_starts_below_the_frontmatter() -> None:
    document = Document.from_bytes(BOM + b"---\r\na: b\r\n---\r\n# Body\r\ntext")
    assert document.frontmatter.values == {"a": "b"}
    assert document.body == "# Body\r\ntext"
    assert document.body_lines == ("# Body", "text")
    assert document.lines[document.frontmatter.body_line - 1] == "# Body"
    bare = Document.from_bytes(BOM + b"# Body\n")
    assert (bare.body, bare.body_lines) == ("# Body\n", ("# Body",))
    closed = Document.from_bytes(b"---\na: b\n---")
    assert (closed.body, closed.body_lines) == ("", ())


@given(FILES)
def test_body_and_body_lines_agree(data: bytes) -> None:
    document = Document.from_bytes(b"---\nkey: v\n---\n" + data.removeprefix(BOM))
    assert list(document.body_lines) == split_lines(document.body)


def test_a_million_lines_are_read_and_appended_to() -> None:
    document = Document.from_bytes(b"- a line of a log\n" * 1_000_000)
    assert len(document.lines) == 1_000_000
    assert document.append("x\n").endswith(b"\nx\n")
    assert document.line_span(1_000_000, 1_000_000)[1] == len(document.data)


@given(st.text("-a: \r\n\u2028\f", max_size=40), st.booleans())
def test_lines_are_counted_as_they_are_cut(text: str, bom: bool) -> None:
    document = Document.from_bytes((BOM if bom else b"") + text.encode())
    assert document.line_count == len(document.lines)
    assert document.body_line_count == len(document.body_lines)


@given(st.lists(st.sampled_from(["---", "title: x", "text", ""]), max_size=8))
def test_the_lines_of_a_body_are_counted_below_its_frontmatter(lines: list[str]) -> None:
    document = Document.from_bytes("\n".join(lines).encode())
    assert document.body_line_count == len(document.body_lines)
