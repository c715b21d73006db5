from pathlib import Path

import pytest

from tests.engine.tree.rig import TreeRig


@pytest.fixture
def rig(tmp_path: Path) -> TreeRig:
    return TreeRig(tmp_path / "workspace", tmp_path / "home")
