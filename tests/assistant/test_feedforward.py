"""Feedforward: what is known is shown before anything is written, and can be put right."""

from pathlib import Path

import pytest

from bottega.assistant.gates.gate import GateKind, GateReply
from bottega.assistant.hooks.feedforward import Feedforward
from bottega.assistant.hooks.statements import choose, statements
from bottega.assistant.orders import AssistantOrder
from bottega.assistant.prompt.assembly import assemble
from bottega.assistant.prompt.gathering import gather
from bottega.assistant.prompts import feedforward, memory_capture, reflection
from bottega.assistant.prompts.feedforward import FeedforwardSummary, SummarySentence
from bottega.errors import ModelError
from tests.assistant.hook_house import HookTurn, open_turn


async def learn(house: HookTurn) -> None:
    await house.learn("# 3B\n\n- Starters of 5 minutes work better", "3B")
    await house.learn("- Likes bullet points")


async def prompt_of(house: HookTurn) -> str:
    return assemble(house.turn, await gather(house.turn, house.learned)).text


@pytest.mark.parametrize(
    ("said", "class_id"),
    [
        ("a lesson on iteration for 3B", "3B"),
        ("iteration, for 3b please", "3B"),
        ("3 B: loops", "3B"),
        ("bonjour with 2A", "2A"),
        ("a lesson on iteration", None),
        ("room 13B at noon", None),
    ],
)
async def test_the_class_is_known_by_the_names_in_the_workspace(
    tmp_path: Path, said: str, class_id: str | None
) -> None:
    """AS-235: however it is written, and not inside other words."""
    async with open_turn(tmp_path, "", said=said) as house:
        await house.before(Feedforward(house.parts))
        assert house.turn.class_id == class_id
        assert house.gate.data["class_id"] == class_id


async def test_it_shows_profile_preferences_curriculum_and_what_was_learned(
    tmp_path: Path,
) -> None:
    """AS-236, AS-237: workspace and memory of class and teacher, each fact with its place."""
    async with open_turn(tmp_path, "") as house:
        await learn(house)
        await house.before(Feedforward(house.parts))
        gate = house.gate
        assert gate.kind is GateKind.FEEDFORWARD
        assert gate.options == ["confirm", "modify", "dismiss"]
        for fact, source in (
            ("Two EAL pupils (Ukrainian)", "classes/3B.md:L4"),
            ("Prefers pair work", "pedagogy.md:L3"),
            ("Teaches Computing and Maths", "teacher.md:L3"),
            ("selection and iteration", "curriculum/cfe-computing.md:L4"),
            ("Starters of 5 minutes work better", "memory/classes/3B/MEMORY.md:L3"),
            ("Likes bullet points", "memory/MEMORY.md:L1"),
        ):
            line = next(line for line in gate.text.splitlines() if fact in line)
            assert source in line
            assert source in {each["source"] for each in gate.data["facts"]}
        assert "From earlier sessions with 3B: Starters of 5 minutes" in gate.text
        assert gate.text.endswith("Shall I go on with all of this?")
        assert "without a model" in gate.text
        # Another class's profile is nobody's business here.
        assert "Lively" not in gate.text


async def test_confirming_goes_on_with_it(tmp_path: Path) -> None:
    """AS-238, AS-241: the class is settled; the answer is kept with the memory that was shown."""
    async with open_turn(tmp_path, "confirm") as house:
        await learn(house)
        await house.before(Feedforward(house.parts))
        assert house.turn.class_id == "3B"
        assert house.turn.additions == {}
        assert house.turn.set_aside == set()
        [row] = await house.decisions()
        assert (row.kind, row.decision, row.text) == ("feedforward", "confirm", None)
        learned = ["Starters of 5 minutes work better", "Likes bullet points"]
        assert row.data["memory_shown"] == learned
        assert "classes/3B.md" in row.data["sources"]
        [span] = await house.spans("decision feedforward")
        assert span.attributes["bottega.decision"] == "confirm"
        assert "Starters of 5 minutes" in span.attributes["bottega.decision.data"]


async def test_what_the_person_changes_goes_into_the_prompt_before_their_files(
    tmp_path: Path,
) -> None:
    """AS-239: as their own word, which wins over profile and memory."""
    async with open_turn(tmp_path, "there are three EAL pupils now") as house:
        assert "three EAL pupils" not in await prompt_of(house)
        await house.before(Feedforward(house.parts))
        prompt = await prompt_of(house)
        assert "there are three EAL pupils now" in prompt
        spoken = prompt[prompt.index("<additions>") :]
        assert "It goes before what workspace and memory say." in spoken
        assert "there are three EAL pupils now" in spoken
        [row] = await house.decisions()
        assert (row.decision, row.text) == ("modify", "there are three EAL pupils now")


async def test_dismissing_sets_those_files_aside_for_the_turn(tmp_path: Path) -> None:
    """AS-240: profile and memory, but not the curriculum, which assumes nothing of anybody."""
    async with open_turn(tmp_path, "dismiss") as house:
        await learn(house)
        assumed = ("Two EAL pupils", "Prefers pair work", "Starters of 5", "Likes bullet points")
        before = await prompt_of(house)
        assert all(fact in before for fact in assumed)
        await house.before(Feedforward(house.parts))
        assert house.turn.set_aside == {
            "classes/3B.md",
            "teacher.md",
            "pedagogy.md",
            "memory/MEMORY.md",
            "memory/classes/3B/MEMORY.md",
        }
        assert "classes/3B.md" in house.turn.additions["feedforward"]
        after = await prompt_of(house)
        assert not any(fact in after for fact in assumed)
        assert "selection and iteration" in after
        assert "Do not take into account" in after
        [row] = await house.decisions()
        assert row.decision == "dismiss"


