"""The plugins that ship: whole, readable, honest about the curriculum, and of use in a school."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from bottega.assistant.curriculum.codes import codes_in
from bottega.assistant.curriculum.evidence import check_evidence
from bottega.assistant.drafts.sections import split_sections
from bottega.assistant.guardrails.names import likely_names
from bottega.assistant.guardrails.suitability import year_group
from bottega.assistant.plugins.catalogue import SHIPPED, PluginFolders
from bottega.assistant.plugins.definition import CommandMode, Plugin
from bottega.assistant.plugins.skills import LONGEST_LINE, skills_for
from bottega.assistant.prompts.assembly import dry_run
from bottega.assistant.sessions.schemas import AssistantOrder
from bottega.assistant.workspace.service import Workspace
from bottega.core.definitions.folders import Origin
from bottega.core.text.words import estimate_tokens
from bottega.core.users import LOCAL_USER
from tests.app import open_app

LESSONS = SHIPPED / "lesson-planning"
REVIEWS = SHIPPED / "code-review"
CURRICULUM = LESSONS / "workspace" / "curriculum"

GUARDRAILS = ["age-appropriate", "curriculum-evidence"]
GATES = ["reflection-prompt", "teacher-adjudication", "memory-capture"]
SKILLS = {
    "backward-design": {"framework.md", "examples.md"},
    "differentiation": {"sen-strategies.md", "eal-strategies.md", "mixed-ability.md"},
    "lesson-structure": {"timings-guide.md"},
    "retrieval-practice": {"techniques.md"},
    "cognitive-load": {"worked-examples.md"},
    "formative-assessment": {"techniques.md"},
    "metacognition": {"strategies.md"},
    "designing-for-equity": {"accessibility-privacy.md"},
}
SUBJECTS = ("computing", "technologies", "maths", "english", "french", "history")

#: An outcome as a curriculum file has it: `- **TCH 3-15a** (confirmed): …`
OUTCOME = re.compile(r"^- \*\*(?P<code>.+?)\*\* \((?P<mark>[^)]+)\): (?P<text>.+)$", re.MULTILINE)
CONFIRMED, TO_BE_CHECKED = "confirmed", "to be checked"

every_skill = pytest.mark.parametrize(
    "skill",
    sorted(LESSONS.glob("skills/*")) + sorted(REVIEWS.glob("skills/*")),
    ids=lambda p: p.name,
)
every_subject = pytest.mark.parametrize("subject", SUBJECTS)


@cache
def load(name: str) -> Plugin:
    return PluginFolders(((Origin.SHIPPED, SHIPPED),)).load(name)


def curriculum(subject: str) -> str:
    return (CURRICULUM / f"cfe-{subject}.md").read_text(encoding="utf-8")


def outcomes(subject: str) -> dict[str, str]:
    """Every outcome of a file with its mark."""
    return {found["code"]: found["mark"] for found in OUTCOME.finditer(curriculum(subject))}


def sources(subject: str) -> str:
    return curriculum(subject).split("\n## Sources\n")[1]


def shipped_texts() -> Iterator[tuple[str, str]]:
    for path in sorted(SHIPPED.rglob("*.md")):
        yield str(path.relative_to(SHIPPED)), path.read_text(encoding="utf-8")


@pytest.mark.requirement("AS-601")
def test_what_ships_has_no_problems() -> None:
    """Checked as every plugin is, with all of its references."""
    plugins = PluginFolders(((Origin.SHIPPED, SHIPPED),)).list()
    assert [plugin.name for plugin in plugins] == ["code-review", "lesson-planning"]
    assert not [str(problem) for plugin in plugins for problem in plugin.problems]


@pytest.mark.requirement("AS-602")
def test_lesson_planning_has_its_four_agents() -> None:
    agents = load("lesson-planning").agents
    assert sorted(agents) == [
        "differentiation-specialist",
        "pedagogy-reviewer",
        "planner",
        "resource-creator",
    ]
    assert all(
        agent.meta.description and len(agent.instructions) > 500 for agent in agents.values()
    )


@pytest.mark.requirement("AS-603")
def test_the_planners_hooks_stop_a_bad_draft_before_a_person_sees_it() -> None:
    """Hooks run in the order of the file."""
    hooks = load("lesson-planning").agent("planner").meta.hooks
    assert hooks == ["scope-check", "feedforward", *GUARDRAILS, *GATES]


@pytest.mark.requirement("AS-604")
def test_no_shipped_agent_may_use_the_shell() -> None:
    """Each names its tools, so that none has more than it needs."""
    agents = [*load("lesson-planning").agents.values(), *load("code-review").agents.values()]
    assert all(agent.meta.tools and "bash" not in agent.meta.tools for agent in agents)


@pytest.mark.requirement("AS-605")
def test_planner_and_reviewer_hand_over_to_each_other() -> None:
    plugin = load("lesson-planning")
    assert plugin.agent("planner").meta.handoffs == ["pedagogy-reviewer"]
    assert plugin.agent("pedagogy-reviewer").meta.handoffs == ["planner"]


@pytest.mark.requirement("AS-606")
def test_every_frontmatter_field_is_put_to_use() -> None:
    """Some shipped agent or command says something else than the default."""
    plugin = load("lesson-planning")
    agents = [agent.meta for agent in plugin.agents.values()]
    commands = [command.meta for command in plugin.commands.values()]
    for metas in (agents, commands):
        fields = type(metas[0]).model_fields
        said = {name for meta in metas for name in meta.model_fields_set}
        assert said == set(fields)
    assert {meta.memory for meta in agents} == {True, False}
    assert {meta.mode for meta in commands} == set(CommandMode)


@pytest.mark.requirement("AS-607")
def test_a_lesson_is_created_at_once_and_refined_in_a_conversation() -> None:
    commands = load("lesson-planning").commands
    assert {name: command.meta.mode for name, command in commands.items()} == {
        "create-lesson": CommandMode.SINGLE,
        "refine-lesson": CommandMode.INTERACTIVE,
    }
    assert all(each.meta.agent == "planner" for each in commands.values())
    assert all(
        (each.meta.writes or "").startswith("lessons/{class}/") for each in commands.values()
    )


@pytest.mark.requirement("AS-608")
def test_the_eight_skills_have_the_files_that_the_spec_names() -> None:
    found = {
        folder.name: {path.name for path in folder.iterdir()} - {"SKILL.md"}
        for folder in LESSONS.glob("skills/*")
    }
    assert found == SKILLS
    assert set(load("lesson-planning").skills) == set(SKILLS)


@pytest.mark.requirement("AS-609")
@every_skill
def test_a_skill_has_the_size_of_its_tier(skill: Path) -> None:
    assert 500 <= estimate_tokens((skill / "SKILL.md").read_text(encoding="utf-8")) <= 1500


@pytest.mark.requirement("AS-610")
@pytest.mark.parametrize("name", ["lesson-planning", "code-review"])
def test_a_skills_line_is_short_enough_to_stand_whole(name: str) -> None:
    for skill in load(name).skills.values():
        assert len(skill.meta.description) <= LONGEST_LINE
        assert estimate_tokens(skill.meta.description) <= 100
        assert "Use it" in skill.meta.description


@pytest.mark.requirement("AS-611")
@every_skill
def test_reference_files_say_more_than_the_skill(skill: Path) -> None:
    own = estimate_tokens((skill / "SKILL.md").read_text(encoding="utf-8"))
    for path in skill.iterdir():
        assert estimate_tokens(path.read_text(encoding="utf-8")) >= own


@pytest.mark.requirement("AS-612")
@every_skill
def test_a_skill_leads_to_its_files_and_to_nothing_else(skill: Path) -> None:
    """Other skills are named as such."""
    text = (skill / "SKILL.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)]+)\)", text))
    assert linked == {path.name for path in skill.iterdir()} - {"SKILL.md"}
    siblings = {path.name for path in skill.parent.iterdir()}
    named = re.findall(r"\b(?:skill|skills|with|see) ([a-z]+(?:-[a-z]+)+)\b", text)
    assert set(named) <= siblings


@pytest.mark.requirement("AS-613")
@every_skill
def test_a_skill_names_works_with_their_years(skill: Path) -> None:
    text = (skill / "SKILL.md").read_text(encoding="utf-8")
    works = text.split("\n## Reading\n")[1].strip().splitlines()
    assert len(works) >= 2
    assert all(re.search(r"\((?:[\w ]+ )?(?:19|20)\d\d\)", work) for work in works if "*" in work)


@pytest.mark.requirement("AS-614")
@every_skill
def test_a_skill_has_claude_codes_form(skill: Path) -> None:
    """A name that is the folder's, a description, plain markdown and relative links."""
    text = (skill / "SKILL.md").read_text(encoding="utf-8")
    head = re.match(r"---\nname: (?P<name>.+)\ndescription: (?P<description>.+)\n---\n# ", text)
    assert head is not None
    assert head["name"] == skill.name
    assert len(head["description"]) <= 1024
    assert not [path for path in skill.iterdir() if "[skill:" in path.read_text(encoding="utf-8")]


