"""A workspace of working notes, enough of them for a compaction."""

from pathlib import Path


def with_working_notes(folder: Path) -> Path:
    """Makes the folder with twelve notes, and gives it back."""
    notes = folder / "memory" / "working"
    notes.mkdir(parents=True)
    for day in range(1, 13):
        text = f"# Day {day}\n\n- We decided to keep the queue number {day} because a rollback took {day} minutes.\n"
        (notes / f"2026-02-{day:02}-note.md").write_text(text)
    return folder
