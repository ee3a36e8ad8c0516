"""Commands from operations: what a person types becomes the request that the operation's route
takes, and the answer is shown.

    commands = CommandGroup("See, find, correct and forget what is remembered.")
    commands.add(
        operations.get_memory, "show", print_memory, help="Show one memory whole.",
        id=Argument("The memory's id, as `list` shows it."),
    )

A command takes those arguments of its operation that are named here, in this order; the rest have
their defaults. What needs more than one question is a function of its own, which asks by `call`.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin
from urllib.parse import quote

import typer
from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

from bottega.core.doors.client import Answer, Api, present
from bottega.core.operations import Operation, Route

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
#: What is sent is left to the operation's own default.
LEFT_OUT: Any = object()


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the operation that is typed without a name."""

    help: str


@dataclass(frozen=True, slots=True)
class Option:
    help: str
    #: As it is typed: `--tag`. Default: the argument's name.
    name: str | None = None
    #: For the command alone; otherwise the operation's own.
    default: Any = LEFT_OUT


class CommandGroup(typer.Typer):
    """The commands of a room."""

    def __init__(self, help: str, **options: Any) -> None:
        super().__init__(help=help, no_args_is_help=True, **options)

    def add(
        self,
        operation: Operation,
        name: str,
        show: Callable[[Answer], None],
        /,
        *,
        help: str,
        **taken: Argument | Option,
    ) -> None:
        """A command that asks one operation and shows its answer."""

        def run(context: typer.Context, as_json: bool, **given: Any) -> None:
            present(call(context, operation, **given), show, as_json=as_json)

        run.__name__ = name
        run.__doc__ = help
        signature = _signature(operation, taken)
        run.__signature__ = signature  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
        self.command(name)(run)


def call(context: typer.Context, operation: Operation | Route, **arguments: Any) -> Any:
    """Ask the house; `None` counts as left out. Raises what the operation raised.

    An operation that is heavy to import is asked by the route that it is declared with.
    """
    api: Api = context.obj
    route = operation if isinstance(operation, Route) else operation.route
    given = {name: value for name, value in arguments.items() if value is not None}
    path = "/api" + route.path
    for name in route.in_path:
        path = path.replace(f"{{{name}}}", quote(str(given.pop(name)), safe=""))
    if not route.has_body:
        ask = api.get if route.method == "GET" else api.delete
        return ask(path, **given)
    query = {name: given.pop(name) for name in route.query if name in given}
    send = {"POST": api.post, "PATCH": api.patch, "PUT": api.put}[route.method]
    return send(path, json=given, **query)


def _signature(operation: Operation, taken: Mapping[str, Argument | Option]) -> inspect.Signature:
    fields = operation.arguments.model_fields
    parameters = [
        _parameter("context", typer.Context),
        *(_argument(name, fields[name], how) for name, how in taken.items()),
        _parameter("as_json", AsJson, False),
    ]
    return inspect.Signature(parameters)


def _argument(name: str, info: FieldInfo, how: Argument | Option) -> inspect.Parameter:
    limits: dict[str, Any] = {}
    for limit in info.metadata:
        if isinstance(limit, Ge):
            limits["min"] = limit.ge
        if isinstance(limit, Le):
            limits["max"] = limit.le
    kind = _plain(info.annotation)
    if isinstance(how, Argument):
        default = inspect.Parameter.empty if info.is_required() else info.get_default()
        return _parameter(name, Annotated[kind, typer.Argument(help=how.help, **limits)], default)
    names = [how.name] if how.name else []
    default = info.get_default() if how.default is LEFT_OUT else how.default
    if default in (None, [], ()):
        default, kind = None, kind | None
    return _parameter(name, Annotated[kind, typer.Option(*names, help=how.help, **limits)], default)


def _plain(annotation: Any) -> Any:
    """The type that a person types, without the checks that the server makes anyway."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _plain(get_args(annotation)[0])
    if origin in (Union, UnionType):
        kinds = [_plain(each) for each in get_args(annotation) if each is not NoneType]
        return kinds[0] if len(kinds) == 1 else str
    if origin is list:
        return list[_plain(get_args(annotation)[0])]  # type: ignore[misc]
    return str if annotation is datetime else annotation


def _parameter(
    name: str, annotation: Any, default: Any = inspect.Parameter.empty
) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
