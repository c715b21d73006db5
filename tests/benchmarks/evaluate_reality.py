"""Memory against reality: verdicts on labelled claims of strangers' notes, by their own repositories, and the time."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from engine.history.repository import Repository, find_repository
from engine.lifecycle.reality.judgement import ClaimJudge, ClaimVerdict, JudgedClaim
from engine.lifecycle.reality.repository_view import RepositoryView
from engine.workspace.paths import WorkspaceRoot
from tests.conftest import SHARED

PLACE = "MEMDECK_REALITY"
LABELS = sorted((Path(__file__).parent / "corpora" / "reality").glob("*.jsonl"))
_TODAY = date(2026, 11, 28)


def rows() -> Iterator[tuple[str, str, str]]:
    place = Path(os.environ.get(PLACE, "."))
    labels = [json.loads(line) for file in LABELS for line in file.read_text(encoding="utf-8").splitlines()]
    names = sorted({label["note"].partition("/")[0] for label in labels})
    if PLACE not in os.environ or not all((place / name).is_dir() for name in names):
        yield "claims", "skipped", f"the repositories {', '.join(names)} are not below ${PLACE}"
        return
    started, found, count = sum(os.times()[:4]), dict[str, list[JudgedClaim]](), 0
    for name in names:
        for note, judged in _judged(place / name, name):
            found[note], count = judged, count + len(judged)
    seconds = sum(os.times()[:4]) - started  # of the processor, git's too: others may be at work
    counts = scored(labels, found)
    told, right, wanted = counts["told"], counts["right"], counts["wanted"]
    yield "precision of holds, gone, moved, differs", f"{right / told:.3f}", f"{right} of {told}; aim .98"
    yield "recall of what can be told", f"{right / wanted:.3f}", f"{right} of {wanted}; aim .80"
    yield "not told to hold or be gone", f"{counts['silent']}", f"of {counts['other']} that no one can tell"
    yield "seconds of the processor for 1,000 claims", f"{seconds / count * 1000:.2f}", f"{count} claims; aim 2"


def scored(labels: list[dict[str, Any]], found: dict[str, list[JudgedClaim]], *, show: bool = False) -> Counter[str]:
    """Counts over the labelled lines: what was told and is right, what could be told, and what nobody can tell."""
    lines: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for label in labels:
        lines.setdefault((label["note"], label["line"]), []).append(label)
    counts: Counter[str] = Counter()
    for (note, line), rows_ in lines.items():
        open_ = {row["start"]: row for row in rows_ if row["kind"] != "none"}
        counts["wanted"] += sum(row["verdict"] not in ("cannot tell", "skip") for row in open_.values())
        counts["other"] += sum(row["verdict"] == "cannot tell" for row in open_.values())
        for judged in (one for one in found.get(note, ()) if one.claim.line == line):
            label = next(
                (
                    row
                    for start, row in open_.items()
                    if start <= judged.claim.end and judged.claim.start <= start + row["length"]
                ),
                {},
            )
            verdict = label.get("verdict", "none")
            if verdict == "skip":
                continue
            if judged.verdict is ClaimVerdict.UNKNOWN:
                counts["silent"] += verdict == "cannot tell"
                continue
            counts["told"] += 1
            counts["right"] += judged.verdict.value == verdict
            if show and judged.verdict.value != verdict:
                print(f"{note}:{line} {judged.claim.text} {judged.verdict} is {verdict} ({judged.why or judged.there})")
    return counts


def _judged(folder: Path, name: str) -> Iterator[tuple[str, list[JudgedClaim]]]:
    found = find_repository(folder.resolve(), ("/",), os.environ)
    notes = SHARED / "real-notes" / name
    with WorkspaceRoot.open(folder) as root:
        judge = ClaimJudge(RepositoryView(root, found.git if isinstance(found, Repository) else None), _TODAY)
        for note in sorted(notes.rglob("*.md")):
            path = note.relative_to(notes).as_posix()
            yield f"{name}/{path}", list(judge.judged(path, note.read_text(encoding="utf-8")))
