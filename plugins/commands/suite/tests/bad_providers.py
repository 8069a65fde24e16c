"""Four worse detectives: one ignores failed tests, one invents a number, one never files, one cannot be closed."""

import attrs

from sentinel_core import Message, Provider, Reply, hookimpl
from sentinel_core.trace import from_json, to_json
from sentinel_provider_offline import OfflineModel


@attrs.frozen
class Careless(OfflineModel):
    def complete(self, request, on_text=None):
        messages = tuple(map(_without_failures, request.messages))
        return OfflineModel.complete(self, attrs.evolve(request, messages=messages), on_text)


def _without_failures(message: Message) -> Message:
    return attrs.evolve(message, tool_results=tuple(map(_all_passed, message.tool_results)))


def _all_passed(result):
    try:
        summary = from_json(result.content)
    except ValueError:
        return result
    if not (isinstance(summary, dict) and isinstance(summary.get("tests"), dict)):
        return result
    tests = {**summary["tests"], "failed": 0}
    return attrs.evolve(result, content=to_json({**summary, "tests": tests}).decode())


INVENTED = "About 4711 users are affected."


@attrs.frozen
class Inventive(OfflineModel):
    def complete(self, request, on_text=None):
        reply = OfflineModel.complete(self, request, on_text)
        calls = tuple(map(_with_invention, reply.tool_calls))
        return attrs.evolve(reply, tool_calls=calls, content=f"{reply.content} {INVENTED}" if reply.content else "")


def _with_invention(call):
    if "findings" not in call.arguments:
        return call
    return attrs.evolve(call, arguments={**call.arguments, "findings": [*call.arguments["findings"], INVENTED]})


@attrs.frozen
class Silent(OfflineModel):
    def complete(self, request, on_text=None):
        reply = OfflineModel.complete(self, request, on_text)
        if any(call.name == "file_risk_report" for call in reply.tool_calls):
            return Reply(content=f"The risk is {reply.tool_calls[0].arguments['severity']}.", model=reply.model)
        return reply


@attrs.frozen
class Clinging(OfflineModel):
    def close(self):
        raise RuntimeError("burst")


@hookimpl
def sentinel_providers():
    return [
        Provider(name=name, summary="worse than offline", connect=model)
        for name, model in (
            ("careless", Careless),
            ("inventive", Inventive),
            ("silent", Silent),
            ("clinging", Clinging),
        )
    ]
