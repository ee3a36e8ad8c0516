"""An agent played without a model, through the loop, its tools, hooks and gates."""

import re
from pathlib import Path
from typing import Any

import pytest

from bottega.assistant.curriculum.pointers import Pointer, pointers_in, stands_in
from bottega.assistant.drafts.model import OFFLINE
from bottega.assistant.drafts.playbook import CHANGES, FOLDER, find_changes, find_playbook
from bottega.assistant.drafts.reviews import total_minutes
from bottega.assistant.drafts.sections import split_sections
from bottega.assistant.drafts.template import TemplateData, fill, names_in
from bottega.assistant.plugins.catalogue import SHIPPED, PluginFolders
from bottega.assistant.sessions.schemas import LoopStatus
from bottega.conversation.gates import GateKind, GateReply, ItemReply
from bottega.core.definitions.folders import Origin
from tests.assistant.builders import put_plugin
from tests.assistant.offline_turns import ITERATION, OfflineAssistant, open_offline

SECTIONS = [
    "Learning intentions and success criteria",
    "Starter",
    "Main activities",
    "Differentiation",
    "Formative assessment",
    "Plenary",
    "Resources",
    "Homework",
    "For you to decide",
]
#: The gates in between are another test's business.
QUIET: dict[str, Any] = {"without": ["hooks"]}


def section(text: str, title: str) -> str:
    found = [each.text for each in split_sections(text).sections if each.title == title]
    assert found, f"no section {title!r} in {text}"
    return found[0]


def adjudicate(*items: ItemReply) -> GateReply:
    return GateReply(decision="accept", items=list(items))


@pytest.mark.requirement("AS-652", "AS-653", "AS-654", "AS-657", "AS-658", "AS-668")
async def test_a_lesson_is_drafted_from_workspace_skills_and_memory(tmp_path: Path) -> None:
    """AS-652 AS-653 AS-654 AS-657 AS-658 AS-668: read first, then written, with what is known."""
    async with open_offline(tmp_path) as room:
        await room.remember("classes/3B/MEMORY.md", "- Shorter starters work better.\n")
        taken = await room.take(ITERATION)
    skills = [call["skill"] for name, call in taken.calls if name == "read_skill"]
    files = [call["path"] for name, call in taken.calls if name == "read_file"]
    assert 2 <= len([each for each in skills if "/" not in each]) <= 3
    assert "differentiation/eal-strategies.md" in skills
    assert skills.index("differentiation") < skills.index("differentiation/eal-strategies.md")
    assert files == ["classes/3B.md", "curriculum/cfe-computing.md"]
    assert [each.title for each in split_sections(taken.text).sections] == SECTIONS
    assert "(5 minutes)" in section(taken.text, "Starter").split("\n")[0]
    assert "Shorter starters work better." in section(taken.text, "Main activities")
    differentiation = section(taken.text, "Differentiation")
    assert {"EAL", "dyslexic", "ADHD"} <= set(re.findall(r"EAL|dyslexic|ADHD", differentiation))
    assert taken.text.startswith(OFFLINE)
    assert taken.result.offline
    assert taken.result.status is LoopStatus.SUCCESS
    assert [gate.kind for gate in taken.gates][:1] == [GateKind.FEEDFORWARD]


@pytest.mark.requirement("AS-655")
async def test_all_evidence_of_a_draft_stands_in_its_file(tmp_path: Path) -> None:
    """Path, lines and words are the real file's, and the guardrail finds no problem."""
    async with open_offline(tmp_path) as room:
        taken = await room.take(ITERATION)
        pointers = pointers_in(taken.text)
        assert len(pointers) >= 4
        for pointer in pointers:
            assert isinstance(pointer, Pointer), pointer
            lines = (await room.workspace().read(pointer.path)).split("\n")
            assert stands_in(pointer.quote, "\n".join(lines[pointer.first - 1 : pointer.last]))
        intentions = section(taken.text, SECTIONS[0])
        assert re.search(
            r"\*\*TCH 3-1\da\*\*.*\[evidence: curriculum/cfe-computing\.md:L", intentions
        )


