"""What a plan's digest covers, how its tier is computed, and how canonical its JSON is (G17, §Risk tiers)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import combinations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.plans.git_places import names_crypt
from engine.plans.partial_refusal import part_of
from engine.plans.plan import (
    Append,
    Change,
    Confirmation,
    Cost,
    Create,
    Input,
    ModelOutput,
    Move,
    Plan,
    QualityGate,
    Replace,
    RiskTier,
)
from engine.text.canonical_json import canonical_json, digest, sha256_hex
from engine.workspace.values import WorkspaceIdentity

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
A, B, C = RiskTier.A, RiskTier.B, RiskTier.C


def create(n: int, tier: RiskTier = B, requires: tuple[int, ...] = ()) -> Create:
    return Create(n=n, path=f"{n}.md", risk_tier=tier, reason="r", content="text", requires=requires)


PLAN = Plan(
    id="p-20260315-0001",
    system="compact",
    trigger="working_files",
    workspace=WorkspaceIdentity("/w", 1, 2),
    now=NOW,
    zone="UTC",
    simulated_clock=False,
    made_at=NOW,
    policy_sha256="sha256:0",
    tokenizer="o200k_base",
    inputs=(Input("a.md", "0" * 64),),
    changes=(create(1), Move(n=2, path="a.md", to="b.md", risk_tier=B, reason="r", requires=(1,))),
    model=ModelOutput("extractive", "1", "0" * 64),
)


def with_(**changes: object) -> Plan:
    return msgspec.structs.replace(PLAN, **changes)


@pytest.mark.parametrize(
    "changed",
    [
        {"changes": (create(1),)},
        {"changes": (create(1, C), PLAN.changes[1])},
        {"changes": (msgspec.structs.replace(create(1), content="other"), PLAN.changes[1])},
        {"inputs": (Input("a.md", "1" * 64),)},
        {"inputs": (Input("a.md", None),)},
        {"policy_sha256": "sha256:1"},
        {"model": ModelOutput("extractive", "1", "1" * 64)},
        {"model": None},
        {"now": NOW + timedelta(seconds=1)},
        {"zone": "Asia/Seoul"},
        {"simulated_clock": True},
        {"workspace": WorkspaceIdentity("/v", 1, 2)},
        {"workspace": WorkspaceIdentity("/w", 2, 2)},
        {"workspace": WorkspaceIdentity("/w", 1, 3)},
        {"tokenizer": "words*1.3"},
        {"confirmations": (Confirmation("first_run", "?"),)},
        {"gates": (QualityGate("schema", False),)},
        {"report": "other"},
        {"system": "flush"},
    ],
    ids=str,
)
def test_g17_the_digest_covers_all_that_a_person_says_yes_to(changed: dict[str, object]) -> None:
    assert with_(**changed).digest != PLAN.digest


@pytest.mark.parametrize(
    "changed",
    [
        {"id": "p-20260315-0002"},
        {"made_at": NOW + timedelta(days=1)},
        {"cost": Cost(calls=3, usd="0.10")},
        {"also": ("p-20260315-0009",)},
    ],
    ids=str,
)
def test_g17_id_time_of_making_and_cost_are_outside_the_digest(changed: dict[str, object]) -> None:
    assert with_(**changed).digest == PLAN.digest


def test_a_plan_survives_its_json_with_the_same_digest() -> None:
    again = msgspec.json.decode(canonical_json(PLAN), type=Plan)
    assert again == PLAN
    assert again.digest == PLAN.digest
    assert PLAN.digest.startswith("sha256:")


def test_the_tier_of_a_plan_is_that_of_its_strictest_change() -> None:
    assert with_(changes=()).risk_tier is A
    assert with_(changes=(create(1, B), create(2, A))).risk_tier is B
    assert with_(changes=(create(1, A), create(2, C), create(3, B))).risk_tier is C


@given(st.lists(st.sampled_from(RiskTier), min_size=1, max_size=6))
def test_the_tier_of_a_subset_is_computed_anew(tiers: list[RiskTier]) -> None:
    plan = with_(changes=tuple(create(n, tier) for n, tier in enumerate(tiers, start=1)))
    for size in range(1, len(tiers) + 1):
        for numbers in combinations(range(1, len(tiers) + 1), size):
            assert plan.tier_of(numbers) is max(tiers[n - 1] for n in numbers)


def test_a_change_that_needs_another_says_so() -> None:
    assert PLAN.missing_requirements((1, 2)) == {}
    assert PLAN.missing_requirements((1,)) == {}
    assert PLAN.missing_requirements((2,)) == {2: (1,)}
    both = msgspec.structs.replace(create(4, requires=(1,)), requires_any=(2, 3))
    assert with_(changes=(create(1), create(2), create(3), both)).missing_requirements((4,)) == {4: (1, 2, 3)}


def test_targets_are_all_paths_that_applying_touches() -> None:
    assert PLAN.targets() == {"1.md", "a.md", "b.md"}


MAKERS: dict[str, Callable[[], Change]] = {
    "create": lambda: create(1),
    "append": lambda: Append(n=1, path="a", risk_tier=B, reason="", content=""),
    "replace": lambda: Replace(n=1, path="a", risk_tier=C, reason="", content=""),
    "move": lambda: Move(n=1, path="a", to="b", risk_tier=B, reason=""),
}


@pytest.mark.parametrize("op", MAKERS)
def test_each_kind_of_change_is_told_apart_in_json(op: str) -> None:
    change = MAKERS[op]()
    assert msgspec.to_builtins(change)["op"] == op
    assert msgspec.json.decode(canonical_json(change), type=Change) == change


@given(st.dictionaries(st.text(max_size=5), st.one_of(st.integers(), st.text(max_size=5), st.booleans()), max_size=6))
def test_canonical_json_does_not_depend_on_the_order_of_keys(value: dict[str, object]) -> None:
    backwards = dict(reversed(list(value.items())))
    assert canonical_json(value) == canonical_json(backwards)
    assert digest(value) == "sha256:" + sha256_hex(canonical_json(backwards))


def test_a_part_counts_from_1_and_keeps_what_is_about_it() -> None:
    changes = (
        create(1),
        create(2),
        create(3, requires=(1, 2)),
        msgspec.structs.replace(create(4), requires_any=(1, 3)),
    )
    whole = with_(
        changes=changes,
        inputs=tuple(Input(change.path, None) for change in changes),
        confirmations=(Confirmation("all", "?"), Confirmation("one", "?", (1,)), Confirmation("two", "?", (1, 3))),
    )
    part = part_of(whole, (2, 3, 4))
    assert [(change.n, change.path) for change in part.changes] == [(n - 1, changes[n - 1].path) for n in (2, 3, 4)]
    assert [(change.requires, change.requires_any) for change in part.changes] == [((), ()), ((1,), ()), ((), (2,))]
    assert [item.path for item in part.inputs] == [change.path for change in changes[1:]]
    assert part.confirmations == (Confirmation("all", "?"), Confirmation("two", "?", (2,)))
    assert part_of(whole, (1, 2, 3, 4)) is whole


def test_only_gits_own_file_of_attributes_has_it_encrypt() -> None:
    told = "memory/private/** filter=git-crypt\n"
    made = [msgspec.structs.replace(create(1), path=path, content=told) for path in (".gitattributes", "memory/a.md")]
    assert [names_crypt(one) for one in made] == [True, False]
    assert not names_crypt(msgspec.structs.replace(made[0], content="*.md text\n"))
