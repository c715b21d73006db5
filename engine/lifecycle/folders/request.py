"""Declares what can be asked of a review."""

from engine.plans.system_request import SystemRequest


class FolderRequest(SystemRequest, frozen=True):
    """The two folders of a review: the notes before and after somebody worked on them."""

    before: str
    after: str
