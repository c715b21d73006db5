"""The operator's policy file: defaults, every key checked and explained, and where it may lie (G12, G19)."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import PolicyError, Refused
from engine.plans.policy.comparison import value_of
from engine.plans.policy.file import load_policy, parse_policy, policy_values
from engine.plans.policy.values import Policy

FULL = """
approval: {auto: [A]}
limits:
  semantic: {soft: 900, risk: 1020, hard: 1200}
  working: {files: 12, tokens: 4000, age_days: 10, eligible_days: 7}
  episodic: {files: 20, tokens: 8000, age_days: 45, eligible_days: 30}
  root_tokens: 3000
  cooldown_hours: 24
context:
  {window_tokens: 200000, model_windows: {}, prompt_tokens: 8192, flush_tokens: 500, system_prompt: "", platforms: {},
   hold_compaction: off, hold_seconds: 120}
llm:
  provider: extractive
  models: {gate: null, extract: null, summarise: null}
  max_usd_per_plan: 0.50
  usd_per_million_input: 1.0
  usd_per_million_output: 5.0
topics: {scorer: blend}
git: {commit: true, push: false, filters: {git-crypt: git-crypt clean}, shared: {team: /srv/team.git}}
search: {embedder: static, model: "", url: "", key_variable: K, usd_per_million_tokens: 0, max_usd: 0, merge: adaptive}
tokens: {counter: words*1.3}
zone: Asia/Seoul
"""


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """The workspace, and where the operator's own policy would be."""
    (tmp_path / "workspace").mkdir()
    (tmp_path / "config").mkdir()
    return tmp_path / "workspace", tmp_path / "config" / "policy.yaml"


def error_of(text: str) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        parse_policy(text, "policy.yaml")
    assert caught.value.exit_code == 2
    return caught.value


def test_without_a_file_every_value_is_the_default(places: tuple[Path, Path]) -> None:
    workspace, default = places
    policy, origins = load_policy(None, default_path=default, workspace=workspace)
    assert policy == Policy()
    values = {value.key: value for value in policy_values(policy, origins)}
    assert {value.origin for value in values.values()} == {"default"}
    assert values["limits.semantic.risk"].value == 1020
    assert values["approval.auto"].value == ()
    assert values["llm.models.gate"].value is None
    assert values["git.filters"].value == {}
    assert values["zone"].value == "UTC"


def test_g12_a_file_sets_values_and_each_names_its_origin(places: tuple[Path, Path]) -> None:
    workspace, default = places
    default.write_text("limits:\n  working:\n    files: 3\nzone: Europe/Berlin\n", encoding="utf-8")
    policy, origins = load_policy(None, default_path=default, workspace=workspace)
    assert (policy.limits.working.files, policy.limits.working.tokens) == (3, 4000)
    assert origins == {"limits.working.files": str(default), "zone": str(default)}
    assert policy.sha256 != Policy().sha256


def test_every_documented_key_is_understood() -> None:
    policy, keys = parse_policy(FULL, "policy.yaml")
    assert policy.approval.auto == ("A",)
    assert (policy.limits.working.files, policy.tokens.counter, policy.zone) == (12, "words*1.3", "Asia/Seoul")
    assert policy.git.filters == {"git-crypt": "git-crypt clean"}
    documented = {value.key for value in policy_values(Policy(), {})}
    assert documented - set(keys) == {
        "digest.command",
        "git.branch",
        "git.commit_others",
        "git.remote",
        "git.outside",
        "git.private",
        "llm.batch_from",
        "llm.key_variable",
        "llm.models.commit",
        "llm.most_ungrounded",
        "llm.prices",
        "llm.seconds",
        "llm.url",
        "llm.window",
        "probes.on_loss",
        "verify.repositories",
        "verify.urls",
        "lifecycle.most_left_out",
        "lifecycle.transcript_roots",
        "qmd.run",
        "qmd.timeout_seconds",
    }


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "limits:\n  # working: {}\ngit:\n", "\ufeff"])
def test_an_empty_file_or_section_leaves_the_defaults(places: tuple[Path, Path], text: str) -> None:
    workspace, default = places
    default.write_text(text, encoding="utf-8")
    assert load_policy(None, default_path=default, workspace=workspace) == (Policy(), {})


def test_a_plain_off_is_the_word_where_a_word_is_asked_for() -> None:
    assert parse_policy("qmd: {run: off}", "p.yaml")[0].qmd.run == "off"
    assert not parse_policy("git: {commit: off}", "p.yaml")[0].git.commit
    with pytest.raises(PolicyError, match=r"qmd\.run"):
        parse_policy("qmd: {run: on}", "p.yaml")


