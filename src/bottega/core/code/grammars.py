"""The languages that can be read, by what editors and files call them."""

from enum import StrEnum
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bottega.core.files.languages import language_of

if TYPE_CHECKING:
    from tree_sitter import Language, Query

QUERIES = Path(__file__).with_name("queries")


class Grammar(StrEnum):
    PYTHON = "python"
    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"
    #: TypeScript with markup; its cast syntax differs from TypeScript's own.
    TSX = "tsx"
    GO = "go"
    RUST = "rust"
    JAVA = "java"

    @property
    def words(self) -> str:
        """The language as a person calls it."""
        names = {Grammar.JAVASCRIPT: "JavaScript", Grammar.TSX: "TypeScript"}
        return names.get(self, "TypeScript" if self is Grammar.TYPESCRIPT else self.capitalize())

    @property
    def query_files(self) -> tuple[str, ...]:
        """The files of a queries folder that make up this language's query."""
        return _SHARED_QUERIES.get(self, (self.value,))


_SHARED_QUERIES = {
    Grammar.JAVASCRIPT: ("ecmascript", "javascript", "jsx"),
    Grammar.TYPESCRIPT: ("ecmascript", "typescript"),
    Grammar.TSX: ("ecmascript", "typescript", "jsx"),
}
#: The package of each grammar and its function, where it is not simply `language`.
_PACKAGES = {
    Grammar.TYPESCRIPT: ("tree_sitter_typescript", "language_typescript"),
    Grammar.TSX: ("tree_sitter_typescript", "language_tsx"),
}
#: What editors call languages beside the grammars' own names.
_ALIASES = {
    "py": Grammar.PYTHON,
    "javascriptreact": Grammar.JAVASCRIPT,
    "js": Grammar.JAVASCRIPT,
    "jsx": Grammar.JAVASCRIPT,
    "ts": Grammar.TYPESCRIPT,
    "typescriptreact": Grammar.TSX,
    "golang": Grammar.GO,
    "rs": Grammar.RUST,
}
_NAMES = {grammar.value: grammar for grammar in Grammar} | _ALIASES


def grammar_of(path: str, language: str = "") -> Grammar | None:
    """The grammar for a file, None for a language that is not read. The editor's word counts more
    than the path, except for markup files, which editors call plain "typescript"."""
    by_path = _NAMES.get(language_of(path))
    named = _NAMES.get(language.strip().lower())
    return by_path if by_path is Grammar.TSX and named else named or by_path


@cache
def load_language(grammar: Grammar) -> "Language":
    # Imported here: the server starts without them.
    from tree_sitter import Language

    package, function = _PACKAGES.get(grammar, (f"tree_sitter_{grammar}", "language"))
    return Language(getattr(import_module(package), function)())


@cache
def load_query(grammar: Grammar, folder: Path) -> "Query":
    """The query of a language, put together from those of its files that the folder has."""
    from tree_sitter import Query

    files = [folder / f"{name}.scm" for name in grammar.query_files]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())
    return Query(load_language(grammar), text)
