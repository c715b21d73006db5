"""A policy that another user may write is no word of the operator's (G12)."""

import os
import stat
from pathlib import Path

import pytest

from engine.errors import Refused
from engine.plans.policy.file import load_policy
from engine.state.private_files import refuse_foreign

ME = os.geteuid()
FOREIGN = 54_321


def facts(mode: int, user: int = ME, group: int | None = None) -> os.stat_result:
    """Facts of a file, without being root to make it."""
    return os.stat_result((mode, 1, 1, 1, user, os.getegid() if group is None else group, 0, 0, 0, 0))


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (facts(0o100644), ""),
        (facts(0o100600), ""),
        (facts(0o100664), ""),  # one's own group: the rule of many systems for new files
        (facts(0o100664, group=0), ""),
        (facts(0o100644, user=0), ""),
        (facts(0o100664, group=FOREIGN), "other users may write it"),
        (facts(0o100646), "other users may write it"),
        (facts(0o100666), "other users may write it"),
        (facts(0o100600, user=FOREIGN), "it belongs to another user"),
    ],
)
def test_g12_who_may_write_a_policy(tmp_path: Path, found: os.stat_result, why: str) -> None:
    if not why:
        refuse_foreign(tmp_path / "policy.yaml", found)
        return
    with pytest.raises(Refused, match=why) as refused:
        refuse_foreign(tmp_path / "policy.yaml", found)
    assert refused.value.where == str(tmp_path / "policy.yaml")
    assert refused.value.hint.endswith(f" {tmp_path / 'policy.yaml'}"), "the command as it is typed"


@pytest.mark.parametrize(("mode", "is_refused"), [(0o700, False), (0o755, False), (0o777, True), (0o1777, False)])
def test_g12_a_folder_in_which_others_could_replace_the_policy(tmp_path: Path, mode: int, is_refused: bool) -> None:
    folder = tmp_path / "config"
    folder.mkdir()
    policy = folder / "policy.yaml"
    policy.write_text("approval: {auto: [A]}\n", encoding="utf-8")
    policy.chmod(0o644)
    folder.chmod(mode)
    (tmp_path / "workspace").mkdir()
    if not is_refused:
        assert load_policy(None, default_path=policy, workspace=tmp_path / "workspace")[0].approval.auto
        return
    with pytest.raises(Refused, match="other users may write it") as refused:
        load_policy(None, default_path=policy, workspace=tmp_path / "workspace")
    assert refused.value.where == str(folder)


def test_g12_a_link_to_a_policy_counts_by_the_folder_it_leads_to(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "policy.yaml").write_text("zone: UTC\n", encoding="utf-8")
    shared.chmod(0o777)
    link = tmp_path / "policy.yaml"
    link.symlink_to(shared / "policy.yaml")
    assert stat.S_ISLNK(link.lstat().st_mode)
    (tmp_path / "workspace").mkdir()
    with pytest.raises(Refused, match="other users may write it"):
        load_policy(None, default_path=link, workspace=tmp_path / "workspace")
