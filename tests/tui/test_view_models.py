"""Overview, queue, plan head, dialog and frame as text, without a screen."""

from datetime import timedelta
from functools import partial
from operator import add

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Stale
from engine.plans.memory_status import CooldownState, SemanticBand, ShardFigures, TierFigures, UseCounts
from engine.plans.operation import Approval, Operation, OperationKind, OperationState, Witness
from engine.plans.plan import PlanState, QualityGate, RiskTier
from engine.plans.policy.values import EpisodicLimits, Policy, WorkingLimits
from engine.text.safe_text import cell_width
from engine.workspace.values import Skipped
from tests.values import NOW, a_status, append_plan, compaction, diff_of, entry_of, tree_plan
from tui.present.approvals import approval_question, queue_rows
from tui.present.approvals import plan_head as plans
from tui.present.approvals.plan_head import LoadedPlan
from tui.present.overview import due_jobs
from tui.present.overview import triggers_notices as overview
from tui.present.overview.gauges import GaugeBar
from tui.present.spans import Line, ListRow, plain


def text_of(row: ListRow) -> str:
    return f"{plain(row.left).rstrip()} | {plain(row.right).strip()}"


def loaded() -> LoadedPlan:
    made = compaction()
    return LoadedPlan(plan=made, digest=made.digest, diffs=tuple(diff_of(change) for change in made.changes))


def texts(lines: tuple[Line, ...]) -> list[str]:
    return [plain(line) for line in lines]