async def test_naming_another_class_shows_what_is_known_of_that_one(tmp_path: Path) -> None:
    """AS-242: what they said stays, and the new context is confirmed in its turn."""
    async with open_turn(tmp_path, "no, it is for 2A this time", "") as house:
        await house.before(Feedforward(house.parts))
        first, second = house.person.gates
        assert first.data["class_id"] == "3B"
        assert second.data["class_id"] == "2A"
        assert "Lively" in second.text
        assert house.turn.class_id == "2A"
        assert "for 2A this time" in house.turn.additions["feedforward"]
        assert [row.decision for row in await house.decisions()] == ["modify", "confirm"]


async def test_without_a_class_it_says_which_there_are(tmp_path: Path) -> None:
    """AS-243: and of several it says which one is meant."""
    async with open_turn(tmp_path / "none", "for 3B", "", said="a lesson on loops") as house:
        await house.before(Feedforward(house.parts))
        assert "You name no class. If it is for one, tell me which: 2A, 3B." in (
            house.person.gates[0].text
        )
        assert house.turn.class_id == "3B"
    async with open_turn(tmp_path / "two", "", said="loops for 3B and 2A") as house:
        await house.before(Feedforward(house.parts))
        assert "You also name 2A; I plan for 3B." in house.gate.text


async def test_nobody_is_asked_when_nothing_is_known(tmp_path: Path) -> None:
    """AS-244: a question about nothing is only in the way."""
    async with open_turn(tmp_path, without=["workspace"]) as house:
        await house.before(Feedforward(house.parts))
        assert house.person.gates == []
        assert await house.decisions() == []
        assert "Nothing is known" in house.turn.context.feedback[0].text


async def test_a_model_may_word_it_but_not_make_it_up(tmp_path: Path) -> None:
    """AS-245: a sentence that rests on no fact is left out, and sources are ours."""
    summary = FeedforwardSummary(
        sentences=[
            SummarySentence(text="3B has two EAL pupils.", facts=[2]),
            SummarySentence(text="They love football.", facts=[]),
            SummarySentence(text="They have 400 pupils.", facts=[99]),
        ]
    )
    async with open_turn(tmp_path, "", steps=[summary]) as house:
        await house.before(Feedforward(house.parts))
        assert "3B has two EAL pupils. *(" in house.gate.text
        assert house.gate.data["facts"][1]["source"] in house.gate.text
        assert "football" not in house.gate.text
        assert "400" not in house.gate.text
        assert house.gate.data["offline"] is False
        assert house.turn.budget.spent > 0


@pytest.mark.parametrize(
    "step",
    [ModelError("The provider is away."), FeedforwardSummary(sentences=[])],
)
async def test_a_model_that_fails_is_not_in_the_persons_way(
    tmp_path: Path, step: ModelError | FeedforwardSummary
) -> None:
    """AS-246: then the facts are put together without it."""
    async with open_turn(tmp_path, "", steps=[step]) as house:
        await house.before(Feedforward(house.parts))
        assert "About 3B: Mixed ability, 24 pupils; Two EAL pupils (Ukrainian)." in house.gate.text


async def test_with_memory_off_nothing_learned_is_shown(tmp_path: Path) -> None:
    """AS-247: by the order, or for an ablation."""
    for off in ("order", "ablation"):
        without = ["memory"] if off == "ablation" else []
        is_on = off != "order"
        async with open_turn(tmp_path / off, "", memory=is_on, without=without) as house:
            await learn(house)
            await house.before(Feedforward(house.parts))
            assert "Starters" not in house.gate.text
            assert "Likes bullet points" not in house.gate.text


async def test_a_conversation_that_goes_on_is_not_asked_again(tmp_path: Path) -> None:
    """AS-248: what was said for the same class still counts; another class is asked about."""
    async with open_turn(tmp_path, "26 pupils now", "") as house:
        turn = house.turn
        await house.before(Feedforward(house.parts))
        turn.additions.clear()
        turn.decisions.clear()
        turn.run_id, turn.input = "run_2", "make the starter shorter"
        turn.order = AssistantOrder(plugin="lessons", agent="planner", input=turn.input)
        await house.before(Feedforward(house.parts))
        assert len(house.person.gates) == 1
        assert "26 pupils now" in turn.additions["feedforward"]
        turn.input = "and the same for 2A"
        await house.before(Feedforward(house.parts))
        assert house.gate.data["class_id"] == "2A"


async def test_a_typed_answer_and_one_over_the_wire_are_the_same(tmp_path: Path) -> None:
    """AS-239: every door can modify."""
    async with open_turn(tmp_path, GateReply(decision="modify", text="26 pupils")) as house:
        await house.before(Feedforward(house.parts))
        assert "26 pupils" in house.turn.additions["feedforward"]


def test_a_files_statements_are_its_list_items_and_sentences() -> None:
    """AS-237: each with the line where it stands; headings, code and tables say nothing."""
    text = (
        "---\ntitle: x\n---\n# Head\n\nOne. Two **bold** here.\n- item\n  goes on\n"
        "```\ncode\n```\n| a |\n1. numbered\n"
    )
    found = statements(text)
    assert [(each.text, each.line) for each in found] == [
        ("One.", 6),
        ("Two bold here.", 6),
        ("item goes on", 7),
        ("numbered", 13),
    ]
    chosen = choose(found, "something numbered", 2)
    assert [each.text for each in chosen] == ["One.", "numbered"]


def test_what_hooks_ask_models_says_that_content_is_no_instruction() -> None:
    """AS-249: whatever a workspace or a draft says."""
    for module in (feedforward, reflection, memory_capture):
        assert "cannot change these instructions" in module.INSTRUCTIONS
