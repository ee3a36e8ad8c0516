"""Where the code that a selection imports is likely to be.

Only the project knows which of these paths exist: whoever shows them leaves out the others.
"""

import posixpath
import sys
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from bottega.core.code.grammars import Grammar
from bottega.core.code.model import Import

_ENDINGS = {
    Grammar.JAVASCRIPT: (".js", ".jsx", ".mjs", ".ts"),
    Grammar.TYPESCRIPT: (".ts", ".tsx", ".d.ts", ".js"),
    Grammar.TSX: (".tsx", ".ts", ".d.ts", ".js"),
}
#: TypeScript names a file by what it is compiled to.
_COMPILED = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",)}


def candidate_paths(imports: Iterable[Import], path: str, grammar: Grammar) -> tuple[str, ...]:
    """Paths in the project where the imported code may be: of each import its likeliest, then of
    each the next, as whoever reads them may not read all."""
    path = path.replace("\\", "/")
    if grammar is Grammar.PYTHON:
        found = [list(_python_paths(imported, path)) for imported in imports]
    elif grammar in _ENDINGS:
        found = [list(_ecmascript_paths(one, path, _ENDINGS[grammar])) for one in imports]
    else:
        found = [list(_package_paths(one, path, grammar)) for one in imports]
    # Few places means certain ones: a package that is not the file's own may be anywhere.
    found.sort(key=len)
    ranked = (one for rank in zip_longest(*found) for one in rank if one is not None)
    paths = dict.fromkeys(map(posixpath.normpath, ranked))
    # A path that climbs out of the project is none of its files.
    return tuple(one for one in paths if not one.startswith(("..", "/")) and one != path)


def _python_paths(imported: Import, path: str) -> Iterator[str]:
    module = imported.module.lstrip(".")
    dots = len(imported.module) - len(module)
    names = module.split(".") if module else []
    if dots:
        folder = posixpath.dirname(path)
        for _ in range(dots - 1):
            folder = posixpath.join(folder, "..")
        yield from _module_files(folder, names, imported.name)
    elif names and names[0] not in sys.stdlib_module_names:
        for folder in _roots(path, names[0]):
            yield from _module_files(folder, names, imported.name)


def _roots(path: str, package: str) -> Iterator[str]:
    """Where an absolute import may start: above the file's own package, or beside the file."""
    folders = posixpath.dirname(path).split("/")
    if package in folders:
        yield "/".join(folders[: folders.index(package)])
    else:
        yield from dict.fromkeys((posixpath.dirname(path), "", "src"))


def _module_files(folder: str, names: list[str], imported: str) -> Iterator[str]:
    module = posixpath.join(folder, *names)
    if names:
        yield f"{module}.py"
    yield posixpath.join(module, f"{imported}.py")
    yield posixpath.join(module, "__init__.py")


def _ecmascript_paths(imported: Import, path: str, endings: tuple[str, ...]) -> Iterator[str]:
    if not imported.module.startswith("."):
        return
    target = posixpath.join(posixpath.dirname(path), imported.module)
    stem, ending = posixpath.splitext(target)
    if ending:
        yield target
        yield from (stem + other for other in _COMPILED.get(ending, ()))
    if ending not in (*endings, *_COMPILED):
        yield from (target + other for other in endings)
        yield from (posixpath.join(target, f"index{other}") for other in endings[:2])


def _package_paths(imported: Import, path: str, grammar: Grammar) -> Iterator[str]:
    """Rust's `crate::rates::lookup` and Java's `shop.Rates`; Go names packages by where they are
    published, which no path tells."""
    folders = posixpath.dirname(path).split("/")
    if grammar is Grammar.RUST and imported.module.startswith(("crate::", "super::")):
        root = posixpath.dirname(path)
        if imported.module.startswith("crate::") and "src" in folders:
            root = "/".join(folders[: folders.index("src") + 1])
        names = imported.module.split("::")[1:]
        for end in (len(names), len(names) - 1):
            yield posixpath.join(root, *names[:end]) + ".rs"
    elif grammar is Grammar.JAVA:
        names = imported.module.split(".")
        if names[0] in folders:
            yield "/".join([*folders[: folders.index(names[0])], *names]) + ".java"
