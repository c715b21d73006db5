"""Writes engine/text/poison/rules/anchors.json: run after a change of the patterns (a test says when)."""

from pathlib import Path

import msgspec

from engine.text.poison.matching import worked_out

OUT = Path(__file__).parents[2] / "engine" / "text" / "poison" / "rules" / "anchors.json"


def main() -> None:
    OUT.write_bytes(msgspec.json.encode(worked_out()).replace(b"],", b"],\n") + b"\n")


if __name__ == "__main__":
    main()
