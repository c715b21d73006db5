"""Notes of an agent in five languages, written for these tests, and the shortest way to summarise one."""

from engine.models.extractive import ExtractiveSummariser
from engine.models.summary import NoteToSummarise, Summary

ENGLISH = """\
# Payment queue, Tuesday

The payment queue stopped at 09:14 because the broker ran out of disk. Marta noticed it when 40 orders had no receipt.

## What we did
- Moved the old segments to the archive bucket, which freed 18 GB.
- Restarted the broker; the backlog of 1,312 messages was worked off in six minutes.
- Should we decide on a bigger disk now?
- ok, thanks!

## Decisions
- Keep segments for three days instead of fourteen, because nobody replays older ones.
- Alert at 70 % of the disk.

## Lessons
- Root cause: the retention job had failed silently since the upgrade.
- Always check the exit code of a scheduled job after an upgrade.
"""

GERMAN = """\
# Umzug des Servers

Am 3. Mai wurde der Server der Bücherei umgezogen. Der Umzug dauerte zwei Stunden länger als geplant.

## Ablauf
- Die Datenbank wurde um 06:10 angehalten und auf die neue Maschine kopiert.
- Beim ersten Start fehlte ein Zertifikat, danach lief alles.
- Sollten wir den alten Server sofort abschalten?

## Entscheidungen
- Wir haben beschlossen, den alten Server noch vier Wochen laufen zu lassen.

## Erkenntnisse
- Die Ursache war eine Liste, die seit Jahren niemand gepflegt hatte.
"""

CHINESE = """\
# 周会记录

今天我们检查了图书馆的搜索服务。搜索在早上八点变慢，平均要四秒。

- 小林发现索引没有更新，因为夜里的任务失败了。
- 我们决定使用新的分词器，因为旧的分词器不认识书名。
- 是否要更换服务器？
- 教训：每次升级之后都要检查夜里的任务。
- 修复之后搜索只要两百毫秒。
"""

JAPANESE = """\
# 作業メモ

今日は図書館の予約システムを調べた。予約の確認メールが届かない問題があった。

- 原因は古い証明書で、昨日期限が切れていた。
- 証明書を更新し、三百通のメールを再送した。
- 更新を自動にすることにした。
- 予約の画面を変えるべきか？
- 今後は期限の一か月前に必ず通知を出す。
"""

KOREAN = """\
# 회의록

오늘 도서관 대출 시스템을 점검했다. 아침 여덟 시에 반납 처리가 멈췄다.

- 원인은 디스크가 가득 찬 것이었다.
- 오래된 로그를 옮겨서 40GB를 비웠다.
- 로그는 삼 일만 보관하기로 했다.
- 디스크를 더 사야 할까?
- 교훈: 알림은 70%에서 울려야 한다.
"""

ALL = {"en": ENGLISH, "de": GERMAN, "zh": CHINESE, "ja": JAPANESE, "ko": KOREAN}


def no_tick(done: int, total: int) -> None:
    """Nobody watches."""


def summarise(text: str, first_line: int = 1) -> Summary:
    """The summary of one note by itself."""
    return ExtractiveSummariser().summarise([NoteToSummarise("note.md", text, first_line)], no_tick)[0]


def events(text: str) -> list[str]:
    return [point.text for point in summarise(text).events]


def decisions(text: str) -> list[str]:
    return [point.text for point in summarise(text).decisions]


def insights(text: str) -> list[str]:
    return [point.text for point in summarise(text).insights]


def everything(text: str) -> str:
    """All that a summary says, for what must not be in it."""
    return "\n".join((*events(text), *decisions(text), *insights(text)))
