"""What the site needs beside its pages, and one promise: a reader's browser asks no other host.

MkDocs calls the `on_*` functions. A warning here ends `mkdocs build --strict`.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
#: Pages and pictures that have their place elsewhere in the repository.
BORROWED = {"changelog.md": "CHANGELOG.md", "images/favicon.svg": "web/public/favicon.svg"}
#: What a browser loads by itself: `<link>`, `src`, `url()` and `@import`; not what a reader clicks.
FETCHED = re.compile(
    r"""<link\b[^>]*\bhref=["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|\b(?:src|srcset|data|poster)=["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)"""
)

log = get_plugin_logger("site")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for uri, path in BORROWED.items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / path)))
    return files


def on_post_build(config: MkDocsConfig) -> None:
    site = Path(config.site_dir)
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".css", ".svg"):
            for address in foreign_addresses(path.read_text("utf-8")):
                log.warning("%s loads %s from another host", path.relative_to(site), address)


def foreign_addresses(text: str) -> Iterator[str]:
    for found in FETCHED.findall(text):
        yield from filter(None, found)
