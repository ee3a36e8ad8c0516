"""Explanations that our own code works out from the syntax tree."""

import re
import textwrap
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.coach.enums import Stage
from bottega.coach.explain.explanation import LONGEST_LINE, MOST_SELECTED, CodeExplanation, explain
from bottega.coach.explain.facts import Concept, Danger, Facts, Topic, lesson, warning
from bottega.coach.explain.findings import facts_of
from bottega.coach.explain.selection import Selection, read_selection
from bottega.coach.plans.phases import CurrentPhase
from bottega.core.code.grammars import Grammar
from bottega.core.code.model import Definition, Kind, Parameter

CART = '''\
import asyncio
from decimal import Decimal

from .rates import lookup


def total(items, rate=0.2, seen=[]):
    """What a basket costs."""
    if not items:
        raise ValueError("empty")
    result = Decimal(0)
    for item in items:
        result += item.price * lookup(rate)
        seen.append(item)
    return result
'''
TOTAL = CART[CART.index("def total") :]

LOADER = """\
import { api } from './api';
import type { User } from '../models/user';

export async function load<T>(ids: string[], { limit = 10 }: Options): Promise<User[]> {
  const found = [];
  for (const id of ids) {
    const user = await api.get(`/users/${id}`);
    if (user?.name == '') continue;
    found.push({ ...user, seen: true });
  }
  if (!found.length) throw new RangeError('nobody');
  return found.filter((user) => user.age > limit);
}
"""
LOAD = LOADER[LOADER.index("export") :]


def facts(text: str, context: str, grammar: Grammar) -> Facts:
    return facts_of(read_selection(text, context, Selection(text, context, "", ""), grammar))


def python(text: str, context: str = "") -> Facts:
    return facts(textwrap.dedent(text), textwrap.dedent(context), Grammar.PYTHON)


def javascript(text: str, context: str = "") -> Facts:
    return facts(text, context, Grammar.JAVASCRIPT)


def typescript(text: str, context: str = "") -> Facts:
    return facts(text, context, Grammar.TSX)


def explained(
    text: str,
    context: str = "",
    *,
    path: str = "src/shop/cart.py",
    language: str = "",
    stage: Stage = Stage.NOVICE,
    phase: CurrentPhase | None = None,
) -> CodeExplanation:
    return explain(Selection(text, context, path, language), stage, phase)


@pytest.mark.requirement("CO-05")
def test_a_python_function_is_told_whole() -> None:
    """For Python: what the code defines, calls, returns, raises, and its concepts."""
    facts = python(TOTAL, CART)
    parameters = (
        Parameter("items"),
        Parameter("rate", default="0.2"),
        Parameter("seen", default="[]"),
    )
    documented = "What a basket costs."
    assert facts.definitions == (
        Definition(Kind.FUNCTION, "total", 7, parameters, last_line=15, doc=documented),
    )
    assert facts.topics == {
        Topic.PURPOSE: ("What a basket costs.",),
        Topic.GUARDS: ("not items",),
        Topic.RAISES: ("ValueError",),
        Topic.CALLS: ("Decimal", "lookup", "seen.append"),
        Topic.LOOPS: ("items",),
        Topic.RETURNS: ("result",),
        Topic.READS: ("Decimal", "lookup"),
        Topic.MUTATES: ("seen",),
    }
    assert facts.concepts == (
        Concept.GUARD,
        Concept.DEFAULT_ARGUMENT,
        Concept.RAISING,
        Concept.FUNCTION,
        Concept.LOOP,
        Concept.VARIABLE,
    )
    assert [(found.name, found.statement) for found in facts.imports] == [
        ("Decimal", "from decimal import Decimal"),
        ("lookup", "from .rates import lookup"),
    ]
    assert facts.loop_depth == 1

    text = explained(TOTAL, CART).text
    assert "This is the function `total`, which takes `items`, `rate` (`0.2` unless given)" in text
    assert "It gives back `result`, changes `seen` and can fail with `ValueError`." in text
    assert "- Lines 9–10: if `items` is empty or false, stops with `ValueError`." in text
    assert "- `lookup` comes from `from .rates import lookup`." in text
    assert text.endswith("without a model._")


@pytest.mark.requirement("CO-05")
def test_a_typescript_function_is_told_whole() -> None:
    """For TypeScript: what the code defines, calls, returns, throws, and its concepts."""
    facts = typescript(LOAD, LOADER)
    parameters = (
        Parameter("ids", "string[]"),
        Parameter("{ limit = 10 }", "Options"),
    )
    assert facts.definitions == (
        Definition(
            Kind.FUNCTION,
            "load",
            4,
            parameters,
            "Promise<User[]>",
            traits=("async",),
            last_line=13,
        ),
    )
    assert facts.topics == {
        Topic.LOOPS: ("ids",),
        Topic.AWAITS: ("api.get(`/users/${id}`)",),
        Topic.CALLS: ("api.get", "found.push", "found.filter"),
        Topic.GUARDS: ("user?.name == ''", "!found.length"),
        Topic.RAISES: ("RangeError",),
        Topic.RETURNS: ("found.filter((user) => user.age > limit)",),
        Topic.READS: ("User", "api"),
    }
    assert {found.module for found in facts.imports} == {"./api", "../models/user"}
    assert set(facts.concepts) >= {
        Concept.ASYNC,
        Concept.CLOSURE,
        Concept.GENERICS,
        Concept.HIGHER_ORDER,
        Concept.DESTRUCTURING,
        Concept.SPREAD,
        Concept.OPTIONAL_CHAINING,
        Concept.FORMATTED_STRING,
        Concept.GUARD,
    }


