"""The window of a session: computed by hand, at the edges of the bands, and as the file grows (B1, B23)."""

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.services.engine import Engine
from engine.sessions.line_buffer import LineBuffer, RawLine
from engine.sessions.window.session_window import WindowFile
from engine.sessions.window.token_timeline import TimelineReader, WindowBand, WindowTimeline, band_of, edge, limit_of
from tests.engine.sessions.window_logs import (
    answer,
    compacted,
    openclaw_answer,
    openclaw_compacted,
    openclaw_said,
    result,
    said,
)


def timeline(*lines: str) -> WindowTimeline:
    reader = TimelineReader()
    for line in LineBuffer().take("".join(lines).encode()):
        reader.read(line)
    return reader.timeline()


BY_HAND = (
    said("begin"),  # line 1
    answer("m1", (10, 1_000, 500)),  # lines 2-4: 1,510
    said("go on"),  # line 5
    answer("m2", (20, 1_500, 300)),  # lines 6-8: 1,820
    answer("side", (9, 90_000, 9), sidechain=True),  # lines 9-11: another context
    said("and more"),  # line 12
    answer("m3", (30, 1_800, 200)),  # lines 13-15: 2,030
    compacted(2_030),  # lines 16-17
    answer("m3", (30, 1_800, 200)),  # lines 18-20: told again from before
    said("go on"),  # line 21
    answer("m4", (40, 0, 400)),  # lines 22-24: 440
    said("last"),  # line 25
    answer("m5", (50, 400, 60)),  # lines 26-28: 510
)


def test_b23_three_lines_per_message_a_side_chain_and_a_compaction_computed_by_hand() -> None:
    found = timeline(*BY_HAND)
    assert [turn.tokens for turn in found.turns] == [1_510, 1_820, 2_030, 440, 510]
    assert [turn.line for turn in found.turns] == [2, 6, 13, 22, 26]
    assert (found.tokens, found.since, found.model) == (510, 3, "claude-sonnet-4-5")
    (cut,) = found.compactions
    assert (cut.line, cut.trigger, cut.before, cut.after, cut.left) == (16, "auto", 2_030, 440, 1_590)
    assert (cut.first_turn, cut.last_turn, cut.turns, cut.first_line, cut.last_line) == (1, 3, 3, 1, 15)


def test_b23_nothing_before_the_last_compaction_counts() -> None:
    found = timeline(answer("m1", (0, 190_000, 0)), compacted(190_000, "manual"))
    assert (found.tokens, found.band(200_000)) == (0, WindowBand.UNKNOWN)
    assert found.compactions[0].left == 0, "the next answer tells what left"


def test_b23_a_summary_without_a_boundary_is_a_compaction_once() -> None:
    summary = compacted(0).splitlines(keepends=True)[1]
    found = timeline(answer("m1", (0, 9_000, 0)), summary, answer("m2", (0, 800, 0)))
    assert [(cut.before, cut.after) for cut in found.compactions] == [(9_000, 800)]


def test_b23_openclaw_names_its_tokens_otherwise_and_keeps_a_tail() -> None:
    found = timeline(
        openclaw_said("a", "begin"),
        openclaw_answer("b", (100, 2_000, 50)),
        openclaw_said("c", "on"),
        openclaw_answer("d", (100, 2_900, 0)),
        openclaw_compacted("e", 3_000, "c"),
        openclaw_answer("f", (500, 0, 0)),
    )
    assert [turn.tokens for turn in found.turns] == [2_150, 3_000, 500]
    (cut,) = found.compactions
    assert (cut.first_line, cut.last_line, cut.turns, cut.left) == (1, 2, 1, 2_500)


def test_what_the_program_itself_says_and_odd_lines_count_for_nothing() -> None:
    odd = [
        answer("x", (0, 0, 0), model="<synthetic>", blocks=1),
        json.dumps({"type": "assistant", "message": {"id": "y", "usage": {"input_tokens": -5}}}) + "\n",
        json.dumps({"type": "assistant", "message": {"id": "y", "usage": {"input_tokens": 10**18}}}) + "\n",
        json.dumps({"type": "assistant", "message": {"id": "y", "usage": {"input_tokens": "many"}}}) + "\n",
        json.dumps({"type": "assistant", "isApiErrorMessage": True, "message": {"usage": {"input_tokens": 9}}}) + "\n",
        '{"type": "assistant", "message"\n',
        "[1]\n",
    ]
    assert timeline(answer("m", (7, 0, 0)), *odd).tokens == 7


@given(st.lists(st.binary(max_size=80)))
def test_whatever_the_bytes_nothing_is_raised(lines: list[bytes]) -> None:
    reader = TimelineReader()
    for line in LineBuffer().take(b"\n".join(lines) + b"\n"):
        reader.read(line)
    assert reader.timeline().tokens == 0


