"""The tree for the front ends: its nodes, finding, and earlier versions of a node."""

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
    """Reads the tree as of the last scan."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def browse(self) -> "Browser":
        """Gives the tree as of the last scan, for walking from node to node."""
        from engine.tree.browse.browser import Browser

        with self._opened.lock:
            return Browser(self._opened.survey(self._opened.fresh(look=False)))

    def find(self, text: str, tick: Tick | None = None) -> "TreeHits":
        """Finds the lines of ROOT, months, weeks, days and raw logs that have a text."""
        from engine.tree.browse.find import find

        return find(self.browse(), text, tick)

    def drilled(self, question: str) -> tuple[str, ...]:
        """Gives the nodes that drilling for a question passes, ROOT first, and the days where it ends."""
        from engine.tree.browse.find import drilled_to

        found = drilled_to(self.browse(), question)
        return (*found.read, *found.days)

    def life(self, path: str, line: int) -> "LineLife":
        """Gives the ladder of a line (from 1) of any note: raw log, day, week, month, ROOT, note and semantic entry."""
        from engine.services.line_life import line_life

        return line_life(self.browse(), path, line)

    def compared(self, path: str) -> Compared | None:
        """Compares a node with its last version in operations or git; None where there is none."""
        opened = self._opened
        try:
            present = opened.root.read(path)
        except FileMissing:
            present = None
        return compared(path, present, opened.operations, opened.displaced.get, opened.git.usable())
