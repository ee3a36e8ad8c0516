"""How an entry is put into a configuration file's text, found in it, and taken out.

Every new text is read again before it is used: it must say what the old one said, plus or minus
the entry. What cannot be done safely is refused with a `NotUnderstood` that says why.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from bottega.cli.mcp_clients import json_text
from bottega.cli.mcp_clients.json_text import BOM, Node, NotUnderstood

NAME = "bottega"
Entry = Mapping[str, Any]


class Format(Protocol):
    """All methods raise `NotUnderstood` for a text that cannot be changed safely."""

    def find(self, text: str) -> Entry | None:
        """Bottega's entry, or `None`."""
        ...

    def add(self, text: str, entry: Entry) -> str:
        """The text with the entry added."""
        ...

    def remove(self, text: str) -> str:
        """The text without Bottega's entry."""
        ...

    def snippet(self, entry: Entry) -> str:
        """The entry in a file of its own, to be pasted."""
        ...


@dataclass(frozen=True, slots=True)
class JsonFormat:
    #: The object that has a member for each server.
    container: str

    def find(self, text: str) -> Entry | None:
        entry = self._servers(self._read(text)).get(NAME)
        if entry is not None and not isinstance(entry, dict):
            raise NotUnderstood(f"its {NAME!r} is not an object")
        return entry

    def add(self, text: str, entry: Entry) -> str:
        document = self._read(text)
        servers = {**self._servers(document), NAME: entry}
        root = json_text.parse(text)
        if root is None:
            return (BOM if text.startswith(BOM) else "") + self.snippet(entry)
        container = root.member(self.container)
        new = (
            _put(text, root, 1, self.container, servers)
            if container is None
            else _put(text, container.node, 2, NAME, entry)
        )
        return self._checked(new, {**document, self.container: servers})

    def remove(self, text: str) -> str:
        document = self._read(text)
        servers = self._servers(document)
        root = json_text.parse(text)
        container = root.member(self.container) if root else None
        if container is None or NAME not in servers:
            return text
        del servers[NAME]
        new = _cut(text, container.node, NAME)
        return self._checked(new, {**document, self.container: servers})

    def snippet(self, entry: Entry) -> str:
        return json.dumps({self.container: {NAME: entry}}, indent=2) + "\n"

    def _read(self, text: str) -> dict[str, Any]:
        root = json_text.parse(text)
        if root is None:
            return {}
        if not isinstance(root.value, dict):
            raise NotUnderstood("it is not an object")
        return root.value

    def _servers(self, document: Entry) -> dict[str, Any]:
        servers = document.get(self.container, {})
        if not isinstance(servers, dict):
            raise NotUnderstood(f"its {self.container!r} is not an object")
        return dict(servers)

    def _checked(self, text: str, document: Entry) -> str:
        if self._read(text) != document:
            raise NotUnderstood("its layout is not understood")
        return text


def _put(text: str, node: Node, depth: int, key: str, value: Any) -> str:
    """As the last member, each line as deep as it belongs."""
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = _indent(text)
    lines = f"{json.dumps(key)}: {json.dumps(value, indent=indent)}".split("\n")
    member = newline.join(indent * depth + line for line in lines)
    after = node.start + 1
    comma = ""
    if node.trailing_comma is not None:
        after = node.trailing_comma + 1
        member += ","
    elif node.members:
        after, comma = node.members[-1].node.end, ","
    # Comments behind the last member stay with it.
    kept = text[after : node.end - 1]
    behind = kept.rstrip()
    closing = kept[len(behind) :]
    if "\n" not in closing:
        closing = newline + indent * (depth - 1)
    return text[:after] + comma + behind + newline + member + closing + text[node.end - 1 :]


def _cut(text: str, node: Node, key: str) -> str:
    """Without the member, its line and one comma."""
    place = next(n for n, each in enumerate(node.members) if each.key == key)
    member = node.members[place]
    start, end = member.start, member.node.end
    rest = text[end:]
    following = re.match(r"\s*,", rest)
    if following:
        rest = rest[following.end() :]
    # A line's end may be that of a comment, so one has to stay.
    has_line = "\n" in rest[: len(rest) - len(rest.lstrip())]
    before = text[:start].rstrip() if has_line else text[:start]
    if following or place == 0:
        return before + rest
    comma = node.members[place - 1].node.end
    comma = text.index(",", comma) if "," in text[comma:start] else comma
    return text[:comma] + text[comma + 1 : len(before)] + rest


def _indent(text: str) -> str:
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found.group(1) if found else "  "


@dataclass(frozen=True, slots=True)
class TomlFormat:
    #: The table that has a table for each server.
    container: str

    def find(self, text: str) -> Entry | None:
        servers = self._read(text).get(self.container, {})
        entry = servers.get(NAME) if isinstance(servers, dict) else None
        if not isinstance(servers, dict) or not isinstance(entry, dict | None):
            raise NotUnderstood(f"its {self.container!r} is not a table of tables")
        return entry

    def add(self, text: str, entry: Entry) -> str:
        self.find(text)
        newline = "\r\n" if "\r\n" in text else "\n"
        table = self.snippet(entry).replace("\n", newline)
        gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
        document = self._read(text)
        servers = {**document.get(self.container, {}), NAME: dict(entry)}
        return self._checked(text + gap + table, {**document, self.container: servers})

    def remove(self, text: str) -> str:
        document = self._read(text)
        servers = dict(document.get(self.container, {}))
        if NAME not in servers:
            return text
        header = rf"(?:\r?\n)?^[ \t]*\[[ \t]*{self.container}[ \t]*\.[ \t]*\"?{NAME}\"?[ \t]*\]"
        keys = "|".join(map(re.escape, servers[NAME]))
        table = re.compile(header + rf"[^\n]*\n?(?:[ \t]*(?:{keys})[ \t]*=[^\n]*\n?)*", re.M)
        del servers[NAME]
        expected = {**document, self.container: servers}
        if not servers:
            del expected[self.container]
        return self._checked(table.sub("", text, count=1), expected)

    def snippet(self, entry: Entry) -> str:
        # What JSON says of a text, TOML understands.
        lines = [f"{name} = {json.dumps(value)}" for name, value in entry.items()]
        return "\n".join([f"[{self.container}.{NAME}]", *lines]) + "\n"

    def _read(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text.removeprefix(BOM).replace("\r\n", "\n"))
        except tomllib.TOMLDecodeError as error:
            raise NotUnderstood(f"it is not TOML: {error}") from None

    def _checked(self, text: str, document: Entry) -> str:
        found = self._read(text)
        if not document.get(self.container) and not found.get(self.container):
            found.pop(self.container, None)
            document = {name: each for name, each in document.items() if name != self.container}
        if found != document:
            raise NotUnderstood("its layout is not understood")
        return text