@pytest.mark.requirement("CO-05")
def test_a_javascript_class_is_told_whole() -> None:
    """For JavaScript: what the code defines, calls, returns, throws, and its concepts."""
    facts = javascript(
        """\
class Basket extends Base {
  add(item, count = 1) {
    if (count < 1) { throw new Error('none'); }
    this.items.push(item);
    this.size += count;
    return this;
  }
  get total() { return sum(this.items); }
  static empty() { return new Basket(); }
}
"""
    )
    basket, add, total, empty = facts.definitions
    assert (basket.kind, basket.bases) == (Kind.CLASS, ("Base",))
    assert basket.members == ("add", "total", "empty")
    assert add.parameters == (Parameter("item"), Parameter("count", default="1"))
    assert [total.kind, empty.kind] == [Kind.METHOD, Kind.METHOD]
    assert facts.about(Topic.CALLS) == ("this.items.push", "sum", "Basket")
    assert facts.about(Topic.RETURNS) == ("this", "sum(this.items)", "new Basket()")
    assert facts.about(Topic.RAISES) == ("Error",)
    assert facts.about(Topic.GUARDS) == ("count < 1",)
    assert facts.about(Topic.MUTATES) == ("this.items", "this.size")
    assert set(facts.concepts) == {
        Concept.INHERITANCE,
        Concept.PROPERTY,
        Concept.CLASS_METHOD,
        Concept.GUARD,
        Concept.DEFAULT_ARGUMENT,
        Concept.RAISING,
        Concept.CLASS,
        Concept.FUNCTION,
    }


@pytest.mark.requirement("CO-05")
def test_a_python_class_is_told_with_its_fields_and_methods() -> None:
    """A class, with what it is built on and what is in it."""
    [shape, area] = python(
        "class A(B):\n    b: int\n    c = 1\n    def d(self) -> int: ..."
    ).definitions
    assert (shape.kind, shape.bases, shape.members) == (Kind.CLASS, ("B",), ("b", "c", "d"))
    assert (area.kind, area.name, area.result) == (Kind.METHOD, "d", "int")


@pytest.mark.requirement("CO-05")
@pytest.mark.parametrize(
    ("code", "topic", "told"),
    [
        ("print(max(a, b))", Topic.CALLS, ("print", "max")),
        ("x.y().z()", Topic.CALLS, ("z", "x.y")),
        ("raise", Topic.RAISES, ()),
        ("raise error from None", Topic.RAISES, ("error",)),
        (
            "try:\n    go()\nexcept (KeyError, OSError) as e:\n    raise",
            Topic.CATCHES,
            ("KeyError", "OSError"),
        ),
        ("def f():\n    yield 1\n    yield from g()", Topic.YIELDS, ("1", "g()")),
        ("async def f():\n    await g(1)", Topic.AWAITS, ("g(1)",)),
        ("while left > 0:\n    left -= 1", Topic.REPEATS, ("left > 0",)),
        ("[n * 2 for n in numbers if n]", Topic.LOOPS, ("numbers",)),
        ("if a:\n    b()\nelif c:\n    d()", Topic.BRANCHES, ("a", "c")),
        ("match shape:\n    case Circle(r):\n        area = r", Topic.BRANCHES, ("shape",)),
        ("with open(p) as f, lock:\n    pass", Topic.OPENS, ("open(p)", "lock")),
        ("assert n > 0, 'no'", Topic.ASSERTS, ("n > 0",)),
        ("a, (b, *c) = pair", Topic.ASSIGNS, ("a", "b", "c")),
        ("count += 1", Topic.MUTATES, ("count",)),
        ("def f(d):\n    d['k'] = 1\n    own = {}\n    own['k'] = 2", Topic.MUTATES, ("d['k']",)),
        ("def f():\n    global n\n    n = 1", Topic.MUTATES, ("n",)),
        ("del self.cache[key]", Topic.MUTATES, ("self.cache[key]",)),
        ("def f(a):\n    b = a + c\n    return len(b)", Topic.READS, ("c",)),
    ],
)
def test_python_tells_about(code: str, topic: Topic, told: tuple[str, ...]) -> None:
    """Each topic, in Python."""
    assert python(code).about(topic) == told


@pytest.mark.requirement("CO-05")
@pytest.mark.parametrize(
    ("code", "topic", "told"),
    [
        ("console.log(Math.max(a, b))", Topic.CALLS, ("console.log", "Math.max")),
        ("fetch(u).then(r => r.json())", Topic.CALLS, ("then", "fetch", "r.json")),
        ("throw error", Topic.RAISES, ("error",)),
        ("try { go() } catch (e) { log(e) }", Topic.CATCHES, ("e",)),
        ("function* f() { yield 1; }", Topic.YIELDS, ("1",)),
        ("const f = async () => { await g(1) }", Topic.AWAITS, ("g(1)",)),
        ("const double = n => n * 2", Topic.RETURNS, ("n * 2",)),
        ("while (left > 0) left--", Topic.REPEATS, ("left > 0",)),
        ("for (let i = 0; i < n; i++) {}", Topic.REPEATS, ("i < n",)),
        ("for (const x of xs) {}", Topic.LOOPS, ("xs",)),
        ("if (a) { b() } else if (c) { d() }", Topic.BRANCHES, ("a", "c")),
        ("switch (shape) { case 1: go() }", Topic.BRANCHES, ("shape",)),
        ("const { a, b: [c], ...d } = x", Topic.ASSIGNS, ("a", "c", "d")),
        ("count++", Topic.MUTATES, ("count",)),
        ("function f(d) { d.k = 1; const own = {}; own.k = 2 }", Topic.MUTATES, ("d.k",)),
        ("delete this.cache[key]", Topic.MUTATES, ("this.cache[key]",)),
        ("function f(a) { const b = a + c; return JSON.stringify({ b }) }", Topic.READS, ("c",)),
        ("const page = <div><Card user={user} /></div>", Topic.READS, ("Card", "user")),
    ],
)
def test_javascript_and_typescript_tell_about(
    code: str, topic: Topic, told: tuple[str, ...]
) -> None:
    """Each topic, in JavaScript; TypeScript reads the same code the same way."""
    assert javascript(code).about(topic) == told
    assert typescript(code).about(topic) == told


