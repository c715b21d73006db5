"""The names of shards are nouns that a person would choose, in each language (decision A24)."""

import pytest

from engine.compactor.semantic.pieces import cut
from engine.compactor.semantic.shard_topics import NEUTRAL_NAME, PartSize, divide
from engine.compactor.semantic.topic_words import nouns, topic_words
from tests.engine.compactor.workspace import EXACT

TITLES = {
    "de": (
        ("Die Datenbank darf nie ohne Wartungsfenster umziehen", "Jeder Umbau der Datenbank braucht ein Protokoll",
         "Wir müssen die Datenbank vor jedem Umbau sperren", "Nie direkt in der Datenbank löschen"),
        ("Prüfe immer zuerst das Zertifikat vor dem Neustart",
         "Ein Zertifikat soll dreißig Tage vorher erneuert werden",
         "Ohne Zertifikat antwortet der Dienst nicht", "Das Zertifikat liegt im Tresor"),
        ("Anna möchte den Newsletter am Montag bekommen", "Der Newsletter muss zweisprachig sein",
         "Vor dem Versand den Newsletter an zwei Personen schicken", "Kein Newsletter in den Ferien"),
        {"datenbank", "zertifikat", "newsletter"},
    ),
    "fr": (
        ("Il faut toujours vérifier la sauvegarde avant la mise à jour", "Ne jamais supprimer une sauvegarde récente",
         "La sauvegarde doit être chiffrée", "Une sauvegarde par région est nécessaire"),
        ("Vérifiez le certificat avant chaque redémarrage", "Le certificat ne doit pas expirer en été",
         "Sans certificat le service ne répond plus", "Ne partagez jamais un certificat"),
        ("Les clients préfèrent une facture en français", "Chaque facture doit avoir un numéro unique",
         "On ne peut pas modifier une facture envoyée", "Toujours archiver la facture signée"),
        {"sauvegarde", "certificat", "facture"},
    ),
    "es": (
        ("Siempre hay que comprobar la copia antes de actualizar", "Nunca se debe borrar una copia reciente",
         "La copia tiene que estar cifrada", "Hace falta una copia por cada región"),
        ("El certificado no puede caducar en verano", "Verifica siempre el certificado antes de reiniciar",
         "Sin certificado el servicio no responde", "No compartas nunca un certificado"),
        ("Cada factura debe tener un número único", "No se puede cambiar una factura enviada",
         "Los clientes prefieren la factura en español", "También hay que guardar la factura firmada"),
        {"copia", "certificado", "factura"},
    ),
    "zh": (
        ("数据库迁移之前必须先备份", "绝不能在白天修改数据库", "数据库的密码每个月都要更换",
         "没有审批就不要删除数据库"),
        ("证书到期前三十天需要更新", "重启之前必须检查证书", "没有证书服务就不会响应", "不要和任何人共享证书"),
        ("每个发票都必须有唯一编号", "已经发送的发票不能修改", "客户希望的发票用中文", "发票应该保存十年"),
        {"数据库", "证书", "发票"},
    ),
    "ja": (
        ("データベースを変更する前に必ず通知する", "昼間はデータベースを決して止めない",
         "データベースの暗号は毎月変えるべきだ",
         "承認がなければデータベースを消してはいけない"),
        ("証明書は期限の三十日前に更新する", "再起動の前に証明書を確認しなければならない", "証明書がないと応答しない",
         "証明書を他人に渡さない"),
        ("請求書には必ず番号を付ける", "送った請求書は変更できない", "顧客は請求書を日本語で望んでいる",
         "請求書を十年保存する"),
        {"データベース", "証明書", "請求書"},
    ),
    "ko": (
        ("데이터베이스를 변경하기 전에 반드시 알린다", "낮에는 절대 데이터베이스를 멈추지 않는다",
         "데이터베이스의 암호는 매월 바꿔야 한다", "승인 없이 데이터베이스는 지우면 안 된다"),
        ("인증서는 만료 삼십일 전에 갱신해야 한다", "재시작 전에 인증서를 확인한다", "인증서가 없으면 응답하지 않는다",
         "인증서를 다른 사람과 공유하지 말아야 한다"),
        ("청구서에는 번호가 있어야 한다", "보낸 청구서는 바꿀 수 없다", "고객은 청구서를 한국어로 원한다",
         "청구서는 십년 동안 보관해야 한다"),
        {"데이터베이스", "인증서", "청구서"},
    ),
}  # fmt: skip
"""Titles of three topics in each language, and the nouns that name them."""
NO_TOPICS = {
    "de": ("Das darf nie sein", "Man muss immer zuerst", "Nicht ohne das andere", "Es soll stets so bleiben"),
    "fr": ("Il ne faut jamais", "On doit toujours", "Pas sans les autres", "Ceux qui peuvent doivent"),
    "es": ("Nunca se debe", "Siempre hay que", "No sin los otros", "Cada vez que se puede"),
    "zh": ("绝不能这样", "必须总是这样", "因为没有", "每次都要"),
    "ja": ("必ずする", "決してしない", "そうではない", "そのたびにする"),
    "ko": ("절대 하지 않는다", "반드시 해야 한다", "항상 그렇기 때문이다", "다시 하지 못했다"),
}
BROKEN = {
    "zh": {"绝不", "必须", "不能", "之前", "能在", "据库", "库迁", "没有", "都要"},
    "ja": {"必ず", "に必", "決して", "する", "ータ", "変更する", "明書", "ない"},
    "ko": {"때문", "반드시", "절대", "드시", "않는", "이터", "전에", "없이"},
    "de": {"darf", "nie", "immer", "müssen", "prüfe", "möchte", "umziehen", "löschen", "sperren"},
    "fr": {"doit", "jamais", "faut", "toujours", "vérifiez", "partagez"},
    "es": {"debe", "nunca", "siempre", "puede", "hay", "verifica"},
}
"""Modal verbs, negations and pieces of words."""