class TestOverview:
    def test_cards_show_values_against_limits(self) -> None:
        working, episodic, semantic, archive = overview.cards(a_status(), overview.CardLimits())
        figures = [part.figure for part in (*working.body, *episodic.body) if isinstance(part, GaugeBar)]
        assert figures == ["▲ 13/10", "2.9k/4k", "9/10 d", "16/20", "5.1k/8k", "▲ 51/45 d"]
        assert plain(working.foot) == "12 eligible (> 7 d)"
        assert [part.figure for part in semantic.body if isinstance(part, GaugeBar)] == ["1,047 ▲ risk", "412 ✓ ok"]
        (kept,) = [part for part in archive.body if isinstance(part, GaugeBar)]
        assert (kept.figure, kept.outlook.words) == ("212 files", ("341k tokens",))

    def test_limits_come_from_the_policy(self) -> None:
        policy = Policy(
            limits=msgspec.structs.replace(Policy().limits, working=WorkingLimits(files=20, eligible_days=3))
        )
        card = overview.cards(a_status(), overview.CardLimits(policy))[0]
        assert isinstance(card.body[0], GaugeBar)
        assert card.body[0].figure == "13/20"
        assert plain(card.foot) == "12 eligible (> 3 d)"
        assert EpisodicLimits().files == 20

    def test_an_empty_tier_has_no_oldest_age_a17(self) -> None:
        tiers = msgspec.structs.replace(
            a_status().memory_tiers, working=TierFigures(files=0, tokens=0, oldest_days=None, eligible=0)
        )
        card = overview.cards(a_status(memory_tiers=tiers), overview.CardLimits())[0]
        assert isinstance(card.body[2], GaugeBar)
        assert card.body[2].figure == "—"

    def test_the_fullest_shard_comes_first_and_colours_the_card(self) -> None:
        shards = (
            ShardFigures(path="memory/semantic/a.md", tokens=10, band=SemanticBand.OK),
            ShardFigures(path="memory/semantic/b.md", tokens=1300, band=SemanticBand.BLOCKED),
        )
        semantic = msgspec.structs.replace(a_status().memory_tiers.semantic, shards=shards)
        tiers = msgspec.structs.replace(a_status().memory_tiers, semantic=semantic)
        card = overview.cards(a_status(memory_tiers=tiers), overview.CardLimits())[2]
        assert [part.label for part in card.body if isinstance(part, GaugeBar)] == ["b.md", "a.md"]
        assert card.role == "blocked"

    def test_triggers_that_fired_keep_their_order_and_the_others_share_a_line(self) -> None:
        rows = [text_of(row) for row in overview.triggers(a_status())]
        assert rows[0].startswith("▲ semantic shard over its risk line") and rows[0].endswith("| risk tier C")
        assert rows[1].split()[:5] == ["▲", "too", "many", "working", "notes"]
        assert overview.triggers(a_status())[0].right[-1] == ("C", "tier_c", None)
        quiet = sum(not trigger.fired for trigger in a_status().triggers)
        assert rows[-1].split() == ["✓", str(quiet), "others", "did", "not", "fire", "|"]
        assert len(rows) == len(overview.fired(a_status())) + 1

    def test_what_needs_a_look_names_the_fix_and_the_reason(self) -> None:
        rows = [text_of(row) for row in overview.attention(a_status())]
        assert rows[0].startswith("! this workspace is not a git repository")
        assert rows[1].startswith("  → git init")
        assert rows[2] == "· merge-conflict markers | 2026-03-09-merge.md:14"
        assert rows[3] == "○ skipped: not UTF-8 at byte 3 | photo.md"
        assert overview.attention_count(a_status()) == 4
        for index in range(len(rows)):
            title, lines = overview.attention_detail(a_status(), index)
            assert title and any(texts(lines))

    @given(st.integers(0, 120), st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=60))
    def test_a_long_file_name_leaves_room_for_what_is_said_of_it(self, room: int, name: str, reason: str) -> None:
        skipped = Skipped(path=f"memory/working/{name.replace('/', '')}.md", reason=reason)
        rows = overview.AttentionRows(a_status(degraded=(), notes=(), skipped=(skipped,)), lambda: room)
        row, whole = rows.row(0), overview.attention(a_status(degraded=(), notes=(), skipped=(skipped,)))[0]
        said, shown, named = (cell_width(plain(line)) for line in (row.left, row.right, whole.right))
        assert row.left == whole.left
        assert shown == named if said + 1 + named <= room else shown <= max(room - 1 - said, room * 55 // 100, 0)

    def test_a_remark_keeps_the_beginning_of_its_words_and_of_its_file_name(self) -> None:
        name = "memory/working/2026-03-07-search-synonyms.md"
        note = f"{name}: openclaw dreaming:light: 1 block, 3 lines"
        row = overview.AttentionRows(a_status(degraded=(), notes=(note,), skipped=()), lambda: 42).row(0)
        assert plain(row.right) == "2026-03-07-search-syn…"

    def test_what_has_no_value_yet_is_below_its_limit(self) -> None:
        ages = [t for t in a_status().triggers if t.id == "working_age"]
        status = a_status(triggers=(msgspec.structs.replace(ages[0], value=None, fired=False),))
        assert texts(overview.quiet_detail(status)[1])[0].split() == ["working_age", "—", "≤", "10"]
        assert text_of(overview.triggers(status)[0]).split() == ["✓", "1", "did", "not", "fire", "|"]

    def test_every_trigger_can_be_explained(self) -> None:
        for index, state in enumerate(a_status().triggers):
            title, lines, plan = overview.trigger_detail(a_status(), index, ())
            assert plan == ""
            assert title == state.id
            assert ("▲ fired" in texts(lines)) is state.fired


class TestDue:
    def test_jobs_missed_and_to_come(self) -> None:
        job = a_status().due[0]
        missed = msgspec.structs.replace(job, title="daily flush", overdue=True)
        rows = [text_of(row) for row in due_jobs.due(a_status(due=(job, missed)))]
        assert rows[0].startswith("▲ daily flush") and rows[0].endswith("missed, runs once")
        assert rows[1] == "· 03:00 UTC  weekly dry run | in 20 min"

    def test_what_does_not_earn_its_place(self) -> None:
        rows = [text_of(row) for row in due_jobs.due(a_status(due=(), uses=UseCounts(idle=3, not_found=1)))]
        told = "3 entries never used, 1 question without an answer"
        assert rows[0] == f"! uses  {told} | :uses lists them"
        title, lines = due_jobs.due_detail(a_status(due=(), uses=UseCounts(idle=3, not_found=1)), 0)
        assert title == "What earns its place" and texts(lines)[0] == told

    def test_cooldown_says_until_when_a12(self) -> None:
        active = CooldownState(active=True, last=NOW, until=NOW + timedelta(hours=5))
        assert "free in 5 h" in text_of(due_jobs.due(a_status(cooldown=active, due=()))[0])
        warned = CooldownState(active=True, last=None, until=None, warning="the stamp lies in the future")
        assert "the stamp lies in the future" in text_of(due_jobs.due(a_status(cooldown=warned, due=()))[0])


class TestQueue:
    def test_what_waits_comes_first_by_risk(self) -> None:
        old = entry_of(compaction(1, made_at=NOW - timedelta(days=2)), PlanState.APPLIED)
        stale = entry_of(append_plan(2), PlanState.STALE)
        first = entry_of(compaction(3, made_at=NOW + timedelta(hours=1)))
        assert [entry.id[-1] for entry in queue_rows.ordered((old, stale, first))] == ["2", "3", "1"]
        assert queue_rows.waiting((old, stale, first)) == 1

    def test_rows_name_tier_system_target_state_and_age(self) -> None:
        entries = (entry_of(compaction(1)), entry_of(append_plan(2), PlanState.STALE), entry_of(tree_plan(3)))
        rows = queue_rows.QueueRows(entries, NOW + timedelta(minutes=4), {"p-20260315-0003": "applying"})
        assert text_of(rows.row(0)) == "B compact 12 notes → episodic | 4 min"
        assert text_of(rows.row(1)) == "C semantic semantic/openclaw.md | ! stale  4 min"
        assert text_of(rows.row(2)) == "A tree    2 files in weekly/ | ◐ applying    1 h"

    @pytest.mark.parametrize(
        ("words", "found"),
        [("", 3), ("tree", 1), ("tier:c", 1), ("openclaw semantic", 1), ("banana", 0), ("PENDING", 3)],
    )
    def test_filter_words_must_all_occur(self, words: str, found: int) -> None:
        entries = tuple(entry_of(plan) for plan in (compaction(1), append_plan(2), tree_plan(3)))
        assert len(queue_rows.matching(entries, words, NOW)) == found


class TestPlanHead:
    def test_what_is_shown_of_a_plan_is_made_again_only_of_something_else(self) -> None:
        plan, made = loaded(), list[int]()
        for asked in (1, 1, 2, 1):
            made = plan.shown("part", asked, partial(add, made, [asked]))
        assert made == [1, 2, 1]

    def test_the_head_of_a_waiting_plan(self) -> None:
        plan = loaded()
        lines = texts(plans.head(entry_of(plan.plan), plan, (1, 2), plans.PlanProgress()))
        assert lines == [
            "approval  ○ not given   execution · not started",
            "why       too many working notes (working_files)",
            "asks      First run here: has this workspace been backed up?",
            "changes   2 of 24 marked · 1 create, 1 move   +9 −0",
            "omitted   1 thing, named above the diff that would have it",
            "checks    ✓ schema  ✓ pollution  ✓ duplicates",
            "made by   extractive 1 · o200k_base · no calls · 24 files read",
        ]

    def test_approval_and_execution_are_two_facts(self) -> None:
        plan = loaded()
        witness = Witness(tty="/dev/pts/1", processes=(), user="ana", channel="console")
        approval = Approval(
            target=plan.digest,
            numbers=(1, 2),
            risk_tier=RiskTier.B,
            answers=(),
            witness=witness,
            granted_at=NOW,
            expires_at=NOW + timedelta(minutes=10),
            nonce="n",
        )
        operation = Operation(
            id="o-20260315-0001",
            kind=OperationKind.APPLY,
            plan=plan.plan.id,
            system="compact",
            trigger="working_files",
            risk_tier=RiskTier.B,
            state=OperationState.CONFLICT,
            started_at=NOW,
            finished_at=NOW,
            simulated_clock=False,
            numbers=(1, 2),
            effects=(),
            done=(),
            approval=approval,
            commit="0123456789abc",
            problems=("memory/working/x.md was written meanwhile",),
        )
        lines = texts(plans.head(entry_of(plan.plan, PlanState.CONFLICT), plan, (1, 2), plans.PlanProgress(operation)))
        assert lines[0] == "approval  ✓ given   by ana on /dev/pts/1 at 2026-03-15 02:40 UTC"
        assert lines[1].startswith("execution ✗ conflict   o-20260315-0001 · commit 012345678")
        assert "▲ memory/working/x.md was written meanwhile" in lines[1]

    def test_what_moves_alone_counts_no_lines(self) -> None:
        plan = loaded()
        lines = texts(plans.head(entry_of(plan.plan), plan, (2, 4), plans.PlanProgress()))
        assert "changes   2 of 24 marked · 2 moves" in lines
        assert not any(line.startswith("omitted") for line in lines)

    @pytest.mark.parametrize(
        ("state", "first"),
        [
            (PlanState.STALE, "approval  ✗ void  ! stale   d plans it again"),
            (PlanState.REJECTED, "approval  ✗ rejected"),
            (PlanState.EXPIRED, "approval  ! approval expired   ctrl+a approves again"),
        ],
    )
    def test_a_state_says_what_comes_next_and_asks_nothing_in_vain(self, state: PlanState, first: str) -> None:
        plan = loaded()
        lines = texts(plans.head(entry_of(plan.plan, state), plan, (1, 2), plans.PlanProgress()))
        assert lines[0] == first
        asked = any(line.startswith("asks") for line in lines)
        assert asked == (state is PlanState.EXPIRED)

    def test_an_approved_plan_has_not_started(self) -> None:
        plan = loaded()
        lines = texts(plans.head(entry_of(plan.plan, PlanState.APPROVED), plan, (1,), plans.PlanProgress()))
        assert lines[:2] == ["approval  ✓ given", "execution · not started   ctrl+a approves again"]

    def test_below_the_changes_stands_what_an_approval_would_cover(self) -> None:
        plan = loaded()
        everything = frozenset(change.n for change in plan.plan.changes)

        def foot(state: PlanState, marks: frozenset[int], seen: frozenset[int]) -> str:
            return plain(plans.changes_foot(entry_of(plan.plan, state), plan, marks, seen))

        assert foot(PlanState.PENDING, frozenset(), frozenset()) == "○ not viewed · ctrl+a: all 24"
        assert foot(PlanState.PENDING, frozenset(), everything) == "ctrl+a: all 24"
        assert foot(PlanState.PENDING, frozenset({1}), frozenset()) == "1 marked"
        unread = plans.changes_foot(entry_of(plan.plan), plan, frozenset(), frozenset(), read_only=True)
        assert plain(unread) == "○ not viewed"
        assert foot(PlanState.APPLYING, frozenset(), frozenset()) == "○ not viewed"
        assert foot(PlanState.APPLIED, frozenset({1}), frozenset()) == "1 approved"
        assert foot(PlanState.APPLIED, frozenset(), frozenset()) == ""

    @pytest.mark.parametrize("state", list(PlanState))
    def test_every_state_has_words(self, state: PlanState) -> None:
        plan = loaded()
        lines = texts(plans.head(entry_of(plan.plan, state), plan, (1,), plans.PlanProgress()))
        assert lines[0].startswith("approval")
        assert plans.state_words(entry_of(plan.plan, state), NOW)

    def test_a_failed_gate_says_why(self) -> None:
        plan = compaction()
        bad = msgspec.structs.replace(plan, gates=(QualityGate("coverage", False, "2 lines are missing"),))
        head = plans.head(entry_of(bad), msgspec.structs.replace(loaded(), plan=bad), (1,), plans.PlanProgress())
        assert "checks    ✗ coverage: 2 lines are missing" in texts(head)

    def test_a_failure_says_what_to_do(self) -> None:
        error = Stale("changed after the plan was made", where="memory/a.md", hint="make the dry run again")
        plan = loaded()
        lines = texts(plans.head(entry_of(plan.plan), plan, (1,), plans.PlanProgress(failure=error)))
        assert lines[:2] == [
            "approval  ✓ given   spent: approve again",
            "execution ✗ Stale: memory/a.md: changed after the plan was made · make the dry run again",
        ]

    def test_change_rows_show_mark_tier_verb_name_and_what_was_seen(self) -> None:
        rows = plans.ChangeRows(loaded(), frozenset({1}), frozenset({2}))
        assert text_of(rows.row(0)) == "✓ B create  2026-03-01-deploy.md | +9 ○"
        assert text_of(rows.row(1)) == "  B move    2026-03-01-deploy.md | "
        assert plain(rows.row(1).extra) == "  → archive"


class TestAsk:
    def test_a_plan_is_asked_for_with_its_digest_and_the_chosen_changes(self) -> None:
        plan = loaded()
        question = approval_question.about_plan(plan, (1, 2))
        assert question.bound[0].target == plan.plan.digest
        assert question.bound[0].numbers == (1, 2)
        assert question.word == "" and question.yes == "apply 2 changes"
        said = "2 of 24 changes: Creates 1 file in episodic; moves 1 file to the archive."
        assert plain(question.body[0]) == said

    def test_tier_c_wants_the_word(self) -> None:
        plan = append_plan()
        question = approval_question.about_plan(
            LoadedPlan(plan=plan, digest=plan.digest, diffs=(diff_of(plan.changes[0]),)), (1,)
        )
        assert question.word == "APPROVED"
        said = texts(question.body)
        warned = next(at for at, line in enumerate(said) if line == "▲ above the risk line of 1,020")
        trusted = [at for at, line in enumerate(said) if line.startswith("lowest trust")]
        assert all(warned < at for at in trusted), "a low terminal cuts the trust before a warning"

    def test_many_changes_and_warnings_are_counted_never_hidden(self) -> None:
        plan = msgspec.structs.replace(loaded().plan, warnings=tuple(f"warning {n}" for n in range(9)))
        question = approval_question.about_plan(msgspec.structs.replace(loaded(), plan=plan), tuple(range(1, 25)))
        assert "▲ and 5 more warnings beside the diffs" in texts(question.body)

    def test_a_warning_names_the_file_it_is_about(self) -> None:
        def warned(n: int) -> tuple[str, ...]:
            return (
                "above the line",
                *(("memory/working/2026-03-01-deploy.md: odd",) if n == 2 else ("odd",) * (n == 1)),
            )

        plan = loaded().plan
        changes = tuple(msgspec.structs.replace(one, warnings=warned(one.n)) for one in plan.changes)
        warned_of = msgspec.structs.replace(loaded(), plan=msgspec.structs.replace(plan, changes=changes))
        assert [text for text in texts(approval_question.about_plan(warned_of, (1, 2, 3)).body) if "▲" in text] == [
            "▲ 3 files  above the line",
            "▲ episodic/2026-03-01-deploy.md  odd",
            "▲ memory/working/2026-03-01-deploy.md: odd",
        ]
        assert "▲ odd" in texts(approval_question.about_plan(warned_of, (1,)).body), "one change has one file"
