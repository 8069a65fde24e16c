"""Takes out secrets that are known by their shape; the table of kinds is ``secret_kinds``."""

import functools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sentinel_core.runtime.secret_kinds import SOFTWARE
from sentinel_core.runtime.secret_kinds_services import SERVICES

__all__ = ["KINDS", "ODD", "Kind", "Odd", "without_shapes", "without_start", "word_start"]


def word_start(first: str = "") -> str:
    """An expression for where a word begins, or is ``first`` behind its beginning.

    Also after a colour's code, a line's end written as two characters, and an escape of JSON or a URL.
    """
    before = (r"[\d;\[]m", r"\[K", r"\\[nrt]", r"\\u00[0-9A-Fa-f]{2}", "%[0-9A-F]{2}")
    return f"(?:(?<![A-Za-z0-9]{first})|{'|'.join(f'(?<={one}{first})' for one in before)})"


_START = word_start()
# In short words of small letters, as in names of libraries and of styles, there is no key.
_MIXED = r"(?=[A-Za-z0-9_-]{0,64}?(?:\d[A-Za-z]|[A-Za-z]\d|\d{6}|[a-z][A-Z]|[A-Za-z]{16}))"
_DIGIT = r"(?=[A-Za-z+/]{0,64}\d)"
_SETS = {
    "a": "[A-Za-z0-9]",
    "u": r"[A-Za-z0-9_\-]",
    "b": "[A-Za-z0-9+/]",
    "h": "[0-9A-Fa-f]",
    "l": "[a-z0-9]",
    "c": "[A-Z0-9]",
    "d": "[0-9]",
}
_PART = re.compile(r"([aubhlcd])(\d+)|(.)")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_EXACT = 10  # characters: a part that is shorter has its length
_SHORT = 22  # characters
_LONGEST_LEAST = 40  # characters of a last part that may be very long

# What may end the start of a kind, where enough for a secret follows.
_JOINT = re.compile(r"[_.:~-](?=[A-Za-z0-9_.+/-]{10})(?=[a-z_.+/-]{0,24}[A-Z0-9]|[a-z]{16})")
_ANY_JOINT = re.compile(r"[_.:~-]")
_KEPT = 3  # characters before and with a joint, by which kinds are looked up
_STUMP = 256  # characters
# What all secrets of a known shape have, and most texts have not. A token of JSON may have less, and is looked for by itself.
_RUN = re.compile("[A-Za-z0-9_.+/-]{15}")


_compiled = functools.cache(re.compile)


class Kind(NamedTuple):
    """A row of the table: ``shape`` as it describes; ``source`` is an address, or a name in ``LISTS``."""

    name: str
    start: str
    shape: str
    source: str


KINDS = tuple(Kind(*line.split()) for line in (SOFTWARE + SERVICES).splitlines() if line and not line.startswith("#"))


def _ends_in_joint(kind: Kind) -> int:
    """Where the last joint of the kind's start ends; 0 if there is none."""
    return len(kind.start.rstrip(_LETTERS))


class _Starts(NamedTuple):
    """The kinds by the last characters of their start up to its last joint; those without a joint, in capitals or not."""

    by_joint: dict[str, list[Kind]]
    capital: list[Kind]
    small: list[Kind]


@functools.cache
def _starts() -> _Starts:
    found = _Starts({}, [], [])
    for kind in KINDS:
        if end := _ends_in_joint(kind):
            found.by_joint.setdefault(kind.start[end - _KEPT : end], []).append(kind)
        else:
            (found.capital if kind.start[:2].isupper() else found.small).append(kind)
    return found


# Those in capitals stand in such; nearly all texts have none.
_CAPITALS = re.compile("[A-Z][A-Z0-9][A-Za-z0-9_+/-]{13}")


def _parts(shape: str) -> list[tuple[str, str, str]]:
    return _PART.findall(shape.removeprefix("~"))


