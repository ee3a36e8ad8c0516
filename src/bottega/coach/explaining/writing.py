"""Facts in words, for one of the five stages.

Beginners are walked through line by line, with each idea explained. The competent are told why, and
what to look at twice. The proficient and the expert get the contract, the effects and the cost.
"""

from bottega.coach.explaining import sections
from bottega.coach.explaining.concepts import Concept, lesson
from bottega.coach.explaining.contract import contract
from bottega.coach.explaining.facts import Facts
from bottega.coach.stages import Stage

_MOST_CONCEPTS = 8


def write(facts: Facts, stage: Stage) -> str:
    """The explanation as markdown."""
    concepts = concepts_for(facts, stage)
    match stage:
        case Stage.NOVICE | Stage.ADVANCED_BEGINNER:
            parts = [
                sections.summary(facts),
                sections.steps(facts),
                sections.ideas(concepts),
                sections.origins(facts),
                # One thing to watch is enough on the way up; a novice has enough to read.
                sections.risks(facts, most=stage.rank),
            ]
        case Stage.COMPETENT:
            parts = [
                sections.summary(facts),
                sections.reasons(concepts),
                sections.origins(facts),
                sections.risks(facts, most=6),
            ]
        case Stage.PROFICIENT:
            parts = [contract(facts, concepts)]
        case Stage.EXPERT:
            parts = [contract(facts)]
    return "\n\n".join(filter(None, parts))


def concepts_for(facts: Facts, stage: Stage) -> list[Concept]:
    """Which concepts are worth naming at this stage."""
    news = [concept for concept in facts.concepts if not lesson(concept).is_basic]
    if stage is Stage.NOVICE or (stage is Stage.ADVANCED_BEGINNER and not news):
        return list(facts.concepts[:_MOST_CONCEPTS])
    return news[:_MOST_CONCEPTS]


def analogy_for(facts: Facts, stage: Stage) -> str | None:
    """One picture, for beginners: that of the main concept, as far as it has one."""
    if stage.rank >= Stage.COMPETENT.rank:
        return None
    return next(filter(None, (lesson(concept).analogy for concept in facts.concepts)), None)
