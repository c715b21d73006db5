"""What headings, keys and chat labels say."""

import pytest

from engine.models.labels import comes_off, heading_role, key_role, speaker_of


@pytest.mark.parametrize(
    ("title", "role"),
    [
        ("Decisions", "decision"),
        ("2. Key decisions:", "decision"),
        ("Decisions made today", "decision"),
        ("✅ Entscheidungen", "decision"),
        ("决定", "decision"),
        ("決定事項", "decision"),
        ("今の会議で話した決定", "decision"),
        ("今日の会議で話した決定", ""),
        ("결정 사항", "decision"),
        ("Lessons Learned", "insight"),
        ("What we learned today", "insight"),
        ("Erkenntnisse", "insight"),
        ("经验教训", "insight"),
        ("学んだこと", "insight"),
        ("배운 점", "insight"),
        ("Outcome [project]", "outcome"),
        ("Ergebnisse", "outcome"),
        ("Open items", "open"),
        ("待办", "open"),
        ("Deploy of the shop", ""),
        ("A long heading that mentions decisions in passing", ""),
        ("", ""),
        ("123", ""),
    ],
)
def test_headings_in_five_languages(title: str, role: str) -> None:
    assert heading_role(title) == role


def test_keys_must_be_known_whole() -> None:
    assert key_role("decisions") == "decision"
    assert key_role("Lesson 3") == "insight"
    assert key_role("Decisions made today") == ""
    assert comes_off("decision")
    assert comes_off("Outcome")
    assert not comes_off("why")
    assert not comes_off("open")
    assert not comes_off("Farid")


@pytest.mark.parametrize(
    ("name", "speaker"),
    [
        ("User", "user"),
        ("**assistant**", "assistant"),
        ("AI", "assistant"),
        ("用户", "user"),
        ("어시스턴트", "assistant"),
        ("Jo", ""),
    ],
)
def test_speakers(name: str, speaker: str) -> None:
    assert speaker_of(name) == speaker
