"""Writes conversations of strangers with known questions as workspaces. Their files are read where they lie.

`python -m tests.benchmarks.corpora.strangers friends|qmsum|molweni FOLDER TARGET` reads the JSON files of a copy of
FriendsQA (Apache-2.0), QMSum (MIT) or Molweni (Apache-2.0) and writes a workspace each for their seasons, series of
meetings, and channels. Nothing is downloaded, and nothing of it is kept in the project.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

NOISE = re.compile(r"\{\w+\}")
"""Marks of QMSum for what was heard beside the words."""
MOST_ASKED = 6
"""Questions of one dialogue of Molweni: the others ask the same in other words."""


class Talk(NamedTuple):
    """One conversation: its name, its turns as speaker and words, and its questions."""

    name: str
    turns: Sequence[tuple[str, str]]
    questions: Sequence[str] = ()


def friends(folder: Path) -> Iterator[tuple[str, list[Talk], list[tuple[str, list[str]]]]]:
    """Scenes of a series, a workspace for each season of each of its parts."""
    for file in sorted(folder.glob("friendsqa_*.json")):
        seasons: dict[str, list[Talk]] = {}
        for scene in json.loads(file.read_text())["data"]:
            for part in scene["paragraphs"]:
                said = [(", ".join(one["speakers"]), one["utterance"]) for one in part["utterances:"]]
                turns = [("Scene" if who == "#NOTE#" else who, _joined(words)) for who, words in said]
                asked = [_joined(one["question"]) for one in part["qas"]]
                seasons.setdefault(f"{file.stem}-{scene['title'][:3]}", []).append(Talk(scene["title"], turns, asked))
        for name, talks in seasons.items():
            yield name, talks, [(text, [talk.name]) for talk in talks for text in talk.questions]


def qmsum(folder: Path) -> Iterator[tuple[str, list[Talk], list[tuple[str, list[str]]]]]:
    """Meetings cut where their topics change, a workspace for each series of meetings."""
    series: dict[str, list[Path]] = {}
    for file in sorted(folder.rglob("*.json")):
        series.setdefault(re.sub(r"(?<=\d)[a-d]$|_?\d+$", "", file.stem), []).append(file)
    for name, files in series.items():
        talks, asked = list[Talk](), list[tuple[str, list[str]]]()
        for file in files:
            meeting = json.loads(file.read_text())
            spoken = [
                (one["speaker"], _joined(NOISE.sub("", one["content"]))) for one in meeting["meeting_transcripts"]
            ]
            cuts = sorted({0, len(spoken), *(min(span)[0] for span in map(_spans, meeting["topic_list"]) if span)})
            parts = [(start, end) for start, end in pairwise(cuts) if end > start]
            talks += [Talk(f"{file.stem}-{at:02}", spoken[slice(*part)]) for at, part in enumerate(parts)]
            for query in meeting["specific_query_list"]:
                spans = _spans(query)
                where = [
                    f"{file.stem}-{at:02}"
                    for at, (start, end) in enumerate(parts)
                    if any(first < end and start <= last for first, last in spans)
                ]
                asked.append((query["query"], where))
        yield name, talks, asked


def molweni(folder: Path) -> Iterator[tuple[str, list[Talk], list[tuple[str, list[str]]]]]:
    """Help in a channel of Ubuntu, one workspace."""
    for file in sorted(folder.glob("*.json")):
        talks = [
            Talk(
                f"{at:03}",
                [(one["speaker"], _joined(one["text"])) for one in dialogue["edus"]],
                [one["question"] for one in dialogue["qas"] if not one["is_impossible"]][:MOST_ASKED],
            )
            for at, dialogue in enumerate(json.loads(file.read_text())["data"]["dialogues"])
        ]
        yield f"molweni-{file.stem}", talks, [(text, [talk.name]) for talk in talks for text in talk.questions]


def _joined(words: str) -> str:
    """Words as they are written, where a data set has a blank before each mark."""
    return re.sub(r"\s+", " ", re.sub(r"\s+(?=[.,!?;:%)]|n't\b|'\w)", "", words)).strip()


def _spans(of: Mapping[str, Any]) -> list[tuple[int, int]]:
    return [(int(first), int(last)) for first, last in of["relevant_text_span"]]


READERS: Mapping[str, Callable[[Path], Iterator[tuple[str, list[Talk], list[tuple[str, list[str]]]]]]] = {
    "friends": friends,
    "qmsum": qmsum,
    "molweni": molweni,
}


def write(which: str, source: Path, target: Path) -> int:
    """Writes every workspace of a data set with its `questions.jsonl`, and counts them."""
    workspaces = list(READERS[which](source))
    for name, talks, asked in workspaces:
        folder = target / name / "raw" / "conversations"
        folder.mkdir(parents=True)
        for talk in talks:
            turns = (
                f"\n## {at // 60 % 24:02}:{at % 60:02} — {who}\n{said}" for at, (who, said) in enumerate(talk.turns)
            )
            (folder / f"{talk.name}.md").write_text("\n".join(("# Chat", *turns, "")), encoding="utf-8")
        rows = ((text, [f"raw/conversations/{name}.md" for name in where]) for text, where in asked if where)
        lines = (json.dumps({"question": text, "evidence_paths": where}) for text, where in rows)
        (target / name / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(workspaces)


def _turn(minute: int, who: str, said: str) -> str:
    return f"\n## {minute // 60 % 24:02}:{minute % 60:02} — {who}\n{said}"


if __name__ == "__main__":
    print(write(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])), "workspaces")
