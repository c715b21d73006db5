"""Search measured on any folder: reading questions, and the figures."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.search.evaluation.baselines import (
    distinct_terms,
    even_chunks,
    full_text,
    full_text_chunks,
    fused,
)
from engine.search.evaluation.figures import figures, hit1_gain, mrr_gain, mrr_interval
from engine.search.evaluation.questions import read_questions
from engine.search.evaluation.report import OURS, evaluate
from engine.search.values import RankingRule
from engine.workspace.values import Progress
from tests.engine.search.place import NONE, HashEmbedder

places = st.lists(st.sampled_from([1.0, 2.0, 5.0, 11.0, math.inf]), min_size=1, max_size=30)


def written(folder: Path, *lines: str) -> Path:
    file = folder / "questions.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "notes"
    for path, text in {
        "memory/2026-03-01.md": "# Day\n\nThe zebra moved to the lake.\n",
        "memory/2026-03-02.md": "# Day\n\nWe chose the blue database.\n",
        "raw/conversations/a.md": "# Chat\n\n## 10:00 — user\nI keep a zebra.\n\n## 10:01 — agent\nHow nice.\n",
        ".hidden/secret.md": "zebra zebra zebra\n",
    }.items():
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_text(text, encoding="utf-8")
    return made


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "not JSON"),
        ("[1]", "not an object"),
        ('{"query": "a"}', "`query`"),
        ('{"qestion": "a"}', "rename `qestion` to `question`"),
        ('{"question": 3}', "str"),
        ('{"question": "a", "evidence_paths": "b.md"}', "array"),
        ("\x00\xff", "not JSON"),
    ],
)
def test_a_bad_line_is_named_with_its_number(tmp_path: Path, line: str, what: str) -> None:
    with pytest.raises(UsageError, match=r"questions\.jsonl:3") as caught:
        read_questions(written(tmp_path, '{"question": "fine"}', "", line))
    assert what in caught.value.line()


def test_a_file_that_is_not_there_or_empty_says_what_to_write(tmp_path: Path) -> None:
    for file in (tmp_path / "none.jsonl", written(tmp_path, "", " ")):
        with pytest.raises(UsageError, match="evidence_paths"):
            read_questions(file)
    with pytest.raises(UsageError, match="directory"):
        read_questions(tmp_path)


def test_other_fields_are_named_and_left_alone(tmp_path: Path) -> None:
    read = read_questions(
        written(tmp_path, '\ufeff{"question": "a", "id": 1, "evidence_paths": ["b.md"], "answer": "c"}')
    )
    assert read.ignored == ("id", "answer") and not read.about_transcripts
    assert read.asked[0].evidence == {"b.md"}


def test_a_folder_is_measured_beside_its_rivals_and_nothing_is_written_into_it(folder: Path, tmp_path: Path) -> None:
    written(
        folder,
        '{"question": "where is the zebra", "evidence_paths": ["memory/2026-03-01.md"], "category": "animals"}',
        '{"question": "blue database", "evidence_paths": ["memory/2026-03-02.md"], "category": "work"}',
        '{"question": "nobody knows", "evidence_paths": ["gone.md"]}',
    )
    before = sorted(folder.rglob("*"))
    steps: list[Progress] = []
    report = evaluate([folder], tmp_path / "base", HashEmbedder, tick=steps.append)
    assert sorted(folder.rglob("*")) == before
    assert report.notes == 3 and [row.name for row in report.kinds] == ["animals", "work"]
    assert report.rows[0].name == OURS and report.rows[0].figures.questions == 2
    assert report.rows[0].figures.hit5 == 100 and len(report.rows) >= 6
    assert any("1 of 3 questions cannot be used: line 3 names gone.md" in remark for remark in report.remarks)
    assert report.unusable == ("line 3 names gone.md, which is no note of the folder",) and report.adversarial == 0
    assert {"indexing", f"asking, {OURS}:"} <= {step.stage for step in steps}


def test_questions_without_an_answer_are_counted_apart_and_bad_labels_named(folder: Path, tmp_path: Path) -> None:
    written(
        folder,
        '{"question": "where is the zebra", "evidence_paths": ["memory/2026-03-01.md"]}',
        '{"question": "who is the mayor", "answerable": false, "evidence_paths": ["memory/2026-03-01.md"]}',
        '{"question": "what does the yak eat", "category": "Adversarial"}',
        '{"question": "the", "evidence_paths": ["memory/2026-03-01.md"]}',
        '{"question": "what is blue"}',
    )
    report = evaluate([folder], tmp_path / "base", lambda: NONE)
    assert report.rows[0].figures.questions == 1 and report.adversarial == 2
    assert report.unusable == ("line 4 asks for nothing", "line 5 names no evidence")
    assert any(remark.startswith("2 questions without an answer") for remark in report.remarks)


def test_days_in_a_question_count_for_search_alone_seen_from_the_day_after_the_newest_note(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "memory/2026-01-10.md").write_text("# Day\n\nThe blue database, a blue database.\n", encoding="utf-8")
    written(folder, '{"question": "the blue database yesterday", "evidence_paths": ["memory/2026-03-02.md"]}')
    rows = {row.name: row.figures for row in evaluate([folder], tmp_path / "base", lambda: NONE).rows}
    assert rows[OURS].hit1 == 100 and rows["words alone"].hit1 == 0


def test_copies_of_one_fact_are_one_hit_for_search_and_several_for_its_rivals(folder: Path, tmp_path: Path) -> None:
    for path in ("memory/daily/2026-03-01.md", "memory/weekly/2026-W09.md"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("# Node\n\n- the zebra moved to the lake\n", encoding="utf-8")
    written(
        folder,
        '{"question": "zebra lake", "evidence_paths": ["memory/2026-03-01.md"]}',
        '{"question": "zebra lake", "evidence_paths": ["memory/daily/2026-03-01.md"]}',
        '{"question": "zebra lake", "evidence_paths": ["memory/weekly/2026-W09.md"]}',
    )
    rows = {row.name: row.figures for row in evaluate([folder], tmp_path / "base", lambda: NONE).rows}
    assert rows[OURS].hit1 == 100 and rows["BM25 over 900 characters"].hit1 < 50


@given(st.text(alphabet="ab \n", max_size=200), st.integers(1, 30))
def test_even_chunks_hold_all_of_a_text_in_its_order(text: str, most: int) -> None:
    pieces = list(even_chunks(text, most))
    assert "".join(pieces) == text and all(0 < len(piece) <= most for piece in pieces)


def test_the_rival_of_chunks_ranks_by_the_best_one() -> None:
    idle = "nothing of that kind stands here at all\n" * 60
    rank = full_text_chunks({"spread.md": f"zebra\n{idle}lake\n", "near.md": f"{idle}zebra at the lake\n"})
    assert list(rank("zebra lake")) == ["near.md", "spread.md"] and list(rank("the")) == []


def test_a_gain_of_first_answers_is_counted_question_by_question() -> None:
    gain, sure = hit1_gain([1.0, 1.0, 3.0, 1.0] * 10, [2.0, 1.0, 1.0, 9.0] * 10, range(40))
    assert gain == 25 and sure.low < 25 < sure.high


def test_questions_about_transcripts_search_those_alone(folder: Path, tmp_path: Path) -> None:
    written(folder, '{"question": "zebra", "evidence_transcripts": ["raw/conversations/a.md"]}')
    report = evaluate([folder], tmp_path / "base", lambda: NONE)
    assert report.notes == 1 and report.rows[0].figures.hit1 == 100
    assert any("words alone" in remark for remark in report.remarks)


@pytest.mark.parametrize(
    ("line", "what"),
    [('{"question": "a"}', "no question says"), ('{"question": "a", "evidence_paths": ["x.md"]}', "names x.md")],
)
def test_where_nothing_can_be_asked_the_reason_is_said(folder: Path, tmp_path: Path, line: str, what: str) -> None:
    written(folder, line)
    with pytest.raises(UsageError, match=what):
        evaluate([folder], tmp_path / "base", lambda: NONE)
    with pytest.raises(UsageError, match="no such folder"):
        evaluate([tmp_path / "none"], tmp_path / "other", lambda: NONE)


def test_folders_are_pooled_each_named_and_one_file_of_questions_is_about_one(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "memory").mkdir(parents=True)
    (other / "memory/2026-03-01.md").write_text("# Day\n\nThe yak likes the hay.\n", encoding="utf-8")
    written(folder, '{"question": "where is the zebra", "evidence_paths": ["memory/2026-03-02.md"]}')
    written(other, '{"question": "what does the yak like", "evidence_paths": ["memory/2026-03-01.md"]}')
    report = evaluate([folder, other], tmp_path / "base", lambda: NONE)
    assert report.notes == 4 and report.rows[0].figures.questions == 2 and report.rows[0].figures.hit1 == 50
    assert [(row.folder, row.figures.hit1) for row in report.folders] == [("notes", 0), ("other", 100)]
    with pytest.raises(UsageError, match="several folders"):
        evaluate([folder, other], tmp_path / "third", lambda: NONE, questions=folder / "questions.jsonl")


def test_a_folder_without_a_question_is_left_out_of_several(folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    written(empty, '{"question": "what is blue"}')
    written(folder, '{"question": "where is the zebra", "evidence_paths": ["memory/2026-03-01.md"]}')
    report = evaluate([empty, folder], tmp_path / "base", lambda: NONE)
    assert report.rows[0].figures.questions == 1 and not report.folders
    assert any(remark.startswith("empty: 1 of 1 questions cannot be used") for remark in report.remarks)
    with pytest.raises(UsageError, match="no question of any folder"):
        evaluate([empty, empty], tmp_path / "third", lambda: NONE)


def test_each_rule_says_how_many_files_have_its_shape_and_what_it_changed(folder: Path, tmp_path: Path) -> None:
    written(
        folder,
        '{"question": "where is the zebra", "evidence_paths": ["memory/2026-03-01.md"]}',
        '{"question": "the zebra yesterday", "evidence_paths": ["memory/2026-03-02.md"]}',
    )
    reach = {one.name: [one.files, one.questions] for one in evaluate([folder], tmp_path / "a", lambda: NONE).rules}
    assert list(reach) == list(RankingRule)
    assert reach["dates"][1] == 50 and reach["user's words"] == [0, 0]  # for notes, not for turns
    assert reach["window of turns"][0] == pytest.approx(100 / 3) and reach["short turns"][0] == 100


@given(places)
def test_an_interval_holds_its_figure(found: list[float]) -> None:
    mrr = figures(found).mrr
    sure = mrr_interval(found, range(len(found)))
    assert 0 <= sure.low <= mrr + 1e-9 and mrr - 1e-9 <= sure.high <= 1
    assert mrr_gain(found, found, range(len(found)))[0] == 0


def test_questions_with_the_same_evidence_are_drawn_together() -> None:
    found = [1.0, math.inf] * 20
    apart, together = mrr_interval(found, range(40)), mrr_interval(found, [n % 2 for n in range(40)])
    assert (together.low, together.high) == (0, 1) and apart.low > 0.2 and apart.high < 0.8


def test_a_gain_in_every_question_is_sure_though_the_figures_overlap() -> None:
    theirs = [2.0, 3.0, 50.0, 1.0] * 10
    ours = [1.0, 2.0, 40.0, 1.0] * 10
    gain, sure = mrr_gain(ours, theirs, range(40))
    assert gain > 0 and sure.low > 0
    assert mrr_interval(ours, range(40)).low < mrr_interval(theirs, range(40)).high


def test_rivals_find_words_and_give_nothing_for_nothing() -> None:
    files = {"a.md": "the zebra sleeps", "b.md": "zebra and lake", "c.md": "nothing of it"}
    for rank in (full_text(files), distinct_terms(files), fused(full_text(files), distinct_terms(files))):
        assert next(iter(rank("zebra lake"))) == "b.md" and "c.md" not in rank("zebra")
        assert list(rank("\"'*(")) == [] and list(rank("the")) in ([], ["a.md"])
