"""What platforms load: equal byte for byte to the rule of each, at its cap and one beside it (decision D41)."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.context.load.cuts import (
    head_digest_tail,
    head_tail,
    measure,
    middle,
    utf16_head,
    utf16_length,
    utf16_tail,
    whole_lines,
)
from engine.context.load.simulation import LoadedFile, LoadState, PlatformLoad, fallen_by_file, load
from engine.context.platforms.catalog import NAMES, platform, platforms
from engine.context.platforms.platform import CapUnit, Platform, SessionKind
from engine.errors import PolicyError, UsageError
from engine.plans.policy.file import parse_policy
from engine.plans.policy.values import ContextPolicy, Limits, Policy
from engine.text.tokens import counter
from engine.workspace.layout import MEMORY_MD_LINES
from tui.present.context.prompt_rows import loads_title
from tui.present.spans import plain

TOKENS = counter("o200k_base")
FILLERS = ["x", "界", "🦊"]
"""One UTF-16 unit and byte; one unit and three bytes; two units and four bytes."""


def loaded(
    name: str | Platform, files: Mapping[str, str | bytes], session: SessionKind = SessionKind.MAIN
) -> PlatformLoad:
    held = {path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()}
    one = platform(Policy(), name) if isinstance(name, str) else name
    return load(one, session, held.get, "/srv/agent", TOKENS)


def file_of(found: PlatformLoad, name: str) -> LoadedFile:
    return next(file for file in found.files if file.name == name)


def filled(size: int, filler: str) -> str:
    """A line of exactly so many UTF-16 units."""
    wide = utf16_length(filler)
    return filler * (size // wide) + "." * (size % wide)


# ── Claude Code ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("lines", [199, 200, 201])
def test_claude_code_loads_the_first_200_lines(lines: int) -> None:
    text = "".join(f"- 記憶 {n} 🦊\n" for n in range(1, lines + 1))
    file = file_of(loaded("claude-code", {"MEMORY.md": text}), "MEMORY.md")
    assert file.text == "\n".join(text.splitlines()[:200])
    assert [line.line for line in file.fallen] == list(range(201, lines + 1))
    assert file.state is (LoadState.CUT if lines > 200 else LoadState.WHOLE)
    assert next(cap.headroom for cap in file.caps if cap.unit is CapUnit.LINES) == 200 - lines


@pytest.mark.parametrize("size", [24_999, 25_000, 25_001])
@pytest.mark.parametrize("filler", FILLERS)
def test_claude_code_cuts_at_a_whole_line_within_25_000_characters(size: int, filler: str) -> None:
    first = "- a\n" * 3
    text = first + filled(size - len(first), filler)
    file = file_of(loaded("claude-code", {"MEMORY.md": text}), "MEMORY.md")
    assert file.text == (text if size <= 25_000 else first.rstrip("\n"))
    assert [line.line for line in file.fallen] == ([4] if size > 25_000 else [])
    assert next(cap.headroom for cap in file.caps if cap.unit is CapUnit.UTF16) == 25_000 - size


def test_claude_code_keeps_line_168_of_lines_of_147_characters_as_was_measured() -> None:
    text = "".join(f"{n:03d}".ljust(147, "x") + "\n" for n in range(1, 201))
    file = file_of(loaded("claude-code", {"MEMORY.md": text}), "MEMORY.md")
    assert file.text.splitlines()[-1].startswith("168") and file.fallen[0].line == 169


def test_claude_code_counts_no_frontmatter_and_no_comments() -> None:
    text = "---\ntype: memory\n---\n\n<!-- one\ntwo -->\n# A\n```\n<!-- code -->\n```\n" + "- b\n" * 197
    file = file_of(loaded("claude-code", {"MEMORY.md": text}), "MEMORY.md")
    assert file.text.splitlines()[:4] == ["# A", "```", "<!-- code -->", "```"]
    assert [line.line for line in file.fallen] == [len(text.splitlines())] and file.fallen[0].entry == "A"


def test_claude_code_follows_imports_within_the_workspace_and_names_those_outside() -> None:
    files = {
        "CLAUDE.md": "see @memory/ROOT.md and @~/own.md, `@not/this.md`\n```\n@nor/that.md\n```\n@../up.md mail@a.md\n",
        "memory/ROOT.md": "@../CLAUDE.md @deep.md\n",
        "memory/deep.md": "deep\n",
    }
    found = loaded("claude-code", files)
    assert [(file.name, file.state.value) for file in found.files[:5]] == [
        ("CLAUDE.md", "whole"),
        ("memory/ROOT.md", "whole"),
        ("memory/deep.md", "whole"),
        ("~/own.md", "missing"),
        ("../up.md", "missing"),
    ]


def test_letta_loads_what_lies_below_system_and_claims_nothing_without_a_sign() -> None:
    files = {
        "system/persona.md": "---\nlimit: 5000\n---\nI am calm.\n",
        "system/human/ana.md": "Ana.\n",
        "notes.md": "x\n",
    }
    held = {path: text.encode() for path, text in files.items()}
    below = ["system/human/ana.md", "system/persona.md"]
    found = load(platform(Policy(), "letta"), SessionKind.MAIN, held.get, "/srv/agent", TOKENS, listed=lambda _: below)
    assert found.used and [file.path for file in found.files if file.path] == below
    assert file_of(found, "system/persona.md").text == "I am calm.\n"
    assert not loaded("letta", {"MEMORY.md": "# Memory\n", "system/notes.md": "x\n"}).used
    held |= {"MEMORY.md": b"# Index\n"}  # the newer layout: the top of the folder, and not `system`
    names = {"": ["MEMORY.md", "notes.md"], "system": below}
    newer = load(
        platform(Policy(), "letta"), SessionKind.MAIN, held.get, "/srv/agent", TOKENS, listed=names.__getitem__
    )
    assert [(file.path, file.text) for file in newer.files] == [("MEMORY.md", "# Index\n"), ("notes.md", "x\n")]


def test_a_file_of_two_platforms_is_one_file_with_a_view_each() -> None:
    """The title said that 1,013 lines fall off: 505 of one file for one platform, and 508 of it for the other."""
    files = {"SOUL.md": "I am Silas.\n", "MEMORY.md": "- one of many lines of it\n" * 1200}
    both = [loaded(name, files | {"CLAUDE.md": "x\n"}) for name in ("claude-code", "openclaw")]
    ((path, views),) = fallen_by_file(both).items()
    assert path == "MEMORY.md" and len(views["Claude Code"]) == 1000 and len(views["OpenClaw"]) > 200
    title = plain(loads_title({SessionKind.MAIN: both}, SessionKind.MAIN))
    assert title.endswith(f"lines fall off: 1,000 in Claude Code, {len(views['OpenClaw'])} in OpenClaw")
    assert not loaded("claude-code", files).used and loaded("claude-code", {"MEMORY.md": "x\n"}).used


# ── OpenClaw ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("size", [19_999, 20_000, 20_001])
@pytest.mark.parametrize("filler", FILLERS)
def test_openclaw_keeps_head_and_tail_of_a_long_file(size: int, filler: str) -> None:
    text = filled(size, filler)
    file = file_of(loaded("openclaw", {"SOUL.md": text + " \n\n"}), "SOUL.md")
    if size <= 20_000:
        assert file.text == text and file.fallen == ()
        return
    said = "\n[...truncated, read SOUL.md for full content...]\n…(truncated SOUL.md: kept {}+{} chars of 20001)…\n"
    room = 20_000 - len(said.format(14_000, 4_000)) - 2
    head, tail = int(room * 0.75), int(room * 0.25)
    assert file.text == f"{utf16_head(text, head)}\n{said.format(head, tail)}\n{utf16_tail(text, tail)}"
    assert utf16_length(file.text) <= 20_000
    assert [line.partly for line in file.fallen] == [True]


def test_openclaw_gives_memory_what_the_others_leave() -> None:
    soul, user, memory = "s" * 20_000, "u" * 19_000, "m" * 20_000
    missing = "".join(f"[MISSING] Expected at: /srv/agent/{name}" for name in _MISSING)
    found = loaded("openclaw", {"SOUL.md": soul, "TOOLS.md": user, "MEMORY.md": memory})
    left = 60_000 - 20_000 - 19_000 - len(missing)
    assert utf16_length(file_of(found, "MEMORY.md").text) == 20_000 <= left
    full = loaded("openclaw", {"SOUL.md": soul, "TOOLS.md": soul, "USER.md": user, "MEMORY.md": memory})
    file = file_of(full, "MEMORY.md")
    assert file.state is LoadState.CUT and "characters are left" in file.reason
    assert full.total is not None and full.total.headroom >= 0
    none = loaded("openclaw", {"SOUL.md": soul, "TOOLS.md": soul, "USER.md": soul, "MEMORY.md": "# A\n- b\n"})
    assert file_of(none, "MEMORY.md").state is LoadState.LEFT_OUT
    assert [line.entry for line in file_of(none, "MEMORY.md").fallen] == ["A", "A"]


_MISSING = ("AGENTS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md")


def test_openclaw_puts_rules_between_head_and_tail_of_agents() -> None:
    lines = [f"plain prose number {n} that says little" for n in range(600)]
    lines[300] = "You must never push to main " + "x" * 300
    lines[310] = "- a list item"
    text = "\n".join(lines)
    file = file_of(loaded("openclaw", {"AGENTS.md": text}), "AGENTS.md")
    parts = file.text.split("\n")
    at = parts.index("[Policy digest from AGENTS.md]")
    assert parts[at - 1] == "[...truncated, read AGENTS.md for full content...]"
    assert (
        parts[at + 1] == ("You must never push to main " + "x" * 300)[:239] + "…" and parts[at + 2] == "- a list item"
    )
    assert parts[at + 3].startswith("…(truncated AGENTS.md: kept 9000+policy 254+")
    assert utf16_length(file.text) <= 20_000 and text.startswith(file.text[:9_000])


def test_d4_openclaw_loads_by_the_kind_of_session() -> None:
    names = {kind: [file.name for file in loaded("openclaw", {}, kind).files] for kind in SessionKind}
    assert "MEMORY.md" in names[SessionKind.MAIN] and "MEMORY.md" not in names[SessionKind.SHARED]
    assert names[SessionKind.SUBAGENT] == ["AGENTS.md", "TOOLS.md"]
    assert names[SessionKind.CRON] == ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md"]
    assert file_of(loaded("openclaw", {}), "MEMORY.md").text == ""


# ── Codex, Hermes, Gemini, hipocampus ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("size", [9_999, 10_000, 10_001])
@pytest.mark.parametrize("filler", FILLERS)
def test_codex_leaves_out_the_middle_of_the_summary(size: int, filler: str) -> None:
    text = "v1\n" + filler * ((size - 3) // len(filler.encode())) + "." * ((size - 3) % len(filler.encode()))
    file = file_of(loaded("codex", {"memories/memory_summary.md": text}), "memory_summary.md")
    if size <= 10_000:
        assert file.text == text
        return
    data = text.encode()
    first, last = data[:5_000].decode("utf-8", "ignore"), data[-5_000:].decode("utf-8", "ignore")
    assert file.text == f"{first}…1 tokens truncated…{last}" and file.fallen


@pytest.mark.parametrize("size", [32_767, 32_768, 32_769])
@pytest.mark.parametrize("filler", FILLERS)
def test_codex_cuts_agents_at_the_byte(size: int, filler: str) -> None:
    text = "." * (size % len(filler.encode())) + filler * (size // len(filler.encode()))
    file = file_of(loaded("codex", {"AGENTS.md": text}), "AGENTS.md")
    assert len(text.encode()) == size
    assert file.text == text.encode()[:32_768].decode("utf-8", "replace")
    assert bool(file.fallen) is (size > 32_768)


@pytest.mark.parametrize(("name", "cap"), [("MEMORY.md", 2_200), ("USER.md", 1_375)])
@pytest.mark.parametrize("beside", [-1, 0, 1])
@pytest.mark.parametrize("filler", FILLERS)
def test_hermes_loads_entries_whole_and_says_when_there_is_no_room(
    name: str, cap: int, beside: int, filler: str
) -> None:
    text = "first\n§\nsecond\n§\n"
    text += filler * (cap + beside - len(text))
    file = file_of(loaded("hermes", {f"memories/{name}": text}), name)
    assert file.text == text and file.fallen == ()
    assert file.state is (LoadState.OVER if beside > 0 else LoadState.WHOLE)
    assert file.caps[0].headroom == -beside


def test_hermes_loads_an_entry_once() -> None:
    file = file_of(loaded("hermes", {"memories/USER.md": " a \n§\nb\n§\na\n"}), "USER.md")
    assert file.text == "a\n§\nb" and file.fallen == ()


@pytest.mark.parametrize("size", [1, 100_000])
def test_gemini_loads_all_of_it(size: int) -> None:
    found = loaded("gemini", {"GEMINI.md": "界" * size, "MEMORY.md": "🦊"})
    assert [file.text for file in found.files] == ["界" * size, "🦊"]


@pytest.mark.parametrize("beside", [-1, 0, 1])
def test_hipocampus_cuts_nothing_and_root_has_the_limit_of_the_policy(beside: int) -> None:
    line = "- 記憶は三千トークンまで 🦊\n"
    text = line * 40
    limit = TOKENS.count(text) - beside
    one = platform(Policy(limits=Limits(root_tokens=limit)), "hipocampus")
    file = loaded(one, {"memory/ROOT.md": text}).files[0]
    assert file.text == text and file.caps[0].headroom == -beside and file.fallen == ()
    assert file.state is (LoadState.OVER if beside > 0 else LoadState.WHOLE)


# ── the data ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_platform_has_a_version_a_source_and_a_date() -> None:
    found = platforms(Policy())
    assert [one.name for one in found] == list(NAMES)
    assert all(one.version and one.source and one.date for one in found)
    assert all(set(one.sessions) == set(SessionKind) for one in found)


def test_d23_the_cap_of_memory_md_is_the_one_of_claude_code() -> None:
    assert platform(Policy(), "claude-code").files["MEMORY.md"].caps[CapUnit.LINES] == dict(MEMORY_MD_LINES)["full"]


def test_only_main_sees_memory_md() -> None:
    for one in platforms(Policy()):
        for kind in set(SessionKind) - {SessionKind.MAIN}:
            assert "MEMORY.md" not in one.sessions[kind]


def test_every_value_can_be_overridden_in_the_policy() -> None:
    text = "context: {platforms: {claude-code: {use: always, files: {MEMORY.md: {caps: {lines: 2}}}}}}"
    policy, keys = parse_policy(text, "policy.yaml")
    found = loaded(platform(policy, "claude-code"), {"MEMORY.md": "a\nb\nc\n"})
    assert file_of(found, "MEMORY.md").text == "a\nb" and keys == ("context.platforms",)


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"claud": {}}, "no platform"),
        ({"codex": {"filse": {}}}, "unknown field"),
        ({"codex": {"files": {"AGENTS.md": {"caps": {"bytes": 0}}}}}, ">= 1"),
        ({"codex": {"sessions": {"main": ["NONE.md"]}}}, "not among its files"),
        ({"openclaw": {"files": {"SOUL.md": {"shares": [0.9, 0.3]}}}}, "shares"),
        ({"openclaw": {"files": {"SOUL.md": {"caps": {"utf16": 0}}}}}, ">= 1"),
        ({"codex": {"files": {"AGENTS.md": {"rule": "head-tail", "shares": [0.5, 0.5]}}}}, "cap"),
    ],
)
def test_what_fits_no_platform_is_refused(overrides: dict[str, dict[str, object]], said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        platforms(Policy(context=ContextPolicy(platforms=overrides)))


def test_a_platform_that_there_is_not_is_named_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="openclaw"):
        platform(Policy(), "cursor")


# ── properties ─────────────────────────────────────────────────────────────────────────────────────────────────────

TEXTS = st.text(st.sampled_from("ab \n#-界🦊\t"), max_size=400)


@given(TEXTS, st.integers(1, 300))
def test_a_cut_text_is_within_its_cap_and_what_is_kept_stands_in_it(text: str, most: int) -> None:
    for cut in (
        head_tail(text, "A.md", most, (0.75, 0.25)),
        head_digest_tail(text, "AGENTS.md", most, (0.45, 0.35, 0.15)),
        whole_lines(text, None, most),
    ):
        assert utf16_length(cut.text) <= max(most, 0)
    lines = whole_lines(text, most, None)
    assert measure(lines.text, CapUnit.LINES, TOKENS) <= most and text.startswith(lines.text)
    taken = middle(text, most)
    assert all(text[start:end] in taken.text for start, end in taken.kept)


@given(TEXTS, st.integers(0, 200))
def test_no_character_is_cut_in_two(text: str, most: int) -> None:
    head, tail = utf16_head(text, most), utf16_tail(text, most)
    assert text.startswith(head) and text.endswith(tail)
    assert utf16_length(head) <= most and utf16_length(tail) <= most
    assert len(head) == len(text) or utf16_length(text[: len(head) + 1]) > most


@given(st.dictionaries(st.sampled_from(["AGENTS.md", "SOUL.md", "CLAUDE.md", "MEMORY.md", "GEMINI.md"]), st.binary()))
def test_whatever_stands_in_the_files_something_is_loaded(files: dict[str, bytes]) -> None:
    for one in platforms(Policy()):
        for kind in SessionKind:
            found = loaded(one, files, kind)
            assert found == loaded(one, files, kind)
            assert found.total is None or found.total.headroom >= 0
