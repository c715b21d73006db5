"""What is found, in which order, and what an answer says of itself (decisions D6 to D14)."""

import os
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.errors import Cancelled
from engine.search.indexing import slow_vectors
from engine.search.results.recency import MOST_BOOST, References, recency
from engine.search.values import Category, SearchMethod, SearchRequest
from engine.state.database import StateDatabase
from engine.workspace.values import Progress
from tests.engine.search.place import HashEmbedder, MakePlace, SearchPlace

CHINESE = "# 笔记\n\n我昨天在图书馆学习了数据库的迁移计划。\n"
KOREAN = "# 메모\n\n우리집 데이터베이스를 새로 만들었습니다.\n"
JAPANESE = "# メモ\n\n東京タワーでデータベースの移行を決めた。\n"
GERMAN = (
    "# Notiz\n\nWir haben gestern die Datenbankverbindungen für das neue Haus geprüft, und dann war der\n"
    "Haustürschlüssel nicht mehr da. Die Geschwindigkeitsbegrenzung ist jetzt aktiv.\n"
)
ENGLISH = (
    "# Limits\n\nThe rate-limiting of ses_a1b2 is written in C++ and lives in src/net/limit.cc since 2026-01-05.\n"
)


@pytest.fixture
def languages(place: SearchPlace) -> SearchPlace:
    for name, text in (("zh", CHINESE), ("ko", KOREAN), ("ja", JAPANESE), ("de", GERMAN), ("en", ENGLISH)):
        place.write(f"knowledge/reference/{name}.md", text)
    for number in range(8):
        place.write(f"knowledge/reference/other{number}.md", f"# Other {number}\n\nNothing of the kind here, a rate.\n")
    return place


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("学习", "zh"), ("图书", "zh"), ("迁移计划", "zh"), ("库", "zh"),
        ("데이터베이스", "ko"), ("만들", "ko"), ("집", "ko"),
        ("東京", "ja"), ("データベース", "ja"), ("タワー", "ja"),
        ("Schlüssel", "de"), ("Datenbank", "de"), ("Verbindung", "de"), ("Begrenzung", "de"), ("häuser", "de"),
        ("geprüften", "de"), ("geschwindigkeit", "de"),
        ("rate-limiting", "en"), ("ses_a1b2", "en"), ("C++", "en"), ("c++", "en"), ("limited", "en"),
        ("src/net/limit.cc", "en"), ("limit.cc", "en"), ("2026-01-05", "en"),
        ('"written in C++"', "en"), ('"图书馆学习"', "zh"), ("“rate limiting”", "en"),
    ],
)  # fmt: skip
def test_d12_words_of_each_language_identifiers_and_phrases_are_found(
    languages: SearchPlace, query: str, name: str
) -> None:
    assert languages.paths(query)[:1] == [f"knowledge/reference/{name}.md"]


def test_d11_path_and_category_do_not_match_as_text(place: SearchPlace) -> None:
    place.write("knowledge/projects/rocket/context.md", "# Plans\n\nSomething else.\n")
    place.write("knowledge/people/ann.md", "# Ann\n\nAnn knows the project and its procedure.\n")
    assert place.paths("project") == ["knowledge/people/ann.md"]
    assert place.paths("knowledge") == []
    assert "knowledge/projects/rocket/context.md" not in place.paths("projects rocket")


def test_d11_a_title_weighs_more_than_the_text(place: SearchPlace) -> None:
    place.write("a.md", "# Daily\n\nmigration happened, and much more was said of other things that day\n")
    place.write("b.md", "---\ntitle: Migration\n---\nWe moved. Much more was said of other things that day.\n")
    assert place.paths("migration") == ["b.md", "a.md"]


def test_d13_a_file_has_one_row_and_its_best_chunk_decides(place: SearchPlace) -> None:
    turns = "".join(f"## 09:{n:02} — user\nfiller talk number {n} about nothing\n\n" for n in range(50))
    place.write("raw/conversations/long.md", f"# Talk\n\n{turns}## 10:00 — user\nthe secret ingredient is saffron\n")
    hits = place.search("secret ingredient saffron").hits
    assert [hit.path for hit in hits] == ["raw/conversations/long.md"]
    assert (hits[0].line, hits[0].category) == (154, Category.CONVERSATION)
    assert "saffron" in hits[0].snippet


