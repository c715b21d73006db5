"""The film of the main job shows the running console, frame by frame, and is nothing but a picture."""

import asyncio
import json
import re
from collections import defaultdict
from functools import cache
from html import unescape

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from screenshots import cast, film
from screenshots.make import CAST, RECORDED, digest

_GROUP = re.compile(r'^<g class="f\d+" data-frames="([\d ]+)">(.*)</g>$', re.MULTILINE)
_WORDS = re.compile(r'<text x="([\d.]+)" y="([\d.]+)" textLength="[\d.]+" class="k\d+">([^<]*)</text>')
STILL = len(cast.TAKES) - 3
"""Frames before the apply; behind it the head of a plan has one line more or less, as its run is told."""


@cache
def recorded() -> list[film.Frame]:
    return asyncio.run(cast.frames())


def shown(svg: str) -> list[dict[tuple[str, str], str]]:
    """The words of each frame by where they stand, as one reads them in the film."""
    frames: dict[int, dict[tuple[str, str], str]] = defaultdict(dict)
    for numbers, drawn in _GROUP.findall(svg):
        words = {(x, y): unescape(text).replace("\xa0", " ") for x, y, text in _WORDS.findall(drawn)}
        for number in map(int, numbers.split()):
            frames[number] |= words
    return [frames[number] for number in sorted(frames)]


def drawn(frame: film.Frame) -> str:
    return re.sub(r"\s+", "", frame.text)


def read(words: dict[tuple[str, str], str]) -> str:
    in_order = sorted(words, key=lambda place: (float(place[1]), float(place[0])))
    return re.sub(r"\s+", "", "".join(words[place] for place in in_order))


def _shows_what_the_console_showed() -> None:
    kept = json.loads(RECORDED.read_text("utf-8"))
    assert len(kept) == len(cast.TAKES)
    assert kept[:STILL] == [digest(frame.text) for frame in recorded()][:STILL], "make screenshots"
    assert [read(words) for words in shown(cast.cast(recorded()))] == [drawn(frame) for frame in recorded()]


def _file_is_the_film_of_these_frames() -> None:
    kept = shown(CAST.read_text("utf-8"))
    assert len(kept) == len(cast.TAKES)
    for words, frame in zip(kept[:STILL], shown(cast.cast(recorded()))[:STILL], strict=True):
        assert words.keys() == frame.keys()


def _is_the_main_job() -> None:
    texts = [frame.text for frame in recorded()]
    assert "semantic shard over its risk line" in texts[0]
    assert any("[ APPROVED ]" in text and "+ Title: " in text for text in texts)
    assert "✓ applied" in texts[-3] and "y undo 5 changes" in texts[-2] and "· undone" in texts[-1]
    assert round(sum(take.seconds for take in cast.TAKES)) == 30


def test_the_film_is_the_main_job_as_the_console_showed_it() -> None:
    """The job is played once; `make screenshots` draws it anew."""
    _is_the_main_job()
    _shows_what_the_console_showed()
    _file_is_the_film_of_these_frames()


def test_the_film_is_small_and_runs_nothing() -> None:
    text = CAST.read_text("utf-8")
    assert len(text.encode()) < 1_000_000
    assert not re.search(r"<script|<image|<foreignObject|href=|url\(|@import|\bon\w+=", text)


def test_a_row_is_drawn_once_and_hidden_while_it_does_not_stand() -> None:
    def frame(text: str) -> film.Frame:
        return film.Frame("<caption>", 1, (Strip([Segment("always", Style(bold=True))]), Strip([Segment(text)])))

    svg = film.film([frame("a & b"), frame("<script>"), frame("a & b")], "#ffffff", "#000000")
    assert svg.count("always") == 1 and svg.count("a&#160;&amp;&#160;b") == 1 and "<script>" not in svg
    times = re.findall(r"@keyframes f\d+\{(.*?)\}\.f", svg)
    assert times == [
        "0.000%{visibility:visible}33.333%{visibility:hidden}66.667%{visibility:visible}100.000%{visibility:visible}",
        "0.000%{visibility:hidden}33.333%{visibility:visible}66.667%{visibility:hidden}100.000%{visibility:hidden}",
    ]
