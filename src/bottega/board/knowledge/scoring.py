"""How what happens to changes moves the knowledge that was handed over with them.

A *use* is one change that an item was handed over with. It is decided once the change is applied
(it helped) or fails (it did not); the last word counts. A *confirmation* is the same thing recorded
again by a change that had not been given it: independent evidence.

    success rate  =  (4 + helped + confirmed) / (4 + helped + confirmed + failed), in per cent
    weight        +1 at every second use that helped, +1 at every confirmation, −1 at every failure

The weight (confidence of global knowledge, relevance of a project's) starts at 5, stays within 1
and 10, and is handed over from 7 on. So four uses that helped or two confirmations lift an item
into the context; and since an item that is not handed over is not used, confirmations are also the
way back for one that fell. The 4 in the success rate is a prior of four successes: one early
failure leaves 80 per cent and the item in play, a second takes it out.
"""

#: From this weight on an item is handed over.
HANDED_OVER_FROM = 7
#: Per cent of the uses that must have helped, for global knowledge.
SUCCESS_NEEDED = 80
START = 5
LOWEST, HIGHEST = 1, 10
PRIOR = 4
HELPS_PER_STEP = 2


def success_rate(helped: int, failed: int, confirmed: int = 0) -> int:
    good = PRIOR + helped + confirmed
    return round(100 * good / (good + failed))


def after_help(weight: int, helped: int) -> int:
    """`helped` counts this one too."""
    return within(weight + (helped % HELPS_PER_STEP == 0))


def after_failure(weight: int) -> int:
    return within(weight - 1)


def after_confirmation(weight: int) -> int:
    return within(weight + 1)


def starting(sources: int, helped: int) -> int:
    """The confidence of knowledge that a project's memory was promoted to."""
    return within(START + max(0, sources - 1) + helped // HELPS_PER_STEP)


def within(weight: int) -> int:
    return min(HIGHEST, max(LOWEST, weight))
