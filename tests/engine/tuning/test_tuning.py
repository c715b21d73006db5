"""What the operator judged becomes a plan on the topic files, and nothing else does (autopoiesis §5.5)."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.plans.plan import Create, Plan, Replace, RiskTier
from engine.plans.planning import Planning, PlanOutcome
from engine.plans.policy.values import Policy
from engine.text.limited_yaml import load
from engine.topics.decision import MatchResult
from engine.topics.decision_log import Useful
from engine.topics.files.exemplars import read_exemplars
from engine.topics.messages import Event, Message
from engine.tuning.edits import AddKeywords, Edit, SetKey, SetPattern, edited, quoted
from engine.tuning.figures import JudgedOutcome, TopicFigures, Trials, crossing, measure_held_back
from engine.tuning.matchers import OfflineMatchers
from engine.tuning.patterns import missing_words, without_one
from engine.tuning.plan import Log, plan_tuning
from engine.tuning.proposals import LEAST_NO, _thresholds
from engine.tuning.questions import JudgedMessage, message_of, questions
from tests.engine.compactor.workspace import WORDS, Workspace
from tests.engine.topics.waking import NOON
from tests.engine.tuning.rig import SmallMatcher, _entry, judged, topic_of
from tests.turn import examples

MAIL = """---
type: topic
triggers:
  - type: pattern
    match: "email|inbox|mail|post"   # what people say
    scope: input
subscriptions:
  - knowledge/procedures/email-workflow.md
activation: gated          # auto | gated | manual
priority: high             # low | medium | high | critical
---

# Email

