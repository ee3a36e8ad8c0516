"""Trying a source, step by step, for the person who sets it up."""

import time
from dataclasses import dataclass

from bottega.errors import BottegaError
from bottega.research.sources.connection_pool import Connections
from bottega.research.sources.definition import McpSource, StdioConfig
from bottega.research.sources.launch import Launches, NeedsAuth, SourceFailed, SourceTimedOut
from bottega.research.sources.sign_in import SignIns, wants_sign_in
from bottega.research.sources.views import SourceCheck, TestReport, health_after


@dataclass(frozen=True, slots=True)
class Checkup:
    source: McpSource
    launches: Launches
    sign_ins: SignIns
    connections: Connections

    async def run(self, user_id: str) -> tuple[TestReport, BottegaError | None]:
        """What was found, and the error that ended it."""
        began = time.monotonic()
        checks = [_passed("configuration", "The config.json is valid.")]
        tools: list[str] = []
        failure: NeedsAuth | SourceFailed | None = None
        step = "credentials"
        try:
            checks.append(await self._check_credentials(user_id))
            step = "connection"
            name = await self.connections.server(self.source, user_id)
            checks.append(_passed(step, f"It answered as {name}." if name else "It answered."))
            step = "tools"
            tools = list(await self.connections.tools(self.source, user_id))
            checks.append(_passed(step, f"It offers {len(tools)} tools."))
        except (NeedsAuth, SourceFailed) as error:
            failure = error
            checks.append(SourceCheck(name=step, passed=False, message=error.message))
        report = TestReport(
            slug=self.source.slug,
            passed=failure is None,
            health=health_after(failure),
            checks=checks,
            tools=tools,
            advice=self._advise(failure, tools),
            duration_ms=round((time.monotonic() - began) * 1000),
        )
        return report, failure

    async def _check_credentials(self, user_id: str) -> SourceCheck:
        await self.launches.prepare(self.source, user_id)
        await self.sign_ins.auth(self.source, user_id)
        return _passed("credentials", "What it needs is there.")

    def _advise(self, failure: BottegaError | None, tools: list[str]) -> list[str]:
        config = self.source.config
        match failure:
            case None:
                return [] if tools else ["It offers no tools. Is it the server you meant?"]
            case NeedsAuth(credential=str() as name):
                return [f"Enter the credential {name!r}, then test again."]
            case NeedsAuth() if wants_sign_in(self.source):
                return ["Start a sign-in, follow its page, then test again."]
            case NeedsAuth():
                return ["Name a credential under 'auth' in its config.json, then enter it."]
            case SourceTimedOut():
                return ["Start it by hand to see what it waits for, or raise its 'startTimeout'."]
            case _ if isinstance(config, StdioConfig):
                return [f"Run {config.command!r} by hand with its arguments to see what it says."]
            case _:
                return ["Check its address, and that it is running and speaks MCP."]


def _passed(name: str, message: str) -> SourceCheck:
    return SourceCheck(name=name, passed=True, message=message)