def test_d9_a_changed_file_leaves_nothing_of_its_old_text(make_place: MakePlace) -> None:
    place = make_place(HashEmbedder())
    place.write("a.md", "the word zebra")
    assert place.paths("zebra") == ["a.md"]
    place.write("a.md", "the word giraffe")
    assert [hit.path for hit in place.search("giraffe").hits if hit.bm25 > 0] == ["a.md"]
    assert [hit for hit in place.search("zebra").hits if hit.bm25 > 0] == []
    report = place.update()
    assert (report.files, report.chunks, report.vectors) == (1, 1, 1)


def test_d14_only_what_changed_is_read_and_a_touched_file_is_not(make_place: MakePlace) -> None:
    embedder = HashEmbedder()
    place = make_place(embedder)
    files = [place.write(f"n{number}.md", f"text number{number}") for number in range(5)]
    place.update()
    embedder.calls.clear()
    files[0].touch()
    files[1].write_text("another text", encoding="utf-8")
    files[2].unlink()
    report = place.update()
    assert (report.added, report.removed, report.files) == (1, 2, 4)
    assert embedder.calls == ["another text"]


def test_d14_a_second_console_takes_the_index_as_it_is(make_place: MakePlace) -> None:
    place = make_place(HashEmbedder())
    for number in range(5):
        place.write(f"n{number}.md", f"text number{number}")
    place.update()
    place.searcher.close()
    report = place.another().update(place.snapshot())
    assert (report.added, report.removed, report.vectors, report.remarks) == (0, 0, 5, ())


def test_d14_keys_are_relative_paths_and_a_moved_workspace_is_searched_where_it_is(make_place: MakePlace) -> None:
    place = make_place()
    place.write("notes/ä b.md", "zebra")
    assert place.paths("zebra") == ["notes/ä b.md"]


def test_d6_recency_breaks_ties_and_decides_nothing_else(place: SearchPlace) -> None:
    for day in ("2020-01-01", "2026-03-01", "2024-01-01"):
        place.write(f"memory/{day}.md", "zebra crossing at the market square\n")
    place.write("memory/2010-01-01.md", "zebra zebra zebra zebra\n")
    assert place.paths("zebra") == [
        f"memory/{day}.md" for day in ("2010-01-01", "2026-03-01", "2024-01-01", "2020-01-01")
    ]
    assert recency(date(2026, 3, 8), date(2026, 3, 15)) == 0.5
    assert recency(date(2030, 1, 1), date(2026, 3, 15)) == 1.0


def test_a_damaged_database_costs_a_reference_never_the_search(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"no database at all")
    kept = References(StateDatabase(tmp_path))
    kept.add("b.md")
    assert kept.count("b.md") == 1 and References(StateDatabase(tmp_path)).count("b.md") == 0


def test_d6_references_live_outside_the_index_and_their_boost_is_capped(place: SearchPlace) -> None:
    for name in ("a", "b"):
        place.write(f"{name}.md", "---\ndate: 2026-03-01\n---\nzebra crossing\n")
    assert place.paths("zebra") == ["a.md", "b.md"]
    for _ in range(40):
        place.searcher.references.add("b.md")
    place.database.unlink()
    assert place.paths("zebra") == ["b.md", "a.md"]
    kept = References(StateDatabase(place.state))
    assert (kept.count("b.md"), kept.boost("b.md"), kept.boost("a.md")) == (40, MOST_BOOST, 1.0)


def test_d8_the_only_hit_and_the_last_hit_keep_a_score(make_place: MakePlace) -> None:
    place = make_place(HashEmbedder())
    place.write("a.md", "zebra")
    for merge in ("adaptive", "specification", "rrf", "words"):
        hits = place.search("zebra", merge=merge).hits
        assert [hit.path for hit in hits] == ["a.md"]
        assert hits[0].score > 0 and hits[0].bm25 == 1.0


