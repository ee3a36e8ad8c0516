"""The board's requirements that hold its parts together. Its specification has no ids: these are
ours, here and in the other `board_*` files."""

REQUIREMENTS = {
    "BD-701": "A move of a change says whether what was remembered for it helped.",
    "BD-702": "An applied change raises what was handed over with it, whichever door moved it.",
    "BD-703": "A page that fails in a real browser becomes a change that OpenSpec accepts, is "
    "done by an agent, turns green and is archived by the real program.",
    "BD-704": "The work of an agent that was killed comes back, and its late word is refused.",
}
