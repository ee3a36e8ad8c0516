"""What a piece of work is a chance to learn, told by its words.

The names are those by which gaps, skills and katas meet each other again.
"""

import re
from collections import Counter
from pathlib import PurePosixPath

from bottega.core.files.languages import PLAINTEXT, language_of

#: What a concept is called, and the beginnings of words that speak of it.
CONCEPTS = {
    "Floats, money and rounding": "float decimal cent cents money currency round rounding",
    "Exceptions and validation": "exception exceptions raise raises validat invalid error errors",
    "Handling None and missing values": "none null undefined missing optional nullable absent",
    "Testing": "test tests tested testing pytest assert fixture coverage reproduce",
    "Async and concurrency": "async await asyncio promise promises concurren thread threads race "
    "parallel lock locks deadlock",
    "Generators and lazy evaluation": "generator generators lazy lazily yield yields streaming",
    "The iterator protocol": "iterator iterators iterable",
    "Recursion": "recursion recursive recursively",
    "Sorting with keys": "sort sorts sorted sorting ranking",
    "Dictionaries and grouping": "dict dictionary dictionaries grouping groups mapping lookup",
    "Sets and membership": "duplicate duplicates dedupe deduplicat unique membership",
    "Comprehensions": "comprehension comprehensions",
    "Decorators": "decorator decorators",
    "Context managers and cleanup": "cleanup teardown contextmanager close closes closed leak",
    "Dataclasses and value objects": "dataclass dataclasses immutable frozen",
    "Composition over inheritance": "inherit inheritance subclass subclasses composition",
    "Polymorphism and protocols": "polymorphi protocol interface interfaces abstract",
    "Closures and scope": "closure closures scope",
    "Pure functions and side effects": "pure mutat mutable immutab",
    "Caching and memoization": "cache caches cached caching memoiz memois",
    "Regular expressions": "regex regexp",
    "String parsing": "parse parses parser parsing tokeniz format formatting",
    "Dates and calendars": "date dates datetime timezone calendar timestamp deadline",
    "State machines": "state states transition transitions",
    "Databases and SQL": "sql database query queries migration schema transaction table",
    "HTTP and APIs": "http api endpoint endpoints request requests route routes webhook rest",
    "Input and output": "file files csv json yaml encoding stdin stdout",
    "Security": "auth authenticat authoriz permission permissions token password secret sanitiz "
    "injection",
    "Performance": "performance slow slower faster latency optimis optimiz",
    "Refactoring": "refactor refactoring rename extract simplify restructure",
    "User interface": "component components button render css layout hook hooks jsx",
    "Types": "typing annotation annotations generic generics typed",
}
#: Beginnings of this length or more also match longer words: `validat` is `validation`.
PREFIX = 6
LANGUAGES = {
    "typescriptreact": "TypeScript",
    "typescript": "TypeScript",
    "javascriptreact": "JavaScript",
    "javascript": "JavaScript",
    "css": "CSS",
    "html": "HTML",
    "sql": "SQL",
    "php": "PHP",
    "csharp": "C#",
    "cpp": "C++",
    "shellscript": "Shell",
}
#: No skill that a session here could show.
NOT_PROGRAMMING = frozenset(
    {PLAINTEXT, "markdown", "json", "jsonc", "jsonl", "yaml", "toml", "ini", "csv", "log", "ignore"}
)


def concepts_in(text: str, most: int = 3) -> list[str]:
    """The concepts that a text speaks of, those with the most words first."""
    words = set(re.findall(r"[a-z]+", text.lower()))
    met = Counter(
        {name: sum(_says(word, words) for word in said.split()) for name, said in CONCEPTS.items()}
    )
    return [name for name, count in met.most_common(most) if count]


def language_name(path: str) -> str | None:
    """The programming language of a file, as people write it."""
    language = language_of(path)
    if language in NOT_PROGRAMMING:
        return None
    return LANGUAGES.get(language, language.capitalize())


def role_of(path: str) -> str:
    """A file by what it is for: `tests` or its own name in words."""
    stem = PurePosixPath(path).stem
    if stem.startswith("test_") or stem.endswith(("_test", ".test", ".spec")):
        return "tests"
    return re.sub(r"[\W_]+", " ", stem).strip() or path


def _says(word: str, words: set[str]) -> bool:
    return word in words or (len(word) >= PREFIX and any(w.startswith(word) for w in words))
