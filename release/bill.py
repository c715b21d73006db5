"""Lists what memdeck runs on, as CycloneDX 1.6 has it: from the lock of the runtime, which is what was tested."""

import json
import re
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement


def bill_of_materials(source: Path, version: str, epoch: int) -> bytes:
    """Gives the bill of a tree as JSON; its time is that of the commit."""
    lock = (source / "locks" / "runtime.txt").read_text("utf-8")
    pinned = re.findall(r"^(\S+==[^\\\n]*)(.*?)(?=^\S|\Z)", lock, re.MULTILINE | re.DOTALL)
    parts = [_component(Requirement(line), rest) for line, rest in pinned]
    itself = {**_named("memdeck", version), "type": "application", "licenses": [{"expression": "Apache-2.0"}]}
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": datetime.fromtimestamp(epoch, UTC).isoformat(), "component": itself},
        "components": parts,
        "dependencies": [{"ref": itself["bom-ref"], "dependsOn": sorted(part["bom-ref"] for part in parts)}],
    }
    return (json.dumps(bill, indent=1, sort_keys=True) + "\n").encode()


def _component(pin: Requirement, rest: str) -> dict[str, Any]:
    """Describes one package of the lock; one that only some platforms need is optional."""
    version = next(iter(pin.specifier)).version
    hashes = [{"alg": "SHA-256", "content": found} for found in sorted(re.findall(r"sha256:(\w{64})", rest))]
    part = {**_named(pin.name, version), "type": "library", "hashes": hashes}
    if pin.marker is not None:
        part |= {"scope": "optional", "properties": [{"name": "memdeck:marker", "value": str(pin.marker)}]}
    return part | _licence(pin.name)


def _named(name: str, version: str) -> dict[str, Any]:
    reference = f"pkg:pypi/{name.lower()}@{version}"
    return {"name": name, "version": version, "purl": reference, "bom-ref": reference}


def _licence(name: str) -> dict[str, Any]:
    """Gives the licence as the installed package declares it in today's form; nothing where it does not."""
    try:
        about = metadata(name)
    except PackageNotFoundError:  # another platform's
        return {}
    field = "License-Expression"
    return {"licenses": [{"expression": about[field]}]} if field in about else {}