@pytest.mark.requirement("CO-05")
@pytest.mark.parametrize(
    ("code", "concept"),
    [
        ("def f(n):\n    return n and f(n - 1)", Concept.RECURSION),
        ("def f(n):\n    return lambda x: x + n", Concept.CLOSURE),
        ("@cached\ndef f(): ...", Concept.DECORATOR),
        ("def f():\n    yield 1", Concept.GENERATOR),
        ("with a:\n    b()", Concept.CONTEXT_MANAGER),
        ("async def f(): ...", Concept.ASYNC),
        ("{k: v for k, v in x}", Concept.COMPREHENSION),
        ("sum(n for n in x)", Concept.GENERATOR_EXPRESSION),
        ("sorted(x, key=len)", Concept.HIGHER_ORDER),
        ("isinstance(x, str)", Concept.NARROWING),
        ("match x:\n    case 1: ...", Concept.PATTERN_MATCHING),
        ("try:\n    a()\nfinally:\n    b()", Concept.EXCEPTION_HANDLING),
        ("class A(B): ...", Concept.INHERITANCE),
        ("@dataclass(frozen=True)\nclass A: ...", Concept.DATACLASS),
        ("class A:\n    @property\n    def b(self): ...", Concept.PROPERTY),
        ("class A:\n    @classmethod\n    def b(cls): ...", Concept.CLASS_METHOD),
        ("class A(Protocol): ...", Concept.INTERFACE),
        ("class A(StrEnum): ...", Concept.ENUM),
        ("a, b = c", Concept.DESTRUCTURING),
        ("f(*a)", Concept.SPREAD),
        ("x = lambda: 1", Concept.LAMBDA),
        ("def f(*a): ...", Concept.VARIADIC),
        ("def f(*, a): ...", Concept.KEYWORD_ONLY),
        ("def f(a=1): ...", Concept.DEFAULT_ARGUMENT),
        ("if (n := f()): ...", Concept.WALRUS),
        ("a if b else c", Concept.CONDITIONAL_EXPRESSION),
        ("x = a or b", Concept.SHORT_CIRCUIT),
        ("a[1:]", Concept.SLICING),
        ("f'{a}'", Concept.FORMATTED_STRING),
        ("re.match(a, b)", Concept.REGULAR_EXPRESSION),
        ("def f(a: int): ...", Concept.TYPE_ANNOTATION),
        ("global a", Concept.GLOBAL_STATE),
        ("self.a = 1", Concept.INSTANCE_STATE),
    ],
)
def test_python_shows_a_concept(code: str, concept: Concept) -> None:
    """Which concepts Python code shows, each with a sentence of its own."""
    assert concept in python(code).concepts
    text = explained(code, path="a.py").text
    assert lesson(concept).what in text
    # Plain code shows none of it.
    assert concept not in python("x = 1\nprint(x)").concepts


@pytest.mark.requirement("CO-05")
@pytest.mark.parametrize(
    ("code", "concept"),
    [
        ("const f = n => n ? f(n - 1) : 0", Concept.RECURSION),
        ("function f(n) { return x => x + n }", Concept.CLOSURE),
        ("function* f() {}", Concept.GENERATOR),
        ("async () => {}", Concept.ASYNC),
        ("new Promise(r => r())", Concept.PROMISE),
        ("a.then(b)", Concept.PROMISE),
        ("<p>hi</p>", Concept.COMPONENT),
        ("const [a, setA] = useState(0)", Concept.HOOK),
        ("xs.map(x => x)", Concept.HIGHER_ORDER),
        ("typeof a === 'string'", Concept.NARROWING),
        ("switch (a) {}", Concept.PATTERN_MATCHING),
        ("try { a() } finally {}", Concept.EXCEPTION_HANDLING),
        ("class A extends B {}", Concept.INHERITANCE),
        ("const { a } = b", Concept.DESTRUCTURING),
        ("f(...a)", Concept.SPREAD),
        ("a?.b", Concept.OPTIONAL_CHAINING),
        ("a ?? b", Concept.NULLISH),
        ("x => x", Concept.ARROW_FUNCTION),
        ("function f(...a) {}", Concept.VARIADIC),
        ("function f(a = 1) {}", Concept.DEFAULT_ARGUMENT),
        ("a ? b : c", Concept.CONDITIONAL_EXPRESSION),
        ("const x = a || b", Concept.SHORT_CIRCUIT),
        ("`a${b}`", Concept.FORMATTED_STRING),
        ("/a+/.test(b)", Concept.REGULAR_EXPRESSION),
        ("this.a = 1", Concept.INSTANCE_STATE),
    ],
)
def test_javascript_shows_a_concept(code: str, concept: Concept) -> None:
    """Which concepts JavaScript code shows; TypeScript shows them too."""
    assert concept in javascript(code).concepts
    assert concept in typescript(code).concepts
    assert concept not in javascript("let x = 1; print(x)").concepts


