"""The public surface is that of the first build, but for what `meant.toml` lists with a reason."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.surface.surface import Surface, surface

HERE = Path(__file__).parent
#: What is said of a name itself; what it takes and gives is below it.
WHOLE = "whole"


def flat(found: Surface) -> dict[str, str]:
    """Every line of a surface by its place, such as `tools > remember > content`."""
    lines = {}
    for kind, names in found.items():
        for name, parts in names.items():
            lines[f"{kind} > {name}"] = WHOLE
            lines |= {f"{kind} > {name} > {part}": said for part, said in parts.items()}
    return lines


def differences(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    """What became of each place; below a name that came or went, nothing more is said."""
    found = dict.fromkeys(after.keys() - before.keys(), "added")
    found |= dict.fromkeys(before.keys() - after.keys(), "removed")
    whole = [place for place in found if WHOLE in (before.get(place), after.get(place))]
    found |= {
        place: f"now {after[place]}"
        for place in before.keys() & after.keys()
        if before[place] != after[place]
    }
    return {
        place: said
        for place, said in found.items()
        if not any(place.startswith(f"{name} > ") for name in whole)
    }


@pytest.fixture(scope="module")
def first() -> dict[str, str]:
    return flat(json.loads((HERE / "surface.json").read_text()))


def test_nothing_differs_from_the_first_build_but_what_is_meant(
    first: dict[str, str],
) -> None:
    meant = {
        place: said
        for reason in tomllib.loads((HERE / "meant.toml").read_text())["since"]
        for place, said in reason["differences"].items()
    }
    assert differences(first, flat(surface())) == meant


def test_a_removed_name_and_a_changed_field_are_differences(first: dict[str, str]) -> None:
    now = {place: said for place, said in first.items() if not place.startswith("tools > remember")}
    now["settings > PORT > default"] = "80"
    assert differences(first, now) == {
        "tools > remember": "removed",
        "settings > PORT > default": "now 80",
    }
