"""Which sentences state a decision or an insight, per language, and which only look like one."""

import pytest

from engine.models.cue_matcher import CUES, TABLES, matcher
from engine.models.extractive import ExtractiveSummariser
from engine.models.owners import read_note
from engine.models.sentence_weights import class_of
from engine.models.summary import NoteToSummarise
from tests.engine.models.notes import summarise

DECISIONS = [
    "We decided to keep the old broker for one more month.",
    "The team agreed on a retention of three days.",
    "After the review we chose Redis over Memcached.",
    "We're going with the smaller machine.",
    "We will use one bucket per customer.",
    "The service will no longer accept unsigned uploads.",
    "I'll stay with plain files.",
    "I'll switch to the night train from Monday.",
    "Switched from cron to systemd timers.",
    "Decision: no deploys on Friday.",
    "Support for version 1 was rejected.",
    "Wir haben beschlossen, den Cache abzuschalten.",
    "Das Team hat sich für die kleinere Maschine entschieden.",
    "Wir nutzen künftig nur noch einen Puffer statt zwei.",
    "Entscheidung: keine Auslieferung am Freitag.",
    "我们决定使用新的分词器。",
    "数据库改用 PostgreSQL。",
    "キャッシュを止めることにした。",
    "新しいライブラリを採用した。",
    "로그는 삼 일만 보관하기로 했다.",
    "새 서버를 쓰기로 결정했다.",
]
NO_DECISIONS = [
    "Should we decide on the database now?",
    "We have not decided yet.",
    "It is hard to decide between the two.",
    "Once we decide, the team will be told.",
    "The decision is still pending.",
    "She needs to choose a seat.",
    "I went with my mother to the station.",
    "As I settled into my new home, I faced numerous hurdles.",
    "Wir haben uns noch nicht entschieden.",
    "Wir müssen bis Montag entscheiden.",
    "Ob wir wechseln, ist offen.",
    "还没有决定用哪个数据库。",
    "价值不是由别人的看法来决定的。",
    "Some sides to go with the soup.",
    "I think I'll go with the grilled pineapple.",
    "I think the blue cake would be perfect, and I'll go with vanilla.",
    "We'll probably go with the larger tent.",
    "I usually stick to the classes in the morning.",
    "Now that I've decided on the tool, I need a plan.",
    "I'm glad I made the decision to host the dinner.",
    "I'll use an app to plan my meals.",
    "The tire will no longer inflate.",
    "Ich denke, ich nehme den Kuchen statt der Torte.",
    "是否要更换服务器？",
    "まだ決まっていない。",
    "画面を変えるべきか検討する。",
    "아직 결정하지 않았다.",
    "디스크를 더 사야 할까?",
]
INSIGHTS = [
    "Lesson: a rewrite keeps the tests of what it replaces.",
    "The root cause was a full disk.",
    "We learned that the import is not safe to repeat.",
    "It turned out that the cache was never cleared.",
    "Never deploy on a Friday.",
    "In the future, drain the queue first.",
    "We should not restart the broker by hand in the future.",
    "Plain files are safer than a database here.",
    "Always check the exit code after an upgrade.",
    "Always drain the queue before a restart, otherwise jobs are lost.",
    "Lesson 3: a queue that is not drained loses its jobs.",
    "Die Ursache war ein abgelaufenes Zertifikat.",
    "Merke: erst sichern, dann löschen.",
    "Es stellte sich heraus, dass die Liste leer war.",
    "教训：升级之后要检查任务。",
    "根本原因是磁盘满了。",
    "下次要先备份再升级。",
    "原因は古い証明書だった。",
    "次回からは先にバックアップを取る。",
    "교훈: 알림은 일찍 울려야 한다.",
    "원인은 디스크가 가득 찬 것이었다.",
]
NO_INSIGHTS = [
    "I would like to learn the piano.",
    "The piano lessons start in March.",
    "She is always kind to the guests.",
    "I have never been to Bonn.",
    "Er kommt immer zu spät.",
    "The photos turned out nicely.",
    "Never mind the noise.",
    "I have textbooks that I'll never use again.",
    "It does 32 miles to the gallon, which is better than my old car.",
    "I like being able to upgrade components in the future.",
    "I will always be grateful for the turntables.",
    "I'll give the dough more time to rise next time.",
    "I found out that the property is zoned for farming.",
    "It's exciting to think about what the clinic can do in the future.",
    "But it's definitely on my bucket list for next time.",
    "I'm definitely open to other playlists in the future.",
    "Let's chat again next time.",
    "The cake turned out really well.",
    "我想学习更多的知识。",
    "时间不早了，我们下次再聊吧。",
    "恭喜张伟学会了一道新菜。",
    "那里的景色真的很美，一定要来走一走。",
]


def class_in(sentence: str, before: str = "") -> str:
    reading = read_note(
        NoteToSummarise("n.md", f"{before}{sentence}\n\nSomething else happened.\n\nAnd a third thing too.\n")
    )
    return class_of(reading.candidates[0])


@pytest.mark.parametrize("sentence", DECISIONS)
def test_decisions_are_found(sentence: str) -> None:
    assert class_in(sentence) == "decision"


@pytest.mark.parametrize("sentence", NO_DECISIONS)
def test_open_questions_and_hopes_are_no_decisions(sentence: str) -> None:
    assert class_in(sentence) != "decision"


@pytest.mark.parametrize("sentence", INSIGHTS)
def test_insights_are_found(sentence: str) -> None:
    assert class_in(sentence) == "insight"


@pytest.mark.parametrize("sentence", NO_INSIGHTS)
def test_chat_about_learning_is_no_insight(sentence: str) -> None:
    assert class_in(sentence) == ""


