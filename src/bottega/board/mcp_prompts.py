"""The board as a prompt: what a person says to have the next piece of work done."""

from bottega.core.rooms import Given, Prompt, Script, Step


def _write(_given: Given) -> Script:
    return Script(
        "Take work from Bottega's board and do it.",
        [
            Step(
                "Register with `board_register_session` (`project_path` is the folder we are in) "
                "and keep the `session_id`.",
                ["board_register_session"],
            ),
            Step(
                "Claim with `board_next_work`. If there is nothing, tell me why, in its words, and "
                "stop.",
                ["board_next_work"],
            ),
            Step(
                "Tell me in two sentences what you took, then do it: tick tasks with "
                "`board_update_tasks` as they are finished.",
                ["board_update_tasks"],
            ),
            Step(
                "Where only I can decide, ask with `board_request_clarification`.",
                ["board_request_clarification"],
            ),
            Step(
                "End with `board_complete_work`, or with `board_release_work` and the reason if "
                "you cannot do it.",
                ["board_complete_work", "board_release_work"],
            ),
        ],
    )


NEXT_WORK = Prompt(
    "next-work", "Take the next piece of work from Bottega's board and do it", _write
)
