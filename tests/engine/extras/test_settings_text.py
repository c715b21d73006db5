"""Settings of other tools are changed by insertions alone: every other byte stays, and all can be taken back (D63)."""

import json
import tomllib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Damaged, MemdeckError, Refused
from engine.extras.connect.json_text import read_json, taken_back
from engine.extras.connect.settings_text import Wanted, holds_all, is_ours, with_values, without_empty, without_values
from engine.extras.connect.tool_data import NAMES, tool_data

HOOK = Wanted(("hooks", "Stop"), {"hooks": [{"type": "command", "command": "memdeck -w /x hook stop"}]}, True)
SERVER = Wanted(("mcpServers", "memdeck"), {"command": "memdeck", "args": ["mcp"]}, False)
WANTED = (HOOK, SERVER)
NAMED = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | NAMED,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMED, inner, max_size=3),
    max_leaves=12,
)
COMMENTED = """// mine
{
    "model": "opus", /* kept */
    'single': .5, // a number of JSON5
    hooks: {
        Stop: [
            { hooks: [{ command: "say done" }] }, // first
        ],
    },
}
"""


@given(
    st.dictionaries(NAMED.filter(lambda name: name not in ("hooks", "mcpServers")), VALUES, max_size=4),
    st.sampled_from([None, 1, 2, "\t"]),
)
def test_d63_what_is_put_into_json_changes_nothing_else_and_comes_out_again(
    value: object, indent: int | str | None
) -> None:
    text = json.dumps(value, indent=indent)
    made = with_values(text, "json", WANTED, "settings.json")
    after = json.loads(made.text)
    assert after == {**json.loads(text), "hooks": {"Stop": [HOOK.value]}, "mcpServers": {"memdeck": SERVER.value}}
    assert list(after)[: len(json.loads(text))] == list(json.loads(text)), "the order stays"
    assert taken_back(made.text, made.steps) == text
    assert with_values(made.text, "json", WANTED, "settings.json").text == made.text, "run again it changes nothing"


def test_d63_comments_trailing_commas_and_other_hooks_stay() -> None:
    made = with_values(COMMENTED, "json", WANTED, "settings.json")
    lines = made.text.splitlines()
    assert [line for line in COMMENTED.splitlines() if line not in lines] == []
    stop = read_json(made.text, "").value["hooks"]["Stop"]
    assert [hook["hooks"][0]["command"] for hook in stop] == ["say done", "memdeck -w /x hook stop"]
    assert taken_back(made.text, made.steps) == COMMENTED
    # The person goes on with their file: what is ours still comes out, and what is theirs stays.
    later = made.text.replace('"opus"', '"haiku"').replace("// first", "// the first")
    without = without_empty(without_values(later, "json", WANTED, made.steps, ""), made.brought, "")
    assert read_json(without, "").value == read_json(COMMENTED.replace("opus", "haiku"), "").value
    assert "// the first" in without and "memdeck" not in without


def test_d63_hooks_pasted_from_an_earlier_version_are_known_as_ours() -> None:
    for command in (
        "memdeck -w /x plan tree --scheduled --json >/dev/null",
        "python -m tui.cli -w /x hooks claude-code --event",
        "env A=b /opt/memdeck -w /x hook prompt",
    ):
        assert is_ours({"hooks": [{"command": command}]})
    assert not is_ours({"hooks": [{"command": "notify 'memdeck is fine'"}]})


@pytest.mark.parametrize(
    "text", ["", "a = 1", 'a = 1\n\n[mcp_servers.other] # theirs\ncommand = "x"\n', "[a]\nb = [1,\n 2]\n"]
)
def test_d63_a_table_is_added_to_toml_and_taken_back(text: str) -> None:
    wanted = [Wanted(("mcp_servers", "memdeck"), SERVER.value, False)]
    made = with_values(text, "toml", wanted, "config.toml")
    assert made.text.startswith(text) and taken_back(made.text, made.steps) == text
    assert tomllib.loads(made.text)["mcp_servers"]["memdeck"] == SERVER.value
    changed = f"# more\n{made.text}\n[z]\n"
    assert tomllib.loads(without_values(changed, "toml", wanted, made.steps, "")).get("z") == {}
    assert not holds_all(without_values(changed, "toml", wanted, made.steps, ""), "toml", wanted, "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "model: x # mine\n",
        "hooks:\n  on_start:\n    - command: a\n# end",
        "mcp_servers:\n  # theirs\n  other:\n    command: b\nhooks:\n  pre_llm_call:\n  - command: c\n",
    ],
)
def test_d63_entries_are_added_to_yaml_and_taken_back(text: str) -> None:
    wanted = [Wanted(("hooks", "pre_llm_call"), {"command": "memdeck hook prompt"}, True)]
    wanted += [Wanted(("mcp_servers", "memdeck"), SERVER.value, False)]
    made = with_values(text, "yaml", wanted, "config.yaml")
    before, after = yaml.safe_load(text) or {}, yaml.safe_load(made.text)
    assert wanted[0].value in after["hooks"]["pre_llm_call"] and after["mcp_servers"]["memdeck"] == SERVER.value
    assert (
        before.items() <= {**after, **{key: before[key] for key in ("hooks", "mcp_servers") if key in before}}.items()
    )
    assert taken_back(made.text, made.steps) == text


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("json", '{"hooks": []}'), ("json", '{"hooks": {"Stop": {}}}'), ("json", "not json"), ("json", "[1, 2"),
        ("json", '{"a" 1}'), ("json", "[" * 300), ("toml", 'mcp_servers = "x"\n'), ("toml", "a = = 1"),
        ("yaml", "hooks: {}\n"), ("yaml", "a: [b"), ("yaml", "hooks:\n"),
    ],
)  # fmt: skip
def test_d63_an_unknown_form_is_refused_with_what_to_do(form: str, text: str) -> None:
    wanted = SERVER if form != "toml" else Wanted(("mcp_servers", "memdeck"), SERVER.value, False)
    with pytest.raises(Refused, match="connect --print"):
        with_values(text, form, [HOOK, wanted] if form != "toml" else [wanted], "settings")  # type: ignore[arg-type]


@given(st.text("{}[]:,\"'/*\\ \n1a.", max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        read_json(text, "settings.json")
    except MemdeckError as error:
        assert isinstance(error, Damaged) and "settings.json" in error.line()


@pytest.mark.parametrize("name", NAMES)
def test_the_data_of_each_tool_says_version_date_and_sources(name: str) -> None:
    data = tool_data(name)
    assert data.version and data.date.startswith("2026-") and data.sources
    assert all(entry.reason for file in data.files for entry in file.entries)
