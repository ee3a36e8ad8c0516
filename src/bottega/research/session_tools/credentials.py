"""`credential_prompt`: ask a person for a credential that a source needs.

Which credentials there are is the source's own list: an agent cannot make a person enter something
under a name of its choosing. The person sees where it would go.
"""

from bottega.errors import Forbidden, InvalidInput
from bottega.research.session_tools.desk import SessionDesk
from bottega.research.session_tools.requests import RequestKind, RequestView
from bottega.research.sources.definition import HttpConfig


async def ask_credential(
    desk: SessionDesk, session_id: str, source: str, name: str | None, reason: str, user_id: str
) -> RequestView:
    view = await desk.sources.get(source, user_id=user_id, session_id=session_id)
    if not view.trusted:
        raise Forbidden(
            f"The source {source!r} came with the project and nobody has enabled it: no credential "
            "is asked for it."
        )
    if not view.credentials:
        raise InvalidInput(f"The source {source!r} needs no credential.")
    chosen = name or view.credentials[0]
    if chosen not in view.credentials:
        raise InvalidInput(
            f"The source {source!r} has no credential {chosen!r}.", valid_options=view.credentials
        )
    config = (await desk.sources.source(source)).config
    goes_to = config.url if isinstance(config, HttpConfig) else config.command
    asked = {
        "source": source,
        "name": chosen,
        "source_name": view.name,
        "origin": view.origin,
        "goes_to": goes_to,
        "reason": reason,
    }
    return await desk.requests.open(session_id, RequestKind.CREDENTIAL, asked, user_id=user_id)
