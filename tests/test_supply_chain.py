"""What is installed with Bottega: every package has a licence, a version and hashes."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SBOM = Path(__file__).parents[1] / "packaging" / "sbom.py"


@pytest.fixture(scope="module")
def sbom() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sbom", SBOM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sbom"] = module
    spec.loader.exec_module(module)
    return module


def test_every_package_states_a_licence_and_is_locked_by_hash(sbom: ModuleType) -> None:
    found = list(sbom.components())
    assert len(found) > 50
    assert [each.name for each in found if each.licence == ""] == []
    assert [each.name for each in found if not each.hashes] == []


def test_what_is_tested_with_states_a_licence_too(
    sbom: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No lock has a package without one."""
    for lock in sbom.LOCK.parent.glob("*.txt"):
        monkeypatch.setattr(sbom, "LOCK", lock)
        assert [each.name for each in sbom.python_components() if each.licence == ""] == []


def test_the_bill_of_materials_names_them_all(sbom: ModuleType) -> None:
    written = subprocess.run([sys.executable, SBOM], capture_output=True, check=True).stdout
    listed = json.loads(written)
    assert listed["bomFormat"] == "CycloneDX"
    named = {(each["name"], each["version"]) for each in listed["components"]}
    assert named == {(each.name, each.version) for each in sbom.components()}


def test_the_web_app_is_locked_by_hash_for_every_platform_and_by_no_address() -> None:
    """Native parts are optional: one that is not in the lock would be missing on its platform."""
    packages = json.loads(SBOM.parents[1].joinpath("web", "package-lock.json").read_text())[
        "packages"
    ]
    own = packages.pop("")
    installed = {place.rpartition("node_modules/")[2] for place in packages}
    optional = {name for each in packages.values() for name in each.get("optionalDependencies", {})}
    assert optional - installed == set()
    assert [place for place, each in packages.items() if "resolved" in each] == []
    # What is bundled lies in the file of the package around it, whose hash counts.
    by_itself = {place: each for place, each in packages.items() if not each.get("inBundle")}
    assert [place for place, each in by_itself.items() if "integrity" not in each] == []
    assert [place for place, each in by_itself.items() if not each.get("license")] == []
    pinned = json.loads(SBOM.parents[1].joinpath("web", "package.json").read_text())
    assert own["dependencies"] == pinned["dependencies"]
    assert own["devDependencies"] == pinned["devDependencies"]
