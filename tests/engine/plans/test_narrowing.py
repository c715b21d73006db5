"""A policy given by `--policy` may only narrow the operator's own: every key, both ways (decisions A27, G19)."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import PolicyError, Refused
from engine.plans.policy.comparison import narrowing_rules, value_of, wider_values
from engine.plans.policy.file import load_policy, policy_values
from engine.plans.policy.values import Policy

LESS_OR_MORE: dict[str, tuple[Any, Any, Any]] = {
    "approval.auto": (["A"], [], None),
    "limits.semantic.soft": (800, 700, 801),
    "limits.semantic.risk": (1000, 950, 1001),
    "limits.semantic.hard": (1100, 1050, 1101),
    "limits.working.files": (9, 8, 10),
    "limits.working.tokens": (900, 800, 901),
    "limits.working.age_days": (9, 8, 10),
    "limits.working.eligible_days": (7, 8, 6),
    "limits.episodic.files": (9, 8, 10),
    "limits.episodic.tokens": (900, 800, 901),
    "limits.episodic.age_days": (9, 8, 10),
    "limits.episodic.eligible_days": (30, 31, 29),
    "limits.root_tokens": (900, 800, 901),
    "limits.cooldown_hours": (24, 25, 0),
    "context.window_tokens": (1000, 900, 1001),
    "context.model_windows": ({"m": 9}, {"m": 9}, {"m": 10}),
    "context.prompt_tokens": (1000, 900, 1001),
    "context.flush_tokens": (300, 200, 301),
    "context.hold_compaction": ("manual", "off", "always"),
    "context.hold_seconds": (60, 50, 61),
    "context.system_prompt": ("be brief", "be brief", "be long"),
    "context.platforms": ({"codex": {"use": "never"}}, {"codex": {"use": "never"}}, {"codex": {"use": "always"}}),
    "llm.provider": ("extractive", "extractive", "claude"),
    "llm.models.gate": ("small", None, "large"),
    "llm.models.extract": ("small", None, "large"),
    "llm.models.summarise": ("small", None, "large"),
    "llm.models.commit": ("small", None, "large"),
    "llm.key_variable": ("ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY", "OTHER"),
    "llm.url": ("https://a.example", "https://a.example", ""),
    "llm.seconds": (60, 60, 61),
    "llm.window": (4096, 2048, 8192),
    "llm.most_ungrounded": (0.25, 0.1, 0.3),
    "llm.max_usd_per_plan": (0.5, 0, 0.51),
    "llm.usd_per_million_input": (1.0, 1.1, 0.9),
    "llm.usd_per_million_output": (5.0, 5.1, 0),
    "llm.prices": (
        {"m": {"input": 3.0, "output": 9.0}},
        {"m": {"input": 3.0, "output": 9.0}},
        {"m": {"input": 1.0, "output": 9.0}},
    ),
    "llm.batch_from": (0, 100, None),
    "git.commit": (False, False, True),
    "git.push": (False, False, True),
    "git.remote": ("/a", "/a", "/b"),
    "git.branch": ("main", "main", "other"),
    "git.commit_others": (False, False, True),
    "git.filters": ({"crypt": "git-crypt clean"}, {}, {"crypt": "sh -c id"}),
    "git.private": (["a"], ["a", "b"], ["b"]),
    "git.shared": ({"team": "https://a.example/t.git"}, {}, {"team": "https://b.example/t.git"}),
    "git.outside": (["/a", "/b"], ["/a"], ["/c"]),
    "search.embedder": ("static", "none", "transformer"),
    "search.model": ("small", "", "large"),
    "search.url": ("https://a.example/", "", "https://b.example/"),
    "search.key_variable": ("MINE", "MINE", "OTHER"),
    "search.usd_per_million_tokens": (1.0, 1.1, 0.9),
    "search.max_usd": (0.5, 0, 0.51),
    "search.merge": ("adaptive", "words", None),
    "topics.scorer": ("blend", "tfidf", None),
    "tokens.counter": ("o200k_base", "o200k_base", "words*1.3"),
    "probes.on_loss": ("warn", "block", None),
    "lifecycle.most_left_out": (0.5, 0.2, 0.9),
    "verify.repositories": ({"/a": "/b", "/c": "/d"}, {"/a": "/b"}, {"/a": "/x"}),
    "verify.urls": ("off", "off", "ask"),
    "lifecycle.transcript_roots": (["/a", "/b"], ["/a"], ["/c"]),
    "qmd.run": ("update", "off", "embed"),
    "qmd.timeout_seconds": (30, 29, 31),
    "digest.command": (["msmtp", "a@b.example"], [], ["tee", "/tmp/x"]),
    "zone": ("UTC", "Asia/Seoul", None),
}
"""For each key the operator's value, one that narrows it, and one that widens it (None: nothing does)."""


def write(path: Path, key: str, value: Any) -> Path:
    for name in reversed(key.split(".")):
        value = {name: value}
    if key.startswith("search.") and "embedder" not in key:
        value["search"]["embedder"] = "static"
    path.write_text(yaml.safe_dump(value), "utf-8")
    return path


def loaded(folder: Path, key: str, own: Any, given_value: Any) -> Policy:
    (folder / "workspace").mkdir(exist_ok=True)
    own_file = write(folder / "policy.yaml", key, own)
    file = write(folder / "other.yaml", key, given_value)
    return load_policy(file, default_path=own_file, workspace=folder / "workspace")[0]