@pytest.mark.requirement("AS-615")
async def test_the_planner_reads_every_skill_and_file_whole() -> None:
    """In their tiers, with nothing left out."""
    plugin = load("lesson-planning")
    shelf = skills_for(plugin, plugin.agent("planner"))
    assert {line.name for line in shelf.manifest()} == set(SKILLS)
    for skill, files in SKILLS.items():
        own = await shelf.read(skill)
        assert (own.tier, own.left_out) == (2, [])
        assert all(f"{skill}/{file}" in own.text for file in files)
        for file in files:
            further = await shelf.read(f"{skill}/{file}")
            assert (further.tier, further.left_out) == (3, [])


@pytest.mark.requirement("AS-616")
def test_the_workspace_has_what_the_spec_names() -> None:
    folder = LESSONS / "workspace"
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == {
        "soul.md",
        "teacher.md",
        "pedagogy.md",
        *(f"classes/{name}.md" for name in ("1B", "2A", "2C", "3B")),
        *(f"curriculum/cfe-{subject}.md" for subject in SUBJECTS),
    }


@pytest.mark.requirement("AS-617")
async def test_a_lesson_for_3b_is_planned_with_what_is_known(tmp_path: Path) -> None:

    async def nothing(_: str | None) -> str:
        return ""

    order = AssistantOrder(
        plugin="lesson-planning",
        command="create-lesson",
        agent="planner",
        input="create a lesson on iteration for 3B",
    )
    async with open_app(tmp_path) as app:
        prompt = await dry_run(app.core, order, LOCAL_USER, nothing)
    sections = {section.name: section.text for section in prompt.sections}
    assert prompt.sections[0].name == "identity"
    assert "Everything I write is a draft" in sections["identity"]
    assert "Two pupils are learning English" in sections["workspace"]
    assert "TCH 3-15a" in sections["workspace"]
    assert "MNU 3-07a" not in sections["workspace"]
    assert "curriculum/cfe-maths.md: Mathematics" in sections["workspace"]
    assert prompt.tokens < 10_000


