"""Requirements and tests hold each other: no id without a proof, no proof without an id."""

import ast
import importlib.util
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent


@cache
def stated() -> dict[str, str]:
    """Every id with its sentence, from the modules beside this one."""
    requirements: dict[str, str] = {}
    for path in sorted(HERE.glob("[a-z]*.py")):
        if path.name.startswith("test_"):
            continue
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        repeated = requirements.keys() & module.REQUIREMENTS.keys()
        assert not repeated, f"{path.name} states again: {sorted(repeated)}"
        requirements |= module.REQUIREMENTS
    return requirements


@cache
def proven() -> dict[str, list[str]]:
    """Every id with the tests that carry it: `@pytest.mark.requirement("FR-026")`."""
    proofs: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        if HERE in path.parents:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for identifier in carried(node):
                    name = f"{path.relative_to(TESTS)}::{node.name}"
                    proofs.setdefault(identifier, []).append(name)
    return proofs


def carried(test: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [
        ast.literal_eval(argument)
        for mark in test.decorator_list
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.requirement"
        for argument in mark.args
    ]


def test_every_requirement_has_a_test_that_proves_it() -> None:
    missing = sorted(stated().keys() - proven().keys())
    assert not missing, f"no test carries: {', '.join(missing)}"


def test_every_id_that_a_test_carries_is_a_stated_requirement() -> None:
    unknown = {key: tests for key, tests in proven().items() if key not in stated()}
    assert not unknown, f"stated nowhere: {unknown}"


def test_every_requirement_is_a_sentence_of_its_own() -> None:
    sentences = list(stated().values())
    assert all(sentence.endswith(".") for sentence in sentences)
    assert len(set(sentences)) == len(sentences)