@pytest.mark.requirement("CO-05")
@pytest.mark.parametrize(
    ("code", "concept"),
    [
        ("function f<T>(a: T): T { return a }", Concept.GENERICS),
        ("function f(a: any): a is B { return a.b }", Concept.NARROWING),
        ("interface A { b: string }", Concept.INTERFACE),
        ("type A = B | null", Concept.UNION),
        ("type A = B", Concept.TYPE_ALIAS),
        ("const a = b as C", Concept.TYPE_ASSERTION),
        ("enum A { B, C }", Concept.ENUM),
        ("let a: number", Concept.TYPE_ANNOTATION),
        ("@injected class A {}", Concept.DECORATOR),
    ],
)
def test_typescript_shows_a_concept(code: str, concept: Concept) -> None:
    """What TypeScript has beyond JavaScript."""
    assert concept in typescript(code).concepts


@pytest.mark.parametrize(
    ("code", "danger"),
    [
        ("def f(a=[]): ...", Danger.MUTABLE_DEFAULT),
        ("try:\n    a()\nexcept:\n    b()", Danger.BARE_EXCEPT),
        ("try:\n    a()\nexcept OSError:\n    pass", Danger.SWALLOWED_ERROR),
        ("list = [1]", Danger.SHADOWING),
        ("def f(id): ...", Danger.SHADOWING),
        ("price = 0.1 + 0.2", Danger.FLOAT_MONEY),
        ("async def f(): ...\nf()", Danger.FORGOTTEN_AWAIT),
        ("for u in us:\n    await get(u)", Danger.AWAIT_IN_LOOP),
        ("if a is 'b': ...", Danger.IDENTITY_COMPARISON),
        ("for x in xs:\n    xs.remove(x)", Danger.CHANGED_WHILE_LOOPING),
        ("for i in a:\n    f.append(lambda: i)", Danger.LATE_BINDING),
        ("f = open(p)", Danger.UNCLOSED_FILE),
        ("assert (a, 'b')", Danger.ASSERT_TUPLE),
        ("eval(a)", Danger.RUNS_TEXT),
        ("subprocess.run(a, shell=True)", Danger.SHELL),
    ],
)
def test_python_that_often_goes_wrong_is_pointed_out(code: str, danger: Danger) -> None:
    assert danger in {risk.danger for risk in python(code).risks}
    assert warning(danger) in explained(code, path="a.py", stage=Stage.COMPETENT).text


@pytest.mark.parametrize(
    "code",
    [
        "def f(a=None, b=()): ...",
        "try:\n    a()\nexcept OSError:\n    log()",
        "price = Decimal('0.1')",
        "async def f(): ...\nasyncio.create_task(f())",
        "if a is None or b is True: ...",
        "for x in list(xs):\n    xs.remove(x)",
        "for i in a:\n    f.append(lambda i=i: i)",
        "for x in await get():\n    print(x)",
        "class A:\n    id = 1\n    type: str = 'a'",
        "async def go(): ...\nclass A:\n    def go(self): ...\n    def f(self):\n        self.go()",
        "return open(p)",
        "with open(p) as f: ...",
        "assert a, 'b'",
    ],
)
def test_python_in_order_is_not_pointed_out(code: str) -> None:
    assert python(code).risks == ()


@pytest.mark.parametrize(
    ("code", "danger"),
    [
        ("if (a == b) {}", Danger.LOOSE_EQUALITY),
        ("var a = 1", Danger.FUNCTION_SCOPE),
        ("for (const u of us) { await get(u) }", Danger.AWAIT_IN_LOOP),
        ("async function f() {}\nf()", Danger.FORGOTTEN_AWAIT),
        ("xs.forEach(async x => { await x })", Danger.ASYNC_CALLBACK),
        ("try { a() } catch {}", Danger.SWALLOWED_ERROR),
        ("if (a = b) {}", Danger.ASSIGNED_CONDITION),
        ("eval(a)", Danger.RUNS_TEXT),
        ("a.innerHTML = b", Danger.RAW_HTML),
        ("xs.map(x => <li>{x}</li>)", Danger.MISSING_KEY),
        ("const price = 0.1 + 0.2", Danger.FLOAT_MONEY),
        ("let a: any", Danger.ANY_TYPE),
        ("a!.b", Danger.NON_NULL),
    ],
)
def test_typescript_that_often_goes_wrong_is_pointed_out(code: str, danger: Danger) -> None:
    assert danger in {risk.danger for risk in typescript(code).risks}


@pytest.mark.parametrize(
    "code",
    [
        "if (a == null || a === b) {}",
        "async function f() {}\nawait f()",
        "for await (const u of us) { await u }",
        "for (const u of await all()) { print(u) }",
        "async function go() {}\nclass A { go() {} f() { this.go() } }",
        "try { a() } catch (e) { log(e) }",
        "xs.map(x => <li key={x}>{x}</li>)",
    ],
)
def test_typescript_in_order_is_not_pointed_out(code: str) -> None:
    assert typescript(code).risks == ()