@pytest.mark.requirement("AS-618")
def test_no_workspace_file_has_a_likely_name() -> None:
    """Works are named with their authors, so sources are left out."""
    for path in sorted(SHIPPED.glob("*/workspace/**/*.md")):
        text = path.read_text(encoding="utf-8").split("\n## Sources\n")[0]
        text = re.sub(r"^#+ ", "", text, flags=re.MULTILINE)
        assert not [found.text for found in likely_names(text)], path.name


@pytest.mark.requirement("AS-619")
def test_each_class_has_a_stage_a_subject_and_needs_of_its_own() -> None:
    profiles = {
        path.stem: path.read_text(encoding="utf-8")
        for path in (LESSONS / "workspace" / "classes").iterdir()
    }
    for name, text in profiles.items():
        group = year_group(text)
        assert group is not None
        assert (group.youngest, group.oldest) == (int(name[0]) + 10, int(name[0]) + 12)
        assert re.search(r"Subjects?: [A-Z]", text)
        assert {"## The class", "## What works", "## Careful with", "## Where they are"} <= set(
            text.splitlines()
        )
    needs = {
        "1B": "hearing loss",
        "2A": "autistic",
        "2C": "language disorder",
        "3B": "additional language (EAL)",
    }
    for name, need in needs.items():
        assert [other for other, text in profiles.items() if need in text] == [name]


