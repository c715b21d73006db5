"""The planner as a whole: what it takes, what it leaves, what it is bound to, and how it is stopped."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from engine.compactor.options import CompactorHistory
from engine.compactor.plan import plan_compaction
from engine.errors import Cancelled, Damaged
from engine.models.extractive import ExtractiveSummariser
from engine.models.summary import NoteTick, NoteToSummarise, Summary
from engine.plans.plan import Create, Move
from engine.plans.policy.values import Policy
from engine.text.canonical_json import sha256_hex
from engine.workspace.values import Progress
from tests.engine.compactor.workspace import NOW, SEEN, LineSummariser, Workspace, days_ago, episodic

INSIGHT = "Always drain the queue before a schema migration"


def note(age: int, text: str = "It shipped.\n") -> str:
    return f"---\ndate: {days_ago(age)}\n---\n{text}"


def test_a19_the_first_run_asks_whatever_the_meta_file_says() -> None:
    files = {"memory/working/a.md": note(9), "memory/.memory-compactor-meta.json": '{"lastCompactionAt": "2026-01-01"}'}
    plan = Workspace(files).planned(history=CompactorHistory(applied=False))
    assert [confirmation.id for confirmation in plan.confirmations] == ["first_run"]
    assert plan.facts["first_run"] is True
    assert Workspace(files).planned(history=SEEN).confirmations == ()


def test_a7_a_note_older_than_a_month_waits_no_further_month_once_compiled() -> None:
    workspace = Workspace({"memory/working/a.md": note(35, f"Lesson: {INSIGHT}\n")})
    compiled = workspace.planned().changes[0]
    assert isinstance(compiled, Create)
    workspace.files = {compiled.path: compiled.content.encode()}
    plan = workspace.planned()
    assert [change.path for change in plan.changes if isinstance(change, Move)] == ["memory/episodic/a.md"]


def test_a4_eligible_is_strictly_older_by_whole_days() -> None:
    files = {f"memory/working/{age:02}.md": note(age) for age in range(6, 10)}
    files |= {f"memory/episodic/e{age}.md": episodic(age) for age in range(29, 33)}
    moved = [change.path for change in Workspace(files).planned().changes if isinstance(change, Move)]
    assert sorted(moved) == [
        "memory/episodic/e31.md",
        "memory/episodic/e32.md",
        "memory/working/08.md",
        "memory/working/09.md",
    ]


def test_changes_come_oldest_first_and_numbers_count_from_one() -> None:
    files = {
        "memory/working/a.md": note(8),
        "memory/working/b.md": note(20),
        "memory/episodic/c.md": episodic(40, [INSIGHT]),
    }
    plan = Workspace(files).planned()
    assert [change.n for change in plan.changes] == list(range(1, len(plan.changes) + 1))
    assert [change.path for change in plan.changes if isinstance(change, Move)] == [
        "memory/episodic/c.md",
        "memory/working/b.md",
        "memory/working/a.md",
    ]


def test_g10_every_file_whose_bytes_mattered_is_an_input() -> None:
    workspace = Workspace(
        {
            "memory/working/a.md": note(9),
            "memory/working/young.md": note(1),
            "memory/episodic/b.md": episodic(40, [INSIGHT]),
            "memory/semantic/openclaw.md": "Title: x\n",
            "memory/semantic/other.md": "Title: y\n",
            "memory/archive/z.md": "x\n",
        }
    )
    plan = workspace.planned()
    bound = {item.path: item.sha256 for item in plan.inputs}
    for path in ("working/a", "episodic/b", "semantic/openclaw", "semantic/other"):
        assert bound[f"memory/{path}.md"] == sha256_hex(workspace.files[f"memory/{path}.md"])
    made = {change.path for change in plan.changes if isinstance(change, Create)}
    made |= {change.to for change in plan.changes if isinstance(change, Move)}
    assert {path for path, digest in bound.items() if digest is None} == made
    assert "memory/working/young.md" not in bound
    assert "memory/archive/z.md" not in bound


def test_notes_alone_are_not_bound_to_semantic_memory() -> None:
    """The agent may write a shard while a plan that has nothing to do with it waits."""
    files = {"memory/working/a.md": note(9), "memory/semantic/openclaw.md": "Title: x\n"}
    assert "memory/semantic/openclaw.md" not in {item.path for item in Workspace(files).planned().inputs}


def test_the_plan_is_bound_to_policy_clock_zone_tokenizer_and_model() -> None:
    planning = replace(Workspace({"memory/working/a.md": note(9)}).planning(), simulated_clock=True)
    plan = plan_compaction(planning, summariser=LineSummariser(), history=SEEN).plan
    assert plan is not None
    assert (plan.system, plan.zone, plan.tokenizer, plan.now) == ("compact", "UTC", "words*1.3", NOW)
    assert plan.policy_sha256 == Policy().sha256
    assert plan.simulated_clock
    assert plan.model is not None
    assert plan.model.name == "extractive"
    assert plan.cost.calls == 0


def test_g16_generated_blocks_are_left_out_and_named() -> None:
    text = (
        "It shipped.\n<!-- openclaw:dreaming:light:start -->\nThe dream.\n<!-- openclaw:dreaming:light:end -->\n"
        "<!-- hipocampus:protocol:start -->\nFollow the protocol.\n<!-- hipocampus:protocol:end -->\n"
    )
    compiled, moved = Workspace({"memory/working/a.md": note(9, text)}).planned().changes
    assert isinstance(compiled, Create)
    assert "dream" not in compiled.content
    assert "protocol" not in compiled.content
    assert len([name for name in compiled.dropped if name.startswith("generated block: ")]) == 2
    assert isinstance(moved, Move), "the note itself is archived unchanged"


def test_a_note_with_a_merge_conflict_stays_and_is_listed() -> None:
    conflict = note(9, "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n")
    workspace = Workspace(
        {"memory/working/a.md": conflict, "memory/episodic/b.md": conflict.replace(days_ago(9), days_ago(40))}
    )
    outcome = workspace.plan()
    assert outcome.plan is None
    assert outcome.reason_no_action is not None
    assert outcome.reason_no_action.startswith("all that is eligible waits or is skipped: memory/")
    assert outcome.reason_no_action.endswith("and 1 more, listed in the report")
    for path in workspace.files:
        assert f"{path}: unresolved merge conflict" in outcome.report


def test_secrets_stay_in_the_original_and_are_warned_about() -> None:
    secret = "AKIAQ3EXAMPLE7ZK4M2X"
    workspace = Workspace({"memory/working/a.md": note(9, f"The key is {secret} for now.\nDecided to use {secret}.\n")})
    plan = workspace.planned()
    assert secret not in "".join(change.content for change in plan.changes if isinstance(change, Create))
    assert secret not in plan.report
    assert any("secrets" in text and "line 4" in text for text in plan.changes[0].warnings)


def test_hidden_characters_of_a_note_are_warned_about() -> None:
    plan = Workspace({"memory/working/a.md": note(9, "It \u202eshipped\u200b.\n")}).planned()
    assert any("hidden characters" in text and "U+202E" in text for text in plan.changes[0].warnings)


def test_a_file_that_cannot_be_read_any_more_is_skipped_with_its_reason() -> None:
    workspace = Workspace({"memory/working/a.md": note(9), "memory/working/b.md": note(10)})
    planning = workspace.planning()
    workspace.files["memory/working/b.md"] += b"changed"
    outcome = plan_compaction(planning, summariser=LineSummariser(), history=SEEN)
    assert outcome.plan is not None
    assert "memory/working/b.md" not in outcome.plan.targets()
    assert "memory/working/b.md: changed while the plan was being made" in outcome.report


def test_whatever_else_fails_while_reading_is_not_hidden() -> None:
    def broken(path: str) -> bytes:
        raise OSError(path)

    planning = Workspace({"memory/working/a.md": note(9)}).planning()
    snapshot = replace(planning.snapshot, reader=broken)
    with pytest.raises(OSError, match="memory-compactor-meta"):
        plan_compaction(replace(planning, snapshot=snapshot), summariser=LineSummariser(), history=SEEN)
    assert Damaged.exit_code == 5


@pytest.mark.parametrize("stage", ["reading notes", "reading episodic files", "summarising"])
def test_long_work_shows_progress_and_can_be_cancelled_at_every_stage(stage: str) -> None:
    files = {f"memory/working/{n}.md": note(9) for n in range(3)} | {"memory/episodic/x.md": episodic(40)}
    seen: list[Progress] = []

    def tick(progress: Progress) -> None:
        seen.append(progress)
        if progress.stage == stage:
            raise Cancelled("cancelled")

    with pytest.raises(Cancelled):
        plan_compaction(Workspace(files).planning(tick=tick), summariser=ExtractiveSummariser(), history=SEEN)
    assert seen[-1].stage == stage


def test_all_notes_are_summarised_in_one_batch_without_their_frontmatter() -> None:
    summariser = LineSummariser()
    files = {
        "memory/working/a.md": note(9),
        "memory/working/b.md": "No date in here.\n",
        "memory/working/c.md": note(20),
    }
    plan_compaction(Workspace(files).planning(), summariser=summariser, history=SEEN)
    assert [(n.path, n.first_line, n.text) for n in summariser.seen] == [
        ("memory/working/c.md", 4, "It shipped.\n"),
        ("memory/working/a.md", 4, "It shipped.\n"),
    ]


def test_g3_other_layouts_of_the_same_workspace_are_never_touched() -> None:
    files = {
        "memory/2026-01-05.md": "x\n",
        "DailyLogs/2026-01-05.md": "x\n",
        "knowledge/journal/2026-01-05.md": "x\n",
        "memory/daily/2026-01-05.md": "x\n",
        "memory/working/sub/2026-01-05.md": "x\n",
        "MEMORY.md": "x\n",
        "memory/working/2026-01-05.md": "x\n",
    }
    plan = Workspace(files).planned()
    assert plan.targets() & files.keys() == {"memory/working/2026-01-05.md"}


def test_g4_what_is_left_out_of_derived_text_is_named() -> None:
    class Dropping(LineSummariser):
        def summarise(self, notes: Sequence[NoteToSummarise], tick: NoteTick) -> list[Summary]:
            return [replace(summary, dropped=("3 × code line",)) for summary in super().summarise(notes, tick)]

    planning = Workspace({"memory/working/a.md": note(9)}).planning()
    outcome = plan_compaction(planning, summariser=Dropping(), history=SEEN)
    assert outcome.plan is not None
    assert outcome.plan.changes[0].dropped == ("3 × code line",)
