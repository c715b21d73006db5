"""What a line says of itself in any form is an item, and one of high confidence or "promote" is promoted (B26)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.flush.items import FlushCategory, FlushItem, FlushSession
from engine.flush.promotions import extract
from engine.flush.stated_lines import stated_lines
from tests.engine.flush.spoken import spoken

PROMOTED = (
    ("| Fact | Source | Confidence |\n|---|---|---|\n| Pump two leaks | log | 0.9 |", "Pump two leaks"),
    ("| # | Decision | Rationale |\n|--|--|--|\n| 1 | ship on Tuesdays | cheaper |", "ship on Tuesdays"),
    ("| 事实 | 置信度 |\n|---|---|\n| 五号泵装反了 | 0.9 |", "五号泵装反了"),
    ("[0.9] The kiln takes 4 hours to cool.", "The kiln takes 4 hours"),
    ("Confidence 0.9: the lift carries 8 people", "the lift carries 8 people"),
    ("High confidence: the gate code changed", "the gate code changed"),
    ("- 90 % sure: the leak is in bay 3", "the leak is in bay 3"),
    ("Fact (0.9): the shelf holds 80 kg", "the shelf holds 80 kg"),
    ("Fact [high]: the north door sticks", "the north door sticks"),
    ("Fact: the south door sticks (high)", "the south door sticks"),
    ("FACT-012 | the west door sticks | 4 of 5", "the west door sticks"),
    ("- fact: the mill has two stones\n  confidence: 0.9\n  source: tour", "the mill has two stones"),
    ("**Facts learned**\n1. The van seats nine (confidence: high)", "The van seats nine"),
    ("Decision:\nThe bell rings at noon.\nReason: lunch", "The bell rings at noon."),
    ("## Decision: the bell rings at one\nReason: lunch", "the bell rings at one"),
    ("## Decisions\n### Storage\n- keep the queue in Redis because it is there", "keep the queue in Redis"),
    ("Decision — the kiosk closes on Mondays, because nobody comes", "the kiosk closes on Mondays"),
    ("DECISION #4: the attic stays open because of the cat", "the attic stays open"),
    ("[HIGH] Decision (final): the loft stays open because of the owl", "the loft stays open"),
    ("Tests pass. **Decision:** keep the pier because it holds", "keep the pier"),
    ("[PROMOTE] The crane lifts 3 t.", "The crane lifts 3 t."),
    ("Promote to MEMORY.md:\n- the jack lifts 2 t", "the jack lifts 2 t"),
    ("[curate] The saw needs oil.", "The saw needs oil."),
    ("[CURATE]\n\nThe forge needs coke.", "The forge needs coke."),
    ("[CURATE]\n\n- The anvil weighs 90 kg\n- the tongs too\n\nElse", "- the tongs too"),
    ("Entscheidung (endgültig): Das Lager zieht um, weil die Miete steigt", "Das Lager zieht um"),
    ("Decisione: si chiude il lunedì perché non viene nessuno", "si chiude il lunedì"),
    ("Fatto: il forno 2 perde. Confidenza: 0,9", "il forno 2 perde"),
    ("Decisão: fechamos às segundas porque ninguém vem", "fechamos às segundas"),
    ("Fato: a grua 2 está parada. Confiança: 90 %", "a grua 2 está parada"),
    ("決定：月曜は休みにする。理由：客が来ない", "月曜は休みにする"),
    ("事実：二号炉は遅い（確信度：0.9）", "二号炉は遅い"),
)
KEPT = (
    ("| Setting | Old | New |\n|---|---|---|\n| `pool.size` | 4 | 12 |", "`pool.size`, 4, 12"),
    ("| Point | Priority |\n|---|---|\n| hatch 3 jams | HIGH |", "hatch 3 jams"),
    ("[HIGH] The boiler valve must be opened first.", "The boiler valve"),
    ("CRITICAL: never open hatch 4", "never open hatch 4"),
    ("Hatch 7 is welded shut. (priority: high)", "Hatch 7 is welded shut."),
    ("- Hatch 8 opens inwards | Priority: HIGH", "Hatch 8 opens inwards"),
    ("Important : le four 3 fuit", "le four 3 fuit"),
    ("【重要】三号泵不能空转", "三号泵不能空转"),
    ("Config changed — mail.port: 25 → 587", "mail.port: 25 → 587"),
    ("Set mail.tls=on in app.ini for good.", "mail.tls=on"),
    ("Lesson learned: the belt tears at -20", "the belt tears"),
    ("Fact: rents may rise (0.3)", "rents may rise"),
    ("Decision (billing): the pond gets a fence", "the pond gets a fence (billing)"),
    ("plan C costs 40k; FYI, confidence: 1 out of 5", "plan C costs 40k"),
)


def items(text: str) -> list[FlushItem]:
    turn = spoken(1, "agent", f"Some words first.\n\n{text}\n\nAnd on we go.")
    return extract(FlushSession(source="/s.jsonl", session="s", turns=(turn,))).items


@pytest.mark.parametrize(("text", "key"), PROMOTED)
def test_b26_what_is_marked_as_lasting_in_any_form_is_promoted(text: str, key: str) -> None:
    assert [item.lasting for item in items(text) if key in item.text] == [True]


@pytest.mark.parametrize(("text", "key"), KEPT)
def test_b26_what_is_marked_in_any_form_is_an_item(text: str, key: str) -> None:
    assert [item.lasting for item in items(text) if key in item.text] == [False]


def test_a_table_of_anything_else_and_the_headings_of_a_document_are_no_items() -> None:
    assert not items("| File | Lines |\n|---|---|\n| a.py | 12 |\n\n## Configuration\n- `a`: the name\n\n## Notes\n- b")
    assert not items("| Task | Priority |\n|---|---|\n| paint | low |")


def test_a_sentence_that_tells_a_setting_keeps_its_other_words() -> None:
    said = stated_lines(["I set `mail.wait` to `30s`; Malik has that key."], (), ())
    assert [one.text for _, one in said.items] == ["mail.wait = 30s"] and "Malik" in said.left[0]


def test_each_line_of_code_that_is_not_taken_is_counted() -> None:
    assert stated_lines(["```", "a", "b", "```", "Decision: c", "```", "d", "```"], {2, 4}, ()).code == 6


def test_what_the_judge_hears_of_a_lesson_is_the_judges() -> None:
    line = "Lesson: never glue the gasket."
    assert stated_lines([line], (), {0}).left == [line] and stated_lines([line], (), ()).items


@given(st.text(alphabet="|- \n#*[]():.ab0Decision factHIGH", max_size=200))
def test_every_line_is_an_items_or_left(text: str) -> None:
    lines = text.split("\n")
    said = stated_lines(lines, (), ())
    whole = " ".join([*said.left, *(f"{one.text} {one.rationale} {one.source}" for _, one in said.items)])
    dropped = {"a", "b"} & {word for line in lines for word in line.split()} - set(whole.split())
    assert not dropped or said.code or "|" in text, (dropped, said)
    assert all(one.category in FlushCategory for _, one in said.items)