@pytest.mark.requirement("AS-620")
@every_subject
def test_every_outcome_is_confirmed_or_to_be_checked(subject: str) -> None:
    """No line begins like an outcome and has neither mark."""
    found = outcomes(subject)
    assert len(found) >= 10
    assert set(found.values()) <= {CONFIRMED, TO_BE_CHECKED}
    listed = re.findall(r"^- \*\*(.+?)\*\*", curriculum(subject), re.MULTILINE)
    assert sorted(listed) == sorted(found)
    assert all([code.name for code in codes_in(each)] == [each] for each in found)


@pytest.mark.requirement("AS-621")
@every_subject
def test_a_confirmed_outcome_has_its_source(subject: str) -> None:
    """And no source is given for one that is to be checked."""
    confirmed = {code for code, mark in outcomes(subject).items() if mark == CONFIRMED}
    assert confirmed == {code.name for code in codes_in(sources(subject))}


@pytest.mark.requirement("AS-622")
def test_no_outcome_is_named_that_stands_in_no_curriculum_file() -> None:
    """What nobody confirmed is marked wherever it is named."""
    known = {code: mark for subject in SUBJECTS for code, mark in outcomes(subject).items()}
    named = [
        (path, line, code.name)
        for path, text in shipped_texts()
        for line in text.splitlines()
        for code in codes_in(line)
    ]
    assert {code for _, _, code in named} == set(known)
    for path, line, code in named:
        if known[code] == TO_BE_CHECKED:
            assert TO_BE_CHECKED in line, f"{path}: {line}"


@pytest.mark.requirement("AS-623")
@every_subject
def test_a_curriculum_file_says_that_it_paraphrases(subject: str) -> None:
    """Before the first outcome."""
    before = curriculum(subject).split("\n- **")[0]
    assert "our paraphrase" in before
    assert "not the official wording" in before
    assert f"({CONFIRMED})" in before
    assert f"({TO_BE_CHECKED})" in before


@pytest.mark.requirement("AS-624")
@every_subject
def test_a_curriculum_file_helps_to_plan(subject: str) -> None:
    parts = dict(
        part.split("\n", 1) for part in re.split(r"^## ", curriculum(subject), flags=re.M)[1:]
    )
    for title in ("Progression", "What to look for (assessment)", "Common misconceptions"):
        assert len(re.findall(r"^- ", parts[title], re.MULTILINE)) >= 5, title
    assert "Education Scotland" in parts["Sources"]
    assert "not copied here" in parts["Sources"]


@pytest.mark.requirement("AS-625")
@pytest.mark.parametrize(
    ("request_text", "subject"),
    [
        ("create a lesson on iteration for 3B", "computing"),
        ("recursion for 1B", "computing"),
        ("online safety and passwords for 1B", "technologies"),
        ("solving equations for 2A", "maths"),
        ("probability", "maths"),
        ("giving opinions in French for 2A", "french"),
        ("finding evidence in chapter 4 for 2C", "english"),
        ("persuasive writing", "english"),
        ("why people came to Scotland, for 2C", "history"),
    ],
)
async def test_a_request_brings_up_its_subject(
    tmp_path: Path, request_text: str, subject: str
) -> None:
    workspace = Workspace(tmp_path / "workspace", LESSONS / "workspace")
    view = await workspace.view(request_text)
    about = [file.path for file in view.files if file.path.startswith("curriculum/")]
    assert about[0] == f"curriculum/cfe-{subject}.md"


