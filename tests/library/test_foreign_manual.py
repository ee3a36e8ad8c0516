"""Debian's policy manual as a library: nobody here wrote it, and every answer leads into its file.

Made and asked as people and agents do: by a running server's command line, REST and MCP.
"""

import gzip
import json
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from tests.end_to_end.conftest import DEADLINE, RunningServer, launch

MANUAL = Path("/usr/share/doc/debian-policy/policy.txt.gz")
pytestmark = pytest.mark.skipif(
    not MANUAL.is_file(), reason="the package debian-policy is not installed"
)

NUMBER = re.compile(r"^(\d+(?:\.\d+)*)\. ")
WORD = re.compile(r"\w+")
#: So many words in a row are found at one place only.
TELLING = 8


@dataclass(frozen=True)
class Manual:
    server: RunningServer
    folder: Path

    def get(self, path: str, **parameters: Any) -> Any:
        url = f"{self.server.url}/api/libraries/policy/{path}"
        return httpx.get(url, params=parameters, timeout=DEADLINE).raise_for_status().json()

    async def call(self, tool: str, **arguments: Any) -> Any:
        async with Client(f"{self.server.url}/mcp/library/policy") as agent:
            answer = await agent.call_tool(f"policy_{tool}", arguments)
        assert not answer.is_error, answer.content
        return answer.structured_content

    def opens(self, paragraph: dict[str, Any]) -> bool:
        """Whether a person who opens the file at the place finds the text, in its section."""
        unit, number = paragraph["start"].split()
        lines = (self.folder / paragraph["path"]).read_text("utf-8").splitlines()
        # Of a section without words of its own the heading is the text.
        below = NUMBER.sub("", " ".join(lines[int(number) - 1 :][:30]))
        said = WORD.findall(paragraph["text"])[:TELLING]
        above = (NUMBER.match(line) for line in reversed(lines[: int(number)]))
        section = next(found.group(1) for found in above if found)
        cited = re.split(r"[ (]", paragraph["ref"])[0]
        is_there = WORD.findall(below)[: len(said)] == said
        return unit == "line" and is_there and section == cited


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Manual]:
    root = tmp_path_factory.mktemp("manual")
    folder = root / "documents"
    folder.mkdir()
    (folder / "policy.txt").write_bytes(gzip.decompress(MANUAL.read_bytes()))
    server = launch(root)
    try:
        added = server.run("library", "add", "policy", str(folder), "--json")
        assert added.returncode == 0, added.stderr
        assert json.loads(added.stdout)["report"]["paragraphs"] > 1_000
        yield Manual(server, folder)
    finally:
        server.stop(signal.SIGTERM)


@pytest.mark.requirement("LB-606")
@pytest.mark.parametrize(
    ("question", "ref"),
    [
        ("in which directory must configuration files reside", "10.7.2"),
        ("may required targets access the network during a build", "4.9 ¶9"),
        ("which line must debian/rules start with", "4.9 ¶2"),
        ("must control files be encoded in UTF-8", "5.1 ¶16"),
        ("what does 9.3.2 say", "9.3.2"),
    ],
)
def test_a_search_leads_to_the_place_in_the_file(manual: Manual, question: str, ref: str) -> None:
    """Over REST and on the command line, by meaning or words."""
    found = [hit["paragraph"] for hit in manual.get("search", query=question)["hits"]]
    assert ref in [paragraph["ref"] for paragraph in found[:5]]
    right = next(paragraph for paragraph in found if paragraph["ref"] == ref)
    assert manual.opens(right)
    shown = json.loads(manual.server.run("library", "show", "policy", ref, "--json").stdout)
    assert shown["paragraph"] == right


@pytest.mark.requirement("LB-606")
async def test_hops_lead_to_places_in_the_file(manual: Manual) -> None:
    """Over MCP, along the numbers of sections, citations in the text, and meaning."""
    walk = await manual.call("hop_retrieve", paragraph_id="9.7", max_hops=2, max_results=60)
    reached = {hop["paragraph"]["ref"]: hop for hop in walk["hops"]}
    assert "9.7.2" in reached
    kinds = {step["kind"] for hop in walk["hops"] for step in hop["path"]}
    assert kinds == {"belongs_to", "cites", "hop"}
    citing = next(hop for hop in walk["hops"] if hop["path"][0]["kind"] == "cites")
    assert "section 9.7" in citing["paragraph"]["text"]
    numbered = [
        hop["paragraph"] for ref, hop in reached.items() if re.fullmatch(r"[\d.]+( ¶\d+)?", ref)
    ]
    assert len(numbered) > 20
    assert [each for each in numbered if not manual.opens(each)] == []


@pytest.mark.requirement("LB-606")
async def test_citations_are_checked_against_the_place_in_the_file(manual: Manual) -> None:
    """Over MCP and on the command line, a true claim holds and others do not."""
    true = "A package's configuration files must be placed in /etc."
    false = "Configuration files of a package may reside in /usr/share."
    citations = [
        {"paragraph_ref": "10.7.2", "claim": true},
        {"paragraph_ref": "10.7.2", "claim": false},
        {"paragraph_ref": "99.2", "claim": true},
    ]
    report = await manual.call("citation_verify", citations=citations)
    assert [each["supports_claim"] for each in report["details"]] == [True, False, False]
    assert report["details"][2]["error_category"] == "NOT_FOUND"
    cited = await manual.call("get_paragraph", identifier="10.7.2")
    assert manual.opens(cited)
    assert report["details"][0]["source_text"] in cited["text"]
    verify = ("library", "verify", "policy", "10.7.2")
    assert manual.server.run(*verify, true).returncode == 0
    assert manual.server.run(*verify, false).returncode == 1