def _rest(shape: str) -> str:
    """The expression for a shape; a part may be half as long, or three quarters where that says little; the last one also longer."""
    parts = _parts(shape)
    found = [re.escape(between) if between else _part(group, int(length)) for group, length, between in parts[:-1]]
    group, length = parts[-1][0], int(parts[-1][1])
    share = 0.75 if shape[0] == "~" or group == "h" or length <= _SHORT else 0.5
    least = length if length < _EXACT else min(_LONGEST_LEAST, -int(-length * share // 1))
    return f"{''.join(found)}{_SETS[group]}{{{least},}}{'={0,2}' if group == 'b' else ''}"


def _part(group: str, length: int) -> str:
    return f"{_SETS[group]}{{{length}}}" if length < _EXACT else f"{_SETS[group]}{{{length // 2},{2 * length}}}"


def _looks_random(shape: str) -> str:
    if shape[0] == "u" or shape[:2] == "~u":
        return _MIXED
    return _DIGIT if shape[0] == "~" else ""


@functools.cache
def _expression(kind: Kind) -> re.Pattern[str]:
    # A few letters that no joint ends stand in the middle of much base64 by chance.
    before = "" if len(kind.start) > _KEPT or _ends_in_joint(kind) else "(?<![+/])"
    return re.compile(f"{_START}{before}{re.escape(kind.start)}{_looks_random(kind.shape)}{_rest(kind.shape)}")


_TOKEN = rf"{_START}eyJ[A-Za-z0-9_-]{{8,256}}\.[A-Za-z0-9_-]{{8,4096}}\.[A-Za-z0-9_-]{{4,1024}}"
_TOKEN_STUMP = rf"{_START}eyJ[\w.-]{{1,{_STUMP}}}\Z"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_AZURE = (r"\+ASt", r"\+ABa", r"\+ACR", r"\+AEh", r"\+ARm", "ACDb", "AIoT", "APIM", "AzCa", "AzFu", "AzSe", "JQQJ99")
_ENDS = "(?![A-Za-z0-9_-])"
_ENDS_BASE64 = "(?![A-Za-z0-9_+=-]|/[A-Za-z0-9+/])"


# Hashed passwords. Their dollars are doubled in files of Compose, and escaped in shells.
_DOLLAR = r"(?:\\{0,4}\${1,2})"
_HASH = "[./A-Za-z0-9]"
_CRYPT = (
    rf"{_DOLLAR}(?:(?:1|apr1){_DOLLAR}{_HASH}{{1,8}}{_DOLLAR}{_HASH}{{22}}"
    rf"|[56]{_DOLLAR}(?:rounds=\d{{1,9}}{_DOLLAR})?{_HASH}{{1,16}}{_DOLLAR}{_HASH}{{43,86}}"
    rf"|(?:g?y{_DOLLAR}{_HASH}{{1,16}}|7){_DOLLAR}{_HASH}{{1,86}}{_DOLLAR}{_HASH}{{43}})"
)


class Odd(NamedTuple):
    """A kind that its start does not tell: looked for where ``mark`` is found, an expression that begins with a letter."""

    name: str
    mark: str
    pattern: str
    source: str


ODD = (
    Odd("telegram", ":AA", r"\d{8,10}:AA[A-Za-z0-9_-]{30,}", "core.telegram.org/bots/api"),
    Odd("azure-client", "Q~", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}", "gitleaks"),
    Odd("azure-devops", "AZDO", r"[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}", "learn.microsoft.com/azure/devops"),
    *(
        Odd(
            f"azure-{mark.strip(chr(92) + '+').lower()}",
            mark,
            rf"[A-Za-z0-9+/]{{32,80}}{mark}[A-Za-z0-9+/]{{4,32}}(?:={{1,2}}|{_ENDS_BASE64})",
            "github.com/microsoft/security-utilities",
        )
        for mark in _AZURE
    ),
    Odd("mailchimp", "-us", r"[0-9a-f]{32}-us\d{1,2}\b", "gitleaks"),
    Odd("discord-bot", r"\.[\w-]{6}\.[\w-]{27}", r"[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}", "docs.discord.com"),
    Odd("airtable", r"\.[0-9a-f]{64}", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}", "betterleaks"),
    Odd("terraform", r"\.atlasv1\.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,80}", "gitleaks"),
    Odd("asana", ":[0-9a-f]{32}", r"[0-2]/\d{12,20}(?:/\d{12,20})?:[0-9a-f]{32}", "developers.asana.com/docs"),
    Odd("fal", ":[0-9a-f]{32}", f"{_UUID}:[0-9a-f]{{32}}", "docs.fal.ai"),
    Odd("deepl", ":fx", rf"{_UUID}:fx\b", "developers.deepl.com/docs"),
    Odd("facebook-app", r"\|[\w-]{27}", rf"\d{{15,16}}\|[\w-]{{27,40}}{_ENDS}", "gitleaks"),
    Odd("facebook-user", "EAA", "EAA[A-Za-z0-9]{90,}", "gitleaks"),
    Odd("firebase", ":APA91b", r"[\w-]{11,22}:APA91b[\w-]{100,}", "firebase.google.com/docs/cloud-messaging"),
    Odd("google-refresh", "1//0", r"1//0[\w-]{30,}", "developers.google.com/identity/protocols/oauth2"),
    Odd("rancher", "token-", "token-[a-z0-9]{5}:[a-z0-9]{54}", "trufflehog"),
    Odd("paypal", r"access_token\$", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[0-9a-f]{32}", "trufflehog"),
    Odd("newrelic-license", "NRAL", "[0-9a-f]{32,36}(?:FFFF)?NRAL", "newrelic"),
    Odd("asaas", r"\$aact_", r"\$aact_[\w:=-]{40,}", "docs.asaas.com"),
    Odd(
        "bitwarden",
        r"\.[A-Za-z0-9]{30}:",
        rf"0\.{_UUID}\.[A-Za-z0-9]{{30}}:[A-Za-z0-9+/]{{22}}==",
        "bitwarden.com/help",
    ),
    Odd("yandex-iam", r"t1\.[\w-]{20}", r"t1\.[\w-]{20,1024}={0,2}\.[\w-]{86}={0,2}", "gitleaks"),
    Odd(
        "authress",
        r"\.acc[_-]",
        r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}",
        "gitleaks",
    ),
    Odd("crypt", r"\$(?:[1567]|g?y|apr1)\\{0,4}\$", _CRYPT, "manpages.debian.org/crypt.5"),
    Odd(
        "bcrypt",
        r"\$2[abxy]?\\{0,4}\$",
        rf"{_DOLLAR}2[abxy]?{_DOLLAR}\d\d{_DOLLAR}{_HASH}{{53}}",
        "manpages.debian.org/crypt.5",
    ),
    Odd(
        "argon2",
        r"\$argon2",
        rf"{_DOLLAR}argon2(?:id|i|d){_DOLLAR}(?:v=\d+{_DOLLAR})?[mtp=,\d]+{_DOLLAR}[\w+/-]{{8,256}}={{0,2}}{_DOLLAR}[\w+/-]{{16,512}}={{0,2}}",
        "github.com/P-H-C/phc-string-format",
    ),
    Odd("maxmind", "_mmk", "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", "gitleaks"),
    Odd("configcat", "configcat-sdk-", r"configcat-sdk-\d/[\w-]{22}/[\w-]{22}", "configcat.com/docs"),
    Odd("ably", r":[\w-]{43}", rf"[\w-]{{6}}\.[\w-]{{6}}:[\w-]{{43}}{_ENDS}", "ably.com/docs"),
    Odd("unleash", r"\.[0-9a-f]{56}", r"[\w*-]{1,64}:[\w-]{1,64}\.[0-9a-f]{56,64}", "docs.getunleash.io"),
    Odd("dropbox-long", "AAAAAAAAAA", rf"[A-Za-z0-9]{{11}}A{{10}}[A-Za-z0-9_-]{{43}}{_ENDS_BASE64}", "gitleaks"),
    Odd("twitter-bearer", "%3D", "A{18}[A-Za-z0-9]{1,40}%(?:[A-Za-z0-9%]){60,}", "gitleaks"),
    Odd(
        "vault-before",
        r"s\.[A-Za-z0-9]{24}",
        rf"s\.(?=[A-Za-z]*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9]{{24}}{_ENDS}",
        "vault",
    ),
)


@functools.cache
def _odd_expression(odd: Odd) -> re.Pattern[str]:
    return re.compile(_START + odd.pattern)


@functools.cache
def _grouped() -> tuple[tuple[str, re.Pattern[str], tuple[Odd, ...]], ...]:
    """The odd kinds by the first character of their mark, which all their texts have; and what finds any of their marks."""
    groups: dict[str, list[Odd]] = {}
    for odd in ODD:
        groups.setdefault(odd.mark.lstrip("\\")[0], []).append(odd)
    return tuple((first, re.compile("|".join(odd.mark for odd in odds)), tuple(odds)) for first, odds in groups.items())


def without_shapes(text: str, mask: str) -> str:
    """The text with each secret of a known shape replaced by ``mask``."""
    if "eyJ" in text:
        text = _compiled(_TOKEN).sub(mask, text)
    if _RUN.search(text) is None:
        return text
    spans = list(_with_joints(text))
    starts = _starts()
    for kind in (*starts.capital, *starts.small) if _CAPITALS.search(text) else starts.small:
        if kind.start in text:
            spans += _with_start(kind, text)
    if spans:
        text = _cut_out(text, sorted(spans), mask)
    for first, marks, odds in _grouped():
        if first in text and marks.search(text):
            for odd in odds:
                if re.search(odd.mark, text):
                    text = _odd_expression(odd).sub(mask, text)
    return text


def _with_joints(text: str) -> Iterator[tuple[int, int]]:
    """Where secrets begin and end whose start ends in a joint."""
    by_joint = _starts().by_joint
    for joint in _JOINT.finditer(text):
        end = joint.end()
        kinds = by_joint.get(text[end - _KEPT : end])
        if kinds:
            yield from _at(kinds, text, end)


def _at(kinds: list[Kind], text: str, end: int) -> Iterator[tuple[int, int]]:
    for kind in kinds:
        place = end - _ends_in_joint(kind)
        if place >= 0 and text.startswith(kind.start, place):
            found = _expression(kind).match(text, place)
            if found is not None:
                yield found.span()


def _with_start(kind: Kind, text: str) -> Iterator[tuple[int, int]]:
    expression, place = _expression(kind), text.find(kind.start)
    while place >= 0:
        found = expression.match(text, place)
        if found is not None:
            yield found.span()
        place = text.find(kind.start, place + 1)


def _cut_out(text: str, spans: Iterable[tuple[int, int]], mask: str) -> str:
    """Overlapping spans, in order, become one."""
    parts: list[str] = []
    done = 0
    for start, end in spans:
        if start >= done:
            parts += (text[done:start], mask)
        done = max(done, end)
    return "".join((*parts, text[done:]))


def without_start(text: str, mask: str) -> str:
    """The text without the start of a secret of a known shape that is cut off at the text's end.

    One that goes on in small letters alone says nothing, and may be a name.
    """
    tail, starts = max(0, len(text) - _STUMP), _starts()
    places = [
        match.end() - _ends_in_joint(kind)
        for match in _ANY_JOINT.finditer(text, tail)
        for kind in starts.by_joint.get(text[max(0, match.end() - _KEPT) : match.end()], ())
        if _is_stump(kind, text, match.end() - _ends_in_joint(kind))
    ]
    for kind in (*starts.capital, *starts.small):
        place = text.rfind(kind.start, tail)
        if place >= 0 and _is_stump(kind, text, place):
            places.append(place)
    token = _compiled(_TOKEN_STUMP).search(text, tail)
    if token is not None:
        places.append(token.start())
    return text[: min(places)] + mask if places else text


def _is_stump(kind: Kind, text: str, place: int) -> bool:
    return place >= 0 and _stump(kind).match(text, place) is not None


@functools.cache
def _stump(kind: Kind) -> re.Pattern[str]:
    sets = "".join(_SETS[group][1:-1] if group else re.escape(between) for group, _, between in _parts(kind.shape))
    telling = _looks_random(kind.shape) if kind.shape[0] == "~" else ""
    rest = rf"(?=[\w.+/-]{{0,64}}[A-Z0-9]){telling}[{sets}]{{{4 if telling else 1},{_STUMP}}}\Z"
    return re.compile(f"{_START}{re.escape(kind.start)}{rest}")
