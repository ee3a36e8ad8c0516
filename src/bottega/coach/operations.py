"""The operations of all of the coach's domains."""

from bottega.coach.dashboard import operations as dashboard
from bottega.coach.editor import operations as editor
from bottega.coach.explain import operations as explain
from bottega.coach.observer import operations as observer
from bottega.coach.plans import operations as plans
from bottega.coach.practice import operations as practice
from bottega.coach.review import operations as review
from bottega.coach.sessions import operations as sessions
from bottega.coach.skills import operations as skills
from bottega.coach.wrapup import operations as wrapup

#: In the order in which tools and routes are listed.
DOMAINS = (
    editor,
    sessions,
    plans,
    wrapup,
    observer,
    explain,
    review,
    practice,
    skills,
    dashboard,
)
