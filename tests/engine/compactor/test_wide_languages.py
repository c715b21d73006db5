"""Notes in Chinese, Japanese and Korean: facts, lessons and lead-ins are found as in the other languages."""

import pytest

from engine.compactor.extraction.durability import statement
from engine.compactor.semantic.entry import valid_entries
from engine.compactor.semantic.pollution import line_pollution
from engine.models.facts import LEAST, fact_weight
from engine.models.labels import heading_role
from engine.plans.plan import Append, Create
from tests.engine.compactor import wide_lines
from tests.engine.compactor.workspace import Workspace, days_ago
from tests.engine.models.notes import summarise

FACTS = """\
我非常喜欢户外活动，尤其是去探险。
我对花生过敏，所以从不吃花生酱。
我的妹妹叫小雨，住在杭州。
我每天早上六点半跑步五公里。
我上个月搬到了浦东新区张杨路88号。
我的生日是5月20日。
我不喝咖啡，只喝绿茶。
我老公是医生，在第一人民医院工作。
我们家养了两只猫，叫豆豆和米粒。
请以后用简短的话回答我。
私はピーナッツアレルギーです。
妹の名前はさくらで、大阪に住んでいます。
毎朝六時半に五キロ走っています。
先月、港区二丁目に引っ越しました。
誕生日は5月20日です。
コーヒーは飲まず、緑茶だけを飲みます。
夫は医者で、中央病院に勤めています。
猫を二匹飼っていて、名前はモモとソラです。
これからは短く答えてください。
私は窓側の席が好きです。
저는 땅콩 알레르기가 있어요.
제 여동생 이름은 수진이고 부산에 살아요.
저는 매일 아침 6시 반에 5킬로를 뛰어요.
지난달에 마포구로 이사했어요.
제 생일은 5월 20일이에요.
커피는 안 마시고 녹차만 마셔요.
남편은 의사이고 중앙병원에서 일해요.
고양이 두 마리를 키우는데 이름은 모모와 솔이에요.
앞으로는 짧게 대답해 주세요.
저는 창가 자리를 좋아해요.
"""
NO_FACTS = """\
我想去新西兰旅行。
你有什么好的建议吗？
今天天气真好。
这是一个好主意。
我正在考虑换一份工作。
我觉得很有意思。
ニュージーランドに行きたいです。
おすすめはありますか。
今日はいい天気ですね。
それはいい考えですね。
転職を考えています。
とても面白いと思います。
뉴질랜드에 가고 싶어요.
추천해 줄 수 있어요?
오늘 날씨가 정말 좋네요.
좋은 생각이에요.
이직을 고민하고 있어요.
정말 재미있다고 생각해요.
"""
HEADINGS = {
    "insight": """\
教训总结, 今日教训, 经验教训, 心得体会, 学到的, 踩坑记录, 复盘, 反思与改进
注意事项, 今日の学び, 学んだこと, 得られた教訓, 気づいたこと, 反省点, 振り返り
注意点, ハマりどころ, 배운 점, 오늘의 교훈, 깨달은 점, 회고, 느낀점, 주의 사항
주의할 점, 시행착오""",
    "decision": """\
今日决定, 技术选型, 决定事项, 決定したこと, 合意事項, 結論と決定, 방침, 결정된 사항
합의 내용""",
    "outcome": """\
今日完成, 进展情况, 完了したこと, 成果, 완료한 일, 진행 상황, 결과""",
    "open": """\
待办事项, 下一步计划, 遗留问题, やること, 次にやること, 残課題, 할 일, 남은 일
미해결""",
}
TITLES = [
    (title.strip(), role)
    for role, table in HEADINGS.items()
    for title in table.replace("\n", ",").split(",")
    if title.strip()
]
LEAD_INS = """\
关键教训：先备份再迁移
经验之谈：先备份再迁移
一句话总结：先备份
今天的教训：先备份再迁移
学到：先备份再迁移
根因：超时太短
重要な教訓：先に複製する
今日の学び：先に複製する
根本原因：期限が短い
学んだこと：先に複製する
気づき：先に複製する
핵심 교훈: 먼저 백업한다
오늘의 교훈: 먼저 백업한다
배운 것: 먼저 백업한다
근본 원인: 시간 제한
깨달음: 먼저 백업한다
중요: 먼저 백업한다
"""
"""Each is a lead-in, a colon, and the statement."""
_ZH = """\
# 2026-01-05

## 今日完成

- 把订单服务迁移到新的集群，停机四分钟。

## 决定事项

- 我们决定继续使用 Postgres，因为团队熟悉它。

## 踩坑记录

- 关键教训：迁移之前必须先重建索引，否则锁会超时。

## 其他

- 我对花生过敏，所以从不吃花生酱。
"""
_JA = """\
# 2026-01-05

## 完了したこと

- 注文サービスを新しいクラスタへ移し、停止は四分だった。

## 決定事項

- チームが慣れているため、Postgres を使い続けることに決めた。

## ハマりどころ

- 重要な教訓：移行の前に必ず索引を作り直す。しないとロックが切れる。

## その他

- 妹のさくらはピーナッツアレルギーです。
"""
_KO = """\
# 2026-01-05

## 완료한 일

- 주문 서비스를 새 클러스터로 옮겼고 중단은 4분이었다.

## 합의 내용

- 팀이 익숙하기 때문에 Postgres를 계속 쓰기로 결정했다.

## 시행착오

- 핵심 교훈: 이전하기 전에 반드시 색인을 다시 만든다. 그러지 않으면 잠금이 풀린다.

## 기타

- 제 여동생 수진은 땅콩 알레르기가 있어요.
"""
NOTES = {
    "zh": (_ZH, "决定继续使用 Postgres", "迁移之前必须先重建索引", "花生过敏"),
    "ja": (_JA, "使い続けることに決めた", "移行の前に必ず索引を作り直す", "ピーナッツアレルギー"),
    "ko": (_KO, "계속 쓰기로 결정했다", "이전하기 전에 반드시 색인을 다시 만든다", "땅콩 알레르기"),
}


