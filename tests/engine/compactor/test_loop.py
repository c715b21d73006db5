"""Half a year of a busy agent, every plan approved: the loop never ends in a wall (decisions A24, A25)."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import pairwise

import msgspec
import pytest

from engine.compactor.limits.thresholds import band_of
from engine.compactor.options import DEFAULT_SHARD, CompactRequest
from engine.compactor.semantic.entry import valid_entries
from engine.compactor.semantic.shard_topics import NEUTRAL_NAME
from engine.compactor.semantic.topic_words import WHOLE, name_stems, topic_words
from engine.plans.memory_status import SemanticBand
from engine.plans.operation import Rename, Write
from engine.plans.plan import Create, Plan, RiskTier
from engine.plans.planning import PlanOutcome
from engine.plans.policy.values import SemanticLimits
from engine.plans.prediction import predict
from engine.text.canonical_json import sha256_hex
from engine.workspace.layout import SEMANTIC_INDEX
from tests.engine.compactor.workspace import EXACT, NOW, WORDS, Workspace
from tests.turn import TURN, is_drawn

WEEKS, NOTES, ENTRIES = 26, 40, 10
FEWEST_SHARDS = 8
SEED = 3
"""Of other agents one week in thirty or so has a shard at risk while an entry waits."""
NEUTRAL = re.compile(rf"memory/semantic/{NEUTRAL_NAME}(-\d+)?\.md")
"""The name of a shard whose entries share nothing."""
MOST_APPROVALS, MOST_TYPED, LONGEST_WAIT = 2, 8, 2
"""A week, in all, and in weeks (decisions A30, A31)."""
LIMITS = SemanticLimits()
RULES = (
    "Always check the {one} before the {two}, because {why}",
    "The {one} must never overlap the {two}, since {why}",
    "Keep the {two} apart from the {one} so that {why}",
    "Never change the {one} without the {two}, because {why}",
    "A {one} that has no {two} is not done, because {why}",
    "Document each {one} beside its {two}, since {why}",
)
REASONS = (
    "a restore took twelve hours last spring",
    "two jobs then write the same row and one is lost",
    "nobody saw the failure until a customer asked",
    "the provider throttles us for an hour afterwards",
    "the audit asks for both of them",
    "a rollback is impossible from there on",
)
TOPICS = {
    "backup": ("snapshot", "retention", "restore drill", "offsite copy", "checksum"),
    "migration": ("schema", "lock timeout", "replica", "rollback script", "column"),
    "telegram": ("bot", "poller", "keyboard", "message length", "webhook"),
    "invoice": ("number", "tax rate", "currency", "payment date", "reminder"),
    "deploy": ("canary", "feature flag", "health check", "release note", "rollout"),
    "calendar": ("time zone", "recurrence", "attendee", "holiday", "slot"),
    "vault": ("signing key", "token", "seal", "lease", "policy file"),
    "queue": ("worker", "dead letter", "depth", "retry", "consumer"),
    "newsletter": ("subject line", "bounce", "unsubscribe link", "segment", "draft"),
    "translation": ("glossary", "plural form", "locale", "placeholder", "reviewer"),
}


class Tongue(msgspec.Struct, frozen=True):
    """What an agent writes its lessons of: the forms of a rule, reasons, and topics with what belongs to them."""

    rules: tuple[str, ...]
    reasons: tuple[str, ...]
    topics: Mapping[str, tuple[str, ...]]
    troubles: tuple[str, ...] = ()
    """Nouns of the reasons that are topics as well, such as an outage."""

    def nouns(self) -> set[str]:
        """The stems by which a shard may be named."""
        said = (" ".join((topic, *nouns)) for topic, nouns in self.topics.items())
        return {word.stem for text in (*said, *self.troubles) for word in topic_words(text) if word.weight >= WHOLE}

    def lessons(self, draw: random.Random) -> Iterator[str]:
        """Lessons of one topic after the other, as a busy agent writes them: some weeks are about few topics."""
        while True:
            topics = draw.sample(sorted(self.topics), draw.choice((2, 4, len(self.topics))))
            for _ in range(ENTRIES):
                topic = draw.choice(topics)
                two = draw.choice(self.topics[topic])
                one = draw.choice((topic, f"{topic} {draw.choice(self.topics[topic])}"))
                rule = draw.choice(self.rules).format(one=one, two=two, why=draw.choice(self.reasons))
                yield f"{rule} (case {draw.randrange(10**6)})"


TONGUES = {
    "en": Tongue(RULES, REASONS, TOPICS),
    "de": Tongue(
        (
            "Prüfe immer zuerst das Thema {one} und dann {two}, weil {why}",
            "{one} darf nie ohne {two} geändert werden, weil {why}",
            "Dokumentiere {one} neben {two}, weil {why}",
        ),
        ("eine Rückkehr zwölf Stunden dauerte", "zwei Läufe dieselbe Zeile schreiben", "niemand die Störung sah"),
        {
            "Sicherung": ("Abbild", "Aufbewahrung", "Prüfsumme", "Außenlager"),
            "Umzug": ("Schema", "Sperrzeit", "Replikat", "Spalte"),
            "Rechnung": ("Steuersatz", "Währung", "Zahlungsziel", "Mahnung"),
            "Kalender": ("Zeitzone", "Feiertag", "Teilnehmer", "Terminserie"),
            "Tresor": ("Schlüssel", "Siegel", "Richtlinie", "Leihfrist"),
            "Rundbrief": ("Betreff", "Abmeldung", "Entwurf", "Empfänger"),
        },
        ("Störung", "Läufe", "Rückkehr", "Zeile"),
    ),
    "zh": Tongue(
        (
            "修改{one}之前必须先检查{two}，因为{why}",
            "{one}绝不能和{two}同时运行，因为{why}",
            "每个{one}都要记录{two}，因为{why}",
        ),
        ("去年恢复花了十二个小时", "两个作业会写同一行", "没有人看到故障"),
        {
            "备份": ("快照", "保留期", "校验和", "异地副本"),
            "迁移": ("表结构", "锁超时", "副本", "字段"),
            "发票": ("税率", "币种", "付款日", "催款单"),
            "日历": ("时区", "节假日", "参会人", "重复日程"),
            "密钥": ("令牌", "封条", "策略文件", "租期"),
            "邮件": ("主题行", "退订链接", "草稿", "收件人"),
        },
        ("恢复", "作业", "故障"),
    ),
    "ja": Tongue(
        (
            "{one}を変える前に必ず{two}を確認する。{why}からだ",
            "{one}は決して{two}と同時に動かさない。{why}からだ",
            "{one}ごとに必ず{two}を記録する。{why}からだ",
        ),
        ("復旧に十二時間かかった", "二つの処理が同じ行に書く", "誰も障害に気づかなかった"),
        {
            "バックアップ": ("スナップショット", "保存期間", "チェックサム", "遠隔地"),
            "移行": ("スキーマ", "ロック時間", "レプリカ", "列名"),
            "請求書": ("税率", "通貨", "支払日", "督促状"),
            "カレンダー": ("時間帯", "祝日", "参加者", "定期予定"),
            "暗号鍵": ("トークン", "封印", "方針書", "貸出期限"),
            "メール": ("件名", "配信停止", "下書き", "宛先"),
        },
        ("復旧", "障害"),
    ),
    "ko": Tongue(
        (
            "{one} 변경 전에는 반드시 {two} 확인이 필요하다, {why} 때문이다",
            "{one} 작업은 절대 {two} 작업과 겹치지 않는다, {why} 때문이다",
        ),
        ("복구에 열두 시간이 걸렸기", "두 작업이 같은 줄에 쓰기", "아무도 장애를 보지 못했기"),
        {
            "백업": ("스냅샷", "보존기간", "체크섬", "원격사본"),
            "이전": ("스키마", "잠금시간", "복제본", "열이름"),
            "청구서": ("세율", "통화", "지급일", "독촉장"),
            "일정표": ("시간대", "공휴일", "참석자", "반복일정"),
            "암호키": ("토큰", "봉인", "정책파일", "대여기한"),
            "소식지": ("제목줄", "수신거부", "초안", "수신자"),
        },
        ("복구", "장애"),
    ),
}


class Agent:
    """A workspace over the weeks: the agent writes notes, the operator approves what the scheduled run plans."""

    def __init__(self, seed: int, *, sharding_first: bool = True, tongue: str = "en") -> None:
        self.draw = random.Random(seed)
        self.tongue = TONGUES[tongue]
        self.lessons = self.tongue.lessons(self.draw)
        self.shop = Workspace(tokens=WORDS if tongue in ("en", "de") else EXACT)
        self.sharding_first = sharding_first
        self.approvals: list[int] = []
        self.typed = self.stale = self.moved = 0
        """Plans for which APPROVED is typed, plans made stale by another of their run, and entries that were moved."""
        self.waits: Counter[str] = Counter()
        self.longest_wait = 0
        self.lessons_by_week: list[list[str]] = []
        self.shard_names: set[str] = set()
        self.bands: list[Counter[SemanticBand]] = []
        self.ended_high: list[set[str]] = []
        """The shards above the risk line as each week ends."""
        self.at_risk: set[str] = set()
        """Shards above the risk line as the week begins: an approved sharding cuts each of them."""

    def week(self, number: int) -> None:
        """Writes a week's notes, then approves a sharding and a compaction; where one makes the other stale, anew."""
        now = NOW + timedelta(weeks=number)
        self._write_notes(now)
        self.approvals.append(0)
        self.at_risk = self.above_risk()
        done: set[str] = set()
        for _ in range(2):
            plans = self._plans(now, scheduled=True)
            for plan in plans if self.sharding_first else plans[::-1]:
                if self._is_fresh(plan) and plan.system not in done:
                    self._apply(plan)
                    done.add(plan.system)
                elif plan.system not in done:
                    self.stale += 1
        waiting = {f"{row['from']} {row['title']}" for row in self._outcome(now, scheduled=False).facts["entries"]}
        self.waits = Counter({entry: self.waits[entry] + 1 for entry in waiting})
        self.longest_wait = max(self.longest_wait, *self.waits.values(), 0)
        self.bands.append(Counter(map(self.band, self.shards())))
        self.ended_high.append(self.above_risk())

    def _write_notes(self, now: datetime) -> None:
        taught = set(self.draw.sample(range(NOTES), ENTRIES))
        self.lessons_by_week.append([])
        for index in range(NOTES):
            day = (now - timedelta(days=index % 7 + 1)).date()
            lines = [f"Went through ticket {self.draw.randrange(10**6)} and closed it."]
            if index in taught:
                self.lessons_by_week[-1].append(next(self.lessons))
                lines.append(f"lesson: {self.lessons_by_week[-1][-1]}")
            self.shop.files[f"memory/working/{day}-{index:02}.md"] = "\n".join(lines).encode()

    def _outcome(self, now: datetime, *, scheduled: bool) -> PlanOutcome:
        return self.shop.plan(now=now, options=CompactRequest(scheduled=scheduled))

    def _plans(self, now: datetime, *, scheduled: bool) -> list[Plan]:
        outcome = self._outcome(now, scheduled=scheduled)
        return [*outcome.also, *filter(None, [outcome.plan])]

    def _is_fresh(self, plan: Plan) -> bool:
        files = self.shop.files
        return all((sha256_hex(files[one.path]) if one.path in files else None) == one.sha256 for one in plan.inputs)

    def _apply(self, plan: Plan) -> None:
        assert all(gate.passed for gate in plan.gates), plan.gates
        prediction = predict(plan, tuple(change.n for change in plan.changes), self.shop.read)
        for effect in prediction.effects:
            match effect:
                case Write(path=path, after=after):
                    self.shop.files[path] = prediction.contents[after]
                case Rename(path=path):
                    # What is in the archive is never looked at again; counting its tokens would take most of the time.
                    del self.shop.files[path]
        self.approvals[-1] += 1
        self.typed += plan.risk_tier is RiskTier.C
        made = {c.path for c in plan.changes if isinstance(c, Create) and c.path.startswith("memory/semantic/")}
        made -= {SEMANTIC_INDEX}
        self.shard_names |= made - {DEFAULT_SHARD}
        if plan.system == "shard":
            assert {self.band(path) for path in made} == {SemanticBand.OK}
            assert not self.at_risk & self.above_risk(), "a sharding leaves no shard at risk that stood there before it"
            self.moved += sum(change.content.count("Title: ") for change in plan.changes if isinstance(change, Create))

    def band(self, path: str) -> SemanticBand:
        return band_of(self.shop.tokens.count(self.shop.files[path].decode()), LIMITS)

    def above_risk(self) -> set[str]:
        return {path for path in self.shards() if self.band(path) in (SemanticBand.RISK, SemanticBand.BLOCKED)}

    def shards(self) -> dict[str, str]:
        return {
            path: data.decode()
            for path, data in self.shop.files.items()
            if path.startswith("memory/semantic/") and path != SEMANTIC_INDEX
        }


