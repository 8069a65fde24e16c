"""The guardrails over HTTP: tokens with scopes, strict bodies, errors as problem details (the ``server`` extra)."""
