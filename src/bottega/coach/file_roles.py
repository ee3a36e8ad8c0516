"""What a file is, told by its path: its programming language, whether it is a test."""

import re
from pathlib import PurePosixPath

from bottega.core.files.languages import PLAINTEXT, language_of

#: Languages whose names are not merely written with a capital.
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
    "json": "JSON",
    "toml": "TOML",
    "xml": "XML",
    "yaml": "YAML",
}
#: No skill that a session here could show.
NOT_PROGRAMMING = frozenset(
    {PLAINTEXT, "markdown", "json", "jsonc", "jsonl", "yaml", "toml", "ini", "csv", "log", "ignore"}
)
TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs"})
TEST_NAME = re.compile(r"(?:^|[._-])(?:tests?|spec)(?:[._-]|$)", re.IGNORECASE)


def language_name(path: str) -> str | None:
    """The programming language of a file, as people write it."""
    language = language_of(path)
    if language in NOT_PROGRAMMING:
        return None
    return LANGUAGES.get(language, language.capitalize())


def is_test(path: str) -> bool:
    """By a folder for tests, or by the file's own name, in the ways of several languages."""
    place = PurePosixPath(path.replace("\\", "/").lower())
    return bool(TEST_FOLDERS.intersection(place.parts[:-1])) or is_test_name(place.stem)


def is_test_name(stem: str) -> bool:
    return TEST_NAME.search(stem) is not None


def role_of(path: str) -> str:
    """A file by what it is for: `tests`, or its own name in words."""
    stem = PurePosixPath(path).stem
    return "tests" if is_test_name(stem) else re.sub(r"[\W_]+", " ", stem).strip() or path
