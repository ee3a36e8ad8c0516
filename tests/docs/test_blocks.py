"""What the documentation shows as code can be read by what it is for."""

import ast
import json
import re
import tomllib
from functools import cache
from typing import Any

import pytest
import yaml

from bottega.settings import Settings
from tests.docs.pages import ROOT, Page
from tests.docs.test_commands import PAGES, name

VARIABLE = re.compile(r"\b(?:BOTTEGA|CHROMADB|DATABASE)_[A-Z_]+\b")
#: Variables of the programs beside the server are wherever these read them.
READERS = ("hatch_build.py", "integrations/**/*.py", "integrations/**/*.js", "src/bottega/**/*.py")


def parse(language: str, text: str) -> Any:
    match language:
        case "json":
            return json.loads(text)
        case "toml":
            return tomllib.loads(text)
        case "yaml" | "yml":
            return list(yaml.safe_load_all(text))
        case "python":
            return ast.parse(text)
    return None


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_piece_of_code_can_be_read(page: Page) -> None:
    for block in page.blocks:
        try:
            parse(block.language, block.text)
        except (ValueError, SyntaxError, yaml.YAMLError) as error:
            pytest.fail(f"{page.name}:{block.line}: {error}")


@cache
def variables() -> set[str]:
    known = {field.upper() for field in Settings.model_fields}
    for pattern in READERS:
        for path in ROOT.glob(pattern):
            if "node_modules" not in path.parts:
                known.update(VARIABLE.findall(path.read_text("utf-8")))
    return known


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_variable_is_read_by_something(page: Page) -> None:
    unknown = set(VARIABLE.findall(page.text)) - variables()
    assert not unknown
