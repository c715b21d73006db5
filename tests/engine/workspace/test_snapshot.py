"""What lies in a memory tier, found without looking at every file."""

from random import Random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from engine.workspace.values import MemoryTier
from tests.engine.compactor.workspace import Workspace

_FOLDERS = st.sampled_from(
    ["", "memory/", "memory", *(f"memory/{tier}{end}" for tier in MemoryTier for end in ("", "/", "/a/", "0/", "-"))]
)
_PATHS = st.sets(st.tuples(_FOLDERS, st.text("ab/.0-é", min_size=1, max_size=4)).map("".join), max_size=20)


@given(_PATHS, st.randoms(use_true_random=False))
def test_a_tier_is_the_files_directly_in_its_folder_and_the_archive_all_below(paths: set[str], chance: Random) -> None:
    names = [f"{path}.md" for path in sorted(paths)]
    chance.shuffle(names)
    snapshot = Workspace(dict.fromkeys(names, "a note\n")).snapshot()
    mixed = msgspec.structs.replace(snapshot, files={name: snapshot.files[name] for name in names})
    for tier in MemoryTier:
        folder = f"memory/{tier.value}/"
        inside = [name for name in sorted(names) if name.startswith(folder)]
        wanted = [name for name in inside if tier is MemoryTier.ARCHIVE or "/" not in name[len(folder) :]]
        assert [facts.path for facts in mixed.tier(tier)] == wanted
