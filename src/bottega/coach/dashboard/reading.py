"""What to read, worked out without a model: our list of official documentation, by topic."""

from functools import cache

from bottega.coach.dashboard.documentation import PAGES, Page
from bottega.coach.matching import Entry, WordIndex, stems
from bottega.coach.prompts.learning_materials import (
    FoundResource,
    GapToStudy,
    LearningMaterials,
    Recommended,
    Study,
)

#: Pages for one topic.
MOST = 3
#: A related concept says less than the topic itself.
RELATED = 0.4
#: A page of a language that the project does not have.
FOREIGN = 0.4
#: Whoever writes one of them reads the others.
SCRIPTS = ("javascript", "typescript")


@cache
def _index() -> WordIndex:
    return WordIndex({page.url: Entry(page.title, [page.about]) for page in PAGES})


def recommend(study: Study) -> LearningMaterials:
    """A topic that our list has nothing about is left out, rather than given something else."""
    found = [(gap, pages_about(gap, study.tech_stack)) for gap in study.gaps]
    return LearningMaterials(
        recommendations=[_recommendation(gap, pages, study) for gap, pages in found if pages]
    )


def pages_about(gap: GapToStudy, tech_stack: str) -> list[Page]:
    topic = dict.fromkeys(stems(gap.topic), 1.0)
    scores = _index().scores(dict.fromkeys(stems(*gap.related_concepts), RELATED) | topic)
    home = _home_languages(tech_stack)
    ranked = sorted(
        ((scores[page.url] * (1.0 if page.language in home else FOREIGN), page) for page in PAGES),
        key=lambda scored: (-scored[0], scored[1].minutes),
    )
    best = ranked[0][0]
    return [page for score, page in ranked[:MOST] if score > 0 and score >= best / 2]


def _home_languages(tech_stack: str) -> set[str]:
    """Those of the project, and none: what holds for all languages."""
    spoken = {language.strip() for language in tech_stack.lower().split(",")}
    return {"", *spoken, *(SCRIPTS if spoken & set(SCRIPTS) else ())}


def _recommendation(gap: GapToStudy, pages: list[Page], study: Study) -> Recommended:
    titles = [page.title for page in pages]
    wanted = stems(gap.topic, *gap.related_concepts)
    kata = next((title for title in study.kata_titles if stems(title) & wanted), None)
    return Recommended(
        knowledge_gap=gap.topic,
        resources=[_resource(page, first=page is pages[0]) for page in pages],
        study_order=" → ".join(titles) if len(titles) > 1 else f"Just this one: {titles[0]}",
        practice_connection=f"Then try the kata “{kata}”." if kata else None,
    )


def _resource(page: Page, *, first: bool) -> FoundResource:
    return FoundResource(
        type=page.type,
        title=page.title,
        url=page.url,
        description=f"Official {page.type}; covers {', '.join(page.about.split()[:5])}.",
        relevance="direct" if first else "supplementary",
        estimated_time=f"{page.minutes} minutes",
    )
