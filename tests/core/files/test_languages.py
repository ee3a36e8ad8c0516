"""What a file's name tells."""

import pytest

from bottega.core.files.languages import is_binary, language_of


@pytest.mark.requirement("FR-024")
@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("src/auth.ts", "typescript"),
        ("view.tsx", "typescriptreact"),
        ("index.js", "javascript"),
        ("Dockerfile", "dockerfile"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("Makefile", "makefile"),
        ("UPPER.PY", "python"),
        ("x.test.ts", "typescript"),
        (".env.local", "dotenv"),
        (".gitignore", "ignore"),
        ("README", "plaintext"),
        (".py", "plaintext"),
        ("notes.xyz", "plaintext"),
        ("folder.py/file", "plaintext"),
    ],
)
def test_the_language_follows_from_the_name(path: str, language: str) -> None:
    """By extension, by the whole name where there is none, else plain text."""
    assert language_of(path) == language


@pytest.mark.requirement("FR-038", "EC-12")
def test_binary_files_are_known_by_their_extension() -> None:
    """Images, archives, compiled code; drawings in SVG are text."""
    assert all(map(is_binary, ("a.png", "a/b.ZIP", "lib.so", "x.tar.gz", "m.pyc", "f.woff2")))
    assert not any(map(is_binary, ("a.py", "a.svg", "png", ".png", "png.md", "zip/a.txt")))