@pytest.mark.requirement("AS-626")
def test_the_planners_example_of_evidence_holds() -> None:
    """Against the files that ship."""
    text = load("lesson-planning").agent("planner").instructions
    example = re.search(r"`(\[evidence: .+?\])`", text)
    assert example is not None
    files = {f"curriculum/{path.name}": path.read_text("utf-8") for path in CURRICULUM.iterdir()}
    report = check_evidence(f"The lesson serves TCH 3-14a. {example[1]}", files, files)
    assert report.claims == 1
    assert not report.problems


@pytest.mark.requirement("AS-627")
def test_the_code_review_plugin_is_whole() -> None:
    plugin = load("code-review")
    assert list(plugin.agents) == ["reviewer"]
    assert list(plugin.commands) == ["review"]
    assert sorted(plugin.skills) == ["reading-a-change", "writing-findings"]
    assert {path.name for path in (REVIEWS / "workspace").iterdir()} == {"team.md", "standards.md"}
    assert not {*GUARDRAILS} & {*plugin.agent("reviewer").meta.hooks}


@pytest.mark.requirement("AS-628")
def test_nothing_in_code_review_is_about_teaching() -> None:
    words = re.compile(r"\b(?:pupils?|lessons?|curricul\w+|teach\w*(?!-)|classrooms?)\b", re.I)
    for path, text in shipped_texts():
        if path.startswith("code-review/") and "/offline/" not in path:
            assert not words.findall(text.replace("teacher-adjudication", "")), path


@pytest.mark.requirement("AS-629")
def test_the_parts_of_a_lesson_can_be_judged_one_by_one() -> None:
    framing = load("lesson-planning").command("create-lesson").framing
    assert [section.title for section in split_sections(framing).sections] == [
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


@pytest.mark.requirement("AS-630")
def test_the_specialists_output_schema_takes_what_it_asks_for() -> None:
    schema = load("lesson-planning").agent("differentiation-specialist").meta.output_schema
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    adaptation = dict.fromkeys(("group", "barrier", "adaptation", "when", "preparation"), "…")
    answer = {"adaptations": [adaptation], "for_everybody": ["…"], "questions": []}
    assert validator.is_valid(answer)
    assert not validator.is_valid({**answer, "adaptations": [{**adaptation, "name": "…"}]})


@pytest.mark.requirement("AS-631")
def test_the_minutes_of_the_timings_guide_add_up() -> None:
    text = (LESSONS / "skills" / "lesson-structure" / "timings-guide.md").read_text("utf-8")
    head, _, *rows = re.findall(r"^\|.*\|$", text.split("\n## What takes")[0], re.MULTILINE)
    wholes = [int(number) for number in re.findall(r"(\d+) min", head)]
    columns = zip(*(row.strip("|").split("|")[1:] for row in rows), strict=True)
    sums = [sum(int(n) for cell in column for n in cell.split("+")) for column in columns]
    assert sums == wholes == [40, 50, 60, 100]
    checked = re.search(r"Checked: (.+) = (\d+)\.", text)
    assert checked is not None
    assert sum(map(int, checked[1].split(" + "))) == int(checked[2]) == 50


@pytest.mark.requirement("AS-632")
def test_what_ships_is_british_and_knows_no_machine() -> None:
    american = re.compile(
        r"\b(?:behavior|color|center|favorite|organiz|analyz|recogniz)\w*\b", re.I
    )
    address = re.compile(r"https?://|\bwww\.|/(?:work|home|Users|tmp)/")
    for path, text in shipped_texts():
        # Titles of works stay as they were printed.
        own = re.split(r"^## (?:Further reading|Reading|Sources)$", text, flags=re.MULTILINE)[0]
        assert not american.findall(own), path
        assert not address.findall(text), path
