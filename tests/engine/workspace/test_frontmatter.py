"""Frontmatter is read with limits, names the line of a problem, and never fails (design §3, decisions C9, C15, C16)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text.frontmatter import (
    _BARE,
    _KEY,
    MAX_BYTES,
    Frontmatter,
    Values,
    _handler,
    read_frontmatter,
    read_simple,
    read_yaml,
    write_frontmatter,
)
from engine.text.limited_yaml import YamlProblem
from tests.turn import examples

NOTE = b"""---
type: daily
status: tentative
period: 2026-03-15
source-files: [memory/2026-03-15.md, memory/2026-03-15-b.md]
topics: auth [project], timezone [user]
tags:
  - one
  - "two"
started: 12:30:45
title: "A: quoted #1"
empty:
---
# Body
"""


def values_of(block: str) -> Values:
    found = read_frontmatter(f"---\n{block}\n---\nbody\n".encode())
    assert found.problem is None, found.problem
    return found.values


def problem_of(block: bytes) -> str:
    found = read_frontmatter(b"---\n" + block + b"\n---\nbody\n")
    assert found.problem is not None
    return found.problem


def test_c16_every_scalar_stays_the_string_that_was_written() -> None:
    found = read_frontmatter(NOTE)
    assert found.problem is None
    assert found.values == {
        "type": "daily",
        "status": "tentative",
        "period": "2026-03-15",
        "source-files": ["memory/2026-03-15.md", "memory/2026-03-15-b.md"],
        "topics": "auth [project], timezone [user]",
        "tags": ["one", "two"],
        "started": "12:30:45",
        "title": "A: quoted #1",
        "empty": "",
    }
    assert NOTE[found.end :] == b"# Body\n"
    assert (found.start, found.body_line) == (0, 14)
    assert values_of("a: null\nb: no\nc: 2026-02-30\nd: 1e5\ne: ~\nf: 0x1F\ng: 1:2:3") == {
        "a": "null",
        "b": "no",
        "c": "2026-02-30",
        "d": "1e5",
        "e": "~",
        "f": "0x1F",
        "g": "1:2:3",
    }


def test_nested_maps_are_flattened_and_deeper_lists_are_json() -> None:
    assert values_of("metadata:\n  type: user\n  deep: {a: b, c: []}\nt: [x, {k: [v]}, [y]]\ne: {}") == {
        "metadata.type": "user",
        "metadata.deep.a": "b",
        "metadata.deep.c": [],
        "t": ["x", '{"k":["v"]}', '["y"]'],
        "e": "{}",
    }
    assert values_of("long: >\n  folded\n  text\nlit: |\n  two\n  lines") == {
        "long": "folded text\n",
        "lit": "two\nlines\n",
    }


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_bom_crlf_and_blanks_behind_the_fences(newline: str, bom: bytes) -> None:
    data = bom + newline.join(["---  ", "# why", "a: b", "", "c:", "- d", "---\t", "body", ""]).encode()
    found = read_frontmatter(data)
    assert (found.values, found.problem) == ({"a": "b", "c": ["d"]}, None)
    assert (found.start, found.body_line) == (len(bom), 8)
    assert data[found.end :] == f"body{newline}".encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"---",
        b"---\n",
        b"text\n---\na: b\n---\n",
        b"--- a\nb: c\n---\n",
        b"----\na: b\n----\n",
        b" ---\na: b\n---\n",
        b"\n---\na: b\n---\n",
        b"---\n\nA thematic break, then prose.\n\nMore: prose.\n",
        b"---\nprose between\n---\nbreaks\n",
        b"---\n- a list\n---\n",
        b"---\nhttps://example.org\n---\n",
    ],
)
def test_a_thematic_break_and_plain_text_have_no_frontmatter(data: bytes) -> None:
    assert read_frontmatter(data) == Frontmatter({}, 0, 0, None, 1)


@pytest.mark.parametrize(
    ("data", "body_line"),
    [(b"---\n---\nx", 3), (b"---\n# note\n\n---\nx", 5), (b"---\r\n---", 3), (b"---\na: b\n---", 4)],
)
def test_a_block_may_be_empty_and_may_end_the_file(data: bytes, body_line: int) -> None:
    found = read_frontmatter(data)
    assert found.problem is None
    assert data[found.end :] in (b"x", b"")
    assert found.body_line == body_line


def test_frontmatter_that_never_ends_is_all_body_with_a_problem() -> None:
    found = read_frontmatter(b"---\ntitle: x\n\n# Body\n")
    assert (found.values, found.end, found.body_line) == ({}, 0, 1)
    assert found.problem == "line 1: the frontmatter that starts here never ends"
    huge = read_frontmatter(b"---\n" + b"a: b\n" * 20_000 + b"---\n")
    assert huge.problem == "line 1: the frontmatter that starts here does not end within 64 KB"
    assert (huge.values, huge.end) == ({}, 0)


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        (b"a: 1\nb: 2\na: 3", "line 4: the key `a` a second time"),
        (b"m:\n  k: 1\n  k: 2", "line 4: the key `k` a second time"),
        (b"m.k: 1\nm: {k: 2}", "line 2: the key `m.k` a second time, nested and with a dot"),
        (b"a: b\nx: &anchor v", "line 3: an anchor (`&name`) is not allowed"),
        (b"x: *alias", "line 2: an alias (`*name`) is not allowed"),
        (b"a: b\n<<: {c: d}", "line 3: a merge key (`<<`) is not allowed"),
        (b"x: !!python/object/apply:os.system [id]", "line 2: a tag (`!name`) is not allowed"),
        (b"x: !own y", "line 2: a tag (`!name`) is not allowed"),
        (b"ok: yes\nx: " + b"[" * 400, "line 3: nested deeper than 20 levels"),
        (b"k: " + b"{a: " * 30 + b"b" + b"}" * 30, "line 2: nested deeper than 20 levels"),
        (b"a: b\nc: \xff", "line 3: not UTF-8"),
        (b"a: b\nc: x\x1by", "line 3: a control character"),
        (b"a: b\n? [x]\n: y", "line 3: a key that is not plain text"),
    ],
)
def test_what_is_not_allowed_gives_no_values_and_names_the_line(block: bytes, problem: str) -> None:
    assert problem_of(block) == problem
    assert read_frontmatter(b"---\n" + block + b"\n---\n").values == {}


def test_c15_entries_that_can_be_read_alone_survive_one_that_is_not_yaml() -> None:
    found = read_frontmatter(
        b"---\ntype: daily\ntopics: [auth [project], time [user]]\nsource-files:\n- a\n- b\n---\nx"
    )
    assert found.values == {
        "type": "daily",
        "topics": "[auth [project], time [user]]",
        "source-files": ["a", "b"],
    }
    assert found.problem is not None
    assert found.problem.startswith("line 3: ")


BOMBS = {
    "aliases": b"a: &a [x,x]\n" + b"".join(b"%c: &%c [*%c,*%c]\n" % (n + 1, n + 1, n, n) for n in range(97, 120)),
    "brackets": b"a: " + b"[" * 60_000,
    "braces": b"a: " + b"{" * 60_000,
    "question marks": b"a: b\n" + b"? " * 30_000,
    "dashes": b"a:\n" + b"- " * 30_000,
    "quotes": b"a: '" + b" \n" * 32_000,
    "wide": b"".join(b"k%d: v\n" % n for n in range(6_500)),
    "long list": b"a: [" + b"x, " * 20_000 + b"]",
    "same key": b"a: b\n" * 12_000,
    "blanks": b"a: b" + b" " * 60_000 + b": c",
    "broken entries": b"a: [\n" * 12_000,
    "comments": b"a: b\n" + b"#\n" * 30_000,
    "directives": b"a: b\n" + b"%TAG ! x\n" * 7_000,
    "sexagesimal": b"a: " + b":".join([b"59"] * 20_000),
    "colons": b"a" + b":" * 60_000,
    "binary": bytes(range(256)) * 250,
}


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.timeout(20)
def test_no_bomb_goes_off(bomb: str) -> None:
    for data in (b"---\n" + BOMBS[bomb] + b"\n---\nbody", b"---\na: b\n" + BOMBS[bomb]):
        found = read_frontmatter(data)
        assert sum(len(str(value)) for value in found.values.values()) <= 4 * len(data)


@given(st.binary(max_size=400))
def test_any_bytes_are_read_without_failing(data: bytes) -> None:
    for whole in (data, b"---\n" + data, b"---\na: b\n" + data + b"\n---\nbody", b"\xef\xbb\xbf---\r\n" + data):
        found = read_frontmatter(whole)
        assert 0 <= found.start <= found.end <= len(whole) or found.end == 0
        open_end = found.end > found.start and whole[found.end - 1] != 10
        assert found.body_line == whole.count(b"\n", 0, found.end) + (2 if open_end else 1)
        assert found.problem is None or found.problem.startswith("line ")


SIGNS = "a[]{},#'\"\\!&*|>%@`?~0é中，😀=:\n\t\x85\u2028\ufeff"
PIECES = st.sampled_from([*SIGNS, "b:", "key: ", ": ", "- ", "  ", " #", "---", "x-y", "\r\n", "<<"])


@settings(max_examples=examples(400))
@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_yaml_like_text_is_read_without_failing(block: str) -> None:
    found = read_frontmatter(f"---\nkey: {block}\n---\nbody".encode())
    assert all(isinstance(key, str) for key in found.values)
    assert all(isinstance(value, str | list) for value in found.values.values())


LINES = st.lists(
    st.one_of(
        st.builds(
            "{}: {}".format, st.sampled_from(["a", "b-c", "d_1", "e.f"]), st.lists(PIECES, max_size=6).map("".join)
        ),
        st.builds("{}- {}".format, st.sampled_from(["", "  ", " "]), st.lists(PIECES, max_size=4).map("".join)),
        st.sampled_from(
            ["a:", "b-c:", "", "# note", "  # in", "x: [a, b]", "y: 'it'", 'z: "q"', "w: [ a , b c ]", "v: a:b#c "]
        ),
        st.builds("{}: {}".format, st.sampled_from(["p", "q", "r"]), st.text(max_size=12)),
    ),
    max_size=6,
)


@settings(max_examples=examples(1_500))
@given(LINES, st.sampled_from(["\n", "\r\n"]))
def test_the_fast_way_reads_what_yaml_reads(lines: list[str], newline: str) -> None:
    text = newline.join([*lines, ""])
    fast = read_simple(text)
    if fast is None:
        return
    try:
        assert fast == read_yaml(text)
    except YamlProblem as problem:
        raise AssertionError(f"YAML refuses what the fast way reads: {problem}") from None


def test_the_fast_way_is_taken_by_ordinary_notes() -> None:
    block = NOTE.decode().split("---\n")[1]
    assert read_simple(block) == read_yaml(block)


KEYS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,10}", fullmatch=True) | st.sampled_from(["content", "handler"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(st.dictionaries(KEYS, st.one_of(TEXTS, st.lists(TEXTS, max_size=4)), max_size=5))
def test_what_is_written_is_read_back(values: dict[str, str | list[str]]) -> None:
    found = read_frontmatter(write_frontmatter(values).encode() + b"body")
    assert found.problem is None
    assert found.values == values


def test_c15_writing_is_plain_where_it_can_be() -> None:
    values = {
        "type": "daily",
        "topics": "auth [project], timezone [user]",
        "source-files": ["memory/a.md"],
        "note": "a: b",
    }
    assert write_frontmatter(values) == (
        '---\ntype: daily\ntopics: auth [project], timezone [user]\nsource-files: [memory/a.md]\nnote: "a: b"\n---\n'
    )
    with pytest.raises(ValueError, match="not a key"):
        write_frontmatter({"a b": "c"})


def test_c16_nothing_is_quoted_for_what_yaml_would_make_of_it_and_a_list_may_stand_twice() -> None:
    days = ["2026-01-02", "null", "~"]
    written = write_frontmatter({"day": days[0], "none": "null", "yes": "no", "time": "12:30:45", "a": days, "b": days})
    assert written == (
        "---\nday: 2026-01-02\nnone: null\nyes: no\ntime: 12:30:45\n"
        "a: [2026-01-02, null, ~]\nb: [2026-01-02, null, ~]\n---\n"
    )


def test_writing_folds_no_line_and_escapes_what_cannot_be_seen() -> None:
    values = {"long": "word " * 100 + "end", "cut": "a\x1b[2J\x85b", "wide": "ends in a blank\xa0"}
    written = write_frontmatter(values)
    assert len(written.splitlines()) == 5 and "\x1b" not in written
    assert read_frontmatter(written.encode()).values == values


def test_a_block_just_within_the_limit_is_read() -> None:
    filler = "x" * (MAX_BYTES - len("---\na: \n---\n"))
    found = read_frontmatter(f"---\na: {filler}\n---\nbody".encode())
    assert (found.values, found.problem) == ({"a": filler}, None)


@given(st.from_regex(_KEY, fullmatch=True), st.from_regex(_BARE, fullmatch=True))
def test_what_is_written_without_the_library_is_what_it_writes(key: str, value: str) -> None:
    assert write_frontmatter({key: value}) == f"---\n{_handler().export({key: value})}\n---\n"
