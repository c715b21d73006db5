"""Makes a release in `dist/`: `python -m release.make`. Wheel and sdist are made twice, from the files of the last
commit alone and with its date, and have to be the same; beside them stand their hashes and the bill of materials."""

import hashlib
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from release.bill import bill_of_materials

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
HASHES = "SHA256SUMS"


def committed(commit: str, folder: Path) -> str:
    """Writes the files of a commit into a folder; gives its time in seconds, which every file of the packages gets."""
    folder.mkdir(parents=True)
    packed = _git("archive", "--format=tar", commit)
    with tarfile.open(fileobj=BytesIO(packed)) as files:
        files.extractall(folder, filter="data")
    return _git("show", "--no-patch", "--format=%ct", commit).decode().strip()


def packages(source: Path, epoch: str, into: Path) -> dict[str, bytes]:
    """Builds the sdist, and the wheel from that, by the locked backend; gives both by name."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(into), str(source)]
    subprocess.run(command, env=environment(epoch), check=True, stdout=sys.stderr)
    return {file.name: file.read_bytes() for file in sorted(into.iterdir()) if file.suffix in (".whl", ".gz")}


def environment(epoch: str) -> dict[str, str]:
    """Gives the environment of a build: nothing of this folder, and one time for all."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return {**kept, "SOURCE_DATE_EPOCH": epoch, "PYTHONHASHSEED": "0"}


def hashes(files: Mapping[str, bytes]) -> bytes:
    """Gives the lines that `sha256sum --check` takes."""
    return "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())).encode()


def main(commit: str = "HEAD") -> int:
    with TemporaryDirectory() as base:
        # In another place each time: no path may get into a package.
        source, other = Path(base) / "first", Path(base) / "second" / "place"
        epoch = committed(commit, source)
        first = packages(source, epoch, Path(base) / "dist")
        second = packages(other, committed(commit, other), Path(base) / "dist again")
        if first != second:
            differing = [name for name in first | second if first.get(name) != second.get(name)]
            sys.stderr.write(f"two builds differ: {', '.join(differing)}\n")
            return 1
        version = next(iter(first)).split("-")[1]
        first[f"memdeck-{version}.cdx.json"] = bill_of_materials(source, version, int(epoch))
    DIST.mkdir(exist_ok=True)
    for name, data in {**first, HASHES: hashes(first)}.items():
        (DIST / name).write_bytes(data)
    sys.stdout.write(hashes(first).decode())
    return 0


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True).stdout


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