def test_meaning_finds_what_no_word_does(make_place: MakePlace) -> None:
    place = make_place(HashEmbedder(same={"automobile": "car", "dealer": "shop"}))
    for number in range(60):
        place.write(f"n{number}.md", f"filler{number} text{number} of another kind{number}")
    place.write("car.md", "car shop")
    answer = place.search("automobile dealer")
    assert (answer.engine, answer.hits[0].path, answer.hits[0].bm25) == (SearchMethod.HYBRID, "car.md", 0.0)
    assert answer.hits[0].vector is not None and answer.hits[0].vector > 0.9


def test_without_an_embedder_words_answer_and_say_so(place: SearchPlace) -> None:
    place.write("a.md", "zebra")
    answer = place.search("zebra")
    assert answer.engine is SearchMethod.LEXICAL
    assert answer.degraded == ("by words alone: none here",)
    assert answer.hits[0].vector is None


def test_an_embedder_that_fails_costs_the_vectors_and_not_the_answer(make_place: MakePlace) -> None:
    embedder = HashEmbedder()
    place = make_place(embedder)
    place.write("a.md", "zebra")
    place.update()
    embedder.fails = True
    place.write("b.md", "zebra too")
    answer = place.search("zebra")
    assert {hit.path for hit in answer.hits} == {"a.md", "b.md"}
    assert answer.engine is SearchMethod.LEXICAL and any("asleep" in remark for remark in answer.degraded)


def test_d10_a_category_narrows_and_is_a_closed_set(place: SearchPlace) -> None:
    place.write("knowledge/people/ann.md", "zebra")
    place.write("knowledge/journal/2026-01-01.md", "zebra")
    place.write("raw/conversations/x.md", "zebra")
    found = {category: [hit.path for hit in place.search("zebra", category=category).hits] for category in Category}
    assert found[Category.PERSON] == ["knowledge/people/ann.md"]
    assert found[Category.CONVERSATION] == ["raw/conversations/x.md"]
    assert sum(map(len, found.values())) == 3


def test_dates_narrow_a_search(place: SearchPlace) -> None:
    for day in ("2026-01-01", "2026-02-01", "2026-03-01"):
        place.write(f"memory/{day}.md", "zebra")
    request = SearchRequest(text="zebra", since=date(2026, 1, 15), until=date(2026, 2, 15), seconds=None)
    hits = place.searcher.search(request, place.snapshot()).hits
    assert [hit.path for hit in hits] == ["memory/2026-02-01.md"]


def test_d10_operators_work_when_asked_for_and_are_text_otherwise(place: SearchPlace) -> None:
    place.write("a.md", "zebra lion")
    place.write("b.md", "zebra giraffe")
    assert set(place.paths("zebra -lion")) == {"a.md", "b.md"}
    assert place.paths("zebra -lion", operators=True) == ["b.md"]
    assert place.paths("zebra +lion", operators=True) == ["a.md"]
    assert place.paths("gira*", operators=True) == ["b.md"]
    assert place.paths("gira*") == []
    assert place.paths("-lion", operators=True) == []


@pytest.mark.parametrize("query", ["+zebra lake", "lake -puma", '+"zebra sleeps"'])
def test_d10_what_operators_rule_out_is_not_found_by_meaning_either(make_place: MakePlace, query: str) -> None:
    place = make_place(HashEmbedder(same={"puma": "zebra", "sleeps": "zebra"}))
    place.write("a.md", "the zebra sleeps by the lake\n")
    place.write("b.md", "the puma sleeps by the lake\n")
    assert place.paths(query, operators=True) == ["a.md"]
    assert sorted(place.paths(query)) == ["a.md", "b.md"]


def test_when_time_is_up_the_answer_is_right_and_says_so(make_place: MakePlace) -> None:
    place = make_place()
    for number in range(450):
        place.write(f"n{number}.md", f"word{number} zebra")
    answer = place.search("word449", seconds=0)
    assert [hit.path for hit in answer.hits] == ["n449.md"]
    assert answer.pending > 0 and any("the index lacks" in remark for remark in answer.degraded)
    done = place.search("word449")
    assert (done.pending, done.engine) == (0, SearchMethod.LEXICAL)