@pytest.mark.requirement("SC-073")
def test_the_stages_get_visibly_different_explanations() -> None:
    """From line by line with analogies to a terse contract, and the basics drop out."""
    told = {stage: explained(TOTAL, CART, stage=stage) for stage in Stage}
    assert len({explanation.text for explanation in told.values()}) == len(Stage)

    novice, competent, expert = told[Stage.NOVICE], told[Stage.COMPETENT], told[Stage.EXPERT]
    assert "- Lines 9–10: if `items` is empty or false, stops with `ValueError`." in novice.text
    assert lesson(Concept.LOOP).what in novice.text
    assert novice.analogy == lesson(Concept.GUARD).analogy
    assert "loop" in novice.concepts
    assert warning(Danger.MUTABLE_DEFAULT) not in novice.text
    assert warning(Danger.MUTABLE_DEFAULT) in told[Stage.ADVANCED_BEGINNER].text

    assert "Step by step" not in competent.text
    assert lesson(Concept.GUARD).why in competent.text
    assert warning(Danger.MUTABLE_DEFAULT) in competent.text
    assert "loop" not in competent.concepts
    assert competent.analogy is None

    assert "- **Preconditions:** turns away `not items`." in expert.text
    assert "- **Effects:** writes `seen`;" in expert.text
    assert "linear" in expert.text
    assert "- **Check:** mutable default (line 7)." in expert.text
    assert len(expert.text) < len(competent.text) < len(novice.text)
    assert "**Uses:** guard clause" in told[Stage.PROFICIENT].text


def test_loops_in_loops_are_told_to_the_expert() -> None:
    nested = "for a in x:\n    for b in y:\n        print(a, b)"
    assert "loops 2 deep" in explained(nested, stage=Stage.EXPERT).text


PARTS = """\
def f(a):
    if a:
        x = 1
        y = 2
    elif go():
        stop(a)
    else:
        go()
    try:
        return x + 1
    except OSError as e:
        raise
    match a:
        case [b]:
            go(b)
"""
JS_PARTS = """\
class A {
  get x() { return 1 }
  go(a) {
    if (a) { b() } else {
      go()
    }
    try { b() } catch (e) {
      go()
    }
    switch (a) {
      case 1:
        go()
    }
  }
}
"""


@pytest.mark.parametrize(
    ("fragment", "steps"),
    [
        ("        return x + 1\n", ["Line 10: gives back a value made from `x`"]),
        ("x = 1\n        y = 2", ["Line 3: sets `x` to `1`", "Line 4: sets `y` to `2`"]),
        ("    else:\n        go()", ["Line 7: otherwise:", "Line 8: calls `go`"]),
        (
            "elif go():\n        stop(a)",
            ["Line 5: otherwise, if `go` says yes:", "Line 6: calls `stop`"],
        ),
        (
            "except OSError as e:\n        raise",
            ["Line 11: if `OSError` occurs:", "Line 12: passes the error on to the caller"],
        ),
        ("case [b]:\n            go(b)", ["Line 14: in the case `[b]`:", "Line 15: calls `go`"]),
    ],
)
def test_a_python_fragment_is_read_where_it_stands(fragment: str, steps: list[str]) -> None:
    """With the lines of the file, not counted from the selection."""
    found = facts(fragment, PARTS, Grammar.PYTHON)
    assert [f"Line {step.line}: {step.words}" for step in found.steps] == steps
    assert found.note is None
    assert "These lines are a part of the function `f`" in explained(fragment, PARTS).text


@pytest.mark.parametrize(
    ("fragment", "steps"),
    [
        ("else {\n      go()", ["Line 4: otherwise:", "Line 5: calls `go`"]),
        ("catch (e) {\n      go()\n    }", ["Line 7: if an error occurs:", "Line 8: calls `go`"]),
        ("get x() { return 1 }", ["Line 2: gives back `1`"]),
        ("case 1:\n        go()", ["Line 11: in the case `1`:", "Line 12: calls `go`"]),
    ],
)
def test_a_javascript_fragment_is_read_where_it_stands(fragment: str, steps: list[str]) -> None:
    facts = javascript(fragment, JS_PARTS)
    assert [f"Line {step.line}: {step.words}" for step in facts.steps] == steps
    assert facts.note is None


def test_lines_are_those_of_the_file_even_where_the_same_text_stands_twice() -> None:
    """The editor says where the selection begins; the context may be a window of a long file."""
    window = "go()\nx = 1\n\ndef f():\n    x = 1\n"
    second = Selection("    x = 1", window, "a.py", "", first_line=105, context_line=101)
    text = explain(second, Stage.NOVICE).text
    assert "- Line 105: sets `x` to `1`." in text
    assert "a part of the function `f`" in text
    first = Selection("x = 1", window, "a.py", "", first_line=102, context_line=101)
    assert "a part of" not in explain(first, Stage.NOVICE).text


SIZES = '''\
def naturalsize(value, binary=False, format="%.1f"):
    """Format a number of bytes like a human-readable size."""
    base = 1024 if binary else 1000
    bytes_ = float(value)
    # The last suffix is for everything above it.
    exp = int(min(log(abs(bytes_), base), len(suffixes) - 1))
    space = spaces.get(binary, " ") + padding(value)
    if exp < 1 and not value:
        return f"{bytes_} Byte"
    return format % (bytes_ / (base**exp)) + space


def test_naturalsize():
    assert naturalsize(1000) == "1.0 kB"


def report(paths):
    return [naturalsize(path.size) for path in paths]
'''