@pytest.mark.parametrize(
    ("text", "where", "named", "hint"),
    [
        ("limit: {}", "policy.yaml:1", "`limit`", "`limits`"),
        (
            "zone: UTC\nlimits:\n  semantic: {sfot: 900}",
            "policy.yaml:3",
            "`limits.semantic.sfot`",
            "limits.semantic.soft",
        ),
        ("limits:\n  working:\n    file: 3", "policy.yaml:3", "`limits.working.file`", "limits.working.files"),
        ("semantic: {soft: 1}", "policy.yaml:1", "`semantic`", "limits.semantic"),
        ("cooldown_hours: 3", "policy.yaml:1", "`cooldown_hours`", "limits.cooldown_hours"),
        ("approval: {auto: [], autp: [A]}", "policy.yaml:1", "`approval.autp`", "approval.auto"),
        ("qqqqqq: 1", "policy.yaml:1", "`qqqqqq`", "memdeck policy"),
        ("1: 2", "policy.yaml:1", "`1`", "memdeck policy"),
    ],
)
def test_an_unknown_key_is_an_error_with_a_suggestion(text: str, where: str, named: str, hint: str) -> None:
    error = error_of(text)
    assert error.where == where
    assert named in error.message
    assert hint in error.hint


@pytest.mark.parametrize(
    ("text", "where", "parts"),
    [
        ("limits:\n  semantic:\n    soft: many", "policy.yaml:3", ["limits.semantic.soft", "int", "str"]),
        ("limits: {semantic: {soft: '900'}}", "policy.yaml:1", ["limits.semantic.soft", "int", "str"]),
        ("limits: {semantic: {soft: 9.5}}", "policy.yaml:1", ["limits.semantic.soft", "int", "float"]),
        ("limits: {working: {files: true}}", "policy.yaml:1", ["limits.working.files", "int", "bool"]),
        ("limits: 3", "policy.yaml:1", ["limits", "object", "int"]),
        ("git: {push: 1}", "policy.yaml:1", ["git.push", "bool", "int"]),
        ("llm: {provider: gpt}", "policy.yaml:1", ["llm.provider", "gpt"]),
        ("zone: 3", "policy.yaml:1", ["zone", "str"]),
        ("- a\n- b", "policy.yaml", ["keys with values"]),
    ],
)
def test_a_wrong_type_names_the_key_and_what_is_expected(text: str, where: str, parts: list[str]) -> None:
    error = error_of(text)
    assert error.where == where
    assert all(part in error.message for part in parts), error.message


@pytest.mark.parametrize("auto", ["[B]", "[C]", "[A, B]", "[A, C]", "A", "[a]", "true"])
def test_g11_no_policy_lets_b_or_c_run_by_itself(auto: str) -> None:
    error = error_of(f"approval: {{auto: {auto}}}")
    assert "may hold A alone" in error.message
    assert "always need a person" in error.hint


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("limits: {semantic: {soft: 1021}}", "limits.semantic.soft"),
        ("limits: {semantic: {risk: 1201}}", "limits.semantic.risk"),
        ("limits: {semantic: {soft: 0}}", "limits.semantic.soft"),
        ("limits: {working: {files: -1}}", "limits.working.files"),
        ("limits: {episodic: {age_days: 99999999}}", "limits.episodic.age_days"),
        ("limits: {cooldown_hours: 99999999999}", "limits.cooldown_hours"),
        ("llm: {url: 'http://a.example'}", "llm.url"),
        ("llm: {url: 'http://127.0.0.1.a.example'}", "llm.url"),
        ("llm: {max_usd_per_plan: -0.01}", "llm.max_usd_per_plan"),
        ("llm: {max_usd_per_plan: .nan}", "llm.max_usd_per_plan"),
        ("llm: {max_usd_per_plan: .inf}", "llm.max_usd_per_plan"),
        ("zone: Mars/Olympus", "zone"),
        ("zone: ../../etc/passwd", "zone"),
        ("git: {outside: [relative/folder]}", "git.outside"),
        ("lifecycle: {transcript_roots: [relative/folder]}", "lifecycle.transcript_roots"),
        ("git: {filters: {git-crypt: ''}}", "git.filters"),
        ("git: {private: [/absolute]}", "git.private"),
        ("git: {private: [a/../b]}", "git.private"),
        ("git: {private: ['with blank']}", "git.private"),
        ("git: {private: ['all*']}", "git.private"),
        ("git: {shared: {team: 'ext::sh -c id'}}", "git.shared"),
        ("git: {shared: {team: 'http://example.org/t.git'}}", "git.shared"),
        ("git: {shared: {team: ../team.git}}", "git.shared"),
        ("git: {shared: {../team: 'https://example.org/t.git'}}", "git.shared"),
    ],
)
def test_values_that_do_not_fit_together_are_refused(text: str, key: str) -> None:
    error = error_of(text)
    assert f"`{key}`" in error.message
    assert error.where == "policy.yaml:1"


