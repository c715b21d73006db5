"""The tree for the front ends: its nodes, what is found in it, and what a node held before."""

from typing import TYPE_CHECKING

from engine.services.open_workspace import OpenWorkspace
from engine.tree.browse.previous_version import Compared, compared
from engine.workspace.paths import FileMissing
from engine.workspace.values import Tick

if TYPE_CHECKING:
    from engine.services.line_life import LineLife
    from engine.tree.browse.browser import Browser
    from engine.tree.browse.find import TreeHits


class TreeService:
    """Reads the tree as the last look at the workspace found it."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def browse(self) -> "Browser":
        """Gives the tree as the last look at the workspace found it, to be walked node by node."""
        from engine.tree.browse.browser import Browser

        with self._opened.lock:
            return Browser(self._opened.survey(self._opened.fresh(look=False)))

    def find(self, text: str, tick: Tick | None = None) -> "TreeHits":
        """Finds the lines of ROOT, months, weeks, days and raw logs that hold a text."""
        from engine.tree.browse.find import find

        return find(self.browse(), text, tick)

    def drilled(self, question: str) -> tuple[str, ...]:
        """Gives the nodes that drilling for a question goes through, ROOT first, and the days that it ends at."""
        from engine.tree.browse.find import drilled_to

        found = drilled_to(self.browse(), question)
        return (*found.read, *found.days)

    def life(self, path: str, line: int) -> "LineLife":
        """Gives the ladder of a line (from 1) of any note: raw log, day, week, month, ROOT, note and semantic entry."""
        from engine.services.line_life import line_life

        return line_life(self.browse(), path, line)

    def compared(self, path: str) -> Compared | None:
        """Gives a node against what it held before, as operations or git kept it; None where nobody did."""
        opened = self._opened
        try:
            present = opened.root.read(path)
        except FileMissing:
            present = None
        return compared(path, present, opened.operations, opened.displaced.get, opened.git.usable())
