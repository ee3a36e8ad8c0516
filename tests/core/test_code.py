"""Code of six languages, read into one model."""

import subprocess
import sys
import time

import pytest

from bottega.core.code.grammars import Grammar, grammar_of
from bottega.core.code.model import Kind, Parameter
from bottega.core.code.reader import Code, read

SHOP = {
    "shop.py": '''\
from .rates import lookup

class Shop:
    """Sells."""
    def price(self, items, rate=1) -> int:
        """What it costs."""
        if not items:
            raise ValueError("none")
        for item in items:
            self.total += lookup(item)
        return self.total

def test_price():
    Shop().price([])
''',
    "shop.ts": """\
import { lookup } from './rates';

/** Sells. */
class Shop {
  /** What it costs. */
  price(items: string[], rate = 1): number {
    if (!items.length) { throw new Error("none"); }
    for (const item of items) { this.total += lookup(item); }
    return this.total;
  }
}

function test_price() { shop.price([]); }
""",
    "shop.go": """\
package shop

import "example.org/rates"

// Shop sells.
type Shop struct { total int }

// What it costs.
func (s *Shop) price(items []string, rate int) int {
	if len(items) == 0 {
		panic("none")
	}
	for _, item := range items {
		s.total += rates.lookup(item)
	}
	return s.total
}

func TestPrice(t *testing.T) { shop.price(nil, 1) }
""",
    "shop.rs": """\
use crate::rates::lookup;

/// Sells.
struct Shop { total: u32 }

impl Shop {
    /// What it costs.
    fn price(&mut self, items: Vec<String>, rate: u32) -> u32 {
        if items.is_empty() { panic!("none"); }
        for item in items { self.total += lookup(item); }
        return self.total;
    }
}

#[test]
fn test_price() { shop.price(vec![], 1); }
""",
    "Shop.java": """\
import shop.rates.lookup;

/** Sells. */
class Shop {
  int total;
  /** What it costs. */
  int price(List<String> items, int rate) {
    if (items.isEmpty()) { throw new IllegalStateException("none"); }
    for (String item : items) { this.total += lookup(item); }
    return this.total;
  }
  @Test
  void testPrice() { shop.price(null, 1); }
}
""",
}


def shop(path: str) -> Code:
    grammar = grammar_of(path)
    assert grammar is not None
    return read(SHOP[path], grammar)


@pytest.mark.parametrize("path", SHOP)
def test_every_language_gives_the_same_model(path: str) -> None:
    """Definitions with kind, parameters, lines and documentation; imports; calls; tests."""
    code = shop(path)
    found = {definition.name.lower(): definition for definition in code.definitions.values()}
    sells, price = found["shop"], found["price"]
    assert (sells.kind, price.kind) == (Kind.CLASS, Kind.METHOD)
    assert (sells.doc.lower().removeprefix("shop "), price.doc) == ("sells.", "What it costs.")
    assert [one.name.split()[-1] for one in price.parameters][-2:] == ["items", "rate"]
    lines = SHOP[path].split("\n")
    assert "price(" in lines[price.line - 1]
    assert lines[price.last_line - 1].strip() in ("}", "return self.total")
    assert [one.is_test for one in found.values()] == [
        name.startswith("test") and path != "shop.ts" for name in found
    ]
    assert [one.name for one in code.imports] == ["rates" if path == "shop.go" else "lookup"]
    calls = [(call.name.rpartition(".")[2], call.caller) for call in code.calls]
    assert ("lookup", "price") in calls
    assert any(name == "price" and caller.lower().startswith("test") for name, caller in calls)


@pytest.mark.parametrize("path", SHOP)
def test_every_language_gives_the_same_flow(path: str) -> None:
    """A guard that fails, a loop with a change in it, a result."""
    code = shop(path)
    [guard] = code.of_kind("guard")
    [failure] = code.of_kind("raise")
    [loop] = code.of_kind("loop.each")
    [change] = code.of_kind("update")
    [result] = code.of_kind("return")
    assert failure.block is guard
    assert code.texts(loop, "over") == ["items"]
    assert code.texts(loop, "target")[0].endswith("item")
    assert change.block is loop
    assert code.texts(change, "target")[0].endswith(".total")
    assert code.texts(result, "value")[0].endswith(".total")
    assert "broken" not in {mark.kind for mark in code.marks}


def test_parameters_have_their_types_and_defaults() -> None:
    code = read("async def f(a: int, *b, c=1, d: str = 'x', **e) -> int: ...", Grammar.PYTHON)
    [definition] = code.definitions.values()
    assert definition.parameters == (
        Parameter("a", "int"),
        Parameter("*b"),
        Parameter("c", default="1"),
        Parameter("d", "str", "'x'"),
        Parameter("**e"),
    )
    assert (definition.result, definition.traits) == ("int", ("async",))


def test_languages_are_known_by_path_and_by_the_editors_word() -> None:
    assert grammar_of("a.go") is Grammar.GO
    assert grammar_of("a", "rust") is Grammar.RUST
    # Editors call markup files plain "typescript".
    assert grammar_of("a.tsx", "typescript") is Grammar.TSX
    assert grammar_of("a.rb") is None


def test_names_that_are_used_are_not_those_that_are_made() -> None:
    code = read("import os\nx = y.z(key=os)\ndef f(a): return a", Grammar.PYTHON)
    assert [code.text(mark.span) for mark in code.uses] == ["y", "os", "a"]


def test_a_file_of_five_thousand_lines_is_read_in_seconds() -> None:
    text = "\n\n".join(SHOP["shop.py"].replace("price", f"price_{n}") for n in range(360))
    began = time.perf_counter()
    code = read(text, Grammar.PYTHON)
    assert len(code.definitions) == 3 * 360
    assert time.perf_counter() - began < 5


def test_nothing_is_loaded_before_code_is_read() -> None:
    """The server starts without the grammars."""
    script = (
        "import sys, bottega.app, bottega.coach.explain.service as explain;"
        "print([name for name in sys.modules if name.startswith('tree_sitter')])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