def test_an_assistants_advice_is_neither() -> None:
    assert class_in("Always check the label before you buy.", "assistant: ") == ""
    assert class_in("Always check the label before you buy.", "user: ") == "insight"
    assert class_in("I'll use the night train.", "assistant: ") == ""
    assert class_in("We decided to use the night train.", "assistant: ") == "decision"


def test_each_row_of_the_tables_is_a_pattern_that_can_match() -> None:
    """A row that RE2 refuses would silently never match; a blank one would match all."""
    import re2

    for cue in CUES:
        for row in TABLES.lines(f"cues.{cue}"):
            assert re2.compile(row).search("") is None
    assert matcher().cues("") == frozenset()
    assert matcher().cues("plain words about a bridge") == frozenset()


def test_a_cue_is_a_whole_word_also_beside_an_umlaut() -> None:
    assert "outcome" in matcher().cues("Fertig!")
    assert "outcome" not in matcher().cues("unfertigä")
    assert "outcome" not in matcher().cues("äfertig")


@pytest.mark.parametrize(
    "sentence",
    ["Sure!", "Thanks", "ok, thanks!", "That's really helpful, thanks!", "Thank you so much for your help!",
     "Great idea.", "Alles klar, danke!", "谢谢你的建议！", "好的，谢谢！", "ありがとうございます", "네, 감사합니다."],
)  # fmt: skip
def test_small_talk_never_fills_a_summary(sentence: str) -> None:
    note = NoteToSummarise("n.md", f"- {sentence}\n- The boiler was replaced on 3 May.\n- {sentence}\n")
    reading = read_note(note)
    assert [candidate.text for candidate in reading.candidates] == ["The boiler was replaced on 3 May."]
    assert reading.dropped["small talk"] == 2


def test_a_chat_of_one_fact_is_summed_up_by_it_alone() -> None:
    turns = [
        "user: Hi! How are you today?",
        "assistant: I'm doing great, thanks for asking! How can I help you today?",
        "user: The boiler was replaced on 3 May by the new company.",
        "assistant: That's good to know! Is there anything else I can help you with?",
        "user: No, that's all. Thanks!",
        "assistant: You're welcome! Have a great day!",
    ]
    (summary,) = ExtractiveSummariser().summarise([NoteToSummarise("n.md", "\n".join(turns))], lambda _done, _of: None)
    assert [point.text for point in summary.events] == ["The boiler was replaced on 3 May by the new company."]


@pytest.mark.parametrize(
    "sentence",
    ["Great Expectations was the book of the month.", "Thanks to the new index it takes 3 ms.",
     "Yes, we moved to Bonn.", "Nice is a city in France.", "谢谢李明修好了服务器。", "좋은 결과가 나왔다."],
)  # fmt: skip
def test_what_only_begins_like_small_talk_is_kept(sentence: str) -> None:
    assert [candidate.text for candidate in read_note(NoteToSummarise("n.md", f"{sentence}\n")).candidates] == [
        sentence
    ]


@pytest.mark.parametrize(
    ("key", "first", "second"),
    [
        ("교훈", "알림은 일찍 울려야 합니다.", "회의는 세 시에 열렸습니다."),
        ("Lehre", "Alarme müssen früh genug läuten.", "Das Treffen begann um drei Uhr."),
        ("Lesson", "Alarms have to ring early enough.", "The meeting began at three."),
        ("教训", "警报必须足够早地响起。", "会议在下午三点开始。"),
    ],
)
def test_a_key_speaks_for_the_first_sentence_alone(key: str, first: str, second: str) -> None:
    reading = read_note(NoteToSummarise("n.md", f"{key}: {first} {second}\n"))
    assert [class_of(candidate) for candidate in reading.candidates] == ["insight", ""]


def test_frontmatter_that_never_ends_is_no_sentence() -> None:
    text = "---\ndate: 2026-03-01\ntags:\n  - one\ntitle: A walk along the river\n\nThe bridge was closed on Monday.\n"
    reading = read_note(NoteToSummarise("n.md", text))
    assert [candidate.text for candidate in reading.candidates] == ["The bridge was closed on Monday."]
    assert reading.candidates[0].start == 7 and reading.dropped["metadata line"] == 5
    closed = read_note(
        NoteToSummarise("n.md", "---\nwhere: in the old harbour\n---\nThe bridge was closed on Monday.\n", 1)
    )
    assert len(closed.candidates) == 1, (
        "a line above a rule is a heading: whoever reads the file took its metadata off before"
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "Great, I've noted the rent.",
        "I updated your calendar.",
        "Thank you for your advice, friend.",
        "这是一个好主意，谢谢你的建议。",
        "承知しました。",
        "확인했습니다.",
    ],
)
def test_acknowledgements_are_small_talk(sentence: str) -> None:
    assert "small_talk" in matcher().cues(sentence)


@pytest.mark.parametrize(
    ("asked", "told", "filler"),
    [
        (
            "Do you have any recommendations?",
            'I would recommend "The Hobbit" and "Jane Eyre".',
            "Both of them have been read by a great many people.",
        ),
        ("有什么推荐吗？", "我推荐《三体》和《活着》。", "这两本书有很多人读过。"),
        ("おすすめはありますか。", "『雪国』がおすすめです。", "とても多くの人が読んでいます。"),
        ("추천해 주세요.", "『소나기』를 추천합니다.", "아주 많은 사람이 읽었습니다."),
    ],
)
def test_what_an_assistant_recommends_comes_before_its_other_sentences(asked: str, told: str, filler: str) -> None:
    talk = f"user: {asked}\nassistant: {filler} {told}\n" + "".join(f"user: I walked {n} km.\n" for n in (3, 5))
    assert told in [point.text for point in summarise(talk).events]
