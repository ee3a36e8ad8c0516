"""The coach as a prompt: what a person says to be coached, in any client."""

from bottega.core.rooms import Given, Prompt, PromptArgument, Script, Step


def _write(given: Given) -> Script:
    goal = given.get("goal")
    wanted = f"What I want to work on: {goal}" if goal else "Ask me what I want to work on."
    return Script(
        f"Coach me with Bottega: ask and point, and never write the code for me. {wanted}",
        [
            Step(
                "Call `paige_get_session_state`. If a session is open, tell me in two sentences "
                "where we are, and go on from there.",
                ["paige_get_session_state"],
            ),
            Step(
                'If none is open, begin one with what I said: POST `{"issueNumber": 7}` or '
                '`{"issueTitle": "…"}` as JSON to '
                "`${BOTTEGA_URL:-http://127.0.0.1:3000}/api/coach/sessions`, or ask me to start it "
                "on the coach's page if you cannot. If I said nothing, show me the open issues of "
                "`GET /api/coach/issues` and let me choose.",
            ),
            Step(
                "Read the code, write a plan in phases and hand it in with "
                "`paige_run_coaching_pipeline`.",
                ["paige_run_coaching_pipeline"],
            ),
            Step(
                "Point at files with `paige_hint_files`, and ask me one question that gets me "
                "started. Write no code.",
                ["paige_hint_files"],
            ),
        ],
    )


COACH = Prompt(
    "coach",
    "Be coached through an issue by Paige, who asks and points and never writes the code",
    _write,
    [PromptArgument("goal", "issue number, or what you want to do")],
)