def test_more_like_this_finds_its_siblings_and_leaves_itself_out(make_place: MakePlace) -> None:
    place = make_place(HashEmbedder())
    for name, text in (("a", "saffron rice with lamb"), ("b", "saffron rice for two"), ("c", "engine oil and tyres")):
        place.write(f"{name}.md", text)
    answer = place.searcher.more_like_this("a.md", 5, place.snapshot())
    assert answer.hits[0].path == "b.md" and "a.md" not in {hit.path for hit in answer.hits}
    assert place.searcher.more_like_this("no.md", 5, place.snapshot()).degraded == ("there is no such note",)


def test_snippets_are_safe_and_hold_no_secret(place: SearchPlace) -> None:
    key = "sk-ant-api03-" + "Ab1" * 30
    place.write("a.md", f"# T\x1b[2J\n\nzebra \x1b]0;owned\x07 \u202egnp.exe [@click=app.quit] {key}\n")
    hit = place.search("zebra").hits[0]
    assert not any(ord(char) < 32 or char == "\u202e" for char in hit.snippet + hit.title)
    assert key not in hit.snippet and "secret" in hit.snippet


def test_a_file_that_is_no_text_is_left_out(place: SearchPlace) -> None:
    place.write("a.md", b"zebra \xff\xfe")
    place.write("b.md", "zebra")
    assert place.paths("zebra") == ["b.md"]
    assert place.update().files == 1


def test_an_empty_note_is_found_by_its_title(place: SearchPlace) -> None:
    place.write("knowledge/projects/apollo-launch.md", "")
    place.write("b.md", "---\ntitle: Gemini\ntags: [space, race]\n---\n")
    assert place.paths("apollo") == ["knowledge/projects/apollo-launch.md"]
    assert place.paths("gemini") == ["b.md"] == place.paths("race")


def test_a_new_model_takes_over_in_the_background(make_place: MakePlace) -> None:
    place = make_place(HashEmbedder(name="old"))
    for number in range(10):
        place.write(f"n{number}.md", f"word{number} " * 20)
    place.update()
    slow = HashEmbedder(quick=False, name="new")
    console = place.another(slow)
    answer = place.search("word3", searcher=console)
    assert answer.hits[0].path == "n3.md"
    assert "10 files have no vectors yet" in answer.degraded
    steps: list[int] = []
    assert console.keep(place.snapshot(), 0.0).lacking == 10
    assert console.keep(place.snapshot(), 60.0, lambda step: steps.append(step.done)).lacking == 0
    assert place.search("word3", searcher=console).hits[0].vector is not None
    assert steps[-1] == 10


def test_files_without_vectors_yet_are_not_behind_all_others(make_place: MakePlace) -> None:
    chosen = HashEmbedder(quick=False, same={"feline": "cat"})
    place = make_place(chosen)
    chosen.weight = 3.0
    question = "what did we write of the old lighthouse keeper in the harbour town"
    place.write("2026-03-01-answer.md", "the lighthouse keeper was old and we did write of that\n")
    for number in range(10):
        place.write(f"2026-03-1{number % 5}-n{number}.md", f"what of the {number}\n")

    def embed_until(lacking: int) -> None:
        """Newest files first, so that the answer comes last."""

        def stop(step: Progress) -> None:
            if step.stage == "embedding" and step.total is not None and step.total - step.done <= lacking:
                raise Cancelled("enough")

        with suppress(Cancelled):
            place.searcher.keep(place.snapshot(), 60, stop)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slow_vectors, "BATCH_CHUNKS", 1)
        embed_until(lacking=8)
        assert place.search(question).engine is SearchMethod.LEXICAL
        embed_until(lacking=1)
    answer = place.search(question)
    assert answer.engine is SearchMethod.HYBRID and "1 files have no vectors yet" in answer.degraded
    first = answer.hits[0]
    assert (first.path, first.vector) == ("2026-03-01-answer.md", None)
    assert first.score == pytest.approx(first.words + first.meaning) and first.meaning > 0


def test_results_are_the_same_on_every_run(make_place: MakePlace) -> None:
    first, second = make_place(HashEmbedder(), "a"), make_place(HashEmbedder(), "b")
    for number in range(40):
        for place in (first, second):
            path = place.write(f"n{number}.md", f"zebra word{number % 7} and more")
            os.utime(path, (1_700_000_000, 1_700_000_000))
    for query in ("zebra", "zebra word3", "word5 more of it"):
        one, two = first.search(query), second.search(query)
        assert one == replace(two, query=query)