@pytest.mark.parametrize(
    ("key", "least", "most"),
    [
        ("limits.root_tokens", 1, 1_000_000_000),
        ("limits.working.files", 0, 1_000_000_000),
        ("limits.working.age_days", 0, 36_500),
        ("limits.cooldown_hours", 0, 36_500 * 24),
        ("context.hold_seconds", 1, 3600),
        ("llm.max_usd_per_plan", 0, 1_000_000_000),
        ("llm.most_ungrounded", 0, 1),
        ("lifecycle.most_left_out", 0, 1),
    ],
)
def test_each_number_has_its_bounds(key: str, least: int, most: int) -> None:
    *sections, name = key.split(".")
    begin = "".join(f"{'  ' * depth}{section}:\n" for depth, section in enumerate(sections))
    for number in (least, most):
        policy, keys = parse_policy(f"{begin}{'  ' * len(sections)}{name}: {number}\n", "p.yaml")
        assert keys == (key,) and value_of(policy, key) == number
    for number in (least - 1, most + 1):
        with pytest.raises(PolicyError, match=f"`{key}`: must be at"):
            parse_policy(f"{begin}{'  ' * len(sections)}{name}: {number}\n", "p.yaml")


def test_a_mistyped_zone_gets_a_suggestion() -> None:
    assert "Europe/Berlin" in error_of("zone: Europe/Berlln").hint


@pytest.mark.parametrize(
    "text",
    [
        "a: &x [1]\nb: *x",
        "zone: !!python/object/apply:os.system ['true']",
        "zone: UTC\nzone: UTC",
        "<<: {zone: UTC}",
        "limits: " + "{a: " * 30 + "1" + "}" * 30,
        "zone: [",
        "zone: 2026-02-30",
        "zone: UTC\n---\nzone: UTC",
        "zone: \x00",
    ],
)
def test_hostile_yaml_is_refused_with_one_line(text: str) -> None:
    line = error_of(text).line()
    assert line.startswith("policy.yaml")
    assert "\n" not in line


@given(st.text(max_size=80))
def test_any_text_is_a_policy_or_a_policy_error(text: str) -> None:
    try:
        parse_policy(text, "policy.yaml")
    except PolicyError as error:
        assert error.message


def test_g19_a_policy_inside_the_workspace_is_refused_also_through_links(places: tuple[Path, Path]) -> None:
    workspace, default = places
    inside = workspace / "policy.yaml"
    inside.write_text("zone: UTC\n", encoding="utf-8")
    outside = default.parent / "good.yaml"
    outside.write_text("zone: UTC\n", encoding="utf-8")
    to_inside = default.parent / "link.yaml"
    to_inside.symlink_to(inside)
    from_inside = workspace / "link.yaml"
    from_inside.symlink_to(outside)
    through = default.parent / "through.yaml"
    through.symlink_to(from_inside)
    folder = default.parent / "folder"
    folder.symlink_to(workspace)
    for path in (inside, to_inside, from_inside, through, folder / "policy.yaml", folder / "missing.yaml"):
        with pytest.raises(Refused) as caught:
            load_policy(path, default_path=default, workspace=workspace)
        assert caught.value.exit_code == 3
    with pytest.raises(Refused):
        load_policy(None, default_path=inside, workspace=workspace)
    assert load_policy(outside, default_path=default, workspace=workspace)[1] == {"zone": str(outside)}


def test_g19_a_policy_file_may_narrow_what_runs_by_itself_and_never_widen_it(places: tuple[Path, Path]) -> None:
    workspace, default = places
    given_file = default.parent / "other.yaml"
    given_file.write_text("approval: {auto: [A]}\nlimits: {working: {files: 2}}\n", encoding="utf-8")
    with pytest.raises(Refused, match=r"approval\.auto"):
        load_policy(given_file, default_path=default, workspace=workspace)
    default.write_text("approval: {auto: [A]}\n", encoding="utf-8")
    assert load_policy(given_file, default_path=default, workspace=workspace)[0].approval.auto == ("A",)
    given_file.write_text("limits: {working: {files: 2}}\n", encoding="utf-8")
    policy, origins = load_policy(given_file, default_path=default, workspace=workspace)
    assert (policy.approval.auto, policy.limits.working.files) == ((), 2)
    assert origins == {"limits.working.files": str(given_file)}


def test_a_file_that_cannot_be_read_says_why(places: tuple[Path, Path]) -> None:
    workspace, default = places
    for make in (lambda: default.mkdir(), lambda: os.mkfifo(default), lambda: default.write_bytes(b"zone: \xff")):
        make()
        with pytest.raises(PolicyError) as caught:
            load_policy(None, default_path=default, workspace=workspace)
        assert str(default) in caught.value.where
        default.rmdir() if default.is_dir() else default.unlink()
    default.write_text("# " + "x" * 70_000, encoding="utf-8")
    with pytest.raises(PolicyError, match="64 KB"):
        load_policy(None, default_path=default, workspace=workspace)
    with pytest.raises(PolicyError, match="no such file"):
        load_policy(default.parent / "missing.yaml", default_path=default.parent / "none", workspace=workspace)
