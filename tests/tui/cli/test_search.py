"""`memdeck search` and `memdeck index`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.search.values import Category
from tests.tui.cli.conftest import Run

KEYS = {"path", "category", "title", "line", "score", "bm25", "vector", "snippet"}


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "notes"
    for path, text in {
        "knowledge/people/ann.md": "# Ann\n\nAnn keeps the zebra at the lake.\n",
        "knowledge/projects/zoo/context.md": "# Zoo\n\nThe zebra needs a new fence.\n",
        "memory/2026-03-01.md": "# Day\n\n\x1b[31mescape\x1b[0m the giraffe\n",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


def test_search_prints_the_rows_that_are_promised(run: Run, notes: Path) -> None:
    ran = run("search", "zebra", "--json")
    rows = json.loads(ran.out)
    assert ran.code == 0 and len(rows) == 2
    assert all(set(row) >= KEYS for row in rows)
    assert rows[0]["score"] >= rows[1]["score"]
    assert {row["category"] for row in rows} <= {each.value for each in Category}


def test_search_narrows_by_number_and_category(run: Run, notes: Path) -> None:
    assert len(json.loads(run("search", "zebra", "-n", "1", "--json").out)) == 1
    rows = json.loads(run("search", "zebra", "--category", "person", "--json").out)
    assert [row["path"] for row in rows] == ["knowledge/people/ann.md"]
    assert run("search", "zebra", "--category", "x' OR '1'='1").code == 2
    assert run("search", "zebra", "-n", "0").code == 2


def test_search_shows_text_that_is_safe(run: Run, notes: Path) -> None:
    ran = run("search", "giraffe")
    assert "memory/2026-03-01.md:3" in ran.out and "\x1b" not in ran.out and "␛[31m" in ran.out
    assert run("search", "nothingofthatkindatall").out == "nothing found\n" or "words 0.00" in ran.out


@pytest.mark.parametrize("query", ['"', "NEAR(", "*", "", "\x1b[2J", "的", "giraffe' OR 1=1 --"])
def test_no_query_is_an_error_and_none_is_read_as_sql(run: Run, notes: Path, query: str) -> None:
    ran = run("search", "--json", "--", query)
    rows = json.loads(ran.out)
    assert ran.code == 0 and ran.err == ""
    wanted = query.startswith("giraffe")
    assert [row["path"] for row in rows if row["bm25"]] == (["memory/2026-03-01.md"] if wanted else [])


def test_index_reports_and_rebuilds(run: Run, notes: Path) -> None:
    first = json.loads(run("index", "--json").out)
    assert (first["files"], first["added"], first["pending"]) == (3, 3, 0)
    assert (notes / "memory.db").is_file()
    assert json.loads(run("index", "--json").out)["added"] == 0
    assert json.loads(run("index", "--rebuild", "--json").out)["added"] == 3
    assert "3 files in 3 chunks" in run("index").out


def test_a_new_note_is_found_by_the_next_search(run: Run, notes: Path) -> None:
    run("index")
    (notes / "new.md").write_text("saffron", encoding="utf-8")
    assert [row["path"] for row in json.loads(run("search", "saffron", "--json").out)][:1] == ["new.md"]
    (notes / "new.md").unlink()
    assert "new.md" not in run("search", "saffron").out


def test_a_fact_that_stands_in_several_files_is_one_row_with_its_copies(run: Run, notes: Path) -> None:
    for path in ("memory/2026-02-03.md", "memory/daily/2026-02-03.md"):
        (notes / path).parent.mkdir(parents=True, exist_ok=True)
        (notes / path).write_text("# Day\n\n- saffron risotto for the northern depot\n", encoding="utf-8")
    row, *others = json.loads(run("search", "saffron risotto", "--json").out)
    copy = row["copies"][0]
    assert not others and {row["path"], copy["path"]} == {"memory/2026-02-03.md", "memory/daily/2026-02-03.md"}
    assert copy["line"] == 3 and f"also in {copy['level']} {copy['path']}:3" in run("search", "saffron risotto").out


def test_what_is_amiss_is_said_on_stderr(run: Run, notes: Path) -> None:
    run("index")
    (notes / "memory.db").write_bytes(b"not a database at all" * 1000)
    ran = run("search", "zebra", "--json")
    assert len(json.loads(ran.out)) == 2
    assert "rebuilt" in ran.err


def test_status_and_help_load_nothing_of_search(run: Run, notes: Path) -> None:
    code = (
        "import sys; from tui.cli.main import main; main(['status', '--json']);"
        "assert not {'engine.search.searcher', 'numpy', 'tokenizers', 'wordllama'} & set(sys.modules), 'loaded'"
    )
    run("status", "--json")  # at first contact notes are judged, once, by a model
    done = subprocess.run([sys.executable, "-c", code], cwd=notes, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-300:]


def test_search_narrows_by_dates_and_says_what_it_takes(run: Run, notes: Path) -> None:
    rows = json.loads(run("search", "giraffe", "--dates", "2026-03", "--json").out)
    assert [row["path"] for row in rows] == ["memory/2026-03-01.md"]
    assert "memory/2026-03-01.md" not in run("search", "giraffe", "--dates", "2025", "--json").out
    refused = run("search", "giraffe", "--dates", "soon")
    assert refused.code == 2 and "2026-03-15" in refused.err


def test_more_like_a_note(run: Run, notes: Path) -> None:
    rows = json.loads(run("search", "--like", "knowledge/people/ann.md", "--json").out)
    assert rows[0]["path"] == "knowledge/projects/zoo/context.md"
    assert "knowledge/people/ann.md" not in {row["path"] for row in rows}
    assert "no such note" in run("search", "--like", "../../etc/passwd").err


def test_searches_are_saved_outside_the_workspace_and_asked_again(run: Run, notes: Path) -> None:
    assert run("search").out.startswith("no search is saved")
    before = {path for path in notes.rglob("*") if path.name != "memory.db"}
    saved = run("search", "zebra", "--category", "person", "--save", "ann's zebra", "--json")
    again = run("search", "--saved", "ann's zebra", "--json")
    assert saved.code == 0 and saved.out == again.out and len(json.loads(again.out)) == 1
    assert {path for path in notes.rglob("*") if path.name != "memory.db"} == before
    listed = run("search")
    assert "ann's zebra  zebra  person · any date" in listed.out
    assert json.loads(run("search", "--json").out)[0]["query"] == "zebra"
    assert run("search", "--saved", "other").code == 2
    assert run("search", "--forget", "ann's zebra").out.startswith("no search is saved")
    assert run("search", "zebra", "--like", "a.md").code == 2


def test_days_in_the_query_are_told_and_can_be_left_out(run: Run, notes: Path) -> None:
    (notes / "memory/2025-11-09.md").write_text("# Day\n\nThe giraffe, the giraffe, the giraffe.\n", encoding="utf-8")
    asked = ("search", "the giraffe on 1 March 2026")
    ran = run(*asked)
    assert ran.out.startswith("near 1 March 2026 (2026-03-01); --no-dates leaves the days out\n")
    assert "+ dates 2.000" in ran.out
    rows = json.loads(run(*asked, "--json").out)
    assert rows[0]["path"] == "memory/2026-03-01.md" and rows[0]["near"] == ["2026-03-01"] and rows[0]["dates"] == 2
    without = json.loads(run(*asked, "--no-dates", "--json").out)
    assert all(row["dates"] == 0 and row["near"] == [] for row in without)
    assert "near" not in run(*asked, "--no-dates").out.partition("\n")[0]
    run(*asked, "--no-dates", "--save", "giraffes")
    assert "days in the query ignored" in run("search").out
    assert all(row["dates"] == 0 for row in json.loads(run("search", "--saved", "giraffes", "--json").out))
