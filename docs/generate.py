"""Writes the reference pages from the code: settings, commands, tools, resources, prompts, routes,
errors, messages, events, tables; the web app's types of routes and messages; and the prompts as
commands of the plugin for Claude Code.

`make docs` runs it; `tests/test_docs.py` fails when a page is behind the code, so that nothing a
person can set, type or call goes undocumented.
"""

import inspect
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import sqlalchemy
import typer
import typer.core

from bottega import errors
from bottega.app import App
from bottega.cli.main import add_rooms, cli
from bottega.coach.protocol.document import MESSAGES, schema
from bottega.core.db.database import Base, Timestamp, Words
from bottega.core.roles import RIGHTS, Right, TokenRole
from bottega.core.rooms import Prompt, Resource
from bottega.core.topics import TOPICS, Topic
from bottega.server.http import create_server
from bottega.server.mcp.prompts import written
from bottega.server.mcp.schemas import input_schema
from bottega.server.options import Options
from bottega.settings import Settings
from docs.role_table import OPEN_ROUTES, role_table
from docs.typescript import coach_types, rest_types

ROOT = Path(__file__).parents[1]
#: In words that both databases share; the first that fits.
COLUMN_TYPES = {
    Timestamp: "time",
    Words: "text",
    sqlalchemy.String: "text",
    sqlalchemy.JSON: "JSON",
    sqlalchemy.LargeBinary: "bytes",
    sqlalchemy.Boolean: "true or false",
    sqlalchemy.Integer: "integer",
    sqlalchemy.Float: "number",
}
HEADER = "<!-- Written by `make docs` from the code. -->\n\n"


def files() -> dict[str, str]:
    """Every generated file by its path."""
    with tempfile.TemporaryDirectory() as folder:
        app = App(Settings(data_dir=Path(folder), project_dir=Path(folder), _env_file=None))
        openapi = create_server(app, Options(settings=app.settings)).openapi()
        pages = {
            "settings.md": settings_page(),
            "cli.md": cli_page(),
            "tools.md": tools_page(app),
            "resources.md": resources_page(app),
            "http.md": http_page(openapi),
            "errors.md": errors_page(),
            "roles.md": roles_page(app),
            "coach-protocol.md": protocol_page(schema()),
            "events.md": events_page(app),
            "tables.md": tables_page(),
        }
        commands = {
            f"integrations/claude-code/commands/{prompt.name}.md": command_file(prompt, app)
            for room in app.rooms
            for prompt in room.prompts
        }
    return {
        **commands,
        **{f"docs/reference/{name}": HEADER + text.rstrip() + "\n" for name, text in pages.items()},
        "web/src/api/schema.ts": rest_types(openapi),
        "web/src/api/coach.ts": coach_types(schema()),
    }