def test_every_key_of_the_policy_has_a_rule() -> None:
    keys = {value.key for value in policy_values(Policy(), {})}
    assert set(narrowing_rules()) == keys == set(LESS_OR_MORE)


@pytest.mark.parametrize("key", sorted(LESS_OR_MORE))
def test_a27_a_given_policy_may_keep_and_narrow_every_key(tmp_path: Path, key: str) -> None:
    own, narrower, _ = LESS_OR_MORE[key]
    plain = [tuple(value) if isinstance(value, list) else value for value in (own, narrower)]
    assert msgspec.to_builtins(value_of(loaded(tmp_path, key, own, own), key)) == plain[0]
    assert msgspec.to_builtins(value_of(loaded(tmp_path, key, own, narrower), key)) == plain[1]


@pytest.mark.parametrize("key", sorted(key for key, values in LESS_OR_MORE.items() if values[2] is not None))
def test_a27_a_given_policy_widens_no_key_and_the_refusal_names_both_values(tmp_path: Path, key: str) -> None:
    own, _, wider = LESS_OR_MORE[key]
    with pytest.raises(Refused) as caught:
        loaded(tmp_path, key, own, wider)
    assert caught.value.exit_code == 3
    for word in (key, msgspec.json.encode(own).decode(), msgspec.json.encode(wider).decode()):
        assert word in caught.value.line()
    assert caught.value.where == str(tmp_path / "other.yaml")


def test_a27_what_a_given_policy_leaves_out_stays_the_operators_but_runs_nothing_by_itself(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(
        "approval: {auto: [A]}\nlimits: {semantic: {soft: 500}, cooldown_hours: 48}\n", "utf-8"
    )
    (tmp_path / "other.yaml").write_text("limits: {working: {files: 2}}\n", "utf-8")
    (tmp_path / "workspace").mkdir()
    own = tmp_path / "policy.yaml"
    policy, origins = load_policy(tmp_path / "other.yaml", default_path=own, workspace=tmp_path / "workspace")
    assert (policy.limits.semantic.soft, policy.limits.cooldown_hours, policy.limits.working.files) == (500, 48, 2)
    assert policy.approval.auto == ()
    assert origins == {
        "limits.semantic.soft": str(own),
        "limits.cooldown_hours": str(own),
        "limits.working.files": str(tmp_path / "other.yaml"),
    }


def test_the_rules_between_values_hold_for_both_policies_together(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("limits: {semantic: {soft: 1000, risk: 1500, hard: 2000}}\n", "utf-8")
    (tmp_path / "workspace").mkdir()

    def hard(text: str) -> int:
        (tmp_path / "other.yaml").write_text(text, "utf-8")
        own, workspace = tmp_path / "policy.yaml", tmp_path / "workspace"
        return load_policy(tmp_path / "other.yaml", default_path=own, workspace=workspace)[0].limits.semantic.hard

    assert hard("limits: {semantic: {risk: 1400, hard: 1600}}") == 1600
    with pytest.raises(PolicyError, match=r"limits\.semantic\.risk"):
        hard("limits: {semantic: {hard: 1200}}")
    with pytest.raises(Refused, match=r"limits\.semantic\.soft"):
        hard("limits: {semantic: {soft: 1700}}")


def test_a_secret_in_either_policy_is_not_told(tmp_path: Path) -> None:
    secret = "postgres://app:Xk29sLq81mZaQ@db.example.com/x"
    with pytest.raises(Refused) as caught:
        loaded(tmp_path, "search.url", "https://a.example/", "https://app:Xk29sLq81mZaQ@db.example.com/x")
    assert "Xk29sLq81mZaQ" not in caught.value.line() and secret not in caught.value.line()


NUMBERS = st.integers(1, 2000)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    policy = Policy()
    limits = msgspec.structs.replace(policy.limits, root_tokens=draw(NUMBERS), cooldown_hours=draw(st.integers(0, 99)))
    llm = msgspec.structs.replace(
        policy.llm,
        provider=draw(st.sampled_from(["extractive", "claude"])),
        max_usd_per_plan=draw(st.floats(0, 9)),
        usd_per_million_input=draw(st.floats(0, 9)),
    )
    git = msgspec.structs.replace(policy.git, outside=tuple(sorted(draw(st.sets(st.sampled_from("abc"))))))
    return msgspec.structs.replace(policy, limits=limits, llm=llm, git=git)


@given(policies(), policies(), policies())
def test_narrower_is_an_order(one: Policy, two: Policy, three: Policy) -> None:
    def narrows(given_policy: Policy, own: Policy) -> bool:
        return not tuple(wider_values(own, given_policy))

    assert narrows(one, one)
    if narrows(one, two) and narrows(two, three):
        assert narrows(one, three)
    if narrows(one, two) and narrows(two, one):
        assert one == two


def test_a_broken_file_is_still_a_policy_error(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "other.yaml").write_text("limits: {semantic: {soft: 900, risk: 890}}\n", "utf-8")
    with pytest.raises(PolicyError):
        load_policy(tmp_path / "other.yaml", default_path=tmp_path / "none.yaml", workspace=tmp_path / "workspace")