def stems(text: str) -> set[str]:
    return {word.stem for word in topic_words(text)}


def check(agent: Agent) -> None:
    """Checks that the loop goes on: few approvals, no wall, and every lesson that is due stands once."""
    assert max(agent.approvals) <= MOST_APPROVALS
    assert agent.typed <= MOST_TYPED and (agent.stale, agent.moved) == (0, 0)
    assert agent.longest_wait <= LONGEST_WAIT
    check_bands(agent)
    insights = Counter(entry.insight for text in agent.shards().values() for entry in valid_entries(text))
    # Episodic files are reviewed after 30 days: what was taught in the last five weeks is not due yet.
    due = len(agent.lessons_by_week) - 5 - LONGEST_WAIT
    taught = {text for week in agent.lessons_by_week[:due] for text in week}
    assert taught <= insights.keys() and set(insights.values()) == {1}
    assert len(agent.shard_names) >= FEWEST_SHARDS


def check_bands(agent: Agent) -> None:
    """Checks that each shard is in its band: ten long entries may take one above the risk line, for a week."""
    high = [week for week, paths in enumerate(agent.ended_high) if paths]
    assert not [week for week, bands in enumerate(agent.bands) if bands[SemanticBand.BLOCKED]]
    assert not [paths for before, paths in pairwise(agent.ended_high) if before & paths], high
    assert 10 * len(high) <= len(agent.bands), f"weeks that end with a shard above the risk line: {high}"


