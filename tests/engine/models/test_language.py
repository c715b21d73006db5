"""Which of five languages a note is in."""

import pytest

from engine.text.language import language_of
from tests.engine.models.notes import ALL


@pytest.mark.parametrize("language", ALL)
def test_each_language_is_told(language: str) -> None:
    assert language_of(ALL[language]) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "en"),
        ("42 17 8", "en"),
        ("Größe prüfen, wenn der Lauf nicht fertig wird", "de"),
        ("Der Build ist rot und das Team wartet", "de"),
        ("The build is red and the team waits", "en"),
        ("部署 service mesh 之后延迟降低了很多，没有错误", "zh"),
        ("エラーが出たのでログを確認した", "ja"),
        ("漢字仮名交じり文の中のひらがな", "ja"),
        ("API 서버를 다시 시작했다", "ko"),
        ("We call the new service 部署 for now, and it works", "en"),
    ],
)
def test_short_and_mixed_texts(text: str, language: str) -> None:
    assert language_of(text) == language
