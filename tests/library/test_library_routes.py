"""Libraries over HTTP."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from bottega.library.room import LARGEST_UPLOAD
from bottega.server.http import create_server
from bottega.server.options import Options
from tests.library.builders import HARBOUR, LibraryApp

PATH = "/api/libraries"
NOTE = b"---\nnumber: 7\nkind: standard\n---\n\n1. Boats shall carry a bell.\n"


@pytest.fixture
async def http(app: LibraryApp) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=create_server(app))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def ended(http: httpx.AsyncClient, name: str, run_id: str) -> dict[str, Any]:
    while True:
        asked = await http.get(f"{PATH}/{name}/ingests/{run_id}", params={"wait": 5})
        progress: dict[str, Any] = asked.json()
        if progress["status"] in ("completed", "failed"):
            return progress


@pytest.mark.requirement("LB-525")
async def test_a_library_lives_its_life_over_http(http: httpx.AsyncClient) -> None:
    """Made, listed, shown and removed; a name that is taken or wrong is refused."""
    assert (await http.get(PATH)).json() == {"libraries": []}
    made = await http.post(PATH, json={"name": "boats", "title": "Of boats"})
    assert (made.status_code, made.json()["title"]) == (201, "Of boats")
    assert (await http.post(PATH, json={"name": "boats"})).status_code == 409
    assert (await http.post(PATH, json={"name": "No good"})).status_code == 422
    listed = (await http.get(PATH)).json()["libraries"]
    assert [library["name"] for library in listed] == ["boats"]
    assert (await http.get(f"{PATH}/boats")).json()["paragraphs"] == 0
    assert (await http.delete(f"{PATH}/boats")).json() == {"removed": "boats"}
    gone = await http.get(f"{PATH}/boats")
    assert (gone.status_code, gone.json()["error"]["type"]) == (404, "not_found")


@pytest.mark.requirement("LB-526")
async def test_documents_are_uploaded_and_a_bad_one_is_named(http: httpx.AsyncClient) -> None:
    """The good one goes in, the other is in the report and in the status."""
    await http.post(PATH, json={"name": "boats"})
    files = [("files", ("bells.md", NOTE)), ("files", ("broken.pdf", b"%PDF-1.4 nothing"))]
    sent = await http.post(f"{PATH}/upload", data={"library": "boats"}, files=files)
    assert sent.status_code == 202
    progress = await ended(http, "boats", sent.json()["run_id"])
    assert progress["status"] == "completed"
    assert progress["report"]["added"] == 1
    assert [each["path"].endswith("broken.pdf") for each in progress["report"]["rejected"]] == [
        True
    ]
    status = (await http.get(f"{PATH}/boats")).json()
    assert (status["standards"], status["paragraphs"], len(status["rejections"])) == (1, 1, 1)
    documents = (await http.get(f"{PATH}/boats/documents", params={"kind": "standard"})).json()
    assert [each["prefix"] for each in documents["documents"]] == ["7"]
    found = await http.get(f"{PATH}/boats/paragraph", params={"identifier": "7.1"})
    assert found.json()["text"] == "Boats shall carry a bell."


@pytest.mark.requirement("LB-527")
async def test_an_upload_is_bounded(http: httpx.AsyncClient) -> None:
    """More than other bodies, not without end; no files, no name and no library refuse."""
    await http.post(PATH, json={"name": "boats"})
    large = b"1. Boats.\n" * 1_100_000
    files = [("files", ("large.txt", large))]
    taken = await http.post(f"{PATH}/upload", data={"library": "boats"}, files=files)
    assert taken.status_code == 202
    await http.post(f"/api/runs/{taken.json()['run_id']}/cancel")
    headers = {"Content-Length": str(LARGEST_UPLOAD + 1), "Content-Type": "multipart/form-data"}
    refused = await http.post(f"{PATH}/upload", content=b"", headers=headers)
    assert (refused.status_code, refused.json()["error"]["limit"]) == (413, LARGEST_UPLOAD)
    assert (await http.post(f"{PATH}/upload", data={"library": "boats"})).status_code == 422
    small = [("files", ("bells.md", NOTE))]
    nowhere = await http.post(f"{PATH}/upload", data={"library": "town"}, files=small)
    assert nowhere.status_code == 404
    outside = [("files", ("../bells.md", NOTE))]
    climbing = await http.post(f"{PATH}/upload", data={"library": "boats"}, files=outside)
    assert climbing.status_code == 422


@pytest.mark.requirement("LB-528")
async def test_how_far_an_ingest_is_comes_as_events(
    app: LibraryApp, http: httpx.AsyncClient
) -> None:
    """Every state until the last, which has the report; then the stream ends."""
    await http.post(PATH, json={"name": HARBOUR})
    asked = {"folder": str(app.standards)}
    run_id = (await http.post(f"{PATH}/{HARBOUR}/ingest", json=asked)).json()["run_id"]
    stream = await http.get(f"{PATH}/{HARBOUR}/ingests/{run_id}/events")
    assert stream.headers["content-type"].startswith("text/event-stream")
    frames = stream.text.split("\n\n")
    states = [json.loads(each[6:]) for each in frames if each.startswith("data: ")]
    assert states[-1]["status"] == "completed"
    assert states[-1]["report"]["added"] == 5
    assert (states[-1]["done"], states[-1]["total"]) == (5, 5)
    await http.post(PATH, json={"name": "other"})
    elsewhere = await http.get(f"{PATH}/other/ingests/{run_id}")
    assert elsewhere.status_code == 404


@pytest.mark.requirement("LB-604")
async def test_the_stream_of_an_ingest_is_one_of_the_servers_streams(app: LibraryApp) -> None:
    """Bounded together with all others."""
    library = await app.service.libraries.create("boats")
    run_id = await app.service.ingest.upload(library, [("bells.md", NOTE)])
    transport = httpx.ASGITransport(app=create_server(app, Options(max_streams=0)))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        refused = await client.get(f"{PATH}/boats/ingests/{run_id}/events")
    assert (refused.status_code, refused.json()["error"]["type"]) == (503, "unavailable")
    await app.service.ingest.wait(run_id)


@pytest.mark.requirement("LB-529")
async def test_a_folder_is_read_for_the_owner_of_the_machine_alone(app: LibraryApp) -> None:
    """Not for another user, not from another machine, and only by its whole path."""
    await app.service.libraries.create(HARBOUR)
    server = create_server(app)
    asked = {"folder": str(app.standards)}
    far = httpx.ASGITransport(app=server, client=("203.0.113.7", 5))
    async with httpx.AsyncClient(transport=far, base_url="http://127.0.0.1") as client:
        refused = await client.post(f"{PATH}/{HARBOUR}/ingest", json=asked)
    assert refused.status_code == 403
    guest = await app.core.users.create("guest")
    _, token = await app.core.users.issue_token(guest.id, "laptop")
    near = httpx.ASGITransport(app=server)
    async with httpx.AsyncClient(transport=near, base_url="http://127.0.0.1") as client:
        headers = {"Authorization": f"Bearer {token}"}
        other = await client.post(f"{PATH}/{HARBOUR}/ingest", json=asked, headers=headers)
        relative = await client.post(f"{PATH}/{HARBOUR}/ingest", json={"folder": "standards"})
    assert other.status_code == 403
    assert relative.status_code == 422


@pytest.mark.requirement("LB-530")
async def test_a_library_is_asked_over_http(app: LibraryApp, http: httpx.AsyncClient) -> None:
    """Search with its filters, whether there is an answer at all, and neighbours."""
    await app.fill()
    words: dict[str, Any] = {"query": "declare dangerous goods", "max_results": 3}
    found = (await http.get(f"{PATH}/{HARBOUR}/search", params=words)).json()
    assert len(found["hits"]) == 3
    assert found["hits"][0]["paragraph"]["ref"].startswith("315.")
    only = await http.get(f"{PATH}/{HARBOUR}/search", params=words | {"filter": ["210", "450"]})
    refs = [hit["paragraph"]["ref"] for hit in only.json()["hits"]]
    assert refs
    assert all(ref.startswith(("210.", "450.")) for ref in refs)
    where = {"identifier": "315.12(a)"}
    around = (await http.get(f"{PATH}/{HARBOUR}/neighbours", params=where)).json()
    assert "315.12" in [hop["paragraph"]["ref"] for hop in around["hops"]]
    asked = {"query": "How many tonnes may the crane lift?"}
    judged = (await http.get(f"{PATH}/{HARBOUR}/answerable", params=asked)).json()
    assert judged["answerable"] == (judged["fit"] != "nothing fits")
    assert judged["reasons"]
    empty = await http.get(f"{PATH}/{HARBOUR}/search", params={"query": ""})
    assert empty.status_code == 422


@pytest.mark.requirement("LB-531")
async def test_an_answer_is_verified_over_http(app: LibraryApp, http: httpx.AsyncClient) -> None:
    """The axes that are asked for, each with its report; asking for none is refused."""
    await app.fill()
    right = {"paragraph_ref": "315.7", "claim": "Nobody shall stand under a load."}
    path = f"{PATH}/{HARBOUR}/verify"
    verified = (await http.post(path, json={"citations": [right]})).json()
    assert verified["all_passed"]
    assert verified["citations"]["details"][0]["supports_claim"]
    assert verified["entities"] is None
    wrong = {"paragraph_ref": "999.1", "claim": "Anything."}
    failed = (await http.post(path, json={"citations": [wrong]})).json()
    assert not failed["all_passed"]
    assert failed["citations"]["details"][0]["error_category"] == "NOT_FOUND"
    assert (await http.post(path, json={})).status_code == 422
    assert (await http.post(path, json={"entities": ["crane"]})).status_code == 422


@pytest.mark.requirement("LB-608")
async def test_a_newcomer_gets_the_example_in_one_request(http: httpx.AsyncClient) -> None:
    """The example standards, as often as one asks; the list says how much is in it."""
    for expected in (5, 0):
        sent = await http.post(f"{PATH}/example")
        assert sent.status_code == 202
        progress = await ended(http, sent.json()["library"], sent.json()["run_id"])
        assert (progress["status"], progress["report"]["added"]) == ("completed", expected)
    (listed,) = (await http.get(PATH)).json()["libraries"]
    assert (listed["name"], listed["documents"]) == ("harbour", 5)
    assert listed["paragraphs"] == (await http.get(f"{PATH}/harbour")).json()["paragraphs"]


@pytest.mark.requirement("LB-609")
async def test_a_paragraph_is_shown_in_its_place(app: LibraryApp, http: httpx.AsyncClient) -> None:
    """With what stands around it, its file, and the terms it defines and uses."""
    await app.fill()
    path = f"{PATH}/{HARBOUR}/paragraph/context"
    shown = (await http.get(path, params={"identifier": "210.2(a)"})).json()
    assert [each["ref"] for each in shown["before"]] == ["210.1", "210.2"]
    assert [each["ref"] for each in shown["after"]] == ["210.2(b)", "210.2(c)"]
    line = (
        Path(shown["file"])
        .read_text()
        .splitlines()[int(shown["paragraph"]["start"].removeprefix("line ")) - 1]
    )
    assert shown["paragraph"]["text"] in line
    first = (await http.get(path, params={"identifier": "210.1"})).json()
    assert first["before"] == []
    used = {each["term"]: each["ref"] for each in first["uses"]}
    assert {"skipper", "visitor"} <= set(used)
    defining = (await http.get(path, params={"identifier": used["visitor"]})).json()
    assert "visitor" in [each["term"] for each in defining["defines"]]
    assert "visitor" not in [each["term"] for each in defining["uses"]]


async def test_far_hops_fade_as_fast_as_is_asked(app: LibraryApp, http: httpx.AsyncClient) -> None:
    await app.fill()
    scores = []
    for decay in (0.9, 0.3):
        asked: dict[str, Any] = {"identifier": "210.6", "max_hops": 2, "decay": decay}
        around = (await http.get(f"{PATH}/{HARBOUR}/neighbours", params=asked)).json()
        scores.append(max(hop["score"] for hop in around["hops"]))
    assert scores[0] > scores[1]


@pytest.mark.requirement("LB-610")
async def test_a_text_is_held_against_the_library(app: LibraryApp, http: httpx.AsyncClient) -> None:
    """Each sentence against what it cites, or against what is nearest to it."""
    await app.fill()
    text = (
        "Nobody shall stand under a load (see paragraph 315.7). The lock opens every two hours "
        "[210.8]. The watch shall answer an announcement within 20 minutes. Penguins are dancing "
        "at noon."
    )
    path = f"{PATH}/{HARBOUR}/verify/text"
    report = (await http.post(path, json={"text": text})).json()
    holds, wrong, uncited, unknown = report["claims"]
    assert holds["cites"] == ["315.7"]
    assert holds["best"]["supports_claim"]
    assert (wrong["cites"], wrong["best"]["supports_claim"]) == (["210.8"], False)
    assert wrong["best"]["reasons"]
    assert uncited["cites"] == []
    assert uncited["best"]["paragraph_ref"] == "210.5"
    assert uncited["best"]["supports_claim"]
    assert not unknown["best"]["supports_claim"]
    assert (report["supported"], report["cut"]) == (2, False)
    assert (await http.post(path, json={"text": ""})).status_code == 422
