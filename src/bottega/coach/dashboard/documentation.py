"""Official documentation that we know by heart: the only addresses shown that no search returned.

All are free, of the makers of the thing described, and have kept their addresses for years.
"""

from typing import Literal, NamedTuple

Kind = Literal["documentation", "tutorial"]

PYTHON = "https://docs.python.org/3"
MDN = "https://developer.mozilla.org/en-US/docs"
TYPESCRIPT = "https://www.typescriptlang.org/docs/handbook"
REACT = "https://react.dev"


class Page(NamedTuple):
    title: str
    url: str
    #: What it teaches, in the words that gaps are called by.
    about: str
    type: Kind
    minutes: int
    #: `python`, `javascript`, `typescript`, or nothing where it holds for all.
    language: str = ""


def _python(title: str, path: str, about: str, minutes: int, type: Kind = "documentation") -> Page:
    return Page(title, f"{PYTHON}/{path}", about, type, minutes, "python")


def _mdn(title: str, path: str, about: str, minutes: int, type: Kind = "documentation") -> Page:
    return Page(title, f"{MDN}/{path}", about, type, minutes, "javascript")


PAGES: tuple[Page, ...] = (
    _python(
        "More control flow tools",
        "tutorial/controlflow.html",
        "loops range off-by-one conditions functions arguments mutable default argument match",
        40,
        "tutorial",
    ),
    _python(
        "Data structures",
        "tutorial/datastructures.html",
        "lists slicing dictionaries sets tuples comprehension stack queue looping grouping",
        45,
        "tutorial",
    ),
    _python(
        "Errors and exceptions",
        "tutorial/errors.html",
        "exceptions error handling raising validation try except finally custom exception",
        30,
        "tutorial",
    ),
    _python(
        "Classes",
        "tutorial/classes.html",
        "classes objects inheritance scope closure iterators generators polymorphism",
        50,
        "tutorial",
    ),
    _python(
        "Modules",
        "tutorial/modules.html",
        "modules packages imports circular import path",
        25,
        "tutorial",
    ),
    _python(
        "Input and output",
        "tutorial/inputoutput.html",
        "files reading writing formatting f-string json",
        25,
        "tutorial",
    ),
    _python(
        "Floating point arithmetic: issues and limitations",
        "tutorial/floatingpoint.html",
        "floating point floats money rounding cents decimal precision",
        20,
        "tutorial",
    ),
    _python(
        "decimal: decimal arithmetic", "library/decimal.html", "money rounding cents decimal", 30
    ),
    _python("Sorting techniques", "howto/sorting.html", "sorting order key stable sort", 20),
    _python(
        "Functional programming HOWTO",
        "howto/functional.html",
        "iterators generators comprehension map filter pure functions side effects itertools",
        45,
    ),
    _python(
        "Regular expression HOWTO",
        "howto/regex.html",
        "regular expressions regex pattern matching groups text parsing",
        60,
    ),
    _python("Unicode HOWTO", "howto/unicode.html", "unicode encoding text bytes utf-8", 40),
    _python("Logging HOWTO", "howto/logging.html", "logging log levels handlers", 30),
    _python("Argparse tutorial", "howto/argparse.html", "command line arguments parsing cli", 30),
    _python(
        "Descriptor guide",
        "howto/descriptor.html",
        "descriptors properties attributes encapsulation",
        60,
    ),
    _python(
        "dataclasses",
        "library/dataclasses.html",
        "dataclasses records equality immutable fields",
        30,
    ),
    _python(
        "contextlib",
        "library/contextlib.html",
        "context managers with statement resource cleanup closing",
        30,
    ),
    _python(
        "functools",
        "library/functools.html",
        "decorators caching memoization partial wraps reduce",
        30,
    ),
    _python("itertools", "library/itertools.html", "iterators pairwise grouping lazy chain", 30),
    _python(
        "collections",
        "library/collections.html",
        "counter defaultdict deque grouping counting queue",
        30,
    ),
    _python("datetime", "library/datetime.html", "dates times timezone timedelta calendar", 40),
    _python("pathlib", "library/pathlib.html", "file paths folders files", 25),
    _python("json", "library/json.html", "json encoding decoding serialization", 20),
    _python("copy", "library/copy.html", "copying aliasing shallow deep copy mutable shared", 10),
    _python("bisect", "library/bisect.html", "binary search sorted insertion", 15),
    _python("graphlib", "library/graphlib.html", "graphs dependencies topological order", 15),
    _python("typing", "library/typing.html", "type hints generics protocols optional none", 40),
    _python(
        "Coroutines and tasks",
        "library/asyncio-task.html",
        "async await coroutine concurrency gather timeout task cancellation error event loop",
        40,
    ),
    _python(
        "threading",
        "library/threading.html",
        "threads race condition lock concurrency synchronization",
        40,
    ),
    _python("unittest.mock", "library/unittest.mock.html", "mocks test doubles patch testing", 40),
    _python("pdb: the debugger", "library/pdb.html", "debugging breakpoint stepping", 20),
    _python("sqlite3", "library/sqlite3.html", "sql database queries transactions parameters", 40),
    Page(
        "How to write and report assertions in tests",
        "https://docs.pytest.org/en/stable/how-to/assert.html",
        "testing tests assertions pytest exceptions approx",
        "documentation",
        15,
        "python",
    ),
    Page(
        "How to use fixtures",
        "https://docs.pytest.org/en/stable/how-to/fixtures.html",
        "testing fixtures set-up pytest isolation",
        "documentation",
        40,
        "python",
    ),
    _mdn(
        "JavaScript guide",
        "Web/JavaScript/Guide",
        "javascript language variables functions objects",
        60,
        "tutorial",
    ),
    _mdn(
        "Closures",
        "Web/JavaScript/Guide/Closures",
        "closures scope callback variables",
        25,
    ),
    _mdn(
        "Using promises",
        "Web/JavaScript/Guide/Using_promises",
        "promises async await chaining error handling callback",
        30,
        "tutorial",
    ),
    _mdn(
        "async function",
        "Web/JavaScript/Reference/Statements/async_function",
        "async await promise error handling",
        20,
    ),
    _mdn(
        "Loops and iteration",
        "Web/JavaScript/Guide/Loops_and_iteration",
        "loops iteration off-by-one for of",
        20,
        "tutorial",
    ),
    _mdn(
        "Array",
        "Web/JavaScript/Reference/Global_Objects/Array",
        "arrays map filter reduce sorting slicing mutation",
        30,
    ),
    _mdn(
        "Equality comparisons and sameness",
        "Web/JavaScript/Guide/Equality_comparisons_and_sameness",
        "equality comparison strict coercion",
        20,
    ),
    _mdn(
        "Destructuring",
        "Web/JavaScript/Reference/Operators/Destructuring",
        "destructuring assignment objects arrays default",
        20,
    ),
    _mdn(
        "Optional chaining",
        "Web/JavaScript/Reference/Operators/Optional_chaining",
        "optional chaining null undefined none handling",
        10,
    ),
    _mdn(
        "Regular expressions",
        "Web/JavaScript/Guide/Regular_expressions",
        "regular expressions regex pattern matching",
        40,
    ),
    _mdn(
        "JavaScript modules",
        "Web/JavaScript/Guide/Modules",
        "modules import export packages",
        30,
    ),
    _mdn("Using the Fetch API", "Web/API/Fetch_API/Using_Fetch", "http request fetch api", 30),
    _mdn(
        "HTTP overview",
        "Web/HTTP/Guides/Overview",
        "http protocol request response status headers",
        25,
    ),
    Page(
        "TypeScript: everyday types",
        f"{TYPESCRIPT}/2/everyday-types.html",
        "types annotations union interface typescript",
        "tutorial",
        30,
        "typescript",
    ),
    Page(
        "TypeScript: narrowing",
        f"{TYPESCRIPT}/2/narrowing.html",
        "type narrowing guards union null undefined",
        "tutorial",
        30,
        "typescript",
    ),
    Page(
        "TypeScript: generics",
        f"{TYPESCRIPT}/2/generics.html",
        "generics type parameters constraints",
        "tutorial",
        30,
        "typescript",
    ),
    Page(
        "React: managing state",
        f"{REACT}/learn/managing-state",
        "react state management components lifting reducer",
        "tutorial",
        60,
        "typescript",
    ),
    Page(
        "React: synchronizing with effects",
        f"{REACT}/learn/synchronizing-with-effects",
        "react effects useeffect lifecycle cleanup",
        "tutorial",
        45,
        "typescript",
    ),
    Page(
        "Git: recording changes to the repository",
        "https://git-scm.com/book/en/v2/Git-Basics-Recording-Changes-to-the-Repository",
        "git commit staging diff version control",
        "tutorial",
        30,
    ),
    Page(
        "Git: branching and merging",
        "https://git-scm.com/book/en/v2/Git-Branching-Basic-Branching-and-Merging",
        "git branch merge conflict",
        "tutorial",
        30,
    ),
    Page(
        "PostgreSQL: the SQL language",
        "https://www.postgresql.org/docs/current/tutorial-sql.html",
        "sql queries joins database aggregation",
        "tutorial",
        45,
    ),
    Page(
        "PostgreSQL: transaction isolation",
        "https://www.postgresql.org/docs/current/transaction-iso.html",
        "transactions isolation race condition database concurrency",
        "documentation",
        40,
    ),
)

ADDRESSES = frozenset(page.url for page in PAGES)
