"""The words by which a change is told: which area it touches, and what makes it risky in itself.

Words are compared whole, without case; a phrase of several words must stand as it is.
"""

import re

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
    "protection taken away": ("bypass", "bypassed", "bypasses", "disable authentication", "disable encryption",
        "disabled authentication", "disabled encryption", "disabled tests", "skip validation", "skipped validation"),
    "rewrite": ("complete rewrite", "major refactoring", "rewrite of", "rewritten", "rewrote"),
}  # fmt: skip

_WORD = re.compile(r"[^\W_]+")


def kinds_in(text: str, table: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The rows of a table of which a word or phrase stands in the text, in the table's order."""
    plain = f" {' '.join(_WORD.findall(text.casefold()))} "
    return tuple(kind for kind, phrases in table.items() if any(f" {phrase} " in plain for phrase in phrases))
