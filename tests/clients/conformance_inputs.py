"""The suite's tools that ask before they answer, as clients without a session are asked.

The answer to the first call says what is missing; the client calls again with it, and with the
state that the server gave it to keep.
"""

import json
from typing import Any

from mcp_types import (
    CallToolRequestParams,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    PromptMessage,
    SamplingMessage,
    TextContent,
)

from tests.clients.conformance_tools import Answer, Context, say, wire_tool


def ask(message: str, **properties: str) -> ElicitRequest:
    schema = {
        "type": "object",
        "properties": {name: {"type": type_} for name, type_ in properties.items()},
        "required": list(properties),
    }
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(prompt: str) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(text=prompt))
    return CreateMessageRequest(
        params=CreateMessageRequestParams(messages=[message], max_tokens=50)
    )


def need(state: str | None = None, **requests: InputRequest) -> InputRequiredResult:
    return InputRequiredResult(input_requests=requests or None, request_state=state)


def answered(params: CallToolRequestParams | GetPromptRequestParams, *names: str) -> bool:
    return set(names) <= (params.input_responses or {}).keys()


def form(params: CallToolRequestParams | GetPromptRequestParams, name: str) -> dict[str, Any]:
    answer = (params.input_responses or {})[name]
    return dict(answer.content or {}) if isinstance(answer, ElicitResult) else {}


@wire_tool("test_input_required_result_elicitation")
async def elicitation(context: Context, params: CallToolRequestParams) -> Answer:
    if not answered(params, "user_name"):
        return need(user_name=ask("What is your name?", name="string"))
    return say(f"Hello, {form(params, 'user_name').get('name')}!")


@wire_tool("test_streaming_elicitation")
async def streaming_elicitation(context: Context, params: CallToolRequestParams) -> Answer:
    await context.session.report_progress(1, 2, "There is a question.")
    return await elicitation(context, params)


@wire_tool("test_input_required_result_sampling")
async def sampling(context: Context, params: CallToolRequestParams) -> Answer:
    if not answered(params, "capital_question"):
        return need(capital_question=sample("What is the capital of France?"))
    return say("Thank you for the capital.")


@wire_tool("test_input_required_result_list_roots")
async def roots(context: Context, params: CallToolRequestParams) -> Answer:
    if not answered(params, "client_roots"):
        return need(client_roots=ListRootsRequest())
    return say("Thank you for the roots.")


@wire_tool("test_input_required_result_request_state")
async def state(context: Context, params: CallToolRequestParams) -> Answer:
    if answered(params, "confirm") and params.request_state == "kept":
        return say("state-ok")
    return need("kept", confirm=ask("Sure?", ok="boolean"))


@wire_tool("test_input_required_result_tampered_state")
async def tampered_state(context: Context, params: CallToolRequestParams) -> Answer:
    # A changed state never gets here: the boundary in `conformance_app.py` refuses it.
    if params.request_state is None:
        return need("kept", confirm=ask("Sure?", ok="boolean"))
    return say("state-ok")


@wire_tool("test_input_required_result_multiple_inputs")
async def multiple_inputs(context: Context, params: CallToolRequestParams) -> Answer:
    if answered(params, "user_name", "greeting", "client_roots"):
        return say("That is all.")
    return need(
        "several",
        user_name=ask("What is your name?", name="string"),
        greeting=sample("Greet me."),
        client_roots=ListRootsRequest(),
    )


@wire_tool("test_input_required_result_multi_round")
async def multi_round(context: Context, params: CallToolRequestParams) -> Answer:
    known: dict[str, Any] = json.loads(params.request_state or "{}")
    if answered(params, "step2") and "name" in known:
        return say(f"{known['name']} likes {form(params, 'step2').get('color')}.")
    if answered(params, "step1"):
        kept = json.dumps({"name": form(params, "step1").get("name")})
        return need(kept, step2=ask("Which colour do you like?", color="string"))
    return need("{}", step1=ask("What is your name?", name="string"))


@wire_tool("test_input_required_result_capabilities")
async def capabilities(context: Context, params: CallToolRequestParams) -> Answer:
    can = context.session.client_capabilities
    requests: dict[str, InputRequest] = {}
    if can is not None and can.sampling is not None:
        requests["sample"] = sample("Say hello.")
    if can is not None and can.elicitation is not None:
        requests["ask"] = ask("What is your name?", name="string")
    return need("gated", **requests)


def prompt_in_context(params: GetPromptRequestParams) -> GetPromptResult | InputRequiredResult:
    if not answered(params, "user_context"):
        return need(user_context=ask("In which context?", context="string"))
    text = f"The context is: {form(params, 'user_context').get('context')}"
    return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(text=text))])