def shard_names(titles: tuple[str, ...], heading: str = "") -> set[str]:
    text = f"{heading}\n\n" if heading else ""
    text += "".join(f"Title: {title}\nContext: -\nDurable Insight: {title}.\n\n" for title in titles)
    pieces = cut(text).pieces
    sizes = [EXACT.count(piece.text) for piece in pieces]
    size = PartSize(most=max(sum(sizes) // 2, max(sizes)), keep=max(sizes))
    return {topic.name for topic in divide(pieces, sizes, size, frozenset()).topics}


@pytest.mark.parametrize("tongue", TITLES)
def test_a24_shards_are_named_by_nouns_in_each_language(tongue: str) -> None:
    """Names were `darf.md`, `绝不.md`, `に必.md`, `때문.md`."""
    *topics, names = TITLES[tongue]
    mixed = tuple(title for group in zip(*topics, strict=True) for title in group)
    found = shard_names(mixed)
    assert len(found & names) >= 2 and found <= names, found


@pytest.mark.parametrize("tongue", TITLES)
def test_a24_modal_verbs_negations_and_pieces_of_words_name_nothing(tongue: str) -> None:
    *topics, names = TITLES[tongue]
    found = [set(nouns(title).values()) for group in topics for title in group]
    assert not set().union(*found) & BROKEN[tongue]
    words = [{word.text for word in topic_words(title)} for group in topics for title in group]
    assert all(found & names for found in words), "each title has its topic among its words"


@pytest.mark.parametrize("tongue", NO_TOPICS)
def test_a24_without_a_topic_the_name_is_neutral_or_the_shared_heading(tongue: str) -> None:
    assert shard_names(NO_TOPICS[tongue]) == {NEUTRAL_NAME}
    assert shard_names(NO_TOPICS[tongue], "## Release calendar") == {"release-calendar"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("异地副本的校验和", {"异地副本", "校验和"}),
        ("下書きを送信前に確認する", {"下書き", "送信"}),
        ("전문가가 재평가를 요청", {"전문가", "재평가", "요청"}),
        ("경로로 이동, 서버로", {"경로", "이동", "서버"}),
        ("Server neu starten, Protokoll sichern", {"protokoll"}),
        ("server neu starten", {"server", "neu", "starten"}),
    ],
)
def test_words_are_cut_where_a_reader_would(text: str, found: set[str]) -> None:
    assert set(nouns(text, "de" if text.isascii() else None).values()) == found
