from collections.abc import Collection
from datetime import date, timedelta

LOAN = timedelta(days=21)
MONDAY, SUNDAY = 0, 6
ONE_DAY = timedelta(days=1)


def due_date(borrowed: date, holidays: Collection[date]) -> date:
    due = borrowed + LOAN
    while due in holidays or due.weekday() in (MONDAY, SUNDAY):
        due += ONE_DAY
    return due


WRONG = """
from datetime import timedelta


def due_date(borrowed, holidays):
    due = borrowed + timedelta(days=21)
    if due in holidays:
        due += timedelta(days=1)
    while due.weekday() in (6, 0):
        due += timedelta(days=1)
    return due
"""

BY_NUMBER = """
from datetime import date


def due_date(borrowed, holidays):
    number = borrowed.toordinal() + 21
    while date.fromordinal(number).weekday() in (6, 0) or date.fromordinal(number) in holidays:
        number += 1
    return date.fromordinal(number)
"""

BREAKS = {"The calendar does the sums": BY_NUMBER, "No magic numbers": BY_NUMBER}
