"""The journal over HTTP."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import numpy as np
import pytest

from bottega.server.http import create_server
from tests.journal.builders import CONFIRMED, FALSIFIED, START, JournalApp, lines

PATH = "/api/journal"


def http_client(app: JournalApp) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=create_server(app))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")


@pytest.fixture
async def http(app: JournalApp) -> AsyncIterator[httpx.AsyncClient]:
    async with http_client(app) as client:
        yield client


@pytest.fixture
async def any_http(any_app: JournalApp) -> AsyncIterator[httpx.AsyncClient]:
    async with http_client(any_app) as client:
        yield client


@pytest.mark.requirement("GH-51")
async def test_an_entry_lives_its_life_over_http(http: httpx.AsyncClient) -> None:
    """Started, updated, given evidence, resolved, listed, shown and found."""
    started = await http.post(f"{PATH}/entries", json=START | {"confidence": 0.8})
    assert started.status_code == 201
    entry_id = started.json()["id"]
    assert (await http.patch(f"{PATH}/active", json={"note": "x"})).json()["iteration_count"] == 2
    ran = {"kind": "build", "passed": False, "command": "make"}
    attached = (await http.post(f"{PATH}/evidence", json={"evidence": ran})).json()
    assert attached["evidence"][0]["command"] == "make"
    assert (await http.get(f"{PATH}/active")).json()["id"] == entry_id
    resolved = (await http.post(f"{PATH}/active/resolve", json=FALSIFIED)).json()
    assert resolved["confidence_tier"] == "gold"
    listed = (await http.get(f"{PATH}/entries", params={"outcome": "falsified"})).json()
    assert [entry["id"] for entry in listed["results"]] == [entry_id]
    shown = (await http.get(f"{PATH}/entries/{entry_id}")).json()
    assert shown["root_cause"] == FALSIFIED["root_cause"]
    assert shown["confidence"] == 0.8
    found = (await http.get(f"{PATH}/search", params={"query": "flaky"})).json()
    assert found["results"][0]["id"] == entry_id
    context = (await http.post(f"{PATH}/context", json={"query": "flaky login"})).json()
    assert context["items"][0]["id"] == entry_id
    report = (await http.get(f"{PATH}/calibration")).json()
    assert report["overall"]["brier_score"] == 0.64


@pytest.mark.requirement("GH-51", "GH-18", "GH-19")
async def test_orphans_are_kept_in_order_over_http(http: httpx.AsyncClient) -> None:
    """Listed, adopted, abandoned; another project has none."""
    first = (await http.post(f"{PATH}/entries", json=START)).json()["id"]
    second = (await http.post(f"{PATH}/entries", json=START)).json()["id"]
    orphans = (await http.get(f"{PATH}/orphans")).json()
    assert [entry["id"] for entry in orphans["results"]] == [first]
    adopted = await http.post(f"{PATH}/entries/{first}/adopt", json={})
    assert adopted.json()["id"] == first
    ended = await http.post(f"{PATH}/entries/{second}/abandon", json={"result": "Too old"})
    assert ended.json()["status"] == "abandoned"
    again = await http.post(f"{PATH}/entries/{second}/abandon", json={})
    assert again.status_code == 404
    elsewhere = (await http.get(f"{PATH}/entries", params={"project": "/elsewhere"})).json()
    assert elsewhere["count"] == 0


@pytest.mark.requirement("GH-51")
async def test_values_are_formed_over_http(app: JournalApp, http: httpx.AsyncClient) -> None:
    """Clusters, members, validation, storing, listing."""
    await app.fill(lines({"isolation": 14, "queries": 12, "deploys": 10}))
    clusters = (await http.get(f"{PATH}/clusters", params={"axis": "full"})).json()
    cluster_id = clusters["clusters"][0]["cluster_id"]
    inside = (await http.get(f"{PATH}/clusters/{cluster_id}", params={"limit": 1})).json()
    member = inside["members"][0]
    said = [member[name] for name in ("goal", "hypothesis", "action", "prediction")]
    text = " ".join([*said, member["outcome_result"], member["lesson"]["what_worked"]])
    value: dict[str, Any] = {"text": text, "cluster_id": cluster_id}
    verdict = (await http.post(f"{PATH}/values/validate", json=value)).json()
    assert verdict["valid"] is True
    stored = await http.post(f"{PATH}/values", json=value | {"axis": "full"})
    assert stored.status_code == 201
    assert (await http.get(f"{PATH}/values")).json()["results"] == [stored.json()]
    refused = await http.post(f"{PATH}/values", json=value | {"axis": "full", "text": "Be nice"})
    assert (refused.status_code, refused.json()["error"]["type"]) == (422, "validation_error")


@pytest.mark.requirement("GH-54")
async def test_what_was_exported_can_be_imported(http: httpx.AsyncClient) -> None:
    """Page by page, as it was; a second import changes nothing."""
    for end in (CONFIRMED, FALSIFIED):
        await http.post(f"{PATH}/entries", json=START)
        await http.post(f"{PATH}/active/resolve", json=end)
    first = (await http.get(f"{PATH}/export", params={"limit": 1})).json()
    second = (await http.get(f"{PATH}/export", params={"after": first["next"]})).json()
    exported = first["lines"] + second["lines"]
    assert [line["resolution"]["status"] for line in exported] in (
        ["confirmed", "falsified"],
        ["falsified", "confirmed"],
    )
    again = (await http.post(f"{PATH}/import", json={"lines": exported})).json()
    assert again == {"imported": 0, "skipped": 2}
    moved = [
        line | {"id": line["id"][:-1] + digit} for line, digit in zip(exported, "xy", strict=True)
    ]
    refused = await http.post(f"{PATH}/import", json={"lines": moved})
    assert refused.status_code == 422
    assert "ghap_" in refused.json()["error"]["message"]


@pytest.mark.requirement("GH-31")
@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind"),
    [
        ("GET", "/entries/ghap_20260101_000000_abcdef", None, 404, "not_found"),
        ("GET", "/entries/nonsense", None, 422, "validation_error"),
        ("GET", "/entries?limit=101", None, 422, "validation_error"),
        ("GET", "/entries?since=someday", None, 422, "validation_error"),
        ("GET", "/entries?domain=cooking", None, 422, "validation_error"),
        ("GET", "/entries?after=yesterday", None, 422, "validation_error"),
        ("GET", "/clusters?axis=full", None, 404, "not_found"),
        ("GET", "/clusters?axis=domain", None, 422, "validation_error"),
        ("GET", "/clusters/cluster_full_1", None, 404, "not_found"),
        ("GET", "/clusters/full", None, 422, "validation_error"),
        ("GET", "/search?query=x&limit=51", None, 422, "validation_error"),
        ("PATCH", "/active", {"note": "x"}, 404, "not_found"),
        ("PATCH", "/active", {}, 422, "validation_error"),
        ("POST", "/entries", {"goal": "x"}, 422, "validation_error"),
        ("POST", "/evidence", {"evidence": {"kind": "guess"}}, 422, "validation_error"),
    ],
)
async def test_errors_have_one_shape_over_http_too(
    http: httpx.AsyncClient, method: str, path: str, body: Any, status: int, kind: str
) -> None:
    """The error's type, a message, and the fitting status."""
    answer = await http.request(method, PATH + path, json=body)
    assert (answer.status_code, answer.json()["error"]["type"]) == (status, kind)
    assert answer.json()["error"]["message"]


