"""Reads the definitions of the tools that were on offer."""

from sentinel_core.trace import ToolSchema

__all__ = ["tool_schemas"]


def tool_schemas(raw: object) -> tuple[ToolSchema, ...] | None:
    """The available tools, from any provider's list of definitions; None if there is no list."""
    if not isinstance(raw, list):
        return None
    schemas = []
    for entry in raw:
        definition = entry.get("function", entry) if isinstance(entry, dict) else {"name": entry}
        if not isinstance(definition, dict) or not isinstance(definition.get("name"), str):
            continue
        parameters = next(
            (definition[key] for key in ("parameters", "input_schema", "parametersJsonSchema") if key in definition),
            None,
        )
        description = definition.get("description")
        schemas.append(
            ToolSchema(
                name=definition["name"],
                description=description if isinstance(description, str) else None,
                parameters=parameters if isinstance(parameters, dict) else None,
            )
        )
    return tuple(schemas)