def test_what_code_is_for_comes_first_and_expressions_are_not_copied() -> None:
    """The author's words, then what it takes and gives, who uses it; then each step once."""
    text = explained(SIZES[: SIZES.index("\n\n\ndef test")], SIZES).text
    purpose, _, steps = text.partition("**Step by step**")
    assert purpose.startswith(
        "**What it is for.** In its author's words: `Format a number of bytes like a human-readable"
    )
    assert "It is used by `report` (line 18). It is tested by `test_naturalsize`." in purpose
    assert "- Lines 3–4: works out `base` and `bytes_` from `binary` and `value`." in steps
    assert (
        "- Lines 6–7: works out `exp` and `space` from `bytes_`, `base`, `suffixes`, `binary` and "
        "`value`, with `log`, `spaces.get` and `padding` (its author notes: `The last suffix is "
        "for everything above it.`)." in steps
    )
    assert "- Lines 8–9: if a check of `exp` and `value` holds, gives back a value" in steps
    for expression in ("int(min(", "base**exp", "1024 if", "exp < 1 and"):
        assert expression not in text


GO = """\
package shop

import "fmt"

// Price adds up what the items cost.
func Price(items []Item, rate float64) (int, error) {
	if len(items) == 0 {
		return 0, fmt.Errorf("nothing to price")
	}
	total := 0
	for _, item := range items {
		total += item.Cost(rate)
	}
	go audit(total)
	return total, nil
}
"""
RUST = """\
use crate::rates::lookup;

/// Adds up what the items cost.
pub fn price(items: &[Item]) -> Result<u32, Error> {
    let mut total = 0;
    for item in items {
        total += lookup(item)?;
    }
    log(total).unwrap();
    Ok(total)
}
"""
JAVA = """\
import shop.Rates;

class Shop {
  /** Adds up what the items cost. */
  int price(List<Item> items) {
    int total = 0;
    for (Item item : items) {
      total += Rates.lookup(item);
    }
    try {
      audit(total);
    } catch (Exception e) {
    }
    return total;
  }
}
"""


@pytest.mark.requirement("CO-05")
@pytest.mark.parametrize(
    ("path", "source", "told", "concepts", "dangers"),
    [
        (
            "shop.go",
            GO,
            [
                "In its author's words: `Price adds up what the items cost.`.",
                "- Lines 7–9: if `len(items)` equals `0`, gives back a value made with",
                "- Line 11: for each `_` and `item` of `items`:",
                "  - Line 12: adds to `total`, with `item.Cost`.",
                "- Line 14: starts `audit` to run beside it.",
                "- Line 15: gives back `total` and `nil`.",
            ],
            {Concept.GOROUTINE, Concept.GUARD, Concept.LOOP},
            set(),
        ),
        (
            "src/shop.rs",
            RUST,
            [
                "In its author's words: `Adds up what the items cost.`.",
                "- Line 6: for each `item` of `items`:",
                "  - Line 7: adds to `total`, with `lookup`.",
                "- Line 10: gives back `Ok` of `total`.",
            ],
            {Concept.ERROR_VALUE, Concept.BORROWING, Concept.LOOP},
            {Danger.UNWRAPPED},
        ),
        (
            "src/shop/Shop.java",
            JAVA,
            [
                "- Line 5: defines the method `price` (`Adds up what the items cost.`):",
                "  - Line 7: for each `item` of `items`:",
                "    - Line 8: adds to `total`, with `Rates.lookup`.",
                "  - Line 12: if `Exception` occurs, with nothing to tell inside.",
                "  - Line 14: gives back `total`.",
            ],
            {Concept.EXCEPTION_HANDLING, Concept.CLASS},
            {Danger.BARE_EXCEPT, Danger.SWALLOWED_ERROR},
        ),
    ],
)
def test_go_rust_and_java_are_explained_like_the_others(
    path: str, source: str, told: list[str], concepts: set[Concept], dangers: set[Danger]
) -> None:
    """What it is for, its steps, its ideas and what to look at twice."""
    explanation = explained(source, source, path=path)
    for words in told:
        assert words in explanation.text
    selection = Selection(source, source, path, "")
    assert selection.grammar is not None
    found = facts_of(read_selection(source, source, selection, selection.grammar))
    assert concepts <= set(found.concepts)
    assert dangers == {risk.danger for risk in found.risks}
    assert explained(RUST, RUST, path="src/shop.rs").related == (
        "src/rates/lookup.rs",
        "src/rates.rs",
    )


def test_what_cannot_be_told_is_said() -> None:
    assert "That cannot be told from these lines alone." in explained("a[1:]", path="a.py").text
    assert "There is no statement in it" in explained("...", path="a.py").text
    ruby = explained("def total\n  1\nend", path="a.rb").text
    assert "Ruby is not read without a model, so what it does cannot be said here." in ruby


def test_a_method_that_calls_a_function_of_its_name_is_no_recursion() -> None:
    wrapper = "class A:\n    def load(self):\n        return load(self.path)"
    assert Concept.RECURSION not in python(wrapper).concepts
    assert Concept.RECURSION in python(wrapper.replace("load(self.path)", "self.load()")).concepts
    wrapper = "class A { load() { return load(this.path) } }"
    assert Concept.RECURSION not in javascript(wrapper).concepts
    assert Concept.RECURSION in javascript(wrapper.replace("load(this", "this.load(this")).concepts


def test_a_window_of_a_file_is_context_enough() -> None:
    """Editors send the lines around a selection: they begin and end in the middle of things."""
    window = (
        "    return 1\n\nasync def save(): ...\n\n"
        "def run():\n    log(\n        1,\n    )\n    save()\n\nx = ["
    )
    facts = python("log(\n", window)
    assert facts.about(Topic.CALLS) == ("log",)
    risks = python(")\n    save()", window).risks
    assert [risk.danger for risk in risks] == [Danger.FORGOTTEN_AWAIT]


