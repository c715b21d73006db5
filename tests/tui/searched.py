"""A workspace of three notes for the search, found by the engine itself."""

from collections.abc import Mapping

from tests.prepared import Told

NOTES = {
    "memory/working/2026-03-02-deploy.md": ("# Deploy\n\n" + "some words\n" * 40 + "blue-green switch kept\nthe end\n"),
    "knowledge/people/ana.md": "# Ana\n\nAna runs the deploy on Fridays, never on a Monday.\n",
    "knowledge/projects/silas/decisions.md": "# Decisions\n\n- deploys are blue-green since March\n",
}


class Searched(Told):
    """The notes, and the index that the first search makes of them."""

    def __init__(self, notes: Mapping[str, str] = NOTES, *, read_only: bool = False) -> None:
        super().__init__(read_only=read_only)
        for path, text in notes.items():
            self.write(path, text)