Sort the mail in the inbox: urgent email first.
"""
GOOD = [(f"sort the mail in the inbox number {n}", True) for n in range(4)]
BAD = [(f"the blog post about bread {n} is out", False) for n in range(4)]


def tuned(log: Log, text: str = MAIL, beside: Mapping[str, str] = {}) -> PlanOutcome:
    space = Workspace({"topics/mail.md": text, "memory/working/2026-03-01-x.md": "a\n", **beside})
    planning = Planning(snapshot=space.snapshot(), policy=Policy(), now=NOON, counter=WORDS)
    return plan_tuning(planning, log=log, matcher_of=SmallMatcher)


def plan_of(outcome: PlanOutcome) -> Plan:
    assert outcome.plan is not None, outcome.report
    return outcome.plan


def content_of(outcome: PlanOutcome) -> str:
    (change,) = (each for each in plan_of(outcome).changes if each.path == "topics/mail.md")
    assert isinstance(change, Replace)
    return change.content


def test_wrong_wakings_narrow_the_topic_and_nothing_else_of_the_file_changes_g14() -> None:
    outcome = tuned(judged("mail", *GOOD, *BAD))
    plan = plan_of(outcome)
    old, new = MAIL.splitlines(), content_of(outcome).splitlines()
    assert len([line for line in new if line not in old]) == 1
    assert plan.risk_tier is RiskTier.C
    assert "precision 50 → 100 %, recall 100 → 100 %" in plan.report
    assert all(gate.passed for gate in plan.gates)
    assert plan.facts["proposals"][0]["after"]["precision"] == "1.000"
    few, expected = plan.changes[0].warnings
    assert few == "only 8 judged messages stand behind it"
    assert expected.startswith("on held-back judgements F1 +") and expected in plan.report
    low, high = plan.facts["proposals"][0]["held_back"]["interval"]
    assert low <= plan.facts["proposals"][0]["held_back"]["change"] <= high and high > 0


def test_a_pattern_loses_the_alternative_that_was_only_ever_wrong() -> None:
    wrong = [(f"post the urgent one first {n}", False) for n in range(4)]
    outcome = tuned(judged("mail", *[(f"mail {n} waits for an answer", True) for n in range(4)], *wrong))
    assert "    match: 'email|inbox|mail'   # what people say" in content_of(outcome)


def test_messages_that_were_missed_add_their_words() -> None:
    missed = [(f"the invoice {name} arrived", True) for name in ("of anna", "by farid", "for jonas")]
    log = judged("mail", *GOOD, *missed, recent=["the bread arrived", "of the day", "by the way the cold"] * 3)
    content = content_of(tuned(log))
    assert "  - type: keywords\n    words: ['invoice']\nsubscriptions:" in content
    assert "recall 57 → 100 %" in plan_of(tuned(log)).report


def test_a_gate_that_always_says_yes_to_what_is_right_is_bypassed() -> None:
    said = [(f"inbox zero nothing shared here {n}", True) for n in range(10)]
    quiet = [(f"bread is in the oven {n}", False) for n in range(LEAST_NO)]
    log = judged("mail", *said, *quiet)
    plan = plan_of(tuned(log))
    assert "activation gated → auto" in plan.report and "topic gate calls 10 → 0" in plan.report
    assert "gated → auto" not in tuned(judged("mail", *said[:6], *quiet)).report
    assert "activation: auto          # auto | gated | manual" in content_of(tuned(log))


def test_nothing_is_proposed_without_a_reason() -> None:
    for log, why in (
        (Log(), "no decision was judged yet"),
        (judged("mail", *GOOD[:2]), "too few judgements"),
        (judged("gone", *GOOD), "no decision was judged yet"),
    ):
        outcome = tuned(log)
        assert outcome.plan is None and why in str(outcome.reason_no_action)


def test_with_yes_alone_the_gate_stays_and_a_few_noes_are_asked_for() -> None:
    said = [(f"inbox zero nothing shared here {n}", True) for n in range(16)]
    recent = ["inbox is full of letters", "my blog post", "what an email", "answer that mail now", "bread box"]
    outcome = tuned(judged("mail", *said, ("post a picture", False), recent=recent))
    assert "gated → auto" not in outcome.report and "priority" not in outcome.report
    assert "memdeck topics tune --judge k:inbox is full of letters mail yes|no|unsure" in outcome.report
    assert "bread" not in outcome.report, "it is no candidate, so its judgement tells nothing"
    plan = plan_of(outcome)
    asked = {one["message"] for one in plan.facts["worth_judging"]}
    assert asked and asked <= {f"k:{text}" for text in recent}


def test_where_nothing_decides_better_the_reason_names_what_to_judge() -> None:
    said = [(f"inbox zero nothing shared here {n}", True) for n in range(2)]
    known = {"topics/_mail.exemplars.md": "".join(f"- {text}\n" for text, _ in said)}
    log = judged(
        "mail", *said, ("bread", False), ("cheese", False), recent=["an email of token sk-ant-api03-" + "a1B2" * 20]
    )
    outcome = tuned(log, beside=known)
    assert outcome.plan is None
    reason = str(outcome.reason_no_action)
    assert "judge these first, for mail: “an email of token" in reason and "a1B2a1B2" not in reason + outcome.report


def test_misses_alone_lower_a_threshold_to_the_lowest_of_them() -> None:
    strict = MAIL.replace("priority: high  ", "similarity_threshold: 0.6\npriority: high  ")
    missed = [(f"sort the mail by {word} please", True) for word in ("size", "age", "name", "day", "kind", "box")]
    assert "similarity_threshold: 0.50\n" in content_of(tuned(judged("mail", *missed), strict))
    assert "recall 0 → 100 %" in tuned(judged("mail", *missed), strict).report


def test_useful_messages_become_exemplars_beside_the_topic() -> None:
    outcome = tuned(judged("mail", *GOOD, *BAD))
    (change,) = (each for each in plan_of(outcome).changes if each.path == "topics/_mail.exemplars.md")
    assert isinstance(change, Create) and change.risk_tier is RiskTier.C
    assert read_exemplars(change.content.encode()) == tuple(text for text, _ in GOOD)
    assert "4 useful messages become exemplars" in outcome.report
    there = {"topics/_mail.exemplars.md": change.content}
    again = tuned(judged("mail", *GOOD, *BAD), content_of(outcome), beside=there)
    assert again.plan is None, again.report


def test_what_the_agent_said_is_no_exemplar() -> None:
    log = judged("mail", *GOOD)
    spoken = msgspec.structs.replace(
        log, judged=tuple(msgspec.structs.replace(each, role="agent") for each in log.judged)
    )
    assert "exemplars" not in tuned(spoken).report


def test_a_cut_of_the_gate_is_learnt_from_both_answers() -> None:
    text = MAIL.replace("priority: high  ", "priority: low")
    names = ("anna", "ben", "carla", "dora", "emil", "fatma")
    near = [(f"please {name} look at my {name} mail {name} soon", True) for name in names]
    far = [(f"what a nice {word} blog post you {word} wrote", False) for word in ("bread", "cheese", "wine", "tea")]
    space = Workspace({"topics/mail.md": text})
    planning = Planning(snapshot=space.snapshot(), policy=Policy(), now=NOON, counter=WORDS)
    log = judged("mail", *near, *far)
    outcome = plan_tuning(planning, log=log, matcher_of=OfflineMatchers(log.judged, "UTC", "tfidf").make)
    assert "gate_cut 0.35 →" in outcome.report
    cut = topic_of(content_of(outcome)).gate_cut
    assert cut is not None and cut < 0.35
    alone = judged("mail", *near)
    assert (
        "gate_cut"
        not in plan_tuning(planning, log=alone, matcher_of=OfflineMatchers(alone.judged, "UTC", "tfidf").make).report
    )


def test_questions_are_the_narrowest_no_two_alike_and_never_judged_ones() -> None:
    texts = [*(f"sort the mail of {n} today" for n in range(8)), "urgent email", "post office", "inbox", "bread"]
    entries = [_entry(text) for text in texts]
    found = questions(topic_of(MAIL), entries, {"k:inbox"}, SmallMatcher([topic_of(MAIL)]), NOON)
    asked = [each.text for each in found]
    assert len([text for text in asked if text.startswith("sort the mail of")]) == 1
    assert "inbox" not in asked and "bread" not in asked and {"urgent email", "post office"} <= set(asked)
    assert (
        len(
            questions(
                topic_of(MAIL),
                [_entry(f"mail{n} post {n}") for n in range(60)],
                (),
                SmallMatcher([topic_of(MAIL)]),
                NOON,
            )
        )
        <= 10
    )


def test_what_is_learnt_by_heart_gains_nothing_on_held_back_judgements() -> None:
    samples = [JudgedMessage(message_of(_entry(f"{n}")), n % 2 == 0) for n in range(24)]

    def heart(known: Sequence[JudgedMessage], held: Sequence[JudgedMessage]) -> list[JudgedOutcome]:
        useful = {each.message.id for each in known if each.useful}
        return [JudgedOutcome(each.useful, each.message.id in useful, False) for each in held]

    def never(known: Sequence[JudgedMessage], held: Sequence[JudgedMessage]) -> list[JudgedOutcome]:
        return [JudgedOutcome(each.useful, False, False) for each in held]

    found = measure_held_back(samples, never, heart)
    assert (found.change, found.low, found.high) == (0, 0, 0) and found.after.count == 24
    assert measure_held_back(samples, never, heart) == found
    right = measure_held_back(
        samples, never, lambda _, held: [JudgedOutcome(each.useful, each.useful, False) for each in held]
    )
    assert right.low > 0 and right.after.worth == 1.0


def test_unsure_judgements_count_for_nothing() -> None:
    log = judged("mail", *GOOD[:3], unsure=[text for text, _ in BAD])
    assert "too few" in str(tuned(log).reason_no_action)
    assert {one.useful for one in log.judgements} == {Useful.YES, Useful.UNSURE}


def test_the_same_log_gives_the_same_plan() -> None:
    log = judged("mail", *GOOD, *BAD)
    one, other = plan_of(tuned(log)), plan_of(tuned(log))
    assert one.digest == other.digest


def test_a_file_with_crlf_and_a_bom_keeps_them_g14() -> None:
    text = "\ufeff" + MAIL.replace("\n", "\r\n")
    content = content_of(tuned(judged("mail", *GOOD, *BAD), text))
    assert content.startswith("\ufeff---\r\n") and content.count("\n") == content.count("\r\n")


def test_figures_say_what_they_do_not_know() -> None:
    assert TopicFigures().precision is None and TopicFigures().recall is None and TopicFigures().worth == 1.0
    assert TopicFigures(right=3, wrong=1, missed=2).precision == 0.75
    assert TopicFigures(right=3, wrong=1, missed=2).recall == 0.6


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (SetKey("priority", "medium"), "priority: medium             # low | medium | high | critical"),
        (SetKey("similarity_threshold", "0.25"), "similarity_threshold: 0.25"),
        (SetPattern(4, "", r"it's \bmail\b"), r"    match: 'it''s \bmail\b'   # what people say"),
        (AddKeywords(("a", "b c")), "    words: ['a', 'b c']"),
    ],
)
def test_an_edit_changes_or_adds_the_one_span(edit: Edit, line: str) -> None:
    done = edited(MAIL.encode(), edit)
    assert done is not None and line in done.decode().splitlines()
    assert done.decode().endswith(MAIL.partition("\n---\n")[2])
    assert topic_of(done.decode()).title == "Email"


def test_what_is_written_in_another_way_is_left_alone() -> None:
    flow = MAIL.replace("triggers:\n", 'triggers: [{type: pattern, match: "a|b"}]\nunused:\n')
    assert edited(flow.encode(), AddKeywords(("a",))) is None
    assert edited(b"no frontmatter\n", SetKey("priority", "low")) is None
    assert edited(MAIL.encode(), SetPattern(2, "", "x")) is None


def test_alternatives_are_found_at_the_top_and_in_one_group() -> None:
    assert list(without_one("a|b")) == [("b", "a"), ("a", "b")]
    assert list(without_one(r"\b(cat|dog)\b")) == [(r"\b(dog)\b", "cat"), (r"\b(cat)\b", "dog")]
    assert list(without_one(r"x(?:a|b)y")) == [("x(?:b)y", "a"), ("x(?:a)y", "b")]
    assert list(without_one(r"[a|b]c\|d")) == []
    assert [gone for _, gone in without_one("a(b|c)d|e")] == ["a(b|c)d", "e"]


def test_words_of_what_was_refused_or_is_common_are_no_triggers() -> None:
    missed = ["the invoice is late", "an invoice again", "late again"]
    assert missing_words(missed, ["late and again"], ["the day", "the night", "the end", "the week"]) == ("invoice",)
    assert missing_words(["one word"], [], []) == ()


@given(st.text(max_size=40).filter(lambda text: text.isprintable()))
def test_a_quoted_text_reads_as_itself(text: str) -> None:
    assert load(f"match: {quoted(text)}\n") == {"match": text}


@given(
    st.binary(max_size=300), st.sampled_from([SetKey("priority", "low"), AddKeywords(("x",)), SetPattern(3, "", "x")])
)
def test_no_file_breaks_an_edit(data: bytes, edit: Edit) -> None:
    done = edited(data, edit)
    assert done is None or done != data or isinstance(edit, SetKey)
    assert msgspec.json.encode(edit)


@settings(deadline=None, max_examples=examples(25))
@given(
    st.lists(st.floats(0.0, 0.35), min_size=2, max_size=20),
    st.lists(st.floats(0.65, 1.0), min_size=2, max_size=20),
)
def test_the_calibrated_score_lies_between_what_was_wrong_and_what_was_right(
    wrong: list[float], right: list[float]
) -> None:
    found = crossing([*wrong, *right], [False] * len(wrong) + [True] * len(right))
    assert found is not None and max(wrong) < found < min(right)


def test_one_odd_judgement_moves_the_calibrated_score_little() -> None:
    scores = [number / 100 for number in range(10, 50)]
    useful = [score >= 0.3 for score in scores]
    odd = [*useful[:-1], False]
    one, other = crossing(scores, useful), crossing(scores, odd)
    assert one is not None and other is not None and abs(one - 0.3) < 0.02 and abs(one - other) < 0.06


def test_scores_that_tell_nothing_are_not_calibrated() -> None:
    assert crossing([0.2, 0.3, 0.4], [True, True, False]) is None
    assert crossing([0.1, 0.2, 0.3, 0.4], [True, True, False, False]) is None
    assert crossing([0.2] * 4, [True, False, True, False]) is None


class ScoreAsSaid:
    """A message's score is the number that it is."""

    def match(self, message: Message, now: datetime) -> MatchResult:
        return MatchResult(id=message.id, scores={"mail": float(message.text)})

    def event(self, event: Event, now: datetime) -> MatchResult:
        raise NotImplementedError


def test_of_many_thresholds_those_near_the_calibrated_score_are_tried() -> None:
    """The lowest thresholds lie among single odd judgements, which alone are more than there are tries."""
    odd = [(number / 100, number % 2 == 0 and number < 30) for number in range(1, 60)]
    clear = [(number / 100, True) for number in range(70, 100)]
    samples = [JudgedMessage(message_of(_entry(str(score))), useful) for score, useful in (*odd, *clear)]
    topic, trials = topic_of(MAIL), Trials(lambda _topic: ScoreAsSaid(), NOON)
    cuts = [float(what.rpartition("→")[2]) for _, what in _thresholds(topic, samples, trials)]
    assert len(cuts) == 12 and 0.65 in cuts[:3]