def check_names(agent: Agent) -> None:
    """Checks that the names of the shards say what is in them."""
    shards = agent.shards()
    neutral = {path for path in agent.shard_names if NEUTRAL.fullmatch(path)}
    nouns = agent.tongue.nouns()
    # Two words that stand together name a shard in one, which in Japanese has no blank.
    unclear = [one for one in agent.shard_names - neutral if not (named(one) & nouns or any(n in one for n in nouns))]
    assert 10 * len(unclear) <= len(agent.shard_names), f"a person would not name shards like this: {unclear}"
    assert 4 * len(neutral) <= len(agent.shard_names)
    texts = {path: valid_entries(shards[path]) for path in (agent.shard_names - neutral) & shards.keys()}
    told = [bool(named(path) & stems(f"{one.title} {one.insight}")) for path, of in texts.items() for one in of]
    assert 2 * sum(told) >= len(told), "the entries of a shard speak of what it is named for"


def named(path: str) -> set[str]:
    """The stems of a shard's name in any language, without the number of a name that is taken."""
    return {stem for word in name_stems(path.rpartition("/")[2].removesuffix(".md")) for stem in word}


RUNS = (*((tongue, True) for tongue in TONGUES), ("en", False))
DRAWN = [
    pytest.param(*run, marks=() if is_drawn(number, len(RUNS)) else pytest.mark.soak) for number, run in enumerate(RUNS)
]
"""One of the half years at each commit, `make soak` all of them."""


@pytest.mark.parametrize(("tongue", "sharding_first"), DRAWN)
def test_a24_half_a_year_of_a_busy_agent_never_ends_in_a_wall(tongue: str, sharding_first: bool) -> None:
    """A real agent's shard stood at 1,176 tokens from its sixth week on, and 106 entries waited for ever."""
    agent = Agent(SEED, sharding_first=sharding_first, tongue=tongue)
    for week in range(WEEKS):
        agent.week(week)
    check(agent)
    check_names(agent)


@pytest.mark.soak
@pytest.mark.parametrize("seed", [TURN, TURN + 1000])
@pytest.mark.parametrize("tongue", TONGUES)
def test_a24_two_years_in_any_language_never_end_in_a_wall(tongue: str, seed: int) -> None:
    agent = Agent(seed, tongue=tongue)
    for week in range(4 * WEEKS):
        agent.week(week)
    check(agent)