@pytest.mark.requirement("AS-651")
async def test_the_same_order_gives_the_same_draft(tmp_path: Path) -> None:
    """No chance and no clock in it."""
    drafts = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        async with open_offline(tmp_path / name) as room:
            taken = await room.take(ITERATION, **QUIET)
            drafts.append((taken.calls, taken.text))
    assert drafts[0] == drafts[1]


@pytest.mark.requirement("AS-656")
@pytest.mark.parametrize(
    ("said", "minutes"),
    [
        ("a 40-minute lesson on iteration for 3B", 40),
        ("a lesson on iteration for 3B", 50),
        ("a History lesson about why people came to Scotland for 2C", 100),
        ("an English lesson about a novel for 2C", 50),
        ("a lesson of 25 minutes about passwords for 1B", 25),
    ],
)
async def test_minutes_add_up_to_the_length(tmp_path: Path, said: str, minutes: int) -> None:
    """Said, in the class profile for its subject, or in the teacher's own file."""
    async with open_offline(tmp_path) as room:
        taken = await room.take(said, **QUIET)
    output = split_sections(taken.text)
    assert f"{minutes} minutes." in output.opening
    assert total_minutes(output) == minutes
    parts = re.findall(r"^### .*\((\d+) minutes\)", section(taken.text, "Main activities"), re.M)
    heading = section(taken.text, "Main activities").split("\n")[0]
    assert f"({sum(map(int, parts))} minutes)" in heading


@pytest.mark.requirement("AS-659")
async def test_what_the_person_says_goes_before_what_is_known(tmp_path: Path) -> None:
    """A corrected feedforward changes length and starter of the draft."""
    correction = GateReply(decision="modify", text="Only 35 minutes today, and a 7 minute starter.")
    async with open_offline(tmp_path) as room:
        await room.remember("classes/3B/MEMORY.md", "- Shorter starters (5 min) work better.\n")
        taken = await room.take(ITERATION, {GateKind.FEEDFORWARD: [correction]})
    assert "35 minutes." in split_sections(taken.text).opening
    assert "Starter (7 minutes)" in taken.text
    assert "7 minute starter" in split_sections(taken.text).opening


@pytest.mark.requirement("AS-660")
async def test_a_revision_changes_the_named_section_only(tmp_path: Path) -> None:
    """The starter has its new time, what is freed is said, the rest is untouched."""
    async with open_offline(tmp_path) as room:
        wish = adjudicate(ItemReply(id="starter", decision="revise", text="shorter, four minutes"))
        taken = await room.take(ITERATION, {GateKind.ADJUDICATION: [wish]})
    first = next(gate for gate in taken.gates if gate.kind is GateKind.ADJUDICATION)
    before, after = split_sections(first.data["artefact"]), split_sections(taken.text)
    changed = [
        old.title
        for old, new in zip(before.sections, after.sections, strict=True)
        if old.text != new.text
    ]
    assert changed == ["Starter"]
    assert "Starter (4 minutes)" in taken.text
    assert "**In hand:** 4 minutes" in section(taken.text, "Starter")
    assert total_minutes(after) == 50


@pytest.mark.requirement("AS-661", "AS-663")
async def test_challenge_support_and_other_wishes(tmp_path: Path) -> None:
    """AS-661 AS-663: the plugin's text for the section; what no rule knows is only noted."""
    wishes = adjudicate(
        ItemReply(id="starter", decision="revise", text="more challenge please"),
        ItemReply(id="plenary", decision="revise", text="make it simpler"),
        ItemReply(id="resources", decision="revise", text="use the blue {topic} folder"),
    )
    async with open_offline(tmp_path) as room:
        taken = await room.take(ITERATION, {GateKind.ADJUDICATION: [wishes]})
    assert "**More challenge:** add a fifth question" in section(taken.text, "Starter")
    assert '"iteration helps when …"' in section(taken.text, "Plenary")
    assert "**You asked:** use the blue {topic} folder" in section(taken.text, "Resources")
    assert taken.text.count(OFFLINE) == 1


