"""Library and research: answers that cite what they rest on, or a refusal."""

from typing import Any

from bottega.cli.demo.doors import Doors
from bottega.cli.demo.guide import Guide
from bottega.errors import BottegaError

LIBRARY = "harbour"
PATH = f"/api/libraries/{LIBRARY}"
UNDER_WAY = ("queued", "running")
ENDED = ("completed", "failed", "cancelled")
SEARCHED = "how early must a visitor announce its arrival?"
CITED = "210.1"
CLAIMS = [
    "The skipper of a visitor announces the arrival at least two hours before the entrance.",
    "The skipper of a visitor announces the arrival at least one hour before the entrance.",
]
ASKED = "How long may a shift of the watch last?"
UNKNOWN = "Who won the regatta of 1987?"


async def visit(doors: Doors, guide: Guide) -> None:
    await fill(doors, guide)
    await search(doors, guide)
    await verify(doors, guide)
    await ask(doors, guide)
    await be_refused(doors, guide)
    guide.add_result("the harbour's rules as a library", f"/libraries/{LIBRARY}")


async def fill(doors: Doors, guide: Guide) -> None:
    with guide.step("A folder of documents becomes a library", "REST"):
        about = {"name": LIBRARY, "title": "Rules of the harbour"}
        await doors.rest.post("/api/libraries", json=about)
        folder = {"folder": str(doors.home.examples / "standards")}
        run = (await doors.rest.post(f"{PATH}/ingest", json=folder))["run_id"]
        path = f"{PATH}/ingests/{run}"
        while (told := await doors.rest.get(path, wait=30))["status"] in UNDER_WAY:
            pass
    counted = told["report"]
    guide.show(f"{counted['added']} documents, {counted['paragraphs']} numbered paragraphs")


async def search(doors: Doors, guide: Guide) -> None:
    with guide.step(f"Searched: {SEARCHED}", "REST"):
        found = await doors.rest.get(f"{PATH}/search", query=SEARCHED, max_results=1)
    for hit in found["hits"]:
        guide.show(f"→ {hit['paragraph']['ref']} {hit['paragraph']['text']}")


async def verify(doors: Doors, guide: Guide) -> None:
    with guide.step("What others say of it is checked against the paragraph", "REST"):
        asked = {"citations": [{"paragraph_ref": CITED, "claim": claim} for claim in CLAIMS]}
        judged = await doors.rest.post(f"{PATH}/verify", json=asked)
    details = judged["citations"]["details"]
    for claim, detail in zip(CLAIMS, details, strict=True):
        mark, style = ("true ", "green") if detail["supports_claim"] else ("false", "red")
        guide.show(f"{mark} {CITED}: {claim}", style=style)


async def ask(doors: Doors, guide: Guide) -> None:
    with guide.step(f"Researched: {ASKED}", "MCP"):
        answer = await answered(doors, ASKED)
    document = answer["answer"]
    guide.show(document["summary"])
    for cited in document["citations"]:
        guide.show(f"quoted from {cited['path']}, {cited['start']}: “{cited['text']}”")
    scores = document["verification"]["scores"]
    guide.show(
        f"{answer['status']}: citations {scores['citation_accuracy']:.0%}, "
        f"entities {scores['entity_grounding']:.0%}, "
        f"relations {scores['relation_preservation']:.0%}, "
        f"{scores['contradictions']} contradictions",
        style="green",
    )
    guide.add_result("an answer whose every claim is cited", f"/research/runs/{answer['run_id']}")


async def be_refused(doors: Doors, guide: Guide) -> None:
    with guide.step(f"Researched: {UNKNOWN}", "MCP"):
        answer = await answered(doors, UNKNOWN)
    missing = " ".join(answer["answer"]["refusal"]["missing"])
    guide.show(f"{answer['status']}: {missing}", style="yellow")
    guide.add_result("a refusal, with what is missing", f"/research/runs/{answer['run_id']}")


async def answered(doors: Doors, question: str) -> dict[str, Any]:
    """An agent starts the run; a person reads its answer when it has ended."""
    order = {"question": question, "library": LIBRARY, "depth": "quick", "auto_proceed": True}
    started = await doors.agent.call("research_start", **order)
    path = f"/api/research/runs/{started['id']}"
    while (run := await doors.rest.get(path))["status"] not in ENDED:
        await doors.rest.get(f"/api/runs/{started['id']}/events", after=run["position"], wait=5)
    if run["status"] != "completed":
        raise BottegaError(f"The research {run['status']}: {run['error']}")
    answer: dict[str, Any] = await doors.rest.get(f"{path}/answer")
    return answer
