"""The table of roles says what happens: with arguments that may do, no operation is refused for
the caller's role to the least powerful role that the table names."""

import re
from pathlib import Path
from typing import Any

from bottega.core.operations import Operation
from bottega.core.roles import Right, TokenRole, roles_with
from tests.trust.served_app import Colleague, ServedApp, serve_app
from tests.trust.test_other_users import example, operations
from tests.trust.test_revocation import open_session
from tests.trust.test_roles import token_of

#: What is refused for what was asked, and not for who asks.
BY_WHAT_IS_ASKED = {
    "/costs": "without a session of one's own, the costs are those of the house",
}


async def refusals(
    served: ServedApp, token: Colleague, session: dict[str, str], operation: Operation
) -> list[tuple[str, str]]:
    """The doors of an operation at which it is forbidden, with the answer."""
    arguments, found = example(operation.arguments, {}), []
    for route in operation.routes:
        rest, path = dict(arguments), f"/api{route.path}"
        for name in route.in_path:
            path = re.sub(rf"{{{name}(:\w+)?}}", str(rest.pop(name)), path)
        query = {name: rest.pop(name) for name in route.query if name in rest}
        body: dict[str, Any] = {"json": rest} if route.has_body else {}
        params = query | ({} if route.has_body else rest)
        answer = await served.http.request(
            route.method, path, params=params, headers=token.headers, **body
        )
        if answer.status_code == 403 and route.path not in BY_WHAT_IS_ASKED:
            found.append((f"{route.method} {path}", answer.text))
    for tool in operation.tools:
        call = {"name": tool.name, "arguments": arguments}
        asked = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
        answer = await served.http.post("/mcp", json=asked, headers=session)
        if '"type":"forbidden"' in answer.text.replace(" ", "").replace("\\", ""):
            found.append((tool.name, answer.text))
    return found


async def test_whoever_the_table_names_may(tmp_path: Path) -> None:
    (tmp_path / "project/openspec/changes").mkdir(parents=True)
    async with serve_app(tmp_path, bottega_rate_limit=1_000_000) as served:
        tokens = {role: await token_of(served, role, role=role) for role in TokenRole}
        sessions = {
            role: await open_session(served, token.headers, "/mcp")
            for role, token in tokens.items()
        }
        refused, asked = [], 0
        for operation in operations(served):
            role = roles_with(operation.right)[0]
            refused += await refusals(served, tokens[role], sessions[role], operation)
            asked += 1
        assert asked > 150
        assert not refused
        assert roles_with(Right.ADMINISTER) == [TokenRole.OWNER]