@pytest.mark.requirement("AS-662")
async def test_alternatives_are_two_versions_to_choose_from(tmp_path: Path) -> None:
    """The gate shows both, and the chosen one stands in the document."""
    replies = [
        adjudicate(ItemReply(id="plenary", decision="alternatives")),
        GateReply(decision="alternative 2"),
    ]
    async with open_offline(tmp_path) as room:
        taken = await room.take(ITERATION, {GateKind.ADJUDICATION: replies})
    choice = [gate for gate in taken.gates if gate.kind is GateKind.ADJUDICATION][1]
    assert len(choice.data["alternatives"]) == 2
    assert "Muddiest point" in choice.data["alternatives"][0]
    plenary = section(taken.text, "Plenary")
    assert "Teach it back" in plenary
    assert "Muddiest point" not in plenary


@pytest.mark.requirement("AS-675")
async def test_a_session_goes_on_with_wishes(tmp_path: Path) -> None:
    """The draft of the turn before is changed, and a new topic is a new lesson."""
    async with open_offline(tmp_path) as room:
        first = await room.take(ITERATION, **QUIET)
        again = await room.take("make the starter shorter", session_id=first.session_id, **QUIET)
        other = await room.take(
            "now a lesson on lists for 3B", session_id=first.session_id, **QUIET
        )
    assert "Starter (4 minutes)" in again.text
    assert section(again.text, "Plenary") == section(first.text, "Plenary")
    assert "# Lists" in other.text


@pytest.mark.requirement("AS-664")
async def test_refining_changes_the_file_that_is_named(tmp_path: Path) -> None:
    """Read through the tool, changed, given back whole; without one, it asks."""
    starter = "## Starter (10 minutes)\n\n1. a\n2. b\n3. c\n\n"
    lesson = f"# Loops\n\n{starter}## Plenary (5 minutes)\n\nExit.\n"
    options: dict[str, Any] = {"command": "lesson-planning:refine-lesson", **QUIET}
    async with open_offline(tmp_path) as room:
        lost = await room.take("a better plenary", **options)
        await room.workspace().write("lessons/3B/2026-03-02-loops.md", lesson)
        found = await room.take("the loops lesson for 3B needs a shorter starter", **options)
        named = await room.take("lessons/3B/2026-03-02-loops.md: a shorter starter", **options)
    assert "I did not find the lesson" in lost.text
    assert ("read_file", {"path": "lessons/3B/2026-03-02-loops.md"}) in named.calls
    for taken in (named, found):
        assert "Starter (5 minutes)" in taken.text
        assert "## Plenary (5 minutes)\n\nExit." in taken.text
        assert taken.text.startswith(OFFLINE)


@pytest.mark.requirement("AS-665", "AS-666")
async def test_the_reviewer_takes_over_with_a_checklist(tmp_path: Path) -> None:
    """AS-665 AS-666: handed over with decisions and reason, and it says what is missing."""
    async with open_offline(tmp_path) as room:
        first = await room.take(ITERATION)
        taken = await room.take(
            "please hand it over to the pedagogy reviewer", session_id=first.session_id, **QUIET
        )
        events = await room.service.runs.events(taken.run.id)
    handoff = next(event.payload for event in events if event.type == "handoff")
    assert (handoff["from"], handoff["to"]) == ("planner", "pedagogy-reviewer")
    assert "Iteration" in handoff["context"]["decisions"][0]
    assert handoff["context"]["reason"].startswith("The person asked: please hand it over")
    assert taken.result.agent == "pedagogy-reviewer"
    assert "10 of 10 points" in taken.text
    assert "It starts with retrieval (Starter)" in section(taken.text, "What to keep")


@pytest.mark.requirement("AS-665")
async def test_a_checklist_finds_what_is_missing(tmp_path: Path) -> None:
    """Each missing point comes with what to do about it."""
    poor = "# Loops\n\n## Starter (10 minutes)\n\nRecall last lesson.\n\n## Main\n\nA task.\n"
    async with open_offline(tmp_path) as room:
        await room.workspace().write("drafts/poor.md", poor)
        order = await room.service.order("x", "local", command="lesson-planning:create-lesson")
        order = order.model_copy(
            update={
                "agent": "pedagogy-reviewer",
                "command": None,
                "input": "read drafts/poor.md, planned for 3B",
                "without": ["hooks"],
            }
        )
        run = await room.service.runs.start(order)
        await room.service.runs.wait_until_settled(run.id)
        text = (await room.service.runs.result(run.id)).text
    assert "It starts with retrieval (Starter)" in section(text, "What to keep")
    to_change = section(text, "What to change")
    for missing in ("curriculum is quoted", "needs in the class profile", "10 minutes in all"):
        assert missing in to_change, to_change