@pytest.mark.requirement("GH-31", "GH-33")
async def test_too_few_for_clusters_is_a_conflict_over_http(
    app: JournalApp, http: httpx.AsyncClient
) -> None:
    """Insufficient_data, with the count."""
    await app.fill(lines({"queries": 3}))
    answer = await http.get(f"{PATH}/clusters", params={"axis": "full"})
    assert answer.status_code == 409
    assert answer.json()["error"] | {"message": ""} == {
        "type": "insufficient_data",
        "message": "",
        "count": 3,
    }


async def test_a_long_journal_is_read_page_by_page(
    any_app: JournalApp, any_http: httpx.AsyncClient
) -> None:
    """Each entry once, newest first, also where several were made at the same moment."""
    told = lines({"queries": 23})
    for line in told[5:12]:
        line["created_at"] = told[5]["created_at"]
    await any_app.fill(told)
    seen: list[dict[str, str]] = []
    params: dict[str, str | int] = {"limit": 10}
    while True:
        page = (await any_http.get(f"{PATH}/entries", params=params)).json()
        seen += page["results"]
        if page["next"] is None:
            break
        params["after"] = page["next"]
    assert len({entry["id"] for entry in seen}) == len(seen) == 23
    assert seen == sorted(seen, key=lambda e: (e["created_at"], e["id"]), reverse=True)


async def test_a_short_journal_has_an_empty_map(app: JournalApp, http: httpx.AsyncClient) -> None:
    await app.fill(lines({"queries": 5}))
    few = (await http.get(f"{PATH}/map?axis=full")).json()
    assert (few["points"], few["clusters"]) == ([], [])
    assert (few["experiences"], few["needed"]) == (5, 20)


async def test_what_is_alike_lies_together_on_the_map(
    any_app: JournalApp, any_http: httpx.AsyncClient
) -> None:
    """And the same journal always gives the same map."""
    await any_app.fill(lines({"isolation": 14, "queries": 12, "deploys": 10}))
    drawn = (await any_http.get(f"{PATH}/map?axis=full")).json()
    assert drawn == (await any_http.get(f"{PATH}/map?axis=full")).json()
    assert len(drawn["points"]) == drawn["experiences"] == 36
    groups: dict[str, list[list[float]]] = {}
    for point in drawn["points"]:
        if point["cluster_id"]:
            groups.setdefault(point["cluster_id"], []).append([point["x"], point["y"]])
    assert groups.keys() == {cluster["cluster_id"] for cluster in drawn["clusters"]}
    centres = np.array([np.mean(points, axis=0) for points in groups.values()])
    for own, points in enumerate(groups.values()):
        distances = np.linalg.norm(np.array(points)[:, None] - centres, axis=2)
        assert (distances.argmin(axis=1) == own).mean() > 0.8
