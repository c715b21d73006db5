"""All scenes, by the screen that they belong to."""

from collections.abc import Mapping

from tests.gallery.scene import Scene
from tests.gallery.scenes import (
    approvals,
    confirming,
    context,
    frame,
    history,
    lifecycle,
    overview,
    search,
    topics,
    tree,
)

GROUPS: Mapping[str, tuple[Scene, ...]] = {
    module.__name__.rpartition(".")[2]: module.SCENES
    for module in (overview, approvals, confirming, history, lifecycle, tree, topics, context, search, frame)
}
"""In the order in which the gallery shows them."""

SCENES = tuple(scene for scenes in GROUPS.values() for scene in scenes)
