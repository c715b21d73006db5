"""A word as it is typed finds the note that holds it, in each language and by words alone (decisions D10, D12)."""

import pytest

from tests.engine.search.place import MakePlace, SearchPlace

NOTES = {
    "zh-plan": "我们今天讨论了数据库的迁移计划，决定下周开始。",
    "zh-library": "晚上在图书馆看书，然后回家做饭。",
    "zh-travel": "去年夏天我和朋友去了云南旅游，看了洱海。繁體字：資料庫備份。",
    "ko-move": "데이터베이스를 이전하기로 결정했습니다. 학교에서 만났어요.",
    "ko-read": "어제 도서관에서 책을 읽었다.",
    "ko-firm": "회사에서 점심을 먹었다.",
    "ko-meeting": "회의는 내일이다.",
    "ja-move": "データベースの移行は来週の月曜日に行います。",
    "ja-food": "昨日はカレーライスを作りました。とても美味しかったです。",
    "th-move": "เราย้ายฐานข้อมูลไปยังเซิร์ฟเวอร์ใหม่",
    "th-food": "เมื่อวานเรากินข้าวผัดกับเพื่อน",
    "de-keys": "Die Haustürschlüssel liegen beim Nachbarn, und das Patent der Dampfschifffahrtsgesellschaft ist alt.",
    "de-contract": "Die Krankenversicherung wurde gekündigt, die Mietverträge laufen. Größe und Straße sind klar.",
    "ru-move": "Мы перенесли базу данных на новый сервер.",
    "ar-move": "نقلنا قاعدة البيانات إلى خادم جديد",
    "hi-move": "हमने डेटाबेस को नए सर्वर पर ले जाया।",
    "fr-castle": "Le château et l’été à la crème brûlée; naïve façade.",
    "id-session": "The session ses_a1b2 failed with rate-limiting; see src/engine/io.py:42 and issue #4711.",
    "id-languages": "We wrote it in C++ and C#, not in C. Node.js stays. Call getUserName() via user_name.",
    "id-dates": "On 2026-03-15 at 18:30 the release v1.2.3 went out to 192.168.0.1 by ana@example.com.",
    "id-others": "On 2026-03-16 we took C and a rate of limiting things; session a2b1, version 3.2.1, 10.0.0.1.",
    "en-fox": "The quick brown fox jumps over the lazy dog.",
    "en-brown": "A fox that is brown and quick met a dog that jumps, lazy over all.",
}


@pytest.fixture
def notes(make_place: MakePlace) -> SearchPlace:
    made = make_place()
    for name, text in NOTES.items():
        made.write(f"knowledge/reference/{name}.md", f"---\ntitle: note\n---\n{text}\n")
    made.update()
    return made


FOUND = {
    "zh-plan": ("迁移", "计划", "数据库", "《数据库》", '"迁移计划"', "“迁移计划”"),
    "zh-library": ("做饭", "图书馆", "看书"),
    "zh-travel": ("洱海", "云南旅游", "資料庫"),
    "ko-move": ("데이터베이스", "결정", "학교"),
    "ko-read": ("도서관", "책", "책이", "읽다"),
    "ko-meeting": ("회의",),
    "ja-move": ("移行", "データベース", "ﾃﾞｰﾀﾍﾞｰｽ", "「データベース」", "月曜日"),
    "ja-food": ("カレー", "昨日"),
    "th-move": ("ฐานข้อมูล", "เซิร์ฟเวอร์"),
    "th-food": ("ข้าวผัด",),
    "de-keys": ("Schlüssel", "Haustür", "schluessel", "Patente", "Gesellschaft"),
    "de-contract": ("Versicherung", "Mietvertrag", "Vertrag", "Groesse", "STRASSE", "kranken"),
    "ru-move": ("базу данных", "СЕРВЕР"),
    "ar-move": ("البيانات",),
    "hi-move": ("डेटाबेस",),
    "fr-castle": ("chateau", "été", "l'ete", "brulee"),
    "id-session": ("ses_a1b2", "SES_A1B2", "rate-limiting", "src/engine/io.py", "io.py", "io.py:42", "#4711"),
    "id-languages": ("C++", "c#", "Node.js", "getUserName", "user_name", "user name"),
    "id-dates": ("2026-03-15", "18:30", "v1.2.3", "192.168.0.1", "ana@example.com", "example.com"),
    "en-fox": ('"brown fox jumps"', "“quick brown fox”", "„lazy dog“", '"over the lazy dog'),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "query"), [(name, query) for name, queries in FOUND.items() for query in queries])
def test_a_word_as_typed_finds_its_note_first(notes: SearchPlace, name: str, query: str) -> None:
    hits = notes.search(query).hits
    assert hits and hits[0].path == f"knowledge/reference/{name}.md" and hits[0].bm25 == 1


@pytest.mark.parametrize(
    ("query", "with_them", "without"),
    [
        ("fox -quick", set(), {"en-fox", "en-brown"}),
        ("brow*", {"en-fox", "en-brown"}, set()),
        ('+"brown fox" lazy', {"en-fox"}, {"en-fox", "en-brown"}),
        ("+C++", {"id-languages"}, {"id-languages"}),
        ("数据库 -迁移", set(), {"zh-plan"}),
        ("session -ses_a1b2", {"id-others"}, {"id-session", "id-others"}),
    ],
)
def test_d10_signs_are_operators_only_when_asked_for(
    notes: SearchPlace, query: str, with_them: set[str], without: set[str]
) -> None:
    def names(*, operators: bool) -> set[str]:
        return {path.split("/")[-1][:-3] for path in notes.paths(query, operators=operators)}

    assert names(operators=True) == with_them
    assert names(operators=False) >= without