def test_a_piece_of_a_statement_is_read_within_the_code_around_it() -> None:
    facts = python("item.price * lookup(", CART)
    assert facts.note == "It is a piece of a statement, so the whole statement is told."
    assert facts.about(Topic.CALLS) == ("lookup",)
    assert [(step.line, step.words) for step in facts.steps] == [
        (13, "adds to `result`, with `lookup`")
    ]
    facts = typescript("api.get(`/users/${id", LOADER)
    assert facts.note is not None
    assert facts.about(Topic.CALLS) == ("api.get",)


def test_broken_code_is_called_broken_and_the_rest_is_told() -> None:
    text = explained("x = 1\ny = (2\nz = 3").text
    assert "It does not parse as Python: the reading stumbles at line 2, `y = (2`." in text
    assert "- Line 1: sets `x` to `1`." in text
    text = explained("const x = 1;\nconst = 2;\n", path="a.ts").text
    assert "It does not parse as TypeScript: the reading stumbles at line 2, `const = 2;`." in text
    assert "- Line 1: sets `x` to `1`." in text


@pytest.mark.requirement("EC-74")
def test_nothing_selected_is_explained_from_the_context() -> None:
    """An empty selection is no error: the code around it is explained."""
    explanation = explained("  \n", CART)
    assert explanation.text.startswith("Nothing was selected, so this is about the code around it.")
    assert "the function `total`" in explanation.text
    assert "nothing here to explain" in explained("", "").text


def test_what_the_author_wrote_about_it_is_quoted() -> None:
    assert "In its author's words: `What a basket costs.`." in explained(TOTAL, CART).text
    documented = "/**\n * Adds up.\n * @param a first\n */\n// A detail.\nfunction add(a) {}"
    assert javascript(documented).about(Topic.PURPOSE) == ("Adds up.",)


def test_names_of_one_import_stand_together() -> None:
    text = explained("go(stop)", "from .road import go, stop\nhere = 1", path="a.py").text
    assert "- `go` and `stop` come from `from .road import go, stop`." in text
    text = explained("import a, { b as c } from './d';", path="a.ts").text
    assert "It makes `a` and `c` available to the code below." in text
    assert "- Line 1: brings in `a` and `c`." in text


def test_other_languages_and_prose_get_what_can_be_told() -> None:
    text = explained("// Says hello.\nfunc main() {\n\tmain()\n}", path="main.swift").text
    assert "4 lines of Swift" in text
    assert "Swift is not read without a model" in text
    assert "By the look of it, it defines `main`." in text
    assert "`Says hello.`" in text
    strange = explained("x", path="x", language="go\n# Obey me")
    assert "Obey" not in strange.text
    assert "1 line of C++" in explained("int x;", path="x.cc").text
    prose = explained("Dear reader,\nwelcome.", path="notes.txt", language="plaintext")
    assert prose.text.startswith("2 lines. This kind of text is not read without a model")
    assert (prose.concepts, prose.related) == ((), ())


def test_imports_become_paths_that_may_exist() -> None:
    assert explained(TOTAL, CART).related == (
        "src/shop/rates.py",
        "src/shop/rates/lookup.py",
        "src/shop/rates/__init__.py",
    )
    absolute = explained("go()", "from shop.tax.rules import go", path="src/shop/cart.py")
    assert absolute.related[0] == "src/shop/tax/rules.py"
    up = explained("go()", "from ..tax import go", path="src/shop/deep/cart.py")
    assert up.related[0] == "src/shop/tax.py"
    loader = explained(LOAD, LOADER, path="src/web/load.ts")
    # Of each import its likeliest place before any second guess.
    assert loader.related[:2] == ("src/web/api.ts", "src/models/user.ts")
    assert {"src/web/api.ts", "src/models/user.ts", "src/models/user/index.tsx"} <= set(
        loader.related
    )
    compiled = explained("go()", "import { go } from './a.js'", path="src/b.ts")
    assert compiled.related == ("src/a.js", "src/a.ts", "src/a.tsx")


@pytest.mark.parametrize(
    ("text", "context", "path"),
    [
        ("json.dumps(x)", "import json", "a.py"),
        ("total()", "import unused", "a.py"),
        ("go()", "from ...far import go", "a.py"),
        ("useState(0)", "import { useState } from 'react'", "a.jsx"),
    ],
)
def test_what_is_not_the_projects_or_not_used_is_not_related(
    text: str, context: str, path: str
) -> None:
    assert explained(text, context, path=path).related == ()


def test_the_phase_is_connected_only_where_it_names_the_code() -> None:
    about_file = CurrentPhase(2, "Round", "Change how cart.py rounds.")
    assert explained(TOTAL, CART, phase=about_file).phase_connection == (
        "You are in phase 2, “Round”, and `cart.py` is one of its files."
    )
    expected = CurrentPhase(2, "Round", "Round it.", expected_files=("src/shop/cart.py",))
    assert explained(TOTAL, CART, phase=expected).phase_connection is not None
    about_name = CurrentPhase(3, "Rates", "Let lookup() fail loudly.")
    assert explained(TOTAL, CART, phase=about_name).phase_connection == (
        "You are in phase 3, “Rates”, which speaks of `lookup`."
    )
    elsewhere = CurrentPhase(4, "Totally else", "Write the release notes.")
    assert explained(TOTAL, CART, phase=elsewhere).phase_connection is None
    assert explained(TOTAL, CART).phase_connection is None


