"""Where sentences end, in five languages, and that nothing makes it slow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        (
            "We met Dr. Smith at 3.30 p.m. yesterday. He was fine.",
            ["We met Dr. Smith at 3.30 p.m. yesterday.", "He was fine."],
        ),
        (
            "Am 3. Mai kam z. B. Herr Müller. Gut so. Über alles.",
            ["Am 3. Mai kam z. B. Herr Müller.", "Gut so.", "Über alles."],
        ),
        (
            "Der Lauf dauerte 41 Minuten statt bisher 95. Jana prüft am 31. Mai die Summen.",
            ["Der Lauf dauerte 41 Minuten statt bisher 95.", "Jana prüft am 31. Mai die Summen."],
        ),
        ("Das kostet ca. 20 Euro bzw. Dollar. Ende.", ["Das kostet ca. 20 Euro bzw. Dollar.", "Ende."]),
        ("今天去了。很好！“真的吗？”他说。", ["今天去了。", "很好！", "“真的吗？”", "他说。"]),
        ("できました。次は来週です。", ["できました。", "次は来週です。"]),
        ("이것은 문장입니다. 다음 문장입니다.", ["이것은 문장입니다.", "다음 문장입니다."]),
        ("完成了！Then English. 最后", ["完成了！", "Then English.", "最后"]),
        ('He said "Stop." Then he left (quietly.) Done', ['He said "Stop."', "Then he left (quietly.)", "Done"]),
        ("version 2.5 of config.yaml is out. see also x", ["version 2.5 of config.yaml is out. see also x"]),
        ("领先一个版本。`ROADMAP.md` 无需更新。下周再看。", ["领先一个版本。`ROADMAP.md` 无需更新。", "下周再看。"]),
        ("It prints `done. Next` at the end. Then it stops.", ["It prints `done. Next` at the end.", "Then it stops."]),
        ("no end", ["no end"]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet=st.one_of(st.sampled_from(".!?。！？ aA\"')…3中ä"), st.characters(exclude_characters="\n"))))
def test_sentences_are_slices_in_order_that_lose_only_blanks(text: str) -> None:
    at = 0
    for sentence in sentences(text.strip()):
        found = text.find(sentence, at)
        assert found >= 0
        assert not text[at:found].strip()
        at = found + len(sentence)
    assert not text[at:].strip()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("unit", [".", "。", "!)", "A. ", ". ", "…", "? ", "a.", "。a", ".\u3000", "z. B. "])
@pytest.mark.timeout(60)
def test_long_runs_take_linear_time(unit: str) -> None:
    """A tenth of a second each; a quadratic pattern runs into the time limit."""
    text = (unit * 250_000).strip()
    assert "".join(sentences(text)).replace(" ", "") == text.replace(" ", "").replace("\u3000", "")