@pytest.mark.parametrize("sentence", FACTS.splitlines())
def test_what_somebody_states_is_a_fact(sentence: str) -> None:
    assert fact_weight(sentence) >= LEAST


@pytest.mark.parametrize("sentence", NO_FACTS.splitlines())
def test_wishes_questions_and_talk_are_none(sentence: str) -> None:
    assert fact_weight(sentence) < LEAST


@pytest.mark.parametrize(("title", "role"), TITLES)
def test_headings_are_known(title: str, role: str) -> None:
    assert heading_role(title) == role


@pytest.mark.parametrize("line", LEAD_INS.splitlines())
def test_lead_ins_come_off(line: str) -> None:
    assert statement(line) == line.replace("：", ":").partition(":")[2].strip()


@pytest.mark.parametrize(("note", "decision", "lesson", "fact"), NOTES.values(), ids=NOTES)
def test_a_note_is_summed_up_by_its_sections(note: str, decision: str, lesson: str, fact: str) -> None:
    summary = summarise(note)
    assert any(decision in point.text for point in summary.decisions)
    assert any(lesson in point.text for point in summary.insights)
    assert any(fact in point.text for point in (*summary.facts, *summary.events))


@pytest.mark.parametrize(("note", "decision", "lesson", "fact"), NOTES.values(), ids=NOTES)
def test_its_lesson_and_its_fact_become_entries(note: str, decision: str, lesson: str, fact: str) -> None:
    space = Workspace({f"memory/episodic/{days_ago(40)}.md": note})
    plan = space.planned()
    texts = [one.content for one in plan.changes if isinstance(one, Append | Create) and "/semantic/" in one.path]
    entries = [entry for text in texts for entry in valid_entries(text)]
    assert any(entry.insight.startswith(lesson) for entry in entries)
    assert all(len(entry.title) <= 40 and "教训" not in entry.title for entry in entries)


def test_bad_lines_are_caught_and_good_ones_are_not() -> None:
    bad = (wide_lines.BAD_SEEN + wide_lines.BAD_UNSEEN).splitlines()
    good = (wide_lines.GOOD_SEEN + wide_lines.GOOD_UNSEEN).splitlines()
    passed = [line for line in bad if not line_pollution(line, 1)]
    assert len(passed) <= len(bad) // 20, passed
    assert [line for line in good if line_pollution(line, 1)] == []
    assert not [line for line in wide_lines.BAD_UNSEEN.splitlines()[::2] if not line_pollution(line, 1)]
