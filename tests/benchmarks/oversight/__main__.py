"""`make DIR SEALED [SEED]`, `play DIR`, `tell DIR SEALED`."""

import secrets
import sys
from pathlib import Path

from tests.benchmarks.oversight.play import play
from tests.benchmarks.oversight.trial import make, outcome, told


def main(arguments: list[str]) -> None:
    match arguments:
        case ["make", folder, sealed, *seed]:
            digest = make(Path(folder), Path(sealed), *(seed or [secrets.token_hex(8)]))
            print(f"100 items wait in {folder}/silas; the answers are sealed: sha256 {digest}")
        case ["play", folder]:
            play(Path(folder))
        case ["tell", folder, sealed]:
            print("\n".join(told(outcome(Path(folder), Path(sealed)), Path(folder))))
        case _:
            raise SystemExit(__doc__)


main(sys.argv[1:])
