"""Which agents some knowledge is for, by its tags or, without any, by the words of its title.

Knowledge that names none of the specialists' subjects is for everybody, and an agent without a
speciality gets everything.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from bottega.board.agents.agent_types import AgentType
from bottega.board.knowledge.naming import words

#: What each type of agent knows most about (decision 10). A type that is not here has none.
SUBJECTS: Mapping[str, frozenset[str]] = {
    AgentType.T3_STACK_DEVELOPER: words(
        "trpc t3 better-t-stack drizzle zod turborepo next.js nextjs typescript react api "
        "router backend"
    ),
    AgentType.E2E_TEST_ENGINEER: words(
        "test tests testing e2e end-to-end playwright cypress pytest vitest jest fixture "
        "fixtures flaky locator locators selector selectors ci"
    ),
    AgentType.DATABASE_ARCHITECT: words(
        "database databases schema schemas sql sqlite postgres postgresql drizzle migration "
        "migrations index indexes query queries orm sqlalchemy alembic transaction "
        "transactions"
    ),
    AgentType.UX_DESIGN_SPECIALIST: words(
        "ui ux design css tailwind shadcn accessibility a11y layout component components "
        "react frontend responsive dark-mode"
    ),
}
ALL_SUBJECTS = frozenset().union(*SUBJECTS.values())

_WORD = re.compile(r"[a-z0-9][a-z0-9.+-]*[a-z0-9]|[a-z0-9]")


def is_for(agent_type: str, tags: Sequence[str], title: str) -> bool:
    own = SUBJECTS.get(agent_type)
    if own is None:
        return True
    named = subjects_in(tags or [title])
    return not named or not named.isdisjoint(own)


def subjects_in(texts: Iterable[str]) -> frozenset[str]:
    """The specialists' subjects that the texts name."""
    named = (word for text in texts for word in _WORD.findall(text.lower()))
    return ALL_SUBJECTS.intersection(named)