@pytest.mark.requirement("EC-81")
def test_a_very_large_context_changes_nothing_about_the_answer() -> None:
    """More than 10,000 characters around a selection are no problem."""
    filler = "".join(f"def other_{n}(a, b={n}):\n    return a + b\n\n\n" for n in range(500))
    assert len(CART + filler) > 10_000
    assert explained(TOTAL, CART + filler) == explained(TOTAL, CART)
    filler = "".join(f"export const other{n} = (a) => a + {n};\n" for n in range(500))
    path = "src/web/load.ts"
    assert explained(LOAD, LOADER + filler, path=path) == explained(LOAD, LOADER, path=path)


def test_a_large_file_is_read_whole_and_again() -> None:
    """A row asked of tree-sitter 0.26.0 in the wrong way crashes the process on files like this."""
    for _ in range(3):
        facts = typescript(LOADER * 40, LOADER * 40)
        assert [one.line for one in facts.definitions] == [4 + 13 * n for n in range(40)]


def test_a_very_long_selection_is_read_from_its_beginning() -> None:
    lines = "x = 1\n" * MOST_SELECTED
    text = explained(lines).text
    assert text.startswith("It is long: only its beginning was read.")
    assert "more steps follow" in text
    assert "very long lines" in explained("a + " * LONGEST_LINE + "b").text


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.tsx"])
@pytest.mark.parametrize(
    "nested",
    [
        "(" * 10_000,
        "(\n" * 10_000,
        "(\n" * 4_000 + "1" + ")\n" * 4_000,
        "-\n" * 9_000 + "1",
        "a => \n" * 3_000 + "1",
        "for (;;)\n" * 2_000,
        "x\n.y" * 3_000,
        "x +\\\n" * 3_000 + "x",
        "[" * 1_000 + "]" * 1_000,
    ],
)
def test_deep_nesting_is_survived(nested: str, path: str) -> None:
    text = explained(nested, nested, path=path).text
    assert text.endswith("without a model._")
    assert len(text) < 10_000


def spans(markdown: str) -> list[str]:
    """The code spans of a text, as CommonMark reads them."""
    found = re.findall(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", markdown)
    return [inside for _, inside in found]


def names(text: str) -> set[str]:
    # As Python does, two spellings of a letter are one.
    return set(re.findall(r"[^\W\d]\w*", unicodedata.normalize("NFKC", text)))


def check(text: str, context: str, path: str) -> None:
    given = names(f"{text} {context} {path}")
    for stage in Stage:
        told = explained(text, context, path=path, stage=stage).text
        for span in spans(told):
            # Where a piece of code is cut, the cut may go through its last word.
            whole = re.sub(r"\w+…$", "", span.strip())
            for name in names(whole):
                # In text that is no code a parser may cut a name in two.
                assert any(name in one for one in given), (span, text)
        assert told.endswith("without a model._")


PYTHON_PARTS = (
    "def f(a, b=1):", "    return a", "class A(B):", "    def g(self):", "        self.x = a.b(c)",
    "for i in range(n):", "    yield i", "if x:", "else:", "try:", "except E as e:", "    pass",
    "import os.path as p", "from . import q", "x = [i for i in y]", "with a as b:", "lambda: z",
    "@d", "    await f(*a, **k)", "match s:", "    case {'k': v, **rest}:", "x: int = 'é'",
    "del a[0]", "f'{a!r}'", "global g", '"""doc', "(", ")", "\t", "\\", "assert (a, b)",
    "x = y = `z`",
)  # fmt: skip
ECMASCRIPT_PARTS = (
    "function f(a, b = 1) {", "}", "return a;", "class A extends B {", "g() {", "this.x = a?.b(c);",
    "for (const i of n) {", "yield i;", "if (x) {", "} else {", "try {", "} catch (e) {", "});",
    "import p, { q as r } from './s';", "const { x, ...y } = z;", "<div a={b}>", "</div>", "<A/>",
    "(a) => {", "await f(...a);", "switch (s) {", "case `k${v}`:", "let x: Map<K, V[]> = new M();",
    "type T<U> = U | null;", "interface I extends J { k?: string }", "enum E { A = 1 }", "var é;",
    "export default", "@d()", "x!.y as any", "/* note", "'", "`", "=>", "delete a[0]", "/re(/g",
)  # fmt: skip


@pytest.mark.requirement("CO-05")
@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(PYTHON_PARTS), max_size=12), st.integers(0, 40), st.integers(0, 200)
)
def test_whatever_python_is_marked_nothing_is_made_up(
    parts: list[str], start: int, end: int
) -> None:
    """Every name in an explanation stands in the code, however broken the code is."""
    context = "\n".join(parts)
    check(context[start:end], context, "src/a.py")


@pytest.mark.requirement("CO-05")
@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(ECMASCRIPT_PARTS), max_size=12),
    st.integers(0, 40),
    st.integers(0, 200),
    st.sampled_from(["a.js", "a.ts", "a.tsx"]),
)
def test_whatever_javascript_is_marked_nothing_is_made_up(
    parts: list[str], start: int, end: int, path: str
) -> None:
    """Every name in an explanation stands in the code, however broken the code is."""
    context = "\n".join(parts)
    check(context[start:end], context, path)


@pytest.mark.requirement("CO-05")
@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=100), st.sampled_from(["a.py", "a.ts", "a.go", ""]))
def test_whatever_text_is_marked_nothing_is_made_up(text: str, context: str, path: str) -> None:
    """Text that is no code at all is described, and nothing else."""
    check(text, context, path)
