"""`read_skill`: what an agent knows how to do, tier by tier, when it needs it."""

from pydantic import Field

from bottega.assistant.plugins.skills import SkillShelf
from bottega.assistant.tools.tool import Arguments, BuiltTool


class ReadSkill(Arguments):
    skill: str = Field(
        max_length=256,
        description="a skill by its name (backward-design), or one of its files "
        "(backward-design/examples.md)",
    )


def read_skill(shelf: SkillShelf) -> BuiltTool[ReadSkill]:
    async def read(asked: ReadSkill) -> str:
        from opentelemetry.trace import get_current_span

        found = await shelf.read(asked.skill)
        # On the span of the call: which tier agents go to is research data.
        get_current_span().set_attributes(
            {
                "bottega.skill": found.reference,
                "bottega.skill.tier": found.tier,
                "bottega.skill.included": list(found.included),
                "bottega.skill.left_out": list(found.left_out),
            }
        )
        return found.text

    return BuiltTool(
        "read_skill",
        "Read a skill before you do what it is about, and its further files when you need them.",
        ReadSkill,
        read,
    )
