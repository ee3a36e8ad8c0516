"""What is installed with Bottega, with versions, licences and hashes, as CycloneDX JSON.

    python packaging/sbom.py > bottega.cdx.json

Reads `requirements/run.txt`, and the licences from the installed packages; of the web app what is
built into it, from `web/package-lock.json`. `make package` writes it beside the wheel; a package
that states no licence is an error.
"""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements" / "run.txt"
WEB_LOCK = ROOT / "web" / "package-lock.json"
PINNED = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^\s;\\]+)")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True)
class Component:
    name: str
    version: str
    #: Of every file that may be installed, as the lock writes them.
    hashes: tuple[str, ...]
    #: `None` if it is for another platform and so not installed here; empty if it states none.
    licence: str | None
    registry: str = "pypi"


def components() -> Iterator[Component]:
    yield from python_components()
    yield from web_components()


def python_components() -> Iterator[Component]:
    for entry in re.split(r"\n(?=\S)", LOCK.read_text()):
        if pinned := PINNED.match(entry):
            name, version = pinned["name"], pinned["version"]
            hashes = tuple(f"sha256-{digest}" for digest in HASH.findall(entry))
            yield Component(name, version, hashes, _licence(name))


def web_components() -> Iterator[Component]:
    packages = json.loads(WEB_LOCK.read_text())["packages"]
    for place, package in packages.items():
        if place and not package.get("dev") and not package.get("devOptional"):
            name = place.rpartition("node_modules/")[2]
            hashes = (package["integrity"],) if "integrity" in package else ()
            licence = package.get("license", "")
            yield Component(name, package["version"], hashes, licence, "npm")


def _licence(name: str) -> str | None:
    try:
        stated = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    classified = [
        each.rpartition(" :: ")[2]
        for each in stated.get_all("Classifier") or []
        if each.startswith("License ::")
    ]
    first_line = (stated.get("License") or "").partition("\n")[0]
    return stated.get("License-Expression") or " / ".join(classified) or first_line


def main() -> None:
    found = list(components())
    if nameless := [each.name for each in found if each.licence == ""]:
        sys.exit(f"These state no licence: {', '.join(nameless)}")
    listed = [
        {
            "type": "library",
            "name": each.name,
            "version": each.version,
            "purl": f"pkg:{each.registry}/{quote(each.name)}@{each.version}",
            "licenses": [{"license": {"name": each.licence}}] if each.licence else [],
            "properties": [{"name": "hash", "value": digest} for digest in each.hashes],
        }
        for each in found
    ]
    document = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": listed}
    print(json.dumps(document, indent=1))  # noqa: T201


if __name__ == "__main__":
    main()
