"""The lines that the exact patterns read: never fewer than those on which they find something (§8.3)."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.extraction import judge, sentence_kinds
from engine.extraction.candidate_lines import candidate_lines
from engine.extraction.entry import EntryKind, ExtractedEntry
from engine.extraction.words import TABLES, pattern
from engine.models.cue_matcher import TABLES as CUE_TABLES
from engine.models.cue_matcher import Cue, matcher
from engine.services.transcripts import transcript_turns
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn
from engine.workspace.paths import WorkspaceRoot
from tests.turn import examples

NAMED: tuple[Cue, ...] = ("insight", "decision", "plan", "rule")
SAID = ("doubt.proposal", *(f"{section}.{kind.value}" for section in ("said", "own") for kind in EntryKind))
LINES = sorted(
    {line for key in SAID for line in TABLES.lines(key)}
    | {line for cue in NAMED for line in CUE_TABLES.lines(f"cues.{cue}")}
)
NOISE = st.sampled_from(
    ["", " ", "ok ", " “so, he said” ", " „ja, nein“ ", ' "a, b" ', "é", "ı", "İ", "K", "ſ", ", ", "…"]
)
ROLES = st.sampled_from([Speaker.USER, Speaker.AGENT])


@cache
def said_by(line: str) -> st.SearchStrategy[str]:
    """Words that one alternative of a table matches."""
    pattern = (
        line.replace(r"\p{N}", "[A-Z]").replace(r"\pL", "[a-zß]").replace(r"\pN", "0-9").replace("[0-90-9", "[0-9")
    )
    return st.from_regex(re.compile(pattern, re.IGNORECASE), fullmatch=False)


def lasts(sentence: str, role: Speaker) -> bool:
    """Tells whether any of the exact patterns says something of a sentence."""
    proposed = role is Speaker.AGENT and pattern("doubt.proposal").search(sentence)
    ruled = role is Speaker.USER and ("rule" in matcher().cues(sentence) or pattern("said.lesson").search(sentence))
    return bool(proposed or ruled) or sentence_kinds.kind_of(sentence, role) is not None


@settings(max_examples=examples(400), suppress_health_check=list(HealthCheck))
@given(st.data(), ROLES)
def test_no_line_on_which_something_is_found_is_skipped(data: st.DataObject, role: Speaker) -> None:
    words = data.draw(st.sampled_from(LINES).flatmap(said_by))
    sentence = " ".join(f"{data.draw(NOISE)}{words}{data.draw(NOISE)}".split("\n"))
    if lasts(sentence, role):
        assert candidate_lines(f"nothing\n{sentence}\nnothing", role) >= {1}


def test_lines_are_counted_from_the_first() -> None:
    text = "Hello.\n\nWe decided to keep SQLite.\nSo.\nWe decided to keep it."
    assert candidate_lines(text, Speaker.USER) == {2, 4}
    assert candidate_lines("", Speaker.USER) == candidate_lines("Hello.", Speaker.AGENT) == frozenset()


@pytest.mark.parametrize("text", ["DIE ENTSCHEIDUNG İST: ja", "WE DECİDED it", "wir haben beſchloſſen", "DecıDed: so"])
def test_letters_without_regard_to_case_are_those_of_python(text: str) -> None:
    for role in (Speaker.USER, Speaker.AGENT):
        assert not lasts(text, role) or candidate_lines(text, role)


def all_entries(turns: tuple[SessionTurn, ...]) -> list[ExtractedEntry]:
    return list(judge.find_entries(turns))


def transcripts(folder: Path) -> Iterator[tuple[SessionTurn, ...]]:
    with WorkspaceRoot.open(folder) as root:
        for path in sorted((folder / "raw").rglob("*.md"))[::9]:
            yield transcript_turns(root, str(path.relative_to(folder)))


def test_real_sessions_give_the_same_entries_where_every_line_is_read(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = list(transcripts(shared_data / "memaware"))
    few = list(map(all_entries, sessions))
    monkeypatch.setattr(judge, "candidate_lines", lambda text, _: range(text.count("\n") + 1))
    assert few == list(map(all_entries, sessions)) and sum(map(len, few)) > 10
    assert {one.kind for found in few for one in found} >= {EntryKind.DECISION, EntryKind.FACT}
