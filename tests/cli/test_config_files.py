"""Whatever is in a configuration file: the entry goes in and out, and the rest stays."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.cli.mcp_clients import json_text
from bottega.cli.mcp_clients.config_file import ConfigFile
from bottega.cli.mcp_clients.formats import JsonFormat, TomlFormat
from bottega.errors import InvalidInput

ENTRY = {"type": "http", "url": "http://127.0.0.1:3000/mcp"}
OTHER = {"type": "http", "url": "http://[::1]:4000/mcp"}
JSON = JsonFormat("mcpServers")
TOML = TomlFormat("mcp_servers")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
scalars = st.none() | st.booleans() | st.integers() | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
names = texts.filter(lambda name: name not in ("bottega", "mcpServers"))
documents = st.dictionaries(names, values, max_size=3) | st.builds(
    lambda rest, servers: {**rest, "mcpServers": servers},
    st.dictionaries(names, values, max_size=3),
    st.dictionaries(names, values, max_size=3),
)
GAPS = ["", " ", "\n", "\r\n", "\t", "\n  ", "/* , } */", '// { " ,\n', " /* a\n b */ "]


@st.composite
def commented(draw: st.DrawFn, value: Any) -> str:
    """The value as JSON, with gaps, comments and commas wherever they may be."""
    gap = draw(st.sampled_from(GAPS))
    if isinstance(value, dict):
        parts = [
            f"{draw(st.sampled_from(GAPS))}{json.dumps(key)}{gap}:{draw(commented(each))}"
            for key, each in value.items()
        ]
        return f"{gap}{{{draw(commas(parts))}}}{draw(st.sampled_from(GAPS))}"
    if isinstance(value, list):
        return f"{gap}[{draw(commas([draw(commented(each)) for each in value]))}]{gap}"
    return f"{gap}{json.dumps(value)}{draw(st.sampled_from(GAPS))}"


@st.composite
def commas(draw: st.DrawFn, parts: list[str]) -> str:
    last = draw(st.sampled_from(["", ",", ",\n", ", // end\n"])) if parts else ""
    return ",".join(parts) + last + draw(st.sampled_from(GAPS))


json_files = documents.flatmap(commented)
keys = st.text("abcdefgh-_", min_size=1, max_size=4)
toml_values = st.sampled_from(["1", '"a # b"', "'c'", "[1, 2]", '"""x\n[y]\nz"""', "true"])


@st.composite
def toml_files(draw: st.DrawFn) -> str:
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    lines = ["# mine", *(f"{key} = 1 # one" for key in draw(st.sets(keys, max_size=3)))]
    for name in draw(st.sets(keys, max_size=3)):
        lines += ["", f"[mcp_servers.{name}] # server", f"command = {draw(toml_values)}"]
    text = newline.join(lines).replace('"""x\r\n', '"""x\n')
    return text + draw(st.sampled_from(["", newline, newline * 3, newline + "# end"]))


def in_file(text: str, check: Callable[[Path], None], name: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(text.encode())
        check(path)


def put_and_take_out(file: ConfigFile, before: bytes) -> None:
    file.put(ENTRY)
    assert file.entry() == ENTRY
    file.put(OTHER)
    assert file.entry() == OTHER
    file.take_out()
    assert file.path.read_bytes() == before
    assert list(file.path.parent.iterdir()) == [file.path]


@given(json_files)
@settings(deadline=None)
def test_taking_out_gives_back_every_byte_of_json(text: str) -> None:
    in_file(text, lambda path: put_and_take_out(ConfigFile(path, JSON), text.encode()), "a.json")


@given(toml_files())
@settings(deadline=None)
def test_taking_out_gives_back_every_byte_of_toml(text: str) -> None:
    in_file(text, lambda path: put_and_take_out(ConfigFile(path, TOML), text.encode()), "a.toml")


@given(json_files)
@settings(deadline=None)
def test_without_a_copy_the_entry_alone_is_cut_out(text: str) -> None:
    """Everything that the file said is said still, and its comments are there."""
    added = JSON.add(text, ENTRY)
    cut = JSON.remove(added)

    before, after = json_text.parse(text), json_text.parse(cut)
    assert before is not None
    assert after is not None
    assert after.value == {"mcpServers": {}, **before.value}
    for comment in ("/* , } */", '// { " ,', "/* a\n b */", "// end"):
        assert cut.count(comment) == text.count(comment)


@given(toml_files())
@settings(deadline=None)
def test_without_a_copy_the_table_alone_is_cut_out(text: str) -> None:
    added = TOML.add(text, ENTRY)
    cut = TOML.remove(added + "\n[later]\nx = 1\n")

    def read(text: str) -> dict[str, Any]:
        return tomllib.loads(text.replace("\r\n", "\n"))

    assert read(cut) == {**read(text), "later": {"x": 1}}
    assert cut.count("#") == text.count("#")


@given(values)
@settings(deadline=None)
def test_what_json_reads_is_read_the_same(value: Any) -> None:
    for indent in (None, 2):
        node = json_text.parse(json.dumps(value, indent=indent))
        assert node is not None
        assert node.value == value


@given(st.binary(max_size=40) | st.text('{}[]",:/*\n a1', max_size=30).map(str.encode))
@settings(deadline=None)
def test_bad_input_loses_nothing(content: bytes) -> None:
    for known in (JSON, TOML):
        with TemporaryDirectory() as folder:
            file = ConfigFile(Path(folder) / "settings", known)
            file.path.write_bytes(content)
            try:
                file.put(ENTRY)
            except InvalidInput:
                pass
            else:
                file.take_out()
            assert file.path.read_bytes() == content
            assert list(file.path.parent.iterdir()) == [file.path]


@pytest.mark.parametrize("content", ["", "\n", "\ufeff", "\ufeff{}"])
def test_an_empty_file_comes_back_empty(content: str, tmp_path: Path) -> None:
    file = ConfigFile(tmp_path / "mcp.json", JSON)
    file.path.write_bytes(content.encode())
    put_and_take_out(file, content.encode())