DIFF = """Please review:

```diff
--- a/app/load.py
+++ b/app/load.py
@@ -3,3 +3,6 @@ import json
 def load(path):
-    return json.loads(path.read_text())
+    try:
+        return json.loads(path.read_text())
+    except:
+        return None
```
"""


@pytest.mark.requirement("AS-667", "AS-663")
async def test_code_is_reviewed_by_rules(tmp_path: Path) -> None:
    """AS-667 AS-663: in a diff, a block and a file, each note with its place."""
    options: dict[str, Any] = {"command": "code-review:review", **QUIET}
    async with open_offline(tmp_path) as room:
        diff = await room.take(DIFF, **options)
        block = await room.take("Look:\n```python app/x.py\nx = eval(text)\n```\n", **options)
        await room.workspace("code-review").write("notes/cache.py", "import a\ny = open(p)\n")
        file = await room.take("review notes/cache.py", **options)
        nothing = await room.take("review notes/missing.py", **options)
        vary = adjudicate(ItemReply(id="summary", decision="alternatives"))
        varied = await room.take(
            "review notes/cache.py", {GateKind.ADJUDICATION: [vary]}, command="code-review:review"
        )
    assert "`app/load.py:6`: `except:`" in section(diff.text, "Must be changed")
    assert "`app/x.py:1`" in section(block.text, "Must be changed")
    assert "`notes/cache.py:2`" in section(file.text, "Should be changed")
    assert "Could not be read: notes/missing.py" in nothing.text
    assert "There is no code to look at." in nothing.text
    assert "The plugin has none for this." in section(varied.text, "Summary")
    assert all(each.text.startswith(OFFLINE) for each in (diff, block, file, nothing))


@pytest.mark.requirement("AS-672")
async def test_nothing_that_is_switched_off_is_used(tmp_path: Path) -> None:
    """No skills, no workspace, no memory; and no file that the person set aside."""
    async with open_offline(tmp_path) as room:
        await room.remember("classes/3B/MEMORY.md", "- Shorter starters work better.\n")
        bare = await room.take(ITERATION, without=["hooks", "skills", "workspace", "memory"])
        aside = await room.take(ITERATION, {GateKind.FEEDFORWARD: [GateReply(decision="dismiss")]})
    assert bare.calls == []
    assert pointers_in(bare.text) == []
    assert "dyslexic" not in bare.text
    assert "Shorter starters" not in bare.text
    assert "Shorter starters" not in aside.text
    assert "dyslexic" not in aside.text


@pytest.mark.requirement("AS-674")
async def test_past_sessions_are_looked_up_when_named(tmp_path: Path) -> None:
    """The search is a tool call, and what it finds stands in the draft."""
    async with open_offline(tmp_path) as room:
        await room.take(ITERATION)
        taken = await room.take("a lesson on iteration for 3B, like last time", **QUIET)
    searches = [call for name, call in taken.calls if name == "search_sessions"]
    assert searches == [{"query": "iteration", "class_id": "3B"}]
    assert "**Earlier sessions:** create a lesson on iteration for 3B" in taken.text


SHAPED = """---
model: claude-sonnet-4-5
provider: anthropic
description: Says what to plant.
outputSchema:
  type: object
  additionalProperties: false
  required: [plan, beds, count, sure]
  properties:
    plan: {type: string}
    beds:
      type: array
      items:
        type: object
        required: [name]
        properties: {name: {type: string}}
    count: {type: integer, minimum: 1}
    sure: {type: boolean}
---
Say what to plant.
"""
PLAYBOOK = """---
plays: draft
skills: 0
lists:
  plants: {from: person, words: [plant*], most: 3}
output:
  beds: {each: plants, name: "{text}"}
---
# Bed for {topic}

{each:plants}
- {text}
{none}
Nothing is known.
{end}
"""


async def play(room: OfflineAssistant, agent: str, said: str, plugin: str = "garden") -> str:
    from bottega.assistant.sessions.schemas import AssistantOrder

    order = AssistantOrder(plugin=plugin, agent=agent, input=said)
    run = await room.service.runs.start(order)
    await room.service.runs.wait_until_settled(run.id)
    result = await room.service.runs.result(run.id)
    return result.text if result.output is None else str(result.output)


