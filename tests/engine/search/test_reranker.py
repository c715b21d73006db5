"""The reranker: an ONNX model in a folder orders the best candidates; without one, search keeps its own order."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.extras.reranker.cross_encoder import BATCH, CrossEncoder, load_reranker, reranker_problem
from engine.search.evaluation.report import OURS, evaluate
from engine.search.results.reranked import CANDIDATES, NoReranker, RerankingFailed
from engine.search.searcher import Searcher
from engine.search.values import SearchRequest
from engine.state.database import StateDatabase
from engine.workspace.values import Progress
from tests.engine.search.onnx_model import write_model
from tests.engine.search.place import NONE, MakePlace, SearchPlace

needs_onnx = pytest.mark.skipif(find_spec("onnxruntime") is None, reason="onnxruntime is not installed")
WORTH = {"gold": 9, "silver": 5}


@pytest.fixture
def model(tmp_path: Path) -> CrossEncoder:
    found = load_reranker(write_model(tmp_path / "model", WORTH))
    assert isinstance(found, CrossEncoder)
    return found


@pytest.fixture
def place(make_place: MakePlace) -> SearchPlace:
    made = make_place()
    made.write("knowledge/a.md", "# Zebra zebra\n\nzebra zebra zebra\n")
    made.write("knowledge/b.md", "# Animals\n\nthe zebra, which is silver\n")
    made.write("knowledge/c.md", "# Others\n\nmuch is said of many things, and a zebra is gold among idle words\n")
    return made


def searcher(place: SearchPlace, model: CrossEncoder | NoReranker) -> Searcher:
    place.searchers.append(Searcher(place.root, StateDatabase(place.state), lambda: NONE, lambda: model))
    return place.searchers[-1]


@needs_onnx
def test_scores_are_those_of_the_model_from_0_to_1(model: CrossEncoder) -> None:
    scores = model.scores("zebra", ["gold and silver", "silver", "", "\ud800 GOLD " * 2_000])
    assert scores[0] == scores[3] > scores[1] > scores[2] == 0.5 and scores[0] < 1
    assert model.scores("zebra", []) == []


@needs_onnx
def test_the_best_candidates_are_ordered_by_the_model(place: SearchPlace, model: CrossEncoder) -> None:
    assert place.paths("zebra")[0] == "knowledge/a.md"
    found = place.search("zebra", searcher=searcher(place, model))
    assert [hit.path for hit in found.hits] == ["knowledge/c.md", "knowledge/b.md", "knowledge/a.md"]
    assert [hit.rerank for hit in found.hits] == [1.0, 0.993, 0.5]
    # However few are asked for, as many candidates are read.
    assert [hit.path for hit in place.search("zebra", 1, searcher=searcher(place, model)).hits] == ["knowledge/c.md"]


@needs_onnx
def test_operators_and_days_lead_all_the_same(place: SearchPlace, model: CrossEncoder) -> None:
    place.write("memory/2025-05-03.md", "# Day\n\nzebra\n")
    mine = searcher(place, model)
    assert place.search("zebra on 3 May 2025", searcher=mine).hits[0].path == "memory/2025-05-03.md"
    assert all(hit.rerank is None for hit in place.search("+zebra", operators=True, searcher=mine).hits)


@needs_onnx
def test_no_more_than_the_best_candidates_are_read_with_progress(make_place: MakePlace, model: CrossEncoder) -> None:
    place, steps = make_place(), list[Progress]()
    for number in range(CANDIDATES + 6):
        place.write(f"knowledge/{number:02}.md", f"# Note\n\nzebra number {number}\n")
    found = searcher(place, model).search(SearchRequest(text="zebra", n=40), place.snapshot(), tick=steps.append)
    assert [hit.rerank is not None for hit in found.hits] == [True] * CANDIDATES + [False] * 6
    done = [step.done for step in steps if step.stage == "reranking"]
    assert done == list(range(0, CANDIDATES, BATCH)) and steps[-1].total == CANDIDATES


@needs_onnx
def test_a_search_that_nobody_waits_for_stops_reading(model: CrossEncoder) -> None:
    with pytest.raises(RerankingFailed, match="stopped"):
        model.scores("zebra", ["gold"], lambda: True)


@needs_onnx
def test_a_damaged_model_is_a_reason_and_search_goes_on(place: SearchPlace, tmp_path: Path) -> None:
    folder = write_model(tmp_path / "bad", WORTH)
    (folder / "model.onnx").write_bytes(b"no model")
    broken = load_reranker(folder)
    assert isinstance(broken, NoReranker) and "cannot be loaded" in broken.reason
    found = place.search("zebra", searcher=searcher(place, broken))
    assert found.hits[0].path == "knowledge/a.md" and found.degraded[0].startswith("not reranked: the model")


@needs_onnx
def test_a_model_that_fails_leaves_the_order_as_it_was(place: SearchPlace, model: CrossEncoder) -> None:
    class Failing(CrossEncoder):
        def __init__(self) -> None:
            vars(self).update(vars(model))
            self._takes = frozenset({"token_type_ids"})

    found = place.search("zebra", searcher=searcher(place, Failing()))
    assert found.hits[0].path == "knowledge/a.md" and "not reranked: the model failed" in found.degraded[0]


def test_what_is_lacking_is_said_before_anything_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("onnxruntime") is not None:
        assert "no model.onnx" in reranker_problem(tmp_path)
    monkeypatch.setattr("engine.extras.reranker.cross_encoder.find_spec", lambda name: None)
    assert "onnxruntime is not installed" in reranker_problem(tmp_path)
    assert isinstance(load_reranker(tmp_path), NoReranker)


@needs_onnx
def test_evaluate_measures_search_with_and_without_it(place: SearchPlace, model: CrossEncoder, tmp_path: Path) -> None:
    line = '{"question": "zebra", "evidence_paths": ["knowledge/c.md"]}\n'
    (place.folder / "questions.jsonl").write_text(line, encoding="utf-8")
    report = evaluate([place.folder], tmp_path / "base", lambda: NONE, lambda: model)
    rows = {row.name: row.figures.hit1 for row in report.rows}
    assert rows[OURS] == 100 and rows["search, not reranked"] == 0 and next(iter(rows)) == OURS