@pytest.mark.parametrize(
    ("tokens", "band"),
    [
        (159_999, WindowBand.OK),
        (160_000, WindowBand.WARNING),
        (179_999, WindowBand.WARNING),
        (180_000, WindowBand.COMPACT),
        (194_999, WindowBand.COMPACT),
        (195_000, WindowBand.EMERGENCY),
        (400_000, WindowBand.EMERGENCY),
    ],
)
def test_b1_bands_begin_at_80_90_and_97_5_percent(tokens: int, band: WindowBand) -> None:
    assert band_of(tokens, 200_000) is band


@given(st.integers(1, 2_000_000), st.sampled_from([WindowBand.WARNING, WindowBand.COMPACT, WindowBand.EMERGENCY]))
def test_b1_an_edge_is_the_first_figure_of_its_band(limit: int, band: WindowBand) -> None:
    order = list(WindowBand)
    assert order.index(band_of(edge(band, limit), limit)) >= order.index(band)
    assert order.index(band_of(edge(band, limit) - 1, limit)) < order.index(band)


def test_b23_the_limit_is_that_of_the_model_by_the_policy() -> None:
    by_model = {"claude-*": 200_000, "claude-opus-4*": 1_000_000, "gpt-5": 400_000}
    assert limit_of("claude-opus-4-6", by_model, 100) == 1_000_000
    assert limit_of("claude-haiku", by_model, 100) == 200_000
    assert (limit_of("gpt-5", by_model, 100), limit_of("gpt-5-mini", by_model, 100)) == (400_000, 100)
    assert limit_of("", {"*": 5}, 100) == 100


def test_the_forecast_goes_by_the_growth_of_the_last_turns() -> None:
    grows = [answer(f"m{n}", (0, 1_000 * n, 0), blocks=1) for n in range(1, 76)]
    ahead = timeline(*grows).forecast(100_000)
    assert ahead is not None
    assert (ahead.band, ahead.tokens, ahead.turns, ahead.growth) == (WindowBand.WARNING, 80_000, 5, 1_000)
    assert timeline(*grows, compacted(75_000), answer("n", (0, 500, 0))).forecast(100_000) is None
    still = [answer(f"m{n}", (0, 5_000, 0), blocks=1) for n in range(5)]
    assert timeline(*still).forecast(100_000) is None, "it does not grow"


# ── followed sessions ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    (tmp_path / "agent").mkdir()
    (tmp_path / "claude").mkdir()
    return tmp_path / "agent"


def opened(agent: Path, policy: str = "") -> Engine:
    env = {f"XDG_{name}_HOME": str(agent.parent / name.lower()) for name in ("STATE", "CONFIG", "CACHE")}
    config = agent.parent / "config" / "memdeck"
    config.mkdir(parents=True, exist_ok=True)
    config.chmod(0o700)
    (config / "policy.yaml").write_text(policy, encoding="utf-8")
    return Engine.open(agent, env=env)


def test_b23_nothing_followed_is_unknown_and_never_ok(agent: Path) -> None:
    with opened(agent) as engine:
        assert engine.status.read().window == {"tokens": 0, "limit": 200_000, "band": "unknown", "sessions": 0}


def test_b1_a_growing_session_crosses_the_three_bands(agent: Path) -> None:
    log = agent.parent / "claude" / "s-1.jsonl"
    log.write_text(answer("m1", (0, 100_000, 0)), encoding="utf-8")
    with opened(agent) as engine:
        engine.sessions.follow(log.parent)
        seen = []
        for number, tokens in enumerate((120_000, 134_000, 151_000, 163_000)):
            with log.open("a", encoding="utf-8") as file:
                file.write(said("on") + answer(f"n{number}", (0, tokens, 0)))
            seen.append(engine.status.read().window["band"])
        assert seen == ["ok", "warning", "compact", "emergency"]
        (window,) = engine.windows.sessions()
        assert (window.session, window.tokens, len(window.timeline.turns)) == ("s-1", 163_000, 5)
        log.write_text(answer("z", (0, 10, 0)), encoding="utf-8")
        assert engine.status.read().window["tokens"] == 10, "a file written anew is read from its start"


def test_the_limit_of_the_policy_decides_the_band(agent: Path) -> None:
    log = agent.parent / "claude" / "s-1.jsonl"
    log.write_text(answer("m1", (0, 195_000, 0)), encoding="utf-8")
    with opened(agent, "context: {model_windows: {'claude-sonnet*': 1000000}}\n") as engine:
        engine.sessions.follow(log)
        window = engine.status.read().window
        assert (window["limit"], window["band"], window["model"]) == (967_000, "ok", "claude-sonnet-4-5")


def test_b25_the_bands_are_shares_of_what_can_be_used_before_the_tool_compacts(agent: Path) -> None:
    folder = agent.parent / "claude"
    (folder / "claude.jsonl").write_text(answer("m1", (0, 150_300, 0)), encoding="utf-8")
    (folder / "claw.jsonl").write_text(openclaw_answer("a1", (158_400, 0, 0)), encoding="utf-8")
    with opened(agent) as engine:
        engine.sessions.follow(folder)
        seen = {one.session: (one.limit, one.band.value) for one in engine.windows.sessions()}
        assert seen == {"claude": (167_000, "compact"), "claw": (176_000, "compact")}
        newer = answer("m1", (0, 150_300, 0)).replace("claude-sonnet-4-5", "claude-opus-5-5")
        (folder / "claude.jsonl").write_text(newer, encoding="utf-8")
        assert engine.windows.session("claude").limit == 967_000, "of a model that its data name"
    with opened(agent, "context: {model_windows: {'claude-*': 500000}}\n") as engine:
        assert engine.windows.session("claude").limit == 467_000, "the operator's word is the last"


