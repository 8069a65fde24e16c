"""The ASGI application: routes behind the gate, work in threads, every error as problem details."""

import re
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from sentinel_command_serve.body import read_body
from sentinel_command_serve.gate import Gate
from sentinel_command_serve.openapi import AUDIT_QUERY, document
from sentinel_command_serve.problems import Problem, problem_of
from sentinel_command_serve.routes import ROUTES, Answer, Asked, Route, Work
from sentinel_core import __version__
from sentinel_core.errors import SentinelError
from sentinel_core.trace import to_json

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["make_app"]

_JSON = "application/json"
_PROBLEM = "application/problem+json"
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_integer = re.compile(r"-?(0|[1-9][0-9]{0,15})")

Endpoint = Callable[["Request"], Awaitable["Response"]]


def make_app(work: Work, gate: Gate) -> "Starlette":
    """The service as an ASGI application. Needs starlette."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.routing import Route as Path

    routes = (*ROUTES, _described(described()))
    return Starlette(
        routes=[
            Path(path, _for_path(path, routes, work, gate), methods=_methods(path, routes)) for path in _paths(routes)
        ],
        exception_handlers={HTTPException: _not_routed},
    )


def described() -> dict[str, Any]:
    """The OpenAPI document of the service."""
    return document((*ROUTES, _described({})), __version__)


def _described(described: dict[str, Any]) -> Route:
    return Route(
        method="GET",
        path="/openapi.json",
        name="openapi",
        summary="Return this document.",
        scope=None,
        answer="Document",
        handle=lambda _work, _asked: (HTTPStatus.OK, described),
    )


def _paths(routes: tuple[Route, ...]) -> list[str]:
    return list(dict.fromkeys(route.path for route in routes))


def _methods(path: str, routes: tuple[Route, ...]) -> list[str]:
    return [route.method for route in routes if route.path == path]


def _for_path(path: str, routes: tuple[Route, ...], work: Work, gate: Gate) -> Endpoint:
    """One endpoint for all methods of a path, so that the error for another method lists them."""
    by_method = {route.method: route for route in routes if route.path == path}

    async def endpoint(request: "Request") -> "Response":
        method = "GET" if request.method == "HEAD" else request.method
        try:
            status, answer = await _answer(by_method[method], request, work, gate)
        except Exception as error:  # noqa: BLE001 - also for a defect, ours or a plugin's, the caller gets a problem
            return _error_response(error)
        return _response(status, answer, _JSON)

    return endpoint


async def _answer(route: Route, request: "Request", work: Work, gate: Gate) -> Answer:
    from starlette.concurrency import run_in_threadpool

    token = gate.let_in(request.headers, route.scope)
    asked = Asked(
        token=token,
        path=request.path_params,
        query=_query(route, request),
        body=None if route.body is None else await read_body(request.headers, request.stream()),
        require=lambda scope: None if token is None else gate.require(token, scope),
    )
    return await run_in_threadpool(route.handle, work, asked)


def _query(route: Route, request: "Request") -> dict[str, Any]:
    """The query parameters of the route, converted by their schemas. Raises ``Problem``."""
    import jsonschema_rs

    unknown = sorted(set(request.query_params) - set(route.query))
    if unknown:
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, f'unknown parameter "{unknown[0][:60]}"')
    found: dict[str, Any] = {}
    for name in route.query:
        values = request.query_params.getlist(name)
        if not values:
            continue
        schema = AUDIT_QUERY[name]
        value: Any = values[0]
        if schema["type"] == "integer" and _integer.fullmatch(value):
            value = int(value)
        if len(values) > 1 or not jsonschema_rs.is_valid(dict(schema), value):
            raise Problem(
                HTTPStatus.UNPROCESSABLE_ENTITY, f'parameter "{name}" must be given once, as {_wanted(schema)}'
            )
        found[name] = value
    return found


def _wanted(schema: Mapping[str, Any]) -> str:
    if schema["type"] == "integer":
        return f"a whole number from {schema['minimum']} to {schema['maximum']}"
    return f"a string that matches {schema['pattern']}"


def _error_response(error: Exception) -> "Response":
    if not isinstance(error, (Problem, SentinelError)):
        traceback.print_exception(error, file=sys.stderr)
    problem = error if isinstance(error, Problem) else problem_of(error)
    return _response(problem.status, problem.body(), _PROBLEM, problem.headers)


def _response(status: HTTPStatus, body: Any, media_type: str, headers: Mapping[str, str] | None = None) -> "Response":
    from starlette.responses import Response

    return Response(to_json(body), int(status), {**_HEADERS, **(headers or {})}, media_type)


def _not_routed(request: "Request", error: Any) -> "Response":
    """The error for an unknown path, or a method that the path does not have."""
    status = HTTPStatus(error.status_code)
    problem = Problem(
        status, f"{request.method} is not supported here; /openapi.json lists the endpoints", error.headers
    )
    return _response(problem.status, problem.body(), _PROBLEM, problem.headers)