@pytest.mark.requirement("AS-669", "AS-670", "AS-671")
async def test_another_plugin_brings_its_own_templates(tmp_path: Path) -> None:
    """AS-669 AS-670 AS-671: an agent, its template and its schema are files of the plugin."""
    files = {
        "agents/gardener.md": SHAPED.replace(
            "outputSchema:", "workspace: [garden.md]\noutputSchema:"
        ),
        f"{FOLDER}/gardener.md": PLAYBOOK,
        "workspace/garden.md": "# Garden\n\n- Plant beans when it is warm enough.\n",
    }
    async with open_offline(tmp_path) as room:
        put_plugin(tmp_path / "data" / "plugins", "garden", files)
        output = await play(room, "gardener", "something about beans")
        none = await play(room, "reviewer", "a review of beans")
    assert "'beds': [{'name': 'Plant beans when it is warm enough.'}]" in output
    assert "'count': 1" in output
    assert OFFLINE in output
    assert none.startswith(OFFLINE)
    assert "The plugin has no template for this" in none


@pytest.mark.requirement("AS-669")
def test_no_word_of_teaching_is_in_the_code() -> None:
    """The code that plays agents would play any."""
    folder = Path(find_playbook.__code__.co_filename).parent
    for path in folder.glob("*.py"):
        code = re.sub(r'""".*?"""|#[^\n]*', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        found = re.findall(r"\b(pupil|starter|plenary|homework|curriculum|dyslex|EAL)\w*", code)
        assert not found, f"{path.name}: {found}"


@pytest.mark.requirement("AS-673")
async def test_a_broken_template_is_told_with_its_place(tmp_path: Path) -> None:
    """The turn fails with file, line and column."""
    async with open_offline(tmp_path) as room:
        broken = {
            f"{FOLDER}/planner.md": "---\nplays: dance\n---\nx\n",
            "agents/planner.md": SHAPED,
        }
        put_plugin(tmp_path / "data" / "plugins", "garden", broken)
        with pytest.raises(Exception, match=r"offline/planner\.md:2:1: plays.*dance"):
            await play(room, "planner", "beans")


@pytest.mark.requirement("AS-676")
def test_the_shipped_templates_use_only_what_there_is() -> None:
    """No place of a template is left open."""
    usual = {"topic", "Topic", "class", "request", "said", "skills", "files", "past", "length"}
    items = {"text", "code", "evidence", "source", "note", "advice", "place"}
    counts = {"passed", "checks", "notes", "lines", "section", "minutes"}
    for folder in SHIPPED.iterdir():
        plugin = PluginFolders(((Origin.SHIPPED, SHIPPED),)).load(folder.name)
        names = [path.stem for path in (folder / FOLDER).glob("*.md") if path.stem != CHANGES]
        assert names, folder
        for name in names:
            assert name in {*plugin.agents, *plugin.commands}, name
            playbook = find_playbook(plugin, name)
            assert playbook is not None
            meta = playbook.meta
            parts = meta.timing.parts if meta.timing else {}
            flags = {*meta.flags, "said", "past", "class", "document", "code", "notes"}
            lists = {*meta.lists, "passed", "missed", "must", "should", "could", "files", "unread"}
            for place in names_in(playbook.body):
                kind, _, what = place.partition(":")
                known = {
                    "if": flags,
                    "each": lists,
                    "minutes": {*parts, "+".join(parts)},
                }.get(kind, {what})
                assert all(each in known or each in parts for each in what.split("+") if what)
                assert what or place in usual | items | counts, (name, place)
        changes = find_changes(plugin)
        assert changes is None or names_in(changes.body) <= usual | counts


@pytest.mark.requirement("AS-676")
def test_a_template_is_filled_once() -> None:
    """What is filled in is not read as a template again, and blocks may nest."""
    known = TemplateData(
        {"name": "{other}", "other": "x"}, {"on"}, {"all": [{"text": "{end}"}, {"text": "b"}]}
    )
    template = "{name} {unknown}\n{if:on}\n{each:all}\n- {text}\n{end}\n{else}\nno\n{end}\nlast\n"
    assert fill(template, known) == "{other} {unknown}\n- {end}\n- b\nlast\n"
