"""Half a year of a busy agent, every plan approved: the loop never ends in a wall (decisions A24, A25)."""

import random
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from engine.compactor.limits.thresholds import band_of
from engine.compactor.options import CompactOptions
from engine.compactor.semantic.entry import valid_entries
from engine.compactor.semantic.topic_words import topic_words
from engine.plans.operation import Rename, Write
from engine.plans.plan import Create, Plan
from engine.plans.policy.values import SemanticLimits
from engine.plans.prediction import predict
from engine.plans.status import PlanOutcome, SemanticBand
from engine.text.canonical_json import sha256_hex
from tests.engine.compactor.workspace import NOW, WORDS, Workspace
from tests.turn import TURN

WEEKS, NOTES, ENTRIES = 26, 40, 10
MOST_APPROVALS, LONGEST_WAIT = 2, 2
"""A week, and in weeks."""
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
NOUNS = {word.stem for topic, nouns in TOPICS.items() for word in topic_words(" ".join((topic, *nouns)))}


def lessons(draw: random.Random) -> Iterator[str]:
    """Lessons of one topic after the other, as a busy agent writes them: some weeks are about few topics."""
    while True:
        topics = draw.sample(sorted(TOPICS), draw.choice((2, 4, len(TOPICS))))
        for _ in range(ENTRIES):
            topic = draw.choice(topics)
            two = draw.choice(TOPICS[topic])
            one = draw.choice((topic, f"{topic} {draw.choice(TOPICS[topic])}"))
            rule = draw.choice(RULES).format(one=one, two=two, why=draw.choice(REASONS))
            yield f"{rule} (case {draw.randrange(10**6)})"


class Agent:
    """A workspace over the weeks: the agent writes notes, the operator approves what the scheduled run plans."""

    def __init__(self, seed: int, *, sharding_first: bool) -> None:
        self.draw = random.Random(seed)
        self.lessons = lessons(self.draw)
        self.shop = Workspace(tokens=WORDS)
        self.sharding_first = sharding_first
        self.approvals: list[int] = []
        self.waits: Counter[str] = Counter()
        self.longest_wait = 0
        self.lessons_by_week: list[list[str]] = []
        self.shard_names: set[str] = set()

    def week(self, number: int) -> None:
        """Writes a week's notes, then approves a sharding and a compaction; where one makes the other stale, anew."""
        now = NOW + timedelta(weeks=number)
        self._write_notes(now)
        self.approvals.append(0)
        done: set[str] = set()
        for _ in range(2):
            plans = self._plans(now, scheduled=True)
            for plan in plans if self.sharding_first else plans[::-1]:
                if self._is_fresh(plan) and plan.system not in done:
                    self._apply(plan)
                    done.add(plan.system)
        waiting = {f"{row['from']} {row['title']}" for row in self._outcome(now, scheduled=False).facts["entries"]}
        self.waits = Counter({entry: self.waits[entry] + 1 for entry in waiting})
        self.longest_wait = max(self.longest_wait, *self.waits.values(), 0)

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
        return self.shop.plan(now=now, options=CompactOptions(scheduled=scheduled))

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
        if plan.system == "shard":
            self.shard_names |= {change.path for change in plan.changes if isinstance(change, Create)}

    def shards(self) -> dict[str, str]:
        return {path: data.decode() for path, data in self.shop.files.items() if path.startswith("memory/semantic/")}


def stems(text: str) -> set[str]:
    return {word.stem for word in topic_words(text)}


@pytest.mark.parametrize("sharding_first", [True, False], ids=["sharding first", "compaction first"])
def test_a24_half_a_year_of_a_busy_agent_never_ends_in_a_wall(sharding_first: bool) -> None:
    """A real agent's shard stood at 1,176 tokens from its sixth week on, and 106 entries waited for ever."""
    agent = Agent(TURN, sharding_first=sharding_first)
    for week in range(WEEKS):
        agent.week(week)
    shards = agent.shards()
    assert max(agent.approvals) <= MOST_APPROVALS
    assert agent.longest_wait <= LONGEST_WAIT
    assert not [path for path, text in shards.items() if band_of(WORDS.count(text), LIMITS) is SemanticBand.BLOCKED]
    entries = [entry for text in shards.values() for entry in valid_entries(text)]
    insights = Counter(entry.insight for entry in entries)
    # Episodic files are reviewed after 30 days: what was taught in the last five weeks is not due yet.
    taught = {text for week in agent.lessons_by_week[: WEEKS - 5 - LONGEST_WAIT] for text in week}
    assert taught <= insights.keys() and set(insights.values()) == {1}
    assert len(agent.shard_names) >= 8
    unclear = [path for path in agent.shard_names if not stems(path.rpartition("/")[2].removesuffix(".md")) & NOUNS]
    assert len(unclear) <= len(agent.shard_names) // 10, f"a person would not name shards like this: {unclear}"
    for path in agent.shard_names & shards.keys():
        named = stems(path.rpartition("/")[2].removesuffix(".md"))
        about = [entry for entry in valid_entries(shards[path]) if named & stems(f"{entry.title} {entry.insight}")]
        assert 2 * len(about) >= len(valid_entries(shards[path])), path
