"""What the learner marked in the editor, and the phase they are working on."""

import re
from dataclasses import dataclass
from enum import StrEnum

from bottega.core.files.languages import PLAINTEXT, language_of


class Grammar(StrEnum):
    """The grammars that we can read."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"
    #: TypeScript with markup; its cast syntax differs from TypeScript's own.
    TSX = "tsx"

    @property
    def words(self) -> str:
        """The language as a person calls it."""
        names = {Grammar.PYTHON: "Python", Grammar.JAVASCRIPT: "JavaScript"}
        return names.get(self, "TypeScript")


_GRAMMARS = {
    "python": Grammar.PYTHON,
    "py": Grammar.PYTHON,
    "javascript": Grammar.JAVASCRIPT,
    "javascriptreact": Grammar.JAVASCRIPT,
    "js": Grammar.JAVASCRIPT,
    "jsx": Grammar.JAVASCRIPT,
    "typescript": Grammar.TYPESCRIPT,
    "ts": Grammar.TYPESCRIPT,
    "typescriptreact": Grammar.TSX,
    "tsx": Grammar.TSX,
}


#: Names that are not merely written with a capital.
_WORDS = {
    "cpp": "C++",
    "csharp": "C#",
    "css": "CSS",
    "html": "HTML",
    "json": "JSON",
    "php": "PHP",
    "shellscript": "shell script",
    "sql": "SQL",
    "toml": "TOML",
    "xml": "XML",
    "yaml": "YAML",
}


@dataclass(frozen=True, slots=True)
class Selection:
    text: str
    #: The code around it, the selection usually included.
    context: str
    path: str
    #: As the editor calls it; the path tells it too.
    language: str

    @property
    def is_empty(self) -> bool:
        return not self.text.strip()

    @property
    def grammar(self) -> Grammar | None:
        by_path = _GRAMMARS.get(language_of(self.path))
        named = _GRAMMARS.get(self.language.strip().lower())
        # Editors call markup files plain "typescript": the file's name knows better.
        return by_path if by_path is Grammar.TSX and named else named or by_path

    @property
    def language_words(self) -> str:
        """The language as a person calls it, or an empty string."""
        if self.grammar:
            return self.grammar.words
        # Clients may call it anything; in a sentence of ours stands only what looks like a name.
        name = self.language.strip().lower()
        if not re.fullmatch(r"[\w+#.-]{1,20}", name):
            name = language_of(self.path)
        return "" if name in (PLAINTEXT, "text", "plain") else _WORDS.get(name, name.capitalize())


@dataclass(frozen=True, slots=True)
class CurrentPhase:
    """The phase of the plan that the learner is in."""

    number: int
    title: str
    description: str
    #: The files that the plan expects the phase to touch, where the caller knows them.
    expected_files: tuple[str, ...] = ()
