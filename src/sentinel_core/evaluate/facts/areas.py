"""Words of areas in which mistakes cost most, and of changes that are risky in themselves. Pure."""

import re
from collections.abc import Mapping

__all__ = ["CRITICAL_AREAS", "RISKY_CHANGES", "kinds_in"]

CRITICAL_AREAS: dict[str, tuple[str, ...]] = {
    "authentication": ("auth", "authenticate", "authentication", "authorization", "credential", "credentials",
        "login", "logins", "mfa", "oauth", "password", "passwords", "permission", "permissions", "session cookie",
        "session cookies", "session expiry", "session fixation", "session hijacking", "session timeout",
        "session token", "session tokens", "sign in", "sso", "user session", "user sessions"),
    "data": ("backup", "backups", "data loss", "database", "databases", "migrate", "migrated", "migrates",
        "migration", "migrations", "personal data", "replication", "schema", "user data"),
    "payment": ("billing", "charge", "charges", "checkout", "credit card", "invoice", "invoices", "payment",
        "payments", "payout", "payouts", "pricing", "refund", "refunds", "subscription", "subscriptions",
        "transaction", "transactions"),
    "security": ("access control", "certificate", "certificates", "crypto", "cve", "encrypt", "encrypted",
        "encryption", "firewall", "secret", "secrets", "security", "tls", "vulnerabilities", "vulnerability"),
}  # fmt: skip

RISKY_CHANGES: dict[str, tuple[str, ...]] = {
    "breaking change": ("backward incompatible", "backwards incompatible", "breaking change", "breaking changes"),
    "data migration": ("data migration", "database migration", "drop column", "drop table", "migrate the database",
        "migrated the database", "schema change", "schema migration"),
    "emergency": ("emergency fix", "hot fix", "hotfix", "untested"),
    "protection removed": ("bypass", "bypassed", "bypasses", "disable authentication", "disable encryption",
        "disabled authentication", "disabled encryption", "disabled tests", "skip validation", "skipped validation"),
    "rewrite": ("complete rewrite", "major refactoring", "rewrite of", "rewritten", "rewrote"),
}  # fmt: skip

_WORD = re.compile(r"[^\W_]+")


def kinds_in(text: str, table: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The rows of a table with a word or phrase that is in the text, in the table's order."""
    plain = f" {' '.join(_WORD.findall(text.casefold()))} "
    return tuple(kind for kind, phrases in table.items() if any(f" {phrase} " in plain for phrase in phrases))