def test_b25_a_compaction_that_was_seen_is_believed_until_a_reading_proves_it_wrong(agent: Path) -> None:
    log = agent.parent / "claude" / "s-1.jsonl"
    left = compacted(155_000).replace('"preTokens": 155000', '"preTokens": 155000, "postTokens": 21000')
    log.write_text(answer("m1", (0, 155_000, 0)) + left, encoding="utf-8")
    other = log.with_name("s-2.jsonl")
    other.write_text(answer("n1", (0, 140_000, 0)), encoding="utf-8")
    with opened(agent) as engine:
        engine.sessions.follow(log.parent)
        engine.windows.sessions()  # learnt of one session, it holds for the others of that model
        seen = {one.session: (one.tokens, one.limit) for one in engine.windows.sessions()}
        assert seen == {"s-1": (21_000, 155_000), "s-2": (140_000, 155_000)}, "what is left is read of the boundary"
        for tokens, limit in ((165_000, 167_000), (210_000, 223_000), (500_000, 967_000)):
            with other.open("a", encoding="utf-8") as file:
                file.write(answer(f"n{tokens}", (0, tokens, 0)))
            assert engine.windows.session("s-2").limit == limit


def test_the_gauge_stands_for_the_fullest_running_session(agent: Path) -> None:
    folder = agent.parent / "claude"
    for name, tokens, hours in (("full", 190_000, 0.5), ("new", 1_000, 0.0), ("idle", 199_000, 3.0)):
        log = folder / f"{name}.jsonl"
        log.write_text(answer("m", (0, tokens, 0)), encoding="utf-8")
        at = time.time() - hours * 3600
        os.utime(log, (at, at))
    with opened(agent) as engine:
        engine.sessions.follow(folder)
        assert [one.session for one in engine.windows.sessions()] == ["new", "full", "idle"]
        assert engine.windows.gauge()["session"] == "full"
        assert engine.windows.session("fu").tokens == 190_000
        with pytest.raises(UsageError, match="there are: new, full, idle"):
            engine.windows.session("nobody")


def test_a_transcript_of_ours_is_estimated_until_it_is_closed(agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = agent / "raw/conversations/2026/03/15"
    folder.mkdir(parents=True)
    log = folder / "1845-ses_a.md"
    head = "---\nsession_id: ses_a\nstarted: 2026-03-15T18:45:00Z\nmodel: claude-opus-4-6\n"
    turns = "## 18:45 — user\nread the issues\n\n## 18:46 — agent\nThere are twelve.\n"
    log.write_text(f"{head}---\n\n{turns}", encoding="utf-8")
    with opened(agent) as engine:
        (window,) = engine.windows.sessions()
        counted = engine._opened.counter.count(turns)
        assert abs(window.tokens - counted) <= 6
        assert (window.timeline.estimated, window.timeline.model, len(window.timeline.turns)) == (
            True,
            "claude-opus-4-6",
            1,
        )
    with opened(agent) as engine, monkeypatch.context() as patch:
        patch.setattr(WindowFile, "look", None)  # the next process reads no file that is as it was
        assert engine.windows.sessions() == (window,)
        patch.undo()
        log.write_text(f"{head}---\n\n{turns}{turns}", encoding="utf-8")
        assert [len(one.timeline.turns) for one in engine.windows.sessions()] == [2]
        log.write_text(f"{head}ended: 2026-03-15T19:00:00Z\n---\n\n{turns}", encoding="utf-8")
        assert engine.windows.sessions() == ()
    with opened(agent) as engine:
        assert engine.windows.sessions() == engine.windows.sessions() == ()


def test_a_new_turn_of_a_long_session_is_read_alone(agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """5,000 turns with results of 1 MB among them: what was read is not read again."""
    log = agent.parent / "claude" / "long.jsonl"
    with log.open("w", encoding="utf-8") as file:
        for number in range(5_000):
            file.write(answer(f"m{number}", (0, 40 * number, 1), blocks=1))
            if number % 1_000 == 0:
                file.write(result(1_000_000, f"r{number}"))
    with opened(agent) as engine:
        engine.sessions.follow(log)
        assert engine.windows.sessions()[0].tokens == 40 * 4_999 + 1
        with log.open("a", encoding="utf-8") as file:
            file.write(result(1_000_000) + answer("last", (0, 200_000, 0)))
        read: list[int] = []
        take = TimelineReader.read

        def counted(reader: TimelineReader, line: RawLine) -> None:
            read.append(line.number)
            take(reader, line)

        monkeypatch.setattr(TimelineReader, "read", counted)
        assert engine.windows.sessions()[0].tokens == 200_000
        assert read == [5_006, 5_007, 5_008, 5_009]