def settings_page() -> str:
    rows = [
        f"| `{name.upper()}` | {_default(field.default)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]
    return (
        "# Settings\n\nEnvironment variables, or lines of your own file "
        "`~/.config/bottega/config.toml` (`XDG_CONFIG_HOME` is honoured), such as `port = 4000`, "
        "in upper or lower case. `bottega config set NAME VALUE` writes one, and `bottega config "
        "show` says what is set and where. The environment comes first. Nothing is read from the "
        "working directory or a project: a `.env` there is ignored. A wrong name or "
        "value ends start-up with exit code 1 and its name.\n\n"
        "| variable | default | what |\n|---|---|---|\n" + "\n".join(rows)
    )


def _default(value: object) -> str:
    shown = str(value).lower() if isinstance(value, bool) else value
    return "" if value in (None, "") else f"`{shown}`"


def cli_page() -> str:
    add_rooms()
    root = typer.main.get_command(cli)
    parts = ["# Commands\n\nEvery command has `--help`.\n"]
    for name, found in groupby(_walk(root, "bottega"), key=lambda found: found[0].split()[1]):
        commands = list(found)
        is_group = len(commands) > 1
        parts += [f"## `bottega {name}`\n"] if is_group else []
        level = "###" if is_group else "##"
        parts += [_command(command, path, level) for path, command in commands]
    return "\n".join(parts)


# Typer brings its own copy of click, whose classes it does not export: hence `Any`.
def _walk(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(command, typer.core.TyperGroup):
        yield path, command
        return
    context = typer.Context(command)
    for name in sorted(command.list_commands(context)):
        yield from _walk(command.get_command(context, name), f"{path} {name}")


def _command(command: Any, path: str, level: str) -> str:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    usage = " ".join([path, *(argument.name.upper() for argument in arguments)])
    lines = [f"{level} `{usage}`\n", (command.help or "").strip(), ""]
    lines += [f"- `{argument.name.upper()}`: {argument.help}" for argument in arguments]
    lines += [f"- `{', '.join(o.opts + o.secondary_opts)}`: {o.help}" for o in options]
    return "\n".join(lines) + "\n"


def tools_page(app: App) -> str:
    parts = [
        "# MCP tools\n\nAt `/mcp` all of them, at `/mcp/{room}` one room's. An error is "
        '`is_error` with `{"error": {"type", "message"}}`; see [errors](errors.md).\n'
    ]
    for room in app.rooms:
        if room.tools:
            parts.append(f"## {room.name}\n")
        for tool in room.tools:
            hint = " Changes nothing." if tool.read_only else ""
            parts.append(f"### `{tool.name}`\n\n{tool.description}{hint}\n")
            parts.append(_arguments(input_schema(tool.arguments)))
    return "\n".join(parts)


def resources_page(app: App) -> str:
    resources = [(room, each) for room in app.rooms for each in room.resources]
    prompts = [(room, each) for room in app.rooms for each in room.prompts]
    own = (
        "A library's own endpoint, `/mcp/library/{name}`, has the last two with its name in place "
        "of `{library}`."
    )
    rows = [
        f"| `{each.uri}` | {room.name} | {each.mime_type} | {_flags(each)} | {each.description} |"
        for room, each in resources
    ]
    parts = [
        "# MCP resources and prompts\n\nAt `/mcp` all of them, at `/mcp/{room}` one room's; see "
        f"[how to use them](../how-to/mcp.md). {own}\n\n## Resources\n",
        "| address | room | type | also | what |\n|---|---|---|---|---|",
        *rows,
        "\n## Prompts\n",
    ]
    for room, prompt in prompts:
        parts.append(f"### `{prompt.name}`\n\n{prompt.description} ({room.name}).\n")
        parts.append(_prompt_arguments(prompt))
    return "\n".join(parts)


def _flags(resource: Resource) -> str:
    flags = {
        "listed": resource.listed is not None or "{" not in resource.uri,
        "completed": bool(resource.complete),
        "watched": bool(resource.updates),
    }
    return ", ".join(flag for flag, is_so in flags.items() if is_so)


def _prompt_arguments(prompt: Prompt) -> str:
    rows = [
        f"| `{each.name}` | {'yes' if each.required else ''} | {each.description} |"
        for each in prompt.arguments
    ]
    if not rows:
        return "No arguments.\n"
    return "| argument | required | what |\n|---|---|---|\n" + "\n".join(rows) + "\n"


#: The skill of the plugin that goes with a prompt.
SKILLS = {
    "coach": "being-coached",
    "next-work": "board-work",
    "research": "cited-research",
    "retro": "looking-back",
}


def command_file(prompt: Prompt, app: App) -> str:
    """A prompt as a slash command, with what is typed behind it as the first argument."""
    tools = {tool.name for room in app.rooms for tool in room.tools}
    head = [f"description: {prompt.description}"]
    given = {}
    if prompt.arguments:
        first = prompt.arguments[0]
        hint = f"<{first.description}>" if first.required else f"[{first.description}]"
        head.append(f'argument-hint: "{hint}"')
        given = {first.name: "$ARGUMENTS"}
    skill = f"The skill `{SKILLS[prompt.name]}` describes how it is done."
    return "\n".join(["---", *head, "---", "", written(prompt, given, tools), "", skill, ""])


def _arguments(schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    rows = [
        f"| `{name}` | {_type(field)} | {'yes' if name in required else ''} "
        f"| {field.get('description', '')} |"
        for name, field in schema.get("properties", {}).items()
    ]
    if not rows:
        return "No arguments.\n"
    return "| argument | type | required | what |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"


def _type(field: dict[str, Any]) -> str:
    if "enum" in field:
        return " \\| ".join(f"`{value}`" for value in field["enum"])
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    return str(field.get("type", "any"))


def http_page(openapi: dict[str, Any]) -> str:
    parts = [
        "# REST\n\nThe running server has the full OpenAPI document at `/openapi.json` and a page "
        "to try it at `/docs`. Errors have the body of [errors](errors.md)."
    ]
    for part, paths in groupby(sorted(openapi["paths"].items()), key=lambda found: _part(found[0])):
        parts.append(f"\n## {part}\n\n| route | what |\n|---|---|")
        parts += [
            f"| `{method.upper()} {path}` | {_sentence(operation)} |"
            for path, methods in paths
            for method, operation in methods.items()
        ]
    return "\n".join(parts)


def _part(path: str) -> str:
    """`/api/board` of `/api/board/changes/{id}`."""
    return "/".join(path.split("/")[:3])


def _sentence(operation: dict[str, Any]) -> str:
    described = str(operation.get("description", operation.get("summary", "")))
    return " ".join(described.split("\n\n")[0].split())


def errors_page() -> str:
    rows = [
        f"| `{error.type}` | {error.status} | {error.__name__} |"
        for error in _every(errors.BottegaError)
    ]
    return (
        '# Errors\n\nThe same body at every door: `{"error": {"type", "message"}}`. Over HTTP '
        "with the status below, over MCP as an `is_error` result, over WebSocket as "
        "`connection:error`, from a command as a line on stderr and exit code 1.\n\n"
        "| type | status | error |\n|---|---|---|\n" + "\n".join(rows)
    )


def _every(error: type[errors.BottegaError]) -> Iterator[type[errors.BottegaError]]:
    yield error
    for child in error.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from _every(child)


#: What each right is for, as its declaration says.
MEANINGS = {
    Right.READ: "look, and move about",
    Right.WORK: "do one's own work: begin, note, ask, cancel",
    Right.DECIDE: "what a person decides: answers, approvals, sources, credentials, one's tokens",
    Right.EDIT: "write files of the project and of one's workspaces",
    Right.ADMINISTER: "what concerns the whole house",
}


def roles_page(app: App) -> str:
    roles = " | ".join(TokenRole)
    rows = [
        f"| `{right}` | {' | '.join('yes' if right in RIGHTS[role] else '' for role in TokenRole)} "
        f"| {MEANINGS[right]} |"
        for right in Right
    ]
    parts = [
        "# Roles\n\nA token has a role, and may be for some rooms and projects only; see [how to "
        "give one](../how-to/team.md). Each thing that can be asked needs one right, whichever "
        "door it is asked at. The owner is whoever is at the machine itself, or has "
        "`BOTTEGA_TOKEN` or the passcode.\n",
        f"| right | {roles} | to |\n|---|{'---|' * len(TokenRole)}---|\n" + "\n".join(rows) + "\n",
        "Nothing is needed for " + ", ".join(f"`{route}`" for route in OPEN_ROUTES) + ".\n",
    ]
    entries = sorted(role_table(app), key=lambda entry: (entry.room, entry.door, entry.name))
    for room, found in groupby(entries, key=lambda entry: entry.room):
        parts.append(f"## {room}\n\n| door | what | needs |\n|---|---|---|")
        parts += [f"| {entry.door} | `{entry.name}` | {entry.right} |" for entry in found]
        parts.append("")
    return "\n".join(parts)


def protocol_page(document: dict[str, Any]) -> str:
    return (
        "# The coach's WebSocket protocol\n\n"
        'At `/ws`, as JSON: `{"type", "payload", "id"?, "timestamp"}`. An answer to a message has '
        "its `id`; what happens is said to all windows of that person on that project, without "
        "one. The running server has the whole as JSON Schema at `/api/coach/protocol`.\n\n"
        f"## From a client\n\n{_messages('clientMessages', document)}\n\n"
        f"## To a client\n\n{_messages('serverMessages', document)}\n\n"
        "## Choices\n\nWhere the specification says a thing twice and differently, or not at "
        "all.\n\n"
        + "\n".join(f"- `{entry.type}`: {entry.note}" for entry in MESSAGES if entry.note)
    )


def _messages(side: str, document: dict[str, Any]) -> str:
    rows = []
    for envelope in document[side]["oneOf"]:
        fields = envelope["properties"]
        payloads = fields["payload"].get("anyOf", [fields["payload"]])
        bodies = [document["$defs"][found["$ref"].rpartition("/")[2]] for found in payloads]
        shape = "; or ".join(_field_names(body) for body in bodies)
        rows.append(f"| `{fields['type']['const']}` | {shape} | {envelope['description']} |")
    return "| message | payload | when |\n|---|---|---|\n" + "\n".join(rows)


def _field_names(body: dict[str, Any]) -> str:
    """With a `?` where a field may be left out."""
    required = body.get("required", ())
    names = (name if name in required else f"{name}?" for name in body.get("properties", ()))
    return ", ".join(f"`{name}`" for name in names) or "nothing"


def events_page(app: App) -> str:
    parts = [
        "# Events\n\nWhat happens is published once and heard by all whom it concerns: live as "
        "server-sent events at `GET /api/events?topics=work.*,specs.*`, later at `GET "
        "/api/events/log`. An event has a `topic`, a `payload` with the fields below (a `?` marks "
        "those that are not always there), and where it has them a `project`, a `user_id` and a "
        "`session_id`. Those that are not kept are live only.\n",
        "What happens in a durable run is `run.` and the type of the event; all fields of the "
        "first row come with it, and what is special to it is within its `payload`.\n",
        f"## The house\n\n{_topics(TOPICS)}",
    ]
    parts += [f"## {room.name}\n\n{_topics(room.topics)}" for room in app.rooms if room.topics]
    return "\n".join(parts)


def _topics(topics: Sequence[Topic]) -> str:
    rows = [
        f"| `{topic.name}` | {topic.when} | {', '.join(f'`{name}`' for name in topic.fields)} "
        f"| {'yes' if topic.is_kept else 'no'} |"
        for topic in topics
    ]
    return "| topic | when | payload | kept |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"


def tables_page() -> str:
    parts = [
        "# Tables\n\nThe same on SQLite and PostgreSQL, made and brought up to date at start-up. "
        "They are for reading: what is written past the doors is told to nobody. Beside them are "
        "Alembic's `alembic_version`, the full-text indexes, and the tables in which DBOS keeps "
        "the steps of durable runs.\n"
    ]
    models = sorted((m.class_ for m in Base.registry.mappers if m.inherits is None), key=_place)
    for part, tables in groupby(models, key=lambda model: _place(model)[0]):
        parts.append(f"## {part}\n")
        parts += [_table(model) for model in tables]
    return "\n".join(parts)


def _place(model: type[Base]) -> tuple[str, str]:
    return model.__module__.split(".")[1], model.__tablename__


def _table(model: type[Base]) -> str:
    table, notes = model.__table__, _notes(model)
    assert isinstance(table, sqlalchemy.Table)
    rows = [
        f"| `{column.name}` | {_column_type(column)} | {_keys(column)} "
        f"| {notes.get(column.name, '')} |"
        for column in table.columns
    ]
    about = f"{inspect.cleandoc(model.__doc__)}\n\n" if model.__doc__ else ""
    head = "| column | type | key | what |\n|---|---|---|---|\n"
    return f"### `{table.name}`\n\n{about}{head}" + "\n".join(rows) + "\n"


def _column_type(column: sqlalchemy.Column[Any]) -> str:
    name = next(name for kind, name in COLUMN_TYPES.items() if isinstance(column.type, kind))
    return f"{name}, optional" if column.nullable else name


def _keys(column: sqlalchemy.Column[Any]) -> str:
    primary = ["primary"] if column.primary_key else ["unique"] if column.unique else []
    others = sorted(key.column.table.name for key in column.foreign_keys)
    return ", ".join([*primary, *(f"→ [{name}](#{name})" for name in others)])


def _notes(model: type[Base]) -> dict[str, str]:
    """What the lines with `#:` above a column say of it."""
    found = re.findall(r"((?:^ +#: .*\n)+) +(\w+):", inspect.getsource(model), re.MULTILINE)
    return {name: " ".join(re.findall(r"#: (.*)", lines)) for lines, name in found}


def main() -> None:
    for name, text in files().items():
        (ROOT / name).write_text(text)
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
